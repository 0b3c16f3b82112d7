"""Text and messages about it: sources, spans, paths of outputs, and diagnostics as data."""
