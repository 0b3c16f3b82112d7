"""Texts that differ from cell to cell, as one text of the language."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager

from tvarc.byhand.importing.alignment import align, similar_words, tokens
from tvarc.byhand.importing.declarations import Declarations, hint_before, instead, words_before
from tvarc.byhand.importing.explain import Choice, Code, Constant, Explanation, Lookup
from tvarc.byhand.importing.lookups import code_of
from tvarc.byhand.importing.symbols import MARKED, Symbols
from tvarc.byhand.importing.written import CannotSay, Roots, Site, in_string
from tvarc.byhand.reading.marks import CODE_OPEN, NIX_OPEN, plain
from tvarc.byhand.reading.trees import SOURCE_NODE, names_root, rewritten
from tvarc.light import Callable, Final, Mapping, Sequence, dataclass, lru_cache
from tvarc.nix.language.syntax import NixExpr

_INLINE: Final = 60
_PLACEHOLDER_COST: Final = 4
LEAST_MORE: Final = 0.5
"""Less than by which two costs differ."""
_MOST_TEMPLATES: Final = 4

Atom = Callable[[int, Roots], str]
"""An expression for what only Nix knows, by its number."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: characters, or an expression."""

    text: str
    is_code: bool


class Templates:
    """Makes texts for the cells of one matrix; *atom* says what only Nix knows in them."""

    __slots__ = ("_atom", "declared", "linked", "sources", "symbols")

    def __init__(self, declared: Declarations, atom: Atom) -> None:
        self.declared = declared
        self.symbols = [Symbols(declared.cells, at) for at in range(len(declared.cells.cells))]
        self.linked: set[str] = set()  # expressions for what the files read by names
        self.sources: Sequence[NixExpr] = ()  # what each recipe fetches, if that has a name
        self._atom = atom

    def link(self, texts: Sequence[Mapping[str, str]]) -> None:
        """Have expressions for what the file of each cell reads by a name, by its text."""
        for symbols, one in zip(self.symbols, texts, strict=True):
            symbols.link(one)
            self.linked.update(one.values())

    def unnamed(self, nodes: Sequence[NixExpr], cells: Sequence[int]) -> Sequence[NixExpr]:
        """*nodes*, one of each cell, with what the recipes fetch in the place of its name, which
        Nix text cannot have."""
        if not self.sources or not any(names_root(one, SOURCE_NODE.name) for one in nodes):
            return nodes
        return [
            rewritten(node, lambda one, c=cell: self.sources[c] if one == SOURCE_NODE else None)  # type: ignore[misc]
            for node, cell in zip(nodes, cells, strict=True)
        ]

    def links(self, cells: Sequence[int]) -> dict[str, str]:
        """The expressions of links that *cells* have for the same text, by that text; all cells if
        it is not known for which of them a text is."""
        first, *others = [self.symbols[cell].links for cell in cells or range(len(self.symbols))]
        return {
            text: code
            for text, code in first.items()
            if all(one.get(text) == code for one in others)
        }

    def with_symbols(
        self, change: Callable[[int, Symbols], Symbols]
    ) -> AbstractContextManager[None]:
        """Take what *change* makes of the symbols of each cell in their place."""
        made = [change(cell, one) for cell, one in enumerate(self.symbols)]
        return instead(self, symbols=made)

    def pieces(self, text: str, roots: Roots) -> list[Piece]:
        """*text*, in which nothing differs, apart."""
        found: list[Piece] = []
        for part in MARKED.split(plain(text)):
            if part.startswith(CODE_OPEN):
                found.append(Piece(part[1:-1], True))
            elif part.startswith(NIX_OPEN):
                code = self._atom(int(part[1:-1]), roots)
                # A text within a text has no values of its own.
                is_let = "\n" in code or "{{" in code
                found.append(Piece(self.declared.let("nix", code) if is_let else code, True))
            elif part:
                found.append(Piece(part, False))
        return found

    def template(self, texts: Sequence[str], at: Site) -> list[Piece]:
        """What *texts*, one of each cell, are made of."""
        return self.costed(texts, at)[1]

    def costed(
        self, texts: Sequence[str], at: Site, limit: float = float("inf")
    ) -> tuple[float, list[Piece]]:
        """What *texts* are made of, and what that costs, less than *limit*, to read. Raises
        CannotSay, also where it costs more."""
        own = [self.symbols[cell].put(text) for cell, text in zip(at.cells, texts, strict=True)]
        if len({plain(text) for text in own}) == 1:
            return 0, self.pieces(own[0], at.roots)
        whole = [plain(text) for text in texts]
        if len(set(whole)) == 1:
            return 0, self.pieces(whole[0], at.roots)
        return self._differing(own, whole, at, limit)

    def _differing(
        self, own: Sequence[str], whole: Sequence[str], at: Site, limit: float
    ) -> tuple[float, list[Piece]]:
        made: list[Piece]
        distinct = list(dict.fromkeys(own))
        place = {text: number for number, text in enumerate(distinct)}
        rows = [place[text] for text in own]
        columns, parts = _runs_of(tuple(distinct))
        cells = at.cells
        cost, explained = self._explained(parts, cells, rows, limit)
        one_run = as_one(columns, len(distinct))
        ways = [one_run]
        if explained and any(one is not None and one.kind in BY_ROWS for one in explained):
            # A mark that all texts end with may be part of a fact, and one between two words that
            # differ may part what two axes decide.
            ways = [widened(parts, explained, len(distinct)), columns, one_run]
        for others in ways:
            if others != parts:
                other_cost, other = self._explained(others, cells, rows, cost)
                if other_cost < cost:
                    parts, cost, explained = others, other_cost, other
        if not any(NIX_OPEN in text for text in whole):
            joint = self.declared.cells.below(min(cost + LEAST_MORE, limit), whole, cells)
            if joint is not None:
                cost, explained = joint.cost, [joint]
        if len(distinct) <= _MOST_TEMPLATES:
            written = sum(len(run.text or "") for run in one_run) + _PLACEHOLDER_COST
            values = [plain(run.own[row]) for run in one_run if run.text is None for row in rows]
            chosen = self.declared.cells.below(min(cost, limit) - written, values, cells)
            if chosen is not None and _is_choice(chosen.code):
                made = []
                for run in one_run:
                    if run.text is None:
                        made.append(self.chosen(chosen, at))
                    else:
                        made += self.pieces(run.text, at.roots)
                return chosen.cost + written, made
        if explained is None:
            raise CannotSay("a Nix expression within a string differs")
        if len(explained) == 1 and explained[0] is not None and len(parts) > 1:
            return cost, [self.placeholder(explained[0], at.hint)]
        made = []
        before = ""
        for run, explanation in zip(parts, explained, strict=True):
            if explanation is None:
                before += run.text or ""
                made += self.pieces(run.text or "", at.roots)
            else:
                hint = hint_before(before, at.hint)
                made.append(self.placeholder(explanation, hint, before))
                before = ""
        return cost, made

    def _explained(
        self,
        runs: Sequence[Run],
        cells: Sequence[int],
        rows: Sequence[int],
        limit: float = float("inf"),
    ) -> tuple[float, list[Explanation | None] | None]:
        """What explains the columns of a text, none for those that are the same everywhere, and
        what it costs; nothing where that cannot be, or costs *limit* or more."""
        found: list[Explanation | None] = []
        cost = 0.0
        for run in runs:
            if run.text is not None:
                found.append(None)
                cost += len(run.text)
                continue
            values = [
                plain(self.symbols[cell].take(run.own[row]))
                for cell, row in zip(cells, rows, strict=True)
            ]
            if any(NIX_OPEN in value for value in values):
                return float("inf"), None
            explanation = self.declared.cells.below(limit - cost, values, cells)
            if explanation is None:
                return float("inf"), None
            found.append(explanation)
            cost += explanation.cost + _PLACEHOLDER_COST
        return cost, found

    def chosen(self, found: Explanation, at: Site) -> Piece:
        """A choice among whole texts."""
        self.declared.odd |= found.exceptions

        def written(code: Code) -> str:
            match code:
                case Constant(text):
                    pieces = self.pieces(text, at.roots)
                    return f'"{shown(pieces, in_string)}"'
                case Choice(condition, yes, no):
                    return f"if {condition} then {written(yes)} else {written(no)}"
                case _:
                    raise AssertionError("it is no choice")

        return self._in_line(written(found.code), at.hint)

    def placeholder(self, found: Explanation, hint: str, before: str = "") -> Piece:
        """What is *found* for the text behind *before*."""
        self.declared.odd |= found.exceptions
        if isinstance(found.code, Constant):
            return Piece(found.code.text, False)
        lookups = self.declared.lookups
        axes = {axis.name for axis in self.declared.cells.axes}
        if isinstance(found.code, Lookup) and hint in axes.difference(found.code.axes):
            hint = f"{self.declared.setting}-{hint}".removeprefix("-")  # it is no text by that axis
        hint = lookups.name_of(found.code, hint)
        more = words_before(before)
        return self._in_line(code_of(found.code, lookups.hint(hint, more)), hint, more)

    def _in_line(self, code: str, hint: str, more: str = "") -> Piece:
        """The expression *code*; a long choice is declared by a name."""
        is_long = len(code) > _INLINE and code.startswith("if ")
        return Piece(self.declared.let(hint, code, more) if is_long else code, True)

    def line(self, texts: Sequence[str], at: Site) -> str:
        """An expression for texts of one line."""
        pieces = self.template(texts, at)
        if len(pieces) == 1 and pieces[0].is_code:
            code = pieces[0].text
            chosen = self.declared.lets.get(code, "").startswith("if ")
            is_text = code in self.linked or self.declared.lookups.is_text(code)
            if chosen or is_text or _has_text(code):
                return code
        return f'"{shown(pieces, in_string)}"'


