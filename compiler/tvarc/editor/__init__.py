"""The answers to requests of an editor about programs."""
