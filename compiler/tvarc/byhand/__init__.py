"""Nix that people wrote: read, judged, and turned into a program."""