def _is_choice(code: Code) -> bool:
    """Whether *code* is a constant, or a choice among some."""
    match code:
        case Constant():
            return True
        case Choice(_, yes, no):
            return _is_choice(yes) and _is_choice(no)
        case _:
            return False


def _has_text(code: str) -> bool:
    """Whether *code* is a value of its own, and no axis value or version where a text is meant."""
    return code.startswith(
        ("variant", "upper(", "lower(", "flat(", "under(", "join(", "major(")
    ) or (code.endswith((".label", ".platform", ".arch", ".set")) and "{" not in code)


def shown(pieces: Sequence[Piece], written: Callable[[str], str]) -> str:
    """*pieces* side by side, characters of texts *written* so."""
    made: list[str] = []
    text = ""
    for piece in pieces:
        if not piece.is_code:
            text += piece.text
            continue
        braces = len(text) - len(text.rstrip("{"))
        if braces % 2:  # it would be taken for a brace of the expression
            made += [written(text[:-1]), '{{"{"}}']
        else:
            made.append(written(text))
        made.append("{{" + piece.text + "}}")
        text = ""
    return "".join([*made, written(text)])


BY_ROWS: Final = ("table", "cells")
"""The kinds of explanations that write texts out, row by row."""
_HASH: Final = re.compile(r"sha\d+-[A-Za-z0-9+/]{43,}=*\Z")
_STEM: Final = re.compile(r"[A-Za-z-]+_(?=\d+\Z)")
_OPENERS: Final = {")": "(", "]": "[", "}": "{"}
_MARKS_BEHIND: Final = re.compile(r"[^\w\s\ue000-\ue005]+")


