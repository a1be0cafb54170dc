"""A run as a folder of static pages: what stands in a run directory, gathered, drawn and written."""
