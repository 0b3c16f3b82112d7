"""Writes texts that differ between cells as one text of the language."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tvarc.byhand.importing.declarations import Declarations, hint_before, instead, words_before
from tvarc.byhand.importing.explain import Choice, Code, Constant, Explanation, Lookup
from tvarc.byhand.importing.lookups import VERSION, code_of
from tvarc.byhand.importing.phrases import labelled, phrased
from tvarc.byhand.importing.runs import BY_ROWS, Run, as_one, joined, runs_of, widened
from tvarc.byhand.importing.symbols import MARKED, Symbols
from tvarc.byhand.importing.written import CannotSay, Roots, Site, in_string
from tvarc.byhand.reading.marks import CODE_OPEN, FOLD_OPEN, NIX_OPEN, plain
from tvarc.byhand.reading.trees import SOURCE_NODE, names_root, rewritten
from tvarc.light import Callable, Final, Mapping, Sequence, dataclass
from tvarc.nix.language.syntax import NixExpr

_INLINE: Final = 60
_PLACEHOLDER_COST: Final = 4
LEAST_MORE: Final = 0.5
"""A number smaller than any difference of two costs."""
_MOST_TEMPLATES: Final = 4
_MOST_ALIGNED: Final = 12  # paragraphs

Atom = Callable[[int, Roots], str]
"""Returns the expression for a value that only Nix knows, by its number."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: characters, or an expression."""

    text: str
    is_code: bool


