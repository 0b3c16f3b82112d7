"""The commands: what each is called, what it takes, and what it does with that.

`COMMANDS` is their one table. `cli/app.py` makes of it what the library for command lines wants,
and `cli/arguments.py` reads ordinary lines by it, without that library. The help on a command is
the docstring of its function, whose parameters have the names that the table gives them.

The parts of the compiler that a command needs are imported when it runs.
"""

from __future__ import annotations

from tvarc.cli.console import Console, Format
from tvarc.light import TYPE_CHECKING, Callable, Final, Literal, Sequence, dataclass

if TYPE_CHECKING:
    from tvarc.cli.session import Session
    from tvarc.programs.missed import Missed

_Words = Sequence[str] | None
_SEVERAL: Final = 2


class Misused(Exception):
    """Words that are no proper use of a command; `hint` names the option, if it is one."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def _one(named: _Words, words: _Words = None) -> str | None:
    """The one program that a command is about, by whichever way it was named; None for none."""
    given = list(dict.fromkeys([*(words or ()), *(named or ())]))
    if len(given) > 1:
        listed = ", ".join(f"`{one}`" for one in given)
        raise Misused(f"one program is wanted, and these are {len(given)}: {listed}")
    return given[0] if given else None


def _split(words: _Words, *, folders: bool = True) -> tuple[list[str], list[str]]:
    """Those of *words* that are programs, and all others. Without *folders* a word that ends in `/`
    is something else."""
    from tvarc.programs.find import is_program

    programs = [
        word for word in words or () if is_program(word) and (folders or word.endswith(".tvar"))
    ]
    return programs, [word for word in words or () if word not in programs]


def _for_each(
    words: Sequence[str],
    everywhere: bool,
    as_json: bool,
    format: str,
    command: Callable[[Console, str | None, Missed | None], int],
) -> int:
    """Run *command* for the program that *words* name, or for each of them in a section of its own
    where that are several or *everywhere* is set: even if it turns out to be one then."""
    if not everywhere and len(words) < _SEVERAL:
        return command(Console(Format(format)), words[0] if words else None, None)
    from tvarc.cli.several import Sections, run_each

    sections = Sections(Format(format), as_json=as_json)
    return run_each(
        sections,
        words,
        lambda program, missed: command(sections, program, missed),
        everywhere=everywhere,
    )


def build(
    files: _Words,
    named: _Words,
    everywhere: bool,
    out: str | None,
    only: _Words,
    flag: _Words,
    setting: _Words,
    inputs: _Words,
    check: bool,
    dry_run: bool,
    prune: bool,
    adopt: bool,
    no_git: bool,
    force: bool,
    locked: bool,
    source_map: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Write the recipes that changed."""
    from tvarc.cli.built import confirmed
    from tvarc.output.model import BuildOptions

    if prune and (only or flag or setting):
        part = "--only" if only else "--flag" if flag else "--set"
        raise Misused(f"it needs all variants as the source has them, and does not go with {part}",
                      "--prune")  # fmt: skip
    if source_map and (only or check or dry_run):
        part = "--only" if only else "--check" if check else "--dry-run"
        raise Misused(f"it is of all recipes, which are written, and does not go with {part}",
                      "--source-map")  # fmt: skip
    if adopt and force:
        raise Misused("it keeps a copy and --force keeps none: give one of them", "--adopt")
    words = [*(files or ()), *(named or ())]
    if out is not None and (everywhere or len(words) >= _SEVERAL):
        raise Misused(
            "it is the folder of one program: those of several would be in each other's way",
            "--out",
        )
    chosen = [("--flag", text) for text in flag or ()]
    chosen += [("--set", text) for text in setting or ()]

    def command(console: Console, program: str | None, missed: Missed | None) -> int:
        options = BuildOptions(
            program, out, tuple(only or ()), tuple(chosen), check, force, as_json,
            prune=prune, dry_run=dry_run, adopt=adopt, git=not no_git, locked=locked,
            source_map=source_map, inputs=tuple(inputs or ()),
        )  # fmt: skip
        if not (no_cache or source_map or inputs) and (missed is None or not only):
            code = confirmed(console, options)
            if code is not None:
                return code
        from tvarc.cli.build import build as run_build
        from tvarc.cli.session import run

        return run(
            console, lambda session: run_build(session, options), no_cache=no_cache, missed=missed
        )

    return _for_each(words, everywhere, as_json, format, command)


