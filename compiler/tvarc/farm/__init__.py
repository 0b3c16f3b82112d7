"""Builds and machines: realising variants, jobs for other systems."""

from tvarc.light import Final

LEDGER: Final = "tvarc-results.jsonl"
"""The name of a ledger, in the folder of its program."""
