"""One run over one program: which file, compiled how, and what is told at the end."""

from __future__ import annotations

from tvarc.cache import open_cache
from tvarc.cli import exits
from tvarc.cli.console import Console
from tvarc.cli.program import DEFAULT_FILE, find_source, source_name
from tvarc.diagnostics.model import Severity, Sink
from tvarc.disk import DiskLoader
from tvarc.driver import Compilation, compile_file
from tvarc.light import Callable, NoReturn, Sequence
from tvarc.matrix.variants import Variant
from tvarc.resources import stdlib_dir
from tvarc.sema.overrides import Setting
from tvarc.source import SourceLoader, SourceMap


class Ended(Exception):
    """A command is over: what there is to say has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Session:
    """A program on its way through the compiler, for one command."""

    __slots__ = ("cache", "compilation", "console", "sink", "sources")

    def __init__(self, console: Console, *, no_cache: bool = False) -> None:
        self.cache = open_cache(wanted=not no_cache)
        self.console = console
        self.sink = Sink()
        self.sources = SourceMap()
        self.compilation: Compilation | None = None

    def compile(
        self,
        file: str | None,
        settings: Sequence[Setting] = (),
        loader: SourceLoader | None = None,
    ) -> Compilation:
        """*file*, or the nearest `variants.tvar`, expanded. Raises Ended when there is none."""
        name = source_name(file) if file else find_source()
        if name is None:
            self.sink.error(
                "E903",
                f"there is no `{DEFAULT_FILE}` in this folder or any above it",
                help="write one, or name another file on the command line",
            )
            self.finish(exits.FAILED)
        with self.guarded():
            self.compilation = compile_file(
                name, loader or DiskLoader(stdlib_dir()), tuple(settings), self.cache
            )
            self.sink, self.sources = self.compilation.sink, self.compilation.sources
        if self.compilation is None or self.compilation.expansion is None:
            self.finish(exits.FAILED)
        return self.compilation

    def stop_on_errors(self) -> None:
        """Raises Ended when there is an error, all diagnostics shown: those of the stages to
        come as well, so that one run tells everything."""
        if not self.sink.has_errors:
            return
        if self.compilation is not None and not self.compilation.streamed:
            for _ in self.compilation.stream():
                pass
        self.finish(exits.FAILED)

    def demand_output(self) -> None:
        """A program that says nowhere where its recipes go is told so."""
        made = self.compilation
        if made is not None and not made.outputs and not self.sink.has_errors:
            self.sink.error(
                "E507",
                f"`{made.file}` declares no output",
                notes=("an output says where each recipe is written",),
                help='`output flox { file = ".flox/pkgs/{{variant}}.nix" }`',
            )

    def finish(self, code: int, *, closing: str = "") -> NoReturn:
        """Show the diagnostics and *closing*, and end with *code*; raises Ended."""
        self.show(closing=closing)
        raise Ended(code)

    def show(self, *, closing: str = "") -> None:
        self.console.diagnostics(self.sink.sorted(self.sources), self.sources)
        if closing:
            self.console.error(f"{closing}\n")

    def counts(self) -> str:
        """`0 errors, 1 warning`."""
        errors = sum(item.severity is Severity.ERROR for item in self.sink)
        return f"{counted(errors, 'error')}, {counted(len(self.sink) - errors, 'warning')}"

    def select(self, selectors: Sequence[str]) -> Sequence[Variant]:
        """The variants that *selectors* mean; ends the command when one means none."""
        made = self.compilation
        assert made is not None and made.resolution is not None
        if not selectors:
            return made.variants
        from tvarc.matrix.select import select

        with self.guarded():
            found = select(
                selectors, made.resolution, made.variants, self.sources, self.sink,
                made.loader.join, cache=made.cache,
            )  # fmt: skip
            if self.sink.has_errors:
                self.finish(exits.FAILED)
        return found

    def guarded(self) -> _Guard:
        """Within, a source that asks for more than the machine has is told of as an error."""
        return _Guard(self)


class _Guard:
    """The context of `Session.guarded`."""

    __slots__ = ("session",)

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if not isinstance(fault, RecursionError | MemoryError):
            return
        what = "is nested too deeply" if isinstance(fault, RecursionError) else "is too large"
        self.session.sink.error(
            "E109",
            f"the program {what} for this machine",
            help="give inner parts names with `let`, or split the program",
        )
        self.session.finish(exits.FAILED)


def run(console: Console, command: Callable[[Session], int], *, no_cache: bool) -> int:
    """The exit code of *command*."""
    session = Session(console, no_cache=no_cache)
    try:
        with session.guarded():
            code = command(session)
    except Ended as end:
        return end.code
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    return code


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
