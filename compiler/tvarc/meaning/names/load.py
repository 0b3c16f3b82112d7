"""Load the entry file and all that it imports. Each file is parsed once, and cycles are reported
here."""

from __future__ import annotations

from posixpath import dirname, relpath

from tvarc.files.cache import Cache
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Iterator,
    Mapping,
    Protocol,
    dataclass,
    field,
)
from tvarc.meaning import messages as msg
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.syntax.prebuilt import library_tree
from tvarc.syntax.terminals import RESERVED
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.suggest import Guess, guess
from tvarc.text.source import Source, SourceLoader, SourceMap, Span, UnreadableSource
from tvarc.values.value import quote

_MARK: Final = "<<<<<<<"  # begins a line that marks a merge conflict
_IN_BODIES: Final = ("let", "flag", "needs")
"""The words that declare a name in a recipe."""
_STRENGTH: Final = 3
"""The most words of a statement up to its name: `default part NAME`."""
_DIGITS: Final = 9  # digits of a number in a version
NEWEST: Final = 1  # the newest number of the language that this compiler reads


@dataclass(frozen=True, slots=True)
class Import:
    """One `use`: the statement, and the file that it names."""

    use: ast.Use
    file: str


DATA: Final = (".toml", ".json", ".csv")
"""The endings of files of data."""


class Taken(Protocol):
    """An input with modules that the program uses."""

    @property
    def item(self) -> ast.Input:
        """The declaration of the input."""


