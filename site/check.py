"""Looks at a site that was built: `python site/check.py FOLDER`. It says what is missing, and exits
with 1 then."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import yaml
from pages import CONFIG, PAGES, paths

MOST_BYTES = 8_250_000
"""What the playground may be, as servers send it."""
WORDS = ("GTX 750", "because", "E501")
"""What people look for: a product of a row, a word of the language, the code of an error."""


class Page(HTMLParser):
    """The classes of a page, its addresses, and whether a heading was seen."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.classes: set[str] = set()
        self.links: list[str] = []
        self.has_heading = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.classes |= {*(given.get("class") or "").split()}
        self.has_heading |= tag == "h1"
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")


def html_of(page: str) -> str:
    """Where the site has *page*."""
    stem = page.removesuffix(".md")
    if stem.rpartition("/")[2] == "README":
        stem = stem.removesuffix("README")
    return f"{stem.rstrip('/')}/index.html".lstrip("/")


def faults(folder: Path) -> Iterator[str]:
    """What is wrong with the site in *folder*."""
    config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    html = folder / "html"
    for page in paths(config["nav"]):
        place = html / html_of(page)
        if not place.is_file():
            yield f"{page} has no page"
            continue
        made = Page(place.read_text(encoding="utf-8"))
        if not made.has_heading:
            yield f"{page} has no heading"
        programs = "```tvar\n" in (folder / PAGES / page).read_text(encoding="utf-8")
        coloured = "language-tvar" in made.classes and made.classes & {"k", "kd", "p"}
        if programs and not coloured:
            yield f"{page} has programs that are not highlighted"
        edit = f"{config.get('repo_url', '')}/edit/main/{page}"
        if "repo_url" in config and edit not in made.links:
            yield f"{page} has no link for editing"
    search = json.loads((html / "search.json").read_text(encoding="utf-8"))
    texts = json.dumps(search)
    for word in WORDS:
        if word not in texts:
            yield f"the search does not know `{word}`"
    if not (html / "llms.txt").is_file():
        yield "llms.txt is missing"
    files = [path for path in (html / "playground").rglob("*") if path.is_file()]
    size = sum(min(len(gzip.compress(data)), len(data)) for data in map(Path.read_bytes, files))
    if not files or size > MOST_BYTES:
        yield f"the playground has {size} bytes; it may have {MOST_BYTES}"


def main() -> None:
    found = list(faults(Path(sys.argv[1])))
    for fault in found:
        sys.stderr.write(f"error: {fault}\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
