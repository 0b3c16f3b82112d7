"""Pages of HTML as a program reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

_INLINE = {"a", "b", "span"}


class Read(HTMLParser):
    """What a page is: its elements, its attributes, its text. It must nest well."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.content: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        if tag not in ("meta", "input"):
            # What browsers take for the end of a summary, or of a text.
            assert not {"summary", "pre", "span", "a"} & set(self.open) or tag in _INLINE
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.content.append(data)


def page_data(page: str, block: str = "details") -> dict[str, Any]:
    """What the scripts of a *page* draw: `details` of its variants, or the picture, `matrix`. Of
    the details each variant has its own: no run is shared, and all texts are filled in."""
    name = f'<script type="application/json" id="{block}">'
    (text,) = re.findall(f"{re.escape(name)}(.*?)</script>", page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return _each_by_itself(found) if block == "details" else found


def _each_by_itself(shared: dict[str, Any]) -> dict[str, Any]:
    """The details of a page as `of` of `pane.js` reads them for one variant."""
    kept: dict[str, dict[str, int]] = {"entries": {}, "texts": {}, "lines": {}, "sets": {}}

    def keep(pool: str, item: object) -> int:
        return kept[pool].setdefault(json.dumps(item), len(kept[pool]))

    variants = [_by_itself(one, shared, keep) for one in shared["variants"]]
    pools = {pool: [json.loads(item) for item in items] for pool, items in kept.items()}
    rest = {key: shared[key] for key in ("places", "sources", "lints")}
    return {**rest, **pools, "variants": variants}


def _by_itself(
    one: dict[str, Any], shared: dict[str, Any], keep: Callable[[str, object], int]
) -> dict[str, Any]:
    def runs(*numbers: int) -> list[int]:
        return [number for run in numbers for number in shared["runs"][run]]

    texts: dict[int | None, str] = {None: one["name"]}
    for late, text in map(shared["fills"].__getitem__, runs(one["fills"])):
        texts[late] = one["name"] if text is None else text
    made = dict(map(shared["made"].__getitem__, runs(one["made"])))

    def filled(text: str | list[str | int | None]) -> str:
        return "".join([piece if isinstance(piece, str) else texts[piece] for piece in text])

    def places(number: int) -> int:
        found = shared["sets"][number]
        late = [place for one in found if one < 0 for place in shared["sets"][made[one]]]
        whole = {one for one in [*found, *late] if one >= 0}
        return keep("sets", sorted(whole, key=lambda one: shared["places"][one]) if late else found)

    entries = []
    for entry in map(shared["entries"].__getitem__, runs(*one["entries"])):
        text, notes = filled(entry["text"]), [filled(note) for note in entry["notes"]]
        entries.append(keep("entries", {**entry, "text": text, "notes": notes}))
    files = []
    for file in one["files"]:
        lines = []
        for text, *sets in map(shared["lines"].__getitem__, [*file["head"], *runs(*file["runs"])]):
            text = keep("texts", filled(shared["texts"][text]))
            lines.append(keep("lines", [text, *map(places, sets)]))
        files.append({"path": filled(file["path"]), "lines": lines})
    beside = map(shared["beside"].__getitem__, runs(one["beside"]))
    return {
        **{key: one[key] for key in ("name", "lints", "written")},
        "entries": entries,
        "files": files,
        "beside": [[text, places(number)] for text, number in beside],
    }


def page_entries(page: str) -> dict[str, dict[str, Any]]:
    """The settings on the *page* of one variant, by their paths."""
    return {one["path"]: one for one in page_data(page)["entries"]}
