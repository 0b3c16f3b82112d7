"""Names of variants and stems of files: one by one, and many at once."""

from __future__ import annotations

import pytest

from tvarc.nix.quoting import KEYWORDS, are_attribute_names, is_attribute_name


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("a", True),
        ("_", True),
        ("a-9_", True),
        ("_9", True),
        ("a" * 200, True),
        ("a" * 201, False),
        ("", False),
        ("9a", False),
        ("-a", False),
        ("a.b", False),
        ("a b", False),
        ("a/b", False),
        ("ä", False),
        ("aä", False),
        *((word, False) for word in sorted(KEYWORDS)),
        ("iff", True),
    ],
)
def test_a_name_is_a_nix_attribute(name: str, good: bool) -> None:
    assert is_attribute_name(name) is good
    assert are_attribute_names([name]) is good
    assert are_attribute_names(["a", name, "b"]) is good


def test_no_names_are_none() -> None:
    assert not are_attribute_names([])
