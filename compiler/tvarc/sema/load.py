"""Load: the entry file and all it imports, each parsed once; cycles are caught here."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Final, Iterator, dataclass
from tvarc.source import Source, SourceLoader, SourceMap, Span, UnreadableSource
from tvarc.syntax import ast
from tvarc.syntax.kept import module_tree

_SHORT: Final = 300  # characters; to parse fewer is no more than to find what was edited


@dataclass(frozen=True, slots=True)
class Import:
    """One `use` that was found: the statement and the file it names."""

    use: ast.Use
    file: str


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """A parsed file. `broken` says that some items did not parse and are left out.

    `excluded` are the files of the modules that `exclude MODULE` names, by the span of the name;
    None where there is no such module, which has been reported.
    """

    tree: ast.Module
    imports: tuple[Import, ...]
    broken: bool
    std: bool
    excluded: dict[Span, str | None]


@dataclass(frozen=True, slots=True)
class ModuleGraph:
    """Modules in dependency order: each after all it imports, the entry file last."""

    entry: str
    modules: dict[str, LoadedModule]


def load(
    file: str,
    loader: SourceLoader,
    sources: SourceMap,
    sink: Sink,
    cache: Cache | None = None,
) -> ModuleGraph | None:
    """Read and parse *file* and its imports. None when *file* itself cannot be read.

    What *cache* has of them is not parsed again.
    """
    found = _Loading(loader, sources, sink, cache)
    try:
        source = loader.read(file)
    except UnreadableSource as fault:
        sink.error(
            fault.code, f"cannot read `{fault.file}`", notes=(fault.reason,), help=_help(fault)
        )
        return None
    found.module(source, std=False)
    return ModuleGraph(file, found.done)


def _help(fault: UnreadableSource) -> str:
    if "=" in fault.file:
        return f"pairs that belong to one option are quoted: `--only 'axis=value {fault.file}'`"
    match fault.code:
        case "E107":
            return "save the file as UTF-8"
        case "E108":
            return "split it into modules and `use` them"
        case _:
            return "check the path and the file's permissions"


class _Loading:
    __slots__ = ("cache", "done", "loader", "open", "sink", "sources", "spelling")

    def __init__(
        self, loader: SourceLoader, sources: SourceMap, sink: Sink, cache: Cache | None
    ) -> None:
        self.cache = cache
        self.loader = loader
        self.sources = sources
        self.sink = sink
        self.done: dict[str, LoadedModule] = {}
        self.open: list[str] = []
        self.spelling: dict[str, str] = {}

    def module(self, source: Source, *, std: bool) -> None:
        self.sources.add(source)
        place = self.loader.identity(source.file)
        self.spelling.setdefault(place, source.file)
        self.open.append(source.file)
        before = len(self.sink)
        nul = source.text.find("\0")
        if nul >= 0:
            self.sink.error(
                "E107",
                "the file holds a NUL character",
                Span(source.file, nul, nul + 1),
                "not text",
                notes=("no string of Nix or of a shell can hold one",),
                help="save the file as plain UTF-8 text",
            )
            source = Source(source.file, source.text.replace("\0", " "))
        kept = place if len(source.text) >= _SHORT else ""
        tree = module_tree(source, self.sink, self.cache, std=std, place=kept)
        broken = len(self.sink) > before
        imports: list[Import] = []
        for item in tree.items:
            if isinstance(item, ast.Use):
                target = self.target(item, source.file, std=std)
                if target is not None:
                    imports.append(Import(item, target))
        excluded = self.excluded(tree, imports, std=std)
        self.open.pop()
        self.done[source.file] = LoadedModule(tree, tuple(imports), broken, std, excluded)

    def excluded(
        self, tree: ast.Module, imports: list[Import], *, std: bool
    ) -> dict[Span, str | None]:
        """What each `exclude` of *tree* that names a module means, loaded: a module of the
        standard library, or a file by the name that its `use` gives it."""
        found: dict[Span, str | None] = {}
        aliases = {i.use.alias.text: i.file for i in imports if i.use.alias is not None}
        for item in exclusions(tree.items):
            name = item.condition
            path = dotted(name)
            if len(path) == 1 and path[0] in aliases:
                found[name.span] = aliases[path[0]]
            elif len(path) > 1 and path[0] == "std" and not _declares(tree, "std"):
                use = ast.Use(path, None, None, name.span, name.span)
                found[name.span] = self.target(use, tree.file, std=std)
        return found

    def target(self, use: ast.Use, importer: str, *, std: bool) -> str | None:
        """The file that *use* names, loaded; None after reporting why it cannot be."""
        target = self.locate(use, importer, std=std)
        if target is None:
            return None
        # One file is one module, by whatever links it is reached.
        target = self.spelling.setdefault(self.loader.identity(target), target)
        return target if self.visit(use, target) else None

    def locate(self, use: ast.Use, importer: str, *, std: bool) -> str | None:
        """The file that *use* names; reports what cannot be one."""
        if use.path is not None:
            if std:
                self.sink.error("E203", "the standard library imports from itself only", use.target)
                return None
            if not use.path.endswith(".tvar"):
                self.sink.error(
                    "E203",
                    f"`{use.path}` is not a .tvar file",
                    use.target,
                    "not a module",
                    help='modules end in `.tvar`, such as `use "./shared.tvar"`',
                )
                return None
            return self.loader.join(importer, use.path)
        assert use.module is not None
        dotted = ".".join(use.module)
        target = self.loader.std(".".join(use.module[1:])) if use.module[0] == "std" else None
        if target is None:
            known = [f"std.{name}" for name in self.loader.std_names()]
            self.sink.error(
                "E203",
                f"there is no module `{dotted}`",
                use.target,
                "unknown module",
                notes=("the standard library has " + ", ".join(known),) if known else (),
                help=did_you_mean(dotted, known)
                or 'a module of your own is named by its path: `use "./name.tvar"`',
            )
        return target

    def visit(self, use: ast.Use, file: str) -> bool:
        """Load *file* unless it is loaded; False when it cannot be."""
        if file in self.done:
            return True
        if file in self.open:
            ring = [*self.open[self.open.index(file) :], file]
            self.sink.error(
                "E204",
                "modules import each other",
                use.target,
                "closes the circle",
                notes=(" → ".join(ring),),
                help="move what both need into a third module",
            )
            return False
        try:
            source = self.loader.read(file)
        except UnreadableSource as fault:
            self.sink.error(
                fault.code,
                f"cannot read `{fault.file}`",
                use.target,
                "imported here",
                notes=(fault.reason,),
                help=_help(fault),
            )
            return False
        self.module(source, std=use.module is not None)
        return True


def exclusions(items: tuple[ast.Item, ...]) -> Iterator[ast.Exclude]:
    """Every `exclude` among *items*, and in the bodies where one may be written."""
    for item in items:
        match item:
            case ast.Exclude():
                yield item
            case ast.When() | ast.Matrix() | ast.Variant() | ast.Recipe():
                yield from exclusions(item.body)
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
    """Names that broken items of *module* may have declared; None when that cannot be told.

    Errors about these names would only repeat the syntax error.
    """
    if not module.broken:
        return frozenset()
    parsed = {name.text for item in module.tree.items if (name := getattr(item, "name", None))}
    lost: set[str] = set()
    for line in source.text.splitlines():
        words = line.split()
        if not line[:1].isalpha() or not words:
            continue
        if words[0] == "use":
            loaded = any(
                line.startswith("use") and _used(item, words) for item in module.tree.items
            )
            if not loaded:
                return None
        elif len(words) > 1:
            name = words[1].rstrip("{:=")
            if name not in parsed:
                lost.add(name)
    return frozenset(lost)


def _used(item: ast.Item, words: list[str]) -> bool:
    if not isinstance(item, ast.Use) or len(words) < 2:
        return False
    written = '"' + item.path + '"' if item.path is not None else ".".join(item.module or ())
    return written == words[1]
