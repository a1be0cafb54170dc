"""Benchmarks: labelled steps and recorded replies from files, in the project's one frame. `table.py` lists them."""
