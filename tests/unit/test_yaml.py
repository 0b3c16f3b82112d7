"""The printer of YAML: every reader has back what was given, and nothing else."""

from __future__ import annotations

import importlib
import importlib.util
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import examples
from support.services import read_yaml
from tvarc.farm.yaml import Yaml, print_yaml

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(
        ("on", "No", "~", "null", "1", "1_0", "0x1", "1e3", ".inf", "-", "a: b", "a #b", "#", "=",
         "<<", "2001-01-01", "12:30:45", "- a", "? a", "a\nb\n", "a\n b\n", " a\nb\n", "a\n\nb\n",
         "a\nb \n", "a\nb", "a\nb\n\n", "*a", "&a", "!a", "%a", "@a", "`a", "{a}", "[a]", "'", '"',
         "a'b", "yes", "y", "\u2028", "\x85", "\x7f", "\U0001f600", "a b", "a  b", "true", "NaN")
    ),
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(TEXTS, st.integers(-(10**6), 10**6), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(VALUES)
def test_it_is_read_as_it_was_meant(value: Yaml) -> None:
    """By a reader of YAML 1.1, in which more texts mean something else than a string."""
    assert read_yaml(print_yaml(value)) == value


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(VALUES)
def test_it_is_read_so_by_the_newer_yaml(value: Yaml) -> None:
    if importlib.util.find_spec("ruamel") is None:
        pytest.skip("ruamel.yaml is not installed")
    reader = importlib.import_module("ruamel.yaml").YAML(typ="safe", pure=True)
    assert reader.load(io.StringIO(print_yaml(value))) == value


def test_how_it_is_laid_out() -> None:
    value: Yaml = {
        "on": {"push": None}, "empty": [{}, []], "list": [{"a": 1, "b": ["x", {"c": True}]}, "y"],
        "run": "one\n\ntwo\n", "say": "a: b",
    }  # fmt: skip
    assert (
        print_yaml(value)
        == """\
"on":
  push: null
empty:
  - {}
  - []
list:
  - a: 1
    b:
      - x
      - c: true
  - "y"
run: |
  one

  two
say: "a: b"
"""
    )
