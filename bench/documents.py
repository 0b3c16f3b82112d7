"""The documents that show tables of a run, and the results that are kept beside them."""

from __future__ import annotations

from pathlib import Path

from bench import markdown, tables
from bench.results import Results

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
DOCUMENTS = (HERE / "README.md", HERE.parent / "docs" / "compare.md")


def update(results: Results) -> None:
    """Write the tables of *results* into the documents."""
    for document in DOCUMENTS:
        document.write_text(rendered(document, results), encoding="utf-8")


def rendered(document: Path, results: Results) -> str:
    """The text of *document* with the tables of *results*."""
    return markdown.replaced(document.read_text(encoding="utf-8"), tables.parts(results))
