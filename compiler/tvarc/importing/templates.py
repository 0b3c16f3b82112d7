"""Texts and values that differ from cell to cell, as one expression of the language."""

from __future__ import annotations

import posixpath
import re

from tvarc.importing.alignment import align, similar, similar_words
from tvarc.importing.columns import BY_ROWS, Run, runs, trimmed, whole_words, widened
from tvarc.importing.explain import (
    Choice,
    Code,
    Constant,
    Explaining,
    Explanation,
    Lookups,
    code_of,
)
from tvarc.importing.marks import (
    CODE_CLOSE,
    CODE_OPEN,
    FOLD_CLOSE,
    FOLD_OPEN,
    NIX_CLOSE,
    NIX_OPEN,
    plain,
)
from tvarc.importing.symbols import MARKED, Symbols
from tvarc.importing.trees import (
    attrs_of,
    entries_of,
    file_of_input,
    input_of,
    joined,
    path_node,
    path_of,
    rewritten,
    text_of,
)
from tvarc.importing.written import (
    PLACEHOLDER,
    PLACEHOLDER_CLOSE,
    PLACEHOLDER_OPEN,
    CannotSay,
    Roots,
    block,
    entry_key,
    file_path,
    in_block,
    in_string,
    is_name,
    key,
    name_from,
    nix_text,
    own_reference,
    record_keys,
    reference,
)
from tvarc.light import Callable, Final, Mapping, Sequence, TypeGuard, dataclass
from tvarc.nix.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixInt,
    NixLambda,
    NixList,
    NixOp,
    NixSelect,
    NixString,
    elements,
)
from tvarc.sema.formats import bad_hash
from tvarc.values import quote

