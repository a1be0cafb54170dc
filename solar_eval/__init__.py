"""Evaluation of phone-GUI agents: benchmarks, dialects, scorers, runners, reports. May import `emulator`."""
