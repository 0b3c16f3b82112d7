"""Modules, and the names that they declare."""
