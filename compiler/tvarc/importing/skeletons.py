"""Nix text that differs from cell to cell: what all cells have, with places for values."""

from __future__ import annotations

from functools import partial

from tvarc.importing.alignment import align
from tvarc.importing.elements import alike
from tvarc.importing.files import Files, folder_of, paths_of
from tvarc.importing.marks import CODE_OPEN
from tvarc.importing.symbols import MARKED
from tvarc.importing.templates import Templates
from tvarc.importing.trees import (
    attrs_of,
    entries_of,
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
    name_from,
    nix_text,
    record_keys,
)
from tvarc.light import Callable, Final, Mapping, Sequence, TypeGuard
from tvarc.nix.syntax import (
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
}  # fmt: skip  # fmt: skip
"""What adds to a list or a set, and what adds nothing."""

OfInput = Callable[[NixExpr, Roots], "str | None"]
"""The name of what is of another repository, if that is what a node is."""


class Skeletons:
    """Makes Nix text for the cells of one matrix; *of_input* names what other repositories have."""

    __slots__ = ("_alike", "_in_function", "_of_input", "declared", "files", "templates")

    def __init__(self, templates: Templates, files: Files, of_input: OfInput) -> None:
        self.templates = templates
        self.declared = templates.declared
        self.files = files
        self._of_input = of_input
        self._alike = partial(alike, files=files)
        self._in_function = False  # within Nix text, which has names that the language has not

    def nix(self, node: NixExpr, roots: Roots, placeholders: list[str]) -> str:
        """*node* as Nix text, with places for the values *placeholders*, and for files of other
        repositories."""

        def change(one: NixExpr) -> NixExpr | None:
            if not isinstance(one, NixApply | NixBinary | NixString):
                return None
            name = self._of_input(one, roots)
            if name is None:
                return None
            placeholders.append(name)
            return NixIdent(f"{PLACEHOLDER}{len(placeholders) - 1}")

        return nix_text(rewritten(node, change), roots, placeholders)

    def skeleton(
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
            return self.skeleton(parts, cells, hint, roots, placeholders)

        paths = paths_of(nodes)
        if paths is not None:
            folder = folder_of(paths)
            names = self.files.below(folder, paths)
            if self.files.follow_axes(names, cells, hint, roots):
                return self.put_together(folder, names, cells, hint, roots, placeholders)
            placeholders.append(self.files.choice(paths, cells, hint))
            return NixIdent(f"{PLACEHOLDER}{len(placeholders) - 1}")
        if any(path_of(node) is not None for node in nodes):
            raise CannotSay("a file differs from what is none")
        texts = [text_of(node) for node in nodes]
        if None not in texts:
            return self.place([text or "" for text in texts], cells, hint, roots, placeholders)
        if self._in_function:
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
                        (name, self.skeleton(part, cells, name_from(name), roots, placeholders))
                        for name, part in zip(keys, parts, strict=True)
                    ]
                )
            case NixList():
                lists = [elements(node) for node in nodes if isinstance(node, NixList)]
                if len(lists) == len(nodes) and len({len(one) for one in lists}) == 1:
                    return NixList(tuple([inner(column) for column in zip(*lists, strict=True)]))
                if len(lists) == len(nodes) and self._in_function:
                    return self._list_by_parts(lists, cells, hint, roots, placeholders)
            case NixAttrs() if self._in_function:
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
                    before, self._in_function = self._in_function, True
                    try:
                        return NixLambda(parameter, inner(bodies))
                    finally:
                        self._in_function = before
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
        for column in align(distinct, self._alike):
            here = tuple([cell for cell in cells if row_of[cell] in column])
            items = [column[row_of[cell]] for cell in here]
            made = self.skeleton(items, here, hint, roots, placeholders)
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
            made = self.skeleton(values, here, name_from(name), roots, placeholders)
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
        if self.declared.cells.lenient:
            self.declared.odd |= self.declared.cells.missing(here, cells)
        placeholders.append(self.declared.cells.condition(here, cells).code)
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
        pieces = self.templates.template(steps, cells, hint, roots)
        chosen = pieces[0].text if len(pieces) == 1 else ""
        code = (
            chosen if chosen.startswith("if ") else self.templates.line(steps, cells, hint, roots)
        )
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
            place = self.place(texts, cells, hint, roots, placeholders)
            made += place.parts if isinstance(place, NixString) else [place]
        return joined(made)

    def place(
        self,
        texts: Sequence[str],
        cells: Sequence[int],
        hint: str,
        roots: Roots,
        placeholders: list[str],
    ) -> NixExpr:
        """A string of Nix for *texts*, with places for what differs; or a place for all of it."""
        pieces = self.templates.template(texts, cells, hint, roots)
        code = self.templates.line(texts, cells, hint, roots) if len(pieces) == 1 else ""
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

    def put_together(
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
            "+", path_node(folder), self.place(below, cells, hint, roots, placeholders)
        )

    def of_axes(self, path: str, roots: Roots) -> str:
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


def _has_parameter(node: NixExpr, parameter: object) -> TypeGuard[NixLambda]:
    return isinstance(node, NixLambda) and node.parameter == parameter


def _selects(node: NixExpr, steps: int) -> TypeGuard[NixSelect]:
    return isinstance(node, NixSelect) and len(node.path) == steps and node.default is None