_REPOSITORY: Final = re.compile(r"https://[^/]+/[^/]+/([^/]+)/")
_FOLDER: Final = re.compile(r"\./(?:.*/)?([^/]+)\Z")
_REVISION: Final = re.compile(r"[0-9a-f]{40}\Z")
_EMPTY: Final[Mapping[str, tuple[NixOp, NixExpr]]] = {
    "++": ("++", NixList(())), "//": ("//", NixAttrs(())),
}  # fmt: skip
"""What adds to a list or a set, and what adds nothing."""
_INLINE: Final = 60
_FILE: Final = re.compile(r'file\([^"]*"(?:[^"]*/)?([^"/.]+?)(?:-[\d._]+)?(?:\.nix)?"')
_FETCHING: Final = ("@pkgs", "@final", "@prev")
_PLACEHOLDER_COST: Final = 4
_LEAST_MORE: Final = 0.5  # less than by which two costs differ
_MOST_TEMPLATES: Final = 4
_MOST_CHOICES: Final = 4
_GITHUB: Final = frozenset(["owner", "repo", "rev", "tag", "hash", "fetchSubmodules", "name"])


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: characters, or an expression."""

    text: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines that stand in the same cells: as they are written, and what those cells have there
    that are *odd*."""

    cells: tuple[int, ...]
    lines: tuple[str, ...]
    own: dict[int, list[str]]
    odd: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What would be written for some lines, what it *cost*s to read, and the records and names
    that it would be written beside."""

    cost: float
    pieces: list[Piece]
    columns: dict[tuple[str, ...], dict[str, dict[str, str]]]
    lets: dict[str, str]


class Templates:
    """Makes expressions for the cells of one matrix. Cells in which a rule does not hold are
    gathered in `odd`, as long as the explanations are lenient."""

    __slots__ = (
        "_known_columns",
        "_known_runs",
        "_values",
        "atoms",
        "cells",
        "in_function",
        "inputs",
        "lets",
        "lookups",
        "numbers",
        "odd",
        "outputs",
        "setting",
        "symbols",
    )

    def __init__(
        self,
        cells: Explaining,
        lookups: Lookups,
        lets: dict[str, str],
        inputs: dict[tuple[str, str], str],
        outputs: str,
    ) -> None:
        self.cells = cells
        self.inputs = inputs
        self.in_function = False  # within Nix text, which has names that the language has not
        self.outputs = outputs  # the folder that the program writes to
        self.lookups = lookups
        self.lets = lets
        self.odd: set[int] = set()
        self.setting = ""  # whose lines are at hand
        self.atoms: list[NixExpr] = []
        self._known_runs: dict[tuple[str, ...], tuple[list[Run], list[Run]]] = {}
        self._known_columns: dict[tuple[str, ...], list[dict[int, str]]] = {}
        self.numbers: dict[NixExpr, int] = {}
        self.symbols = [Symbols(cells, number) for number in range(len(cells.cells))]
        values = [value for axis in cells.axes for value in axis.values]
        words = sorted({*values, *cells.shape.stems}, key=len, reverse=True)
        self._values = re.compile(
            rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, words))})(?![A-Za-z0-9])"
        )

    # --- texts ---------------------------------------------------------------------------------

    def flat(self, nodes: Sequence[NixString], cells: Sequence[int]) -> list[str]:
        """The texts of *nodes*, with numbers for what only Nix knows; one for files that differ as
        axes do."""
        named = [
            {path: self._by_axes(path, cell) for path in map(path_of, _interpolated(node)) if path}
            for node, cell in zip(nodes, cells, strict=True)
        ]
        literal = {path for one in named for path, form in one.items() if form == path}
        files: dict[str, set[str]] = {}
        for one in named:
            for path, form in one.items():
                files.setdefault(form, set()).add(path)
        follow = {form for form, paths in files.items() if len(paths) > 1 and not paths & literal}
        return [
            self._flat(node, {path: form for path, form in one.items() if form in follow})
            for node, one in zip(nodes, named, strict=True)
        ]

    def _by_axes(self, path: str, cell: int) -> str:
        """*path* with names of axes in the place of their values in *cell*."""
        names = {value: name for name, value in self.cells.cells[cell].items()}
        names[self.cells.shape.stems[cell]] = "variant"

        def named(found: re.Match[str]) -> str:
            name = names.get(found[0])
            return f"{CODE_OPEN}{name}{CODE_CLOSE}" if name else found[0]

        return self._values.sub(named, path)

    def _of_axes(self, path: str, roots: Roots) -> str:
        """Nix text for the files that *path* is, in which names of axes stand."""
        steps = path.split("/")
        fixed = next(at for at, step in enumerate(steps) if CODE_OPEN in step)
        placeholders: list[str] = []
        text = ""
        for part in MARKED.split("/" + "/".join(steps[fixed:])):
            if part.startswith(CODE_OPEN):
                placeholders.append(part[1:-1])
                text += f"{PLACEHOLDER_OPEN}{len(placeholders) - 1}{PLACEHOLDER_CLOSE}"
            else:
                text += part
        folder = path_node("/".join(steps[:fixed]) or ".")
        return self.nix(NixBinary("+", folder, NixString((text,))), roots, placeholders)

    def _flat(self, node: NixString, files: Mapping[str, str]) -> str:
        made: list[str] = []
        for part in node.parts:
            if isinstance(part, str):
                made.append(part)
                continue
            path = path_of(part)
            if path is not None and path in files:
                part = path_node(files[path])
            number = self.numbers.get(part)
            if number is None:
                number = self.numbers[part] = len(self.atoms)
                self.atoms.append(part)
            made.append(f"{NIX_OPEN}{number}{NIX_CLOSE}")
        return "".join(made)

    def pieces(self, text: str, roots: Roots) -> list[Piece]:
        """*text*, in which nothing differs, apart."""
        found: list[Piece] = []
        for part in MARKED.split(plain(text)):
            if part.startswith(CODE_OPEN):
                found.append(Piece(part[1:-1], True))
            elif part.startswith(NIX_OPEN):
                code = self.atom(int(part[1:-1]), roots)
                found.append(Piece(self.let("nix", code) if "\n" in code else code, True))
            elif part:
                found.append(Piece(part, False))
        return found

    def atom(self, number: int, roots: Roots) -> str:
        node = self.atoms[number]
        path = path_of(node)
        if path is not None:
            code = self._of_axes(path, roots) if CODE_OPEN in path else nix_text(node, roots)
            return self.let(_hint(posixpath.basename(path), "file"), code)
        known = own_reference(node) or reference(node, roots)
        if known:
            return known
        fetched = self._url([node], [], "", roots)
        if fetched:
            return self.let("file", fetched)
        return self._step_of_let(node, roots) or self.nix(node, roots, [])

    def _step_of_let(self, node: NixExpr, roots: Roots) -> str | None:
        """`name.step`, where *node* is that of what another repository has."""
        match node:
            case NixSelect(NixApply() as base, path, None):
                count = len(self.cells.cells)
                taken = self._of_input([base] * count, range(count), "file", roots)
                if taken is None:
                    return None
                steps = [key(str(step)) for step in path]
                return ".".join([self.let(_taken_name(taken), taken), *steps])
            case _:
                return None

    def nix(self, node: NixExpr, roots: Roots, placeholders: list[str]) -> str:
        """*node* as Nix text, with places for the values *placeholders*, and for files of other
        repositories."""

        def change(one: NixExpr) -> NixExpr | None:
            if not isinstance(one, NixApply | NixBinary | NixString):
                return None
            count = len(self.cells.cells)
            taken = self._of_input([one] * count, range(count), "file", roots)
            if taken is None:
                return None
            placeholders.append(taken if is_name(taken) else self.let(_taken_name(taken), taken))
            return NixIdent(f"{PLACEHOLDER}{len(placeholders) - 1}")

        return nix_text(rewritten(node, change), roots, placeholders)

    def template(
        self, texts: Sequence[str], cells: Sequence[int], hint: str, roots: Roots
    ) -> list[Piece]:
        """What *texts*, one of each of *cells*, are made of."""
        return self._costed(texts, cells, hint, roots)[1]

    def _costed(
        self,
        texts: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        limit: float = float("inf"),
    ) -> tuple[float, list[Piece]]:
        """What *texts* are made of, and what that costs, less than *limit*, to read. Raises
        CannotSay, also where it costs more."""
        own = [self.symbols[cell].put(text) for cell, text in zip(cells, texts, strict=True)]
        if len({plain(text) for text in own}) == 1:
            return 0, self.pieces(own[0], roots)
        whole = [plain(text) for text in texts]
        if len(set(whole)) == 1:
            return 0, self.pieces(whole[0], roots)
        return self._differing(own, whole, cells, hint, roots, limit)

    def _differing(
        self,
        own: Sequence[str],
        whole: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        limit: float,
    ) -> tuple[float, list[Piece]]:
        distinct = list(dict.fromkeys(own))
        place = {text: number for number, text in enumerate(distinct)}
        rows = [place[text] for text in own]
        columns, parts = self._runs_of(tuple(distinct))
        cost, explained = self._explained(parts, cells, rows, limit)
        if explained and any(one is not None and one.kind in BY_ROWS for one in explained):
            # A mark that all texts end with may be part of a fact, and one between two words that
            # differ may part what two axes decide.
            for others in (widened(parts, explained, len(distinct)), columns):
                if others == parts:
                    continue
                other_cost, other = self._explained(others, cells, rows, cost)
                if other_cost < cost:
                    parts, cost, explained = others, other_cost, other
        if not any(NIX_OPEN in text for text in whole):
            # A column that is there is not written once more.
            there = sum([one.cost for one in explained or () if one and self.lookups.has(one.code)])
            joint = self.cells.below(min(cost - there + _LEAST_MORE, limit), whole, cells)
            if joint is not None:
                cost, explained = joint.cost, [joint]
        if len(distinct) <= _MOST_TEMPLATES:
            chosen = self.cells.below(min(cost, limit), [plain(text) for text in own], cells)
            if chosen is not None and _is_choice(chosen.code):
                return chosen.cost, [self.chosen(chosen, hint, roots)]
        if explained is None:
            raise CannotSay("an expression of Nix differs within a text")
        if len(explained) == 1 and explained[0] is not None and len(parts) > 1:
            return cost, [self.placeholder(explained[0], hint)]
        made: list[Piece] = []
        for run, explanation in zip(parts, explained, strict=True):
            if explanation is None:
                made += self.pieces(run.text or "", roots)
            else:
                made.append(self.placeholder(explanation, hint))
        return cost, made

    def _runs_of(self, distinct: tuple[str, ...]) -> tuple[list[Run], list[Run]]:
        """What *distinct* texts have in common, and what not: word for word, and with those words
        that differ and have only a mark between them as one."""
        found = self._known_runs.get(distinct)
        if found is None:
            parts = runs(distinct)
            found = trimmed(parts), trimmed(whole_words(parts, len(distinct)))
            self._known_runs[distinct] = found
        return found

    def _columns_of(self, distinct: tuple[str, ...]) -> list[dict[int, str]]:
        """The lines of *distinct* texts side by side."""
        found = self._known_columns.get(distinct)
        if found is None:
            # The end of a last line is no empty line, though it looks like one.
            ended = all(text.endswith("\n") for text in distinct)
            lines = [(text[:-1] if ended else text).split("\n") for text in distinct]
            found = self._known_columns[distinct] = align(lines, similar)
            if ended:
                found.append(dict.fromkeys(range(len(distinct)), ""))
        return found

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
            explanation = self.cells.below(limit - cost, values, cells)
            if explanation is None:
                return float("inf"), None
            found.append(explanation)
            cost += explanation.cost + _PLACEHOLDER_COST
        return cost, found

    def chosen(self, found: Explanation, hint: str, roots: Roots) -> Piece:
        """A choice among whole texts."""
        self.odd |= found.exceptions

        def written(code: Code) -> str:
            match code:
                case Constant(text):
                    pieces = self.pieces(text, roots)
                    return f'"{shown(pieces, in_string)}"'
                case Choice(condition, yes, no):
                    return f"if {condition} then {written(yes)} else {written(no)}"
                case _:
                    raise AssertionError("it is no choice")

        code = written(found.code)
        if len(code) > _INLINE and code.startswith("if "):
            code = self.let(hint, code)
        return Piece(code, True)

    def placeholder(self, found: Explanation, hint: str) -> Piece:
        self.odd |= found.exceptions
        if isinstance(found.code, Constant):
            return Piece(found.code.text, False)
        code = code_of(found.code, self.lookups.hint(hint))
        if len(code) > _INLINE and code.startswith("if "):
            code = self.let(hint, code)
        return Piece(code, True)

    def let(self, hint: str, code: str) -> str:
        """The name of a `let` that is *code*."""
        for name, known in self.lets.items():
            if known == code:
                return name
        hint = f"{self.lookups.prefix}{hint}"
        whose = f"{self.setting}-{hint}" if self.setting not in ("", hint) else f"{hint}-text"
        base = hint if is_name(hint) and hint not in self.lookups.taken else whose
        name, number = base, 2
        while name in self.lets or name in self.lookups.taken:
            name, number = f"{base}-{number}", number + 1
        self.lets[name] = code
        return name

    def line(self, texts: Sequence[str], cells: Sequence[int], hint: str, roots: Roots) -> str:
        """An expression for texts of one line."""
        pieces = self.template(texts, cells, hint, roots)
        if len(pieces) == 1 and pieces[0].is_code:
            code = pieces[0].text
            chosen = self.lets.get(code, "").startswith("if ")
            if chosen or _has_text(code) or self.lookups.is_text(code):
                return code
        return f'"{shown(pieces, in_string)}"'

    def segments(
        self,
        texts: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        rule: Sequence[int],
    ) -> list[Segment]:
        """The lines of *texts*, those together that stand in the same of the cells *rule*. A text
        that ends in a line end has an empty last line, which all have or none."""
        before, self.setting = self.setting, hint
        try:
            return self._segments(texts, cells, hint, roots, rule)
        finally:
            self.setting = before

    def _segments(
        self,
        texts: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        rule: Sequence[int],
    ) -> list[Segment]:
        own = [self.symbols[cell].put(text) for cell, text in zip(cells, texts, strict=True)]
        if len({text.endswith("\n") for text in own}) > 1:
            raise CannotSay("some texts end in a line end, and others do not")
        distinct = list(dict.fromkeys(own))
        place = {text: number for number, text in enumerate(distinct)}
        row_of = {cell: place[text] for cell, text in zip(cells, own, strict=True)}
        found: list[_Open] = []
        ruled = set(rule)
        obeying = tuple([cell for cell in cells if cell in ruled])
        for column in self._columns_of(tuple(distinct)):
            here = obeying
            if len(column) < len(distinct):
                here = tuple([cell for cell in obeying if row_of[cell] in column])
            before = set(self.odd)
            self.odd = set()
            written = ""
            if here:
                # What all have alike is what one has.
                told = here if len(set(column.values())) > 1 else here[:1]
                values = [self.symbols[cell].take(column[row_of[cell]]) for cell in told]
                pieces = self.template(values, told, _hint(values[0], hint), roots)
                written = shown(pieces, in_block)
                if self.cells.lenient:
                    self.odd |= self.missing(here, obeying)
            odd, self.odd = self.odd, before | self.odd
            if not self.cells.lenient:
                odd |= self._strays(column, row_of, here, obeying, hint, roots)
            if not found or not found[-1].takes(here, odd):
                found.append(_Open(here, odd))
            found[-1].add(here, written, odd, column)
        return [
            Segment(one.cells, tuple(one.lines), self._lines_of(one, row_of), frozenset(one.odd))
            for one in found
        ]

    def _lines_of(self, segment: _Open, row_of: Mapping[int, int]) -> dict[int, list[str]]:
        """What the odd cells of *segment* have there."""
        return {
            cell: [
                self.symbols[cell].take(column[row_of[cell]])
                for column in segment.columns
                if row_of[cell] in column
            ]
            for cell in segment.odd
            if cell in row_of
        }

    def _strays(
        self,
        column: Mapping[int, str],
        row_of: Mapping[int, int],
        here: tuple[int, ...],
        obeying: Sequence[int],
        hint: str,
        roots: Roots,
    ) -> set[int]:
        """The cells outside of the rule that have not in *column* what the rule would give them."""
        found: set[int] = set()
        others = row_of.keys() - set(obeying)
        rule = self._rule(column, row_of, here, hint, roots) if others else None
        for cell in others:
            inside = row_of[cell] in column
            every = sorted([*obeying, cell])
            with_it = sorted([*here, cell]) if inside else list(here)
            obeys = self._same_condition(here, obeying, with_it, every)
            if obeys and inside:
                # A rule that costs more is another one: to look for it would take longest.
                obeys = rule is not None and rule == self._rule(
                    column, row_of, with_it, hint, roots, rule.cost + _LEAST_MORE
                )
            if not obeys:
                found.add(cell)
        return found

    def _same_condition(
        self,
        here: Sequence[int],
        obeying: Sequence[int],
        with_it: Sequence[int],
        every: Sequence[int],
    ) -> bool:
        if len(here) == len(obeying) or not here:
            return len(with_it) == (len(every) if here else 0)
        if len(with_it) == len(every):
            return False
        known = self.cells.condition(here, obeying)
        return self.cells.condition(with_it, every).code == known.code

    def _rule(
        self,
        column: Mapping[int, str],
        row_of: Mapping[int, int],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        limit: float = float("inf"),
    ) -> _Rule | None:
        """All that would be written for the lines that *cells* have in *column*, which is written
        nowhere; None where nothing can be that costs less than *limit*."""
        if not cells:
            return None
        lookups, lets, odd = self.lookups, self.lets, self.odd
        self.lookups, self.lets, self.odd = lookups.copy(), dict(lets), set()
        try:
            values = [self.symbols[one].take(column[row_of[one]]) for one in cells]
            cost, pieces = self._costed(values, cells, _hint(values[0], hint), roots, limit)
            return _Rule(cost, pieces, self.lookups.columns, self.lets)
        except CannotSay:
            return None
        finally:
            self.lookups, self.lets, self.odd = lookups, lets, odd

    def missing(self, here: Sequence[int], cells: Sequence[int]) -> set[int]:
        """Cells that are alone in having, or in not having, what stands in the cells *here*."""
        inside = set(here)
        others = [cell for cell in cells if cell not in inside]
        for some in (others, list(here)):
            if 0 < len(some) <= self.cells.few and self.cells.are_odd(some, cells):
                return set(some)
        return set()

    # --- values --------------------------------------------------------------------------------

    def value(self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots) -> str:
        """An expression that is each of *nodes* in its cell. Raises CannotSay."""
        first = nodes[0]
        if all(isinstance(node, NixString) for node in nodes):
            return self._text(
                [node for node in nodes if isinstance(node, NixString)], cells, hint, roots
            )
        same = all(node == first for node in nodes)
        if all(map(_is_plain, nodes)):
            return self._plain(nodes, cells, hint)
        if all(isinstance(node, NixList) for node in nodes):
            return self._list(
                [elements(node) for node in nodes if isinstance(node, NixList)], cells, hint, roots
            )
        keys = record_keys(first)
        if keys is not None and all(record_keys(node) == keys for node in nodes):
            rows = [dict(entries_of(node)) for node in nodes if isinstance(node, NixAttrs)]
            inner = []
            for name in keys:
                code = self._entry([row[name] for row in rows], cells, name_from(name), roots)
                inner.append(f"{entry_key(name)} = {code}")
            return "{ " + ", ".join(inner) + " }" if inner else "{}"
        called = self._called(nodes, cells, hint, roots) if hint == "package" else None
        if called is not None:
            return called
        taken = self._of_input(nodes, cells, hint, roots)
        if taken is not None:
            return taken
        source = self._github(nodes, cells, hint, roots) or self._url(nodes, cells, hint, roots)
        if source is not None:
            return source
        files = None if same else self._files(nodes, cells, hint, roots)
        if files is not None:
            return files
        if same:
            path = path_of(first)
            if path is not None:
                return file_path(path)
            return reference(first, roots) or self.nix(first, roots, [])
        paths = self._paths(nodes, cells, hint, roots)
        if paths is not None:
            return paths
        placeholders: list[str] = []
        skeleton = self._skeleton(nodes, cells, hint, roots, placeholders)
        return self.nix(skeleton, roots, placeholders)

    def _entry(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str:
        """An expression for an entry of a record: where one form does not do, a choice among a few,
        such as lists of several lengths."""
        try:
            return self.value(nodes, cells, hint, roots)
        except CannotSay:
            groups: dict[object, list[int]] = {}
            for at, node in enumerate(nodes):
                groups.setdefault(_size(node), []).append(at)
            if not 1 < len(groups) <= _MOST_CHOICES:
                raise
        *others, last = sorted(groups.values(), key=len)

        def said(places: Sequence[int]) -> str:
            return self.value(
                [nodes[at] for at in places], [cells[at] for at in places], hint, roots
            )

        made = said(last)
        for places in others:
            condition = self.cells.condition([cells[at] for at in places], cells).code
            made = f"if {condition} then {said(places)} else {made}"
        return made

    def _text(
        self, nodes: Sequence[NixString], cells: Sequence[int], hint: str, roots: Roots
    ) -> str:
        texts = self.flat(nodes, cells)
        if not any("\n" in text for text in texts):
            return self.line(texts, cells, hint, roots)
        found = self.segments(texts, cells, hint, roots, cells)
        if any(len(one.cells) < len(cells) for one in found):
            raise CannotSay("lines of a text stand in some recipes only")
        return block([line for one in found for line in one.lines])

    def _plain(self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str) -> str:
        texts = [_written(node) for node in nodes]
        found = self.cells.explain(texts, cells)
        self.odd |= found.exceptions
        if found.kind == "fact":
            raise CannotSay("numbers differ from cell to cell")
        return code_of(found.code, self.lookups.hint(hint, plain=True), str)

    def _list(
        self, rows: Sequence[list[NixExpr]], cells: Sequence[int], hint: str, roots: Roots
    ) -> str:
        words = [[text_of(item) for item in row] for row in rows]
        if all(None not in row for row in words) and len({tuple(row) for row in words}) > 1:
            texts = [" ".join([plain(word or "") for word in row]) for row in words]
            for axis in self.cells.axes:
                for column in self.cells.columns[axis.name]:
                    if column.whole_list and all(
                        column.values.get(self.cells.cells[cell][axis.name]) == text
                        for cell, text in zip(cells, texts, strict=True)
                    ):
                        return column.code
        if len({len(row) for row in rows}) > 1:
            raise CannotSay("lists are of several lengths")
        items = [
            self.value([row[number] for row in rows], cells, hint, roots)
            for number in range(len(rows[0]))
        ]
        return f"[{', '.join(items)}]"

    def _called(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str | None:
        """`call(function, { … })`, where all are that: a package from scratch."""
        functions: list[NixExpr] = []
        given: list[NixExpr] = []
        for node in nodes:
            match node:
                case NixApply(function, NixAttrs() as attrs):
                    functions.append(function)
                    given.append(attrs)
                case _:
                    return None
        called = self.value(functions, cells, "builder", roots)
        return f"call({called}, {self.value(given, cells, 'attributes', roots)})"

    def _of_input(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str | None:
        """What is of another repository: it, a file of it, or what a function in such a file makes
        of its arguments; where all are that."""
        tarballs = {input_of(node) for node in nodes}
        if len(tarballs) == 1 and (tarball := tarballs.pop()) is not None:
            return self._input(tarball)
        files = [file for node in nodes if (file := file_of_input(node)) is not None]
        if len(files) == len(nodes):
            if len({node for node, _ in files}) > 1:
                raise CannotSay("files of several repositories differ")
            named = [plain(path).lstrip("/") for _, path in files]
            source = self._input(input_of(files[0][0]) or ("", ""))
            return f"file({source}, {self.line(named, cells, hint, roots)})"
        match nodes[0]:
            case NixApply(NixIdent("import"), _):
                inner = [one.argument for one in nodes if isinstance(one, NixApply)]
                if all(file_of_input(one) is not None for one in inner):
                    return self._of_input(inner, cells, hint, roots)
            case NixApply(function, _) if _is_import(function):
                calls = [node for node in nodes if isinstance(node, NixApply)]
                functions = [one.function for one in calls]
                if len(calls) == len(nodes) and all(map(_is_import, functions)):
                    called = self._of_input(functions, cells, hint, roots)
                    given = self.value([one.argument for one in calls], cells, hint, roots)
                    return f"call({called}, {given})" if called is not None else None
            case _:
                pass
        return None

    def _input(self, tarball: tuple[str, str]) -> str:
        """The name of another repository, or of a folder of this one."""
        name = self.inputs.get(tarball)
        if name is None:
            found = _REPOSITORY.search(tarball[0]) or _FOLDER.match(tarball[0])
            base = name_from(found[1]) if found is not None else "files"
            taken = {*self.inputs.values(), *self.lets, *self.lookups.taken}
            name = base if base not in taken else f"{base}-files"
            while name in taken:
                name += "-2"
            self.inputs[tarball] = name
        return name

    def _files(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str | None:
        """Files that differ, where all are that: by what their names are made of where axes say
        it, else each by its name. A folder that recipes are written to can be no input."""
        paths = _paths_of(nodes)
        if paths is None:
            return None
        folder = _folder_of(paths)
        names = self._below(folder, paths)
        if not self._follow_axes(names, cells, hint, roots):
            return self._file_choice(paths, cells, hint)
        if hint != "package" and not _leads_out(folder) and not _is_within(self.outputs, folder):
            source = self._input((f"./{folder}", ""))
            return f"file({source}, {self.line(names, cells, hint, roots)})"
        placeholders: list[str] = []
        return self.nix(
            self._put_together(folder, names, cells, hint, roots, placeholders), roots, placeholders
        )

    def _below(self, folder: str, paths: Sequence[str]) -> list[str]:
        """The names of files in *folder*, the words in them marked that are values of axes."""

        def marked(found: re.Match[str]) -> str:
            return f"{FOLD_OPEN}{found[0]}{FOLD_CLOSE}"

        return [self._values.sub(marked, posixpath.relpath(path, folder)) for path in paths]

    def _put_together(
        self,
        folder: str,
        names: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """Files of a *folder* by their *names* in it, as Nix puts them together."""
        below = [f"/{name}" for name in names]
        return NixBinary(
            "+", path_node(folder), self._place(below, cells, hint, roots, placeholders)
        )

    def _follow_axes(
        self, names: Sequence[str], cells: Sequence[int], hint: str, roots: Roots
    ) -> bool:
        """Whether axes say all in which *names* differ, and no table or condition."""
        lookups, lets, odd = self.lookups, self.lets, self.odd
        self.lookups, self.lets, self.odd = lookups.copy(), dict(lets), set()
        try:
            pieces = self.template(names, cells, hint, roots)
            return (
                self.lets == lets
                and self.lookups.columns == lookups.columns
                and not any(one.is_code and one.text.startswith("if ") for one in pieces)
            )
        except CannotSay:
            return False
        finally:
            self.lookups, self.lets, self.odd = lookups, lets, odd

    def _file_choice(self, paths: Sequence[str], cells: Sequence[int], hint: str) -> str:
        """Files each by its path, in a table or by conditions."""
        found = self.cells.explain(list(map(file_path, paths)), cells)
        self.odd |= found.exceptions
        return code_of(found.code, self.lookups.hint(hint, plain=True), str)

    def alike(self, left: NixExpr, right: NixExpr) -> float:
        """How much speaks for elements of two lists being one of both, which differs."""
        mine, theirs = text_of(left), text_of(right)
        if mine is not None and theirs is not None:
            same = plain(mine).split("=")[0] == plain(theirs).split("=")[0]
            return 1.5 if same else similar_words(mine, theirs) - 0.7 if mine and theirs else 0
        if left == right:
            return 2.0
        mine, theirs = path_of(left), path_of(right)
        if mine is not None and theirs is not None and self._are_one_file(mine, theirs):
            return 1.2
        mine, theirs = _file_stem(left), _file_stem(right)
        return 1.2 if mine and mine == theirs else -1.0

    def _are_one_file(self, one: str, other: str) -> bool:
        """Whether two files may be the same one of two recipes: their names are the same but for
        folders, or but for words that are values of axes."""
        return posixpath.basename(one) == posixpath.basename(other) or (
            self._values.sub("", one) == self._values.sub("", other)
        )

    def _github(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str | None:
        """`github(…)`, where all are that."""
        rows: list[dict[str, NixExpr]] = []
        for node in nodes:
            match node:
                case NixApply(NixSelect(_, ("fetchFromGitHub",), None), NixAttrs() as given):
                    rows.append(dict(entries_of(given)))
                case _:
                    return None
        names = list(rows[0])
        if any(list(row) != names or not has_hash(row) for row in rows) or set(names) - _GITHUB:
            return None
        if any(not isinstance(row.get("owner"), NixString) for row in rows):
            return None
        if "fetchSubmodules" in names and any(row["fetchSubmodules"] != TRUE for row in rows):
            return None
        if "rev" in names and not all(
            _REVISION.match(plain(text_of(row["rev"]) or "")) for row in rows
        ):
            return None
        if "rev" not in names and "tag" not in names:
            return None
        repositories: list[NixExpr] = []
        for row in rows:
            owner, repo = text_of(row["owner"]), text_of(row.get("repo", NULL))
            if owner is None or repo is None:
                return None
            repositories.append(NixString((f"{plain(owner)}/{plain(repo)}",)))
        parts = [self.value(repositories, cells, hint, roots)]
        parts += [
            f"{name} = {self.value([row[name] for row in rows], cells, name, roots)}"
            for name in ("rev", "tag", "name")
            if name in names
        ]
        if "fetchSubmodules" in names:
            parts.append("submodules = true")
        parts.append(f"hash = {self.value([row['hash'] for row in rows], cells, 'hash', roots)}")
        return f"github({', '.join(parts)})"

    def _url(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str | None:
        """`url(…)`, where all are that."""
        rows: list[dict[str, NixExpr]] = []
        for node in nodes:
            match node:
                case NixApply(
                    NixSelect(NixIdent(root), ("fetchurl",), None), NixAttrs() as given
                ) if root in _FETCHING:
                    rows.append(dict(entries_of(given)))
                case _:
                    return None
        names = list(rows[0])
        if set(names) - {"name"} != {"url", "hash"} or not all(map(has_hash, rows)):
            return None
        if any(list(row) != names or None in map(text_of, row.values()) for row in rows):
            return None

        def said(name: str) -> str:
            values = [row[name] for row in rows]
            if len(values) == 1:
                return quote(plain(text_of(values[0]) or ""))
            return self.value(values, cells, name_from(name), roots)

        named = [f"name = {said('name')}"] if "name" in names else []
        hashed = f"hash = {said('hash')}"
        return f"url({', '.join([said('url'), *named, hashed])})"

    def _paths(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str | None:
        """`pkgs.a[…].b`, where all are paths of one length below one root."""
        paths: list[tuple[str, ...]] = []
        root = ""
        for node in nodes:
            match node:
                case NixSelect(NixIdent(name), path, None) if name in roots and root in ("", name):
                    root = name
                    paths.append(tuple([str(step) for step in path]))
                case _:
                    return None
        if len({len(path) for path in paths}) > 1 or root == "@lib":
            return None
        made = roots[root]
        for column in zip(*paths, strict=True):
            if len(set(column)) == 1:
                made += f".{key(column[0])}"
            else:
                made += f"[{self.line(column, cells, hint, roots)}]"
        return made

    def _skeleton(
        self,
        nodes: Sequence[NixExpr],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """What *nodes* have alike, with places for texts that differ."""
        first = nodes[0]
        if all(node == first for node in nodes):
            return first

        def inner(parts: Sequence[NixExpr]) -> NixExpr:
            return self._skeleton(parts, cells, hint, roots, placeholders)

        paths = _paths_of(nodes)
        if paths is not None:
            folder = _folder_of(paths)
            names = self._below(folder, paths)
            if self._follow_axes(names, cells, hint, roots):
                return self._put_together(folder, names, cells, hint, roots, placeholders)
            placeholders.append(self._file_choice(paths, cells, hint))
            return NixIdent(f"{PLACEHOLDER}{len(placeholders) - 1}")
        if any(path_of(node) is not None for node in nodes):
            raise CannotSay("a file differs from what is none")
        texts = [text_of(node) for node in nodes]
        if None not in texts:
            return self._place([text or "" for text in texts], cells, hint, roots, placeholders)
        if self.in_function:
            nodes = _all_added(nodes)
            first = nodes[0]
        keys = record_keys(first)
        match first:
            case NixApply() if all(isinstance(node, NixApply) for node in nodes):
                calls = [node for node in nodes if isinstance(node, NixApply)]
                return NixApply(
                    inner([one.function for one in calls]), inner([one.argument for one in calls])
                )
            case NixAttrs() if keys is not None and all(record_keys(one) == keys for one in nodes):
                rows = [dict(entries_of(node)) for node in nodes if isinstance(node, NixAttrs)]
                parts = [[row[name] for row in rows] for name in keys]
                return attrs_of(
                    [
                        (name, self._skeleton(part, cells, name_from(name), roots, placeholders))
                        for name, part in zip(keys, parts, strict=True)
                    ]
                )
            case NixList():
                lists = [elements(node) for node in nodes if isinstance(node, NixList)]
                if len(lists) == len(nodes) and len({len(one) for one in lists}) == 1:
                    return NixList(tuple([inner(column) for column in zip(*lists, strict=True)]))
                if len(lists) == len(nodes) and self.in_function:
                    return self._list_by_parts(lists, cells, hint, roots, placeholders)
            case NixAttrs() if self.in_function:
                rows = [dict(entries_of(node)) for node in nodes if isinstance(node, NixAttrs)]
                if len(rows) == len(nodes):
                    return self._set_by_parts(rows, cells, roots, placeholders)
            case NixBinary(op):
                sides = [node for node in nodes if isinstance(node, NixBinary) and node.op == op]
                if len(sides) == len(nodes):
                    return NixBinary(
                        op, inner([one.left for one in sides]), inner([one.right for one in sides])
                    )
            case NixLambda(parameter):
                bodies = [one.body for one in nodes if _has_parameter(one, parameter)]
                if len(bodies) == len(nodes):
                    before, self.in_function = self.in_function, True
                    try:
                        return NixLambda(parameter, inner(bodies))
                    finally:
                        self.in_function = before
            case NixSelect(_, path, None):
                found = [one for one in nodes if _selects(one, len(path))]
                if len(found) == len(nodes):
                    steps = [
                        self._step([str(one) for one in column], cells, hint, roots, placeholders)
                        for column in zip(*[one.path for one in found], strict=True)
                    ]
                    return NixSelect(inner([one.base for one in found]), tuple(steps))
            case NixString():
                return self._skeleton_text(nodes, cells, hint, roots, placeholders)
            case _:
                pass
        raise CannotSay("expressions of Nix differ")

    def _list_by_parts(
        self,
        rows: Sequence[Sequence[NixExpr]],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """Lists of several lengths: what all have, and what some have behind a condition."""
        distinct = list(dict.fromkeys(map(tuple, rows)))
        place = {row: number for number, row in enumerate(distinct)}
        row_of = {cell: place[tuple(row)] for cell, row in zip(cells, rows, strict=True)}
        parts: list[tuple[tuple[int, ...], list[NixExpr]]] = []
        for column in align(distinct, self.alike):
            here = tuple([cell for cell in cells if row_of[cell] in column])
            items = [column[row_of[cell]] for cell in here]
            made = self._skeleton(items, here, hint, roots, placeholders)
            if parts and parts[-1][0] == here:
                parts[-1][1].append(made)
            else:
                parts.append((here, [made]))
        lists = [
            self._optional("optionals", NixList(tuple(items)), here, cells, roots, placeholders)
            for here, items in parts
        ]
        return _joined("++", lists)

    def _set_by_parts(
        self,
        rows: Sequence[Mapping[str, NixExpr]],
        cells: Sequence[int],
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """Sets of which some attributes are there in some cells only: these behind a condition."""
        parts: dict[tuple[int, ...], list[tuple[str, NixExpr]]] = {tuple(cells): []}
        for name in dict.fromkeys([name for row in rows for name in row]):
            there = [at for at, row in enumerate(rows) if name in row]
            here = tuple([cells[at] for at in there])
            values = [rows[at][name] for at in there]
            made = self._skeleton(values, here, name_from(name), roots, placeholders)
            parts.setdefault(here, []).append((name, made))
        sets = [
            self._optional("optionalAttrs", attrs_of(entries), here, cells, roots, placeholders)
            for here, entries in parts.items()
        ]
        return _joined("//", sets)

    def _optional(
        self,
        how: str,
        node: NixExpr,
        here: Sequence[int],
        cells: Sequence[int],
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """*node*, which the cells *here* of *cells* have: by a function of nixpkgs' library."""
        if len(here) == len(cells):
            return node
        if "@lib" not in roots:
            raise CannotSay("expressions of Nix differ")
        if self.cells.lenient:
            self.odd |= self.missing(here, cells)
        placeholders.append(self.cells.condition(here, cells).code)
        condition = NixIdent(f"{PLACEHOLDER}{len(placeholders) - 1}")
        return NixApply(NixApply(NixSelect(NixIdent("@lib"), (how,)), condition), node)

    def _step(
        self,
        steps: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> str:
        """A step of a path: a name, or a place for one that differs."""
        if len(set(steps)) == 1:
            return steps[0]
        pieces = self.template(steps, cells, hint, roots)
        chosen = pieces[0].text if len(pieces) == 1 else ""
        code = chosen if chosen.startswith("if ") else self.line(steps, cells, hint, roots)
        placeholders.append(code)
        return f"{PLACEHOLDER}{len(placeholders) - 1}"

    def _skeleton_text(
        self,
        nodes: Sequence[NixExpr],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """A string with interpolations, of which the texts between them differ."""
        rows = [one.parts for one in nodes if isinstance(one, NixString)]
        if len(rows) < len(nodes) or len({len(row) for row in rows}) > 1:
            raise CannotSay("expressions of Nix differ")
        made: list[str | NixExpr] = []
        for column in zip(*rows, strict=True):
            if all(part == column[0] for part in column):
                made.append(column[0])
                continue
            texts = [part for part in column if isinstance(part, str)]
            if len(texts) < len(column):
                raise CannotSay("expressions of Nix differ")
            place = self._place(texts, cells, hint, roots, placeholders)
            made += place.parts if isinstance(place, NixString) else [place]
        return joined(made)

    def _place(
        self,
        texts: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """A string of Nix for *texts*, with places for what differs; or a place for all of it."""
        pieces = self.template(texts, cells, hint, roots)
        code = self.line(texts, cells, hint, roots) if len(pieces) == 1 else ""
        if code and not code.startswith('"'):
            placeholders.append(code)
            return NixIdent(f"{PLACEHOLDER}{len(placeholders) - 1}")
        made: list[str] = []
        for piece in pieces:
            if piece.is_code:
                placeholders.append(piece.text)
                made.append(f"{PLACEHOLDER_OPEN}{len(placeholders) - 1}{PLACEHOLDER_CLOSE}")
            else:
                made.append(piece.text)
        return NixString(("".join(made),))


def _all_added(nodes: Sequence[NixExpr]) -> Sequence[NixExpr]:
    """*nodes*, those that add nothing adding what is empty, where others add something."""
    ops = {node.op for node in nodes if isinstance(node, NixBinary)}
    empty = _EMPTY.get(ops.pop()) if len(ops) == 1 else None
    if empty is None:
        return nodes
    op, nothing = empty
    return [one if isinstance(one, NixBinary) else NixBinary(op, one, nothing) for one in nodes]


def _joined(op: NixOp, nodes: Sequence[NixExpr]) -> NixExpr:
    """*nodes* with an operator between them."""
    made = nodes[0]
    for node in nodes[1:]:
        made = NixBinary(op, made, node)
    return made


def _interpolated(node: NixString) -> list[NixExpr]:
    """What stands in `${…}` in a text."""
    return [part for part in node.parts if not isinstance(part, str)]


def _paths_of(nodes: Sequence[NixExpr]) -> list[str] | None:
    """The files that *nodes* are, by their paths; None where one is none."""
    paths = [path for node in nodes if (path := path_of(node)) is not None]
    return paths if len(paths) == len(nodes) else None


def _file_stem(node: NixExpr) -> str:
    """What the name of a file of another repository begins with, of which *node* is made."""
    while isinstance(node, NixApply) and node.function != NixIdent("import"):
        node = node.function
    file = file_of_input(node.argument) if isinstance(node, NixApply) else None
    return file[1].rpartition("-")[0] if file is not None else ""


def _folder_of(paths: Sequence[str]) -> str:
    """The folder that has all files *paths*."""
    return posixpath.commonpath(list(map(posixpath.dirname, paths))) or "."


def _leads_out(path: str) -> bool:
    return path.startswith(("../", "/")) or path == ".."


def _is_within(path: str, folder: str) -> bool:
    """Whether *path* is *folder*, or below it."""
    return folder == "." or f"{path}/".startswith(f"{folder}/")


def _size(node: NixExpr) -> object:
    """How long a list or a text is: what keeps several of them from being one expression."""
    match node:
        case NixList():
            return ("list", len(elements(node)))
        case NixString(parts):
            whole = "".join([part if isinstance(part, str) else "x" for part in parts])
            return ("text", tuple([not line.strip() for line in whole.split("\n")]))
        case _:
            return type(node).__name__


def _is_import(node: NixExpr) -> bool:
    """Whether *node* is the function in a file of another repository, or that with arguments."""
    match node:
        case NixApply(NixIdent("import"), file):
            return file_of_input(file) is not None
        case NixApply(function, _):
            return _is_import(function)
        case _:
            return False


def _has_parameter(node: NixExpr, parameter: object) -> TypeGuard[NixLambda]:
    return isinstance(node, NixLambda) and node.parameter == parameter


def has_hash(given: Mapping[str, NixExpr]) -> bool:
    """Whether a fetcher is given a hash as the language has it: by another name, such as `sha256`,
    or in another spelling the derivation would be another, though what it fetches is not."""
    digest = text_of(given.get("hash", NULL))
    return digest is not None and bad_hash(plain(digest)) is None


def _selects(node: NixExpr, steps: int) -> TypeGuard[NixSelect]:
    return isinstance(node, NixSelect) and len(node.path) == steps and node.default is None


@dataclass(slots=True)
class _Open:
    """A segment that is being put together."""

    cells: tuple[int, ...]
    lines: list[str]
    columns: list[Mapping[int, str]]
    odd: set[int]

    def __init__(self, cells: tuple[int, ...], odd: set[int]) -> None:
        self.cells = cells
        self.lines = []
        self.columns = []
        self.odd = set(odd)

    def takes(self, cells: tuple[int, ...], odd: set[int]) -> bool:
        """Whether a line that stands in *cells* belongs to it, and is odd in the same."""
        if not cells or not self.cells:
            return True
        return self.cells == cells and self.odd == odd

    def add(
        self, cells: tuple[int, ...], written: str, odd: set[int], column: Mapping[int, str]
    ) -> None:
        self.columns.append(column)
        if cells:
            self.cells = cells
            self.lines.append(written)
        self.odd |= odd


def _is_choice(code: Code) -> bool:
    """Whether *code* is a constant, or a choice among some."""
    match code:
        case Constant():
            return True
        case Choice(_, yes, no):
            return _is_choice(yes) and _is_choice(no)
        case _:
            return False


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


def _has_text(code: str) -> bool:
    """Whether *code* is a value of its own, and no axis value or version where a text is meant."""
    return code.startswith(
        ("variant", "by-", "text-by-", "upper(", "lower(", "flat(", "under(", "join(", "major(")
    ) or (code.endswith((".label", ".platform", ".arch", ".set")) and "{" not in code)


def _hint(line: str, otherwise: str) -> str:
    words = re.sub(r"[^a-z]+", "-", plain(line).strip().lower().lstrip("-# ").split(":")[0])
    name = "-".join(words.strip("-").split("-")[:2])[:18].strip("-")
    return name if is_name(name) else otherwise


def _taken_name(code: str) -> str:
    """A name for a file of another repository, after it."""
    found = _FILE.search(code)
    return name_from(found[1]) if found is not None else "file"


def _is_plain(node: NixExpr) -> bool:
    """Whether *node* is a value that the language writes as Nix does. It has no numbers below 0."""
    return node.value >= 0 if isinstance(node, NixInt) else node in (TRUE, FALSE, NULL)


def _written(node: NixExpr) -> str:
    match node:
        case NixInt(value):
            return str(value)
        case NixIdent(name):
            return name
        case _:
            raise AssertionError("it is no plain value")
