"""The commands of the server: the variant that is shown, answers as texts, and a recipe beside its
source."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from tvarc.commands.lsp import asking
from tvarc.commands.lsp.hover import node_at
from tvarc.commands.lsp.open_programs import Snapshot
from tvarc.commands.lsp.wire import Wire
from tvarc.editor.counts import made_of
from tvarc.matrix.variants import Variant
from tvarc.text.source import Span

CHOOSE: Final = "tvarc.chooseVariant"
"""Chooses the variant whose values are shown: its name, and the address of a file of its
program."""

VARIANTS: Final = "tvarc.variants"
"""The names of all variants of the program with a file, or of a declaration in it: the address of
the file, and the name of the declaration."""

EXPLAIN: Final = "tvarc.explain"
"""What `tvarc explain` prints about a place: the address of a file, the line and the column, both
from 0."""

WHY_NOT: Final = "tvarc.whyNot"
"""What `tvarc why-not` prints: the address of a file, and words that name cells."""

WHO: Final = "tvarc.who"
"""What `tvarc who` prints about a line: the address of a file, and the line, from 0."""

RECIPE: Final = "tvarc.recipe"
"""The recipe of the variant that is shown at a line, with the lines of source behind its lines: the
address of a file, and the line, from 0."""

SHOW: Final = "tvarc.show"
"""Runs another command, and shows its answer to the person: the name of the command, and what it
takes."""

_NUMBERS: Final = range(1 << 31)
"""The numbers of lines and columns."""

_Words = tuple[Any, ...]
_Run = Callable[[_Words], object]


class Running:
    """The commands of one session."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._folder: TemporaryDirectory[str] | None = None
        self._runs: dict[str, _Run] = {}
        for name, run, kinds in (
            (CHOOSE, self._choose, (str, str)),
            (VARIANTS, self._variants, (str, str)),
            (EXPLAIN, self._explain, (str, int, int)),
            (WHY_NOT, self._why_not, (str, str)),
            (WHO, self._who, (str, int, int)),
            (RECIPE, self._recipe, (str, int, int)),
            (SHOW, self._show, (str, object)),
        ):
            self._runs[name] = _taking(kinds, run)
            wire.on_command(name, self._runs[name])

    def end(self) -> None:
        """Delete the texts that were shown as files."""
        if self._folder is not None:
            self._folder.cleanup()

    # --- the variant that is shown ---------------------------------------------------------------

    def _choose(self, words: _Words) -> bool:
        """Show the values of this variant in its program from now on. Without a name, the place of
        the cursor decides again. Returns whether there is such a variant."""
        name, uri = (*words, "", "")[:2]
        found = self._wire.program(uri) if uri else None
        programs = [found[0]] if found is not None else self._wire.programs.snapshots.values()
        known = [
            one.entry
            for one in programs
            if not name or any(variant.name == name for variant in one.made.variants)
        ]
        self._wire.chosen.update(dict.fromkeys(known, name))
        self._wire.refresh()
        return bool(known) or not name

    def _variants(self, words: _Words) -> list[str]:
        uri, name = (*words, "", "")[:2]
        found = self._wire.program(uri)
        if found is None:
            return []
        made = found[0].made
        return [one.name for one in (made_of(made, name) if name else made.variants)]

    # --- answers ---------------------------------------------------------------------------------

    def _explain(self, words: _Words) -> str | None:
        found = self._at(words)
        if found is None:
            return None
        snapshot, span, variant = found
        made = self._wire.programs.snapshot(snapshot.entry).made
        if variant is None or made.sink.has_errors:
            return asking.faults(made)
        node = node_at(snapshot, span.file, span.start, variant)
        path = node[1].path if node is not None else ()
        same = next(one for one in made.variants if one.name == variant.name)
        return asking.explained(made, same, path)

    def _why_not(self, words: _Words) -> str | None:
        uri, *cells = words or ("",)
        found = self._wire.program(uri)
        if found is None or not cells:
            return None
        return asking.why_not(self._wire.programs.snapshot(found[0].entry).made, cells)

    def _who(self, words: _Words) -> str | None:
        found = self._at(words)
        if found is None:
            return None
        snapshot, span, _ = found
        line = snapshot.source(span.file).position(span.start).line
        made = self._wire.programs.snapshot(snapshot.entry).made
        return asking.who(made, (span.file, line))

    def _recipe(self, words: _Words) -> dict[str, object] | None:
        """The text with its map, and `here`: its lines that the line of source made. All lines
        count from 0."""
        found = self._at(words)
        made = self._beside(found) if found is not None else None
        if found is None or made is None:
            return None
        snapshot, span, _ = found
        line = snapshot.source(span.file).position(span.start).line
        return {
            "variant": made.variant,
            "file": made.path,
            "text": made.text,
            "here": [one - 1 for one in made.reached((span.file, line))],
            "lines": [
                [
                    {"uri": self._wire.uri_of(snapshot, file), "line": number - 1}
                    for file, number in places
                ]
                for places in made.lines
            ],
        }

    def _beside(self, found: tuple[Snapshot, Span, Variant | None]) -> asking.Beside | None:
        snapshot, _, variant = found
        made = self._wire.programs.snapshot(snapshot.entry).made
        same = [one for one in made.variants if variant is not None and one.name == variant.name]
        return asking.beside(made, same[0]) if same else None

    def _show(self, words: _Words) -> bool:
        """Open the answer as a file, beside what the person reads, or else as a message. Returns
        whether there is an answer."""
        name, *rest = words or ("",)
        run = self._runs.get(name) if name != SHOW else None
        answer = run(tuple(rest)) if run is not None else None
        if isinstance(answer, list):
            answer = "".join([f"{one}\n" for one in answer])
        elif isinstance(answer, dict):
            lines = answer["here"]
            self._open(answer["file"].rpartition("/")[2], answer["text"], lines[0] if lines else 0)
            return True
        if not isinstance(answer, str) or not answer:
            return False
        self._open(f"{name.rpartition('.')[2]}.txt", answer, 0)
        return True

    def _open(self, name: str, text: str, line: int) -> None:
        wire = self._wire
        window = wire.client_capabilities.window
        document = window.show_document if window is not None else None
        if document is None or not document.support:
            wire.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
            return
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="tvarc-")
        file = Path(self._folder.name) / name
        file.write_text(text, encoding="utf-8")
        place = types.Position(line, 0)
        wire.window_show_document(
            types.ShowDocumentParams(file.as_uri(), selection=types.Range(place, place))
        )

    # --- places ----------------------------------------------------------------------------------

    def _at(self, words: _Words) -> tuple[Snapshot, Span, Variant | None] | None:
        """The program of the file that *words* begin with, the place of the line and the column
        after it, and the variant that is shown there. Without a column, the place is the first text
        of the line."""
        uri = words[0] if words else ""
        line, *rest = words[1:] or (0,)
        found = self._wire.program(uri)
        if found is None:
            return None
        snapshot, file = found
        source = snapshot.source(file)
        positions = self._wire.positions(source)
        offset = positions.offset(types.Position(line, rest[0] if rest else 0))
        if not rest:
            written = source.text[offset:].split("\n")[0]
            offset += len(written) - len(written.lstrip())
        variant = self._wire.variant_at(snapshot, file, offset)
        return snapshot, Span(file, offset, offset), variant


def _taking(kinds: tuple[type, ...], run: _Run) -> _Run:
    """Wrap *run*, which takes words of these *kinds*, and any number of the last kind. Other words
    are refused.
    """

    def checked(words: _Words) -> object:
        for word, kind in zip(words, chain(kinds, repeat(kinds[-1])), strict=False):
            number = not isinstance(word, bool) and isinstance(word, int) and word in _NUMBERS
            if not (number if kind is int else isinstance(word, kind)):
                raise JsonRpcInvalidParams(f"this command does not take {word!r} there")
        return run(words)

    return checked