@dataclass(frozen=True, slots=True)
class Run:
    """A column of a text: the same *text* everywhere, or in each distinct text its own."""

    text: str | None
    own: dict[int, str]


def runs(distinct: Sequence[str]) -> list[Run]:
    """*distinct* texts side by side: what they have in common, and what not."""
    found: list[Run] = []
    count = len(distinct)
    for column in align([tokens(text) for text in distinct], similar_words):
        kinds = {plain(word) for word in column.values()}
        if len(column) == count and len(kinds) == 1:
            found.append(Run(kinds.pop(), {}))
        elif found and found[-1].text is None:
            own = found[-1].own
            found[-1] = Run(None, {row: own[row] + column.get(row, "") for row in range(count)})
        else:
            found.append(Run(None, {row: column.get(row, "") for row in range(count)}))
    return found


@lru_cache(maxsize=None)
def _runs_of(distinct: tuple[str, ...]) -> tuple[list[Run], list[Run]]:
    """What *distinct* texts have in common, and what not: word for word, and with those words that
    differ and have only a mark between them as one."""
    parts = runs(distinct)
    return trimmed(parts), trimmed(whole_words(parts, len(distinct)))


def whole_words(runs: list[Run], count: int) -> list[Run]:
    """*runs*, those put together that differ and have nothing but one mark between them."""
    made: list[Run] = []
    for run in runs:
        if (
            run.text is None
            and len(made) > 1
            and made[-2].text is None
            and len(made[-1].text or "  ") <= 1
        ):
            between = made.pop().text or ""
            first = made.pop()
            own = {row: first.own[row] + between + run.own[row] for row in range(count)}
            made.append(Run(None, own))
        else:
            made.append(run)
    return made


