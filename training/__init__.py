"""SOLAR-RL training: reconstruction, shaping, GRPO, the loop. May import `solar_eval` and `emulator`."""
