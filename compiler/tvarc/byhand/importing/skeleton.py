"""Nix text that differs from cell to cell: what all cells have, with places for values."""

from __future__ import annotations

from functools import partial

from tvarc.byhand.importing.alignment import align
from tvarc.byhand.importing.elements import alike
from tvarc.byhand.importing.files import Files, folder_of, paths_of
from tvarc.byhand.importing.names import name_from
from tvarc.byhand.importing.templates import Templates
from tvarc.byhand.importing.written import (
    PLACEHOLDER,
    PLACEHOLDER_CLOSE,
    PLACEHOLDER_OPEN,
    CannotSay,
    Roots,
    record_keys,
)
from tvarc.byhand.reading.trees import (
    Entries,
    attrs_of,
    entries_of,
    joined,
    path_node,
    path_of,
    text_of,
)
from tvarc.light import Final, Mapping, Sequence
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixLambda,
    NixList,
    NixOp,
    NixSelect,
    NixString,
    elements,
)

_EMPTY: Final[Mapping[str, tuple[NixOp, NixExpr]]] = {
    "++": ("++", NixList(())), "//": ("//", NixAttrs(())),
}  # fmt: skip
"""What adds to a list or a set, and what adds nothing."""


class Skeleton:
    """One text of Nix that is being made for cells of a matrix, in which *roots* are called so: the
    values that it has places for are its `placeholders`."""

    __slots__ = (
        "_alike", "_in_function", "declared", "files", "placeholders", "roots", "templates",
    )  # fmt: skip

    def __init__(self, templates: Templates, files: Files, roots: Roots) -> None:
        self.templates = templates
        self.declared = templates.declared
        self.files = files
        self.roots = roots
        self.placeholders: list[str] = []
        self._alike = partial(alike, files=files)
        self._in_function = False  # within Nix text, which has names that the language has not

    def of(self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str) -> NixExpr:
        """What *nodes* have alike, with places for what differs. Raises CannotSay."""
        first = nodes[0]
        if all(node == first for node in nodes):
            return first
        paths = paths_of(nodes)
        if paths is not None:
            return self._file(paths, cells, hint)
        if any(path_of(node) is not None for node in nodes):
            raise CannotSay("a value is a file in some recipes only")
        texts = [text_of(node) for node in nodes]
        if None not in texts:
            return self.place([text or "" for text in texts], cells, hint)
        found = self._of_parts(_all_added(nodes) if self._in_function else nodes, cells, hint)
        if found is None:
            raise CannotSay("Nix expressions differ")
        return found

    def put_together(
        self, folder: str, names: Sequence[str], cells: Sequence[int], hint: str
    ) -> NixExpr:
        """Files of a *folder* by their *names* in it, as Nix puts them together."""
        below = [f"/{name}" for name in names]
        return NixBinary("+", path_node(folder), self.place(below, cells, hint))

    def place(self, texts: Sequence[str], cells: Sequence[int], hint: str) -> NixExpr:
        """A string of Nix for *texts*, with places for what differs; or a place for all of it."""
        pieces = self.templates.template(texts, cells, hint, self.roots)
        code = self.templates.line(texts, cells, hint, self.roots) if len(pieces) == 1 else ""
        if code and not code.startswith('"'):
            return NixIdent(self.filled(code))
        return NixString(
            ("".join([self.within(one.text) if one.is_code else one.text for one in pieces]),)
        )

    def filled(self, code: str) -> str:
        """The name of a place for the value *code*."""
        self.placeholders.append(code)
        return f"{PLACEHOLDER}{len(self.placeholders) - 1}"

    def within(self, code: str) -> str:
        """A place for the value *code* within a string."""
        self.placeholders.append(code)
        return f"{PLACEHOLDER_OPEN}{len(self.placeholders) - 1}{PLACEHOLDER_CLOSE}"

    def _file(self, paths: Sequence[str], cells: Sequence[int], hint: str) -> NixExpr:
        """Files that differ: put together of axes, or each by its path."""
        folder = folder_of(paths)
        names = self.files.below(folder, paths)
        if self.files.follow_axes(names, cells, hint, self.roots):
            return self.put_together(folder, names, cells, hint)
        return NixIdent(self.filled(self.files.choice(paths, cells, hint)))

    def _of_parts(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str
    ) -> NixExpr | None:
        """Expressions of one kind, part by part; nothing where they are of several."""
        match nodes[0]:
            case NixApply():
                calls = [node for node in nodes if isinstance(node, NixApply)]
                return self._call(calls, cells, hint) if len(calls) == len(nodes) else None
            case NixAttrs():
                sets = [node for node in nodes if isinstance(node, NixAttrs)]
                return self._set(sets, cells) if len(sets) == len(nodes) else None
            case NixList():
                lists = [elements(node) for node in nodes if isinstance(node, NixList)]
                return self._list(lists, cells, hint) if len(lists) == len(nodes) else None
            case NixBinary(op):
                sides = [node for node in nodes if isinstance(node, NixBinary) and node.op == op]
                return self._operator(op, sides, cells, hint) if len(sides) == len(nodes) else None
            case NixLambda(parameter):
                functions = [node for node in nodes if isinstance(node, NixLambda)]
                same = [one for one in functions if one.parameter == parameter]
                return self._function(same, cells, hint) if len(same) == len(nodes) else None
            case NixSelect(_, path, None):
                found = [one for one in nodes if isinstance(one, NixSelect) and one.default is None]
                same_length = [one for one in found if len(one.path) == len(path)]
                is_one = len(same_length) == len(nodes)
                return self._selected(same_length, cells, hint) if is_one else None
            case NixString():
                texts = [node for node in nodes if isinstance(node, NixString)]
                return self._text(texts, cells, hint) if len(texts) == len(nodes) else None
            case _:
                return None

    def _call(self, nodes: Sequence[NixApply], cells: Sequence[int], hint: str) -> NixExpr:
        function = self.of([one.function for one in nodes], cells, hint)
        return NixApply(function, self.of([one.argument for one in nodes], cells, hint))

    def _set(self, nodes: Sequence[NixAttrs], cells: Sequence[int]) -> NixExpr | None:
        rows = [dict(entries_of(node)) for node in nodes]
        keys = record_keys(nodes[0]) or ()
        if any(record_keys(node) != keys for node in nodes):
            return self._set_by_parts(rows, cells) if self._in_function else None
        return attrs_of(
            [(name, self.of([row[name] for row in rows], cells, name_from(name))) for name in keys]
        )

    def _list(
        self, rows: Sequence[Sequence[NixExpr]], cells: Sequence[int], hint: str
    ) -> NixExpr | None:
        if len({len(row) for row in rows}) > 1:
            return self._list_by_parts(rows, cells, hint) if self._in_function else None
        columns = zip(*rows, strict=True)
        return NixList(tuple([self.of(column, cells, hint) for column in columns]))

    def _operator(
        self, op: NixOp, nodes: Sequence[NixBinary], cells: Sequence[int], hint: str
    ) -> NixExpr:
        left = self.of([one.left for one in nodes], cells, hint)
        return NixBinary(op, left, self.of([one.right for one in nodes], cells, hint))

    def _function(self, nodes: Sequence[NixLambda], cells: Sequence[int], hint: str) -> NixExpr:
        before, self._in_function = self._in_function, True
        try:
            return NixLambda(nodes[0].parameter, self.of([one.body for one in nodes], cells, hint))
        finally:
            self._in_function = before

    def _selected(self, nodes: Sequence[NixSelect], cells: Sequence[int], hint: str) -> NixExpr:
        columns = zip(*[one.path for one in nodes], strict=True)
        steps = [self._step([str(one) for one in column], cells, hint) for column in columns]
        return NixSelect(self.of([one.base for one in nodes], cells, hint), tuple(steps))

    def _step(self, steps: Sequence[str], cells: Sequence[int], hint: str) -> str:
        """A step of a path: a name, or a place for one that differs."""
        if len(set(steps)) == 1:
            return steps[0]
        pieces = self.templates.template(steps, cells, hint, self.roots)
        chosen = pieces[0].text if len(pieces) == 1 else ""
        is_choice = chosen.startswith("if ")
        return self.filled(
            chosen if is_choice else self.templates.line(steps, cells, hint, self.roots)
        )

    def _text(self, nodes: Sequence[NixString], cells: Sequence[int], hint: str) -> NixExpr | None:
        """A string with interpolations, of which the texts between them differ."""
        if len({len(one.parts) for one in nodes}) > 1:
            return None
        made: list[str | NixExpr] = []
        for column in zip(*[one.parts for one in nodes], strict=True):
            if all(part == column[0] for part in column):
                made.append(column[0])
                continue
            texts = [part for part in column if isinstance(part, str)]
            inner = [part for part in column if not isinstance(part, str)]
            if texts and inner:
                return None
            place = self.of(inner, cells, hint) if inner else self.place(texts, cells, hint)
            made += place.parts if isinstance(place, NixString) else [place]
        return joined(made)

    def _list_by_parts(
        self, rows: Sequence[Sequence[NixExpr]], cells: Sequence[int], hint: str
    ) -> NixExpr:
        """Lists of several lengths: what all have, and what some have behind a condition."""
        distinct = list(dict.fromkeys(map(tuple, rows)))
        place = {row: number for number, row in enumerate(distinct)}
        row_of = {cell: place[tuple(row)] for cell, row in zip(cells, rows, strict=True)}
        parts: list[tuple[tuple[int, ...], list[NixExpr]]] = []
        for column in align(distinct, self._alike):
            here = tuple([cell for cell in cells if row_of[cell] in column])
            made = self.of([column[row_of[cell]] for cell in here], here, hint)
            if parts and parts[-1][0] == here:
                parts[-1][1].append(made)
            else:
                parts.append((here, [made]))
        lists = [
            self._optional("optionals", NixList(tuple(items)), here, cells) for here, items in parts
        ]
        return _joined("++", lists)

    def _set_by_parts(self, rows: Sequence[Mapping[str, NixExpr]], cells: Sequence[int]) -> NixExpr:
        """Sets of which some attributes are there in some cells only: these behind a condition."""
        parts: dict[tuple[int, ...], Entries] = {tuple(cells): []}
        for name in dict.fromkeys([name for row in rows for name in row]):
            there = [at for at, row in enumerate(rows) if name in row]
            here = tuple([cells[at] for at in there])
            made = self.of([rows[at][name] for at in there], here, name_from(name))
            parts.setdefault(here, []).append((name, made))
        sets = [
            self._optional("optionalAttrs", attrs_of(entries), here, cells)
            for here, entries in parts.items()
        ]
        return _joined("//", sets)

    def _optional(
        self, how: str, node: NixExpr, here: Sequence[int], cells: Sequence[int]
    ) -> NixExpr:
        """*node*, which the cells *here* of *cells* have: by a function of nixpkgs' library."""
        if len(here) == len(cells):
            return node
        if "@lib" not in self.roots:
            raise CannotSay("Nix expressions differ")
        if self.declared.cells.lenient:
            self.declared.odd |= self.declared.cells.missing(here, cells)
        condition = NixIdent(self.filled(self.declared.cells.condition(here, cells).code))
        return NixApply(NixApply(NixSelect(NixIdent("@lib"), (how,)), condition), node)


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
