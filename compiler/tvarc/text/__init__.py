"""Text and what is said about it: sources, spans, paths of outputs, and diagnostics as data."""
