"""Nix text that differs between cells: the common text, with placeholders for values."""

from __future__ import annotations

import posixpath
import re
from functools import reduce

from tvarc.byhand.importing.alignment import side_by_side, similar_words
from tvarc.byhand.importing.declarations import instead
from tvarc.byhand.importing.lookups import code_of
from tvarc.byhand.importing.names import name_from
from tvarc.byhand.importing.symbols import MARKED, coded
from tvarc.byhand.importing.templates import Templates
from tvarc.byhand.importing.written import (
    PLACEHOLDER,
    PLACEHOLDER_CLOSE,
    PLACEHOLDER_OPEN,
    CannotSay,
    Roots,
    Site,
    file_path,
    nix_text,
)
from tvarc.byhand.reading.marks import (
    CODE_CLOSE,
    CODE_OPEN,
    FOLD_CLOSE,
    FOLD_OPEN,
    NIX_CLOSE,
    NIX_OPEN,
    plain,
)
from tvarc.byhand.reading.trees import (
    SOURCE_NODE,
    Entries,
    attrs_of,
    entries_of,
    file_of_input,
    joined,
    path_node,
    path_of,
    rewritten,
    root_of,
    text_of,
)
from tvarc.light import Callable, Final, Mapping, Sequence, dataclass, field
from tvarc.nix.language.syntax import (
    FALSE,
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixIf,
    NixLambda,
    NixList,
    NixNot,
    NixOp,
    NixSelect,
    NixString,
    elements,
)

