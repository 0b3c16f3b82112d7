"""The commands and their options: their one definition.

A line that is plain by it is read in `cli/arguments.py`, without this module and the library.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tvarc import __version__
from tvarc.cli import commands, complete, exits
from tvarc.cli.console import Console
from tvarc.light import Callable, NoReturn

EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {code:<4}{text}" for code, text in exits.MEANINGS)

app = typer.Typer(
    name="tvarc",
    help="Compile .tvar files, which declare a matrix of builds, to one Nix recipe a variant.",
    epilog=EPILOG,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE]",
        help="The program; by default the nearest variants.tvar, here or in a folder above.",
        show_default=False,
    ),
]
FileOption = Annotated[
    str | None,
    typer.Option(
        "--file",
        metavar="FILE",
        help="The program; by default the nearest variants.tvar, here or in a folder above.",
        show_default=False,
    ),
]


class Format(StrEnum):
    """How diagnostics are written, as the library wants choices; the console has the same."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


FormatOption = Annotated[
    Format, typer.Option("--format", help="How errors and warnings are written.")
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="SELECTOR",
        help="These variants alone; may be given several times.",
        autocompletion=complete.selectors,
        show_default=False,
    ),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Parse every source again; neither read nor write the cache."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def _version(wanted: bool) -> None:
    if wanted:
        Console().out(f"tvarc {__version__}\n")
        raise typer.Exit(exits.OK)


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command()
def build(
    file: File = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder that the outputs' paths start from; by default that of FILE.",
            show_default=False,
        ),
    ] = None,
    only: Only = None,
    flag: Annotated[
        list[str] | None,
        typer.Option(
            "--flag",
            metavar="FLAG=VALUE",
            help="Set a flag of the recipes.",
            autocompletion=complete.flags,
            show_default=False,
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Set a setting of every variant, over all that is written.",
            autocompletion=complete.settings,
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 3 if files would change.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; say what would be done.")
    ] = False,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Remove the recipes of this program that it has no longer."),
    ] = False,
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt",
            help="Replace files that tvarc did not write, too; show what differs, keep a copy.",
        ),
    ] = False,
    no_git: Annotated[
        bool,
        typer.Option("--no-git", help="Do not ask git which recipes it does not track."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that tvarc did not write, too; no copy."),
    ] = False,
    locked: Annotated[
        bool, typer.Option("--locked", help="Refuse to build what is not locked; see `lock`.")
    ] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write the recipes that changed."""
    _end(
        lambda: commands.build(
            file, out, only, flag, setting, check, dry_run, prune, adopt, no_git, force, locked,
            as_json, no_cache, format,
        )
    )  # fmt: skip


@app.command()
def check(file: File = None, no_cache: NoCache = False, format: FormatOption = Format.TEXT) -> None:
    """Check every variant and write nothing."""
    raise typer.Exit(commands.check(file, no_cache, format))


@app.command("list")
def list_command(
    selectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SELECTOR]...",
            help="Which variants, such as sm103-avx512bf16, gpu=sm103 or 'gpu.capability >= 9.0'.",
            autocompletion=complete.selectors,
            show_default=False,
        ),
    ] = None,
    excluded: Annotated[
        bool,
        typer.Option("--excluded", help="The cells that exclusions drop instead, with reasons."),
    ] = False,
    file: FileOption = None,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """List the variants and their axis values."""
    raise typer.Exit(commands.list_command(selectors, excluded, file, as_json, no_cache, format))


@app.command()
def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="SELECTOR|CODE [PATH]",
            help="A variant and perhaps one of its settings, such as attrs.cmakeFlags, an element "
            "or a line of it, such as script.preConfigure:3; or the code of an error.",
            autocompletion=complete.explain_words,
            show_default=False,
        ),
    ],
    file: FileOption = None,
    as_json: Json = False,
    html: Annotated[
        bool, typer.Option("--html", help="Print the variant as one page of HTML.")
    ] = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Show a variant's settings and the line that wrote each, or the page on an error."""
    _end(lambda: commands.explain(words, file, as_json, html, no_cache, format))


@app.command()
def who(
    places: Annotated[
        list[str],  # one; bash breaks it into several while it is typed
        typer.Argument(
            metavar="FILE:LINE",
            help="A line of a source, such as variants.tvar:40 or std/nvidia.tvar:120.",
            autocompletion=complete.places,
            show_default=False,
        ),
    ],
    file: FileOption = None,
    only: Only = None,
    whole: Annotated[bool, typer.Option("--all", help="Name each variant.")] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Say which variants and which emitted lines a line of source reaches, or why none."""
    _end(lambda: commands.who(places, file, only, whole, as_json, no_cache, format))


@app.command("why-not")
def why_not(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE|AXIS=VALUE...",
            help="A cell, such as sm61-avx512 cuda=13.0; its values may be unlisted yet.",
            autocompletion=complete.cells,
            show_default=False,
        ),
    ],
    file: FileOption = None,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Say what keeps a cell out of the matrices, and the smallest change that admits it."""
    _end(lambda: commands.why_not(words, file, as_json, no_cache, format))


@app.command()
def diff(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[A B | SELECTOR...]",
            help="Two variants; with --against, the variants to look at, by default all.",
            autocompletion=complete.selectors,
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REV|FOLDER|FILE",
            help="Compare with the program as a git commit, a folder or another file has it.",
            show_default=False,
        ),
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="Show everything, however much.")] = False,
    nix: Annotated[
        bool, typer.Option("--nix", help="Ask Nix which derivations differ as well.")
    ] = False,
    file: FileOption = None,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Show what differs between two variants, or between two states of the program."""
    _end(lambda: commands.diff(words, against, whole, nix, file, as_json, no_cache, format))


@app.command()
def audit(
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="[DIR]",
            help="The folder of recipes; by default that of the outputs.",
            show_default=False,
        ),
    ] = None,
    file: FileOption = None,
    whole: Annotated[bool, typer.Option("--all", help="Leave nothing out of long lists.")] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Hold a folder of recipes, hand-written ones too, against the matrix; exit with 3 if anything
    is out of line."""
    _end(lambda: commands.audit(folder, file, whole, as_json, no_cache, format))


