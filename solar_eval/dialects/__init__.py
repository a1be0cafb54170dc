"""One file per model family: prompt out, reply in, and the family's coordinate convention.

`base.py` holds the shape of a dialect, `cleaning.py` what every reply goes through first, `table.py` the
visible table of all dialects by name.
"""