_MOST_KINDS: Final = 4
_ADDING_NOTHING: Final[Mapping[str, tuple[NixOp, NixExpr]]] = {
    "++": ("++", NixList(())), "//": ("//", NixAttrs(())),
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Skeleton:
    """One text of Nix in a program, in which *roots* have these names. It is the text of one value,
    or the common text of the cells of a matrix, with `placeholders` for the differences."""

    templates: Templates
    atoms: Atoms
    roots: Roots
    placeholders: list[str] = field(default_factory=list)
    in_function: bool = False  # within Nix text, no part of which the language can express

    def one(self, node: NixExpr, cells: Sequence[int] = ()) -> str:
        """The text of *node* in *cells*, which may use the placeholders."""
        links = self.templates.links(cells)

        def change(one: NixExpr) -> NixExpr | None:
            if not links or not isinstance(one, NixString):
                return None
            parts = [
                coded(part, links.get, self._within)
                if isinstance(part, str)
                else rewritten(part, change)
                for part in one.parts
            ]
            return joined(parts)

        return nix_text(rewritten(node, change), self.roots, self.placeholders)

    def differing(self, nodes: Sequence[NixExpr], at: Site) -> str:
        """The common text of *nodes*. Raises CannotSay."""
        return self.one(self._of(nodes, at), at.cells)

    def files_of(self, folder: str, names: Sequence[str], at: Site) -> str:
        """The text of the paths of files in *folder* with these *names*, as a sum in Nix."""
        return self.one(self._put_together(folder, names, at), at.cells)

    def of_axes(self, path: str) -> str:
        """The text of the files *path*, which contains names of axes."""
        steps = path.split("/")
        fixed = next(number for number, step in enumerate(steps) if CODE_OPEN in step)
        parts = MARKED.split("/" + "/".join(steps[fixed:]))
        text = "".join(
            [self._within(one[1:-1]) if one.startswith(CODE_OPEN) else one for one in parts]
        )
        folder = path_node("/".join(steps[:fixed]) or ".")
        return self.one(NixBinary("+", folder, NixString((text,))))

    def _of(self, nodes: Sequence[NixExpr], at: Site) -> NixExpr:
        """The common form of *nodes*, with placeholders for the differences. Raises CannotSay."""
        first = nodes[0]
        if all(node == first for node in nodes):
            return first
        paths = paths_of(nodes)
        if paths is not None:
            return self._file(paths, at)
        if any(path_of(node) is not None for node in nodes):
            raise CannotSay("a value is a file in some recipes only")
        texts = [text_of(node) for node in nodes]
        if None not in texts:
            return self._place([text or "" for text in texts], at)
        found = self._of_parts(_all_added(nodes) if self.in_function else nodes, at)
        return found or self._chosen(nodes, at)

    def _of_parts(self, nodes: Sequence[NixExpr], at: Site) -> NixExpr | None:
        """Combine expressions of one kind, part by part; None if they are of several kinds."""
        match nodes[0]:
            case NixSelect(_, _, None):
                return self._selected(nodes, at)
            case NixString():
                return self._text(nodes, at)
            case _:
                pass
        rows = [_taken_apart(node) for node in nodes]
        if rows[0] is None or any(row is None or row.kind != rows[0].kind for row in rows):
            return self._of_lengths(nodes, at) if self.in_function else None
        within = self.in_function or isinstance(nodes[0], NixLambda | NixIf)
        columns = zip(*[row.parts for row in rows if row is not None], strict=True)
        names = rows[0].names or (at.hint,) * len(rows[0].parts)
        with instead(self, in_function=within):
            parts = zip(columns, names, strict=True)
            return rows[0].made([self._of(column, at.named(name)) for column, name in parts])

    def _selected(self, nodes: Sequence[NixExpr], at: Site) -> NixExpr | None:
        """Combine selections with paths of one length."""
        found = [one for one in nodes if isinstance(one, NixSelect) and one.default is None]
        if len(found) < len(nodes) or len({len(one.path) for one in found}) > 1:
            return None
        columns = zip(*[one.path for one in found], strict=True)
        steps = [self._step([str(one) for one in column], at) for column in columns]
        return NixSelect(self._of([one.base for one in found], at), tuple(steps))

    def _step(self, steps: Sequence[str], at: Site) -> str:
        """A step of a path: a name, or a placeholder."""
        if len(set(steps)) == 1:
            return steps[0]
        pieces = self.templates.template(steps, at)
        chosen = pieces[0].text if len(pieces) == 1 else ""
        is_choice = chosen.startswith("if ")
        return self._filled(chosen if is_choice else self.templates.step(steps, at))

    def _text(self, nodes: Sequence[NixExpr], at: Site) -> NixExpr | None:
        """Combine strings with interpolations and different texts between them."""
        rows = [node.parts for node in nodes if isinstance(node, NixString)]
        if len(rows) < len(nodes) or len({len(row) for row in rows}) > 1:
            return None
        made: list[str | NixExpr] = []
        for column in zip(*rows, strict=True):
            if all(part == column[0] for part in column):
                made.append(column[0])
                continue
            texts = [part for part in column if isinstance(part, str)]
            inner = [part for part in column if not isinstance(part, str)]
            if texts and inner:
                return None
            place = self._of(inner, at) if inner else self._place(texts, at)
            made += place.parts if isinstance(place, NixString) else [place]
        return joined(made)

    def _of_lengths(self, nodes: Sequence[NixExpr], at: Site) -> NixExpr | None:
        """Combine lists of several lengths, or sets with several keys: common parts, and parts of
        some cells under a condition; None for other expressions."""
        lists = [elements(node) for node in nodes if isinstance(node, NixList)]
        sets = [dict(entries_of(node)) for node in nodes if isinstance(node, NixAttrs)]
        parts: list[tuple[tuple[int, ...], Entries]] = []
        if len(lists) == len(nodes):
            for here, items in side_by_side(lists, at.cells, self.atoms.alike):
                if not parts or parts[-1][0] != here:
                    parts.append((here, []))
                parts[-1][1].append(("", self._of(items, at.of(here))))
            made = [
                self._optional("optionals", NixList(tuple([one for _, one in items])), here, at)
                for here, items in parts
            ]
            return reduce(lambda one, other: NixBinary("++", one, other), made)
        if len(sets) < len(nodes):
            return None
        of_cells: dict[tuple[int, ...], Entries] = {tuple(at.cells): []}
        for name in dict.fromkeys([name for row in sets for name in row]):
            there = zip(at.cells, sets, strict=True)
            some = {cell: row[name] for cell, row in there if name in row}
            here = tuple(some)
            value = self._of(list(some.values()), at.of(here).named(name_from(name)))
            of_cells.setdefault(here, []).append((name, value))
        made = [
            self._optional("optionalAttrs", attrs_of(entries), here, at)
            for here, entries in of_cells.items()
            if entries
        ]
        return reduce(lambda one, other: NixBinary("//", one, other), made)

    def _chosen(self, nodes: Sequence[NixExpr], at: Site) -> NixExpr:
        """Combine expressions of a few kinds, each under a condition. Raises CannotSay if the
        language could express each of them alone."""
        kinds: dict[object, list[tuple[int, NixExpr]]] = {}
        for one in zip(at.cells, nodes, strict=True):
            apart = _taken_apart(one[1])
            kinds.setdefault(apart.kind if apart is not None else one[1], []).append(one)
        if not self.in_function or not 1 < len(kinds) <= _MOST_KINDS:
            raise CannotSay("Nix expressions differ")
        if kinds.keys() == {TRUE, FALSE}:
            return self._condition([cell for cell, _ in kinds[TRUE]], at)
        made: NixExpr | None = None
        for some in sorted(kinds.values(), key=len, reverse=True):
            here = [cell for cell, _ in some]
            inner = self._of([node for _, node in some], at.of(here))
            made = inner if made is None else NixIf(self._condition(here, at), inner, made)
        assert made is not None
        return made

    def _optional(self, how: str, node: NixExpr, here: Sequence[int], at: Site) -> NixExpr:
        """*node* for the cells *here*, by a function of nixpkgs' library."""
        if len(here) == len(at.cells):
            return node
        if "@lib" not in at.roots:
            raise CannotSay("Nix expressions differ")
        condition = self._condition(here, at)
        return NixApply(NixApply(NixSelect(NixIdent("@lib"), (how,)), condition), node)

    def _condition(self, here: Sequence[int], at: Site) -> NixExpr:
        """A placeholder for the condition of the cells *here*, which holds in no other cell of the
        site."""
        declared = self.templates.declared
        if declared.cells.lenient:
            declared.odd |= declared.cells.missing(here, at.cells)
        return NixIdent(self._filled(declared.cells.condition(here, at.cells).code))

    def _file(self, paths: Sequence[str], at: Site) -> NixExpr:
        """Combine files that differ: a path with names of axes, or a choice of paths."""
        folder = folder_of(paths)
        names = self.atoms.below(folder, paths)
        if self.atoms.follow_axes(names, at):
            return self._put_together(folder, names, at)
        return NixIdent(self._filled(self.atoms.choice(paths, at)))

    def _put_together(self, folder: str, names: Sequence[str], at: Site) -> NixExpr:
        below = [f"/{name}" for name in names]
        return NixBinary("+", path_node(folder), self._place(below, at))

    def _place(self, texts: Sequence[str], at: Site) -> NixExpr:
        """A string of Nix for *texts*, with placeholders for the differences, or one placeholder
        for the whole string."""
        pieces = self.templates.template(texts, at)
        code = self.templates.line(texts, at) if len(pieces) == 1 else ""
        if code and not code.startswith('"'):
            return NixIdent(self._filled(code))
        return NixString(
            ("".join([self._within(one.text) if one.is_code else one.text for one in pieces]),)
        )

    def _filled(self, code: str) -> str:
        """The name of a placeholder for the value *code*."""
        self.placeholders.append(code)
        return f"{PLACEHOLDER}{len(self.placeholders) - 1}"

    def _within(self, code: str) -> str:
        """A placeholder for the value *code* within a string."""
        self.placeholders.append(code)
        return f"{PLACEHOLDER_OPEN}{len(self.placeholders) - 1}{PLACEHOLDER_CLOSE}"


@dataclass(frozen=True, slots=True)
class _Apart:
    """The parts of a node. Nodes of one `kind` have the same number of `parts`, from which `made`
    makes such a node. Parts of sets have `names`."""

    kind: object
    parts: tuple[NixExpr, ...]
    made: Callable[[list[NixExpr]], NixExpr]
    names: tuple[str, ...] = ()


def _taken_apart(node: NixExpr) -> _Apart | None:
    """The parts of *node*; None if only the whole node can differ."""
    match node:
        case NixApply(function, argument):
            return _Apart("call", (function, argument), lambda made: NixApply(made[0], made[1]))
        case NixAttrs():
            keys, values = zip(*entries_of(node), strict=True) if node.entries else ((), ())
            names = tuple([name_from(key) for key in keys])
            return _Apart(
                keys, values, lambda made: attrs_of(list(zip(keys, made, strict=True))), names
            )
        case NixList():
            items = tuple(elements(node))
            return _Apart(len(items), items, lambda made: NixList(tuple(made)))
        case NixBinary(op, left, right):
            return _Apart(op, (left, right), lambda made: NixBinary(op, made[0], made[1]))
        case NixIf(condition, then, otherwise):
            return _Apart(
                "if", (condition, then, otherwise), lambda made: NixIf(made[0], made[1], made[2])
            )
        case NixNot(operand):
            return _Apart("not", (operand,), lambda made: NixNot(made[0]))
        case NixSelect(base, path, default) if default is not None:
            return _Apart(
                ("or", path), (base, default), lambda made: NixSelect(made[0], path, made[1])
            )
        case NixLambda(parameter, body):
            return _Apart(
                ("function", parameter), (body,), lambda made: NixLambda(parameter, made[0])
            )
        case _:
            return None


def _all_added(nodes: Sequence[NixExpr]) -> Sequence[NixExpr]:
    """*nodes*, in which those without an addition add an empty value if others add something."""
    ops = {node.op for node in nodes if isinstance(node, NixBinary)}
    empty = _ADDING_NOTHING.get(ops.pop()) if len(ops) == 1 else None
    if empty is None:
        return nodes
    op, nothing = empty
    return [one if isinstance(one, NixBinary) else NixBinary(op, one, nothing) for one in nodes]


class Atoms:
    """The values that only Nix knows in the recipes of one matrix: files, whose names may contain
    axes, and parts of texts, each with a number."""

    __slots__ = ("_numbers", "_values", "cells", "declared", "nodes", "templates")

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self.declared = templates.declared
        self.nodes: list[NixExpr] = []
        self.cells: list[set[int]] = []  # the cells with each node
        self._numbers: dict[NixExpr, int] = {}
        cells = self.declared.cells
        values = [value for axis in cells.axes for value in axis.values]
        words = sorted({*values, *cells.shape.stems}, key=len, reverse=True)
        self._values = re.compile(
            rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, words))})(?![A-Za-z0-9])"
        )

    def flat(self, nodes: Sequence[NixString], cells: Sequence[int]) -> list[str]:
        """The texts of *nodes*, with numbers for values that only Nix knows. Files that differ by
        axes share a number."""
        rows = [
            [
                (part, None) if isinstance(part, str) else (self._named(part, cell), path_of(part))
                for part in node.parts
            ]
            for node, cell in zip(nodes, cells, strict=True)
        ]
        named = [
            {path: self._by_axes(path, cell) for _, path in row if path}
            for row, cell in zip(rows, cells, strict=True)
        ]
        literal = {path for one in named for path, form in one.items() if form == path}
        paths: dict[str, set[str]] = {}
        for one in named:
            for path, form in one.items():
                paths.setdefault(form, set()).add(path)
        follow = {form for form, some in paths.items() if len(some) > 1 and not some & literal}
        return [
            "".join(
                [
                    part
                    if isinstance(part, str)
                    else self._numbered(
                        path_node(forms[path]) if path and forms[path] in follow else part, cell
                    )
                    for part, path in row
                ]
            )
            for row, forms, cell in zip(rows, named, cells, strict=True)
        ]

    def _named(self, node: NixExpr, cell: int) -> NixExpr:
        """*node*, in which the fetched source has its name only if *node* is that source or a part
        of it."""
        root = root_of(node)
        if root is not None and root[0] == SOURCE_NODE.name:
            return node
        return self.templates.unnamed([node], [cell])[0]

    def _numbered(self, node: NixExpr, cell: int) -> str:
        """The text that replaces *node* in a text of *cell*."""
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            self.cells.append(set())
        self.cells[number].add(cell)
        return f"{NIX_OPEN}{number}{NIX_CLOSE}"

    def _by_axes(self, path: str, cell: int) -> str:
        """*path*, in which names of axes replace their values in *cell*."""
        names = {value: name for name, value in self.declared.cells.cells[cell].items()}
        names[self.declared.cells.shape.stems[cell]] = "variant"

        def named(found: re.Match[str]) -> str:
            name = names.get(found[0])
            return f"{CODE_OPEN}{name}{CODE_CLOSE}" if name else found[0]

        return self._values.sub(named, path)

    def below(self, folder: str, paths: Sequence[str]) -> list[str]:
        """The names of files in *folder*, with marks at words that are values of axes."""

        def marked(found: re.Match[str]) -> str:
            return f"{FOLD_OPEN}{found[0]}{FOLD_CLOSE}"

        return [self._values.sub(marked, posixpath.relpath(path, folder)) for path in paths]

    def follow_axes(self, names: Sequence[str], at: Site) -> bool:
        """Whether axes alone describe the differences of *names*, without a table or a
        condition."""
        declared = self.declared
        lookups, lets = declared.lookups, declared.lets
        with declared.aside():
            try:
                pieces = self.templates.template(names, at)
            except CannotSay:
                return False
            return (
                declared.lets == lets
                and declared.lookups.columns == lookups.columns
                and not any(one.is_code and one.text.startswith("if ") for one in pieces)
            )

    def choice(self, paths: Sequence[str], at: Site) -> str:
        """The expression for files by their paths, in a table or by conditions."""
        found = self.declared.cells.explain(list(map(file_path, paths)), at.cells)
        self.declared.odd |= found.exceptions
        return code_of(found.code, self.declared.lookups.hint(at.hint, plain=True), str)

    def _are_one(self, one: str, other: str) -> bool:
        """Whether two files may have the same role in two recipes: their names differ only in
        folders, or in words that are values of axes."""
        return posixpath.basename(one) == posixpath.basename(other) or (
            self._values.sub("", one) == self._values.sub("", other)
        )

    def alike(self, left: NixExpr, right: NixExpr) -> float:
        """A score for two elements of two lists being versions of the same element."""
        mine, theirs = text_of(left), text_of(right)
        if mine is not None and theirs is not None:
            same = plain(mine).split("=")[0] == plain(theirs).split("=")[0]
            return 1.5 if same else similar_words(mine, theirs) - 0.7 if mine and theirs else 0
        if left == right:
            return 2.0
        mine, theirs = path_of(left), path_of(right)
        if mine is not None and theirs is not None and self._are_one(mine, theirs):
            return 1.2
        mine, theirs = _file_stem(left), _file_stem(right)
        return 1.2 if mine and mine == theirs else -1.0


def paths_of(nodes: Sequence[NixExpr]) -> list[str] | None:
    """The paths of *nodes* as files; None if one is not a file."""
    paths = [path for node in nodes if (path := path_of(node)) is not None]
    return paths if len(paths) == len(nodes) else None


def folder_of(paths: Sequence[str]) -> str:
    """The folder of all files *paths*."""
    return posixpath.commonpath(list(map(posixpath.dirname, paths))) or "."


def leads_out(path: str) -> bool:
    return path.startswith(("../", "/")) or path == ".."


def is_within(path: str, folder: str) -> bool:
    """Whether *path* is *folder*, or below it."""
    return folder == "." or f"{path}/".startswith(f"{folder}/")


def _file_stem(node: NixExpr) -> str:
    """The beginning of the name of the file from another repository that makes *node*."""
    while isinstance(node, NixApply) and node.function != NixIdent("import"):
        node = node.function
    file = file_of_input(node.argument) if isinstance(node, NixApply) else None
    return file[1].rpartition("-")[0] if file is not None else ""
