"""The public interface of tvarc: compile a program in memory, and query the result.

`compile` returns a `Program`. It has the diagnostics that `tvarc check` reports, the variants, the
dropped cells with their reasons, the recipe of each variant and the origin of each value in it. It
writes no files, starts no programs and uses no network. It reads only files that are installed with
tvarc. The same input gives the same result.

The names in `__all__`, their parameters and their fields follow semantic versioning, see
`docs/api.md`. All other modules of this package are private.
"""

from __future__ import annotations

import sys

from tvarc import RECURSION_LIMIT
from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Iterator,
    Literal,
    Mapping,
    dataclass,
    lru_cache,
    suppress,
)

if TYPE_CHECKING:
    from types import TracebackType

    from tvarc.build.driver import Compilation
    from tvarc.commands.shown.tree import Node
    from tvarc.files.cache import MemoryCache
    from tvarc.matrix import exclusion_eval
    from tvarc.matrix import variants as matrix_variants
    from tvarc.nix import ir
    from tvarc.text import source
    from tvarc.text.diagnostics import model

__all__ = (
    "Diagnostic", "Dropped", "Edit", "Explanation", "File", "Json", "Label", "Matrix", "Position",
    "Program", "Range", "Reason", "Refused", "Severity", "Variant", "compile",
)  # fmt: skip

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
"""Plain data, as `json.dumps` takes it."""

Severity = Literal["error", "warning"]

