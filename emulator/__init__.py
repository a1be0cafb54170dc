"""A phone you can hold: observe, act, reset, many at once. Imports neither `solar_eval` nor `training`."""
