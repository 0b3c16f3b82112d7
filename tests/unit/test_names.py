"""Names of variants and stems of files: one by one, and many at once."""

from __future__ import annotations

from support.effort import for_each
from tvarc.nix.language.quoting import KEYWORDS
from tvarc.text.paths import are_names, fault_of_name


@for_each(
    "name, good",
    [
        ("a", True),
        ("_", True),
        ("a" * 200, True),
        ("a" * 201, False),
        ("ä" * 100, True),
        ("ä" * 101, False),
        ("", False),
        (".", False),
        ("..", False),
        ("...", True),
        ("9a", True),
        ("1.13", True),
        ("-a", True),
        ("a b", True),
        (" ", True),
        ("a/b", False),
        ("a\\b", False),
        ("a\0b", False),
        ("a\nb", False),
        ("a\x1bb", False),
        ("a\u202eb", False),
        ("a\udcffb", False),
        ("ä", True),
        *((word, True) for word in sorted(KEYWORDS)),
    ],
)
def test_a_name_is_one_that_a_file_can_have(name: str, good: bool) -> None:
    assert (fault_of_name(name) is None) is good
    assert are_names([name]) is good
    assert are_names(["a", name, "b"]) is good