def as_one(runs: Sequence[Run], count: int) -> list[Run]:
    """*runs*, all from the first that differs to the last as one, with the brackets that close what
    is open there."""
    places = [at for at, run in enumerate(runs) if run.text is None]
    if not places:
        return list(runs)
    first, last = places[0], places[-1] + 1
    own = {
        row: "".join([run.own[row] if run.text is None else run.text for run in runs[first:last]])
        for row in range(count)
    }
    end, *behind = [*runs[last:], Run("", {})]
    text = end.text or ""
    while _closes(text[:1], own):
        own = {row: one + text[0] for row, one in own.items()}
        text = text[1:]
    return [*runs[:first], Run(None, own), *([Run(text, {})] if text else []), *behind[:-1]]


def trimmed(runs: list[Run]) -> list[Run]:
    """*runs*, marks that all texts of a column end with being out of it."""
    made: list[Run] = []
    moved = ""
    for run in runs:
        if run.text is not None:
            made.append(Run(moved + run.text, {}))
            moved = ""
            continue
        if moved:
            made.append(Run(moved, {}))
        own, moved = run.own, ""
        first = _common_start(own)
        if first:
            own = {row: text[len(first) :] for row, text in own.items()}
            made.append(Run(first, {}))
        while (end := _common_end(own)) != "":
            own = {row: text[:-1] for row, text in own.items()}
            moved = end + moved
        made.append(Run(None, own))
    return [*made, Run(moved, {})] if moved else made


def widened(runs: Sequence[Run], explained: Sequence[Explanation | None], count: int) -> list[Run]:
    """*runs*, those of which a table says what they are with the marks right behind them."""
    made: list[Run] = []
    before: Explanation | None = None
    for run, found in zip(runs, explained, strict=True):
        marks = _MARKS_BEHIND.match(run.text or "")
        by_rows = before is not None and before.kind in BY_ROWS
        before = found
        if marks is not None and by_rows:
            own = {row: made[-1].own[row] + marks[0] for row in range(count)}
            made[-1] = Run(None, own)
            rest = (run.text or "")[marks.end() :]
            made += [Run(rest, {})] if rest else []
        else:
            made.append(run)
    return made


def _common_start(own: Mapping[int, str]) -> str:
    """What all texts begin with, up to a mark, where numbers follow: `sm_`."""
    starts = {_STEM.match(text) for text in own.values()}
    words = {found[0] if found is not None else "" for found in starts}
    return words.pop() if len(words) == 1 else ""


def _closes(mark: str, own: Mapping[int, str]) -> bool:
    """Whether *mark* is a bracket that closes what is open in all texts."""
    opener = _OPENERS.get(mark, "")
    return opener != "" and all(text.count(opener) > text.count(mark) for text in own.values())


def _common_end(own: Mapping[int, str]) -> str:
    """The mark that all texts end with; empty where there is none."""
    if all(map(_HASH.match, own.values())):
        return ""  # a hash is one word to its end
    ends = {text[-1:] for text in own.values()}
    end = ends.pop() if len(ends) == 1 else ""
    if _closes(end, {row: text[:-1] for row, text in own.items()}):
        return ""
    return "" if end.isalnum() or "\ue000" <= end <= "\ue005" else end
