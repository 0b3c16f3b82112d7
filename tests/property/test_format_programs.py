"""Formatting changes the layout and nothing else, whatever the program."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from support import corpus
from support.effort import examples, for_each
from support.formatted import holds, items
from support.programs import programs
from tvarc.syntax.format.format import format_source
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source


@pytest.mark.slow
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_any_program(text: str) -> None:
    assume(items(text) is not None)
    holds(text)


@for_each("text", corpus.programs(), every=4)
def test_every_file_of_the_checkout(text: str) -> None:
    if items(text) is None:
        assert format_source(Source("a.tvar", text), Sink()) is None
        return
    holds(text)
