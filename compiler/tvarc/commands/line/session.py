"""One run over one program: the file, its compilation, and the report at the end."""

from __future__ import annotations

import gc

from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.console import Console
from tvarc.commands.line.exits import interrupted
from tvarc.commands.programs.find import demand_program
from tvarc.doing import Doing, each
from tvarc.files.cache import Cache, open_cache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.light import TYPE_CHECKING, Callable, Final, NoReturn, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Severity, Sink
from tvarc.text.source import SourceLoader, SourceMap

if TYPE_CHECKING:
    from tvarc.build.kept import KeptBuild
    from tvarc.commands.programs.missed import Missed
    from tvarc.meaning.overrides import Setting


_FAKE_HASH: Final = "W002"


# The trees of recipes have no reference cycles. Searching for cycles would take a seventh of the
# time.
_BETWEEN_COLLECTIONS: Final = (2_000_000, 20, 100)


def collect_seldom() -> None:
    """Search for reference cycles less often than other commands. This is for a command that reads
    recipes."""
    gc.set_threshold(*_BETWEEN_COLLECTIONS)


class Ended(Exception):
    """A command has ended, and everything is reported, at last *closing*. *unwritten* are the paths
    that a build could not write, as in `WriteReport`."""

    def __init__(
        self, code: int, closing: str = "", unwritten: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(code)
        self.code = code
        self.closing = closing
        self.unwritten = unwritten


class Session:
    """One program and its compilation, for one command."""

    __slots__ = (
        "cache", "compilation", "console", "inputs", "missed", "sink", "sources",
        "tells_fake_hashes",
    )  # fmt: skip

    def __init__(
        self,
        console: Console,
        *,
        no_cache: bool = False,
        missed: Missed | None = None,
        inputs: Sequence[str] = (),
        cache: Cache | None = None,
    ) -> None:
        """*missed* collects the failed selectors of several programs, this one among them. *inputs*
        are the values of `--input`. *cache* is that of an earlier session."""
        self.cache = cache or open_cache(wanted=not no_cache)
        self.console = console
        self.inputs = tuple(inputs)
        self.missed = missed
        self.sink = Sink()
        self.sources = SourceMap()
        self.compilation: Compilation | None = None
        # Commands that only query a program build nothing, so fake hashes are harmless.
        self.tells_fake_hashes = False

    def compile(
        self,
        file: str | None,
        settings: Sequence[Setting] = (),
        loader: SourceLoader | None = None,
        kept: KeptBuild | None = None,
    ) -> Compilation:
        """*file*, or the nearest `variants.tvar`, expanded. *kept* is the parameter of
        `compile_file`. Raises Ended if there is none."""
        name = demand_program(file, self.sink)
        if name is None:
            self.finish(exits.FAILED)
        with Doing(f"compiling {name}"), self.guarded():
            self.compilation = compile_file(
                name,
                loader or DiskLoader(stdlib_dir()),
                tuple(settings),
                self.cache,
                inputs=self.inputs,
                kept=kept,
            )
            self.sink, self.sources = self.compilation.sink, self.compilation.sources
        if self.compilation is None or self.compilation.expansion is None:
            self.finish(exits.FAILED)
        return self.compilation

    def stop_on_errors(self) -> None:
        """Raises Ended if there is an error, after showing all diagnostics. The later stages run
        first, so that one run reports everything."""
        if not self.sink.has_errors:
            return
        if self.compilation is not None:
            from tvarc.commands.programs.checking import check_all

            check_all(self.compilation)
        self.finish(exits.FAILED)

    def end_on_errors(self) -> None:
        """Raises Ended if there is an error, after showing all diagnostics."""
        if self.sink.has_errors:
            self.finish(exits.FAILED)

    def recipes(self, *, late: bool = False) -> list[ir.Recipe]:
        """All variants, decided; with *late* their texts may have late parts, which takes less
        time. If one has an error, report all errors and raise Ended."""
        made = self.compilation
        assert made is not None
        variants = each("compiling", made.variants, len(made.variants), "variants")
        found = [made.recipe(variant, late=late) for variant in variants]
        self.stop_on_errors()
        return [recipe for recipe in found if recipe is not None]

    def demand_matrix(self) -> None:
        """Report a program without any matrix or variant: it builds nothing."""
        made = self.compilation
        if made is None or made.program.matrices:
            return  # nearly always, and then nothing has to be loaded
        from tvarc.commands.programs.nothing_built import demand_matrix

        demand_matrix(made)

    def demand_output(self) -> None:
        """Report a program without any output: its recipes have no place."""
        made = self.compilation
        if made is None or made.program.all_outputs:
            return
        from tvarc.commands.programs.nothing_built import demand_output

        demand_output(made)

    def use_own_sink(self) -> None:
        """Use another sink for the next diagnostics, which are not about the program."""
        told, self.sink = self.sink, Sink()
        for one in told:
            self.sink.add(one)

    def finish(
        self, code: int, *, closing: str = "", unwritten: Sequence[tuple[str, str]] = ()
    ) -> NoReturn:
        """Show the diagnostics and *closing*, and end with *code*; raises Ended."""
        self.show(closing=closing)
        raise Ended(code, closing, unwritten)

    def finish_with(self, sink: Sink, sources: SourceMap) -> NoReturn:
        """End with the errors in *sink*, of another state of the program; raises Ended."""
        self.sink, self.sources = sink, sources
        self.finish(exits.FAILED)

    def show(self, *, closing: str = "") -> None:
        told = self.sink.sorted(self.sources)
        if not self.tells_fake_hashes:
            told = [one for one in told if one.code != _FAKE_HASH]
        self.console.diagnostics(told, self.sources)
        if closing:
            self.console.error(f"{closing}\n")

    def counts(self) -> str:
        """`0 errors, 1 warning`."""
        from tvarc.text.diagnostics.words import counted

        errors = sum(item.severity is Severity.ERROR for item in self.sink)
        return f"{counted(errors, 'error')}, {counted(len(self.sink) - errors, 'warning')}"

    def select(self, selectors: Sequence[str]) -> Sequence[Variant]:
        """The selected variants; ends the command if a selector selects none. With several
        programs, a selector may select none in some of them."""
        made = self.compilation
        assert made is not None
        if not selectors:
            return made.variants
        from tvarc.commands.programs.selecting import selected

        found = selected(made, selectors, self.sources, self.sink, self.missed)
        if self.sink.has_errors:
            self.finish(exits.FAILED)
        return found

    def one(self, selector: str) -> Variant:
        """The variant that *selector* selects; ends the command if it selects none or several."""
        found = self.select([selector])
        if len(found) > 1:
            from tvarc.commands.programs.selecting import several

            self.sink.add(several(selector, found))
            self.finish(exits.FAILED)
        return found[0]

    def guarded(self) -> _Guard:
        """A context that reports a source which needs more memory or stack than the machine has as
        an error, and in which an error that is already reported ends the command. `run` guards a
        whole command. Other callers guard a part, and then continue or end in another way."""
        return _Guard(self)


@dataclass(frozen=True, slots=True, eq=False)
class _Guard:
    """The context of `Session.guarded`."""

    session: Session

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, Failed) and self.session.sink.has_errors:
            self.session.finish(exits.FAILED)
        if not isinstance(fault, RecursionError | MemoryError):
            return
        from tvarc.commands.programs.checking import too_much

        self.session.sink.add(too_much(fault))
        self.session.finish(exits.FAILED)


def run(
    given: Arguments,
    command: Callable[[Session], int],
    console: Console | None = None,
    missed: Missed | None = None,
) -> int:
    """The exit code of *command*. For one of several programs, *console* is its section, and
    *missed* is shared by all."""
    session = Session(
        console or given.console(),
        no_cache=given.flag("no_cache"),
        missed=missed,
        inputs=given.words("input") if "input" in given.values else (),
    )
    try:
        with session.guarded():
            code = command(session)
    except Ended as end:
        return end.code
    except KeyboardInterrupt as fault:
        return interrupted(fault)
    return code


def in_session(command: Callable[[Session, Arguments], int]) -> Callable[[Arguments], int]:
    """Wrap *command*, so that it is called with the content of a line and runs in a session of its
    own over one program."""
    return lambda given: run(given, lambda session: command(session, given))