class Templates:
    """Writes texts for the cells of one matrix. *atom* writes the values in them that only Nix
    knows."""

    __slots__ = ("_atom", "declared", "linked", "sources", "symbols")

    def __init__(self, declared: Declarations, atom: Atom) -> None:
        self.declared = declared
        self.symbols = [Symbols(declared.cells, at) for at in range(len(declared.cells.cells))]
        self.linked: set[str] = set()  # expressions for texts that the files read by names
        self.sources: Sequence[NixExpr] = ()  # what each recipe fetches, if that has a name
        self._atom = atom

    def link(self, texts: Sequence[Mapping[str, str]]) -> None:
        """Use expressions for the texts that the file of each cell reads by a name."""
        for symbols, one in zip(self.symbols, texts, strict=True):
            symbols.link(one)
            self.linked.update(one.values())

    def unnamed(self, nodes: Sequence[NixExpr], cells: Sequence[int]) -> Sequence[NixExpr]:
        """*nodes*, one for each cell, in which the fetched source replaces its name, because Nix
        text cannot contain the name."""
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
        """Replace the symbols of each cell by the result of *change*."""
        made = [change(cell, one) for cell, one in enumerate(self.symbols)]
        return instead(self, symbols=made)

    def pieces(self, text: str, roots: Roots) -> list[Piece]:
        """The pieces of *text*, which is the same in all cells."""
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
        """The pieces of *texts*, one text for each cell."""
        return self.costed(texts, at)[1]

    def costed(
        self, texts: Sequence[str], at: Site, limit: float = float("inf")
    ) -> tuple[float, list[Piece]]:
        """The pieces of *texts*, and their reading cost, which is less than *limit*. Raises
        CannotSay if there are none, or if they cost more."""
        own = [self.symbols[cell].put(text) for cell, text in zip(at.cells, texts, strict=True)]
        if len({plain(text) for text in own}) == 1:
            return 0, self.pieces(own[0], at.roots)
        whole = [plain(text) for text in texts]
        if len(set(whole)) == 1:
            return 0, self.pieces(whole[0], at.roots)
        if at.hint == "version" and all(map(VERSION.fullmatch, whole)):
            # A bump edits it, so it must not be part of a name.
            row = self.declared.cells.below(limit, whole, at.cells)
            if row is not None:
                return row.cost, [self.placeholder(row, at.hint)]
        is_named = any(NIX_OPEN in text or FOLD_OPEN in text for text in texts)
        if at.is_prose and not is_named:  # otherwise the files have names for the differences
            cells = self.declared.cells
            # Drift in a part of a long text would contain the whole text.
            with instead(cells, lenient=cells.lenient and not self.declared.setting):
                return self._phrases(own, at)
        return self._differing(own, whole, at, limit)

    def _differing(
        self, own: Sequence[str], whole: Sequence[str], at: Site, limit: float
    ) -> tuple[float, list[Piece]]:
        made: list[Piece]
        distinct = list(dict.fromkeys(own))
        place = {text: number for number, text in enumerate(distinct)}
        rows = [place[text] for text in own]
        columns, parts = runs_of(tuple(distinct))
        cells = at.cells
        cost, explained = self._explained(parts, cells, rows, limit)
        one_run = as_one(columns, len(distinct))
        ways = [one_run]
        if explained and any(one is not None and one.kind in BY_ROWS for one in explained):
            # A mark at the end of all texts may be part of a fact. A mark between two differing
            # words may separate parts that two axes decide.
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
        return cost, self._filled(parts, explained, at)

    def _phrases(self, own: Sequence[str], at: Site) -> tuple[float, list[Piece]]:
        """The pieces of a description, and their cost. Each place has a fact, a version, or a
        phrase that one axis decides, and each axis decides one. Other places are joined to one
        phrase with the words between them. A paragraph with such places, or with a phrase of
        several lines, is a phrase behind its label."""
        distinct = list(dict.fromkeys(own))
        place = {text: number for number, text in enumerate(distinct)}
        rows = [place[text] for text in own]
        whole = labelled(distinct)
        is_line = not any("\n" in text for text in distinct)
        runs = whole
        if is_line or len(distinct) <= _MOST_ALIGNED:
            runs = phrased(runs_of(tuple(distinct))[0])
        while True:
            found = [
                self.declared.cells.phrase(self._values(run, at.cells, rows), at.cells)
                if run.text is None
                else None
                for run in runs
            ]
            axes = {
                place: one.axis
                for place, one in enumerate(found)
                if one
                and self._is_new(one.explanation)
                and not all(map(VERSION.fullmatch, runs[place].own.values()))
            }
            kinds = list(axes.values())
            several = [one for one in kinds if kinds.count(one) > 1]
            is_joint = "" in kinds and len(kinds) > 1
            joint = [one for one, axis in axes.items() if is_joint or axis in several[:1]]
            lines = any("\n" in text for place in axes for text in runs[place].own.values())
            if runs is whole or not (joint or lines):
                explained = [one.explanation if one else None for one in found]
                cost = sum([one.cost + _PLACEHOLDER_COST for one in explained if one])
                return cost, self._filled(runs, explained, at)
            line = joined(runs, joint[0], joint[-1] + 1) if joint else []
            runs = phrased(line) if is_line else whole

    def _values(self, run: Run, cells: Sequence[int], rows: Sequence[int]) -> list[str]:
        """The texts of a differing *run*, one for each cell. *rows* are the distinct texts."""
        return [
            plain(self.symbols[cell].take(run.own[row]))
            for cell, row in zip(cells, rows, strict=True)
        ]

    def _filled(
        self, parts: Sequence[Run], explained: Sequence[Explanation | None], at: Site
    ) -> list[Piece]:
        """*parts* in their written form, with expressions for those that are *explained*."""
        made: list[Piece] = []
        before = ""
        for run, explanation in zip(parts, explained, strict=True):
            if explanation is None:
                before += run.text or ""
                made += self.pieces(run.text or "", at.roots)
            else:
                hint = at.hint if "\n" in run.own[0] else hint_before(before, at.hint)
                made.append(self.placeholder(explanation, hint, before))
                before = ""
        return made

    def _explained(
        self,
        runs: Sequence[Run],
        cells: Sequence[int],
        rows: Sequence[int],
        limit: float = float("inf"),
    ) -> tuple[float, list[Explanation | None] | None]:
        """The explanations of the columns of a text (None for columns that are the same
        everywhere), and their cost. None if there are no explanations, or if they cost *limit* or
        more."""
        found: list[Explanation | None] = []
        cost = 0.0
        for run in runs:
            if run.text is not None:
                found.append(None)
                cost += len(run.text)
                continue
            values = self._values(run, cells, rows)
            if any(NIX_OPEN in value for value in values):
                return float("inf"), None
            explanation = self.declared.cells.below(limit - cost, values, cells)
            if explanation is None:
                return float("inf"), None
            found.append(explanation)
            cost += explanation.cost + _PLACEHOLDER_COST
        return cost, found

    def _is_new(self, explained: Explanation) -> bool:
        """Whether *explained* is neither a fact nor a text that is already in a record."""
        match explained.code:
            case Lookup() as code:
                return not self.declared.lookups.has(code)
            case code:
                return isinstance(code, Choice)

    def chosen(self, found: Explanation, at: Site) -> Piece:
        """A choice between whole texts."""
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
        """The expression for the explanation *found*, after the text *before*."""
        self.declared.odd |= found.exceptions
        if isinstance(found.code, Constant):
            return Piece(found.code.text, False)
        lookups = self.declared.lookups
        axes = {axis.name for axis in self.declared.cells.axes}
        if isinstance(found.code, Lookup) and hint in axes.difference(found.code.axes):
            hint = f"{self.declared.setting}-{hint}".removeprefix("-")  # it is no text by that axis
        hint = lookups.name_of(found.code, hint)
        more = words_before(before)
        lookups.hint(hint, more, self.declared.where)
        return self._in_line(code_of(found.code, lookups), hint, more)

    def _in_line(self, code: str, hint: str, more: str = "") -> Piece:
        """The expression *code*. A long choice gets a name."""
        is_long = len(code) > _INLINE and code.startswith("if ")
        return Piece(self.declared.let(hint, code, more) if is_long else code, True)

    def line(self, texts: Sequence[str], at: Site) -> str:
        """An expression for texts of one line."""
        return self.expression(self.template(texts, at))

    def expression(self, pieces: Sequence[Piece]) -> str:
        """An expression for a text of one line that *pieces* are."""
        if len(pieces) == 1 and pieces[0].is_code:
            code = pieces[0].text
            chosen = self.declared.lets.get(code, "").startswith("if ")
            is_text = code in self.linked or self.declared.lookups.is_text(code)
            if chosen or is_text or _has_text(code):
                return code
        return f'"{shown(pieces, in_string)}"'

    def step(self, texts: Sequence[str], at: Site) -> str:
        """An expression for steps of a path, where the value of an axis needs no quotes."""
        code = self.line(texts, at)
        name = code[3:-3]
        is_axis = any(axis.name == name for axis in self.declared.cells.axes)
        return name if is_axis and code == '"{{' + name + '}}"' else code


def _is_choice(code: Code) -> bool:
    """Whether *code* is a constant, or a choice between constants."""
    match code:
        case Constant():
            return True
        case Choice(_, yes, no):
            return _is_choice(yes) and _is_choice(no)
        case _:
            return False


def _has_text(code: str) -> bool:
    """Whether *code* is a text itself, and not an axis value or version in the place of a text."""
    return code.startswith(
        ("variant", "upper(", "lower(", "flat(", "under(", "join(", "major(")
    ) or (code.endswith((".label", ".platform", ".arch", ".set")) and "{" not in code)


def shown(pieces: Sequence[Piece], written: Callable[[str], str]) -> str:
    """*pieces* joined. *written* converts the characters of texts."""
    made: list[str] = []
    text = ""
    for piece in pieces:
        if not piece.is_code:
            text += piece.text
            continue
        braces = len(text) - len(text.rstrip("{"))
        if braces % 2:  # it would look like a brace of the expression
            made += [written(text[:-1]), '{{"{"}}']
        else:
            made.append(written(text))
        made.append("{{" + piece.text + "}}")
        text = ""
    return "".join([*made, written(text)])
