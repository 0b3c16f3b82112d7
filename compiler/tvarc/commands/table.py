"""The commands: the name, the help and the parameters of each.

`COMMANDS` is the only table of them. `start/app.py` makes the input for Typer from it, and
`line/arguments.py` reads simple command lines by it, without Typer. `Command.module` names the
module of `commands/` that runs the command. It is imported when the command runs.
"""

from __future__ import annotations

from tvarc.light import Final, Literal, dataclass
from tvarc.text.diagnostics.model import Format

Kind = Literal["flag", "value", "values", "argument", "arguments"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One option or argument. `name` is its name in the code, `option` its spelling on the command
    line. A value is one of `choices`, if there are any, by default the first. `complete` names the
    function of `start/completion.py` that offers words; `short` is a second spelling.
    """

    name: str
    kind: Kind
    help: str
    option: str = ""
    metavar: str = ""
    complete: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False
    short: str = ""

    @property
    def meaning(self) -> str:
        """The help, with the text that the library for command lines adds to it."""
        more = ["It is required."] if self.required and self.option else []
        if self.choices:
            more.append(f"The default is `{self.choices[0]}`.")
        return " ".join([self.help, *more])


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its purpose, and its parameters in the order of its help. `module` is the one of
    `commands/` whose function `command` runs it."""

    module: str
    help: str
    parameters: tuple[Parameter, ...]

    @property
    def summary(self) -> str:
        """The first sentence of the help, which lists of commands show."""
        first, stop, _ = self.help.partition(". ")
        return f"{first}." if stop else first


def _name(option: str) -> str:
    """`--dry-run` is `dry_run`."""
    return option.removeprefix("--").replace("-", "_")


def _flag(option: str, help: str) -> Parameter:
    return Parameter(_name(option), "flag", help, option)


def _value(
    option: str,
    metavar: str,
    help: str,
    complete: str = "",
    *,
    choices: tuple[str, ...] = (),
    required: bool = False,
    short: str = "",
) -> Parameter:
    return Parameter(
        _name(option), "value", help, option, metavar, complete, choices, required, short
    )


def _values(option: str, metavar: str, help: str, complete: str = "") -> Parameter:
    """An option that may be given several times."""
    return Parameter(_name(option), "values", help, option, metavar, complete)


def _argument(
    name: str, metavar: str, help: str, complete: str = "", *, required: bool = False
) -> Parameter:
    return Parameter(name, "argument", help, "", metavar, complete, (), required)


def _arguments(
    name: str, metavar: str, help: str, complete: str = "", *, required: bool = False
) -> Parameter:
    """All words that belong to no option."""
    return Parameter(name, "arguments", help, "", metavar, complete, (), required)


_NEAREST: Final = "The default is the nearest variants.tvar, in this folder or one above."
_PROGRAM: Final = _argument("program", "[FILE]", f"The program. {_NEAREST}")
_PROGRAMS: Final = _arguments(
    "programs", "[FILE]...", f"Programs, or folders that contain a variants.tvar. {_NEAREST}"
)
_AND_PROGRAMS: Final = "A word that ends in .tvar or / is a program."
_FILE: Final = _values("--file", "FILE", f"Read the program FILE. {_NEAREST}")
_EVERYWHERE: Final = _flag(
    "--all", "Take each variants.tvar in and below this folder, or the folders you name."
)
_EXCLUDE_FROM_ALL: Final = _values(
    "--exclude", "PATTERN",
    "With --all: skip programs that match PATTERN, which is written as in .gitignore. A "
    ".tvarc-ignore file can list such patterns, too. May be repeated.",
)  # fmt: skip
_EXCLUDE: Final = _values(
    "--exclude", "PATTERN",
    "In folders, skip files that match PATTERN, which is written as in .gitignore. A "
    ".tvarc-ignore file can list such patterns, too. May be repeated.",
)  # fmt: skip
_ONLY: Final = _values(
    "--only", "SELECTOR",
    "Take only these variants, such as gpu=sm103. The default is all. May be repeated.",
    "selectors",
)  # fmt: skip
_INPUT: Final = _values(
    "--input", "NAME=PATH",
    "Read the files and modules of the input NAME from a checkout at PATH. May be repeated.",
    "inputs",
)  # fmt: skip
_OUT: Final = _value(
    "--out", "DIR",
    "Write the outputs below DIR. The default is the folder of the program.",
)  # fmt: skip
_FLAG: Final = _values(
    "--flag", "FLAG=VALUE", "Set a flag of the recipes. May be repeated.", "flags"
)
_SET: Final = _values(
    "--set", "PATH=VALUE",
    "Set one setting in each variant. It wins over the program. May be repeated.",
    "settings",
)  # fmt: skip
_PRUNE: Final = _flag(
    "--prune", "Remove recipes of this program that have no variant any more."
)
_NO_GIT: Final = _flag(
    "--no-git",
    "Do not run git. By default, git says which recipes it tracks, and which "
    "versions of them it has.",
)  # fmt: skip
_LOCKED: Final = _flag(
    "--locked", "Fail if a source has no hash, in the program or in tvar.lock."
)
_CHECK: Final = _flag("--check", "Write nothing. Exit with 3 if files would change.")
_JSON: Final = _flag("--json", "Print the result as JSON.")
_NO_CACHE: Final = _flag("--no-cache", "Parse each source again. Do not read or write the cache.")
_BUILDING: Final = (  # how to build
    _value(
        "--builders", "FILE",
        "Build on the machines that FILE lists, one on each line, as Nix writes them. The "
        "default is the setting of Nix.",
    ),
    _value(
        "--max-jobs", "N",
        "Run at most N builds at a time on this machine. With 0, only other machines "
        "build. The default is the setting of Nix.",
        short="-j",
    ),
    _flag(
        "--keep-going",
        "Continue after a broken recipe. Skip variants that Nix refuses or no machine can "
        "build.",
    ),
)
_LOGS: Final = _value(
    "--logs", "DIR",
    "Keep the logs of the builds and report.json in DIR. The default is a folder for "
    "the program in ~/.local/state/tvarc.",
)
_RECORD: Final = _flag(
    "--record",
    "Record the results in tvarc-results.jsonl, next to the program. If the file exists, each run "
    "records its results there.",
)
_RUN: Final = (  # options of every command
    _NO_CACHE,
    _value(
        "--format", "", "Print errors and warnings in this form.",
        choices=tuple([one.value for one in Format]),
    ),
)  # fmt: skip

ROOT: Final = {
    "--version": "Print the version and exit. With --json, also print its features.",
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Print the completion script for the current shell.",
    "-h, --help": "Show help and exit. After a command, show the help of that command.",
}
"""The options before a command: `--version` is ours, the library adds the others."""

ABOUT: Final = (
    "Compile .tvar files, which declare a matrix of builds, to one Nix recipe per variant."
)

COMMANDS: Final[dict[str, Command]] = {
    "init": Command(
        "init", "Start a program from a template, or from recipes you have.",
        (
            _argument(
                "folder", "[DIR]",
                "The folder of the program. The default is this folder. A missing folder is "
                "created.",
            ),
            _value(
                "--template", "NAME",
                "Start from this template: package, torch, python-set or from-scratch. Without "
                "this option, init asks.",
                "templates",
            ),
            _value(
                "--tvarc", "REFERENCE",
                "Add a workflow for GitHub that gets tvarc from REFERENCE: github:OWNER/tvarc/REV "
                "with a full commit, or the address of a released file with its hash. The default "
                "is no workflow. In a folder with a program, add only the workflow.",
            ),
            _flag("--yes", "Do not ask. The template is `package` if you name none."),
            _flag("--dry-run", "Write nothing. Print what would be written."), *_RUN,
        ),
    ),
    "build": Command(
        "build.command", "Write the recipes that changed.",
        (
            _PROGRAMS, _FILE, _EVERYWHERE, _EXCLUDE_FROM_ALL,
            _OUT, _ONLY, _FLAG, _SET, _INPUT, _CHECK,
            _flag("--dry-run", "Write nothing. Print what would be done."),
            _PRUNE,
            _flag(
                "--adopt",
                "Also replace files that tvarc did not write. Show what changes, and keep a copy "
                "as NAME.nix.orig.",
            ),
            _flag(
                "--if-equal",
                "With --adopt: replace a file only if it has the same derivation as its variant. "
                "Keep the other files, and show how they differ.",
            ),
            _NO_GIT,
            _flag("--force", "Also overwrite files that tvarc did not write. Keep no copy."),
            _LOCKED,
            _flag(
                "--source-map",
                "Also write JSON files that say which source lines made each line of a recipe.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "watch": Command(
        "watch",
        "Write the recipes, and again after each saved change. It builds when a file that the "
        "program reads has changed. If the program has errors, the recipes stay as they are. "
        "Ctrl-C ends it.",
        (_PROGRAM, _FILE, _OUT, _ONLY, _FLAG, _SET, _INPUT, _PRUNE, _NO_GIT, _LOCKED, _JSON, *_RUN),
    ),
    "check": Command(
        "check",
        "Check each variant and write nothing. With --fix, correct the sources first.",
        (
            _arguments(
                "words", "[FILE|SELECTOR]...",
                f"Programs, or folders that contain a variants.tvar. {_NEAREST} With --eval, also "
                f"the variants to evaluate. {_AND_PROGRAMS}",
            ),
            _FILE, _EVERYWHERE, _EXCLUDE_FROM_ALL, _INPUT,
            _flag(
                "--fix",
                "First correct the sources where a help leaves nothing to choose, such as the only "
                "name that can be meant. Print each change.",
            ),
            _flag(
                "--eval",
                "Let Nix evaluate the variants, too, and report its errors at the line of the "
                "program. Exit with 4 if Nix is missing or cannot fetch a pin.",
            ),
            _value(
                "--jobs", "N",
                "With --eval: run at most N evaluators at a time. The default depends on the cores "
                "and memory of the machine.",
            ),
            _value(
                "--builders", "FILE",
                "With --eval: report variants that neither the machines of FILE nor this machine "
                "can build.",
            ),
            _flag("--dry-run", "With --eval: run nothing. Print the commands."),
            _JSON, *_RUN,
        ),
    ),
    "list": Command(
        "listing.command", "List the variants and their axis values.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...",
                "Variants, such as sm103-avx512bf16, gpu=sm103 or 'gpu.capability >= 9.0'. The "
                f"default is all. {_AND_PROGRAMS}",
                "selectors",
            ),
            _flag(
                "--excluded", "List the cells that exclusions drop instead, each with the reason."
            ),
            _value(
                "--by", "AXIS,…", "Group the list by the values of axes, such as release,toolkit."
            ),
            _flag("--count", "Print the number of variants. With --by, print one for each group."),
            Parameter(
                "form", "value",
                "Print the list in this form. `text` is a table, or a grid on a terminal if two "
                "axes have several values. `github` is `text`, with errors for the logs of GitHub.",
                "--format", choices=("text", "markdown", "csv", "github"),
            ),
            _value(
                "--columns", "COLUMN,…",
                "Print these columns: axes, facts of axis values such as gpu.label, settings such "
                "as meta.description, or name, matrix, recipe, axes, platform, needs, files; also "
                "state, time, size: the recorded result of the build, its seconds, its bytes.",
                "columns",
            ),
            _JSON,
            _FILE, _INPUT, _EVERYWHERE, _EXCLUDE_FROM_ALL, _NO_CACHE,
        ),
    ),
    "jobs": Command(
        "jobs",
        "Print the variants as jobs for a CI system. The result is lines of JSON, as nix-eval-jobs "
        "prints them, or matrices of GitHub Actions.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...", f"Variants. The default is all. {_AND_PROGRAMS}",
                "selectors",
            ),
            Parameter(
                "form", "value",
                "Print the jobs in this form: a line of JSON for each, or matrices of GitHub "
                "Actions.",
                "--as", choices=("lines", "github"),
            ),
            _value(
                "--output", "NAME",
                "Use the condition `only` and the `runners` of this output of the program. The "
                "default is the first `jobs` or `github`.",
                "job_outputs",
            ),
            _value(
                "--changed-since", "REV|FOLDER|FILE",
                "Take only variants that are new or changed since a git commit, or compared with a "
                "folder or another file.",
            ),
            _flag(
                "--missing",
                "Take only variants without a good result in tvarc-results.jsonl: those that "
                "failed, changed, or were never built.",
            ),
            _flag(
                "--eval",
                "Let Nix evaluate the variants, and print their derivations, too. Exit with 4 if "
                "Nix is missing or cannot fetch a pin.",
            ),
            _FILE, _INPUT, *_RUN,
        ),
    ),
    "explain": Command(
        "explain.command",
        "Show which line of source wrote each setting of a variant. It also shows what made a line "
        "of a recipe, and prints the page of an error.",
        (
            _arguments(
                "words", "SELECTOR|FILE.nix:LINE|CODE [PATH]",
                "A variant, and one of its settings if you like: attrs.cmakeFlags, or line 3 of a "
                "script as script.preConfigure:3. Or a line of a recipe. Or the code of an error.",
                "explained",
            ),
            _FILE, _INPUT,
            _flag(
                "--facts",
                "Show all facts of the variant's axis values. By default each value is one line.",
            ),
            _flag(
                "--nix-log",
                "Read the output of Nix from standard input and print it again. Below each place "
                "in a recipe, add the lines of source that it comes from.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "report": Command(
        "report.command", "Write the matrix as a web page or as a picture.",
        (
            _arguments(
                "words", "[SELECTOR]...",
                "The variants to show. The default is all variants and all dropped cells.",
                "selectors",
            ),
            _value("--html", "FILE", "Write the page to FILE. `-` prints it."),
            _value(
                "--svg", "FILE",
                "Write only the picture to FILE, for a README or a pull request. `-` prints it.",
            ),
            _value(
                "--against", "REV|FOLDER|FILE",
                "Mark what is new, gone or changed since a git commit, or compared with a folder "
                "or another file.",
            ),
            _value(
                "--builds", "REPORT",
                "Colour the variants by the results of a build. REPORT is the report.json that "
                "`realise --logs` keeps. The default is the results in tvarc-results.jsonl.",
            ),
            _flag(
                "--serve",
                "Show the page in a browser on this machine, and a new one after each saved "
                "change. Ctrl-C ends it.",
            ),
            _value("--port", "N", "With --serve: the port. The default is one that is free."),
            _flag("--force", "Overwrite FILE even if report did not write it."),
            _FILE, _INPUT, *_RUN,
        ),
    ),
    "who": Command(
        "who",
        "Show which variants and recipe lines a source line affects. If it affects none, say why.",
        (
            _arguments(  # one; bash breaks it into several while it is typed
                "words", "FILE:LINE",
                "A line of a source, such as variants.tvar:40 or std/nvidia.tvar:120.",
                "places", required=True,
            ),
            _FILE, _INPUT, _ONLY,
            _flag("--all", "Print the name of each variant. The default is a summary."),
            _JSON, *_RUN,
        ),
    ),
    "why-not": Command(
        "whynot",
        "Show why a variant does not exist, and how to add it. The answer is the smallest change "
        "of the program that adds the variant.",
        (
            _arguments(
                "words", "VALUE|AXIS=VALUE...",
                "The axis values of the variant, such as sm61-avx512 cuda=13.0. They need not be "
                "in the program yet.",
                "cells", required=True,
            ),
            _FILE, _INPUT, _JSON, *_RUN,
        ),
    ),
    "diff": Command(
        "diff", "Compare two variants, or two versions of the program.",
        (
            _arguments(
                "words", "[A B | SELECTOR...]",
                "Two variants. With --against, the variants to compare: the default is all.",
                "selectors",
            ),
            _value(
                "--against", "REV|FOLDER|FILE",
                "Compare with the program in a git commit, a folder or another file.",
            ),
            _flag("--all", "Print all differences, however many there are."),
            _flag("--nix", "Ask Nix, too, which derivations differ."),
            Parameter(
                "form", "value",
                "Print the result in this form. `markdown` is for a comment on a pull request. "
                "`json` and `github` are `text`, with errors and warnings in this form.",
                "--format", choices=("text", "markdown", "json", "github"),
            ),
            _FILE, _INPUT, _JSON, _NO_CACHE,
        ),
    ),
    "audit": Command(
        "audit",
        "Find mistakes in a folder of recipes, also hand-written ones. It compares the recipes "
        "with the facts, with each other and with the matrix, if there is one. It exits with 3 if "
        "it finds something.",
        (
            _arguments(
                "words", "[DIR] [FILE]",
                "The folder of recipes. The default is the folder of the outputs. A word that ends "
                "in .tvar is the program.",
            ),
            _FILE, _INPUT, _flag("--all", "Print long lists in full."),
            _flag(
                "--nix",
                "Ask Nix which hand-written recipes have the same derivation as their variant, and "
                "how the others differ.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "import": Command(
        "importing",
        "Write a program that builds the same as a folder of recipes. The recipes may be "
        "hand-written. It exits with 3 if it cannot import a recipe, or if a recipe differs from "
        "its neighbours.",
        (
            _argument(
                "folder", "DIR", "The folder of recipes. It stays as it is.", required=True,
            ),
            _value(
                "--out", "FILE",
                "Write the program to FILE, which must not exist. The default is variants.tvar.",
                short="-o",
            ),
            _value(
                "--text", "",
                "Put descriptions into a module if some are long, keep them in the program, or "
                "drop them.",
                choices=("module", "keep", "drop"),
            ),
            _values(
                "--axis", "NAME=GLOB",
                "Make one axis NAME from the words in file names that match GLOB. May be repeated.",
            ),
            _value(
                "--report", "FILE",
                "Write the report to FILE, too. It is JSON if FILE ends in .json.",
            ),
            _flag("--check", "Write nothing. Exit with 3 if the program would change."),
            _flag("--dry-run", "Write nothing. Print the program."),
            _flag(
                "--nix",
                "Ask Nix whether the program that was written makes the derivations of the "
                "recipes. Exit with 3 if it does not.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "pick": Command(
        "pick", "Show which variant fits this machine, and why.",
        (
            _PROGRAM, _FILE, _INPUT, _ONLY,
            _value(
                "--host", "FILE",
                "Pick for the machine that FILE describes. `--describe` makes such a file. The "
                "default is this machine.",
            ),
            _value(
                "--cpuinfo", "FILE",
                "Pick for another machine. FILE is a copy of its /proc/cpuinfo.",
            ),
            _value(
                "--nvidia-smi", "FILE",
                "Pick for the GPUs of another machine. FILE is what `nvidia-smi "
                "--query-gpu=name,compute_cap,driver_version --format=csv` printed there.",
            ),
            _flag("--describe", "Print the description of the machine as JSON."),
            _flag("--all", "Show all variants, also those that do not run there."),
            _JSON, *_RUN,
        ),
    ),
    "facts": Command(
        "facts",
        "Show what the library knows about GPUs, CPUs and toolkits.",
        (
            _argument(
                "name", "[NAME]",
                "A row (sm103), a table (nvidia), or a table and a version (cuda 12.8). The "
                "default is a list of the tables.",
                "facts",
            ),
            _argument("version", "[VERSION]", "The version of a row of the table NAME."),
            _flag(
                "--stale", "List the tables that were last compared with their sources over a "
                "year ago.",
            ),
            _FILE, _INPUT, _JSON, *_RUN,
        ),
    ),
    "fmt": Command(
        "fmt", "Format sources in the one layout of the language. Comments are kept.",
        (
            _arguments(
                "programs", "[FILE]...",
                f"Files or folders. `-` reads standard input and prints the result. {_NEAREST}",
            ),
            _FILE, _EXCLUDE, _CHECK, _flag("--diff", "Write nothing. Print what would change."),
            *_RUN,
        ),
    ),
    "lsp": Command(
        "lsp.command",
        "Run the language server for an editor. It speaks the Language Server Protocol over "
        "standard input and output. `pip install 'tvarc[lsp]'` brings what it needs.",
        (
            _flag("--stdio", "Serve even a terminal. Some editors add this option."),
            *_RUN,
        ),
    ),
    "dump": Command(
        "dump", "Print the result of one stage of the compiler.",
        (
            _value(
                "--stage", "[ast|hir|ir|nix]", "Print the result of this stage.", "stages",
                required=True,
            ),
            _PROGRAM, _FILE, _INPUT, _ONLY, *_RUN,
        ),
    ),
    "realise": Command(
        "realise.command",
        "Build variants with Nix, here or on other machines. It exits with 1 if a recipe is "
        "broken, and with 4 if a machine or a store prevents a build.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...", f"Variants. The default is all. {_AND_PROGRAMS}",
                "selectors",
            ),
            _FILE, _INPUT,
            *_BUILDING,
            _value(
                "--only-changed", "REV|FOLDER|FILE",
                "Build only variants whose derivation differs from that in a git commit, a folder "
                "or another file, and variants that need these.",
            ),
            _value(
                "--to", "STORE",
                "Copy the results to STORE, signed with the keys of Nix's settings. Builds that "
                "STORE already has are skipped.",
            ),
            _value(
                "--out-link", "DIR",
                "Make a link in DIR to each built variant. Nix's garbage collector keeps builds "
                "that have a link.",
            ),
            _value(
                "--sbom", "DIR",
                "Write a bill of materials of each variant to DIR, as CycloneDX, and a table of "
                "licences.",
            ),
            _LOGS, _RECORD, _flag("--dry-run", "Build nothing. Print the command."), _JSON, *_RUN,
        ),
    ),
    "test": Command(
        "test",
        "Run the tests of variants. Nix builds a variant before its tests. It exits with 1 if a "
        "test fails or a recipe is broken, and with 4 if a machine or a store prevents a test.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...", f"Variants. The default is all. {_AND_PROGRAMS}",
                "selectors",
            ),
            _FILE, _INPUT,
            _flag(
                "--on-host",
                "Run the tests that need the hardware of this machine, outside of Nix's sandbox. "
                "They are those of the variants that fit it best.",
            ),
            *_BUILDING, _LOGS, _RECORD, _flag("--dry-run", "Build nothing. Print the command."),
            _JSON, *_RUN,
        ),
    ),
    "lock": Command(
        "lock",
        "Find missing hashes, and keep them in tvar.lock.",
        (
            _PROGRAM, _FILE, _INPUT,
            _value(
                "--from-log", "FILE",
                "Read the hashes from what Nix printed during a build. `-` reads standard input.",
            ),
            _flag("--check", "Run nothing. Exit with 3 if a source is not locked."),
            _flag("--prune", "Remove entries of sources that the program does not use."),
            _JSON, *_RUN,
        ),
    ),
    "bump": Command(
        "bump",
        "Change a version, a fact, an axis value or a commit. It edits the line that states the "
        "value, and sets each hash that does not fit the new value to `unlocked`.",
        (
            _arguments(
                "words", "NAME VALUE | axis NAME OLD NEW | pin NAME REV | input NAME REV",
                "A `let`, a fact TABLE.ROW.FACT or a key LET.KEY of a record, and its new value; "
                "an axis, an old and a new value; or a pin or an input and its new commit.",
                "bumped", required=True,
            ),
            _FILE, _INPUT,
            _values(
                "--only", "SELECTOR",
                "Change a value that differs by variant for these variants, such as gpu=sm103. May "
                "be repeated.",
                "selectors",
            ),
            _flag("--dry-run", "Write nothing. Print what would change."),
            _JSON, *_RUN,
        ),
    ),
    "stale": Command(
        "stale",
        "Find overlays that the pinned nixpkgs makes unnecessary. Nix evaluates the `until` of "
        "each overlay. It exits with 3 if it finds one.",
        (
            _PROGRAM, _FILE, _INPUT,
            _values(
                "--pin", "REV|FOLDER",
                "Evaluate with another commit of the pinned repositories, or with a folder of "
                "nixpkgs. Put `NAME=` first for one pin only. May be repeated.",
            ),
            _JSON, *_RUN,
        ),
    ),
}  # fmt: skip
