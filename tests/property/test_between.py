"""What is filled in between marks leaves all else of a page as it is, and shows what was edited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvarc.commands.documents import Misplaced, Part, begin_mark, empty_part, filled, parts_of

LINES = st.sampled_from(
    [
        "words", "", "# a heading", "```", "~~~~", "```nix", begin_mark(("variants",)),
        begin_mark(("axis", "gpu")), "<!-- tvarc: end -->", "<!-- tvarc: end 0123 -->",
        "  <!-- tvarc: counts -->", "<!-- tvarc: -->", "<!-- a comment -->",
        "text <!-- tvarc: x -->",
    ]
)  # fmt: skip
PAGES = st.tuples(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans())
TEXTS = st.sampled_from(["", "one\n", "| a |\n|---|\n| b |\n", "two\n\nlines\n"])


def page_of(given: tuple[list[str], str, bool]) -> str:
    lines, newline, ended = given
    return newline.join(lines) + (newline if ended else "")


def parts(page: str) -> list[Part]:
    return [one for one in parts_of(page) if isinstance(one, Part)]


def outside(page: str) -> list[str]:
    """What is not ours: all but what stands in parts, and the lines that end them."""
    found, at = [], 0
    for part in parts(page):
        found.append(page[at : part.inner])
        at = part.after
    return [*found, page[at:]]


@pytest.mark.slow
@given(PAGES, TEXTS)
def test_what_is_not_ours_stays_and_a_second_time_changes_nothing(
    lines: tuple[list[str], str, bool], text: str
) -> None:
    page = page_of(lines)
    once = filled(page, parts(page), lambda _: text)
    assert outside(once) == outside(page)
    assert [one.words for one in parts(once)] == [one.words for one in parts(page)]
    assert not any(one.is_edited(once) for one in parts(once))
    assert filled(once, parts(once), lambda _: text) == once


@pytest.mark.slow
@given(PAGES, TEXTS, st.text(alphabet="ab |\n", min_size=1, max_size=6), st.integers(0, 40))
def test_what_somebody_wrote_into_a_part_is_seen(
    lines: tuple[list[str], str, bool], text: str, more: str, at: int
) -> None:
    page = page_of(lines)
    once = filled(page, parts(page), lambda _: text)
    for number, part in enumerate(parts(once)):
        place = min(part.inner + at, part.end)
        edited = f"{once[:place]}{more}{once[place:]}"
        there = parts(edited)
        same = len(there) == len(parts(once)) and there[number].words == part.words
        if same and edited[there[number].inner : there[number].end] != once[part.inner : part.end]:
            empty = not edited[there[number].inner : there[number].end].strip()
            assert there[number].is_edited(edited) or empty


def test_marks_are_read_as_they_stand() -> None:
    page = f"# Title\n\n{empty_part(('variants', 'torch'))}tail"
    (part,) = parts(page)
    assert part.words == ("variants", "torch") and not part.is_edited(page)
    made = filled(page, [part], lambda _: "| a |\n")
    assert made.startswith("# Title\n\n<!-- tvarc: variants torch -->\n\n| a |\n\n<!-- tvarc: end ")
    assert made.endswith(" -->\ntail")
    assert parts("```\n" + empty_part(("variants",)) + "```\n") == []
    assert parts(page.replace("end", "end 12")) != []
    by_hand = page.replace("<!-- tvarc: end", "mine\n<!-- tvarc: end")
    assert parts(by_hand)[0].is_edited(by_hand)


def test_code_within_a_line_is_no_fence_and_a_fence_may_be_indented() -> None:
    part = empty_part(("counts",))
    assert len(parts(f"```x``` is code\n{part}")) == 1
    assert parts(f"- so:\n\n      ```\n      {part.splitlines()[0]}\n      ```\n") == []
    assert len(parts(f"~~~ `x` ~~~ is\n~~~\n{part}")) == 1


def test_marks_that_make_no_part_are_told() -> None:
    def kinds(page: str) -> list[str]:
        return [one.what for one in parts_of(page) if isinstance(one, Misplaced)]

    assert kinds("<!-- tvarc: counts -->\n") == ["no end"]
    assert kinds("<!-- tvarc: end -->\n") == ["no beginning"]
    assert kinds("<!-- tvarc: -->\n") == ["no words"]
    assert kinds(f"{begin_mark(('counts',))}\n{empty_part(('names',))}") == ["no end"]
