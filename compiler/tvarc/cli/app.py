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
        typer.Option("--no-git", help="Do not ask git which new recipes it does not track."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that tvarc did not write, too; no copy."),
    ] = False,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write the recipes that changed."""
    try:
        code = commands.build(
            file,
            out,
            only,
            flag,
            setting,
            check,
            dry_run,
            prune,
            adopt,
            no_git,
            force,
            as_json,
            no_cache,
            format,
        )
    except commands.Misused as wrong:
        raise typer.BadParameter(wrong.message, param_hint=wrong.hint) from None
    raise typer.Exit(code)


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
    file: FileOption = None,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """List the variants and their axis values."""
    raise typer.Exit(commands.list_command(selectors, file, as_json, no_cache, format))


@app.command()
def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="SELECTOR|CODE [PATH]",
            help="A variant and perhaps one of its settings, such as attrs.cmakeFlags; "
            "or the code of an error.",
            autocompletion=complete.explain_words,
            show_default=False,
        ),
    ],
    file: FileOption = None,
    as_json: Json = False,
    no_cache: NoCache = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Show a variant's settings and the line that wrote each, or the page on an error."""
    try:
        code = commands.explain(words, file, as_json, no_cache, format)
    except commands.Misused as wrong:
        raise typer.BadParameter(wrong.message, param_hint=wrong.hint) from None
    raise typer.Exit(code)


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
    raise typer.Exit(commands.pick(file, host, describe, whole, as_json, no_cache, format))


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
    try:
        code = commands.dump(stage, file, only, no_cache, format)
    except commands.Misused as wrong:
        raise typer.BadParameter(wrong.message, param_hint=wrong.hint) from None
    raise typer.Exit(code)
