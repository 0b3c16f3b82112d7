"""The digest line: how a file tells that it is as it was written."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.effort import for_each
from tvarc.files.output.header import DIGEST_PREFIX, Ownership, inspect, seal

HEAD = ["# Made by tvarc from a.tvar.", "# Edit that, not this."]


def digest(text: str) -> str:
    """The SHA-256 of *text* as Nix writes hashes."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def digest_lines(head: list[str], body: str) -> str:
    return digest("".join(f"{line}\n" for line in head) + body)


def test_sealed_text() -> None:
    text = seal(HEAD, "{ }\n")
    assert text == (
        "# Made by tvarc from a.tvar.\n# Edit that, not this.\n"
        f"{DIGEST_PREFIX}{digest_lines(HEAD, '{ }' + chr(10))}\n{{ }}\n"
    )
    assert inspect(text) is Ownership.OURS


def test_digest_line_may_stand_anywhere_in_the_head() -> None:
    line = DIGEST_PREFIX + digest_lines(HEAD, "{ }\n")
    assert inspect(f"{HEAD[0]}\n{line}\n{HEAD[1]}\n{{ }}\n") is Ownership.OURS


@pytest.mark.parametrize("text", ["", "{ }\n", "# mine\n{ }\n", "\n" + seal(HEAD, "{ }\n")])
def test_foreign(text: str) -> None:
    assert inspect(text) is Ownership.FOREIGN


def test_digest_line_outside_the_head_counts_for_nothing() -> None:
    assert inspect("{ }\n" + DIGEST_PREFIX + digest("{ }\n") + "\n") is Ownership.FOREIGN


@for_each(
    "old, new",
    [
        ("{ }", "{  }"),
        ("Edit that", "Edit this"),
        ("# Edit", "# More\n# Edit"),
        ("sha256-", "sha256-A"),
        ("{ }\n", "{ }"),
        ("{ }\n", "{ }\r\n"),
    ],
)
def test_edited(old: str, new: str) -> None:
    text = seal(HEAD, "{ }\n")
    assert old in text
    assert inspect(text.replace(old, new)) is Ownership.EDITED


def test_head_without_an_end_of_line() -> None:
    assert inspect(DIGEST_PREFIX + digest("")) is Ownership.OURS
    assert inspect(DIGEST_PREFIX) is Ownership.EDITED


def test_a_second_digest_line_does_not_confuse() -> None:
    assert inspect(seal([DIGEST_PREFIX + "sha256-x"], "{ }\n")) is Ownership.OURS
    assert inspect(seal([], DIGEST_PREFIX + "sha256-x\n{ }\n")) is Ownership.OURS


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LINE = TEXT.map(lambda text: "# " + text.replace("\n", " "))


@pytest.mark.slow
@given(st.lists(LINE, max_size=3), TEXT, TEXT)
def test_any_sealed_text_is_ours_and_any_addition_is_noticed(
    head: list[str], body: str, more: str
) -> None:
    text = seal(head, body)
    assert inspect(text) is Ownership.OURS
    if more:
        assert inspect(text + more) is Ownership.EDITED
