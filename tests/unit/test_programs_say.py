"""Which line of what Nix or git prints is shown."""

from __future__ import annotations

from support.effort import for_each
from tvarc.text.diagnostics.programs_say import GIT, NIX, message_in, without_advice

TRAILER = "(use '--show-trace' to show detailed location information)"


@for_each(
    "printed, message",
    [
        (f"error: while evaluating\nerror: no such path\n{TRAILER}\n", "no such path"),
        (f"error: no such path\n\n{TRAILER}", "no such path"),
        (f"error: one\nerror: {TRAILER}\n", "one"),
        ("error:\n   … while calling\n\n   error: it is broken\n", "it is broken"),
        ("warning: a\nkilled", "killed"),
        ("", ""),
    ],
)
def test_the_last_error_of_nix(printed: str, message: str) -> None:
    assert message_in(printed, NIX) == message


def test_what_is_fatal_for_git_comes_first() -> None:
    assert message_in("warning: x\nfatal: not a repository\nerror: y\n", GIT) == "not a repository"
    assert message_in("error: y\nhint: z\n", GIT) == "y"


def test_advice_is_no_part_of_a_message() -> None:
    assert without_advice(f"error: one\n{TRAILER}\n") == "error: one\n"
    assert without_advice("two\n") == "two\n"