@app.command()
def pick(
    file: File = None,
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="FILE",
            help="Choose for the host of this description instead of this machine.",
            show_default=False,
        ),
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Print the description of this machine as JSON.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--all", help="Show every variant, those that do not run as well.")
    ] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Say which variant is for this machine, and why."""
    _end(lambda: commands.pick(file, host, describe, whole, as_json, no_cache, format))


@app.command()
def facts(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A row (sm103), a table (nvidia), or a table and a version (cuda 12.8).",
            autocompletion=complete.fact_names,
            show_default=False,
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Argument(metavar="[VERSION]", help="Which row of the table.", show_default=False),
    ] = None,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Show what the standard library knows of a GPU, an instruction set or a toolkit."""
    raise typer.Exit(commands.facts(name, version, as_json, no_cache, format))


@app.command()
def fmt(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Files, folders, or - for the input; by default the nearest variants.tvar.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 3 if files would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; show what would change.")
    ] = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Lay sources out in the one layout of the language; comments are kept."""
    _end(lambda: commands.fmt(files, check, diff, no_cache, format))


@app.command()
def dump(
    stage: Annotated[
        str,
        typer.Option(
            "--stage",
            metavar="[ast|hir|ir|nix]",
            help="Which stage of the compiler.",
            autocompletion=complete.stages,
            show_default=False,
        ),
    ],
    file: File = None,
    only: Only = None,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Show what a stage of the compiler makes of a program."""
    _end(lambda: commands.dump(stage, file, only, no_cache, format))


@app.command()
def lock(
    file: File = None,
    from_log: Annotated[
        str | None,
        typer.Option(
            "--from-log",
            metavar="FILE",
            help="Take the hashes that Nix found from what it printed; `-` reads the input.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run nothing; exit with 3 if a source is not locked.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the entries of sources that are not used.")
    ] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Find out the hashes that the program does not state, and keep them in tvar.lock."""
    _end(lambda: commands.lock(file, from_log, check, prune, as_json, no_cache, format))


@app.command()
def bump(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME VALUE | pin NAME REV",
            help="A `let` of the file and its new value, or a pin and its new commit.",
            autocompletion=complete.bump_words,
            show_default=False,
        ),
    ],
    file: FileOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")
    ] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Change a version or a pin where it is written, and unlock the hashes that it made stale."""
    _end(lambda: commands.bump(words, file, dry_run, as_json, no_cache, format))


def _end(command: Callable[[], int]) -> NoReturn:
    """End with the code of *command*, or tell of the words that are no proper use of it."""
    try:
        code = command()
    except commands.Misused as wrong:
        raise typer.BadParameter(wrong.message, param_hint=wrong.hint) from None
    raise typer.Exit(code)
