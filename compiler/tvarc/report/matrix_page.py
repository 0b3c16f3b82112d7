"""The page of a matrix: a picture of it, of which the reader chooses axes and colours; the
explanation of a variant, and what differs between two.

What the page shows is data (`matrix_data.py`); its script draws it. Style and script are files of
their own in `page/`, and hold nothing of a program.
"""

from __future__ import annotations

from tvarc.diagnostics.words import counted
from tvarc.light import Collection, Final
from tvarc.plain import Data
from tvarc.report.html import Markup, data_block, document, element, generated_by, void
from tvarc.resources import page_text

_GENERATOR: Final = "tvarc report"
_HEAD: Final = 2048  # bytes in which a page says what wrote it
_INTRODUCTION: Final = (
    "Choose a variant, by mouse or with the arrow keys and Enter: here it is explained. "
    "Shift and click, or c and another one, compares two. \N{MULTIPLICATION SIGN} is a cell that "
    "is not built: choose it to read why."
)


def matrix_page(data: Data) -> str:
    """The page of *data*, as `MatrixData` has it."""
    title = str(data["program"])
    return document(
        title,
        element("h1", title),
        element(
            "p",
            "The matrix of this program, drawn by tvarc: rows, columns and colours are yours to "
            "choose.",
            class_="lead",
        ),
        element(
            "div",
            _select("of", "Matrix"),
            _select("rows", "Rows"),
            _select("columns", "Columns"),
            _select("colour", "Coloured by"),
            element("label", "Search", _input("search")),
            class_="controls",
        ),
        element("p", "This page draws itself by its script.", id="status", role="status"),
        element(
            "div",
            element("div", _grid(), element("ul", id="legend", aria_label="Legend")),
            element(
                "section",
                element("p", _INTRODUCTION, class_="note"),
                id="detail",
                aria_label="Explanation",
                tabindex="-1",
            ),
            class_="sides",
        ),
        data_block("matrix", data),
        style=page_text("matrix.css"),
        script=page_text("matrix.js"),
        generator=_GENERATOR,
    )


def is_page(data: bytes) -> bool:
    """Whether *data* begins as such a page does."""
    return generated_by(_GENERATOR).text.encode() in data[:_HEAD]


def _grid() -> Markup:
    return element("div", id="grid", role="region", aria_label="Matrix", tabindex="0")


def _select(name: str, label: str) -> Markup:
    return element("label", label, element("select", id=name))


def _input(name: str) -> Markup:
    return void(
        "input", type="search", id=name, placeholder="words, or axis=value", autocomplete="off"
    )


def gone_line(names: Collection[str], report: str | None) -> str:
    """What is told of the variants *names*, which the *report* of a build has and the program has
    not any more; empty where there are none."""
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    told = f"{counted(len(names), 'variant')} of `{report}` {are} not there any more"
    return f"{told}, such as {min(names)}"