_WIDTH: Final = 100  # cells of a terminal


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source. `offset` counts code points from 0; `line` and `column` count from 1."""

    offset: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Range:
    """A run of characters of the source `file`. `end` is the position after the last character.
    A source of the standard library is named `std/NAME.tvar`."""

    file: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Label:
    """A range that a diagnostic points at, with a short text, which may be empty. `primary` marks
    the place of the fault."""

    range: Range
    text: str
    primary: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a source: `text` replaces the text at `range`. An empty range is an insertion, an
    empty text a removal.
    """

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the compiler. `code` is its stable name, such as `E401`; `name` is the name of
    a warning that a program can switch off, else empty. `title` is the fault, `notes` are its
    causes, `help` is the advice and may be empty. The primary label comes first; a diagnostic
    without a place in a source has no labels. `edits` carry out the help, and `fix` names them in a
    few words. A diagnostic has none if the user has to choose.
    """

    code: str
    name: str
    severity: Severity
    title: str
    labels: tuple[Label, ...]
    notes: tuple[str, ...]
    help: str
    fix: str = ""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of the program, or a single `variant`, which has no axes. `axes` has the values of
    each axis, as they are typed, in their order. The matrix has a cell for each combination."""

    name: str
    recipe: str
    axes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Variant:
    """A cell that is built. `axes` has its value on each axis, as it is typed."""

    name: str
    matrix: str
    recipe: str
    axes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reason:
    """An exclusion that drops a cell. `because` is the reason that the program gives, perhaps
    empty; `exclusion` is the text of the exclusion, with the conditions around it; `values` has
    the value of each expression that it reads, in the language's spelling. `through` is the line
    that brings in an exclusion of a module, if it is one."""

    because: str
    exclusion: str
    values: Mapping[str, str]
    range: Range
    through: Range | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A cell that is not built, with every exclusion that drops it. `name` is the name that its
    variant would have; it is empty if the cell would have none."""

    name: str
    matrix: str
    recipe: str
    axes: Mapping[str, str]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class File:
    """A file that `tvarc build` writes. `path` starts at the folder of the program and has `/`
    between its steps."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The values of a variant with the lines that wrote them: `text` is for people, as `tvarc
    explain` prints it, and `data` for programs, as in `tvarc explain --json`."""

    text: str
    data: Json


class Refused(Exception):
    """A request cannot be answered. `diagnostics` say why."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(*[f"{one.code}: {one.title}" for one in diagnostics[:1]])
        self.diagnostics = diagnostics


class Program:
    """A compiled program. It never changes. Costly results that are not always needed, such as the
    dropped cells, are made on the first request.
    """

    __slots__ = ("_diagnostics", "_dropped", "_made", "_variants")

    def __init__(self, made: Compilation) -> None:
        """Private: call `compile`."""
        self._made = made
        self._variants: tuple[Variant, ...] | None = None
        self._dropped: tuple[Dropped, ...] | None = None
        self._diagnostics: tuple[Diagnostic, ...] | None = None

    @property
    def ok(self) -> bool:
        """Whether the program has no errors. It may have warnings."""
        return not self._made.sink.has_errors

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All errors and warnings, as `tvarc check` reports them, in the order of the source."""
        if self._diagnostics is None:
            found = self._made.diagnostics
            self._diagnostics = tuple([_diagnostic(one, self._made) for one in found])
        return self._diagnostics

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        """The matrices of the program, in their order. A program with errors has those that could
        be read."""
        return tuple(
            [
                Matrix(
                    one.name,
                    one.recipe.name,
                    {pick.axis.name: tuple(map(_axis_text, pick.values)) for pick in one.axes},
                )
                for one in self._made.program.matrices
            ]
        )

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The cells that are built, in the order of `tvarc list`. The place of a variant is its
        number for `recipe` and `explain`. A program with errors has those that could be found."""
        if self._variants is None:
            found = self._made.variants
            self._variants = tuple(
                [
                    Variant(one.name, one.matrix.name, one.matrix.recipe.name, _axes(one))
                    for one in found
                ]
            )
        return self._variants

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """The cells that exclusions drop, matrix by matrix, in the order of their axes."""
        if self._dropped is None:
            with _Deep():
                self._dropped = tuple(_dropped(self._made))
        return self._dropped

    def messages(self, *, width: int = _WIDTH, colour: bool = False) -> str:
        """The diagnostics as text for a terminal of *width* cells; empty if there are none. With
        *colour* it contains ANSI escapes."""
        from tvarc.text.diagnostics.render_text import render_text

        made = self._made
        return render_text(made.diagnostics, made.sources, colour=colour, width=width)

    def recipe(self, index: int) -> tuple[File, ...]:
        """The files of the variant number *index*: one for each output that writes a file for each
        variant. If no output does, it is the recipe as a file `VARIANT.nix` next to the program.

        Raises Refused for a program with errors, and IndexError.
        """
        from tvarc.build.assembly.bodies import recipe_text

        with _Deep():
            recipe = self._decided(index)[1]
            here = self._made.file.rpartition("/")[2]
            paths = [file for _, file in recipe.files] or [f"{recipe.variant}.nix"]
            texts = [recipe_text(recipe, here, path, self._made.file) for path in paths]
        return tuple(map(File, paths, texts))

    def explain(
        self,
        index: int,
        path: str | None = None,
        *,
        width: int = _WIDTH,
        colour: bool = False,
        facts: bool = False,
    ) -> Explanation:
        """The lines of the sources that decide the variant number *index*, or the part of it that
        *path* names, such as `attrs.pname`. *width* and *colour* are those of `messages`.

        The text of a whole variant has one line for the facts of each axis value. With *facts* it
        has all of them.

        Raises Refused for a program with errors and for a path that the variant does not have, and
        IndexError.
        """
        with _Deep():
            return self._explained(index, path, width, colour, facts)

    def _explained(
        self, index: int, path: str | None, width: int, colour: bool, facts: bool
    ) -> Explanation:
        from tvarc.commands.explain.text import explain_text
        from tvarc.commands.programs.selecting import followed
        from tvarc.commands.shown.lookup import Unknown, look_up
        from tvarc.commands.shown.result import result_of
        from tvarc.commands.shown.tree import recipe_tree
        from tvarc.decide.trace import Trace
        from tvarc.values.plain import json_data

        made = self._made
        variant, recipe = self._decided(index)
        if path is not None:
            needed, path = followed(made, variant, path)
            if needed is not variant:
                variant, recipe = needed, self._recipe(needed)
        why = Trace(made.elaboration, variant, recipe, made.sources)
        tree = recipe_tree(recipe, made.inputs)
        node: Node | Unknown = tree if path is None else look_up(tree, path)
        if isinstance(node, Unknown):
            from tvarc.commands.explain.text import absent

            raise Refused((_diagnostic(absent(path or "", node, why, made.sources), made),))
        text = explain_text(
            tree, node, made.sources, colour=colour, width=width, why=why, facts=facts
        )
        return Explanation(text, json_data(result_of(node, made.sources, why), made.sources))

    def _decided(self, index: int) -> tuple[matrix_variants.Variant, ir.Recipe]:
        """The variant number *index*, and its recipe. Raises Refused, and IndexError."""
        if not self.ok:
            raise Refused(tuple([one for one in self.diagnostics if one.severity == "error"]))
        if not 0 <= index < len(self._made.variants):
            raise IndexError(f"the program has no variant number {index}")
        variant = self._made.variants[index]
        return variant, self._recipe(variant)

    def _recipe(self, variant: matrix_variants.Variant) -> ir.Recipe:
        recipe = self._made.recipe(variant)
        assert recipe is not None  # it was decided once, without an error
        return recipe


def compile(
    text: str,
    files: Mapping[str, str | bytes] | None = None,
    *,
    name: str = "variants.tvar",
    inputs: Mapping[str, str] | None = None,
) -> Program:
    """Compile the program *text*.

    *files* are the other files, by their paths from the folder that *name* starts in: modules that
    the program uses, `tvar.lock`, and the files of `path("…")`, which must be present and may be
    empty. *name* is the path of the program itself, as diagnostics show it. *inputs* are checkouts,
    by the names of inputs: the folder in *files* that has the modules and the files of the input.

    Errors of the program are diagnostics of the result, and are never raised.
    """
    from posixpath import normpath

    from tvarc.build.driver import Compilation, compile_file
    from tvarc.commands.programs.checking import check_program, too_much
    from tvarc.files.disk import MemoryLoader
    from tvarc.files.resources import library_texts
    from tvarc.text.diagnostics.model import Sink
    from tvarc.text.source import SourceMap

    given = {normpath(path): content for path, content in (files or {}).items()}
    given[normpath(name)] = text
    loader = MemoryLoader(given, library_texts())
    made = Compilation(name, loader, SourceMap(), Sink())
    with _Deep():
        try:
            given_inputs = tuple([f"{one}={folder}" for one, folder in (inputs or {}).items()])
            made = compile_file(name, loader, cache=_cache(), inputs=given_inputs)
            if made.expansion is not None:
                check_program(made)
        except (RecursionError, MemoryError) as fault:
            made.sink.add(too_much(fault))
    return Program(made)


@lru_cache(maxsize=1)
def _cache() -> MemoryCache:
    """The cache of this process, with the parts of the standard library that it has read for any
    program.
    """
    from tvarc.files.cache import MemoryCache
    from tvarc.files.resources import made_dir

    return MemoryCache(made_dir())


class _Deep:
    """A context in which the recursion limit of Python is high enough for the compiler."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = sys.getrecursionlimit()
        if self._before < RECURSION_LIMIT:
            sys.setrecursionlimit(RECURSION_LIMIT)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(RecursionError):  # the caller is already deeper than its own limit
            sys.setrecursionlimit(self._before)


# --- the compiler's own types as public ones ------------------------------------------------------


def _diagnostic(one: model.Diagnostic, made: Compilation) -> Diagnostic:
    labels = [Label(_range(label.span, made), label.text, label.primary) for label in one.labels]
    edits = [Edit(_range(edit.span, made), edit.text) for edit in one.edits]
    return Diagnostic(
        one.code,
        one.name,
        one.severity.value,
        one.title,
        tuple(labels),
        one.notes,
        one.help,
        one.fix,
        tuple(edits),
    )


def _range(span: source.Span, made: Compilation) -> Range:
    # Facts may come from a module of the library whose text was not read yet.
    found = made.sources.get(span.file) or made.loader.read(span.file)

    def position(offset: int) -> Position:
        at = found.position(offset)
        return Position(offset, at.line, at.column)

    return Range(span.file, position(span.start), position(span.end))


def _axis_text(value: object) -> str:
    from tvarc.matrix.variants import axis_text

    return axis_text(value)  # type: ignore[arg-type]


def _axes(variant: matrix_variants.Variant) -> dict[str, str]:
    return {axis: _axis_text(value) for axis, value in variant.values.items()}


def _dropped(made: Compilation) -> Iterator[Dropped]:
    if made.resolution is None or made.expansion is None:
        return
    from tvarc.commands.programs.selecting import dropped_meant

    for one in dropped_meant(made, (), made.sink):
        for cell in one.cells():
            variant = cell.variant
            reasons = tuple([_reason(reason, made) for reason in cell.reasons])
            yield Dropped(
                variant.name, variant.matrix.name, variant.matrix.recipe.name, _axes(variant),
                reasons,
            )  # fmt: skip


def _reason(reason: exclusion_eval.Reason, made: Compilation) -> Reason:
    from tvarc.commands.shown.excluded import cause_of
    from tvarc.values.value import show

    check = reason.check
    through = _range(check.through.span, made) if check.through is not None else None
    return Reason(
        check.because,
        cause_of(check, made.sources).text,
        {one.text: show(one.value) for one in reason.operands},
        _range(check.span, made),
        through,
    )