def check(
    files: _Words, named: _Words, everywhere: bool, inputs: _Words, no_cache: bool, format: str
) -> int:
    """Check every variant and write nothing."""
    from tvarc.cli.check import check as run_check
    from tvarc.cli.session import run

    def command(console: Console, program: str | None, missed: Missed | None) -> int:
        return run(
            console,
            lambda session: run_check(session, program, inputs or ()),
            no_cache=no_cache,
            missed=missed,
        )

    return _for_each([*(files or ()), *(named or ())], everywhere, False, format, command)


def list_command(
    selectors: _Words,
    excluded: bool,
    by: str | None,
    count: bool,
    named: _Words,
    everywhere: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """List the variants and their axis values."""
    from tvarc.cli.session import run

    if excluded and (by is not None or count):
        raise Misused(
            "it lists dropped cells, by their exclusions: leave out --by and --count", "--excluded"
        )
    programs, wanted = _split(selectors)

    def command(console: Console, program: str | None, missed: Missed | None) -> int:
        def listed(session: Session) -> int:
            if excluded:
                from tvarc.cli.excluded import list_excluded

                return list_excluded(session, program, wanted, as_json=as_json)
            if by is not None or count:
                from tvarc.cli.groups import list_groups

                return list_groups(session, program, wanted, by, count=count, as_json=as_json)
            from tvarc.cli.listing import list_variants

            return list_variants(session, program, wanted, as_json=as_json)

        return run(console, listed, no_cache=no_cache, missed=missed)

    return _for_each([*programs, *(named or ())], everywhere, as_json, format, command)


def explain(
    words: _Words,
    named: _Words,
    nix_log: bool,
    as_json: bool,
    html: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Show a variant's settings and the line that wrote each, what made a line of a recipe, or the
    page on an error."""
    from tvarc.cli.explain import explain as run_explain
    from tvarc.cli.explain import is_whole, recipe_place, surplus

    programs, given = _split(words)
    file = _one(named, programs)
    if nix_log:
        from tvarc.cli.recipe_line import explain_log

        if given or as_json or html:
            raise Misused("it reads the input, and stands alone but for --file", "--nix-log")
        return _run(format, lambda session: explain_log(session, file), no_cache)
    if not given and file is None:
        raise Misused(
            "a variant is wanted, a line of a recipe, or the code of an error", "SELECTOR"
        )
    place = recipe_place(given)
    if place is not None:
        from tvarc.cli.recipe_line import explain_line

        if html:
            raise Misused("a variant alone is made a page of HTML", "--html")
        return _run(
            format, lambda session: explain_line(session, file, place, as_json=as_json), no_cache
        )
    if not given:
        raise Misused(f"a variant of `{file}` is wanted, or the code of an error", "SELECTOR")
    extra = surplus(given)
    if extra is not None:
        raise Misused(f"one SELECTOR and one PATH are wanted; what is `{extra}`?")
    if html and (as_json or not is_whole(given)):
        raise Misused("a variant alone is made a page of HTML", "--html")
    return _run(
        format,
        lambda session: run_explain(session, file, given, as_json=as_json, as_html=html),
        no_cache,
    )


def who(
    places: Sequence[str],
    named: _Words,
    only: _Words,
    whole: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Say which variants and which emitted lines a line of source reaches, or why none."""
    from tvarc.cli.who import split_place
    from tvarc.cli.who import who as run_who

    programs, rest = _split(places)
    places = rest or places
    file = _one(named, programs if rest else ())
    wanted = split_place(places[0]) if len(places) == 1 else None
    if wanted is None:
        raise Misused(f"`{' '.join(places)}` is no line of a file", "FILE:LINE")
    return _run(
        format,
        lambda session: run_who(session, file, wanted, only or (), whole=whole, as_json=as_json),
        no_cache,
    )


def why_not(words: Sequence[str], named: _Words, as_json: bool, no_cache: bool, format: str) -> int:
    """Say what keeps a cell out of the matrices, and the smallest change that admits it."""
    from tvarc.cli.whynot import why_not as run_why_not

    programs, words = _split(words)
    file = _one(named, programs)
    if not words:
        raise Misused(f"a cell of `{file}` is wanted", "VALUE|AXIS=VALUE")

    return _run(
        format, lambda session: run_why_not(session, file, words, as_json=as_json), no_cache
    )


def diff(
    words: _Words,
    against: str | None,
    whole: bool,
    nix: bool,
    named: _Words,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Show what differs between two variants, or between two states of the program."""
    from tvarc.cli.diff import DiffOptions
    from tvarc.cli.diff import diff as run_diff

    programs, rest = _split(words)
    file = _one(named, programs)
    if against is None and len(rest) != 2:
        raise Misused("two variants are wanted, or --against with another state")
    options = DiffOptions(tuple(rest), file, against, whole, nix, as_json)
    return _run(format, lambda session: run_diff(session, options), no_cache)


def audit(
    words: _Words, named: _Words, whole: bool, as_json: bool, no_cache: bool, format: str
) -> int:
    """Hold a folder of recipes, hand-written ones too, against the facts, each other and the
    matrix, if there is one; exit with 3 if anything is out of line."""
    from tvarc.cli.audit import audit as run_audit

    programs, folders = _split(words, folders=False)
    file = _one(named, programs)
    if len(folders) > 1:
        raise Misused(f"one folder of recipes is wanted; what is `{folders[1]}`?", "DIR")
    folder = folders[0] if folders else None

    return _run(
        format,
        lambda session: run_audit(session, file, folder, whole=whole, as_json=as_json),
        no_cache,
    )


def import_command(
    folder: str,
    out: str | None,
    text: str,
    axis: _Words,
    report: str | None,
    check: bool,
    dry_run: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Write a program that builds the same as a folder of hand-made recipes; exit with 3 if some
    are not imported, or are not as the others."""
    from tvarc.cli.importing import ImportOptions, import_folder

    axes: list[tuple[str, str]] = []
    for word in axis or ():
        name, sign, pattern = word.partition("=")
        if not (sign and name.replace("-", "").isalnum() and pattern):
            raise Misused(f"`{word}` is not NAME=GLOB", "--axis")
        axes.append((name, pattern))
    options = ImportOptions(
        folder, out, "drop" if text == "drop" else "keep", tuple(axes), report, check, dry_run,
        as_json,
    )  # fmt: skip
    return _run(format, lambda session: import_folder(session, options), no_cache)


def pick(
    file: str | None,
    named: _Words,
    only: _Words,
    host: str | None,
    cpuinfo: str | None,
    nvidia_smi: str | None,
    describe: bool,
    whole: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Say which variant is for this machine, and why."""
    from tvarc.cli.pick import describe_host
    from tvarc.cli.pick import pick as run_pick
    from tvarc.programs.host import HostFiles

    file = _one(named, (file,) if file is not None else ())
    if describe and file is not None:
        raise Misused(f"--describe prints to the output; what is `{file}`?")
    if nvidia_smi is not None and cpuinfo is None:
        raise Misused("--nvidia-smi tells of no CPU: --cpuinfo has to be given as well")
    if host is not None and cpuinfo is not None:
        raise Misused("--host describes the CPU as well: leave out --cpuinfo")
    if describe and only:
        raise Misused("--describe chooses no variant: leave out --only")
    files = HostFiles(host, cpuinfo, nvidia_smi)

    def command(session: Session) -> int:
        if describe:
            return describe_host(session, files)
        return run_pick(session, file, only or (), files, whole=whole, as_json=as_json)

    return _run(format, command, no_cache)


def facts(
    name: str | None,
    version: str | None,
    stale: bool,
    named: _Words,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Show what the standard library knows of a GPU, an instruction set or a toolkit."""
    from tvarc.cli.facts import show_facts

    file = _one(named)
    if stale and name is not None:
        raise Misused(f"--stale is about all tables; what is `{name}`?")
    return _run(
        format,
        lambda session: show_facts(session, name, version, file, stale=stale, as_json=as_json),
        no_cache,
    )


def dump(
    stage: str, file: str | None, named: _Words, only: _Words, no_cache: bool, format: str
) -> int:
    """Show what a stage of the compiler makes of a program."""
    from tvarc.cli.dump import STAGES
    from tvarc.cli.dump import dump as run_dump

    if stage not in STAGES:
        raise Misused(f"`{stage}` is none of {', '.join(STAGES)}", "--stage")
    file = _one(named, (file,) if file is not None else ())
    return _run(format, lambda session: run_dump(session, file, stage, only or ()), no_cache)


def fmt(files: _Words, named: _Words, check: bool, diff: bool, no_cache: bool, format: str) -> int:
    """Lay sources out in the one layout of the language; comments are kept."""
    from tvarc.cli.fmt import STDIN, FmtOptions
    from tvarc.cli.fmt import fmt as run_fmt

    words = (*(files or ()), *(named or ()))
    if STDIN in words and len(words) > 1:
        raise Misused("`-` stands alone")
    options = FmtOptions(words, check, diff)
    return _run(format, lambda session: run_fmt(session, options), no_cache)


def lock(
    file: str | None,
    named: _Words,
    from_log: str | None,
    check: bool,
    prune: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Find out the hashes that the program does not state, and keep them in tvar.lock."""
    from tvarc.cli.lock import LockOptions
    from tvarc.cli.lock import lock as run_lock

    if check and (prune or from_log is not None):
        raise Misused("--check changes nothing: it stands alone")
    file = _one(named, (file,) if file is not None else ())
    options = LockOptions(file, from_log, check, prune, as_json)
    return _run(format, lambda session: run_lock(session, options), no_cache)


def bump(
    words: Sequence[str],
    named: _Words,
    dry_run: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Change a version or a commit where it is written, and unlock the hashes that it made
    stale."""
    from tvarc.cli.bump import BumpOptions
    from tvarc.cli.bump import bump as run_bump

    programs, words = _split(words, folders=False)
    file = _one(named, programs)
    commit = len(words) == 3 and words[0] in ("pin", "input")
    if len(words) != 2 and not commit:
        raise Misused("`bump NAME VALUE`, `bump pin NAME REV` or `bump input NAME REV` is wanted")
    options = BumpOptions(file, tuple(words), dry_run, as_json)
    return _run(format, lambda session: run_bump(session, options), no_cache)


def stale(
    file: str | None,
    named: _Words,
    pins: _Words,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    """Ask Nix which overlays the pinned nixpkgs has overtaken, by their `until`; exit with 3 if it
    has any."""
    from tvarc.cli.stale import stale as run_stale

    file = _one(named, (file,) if file is not None else ())
    return _run(
        format, lambda session: run_stale(session, file, pins or (), as_json=as_json), no_cache
    )


def _run(format: str, command: Callable[[Session], int], no_cache: bool) -> int:
    from tvarc.cli.session import run

    return run(Console(Format(format)), command, no_cache=no_cache)


# --- the table -------------------------------------------------------------------------------

Kind = Literal["flag", "value", "values", "argument", "arguments"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One option or argument: `name` is what the command's function calls it, `option` how it is
    written. A value is one of `choices`, if there are any, by default the first. `complete` names
    the function of `cli/complete.py` that offers words; `short` is a second spelling."""

    name: str
    kind: Kind
    help: str
    option: str = ""
    metavar: str = ""
    complete: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False
    short: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does, and what it takes, in the order of its help."""

    run: Callable[..., int]
    parameters: tuple[Parameter, ...]


_FILE: Final = Parameter(
    "file", "argument",
    "The program; by default the nearest variants.tvar, here or in a folder above.",
    metavar="[FILE]",
)  # fmt: skip
_FILES: Final = Parameter(
    "files", "arguments",
    "The programs, or folders that hold a variants.tvar; by default the nearest "
    "variants.tvar, here or in a folder above.",
    metavar="[FILE]...",
)  # fmt: skip
_NAMED: Final = Parameter(
    "named", "values", "The program, as a word that ends in .tvar or / names it as well.",
    "--file", "FILE",
)  # fmt: skip
_EVERYWHERE: Final = Parameter(
    "everywhere", "flag",
    "Every variants.tvar below this folder, or below the folders that are given.", "--all",
)  # fmt: skip
_ONLY: Final = Parameter(
    "only", "values", "These variants alone; may be given several times.", "--only", "SELECTOR",
    "selectors",
)  # fmt: skip
_NO_CACHE: Final = Parameter(
    "no_cache", "flag", "Parse every source again; neither read nor write the cache.", "--no-cache"
)
_FORMAT: Final = Parameter(
    "format", "value", "How errors and warnings are written.", "--format",
    choices=tuple([one.value for one in Format]),
)  # fmt: skip
_JSON: Final = Parameter("as_json", "flag", "Print the result as JSON.", "--json")
_INPUTS: Final = Parameter(
    "inputs", "values",
    "Look for the files of this input in a checkout of it; recipes do not change.",
    "--input", "NAME=PATH", "inputs",
)  # fmt: skip
_CHECK: Final = Parameter(
    "check", "flag", "Write nothing; exit with 3 if files would change.", "--check"
)

COMMANDS: Final[dict[str, Command]] = {
    "build": Command(
        build,
        (
            _FILES, _NAMED, _EVERYWHERE,
            Parameter(
                "out", "value",
                "The folder that the outputs' paths start from; by default that of FILE.",
                "--out", "DIR",
            ),
            _ONLY,
            Parameter(
                "flag", "values", "Set a flag of the recipes.", "--flag", "FLAG=VALUE", "flags"
            ),
            Parameter(
                "setting", "values", "Set a setting of every variant, over all that is written.",
                "--set", "PATH=VALUE", "settings",
            ),
            _INPUTS, _CHECK,
            Parameter("dry_run", "flag", "Write nothing; say what would be done.", "--dry-run"),
            Parameter(
                "prune", "flag", "Remove the recipes of this program that it has no longer.",
                "--prune",
            ),
            Parameter(
                "adopt", "flag",
                "Replace files that tvarc did not write, too; show what differs, keep a copy.",
                "--adopt",
            ),
            Parameter(
                "no_git", "flag", "Do not ask git which recipes it has, and of which states.",
                "--no-git",
            ),
            Parameter(
                "force", "flag", "Overwrite files that tvarc did not write, too; no copy.",
                "--force",
            ),
            Parameter(
                "locked", "flag", "Refuse to build what is not locked; see `lock`.", "--locked"
            ),
            Parameter(
                "source_map", "flag",
                "Write as JSON beside the recipes which lines of source made each of their lines.",
                "--source-map",
            ),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "check": Command(check, (_FILES, _NAMED, _EVERYWHERE, _INPUTS, _NO_CACHE, _FORMAT)),
    "list": Command(
        list_command,
        (
            Parameter(
                "selectors", "arguments",
                "Which variants, such as sm103-avx512bf16, gpu=sm103 or 'gpu.capability >= 9.0'; "
                "words that end in .tvar or / are programs.",
                metavar="[SELECTOR|FILE]...", complete="selectors",
            ),
            Parameter(
                "excluded", "flag", "The cells that exclusions drop instead, with reasons.",
                "--excluded",
            ),
            Parameter(
                "by", "value", "Grouped by the values of these axes, such as release,toolkit.",
                "--by", "AXIS,…",
            ),
            Parameter("count", "flag", "How many there are, of each group.", "--count"),
            _NAMED, _EVERYWHERE, _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "explain": Command(
        explain,
        (
            Parameter(
                "words", "arguments",
                "A variant and perhaps one of its settings, such as attrs.cmakeFlags, an element "
                "or a line of it, such as script.preConfigure:3; a line of a recipe; or the code "
                "of an error.",
                metavar="SELECTOR|FILE.nix:LINE|CODE [PATH]", complete="explain_words",
            ),
            _NAMED,
            Parameter(
                "nix_log", "flag",
                "Pass on what Nix prints, read from the input, and put the lines of source under "
                "each place in a recipe.",
                "--nix-log",
            ),
            _JSON,
            Parameter("html", "flag", "Print the variant as one page of HTML.", "--html"),
            _NO_CACHE, _FORMAT,
        ),
    ),
    "who": Command(
        who,
        (
            Parameter(  # one; bash breaks it into several while it is typed
                "places", "arguments",
                "A line of a source, such as variants.tvar:40 or std/nvidia.tvar:120.",
                metavar="FILE:LINE", complete="places", required=True,
            ),
            _NAMED, _ONLY, Parameter("whole", "flag", "Name each variant.", "--all"),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "why-not": Command(
        why_not,
        (
            Parameter(
                "words", "arguments",
                "A cell, such as sm61-avx512 cuda=13.0; its values may be unlisted yet.",
                metavar="VALUE|AXIS=VALUE...", complete="cells", required=True,
            ),
            _NAMED, _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "diff": Command(
        diff,
        (
            Parameter(
                "words", "arguments",
                "Two variants; with --against, the variants to look at, by default all.",
                metavar="[A B | SELECTOR...]", complete="selectors",
            ),
            Parameter(
                "against", "value",
                "Compare with the program as a git commit, a folder or another file has it.",
                "--against", "REV|FOLDER|FILE",
            ),
            Parameter("whole", "flag", "Show everything, however much.", "--all"),
            Parameter("nix", "flag", "Ask Nix which derivations differ as well.", "--nix"),
            _NAMED, _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "audit": Command(
        audit,
        (
            Parameter(
                "words", "arguments",
                "The folder of recipes, by default that of the outputs; a word that ends in .tvar "
                "is the program.",
                metavar="[DIR] [FILE]",
            ),
            _NAMED, Parameter("whole", "flag", "Leave nothing out of long lists.", "--all"),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "import": Command(
        import_command,
        (
            Parameter(
                "folder", "argument", "The folder of hand-made recipes; nothing is written there.",
                metavar="DIR", required=True,
            ),
            Parameter(
                "out", "value", "The program; by default variants.tvar. None is overwritten.",
                "--out", "FILE", short="-o",
            ),
            Parameter(
                "text", "value",
                "What becomes of descriptions: `drop` leaves them to the package.", "--text",
                choices=("keep", "drop"),
            ),
            Parameter(
                "axis", "values", "Words of the names of files that are values of one axis.",
                "--axis", "NAME=GLOB",
            ),
            Parameter(
                "report", "value",
                "Write what is told to FILE as well, as JSON if it ends in .json.", "--report",
                "FILE",
            ),
            Parameter(
                "check", "flag",
                "Write nothing; exit with 3 if the program would be another one.", "--check",
            ),
            Parameter("dry_run", "flag", "Write nothing; print the program.", "--dry-run"),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "pick": Command(
        pick,
        (
            _FILE, _NAMED, _ONLY,
            Parameter(
                "host", "value", "Choose for the host of this description instead of this machine.",
                "--host", "FILE",
            ),
            Parameter(
                "cpuinfo", "value", "Choose for the host of which this is /proc/cpuinfo.",
                "--cpuinfo", "FILE",
            ),
            Parameter(
                "nvidia_smi", "value",
                "What nvidia-smi has printed there: its table, or its answer to --query-gpu.",
                "--nvidia-smi", "FILE",
            ),
            Parameter(
                "describe", "flag", "Print the description of the host as JSON.", "--describe"
            ),
            Parameter(
                "whole", "flag", "Show every variant, those that do not run as well.", "--all"
            ),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "facts": Command(
        facts,
        (
            Parameter(
                "name", "argument",
                "A row (sm103), a table (nvidia), or a table and a version (cuda 12.8).",
                metavar="[NAME]", complete="fact_names",
            ),
            Parameter("version", "argument", "Which row of the table.", metavar="[VERSION]"),
            Parameter(
                "stale", "flag",
                "The tables that were not held against their sources within a year.", "--stale",
            ),
            _NAMED, _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "fmt": Command(
        fmt,
        (
            Parameter(
                "files", "arguments",
                "Files, folders, or - for the input; by default the nearest variants.tvar.",
                metavar="[FILE]...",
            ),
            _NAMED, _CHECK,
            Parameter("diff", "flag", "Write nothing; show what would change.", "--diff"),
            _NO_CACHE, _FORMAT,
        ),
    ),
    "dump": Command(
        dump,
        (
            Parameter(
                "stage", "value", "Which stage of the compiler.", "--stage", "[ast|hir|ir|nix]",
                "stages", required=True,
            ),
            _FILE, _NAMED, _ONLY, _NO_CACHE, _FORMAT,
        ),
    ),
    "lock": Command(
        lock,
        (
            _FILE, _NAMED,
            Parameter(
                "from_log", "value",
                "Take the hashes that Nix found from what it printed; `-` reads the input.",
                "--from-log", "FILE",
            ),
            Parameter(
                "check", "flag", "Run nothing; exit with 3 if a source is not locked.", "--check"
            ),
            Parameter(
                "prune", "flag", "Remove the entries of sources that are not used.", "--prune"
            ),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "bump": Command(
        bump,
        (
            Parameter(
                "words", "arguments",
                "A `let` of the file and its new value, or a pin or an input and its new commit.",
                metavar="NAME VALUE | pin NAME REV | input NAME REV",
                complete="bump_words", required=True,
            ),
            _NAMED,
            Parameter(
                "dry_run", "flag", "Show what would change, and write nothing.", "--dry-run"
            ),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
    "stale": Command(
        stale,
        (
            _FILE, _NAMED,
            Parameter(
                "pins", "values",
                "Another commit of the pinned repositories, or a folder with a nixpkgs; for one "
                "pin alone `NAME=` before it.",
                "--pin", "REV|FOLDER",
            ),
            _JSON, _NO_CACHE, _FORMAT,
        ),
    ),
}  # fmt: skip
