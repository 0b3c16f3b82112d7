"""The commands and their options. What a command does is imported when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from tvarc import __version__
from tvarc.cli import complete, exits
from tvarc.cli.console import Console, Format

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
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that tvarc did not write, too.")
    ] = False,
    as_json: Json = False,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write the recipes that changed."""
    from tvarc.cli.build import BuildOptions
    from tvarc.cli.build import build as run_build
    from tvarc.cli.session import run
    from tvarc.sema.overrides import Setting

    chosen = [Setting("--flag", text) for text in flag or ()]
    chosen += [Setting("--set", text) for text in setting or ()]
    options = BuildOptions(file, out, tuple(only or ()), tuple(chosen), check, force, as_json)
    raise typer.Exit(run(Console(format), lambda session: run_build(session, options)))


@app.command()
def check(file: File = None, format: FormatOption = Format.TEXT) -> None:
    """Check every variant and write nothing."""
    from tvarc.cli.check import check as run_check
    from tvarc.cli.session import run

    raise typer.Exit(run(Console(format), lambda session: run_check(session, file)))


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
    format: FormatOption = Format.TEXT,
) -> None:
    """List the variants and their axis values."""
    from tvarc.cli.listing import list_variants
    from tvarc.cli.session import run

    raise typer.Exit(
        run(
            Console(format),
            lambda session: list_variants(session, file, selectors or (), as_json=as_json),
        )
    )


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
    format: FormatOption = Format.TEXT,
) -> None:
    """Show a variant's settings and the line that wrote each, or the page on an error."""
    from tvarc.cli.explain import explain as run_explain
    from tvarc.cli.explain import surplus
    from tvarc.cli.session import run

    extra = surplus(words)
    if extra is not None:
        raise typer.BadParameter(f"one SELECTOR and one PATH are wanted; what is `{extra}`?")
    raise typer.Exit(
        run(Console(format), lambda session: run_explain(session, file, words, as_json=as_json))
    )


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
    format: FormatOption = Format.TEXT,
) -> None:
    """Say which variant is for this machine, and why."""
    from tvarc.cli.pick import describe_host
    from tvarc.cli.pick import pick as run_pick
    from tvarc.cli.session import Session, run

    def command(session: Session) -> int:
        if describe:
            return describe_host(session, host)
        return run_pick(session, file, host, whole=whole, as_json=as_json)

    raise typer.Exit(run(Console(format), command))


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
    format: FormatOption = Format.TEXT,
) -> None:
    """Show what the standard library knows of a GPU, an instruction set or a toolkit."""
    from tvarc.cli.facts import show_facts
    from tvarc.cli.session import run

    raise typer.Exit(
        run(Console(format), lambda session: show_facts(session, name, version, as_json=as_json))
    )


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
    format: FormatOption = Format.TEXT,
) -> None:
    """Show what a stage of the compiler makes of a program."""
    from tvarc.cli.dump import Stage
    from tvarc.cli.dump import dump as run_dump
    from tvarc.cli.session import run

    if stage not in list(Stage):
        raise typer.BadParameter(f"`{stage}` is none of {', '.join(Stage)}", param_hint="--stage")
    raise typer.Exit(
        run(Console(format), lambda session: run_dump(session, file, Stage(stage), only or ()))
    )
