"""The files of many variants: shared, locked, compared, and changed."""