class ModuleInputs(Protocol):
    """Finds inputs for the `use`s that take modules from them."""

    @property
    def taken(self) -> Mapping[str, Taken]:
        """The inputs that were found, by their labels: the first step of the names of their files.
        """

    def locate(
        self,
        use: ast.Use,
        tree: ast.Module,
        loader: SourceLoader,
        loaded: Collection[str],
        sink: Sink,
    ) -> str | None:
        """The name of the file that *use* in *tree* takes from an input; None after reporting why
        there is none. *loaded* are the first steps of the names of other modules."""


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """A parsed file. `std` says that the file belongs to the standard library. `own` says that it
    belongs to the program itself, and neither to the library nor to an input.

    `excluded` are the files of the modules that `exclude MODULE` names, by the span of the name.
    The file is None after reporting that there is no such module.
    """

    tree: ast.Module
    imports: tuple[Import, ...]
    std: bool
    own: bool
    excluded: dict[Span, str | None]
    # `use`s that cannot be loaded, which is already reported.
    failed: tuple[ast.Use, ...] = ()
    # The files of data that tables are read from, by the span of their names.
    data: Mapping[Span, Source] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModuleGraph:
    """Modules in dependency order: each is after all that it imports, and the entry file is last.
    `inputs` are the inputs with modules that the program uses, by their labels: the first step of
    the names of their files."""

    entry: str
    modules: dict[str, LoadedModule]
    inputs: Mapping[str, Taken] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether all text of all modules was read, and no fault of syntax left something out."""
        return not any(module.tree.holes for module in self.modules.values())

    def data_files(self) -> Iterator[str]:
        """The files of data that tables are read from."""
        for module in self.modules.values():
            yield from [source.file for source in module.data.values()]

    def is_own(self, file: str) -> bool:
        """Whether *file* is a module of the program, which the user may edit."""
        module = self.modules.get(file)
        return module is not None and module.own

    def input_of(self, file: str) -> Taken | None:
        """The input of the module *file*; None for a module of the program."""
        return self.inputs.get(file.partition("/")[0]) if self.inputs else None


def load(
    file: str,
    loader: SourceLoader,
    sources: SourceMap,
    sink: Sink,
    cache: Cache | None = None,
    inputs: Callable[[], ModuleInputs] | None = None,
) -> ModuleGraph | None:
    """Read and parse *file* and its imports. None after reporting that *file* itself cannot be
    read, or that this compiler does not know its language.

    *cache* has the trees of the standard library, and the parser's tables. *inputs* makes the
    object that finds inputs. Without it, no input is found.
    """
    found = _Loading(loader, sources, sink, cache, inputs)
    try:
        source = loader.read(file)
    except UnreadableSource as fault:
        from tvarc.files.disk import report_unreadable

        report_unreadable(fault, sink, advice=_help(fault))
        return None
    if not found.module(source, std=False):
        return None
    return ModuleGraph(file, found.done, found.taken)


def _help(fault: UnreadableSource) -> str:
    if "=" in fault.file:
        return f"put several pairs for one option in quotes: `--only 'axis=value {fault.file}'`"
    if fault.folder:
        return "name a file in the folder, such as " + f"`{fault.file.rstrip('/')}/variants.tvar`"
    match fault.code:
        case "E107":
            return "save the file as UTF-8"
        case "E108":
            return "split it into modules and `use` them"
        case _:
            return "check the path and the file's permissions"


@dataclass(slots=True, eq=False)
class _Loading:
    loader: SourceLoader
    sources: SourceMap
    sink: Sink
    cache: Cache | None
    make_inputs: Callable[[], ModuleInputs] | None
    inputs: ModuleInputs | None = None
    done: dict[str, LoadedModule] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    spelling: dict[str, str] = field(default_factory=dict)

    def module(self, source: Source, *, std: bool) -> bool:
        """Parse *source* and load what it imports. False after reporting that its language is not
        known."""
        self.sources.add(source)
        self.spelling.setdefault(self.loader.identity(source.file), source.file)
        self.open.append(source.file)
        nul = source.text.find("\0")
        if nul >= 0:
            self.sink.report(msg.modules.NUL_CHARACTER, Span(source.file, nul, nul + 1))
            source = Source(source.file, source.text.replace("\0", " "))
        if not std and _MARK in source.text:
            from tvarc.meaning.names.conflicts import one_side

            source = one_side(source, self.sink)
        faults = Sink()
        tree = (library_tree if std else parse_module)(source, faults, self.cache)
        unknown = unknown_language(tree)
        if unknown is not None:
            # Other faults of the file may be correct in its own language.
            self.sink.add(unknown)
            self.open.pop()
            return False
        for fault in faults:
            self.sink.add(fault)
        for item in tree.items if tree.holes else ():
            if any(item.span.start < hole.start <= item.span.end for hole in tree.holes):
                self.sink.leave_out(item.span)
        misplaced_language(tree, self.sink)
        imports: list[Import] = []
        failed: list[ast.Use] = []
        data: dict[Span, Source] = {}
        for item in tree.items:
            if isinstance(item, ast.Use):
                target = self.target(item, tree, std=std)
                if target is not None:
                    imports.append(Import(item, target))
                else:
                    failed.append(item)
            elif isinstance(item, ast.Facts) and item.data is not None:
                read = self.data(item.data, source.file)
                if read is not None:
                    data[item.data.span] = read
        excluded = self.excluded(tree, imports, std=std)
        self.open.pop()
        own = not std and source.file.partition("/")[0] not in self.taken
        self.done[source.file] = LoadedModule(
            tree, tuple(imports), std, own, excluded, tuple(failed), data
        )
        return True

    def excluded(
        self, tree: ast.Module, imports: list[Import], *, std: bool
    ) -> dict[Span, str | None]:
        """The module of each `exclude` of *tree* that names one. A module of the standard library
        is loaded, and a file has the name that its `use` gives it."""
        found: dict[Span, str | None] = {}
        aliases = {i.use.alias.text: i.file for i in imports if i.use.alias is not None}
        for item in exclusions(tree.items):
            name = item.condition
            path = dotted(name)
            if len(path) == 1 and path[0] in aliases:
                found[name.span] = aliases[path[0]]
            elif len(path) > 1 and path[0] == "std" and not _declares(tree, "std"):
                use = ast.Use(path, None, None, None, name.span, name.span)
                found[name.span] = self.target(use, tree, std=std)
        return found

    def target(self, use: ast.Use, tree: ast.Module, *, std: bool) -> str | None:
        """The file that *use* in *tree* names, loaded; None after reporting why it cannot be."""
        target = self.locate(use, tree, std=std)
        if target is None:
            return None
        if target in self.done:
            return target
        # A file is one module, whichever links lead to it.
        target = self.spelling.setdefault(self.loader.identity(target), target)
        return target if self.visit(use, target) else None

    def locate(self, use: ast.Use, tree: ast.Module, *, std: bool) -> str | None:
        """The file that *use* in *tree* names. Reports a string that cannot name a file."""
        if use.path is not None:
            if "://" in use.path:
                self.sink.report(msg.modules.ADDRESS, use.target)
                return None
            if std:
                self.sink.report(msg.modules.IMPORT_OF_LIBRARY, use.target)
                return None
            if not use.path.endswith(".tvar"):
                self.sink.report(
                    msg.modules.NO_MODULE,
                    use.target,
                    path=use.path,
                    library=use.path if use.path.startswith("std.") else "",
                )
                return None
            if use.origin is not None:
                return self.of_input(use, tree)
            if use.path.startswith(("/", "~")):
                relative = self.relative(use.path, tree.file)
                self.sink.report(
                    msg.modules.ABSOLUTE_PATH,
                    use.target,
                    path=use.path,
                    relative=quote(relative) if relative else None,
                )
                return None
            try:
                return self.loader.join(tree.file, use.path)
            except UnreadableSource:
                name = self.taken[tree.file.partition("/")[0]].item.name.text
                self.sink.report(msg.modules.OUTSIDE_INPUT, use.target, path=use.path, name=name)
                return None
        assert use.module is not None
        dotted = ".".join(use.module)
        target = self.loader.std(".".join(use.module[1:])) if use.module[0] == "std" else None
        if target is None:
            known = [f"std.{name}" for name in self.loader.std_names()]
            self.sink.report(
                msg.modules.UNKNOWN_MODULE,
                use.target,
                name=dotted,
                known=", ".join(known),
                guess=Guess(f"std.{dotted}", True)
                if f"std.{dotted}" in known
                else guess(dotted, known),
            )
        return target

    def of_input(self, use: ast.Use, tree: ast.Module) -> str | None:
        """The file that *use* in *tree* takes from an input; None after reporting why there is
        none."""
        if self.inputs is None and self.make_inputs is not None:
            self.inputs = self.make_inputs()
        if self.inputs is None:
            assert use.origin is not None
            name, message = use.origin.text, msg.modules.INPUT_NOT_READ
            self.sink.report(message, use.target, name=name, state="locked", source="")
            return None
        # A folder of the program may have the name of an input.
        own = {one.partition("/")[0] for one in (*self.done, *self.open) if "/" in one}
        return self.inputs.locate(use, tree, self.loader, own - self.taken.keys(), self.sink)

    def data(self, written: ast.DataFile, importer: str) -> Source | None:
        """The file of data that the module *importer* names. None after reporting that it cannot be
        read."""
        from tvarc.files.disk import report_unreadable

        if not written.path.endswith(DATA):
            self.sink.report(msg.data.NO_FORMAT, written.span, path=written.path)
            return None
        if written.path.startswith("/"):
            return None  # refused when the table is resolved
        try:
            source = self.loader.read(self.loader.join(importer, written.path))
        except UnreadableSource as fault:
            report_unreadable(
                fault, self.sink, written.span, label="named here", advice=_help(fault)
            )
            return None
        self.sources.add(source)
        return source

    @property
    def taken(self) -> Mapping[str, Taken]:
        """The inputs with modules that were used."""
        return self.inputs.taken if self.inputs is not None else {}

    def relative(self, path: str, importer: str) -> str:
        """The absolute *path* as *importer* can write it; empty if it names no file."""
        try:
            if self.loader.kind(path) != "file":
                return ""
        except UnreadableSource:
            return ""
        whole, folder = self.loader.identity(path), dirname(self.loader.identity(importer))
        if not folder.startswith("/"):
            return ""
        found = relpath(whole, folder)
        found = found if found.startswith("../") else f"./{found}"
        return found if self.loader.identity(self.loader.join(importer, found)) == whole else ""

    def visit(self, use: ast.Use, file: str) -> bool:
        """Load *file*, unless it is already loaded. False if it cannot be loaded."""
        if file in self.done:
            return True
        if file in self.open:
            ring = [*self.open[self.open.index(file) :], file]
            self.sink.report(msg.modules.IMPORT_CIRCLE, use.target, ring=" → ".join(ring))
            return False
        try:
            source = self.loader.read(file)
        except UnreadableSource as fault:
            from tvarc.files.disk import report_unreadable

            report_unreadable(
                fault, self.sink, use.target, label="imported here", advice=_help(fault)
            )
            return False
        return self.module(source, std=use.module is not None)


def unknown_language(tree: ast.Module) -> Diagnostic | None:
    """The reason why this compiler cannot read *tree*, if its `language` item names one; else None.
    """
    first = tree.items[0] if tree.items else None
    if not isinstance(first, ast.Language):
        return None
    if first.program is not None:
        lacking = _lacking_version(first, first.program)
        if lacking is not None:
            return lacking
    if first.number == str(NEWEST):
        return None
    whole = first.number.isdecimal()
    newer = whole and first.number.lstrip("0") == first.number != ""
    message = msg.modules.NEWER_LANGUAGE if newer else msg.modules.UNKNOWN_LANGUAGE
    return filled(message, first.span, {"number": first.number, "newest": NEWEST})


def _lacking_version(item: ast.Language, program: ast.Name) -> Diagnostic | None:
    """The fault if *item* needs another version of tvarc than this one; else None."""
    from tvarc import __version__

    if program.text != "tvarc":
        return filled(msg.modules.NEEDS_OTHER_PROGRAM, program.span, {"name": program.text})
    steps = item.version.split(".")
    if not all(step.isdecimal() and step.isascii() and len(step) < _DIGITS for step in steps):
        return filled(msg.modules.BAD_VERSION, item.span, {"version": item.version})
    own = [int(step) for step in __version__.split("+")[0].split(".") if step.isdecimal()]
    if own >= [int(step) for step in steps]:
        return None
    return filled(
        msg.modules.NEWER_TVARC, item.span, {"version": item.version, "own": __version__}
    )


def misplaced_language(tree: ast.Module, sink: Sink) -> None:
    """Report each `language` at top level that *tree* does not begin with."""
    for item in tree.items[1:]:
        if isinstance(item, ast.Language):
            first = tree.items[0]
            again = isinstance(first, ast.Language)
            sink.report(
                msg.modules.LANGUAGE_TWICE if again else msg.modules.LANGUAGE_NOT_FIRST,
                item.span,
                others=[first.span],
            )


def exclusions(items: tuple[ast.Item, ...]) -> Iterator[ast.Exclude]:
    """Each `exclude` among *items*, and in all bodies that may contain one."""
    for item in items:
        match item:
            case ast.Exclude():
                yield item
            case ast.When() | ast.Matrix() | ast.Variant() | ast.Recipe():
                yield from exclusions(ast.items_in(item))
            case _:
                pass


def dotted(expr: ast.Expr) -> tuple[str, ...]:
    """The names of `a.b.c`; none for any other expression."""
    names: list[str] = []
    while isinstance(expr, ast.Member):
        names.append(expr.name.text)
        expr = expr.base
    return (expr.name, *reversed(names)) if isinstance(expr, ast.Ref) else ()


def _declares(tree: ast.Module, name: str) -> bool:
    for item in tree.items:
        written = item.alias if isinstance(item, ast.Use) else getattr(item, "name", None)
        if isinstance(written, ast.Name) and written.text == name:
            return True
    return False


def lost_names(module: LoadedModule, source: Source) -> frozenset[str] | None:
    """Names that *module* may declare in what was left out of it, and names of modules that could
    not be loaded. None if they are not known.

    Errors about these names would only repeat the error of the syntax or of the `use`.
    """
    if any(use.alias is None for use in module.failed):
        return None  # that module may have any name
    lost = {use.alias.text for use in module.failed if use.alias is not None}
    lost |= set(_axes_of(module.tree.items, frozenset(lost)))
    for hole in module.tree.holes:
        text = _lines_of(hole, source.text)
        if not text:
            continue  # something is missing there, and nothing is left out
        around = [one for one in module.tree.items if one.span.start < hole.start <= one.span.end]
        item = around[0] if around else None
        found = _names_of_item(text) if item is None else _names_of_statement(text, item)
        if found is None:
            return None
        lost |= found
    return frozenset(lost)


def _lines_of(hole: Span, text: str) -> str:
    """The part of *text* that *hole* leaves out, from the start of its first line on."""
    found = text[hole.start : hole.end]
    begins = text.rfind("\n", 0, hole.start) + 1
    return text[begins : hole.end] if found.partition("\n")[0].strip() else found.lstrip()


def _names_of_item(text: str) -> set[str] | None:
    """The names that *text*, an item that was left out, may declare. None if its name is not there:
    it may be any. The words of a table or an axis may be rows."""
    header, *body = text.splitlines()
    words = header.split()
    if len(words) < 2 or _whole(words[0]) == "use":
        return None
    named = _names_in(f"{words[1]} {_whole(words[1])}")
    if not named or words[1].upper() in RESERVED:
        return None
    if words[0] in ("axis", "facts"):
        return named | _names_in(text)
    inner = [one.split() for one in body]
    names = [one[1] for one in inner if len(one) > 1 and one[0] in _IN_BODIES]
    return named | _names_in(" ".join(names))


def _names_of_statement(text: str, item: ast.Item) -> set[str]:
    """The names that *text*, which was left out of *item*, may declare or set."""
    starts = [line.split()[:_STRENGTH] for line in text.splitlines()]
    words = [word for start in starts for word in start]
    rows = text if isinstance(item, ast.Facts | ast.Axis) else ""
    return _names_in("\n".join([rows, *words, *map(_whole, words)]))


def _whole(word: str) -> str:
    """*word* without a stray character, which may be in a name or next to it."""
    return "".join(filter(_is_of_name, word))


def _names_in(text: str) -> set[str]:
    """The words of *text* that may be names."""
    code = " ".join(line.partition("#")[0] for line in text.splitlines())
    words = "".join(c if _is_of_name(c) else " " for c in code).split()
    return {word for word in words if word[0].isalpha() or word[0] == "_"}


def _is_of_name(char: str) -> bool:
    return (char.isascii() and char.isalnum()) or char in "_-"


def _axes_of(items: tuple[ast.Item, ...], modules: frozenset[str]) -> Iterator[str]:
    """The axes of *modules* that matrices among *items* name, as `module.axis`."""
    for item in items:
        if not isinstance(item, ast.Matrix | ast.Variant):
            continue
        for setting in item.body:
            if isinstance(setting, ast.Assign) and setting.path[0].text == "axes":
                written = setting.value
                for term in written.terms if isinstance(written, ast.Product) else (written,):
                    path = dotted(term.base if isinstance(term, ast.Index) else term)
                    if len(path) == 2 and path[0] in modules:
                        yield path[1]
