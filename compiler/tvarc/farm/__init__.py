"""Builds and machines: realising variants, jobs for other systems."""
