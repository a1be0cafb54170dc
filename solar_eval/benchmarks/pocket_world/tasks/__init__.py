"""The templates, a module an app; `table.py` lists the modules."""
