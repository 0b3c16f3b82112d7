"""Writes values that differ between cells as one expression of the language."""

from __future__ import annotations

import posixpath

from tvarc.byhand.importing.declarations import Declarations, hint_of
from tvarc.byhand.importing.lines import Lines
from tvarc.byhand.importing.lookups import code_of
from tvarc.byhand.importing.names import entry_key, key, name_from
from tvarc.byhand.importing.skeleton import Atoms, Skeleton
from tvarc.byhand.importing.sources import Sources, is_fetcher
from tvarc.byhand.importing.templates import Templates
from tvarc.byhand.importing.written import (
    CannotSay,
    Roots,
    Site,
    block,
    file_path,
    filled,
    nix_text,
    own_reference,
    record,
    record_keys,
    reference,
    repeated_calls,
)
from tvarc.byhand.reading.marks import CODE_OPEN, plain
from tvarc.byhand.reading.trees import entries_of, path_of, text_of
from tvarc.light import Final, Sequence
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixList,
    NixSelect,
    NixString,
    elements,
)
from tvarc.values.value import show

_MOST_CHOICES: Final = 4


class Values:
    """Writes expressions for the cells of one matrix, with the declarations *declared*. *inputs*
    are the names of other repositories by address and hash, *outputs* is the output folder."""

    __slots__ = (
        "atoms", "declared", "lines", "sources", "templates",
    )  # fmt: skip

    def __init__(
        self, declared: Declarations, inputs: dict[tuple[str, str], str], outputs: str
    ) -> None:
        self.declared = declared
        self.templates = Templates(declared, self._atom)
        self.lines = Lines(self.templates)
        self.atoms = Atoms(self.templates)
        self.sources = Sources(self.atoms, self.skeleton, self.value, inputs, outputs)

    def skeleton(self, roots: Roots) -> Skeleton:
        """A new text of Nix."""
        return Skeleton(self.templates, self.atoms, roots)

    def value(self, nodes: Sequence[NixExpr], at: Site) -> str:
        """An expression with the value of a different one of *nodes* in each cell. Raises
        CannotSay."""
        first = nodes[0]
        if all(isinstance(node, NixString) for node in nodes):
            return self._text([node for node in nodes if isinstance(node, NixString)], at)
        same = all(node == first for node in nodes)
        if all(map(_is_plain, nodes)):
            return self._plain(nodes, at)
        if all(isinstance(node, NixList) for node in nodes) and not (
            same and repeated_calls(first)
        ):
            return self._list([elements(node) for node in nodes if isinstance(node, NixList)], at)
        keys = record_keys(first)
        if keys is not None and all(record_keys(node) == keys for node in nodes):
            rows = [dict(entries_of(node)) for node in nodes if isinstance(node, NixAttrs)]
            inner = []
            for name in keys:
                code = self._entry([row[name] for row in rows], at.named(name_from(name)))
                inner.append(f"{entry_key(name)} = {code}")
            return record(inner)
        called = self._called(nodes, at) if at.hint == "package" else None
        if called is not None:
            return called
        taken = self.sources.of_input(nodes, at)
        if taken is not None:
            return taken
        source = self.sources.github(nodes, at) or self.sources.url(nodes, at)
        if source is None and all(map(is_fetcher, nodes)):
            source = self._called(nodes, at)
        if source is not None:
            return source
        files = None if same else self.sources.differing(nodes, at)
        if files is not None:
            return files
        if same:
            path = path_of(first)
            if path is not None:
                return file_path(path)
            known = reference(first, at.roots)
            if known:
                return known
        return (not same and self._paths(nodes, at)) or self._nix(nodes, at)

    def _nix(self, nodes: Sequence[NixExpr], at: Site) -> str:
        """The Nix text with the value of a different one of *nodes* in each cell."""
        return self.skeleton(at.roots).differing(self.templates.unnamed(nodes, at.cells), at)

    def _entry(self, nodes: Sequence[NixExpr], at: Site) -> str:
        """An expression for an entry of a record. If one form is not enough, it is a choice between
        a few, such as lists of several lengths."""
        try:
            return self.value(nodes, at)
        except CannotSay:
            groups: dict[object, list[int]] = {}
            for place, node in enumerate(nodes):
                groups.setdefault(_size(node), []).append(place)
            if not 1 < len(groups) <= _MOST_CHOICES:
                raise
        *others, last = sorted(groups.values(), key=len)

        def said(places: Sequence[int]) -> str:
            here = [at.cells[place] for place in places]
            return self.value([nodes[place] for place in places], at.of(here))

        made = said(last)
        for places in others:
            here = [at.cells[place] for place in places]
            condition = self.declared.cells.condition(here, at.cells).code
            made = f"if {condition} then {said(places)} else {made}"
        return made

    def _text(self, nodes: Sequence[NixString], at: Site) -> str:
        texts = self.atoms.flat(nodes, at.cells)
        if not any("\n" in text for text in texts):
            try:
                return self.templates.line(texts, at)
            except CannotSay:
                if all(len(node.parts) == 1 for node in nodes):
                    raise
                return self._nix(nodes, at)
        found = self.lines.segments(texts, at, at.cells)
        if any(len(one.cells) < len(at.cells) for one in found):
            raise CannotSay("only some recipes have certain lines of a string")
        return block([line for one in found for line in one.lines])

    def _plain(self, nodes: Sequence[NixExpr], at: Site) -> str:
        found = self.declared.cells.explain([_written(node) for node in nodes], at.cells)
        self.declared.odd |= found.exceptions
        if found.kind == "fact":
            raise CannotSay("numbers differ from cell to cell")
        return code_of(found.code, self.declared.lookups.hint(at.hint, plain=True), str)

    def _list(self, rows: Sequence[list[NixExpr]], at: Site) -> str:
        words = [[text_of(item) for item in row] for row in rows]
        if all(None not in row for row in words) and len({tuple(row) for row in words}) > 1:
            texts = [" ".join([plain(word or "") for word in row]) for row in words]
            for axis in self.declared.cells.axes:
                for column in self.declared.cells.columns[axis.name]:
                    if column.whole_list and all(
                        column.values.get(self.declared.cells.cells[cell][axis.name]) == text
                        for cell, text in zip(at.cells, texts, strict=True)
                    ):
                        return column.code
        if len({len(row) for row in rows}) > 1:
            raise CannotSay("lists have different lengths")
        return filled([self.value(column, at) for column in zip(*rows, strict=True)])

    def _called(self, nodes: Sequence[NixExpr], at: Site) -> str | None:
        """`call(function, { … })`, if all nodes are packages from scratch."""
        functions: list[NixExpr] = []
        given: list[NixExpr] = []
        for node in nodes:
            match node:
                case NixApply(function, NixAttrs() as attrs):
                    functions.append(function)
                    given.append(attrs)
                case _:
                    return None
        called = self.value(functions, at.named("builder"))
        return f"call({called}, {self.value(given, at.named('attributes'))})"

    def _paths(self, nodes: Sequence[NixExpr], at: Site) -> str | None:
        """`pkgs.a[…].b`, if all nodes are paths of the same length below one root."""
        paths: list[tuple[str, ...]] = []
        root = ""
        for node in nodes:
            match node:
                case NixSelect(NixIdent(name), path, None) if (
                    name in at.roots and root in ("", name)
                ):
                    root = name
                    paths.append(tuple([str(step) for step in path]))
                case _:
                    return None
        if len({len(path) for path in paths}) > 1 or root == "@lib":
            return None
        made = at.roots[root]
        for column in zip(*paths, strict=True):
            if len(set(column)) == 1:
                made += f".{key(column[0])}"
            else:
                made += f"[{self.templates.step(column, at)}]"
        return made

    def _atom(self, number: int, roots: Roots) -> str:
        node = self.atoms.nodes[number]
        path = path_of(node)
        if path is not None:
            code = (
                self.skeleton(roots).of_axes(path) if CODE_OPEN in path else nix_text(node, roots)
            )
            return self.declared.let(hint_of(posixpath.basename(path), "file"), code)
        known = own_reference(node) or reference(node, roots)
        if known:
            return known
        cells = sorted(self.atoms.cells[number])
        fetched = self.sources.url([node] * len(cells), Site(cells, "", roots))
        if fetched:
            return self.declared.let("file", fetched)
        return self.skeleton(roots).one(node, cells)


def _size(node: NixExpr) -> object:
    """The length of a list or a text. Values of different lengths cannot be one expression."""
    match node:
        case NixList():
            return ("list", len(elements(node)))
        case NixString(parts):
            whole = "".join([part if isinstance(part, str) else "x" for part in parts])
            return ("text", tuple([not line.strip() for line in whole.split("\n")]))
        case _:
            return type(node).__name__


def _is_plain(node: NixExpr) -> bool:
    """Whether *node* is a value that the language writes as Nix does."""
    return isinstance(node, NixInt | NixFloat) or node in (TRUE, FALSE, NULL)


def _written(node: NixExpr) -> str:
    match node:
        case NixInt(value):
            return str(value)
        case NixFloat(text):
            return show(float(text))
        case NixIdent(name):
            return name
        case _:
            raise AssertionError("it is no plain value")
