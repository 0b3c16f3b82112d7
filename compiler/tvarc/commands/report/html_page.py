"""The page of a matrix.

What the page shows is data: the picture (`picture.py`), and what is known of each variant
(`matrix_data.py`). Its scripts draw it: `matrix.js` the picture, `pane.js` the pane of a variant.
Style and scripts are files of their own in `page/`, and hold nothing of a program.
"""

from __future__ import annotations

from tvarc.commands.report.picture import Picture
from tvarc.commands.shown.html import (
    Markup,
    data_block,
    document,
    element,
    is_written_by,
    void,
)
from tvarc.files.resources import page_text
from tvarc.light import Collection, Final, Mapping
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import Data, Json

_GENERATOR: Final = "tvarc report"
_INTRODUCTION: Final = (
    "Choose a cell with the mouse, or with the arrow keys and Enter. A variant shows its recipe "
    "next to the sources; a dropped cell says why. Shift and a click, or c, compares two variants."
)


def matrix_page(drawn: Picture, details: Data, states: Mapping[str, Json]) -> str:
    """The page of a picture, with the *details* of its variants as `MatrixData` has them; *states*
    says what became of variants in a build."""
    return document(
        drawn.title,
        element(
            "header",
            element("h1", drawn.title),
            element("p", drawn.subject, class_="note"),
            element("p", f"{drawn.summary}.", id="summary"),
        ),
        element(
            "main",
            element("div", id="legend", role="group", aria_label="Legend, highlights cells"),
            element(
                "details",
                element("summary", "Rows, columns, colours, search"),
                element(
                    "div",
                    _select("of", "Matrix"),
                    element("fieldset", element("legend", "Columns"), id="columns"),
                    _select("colour", "Colour"),
                    element("label", "Search", _input("search")),
                    class_="controls",
                ),
                id="options",
            ),
            element("p", "The script of this page draws the matrix.", id="status", role="status"),
            element("div", id="grid"),
            element(
                "section",
                element("p", _INTRODUCTION, class_="note"),
                id="detail", aria_label="Chosen cell", tabindex="-1",
            ),
        ),
        data_block("matrix", drawn.data(states)),
        data_block("details", details),
        style=page_text("page.css"),
        script=page_text("pane.js") + page_text("matrix.js"),
        generator=_GENERATOR,
    )  # fmt: skip


def is_page(data: bytes) -> bool:
    """Whether *data* begins as such a page does."""
    return is_written_by(data, _GENERATOR)


def _select(name: str, label: str) -> Markup:
    return element("label", label, element("select", id=name))


def _input(name: str) -> Markup:
    return void(
        "input", type="search", id=name, placeholder="words, or axis=value", autocomplete="off"
    )


def gone_line(names: Collection[str], report: str | None) -> str:
    """What is said of the variants *names*, which the *report* of a build has and the program
    lacks; empty where there are none."""
    if not names:
        return ""
    exist = "exists" if len(names) == 1 else "exist"
    told = f"{counted(len(names), 'variant')} of `{report}` no longer {exist}"
    return f"{told}, such as {min(names)}"
