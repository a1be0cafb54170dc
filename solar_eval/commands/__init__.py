"""What each verb of `solar-eval` does; `cli.py` only declares the flags and imports these when a verb runs."""
