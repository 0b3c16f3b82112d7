"""The disk: files that are read, cached, compared, written, and known to git."""
