"""The commands: what each is called, what it does, and what it takes.

`COMMANDS` is their one table. `cli/app.py` makes of it what the library for command lines wants,
`cli/arguments.py` reads ordinary lines by it, without that library, and `report/manual.py` writes
the manual pages. What a command does stands in the module of `cli/` that is named with it, which is
imported when the command runs.
"""

from __future__ import annotations

from tvarc.diagnostics.model import Format
from tvarc.light import Final, Literal, dataclass

Kind = Literal["flag", "value", "values", "argument", "arguments"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One option or argument. `name` is what the code calls it, `option` how an option is written.
    A value is one of `choices`, if there are any, by default the first. `complete` names the
    function of `programs/completion.py` that offers words; `short` is a second spelling."""

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
    """What a command does, and what it takes, in the order of its help. `module` is the one of
    `cli/` whose function `command` runs it."""

    module: str
    help: str
    parameters: tuple[Parameter, ...]


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
    """All words that stand alone."""
    return Parameter(name, "arguments", help, "", metavar, complete, (), required)


_PROGRAM: Final = _argument(
    "program", "[FILE]",
    "The program; by default the nearest variants.tvar, here or in a folder above.",
)  # fmt: skip
_PROGRAMS: Final = _arguments(
    "programs", "[FILE]...",
    "The programs, or folders that hold a variants.tvar; by default the nearest "
    "variants.tvar, here or in a folder above.",
)  # fmt: skip
_FILE: Final = _values(
    "--file", "FILE", "The program, as a word that ends in .tvar or / names it as well."
)
_EVERYWHERE: Final = _flag(
    "--all", "Every variants.tvar below this folder, or below the folders that are given."
)
_EXCLUDE: Final = _values(
    "--exclude", "PATTERN",
    "Leave out what fits, of what is found in folders: a pattern as in .gitignore, from this "
    "folder on; a .tvarc-ignore has such patterns too.",
)
_ONLY: Final = _values(
    "--only", "SELECTOR", "These variants alone; may be given several times.", "selectors"
)
_INPUT: Final = _values(
    "--input", "NAME=PATH",
    "Look for the files of this input in a checkout of it; recipes do not change.", "inputs",
)  # fmt: skip
_CHECK: Final = _flag("--check", "Write nothing; exit with 3 if files would change.")
_JSON: Final = _flag("--json", "Print the result as JSON.")
_NO_CACHE: Final = _flag(
    "--no-cache", "Parse every source again; neither read nor write the cache."
)
_RUN: Final = (  # what every command takes
    _NO_CACHE,
    _value(
        "--format", "", "How errors and warnings are written.",
        choices=tuple([one.value for one in Format]),
    ),
)  # fmt: skip

ROOT: Final = {
    "--version": "Print the version and exit; with --json what this version can do as well.",
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Print completion for the current shell.",
    "-h, --help": "Show a help text and exit; after a command, that of the command.",
}
"""What goes before a command: `--version` is ours, the others the library has of itself."""

ABOUT: Final = "Compile .tvar files, which declare a matrix of builds, to one Nix recipe a variant."

COMMANDS: Final[dict[str, Command]] = {
    "init": Command(
        "init", "Begin a program: from a template, or from the recipes that a folder has.",
        (
            _argument("folder", "[DIR]", "Where; by default this folder. It is made if need be."),
            _value(
                "--template", "NAME",
                "Which one: package, torch, python-set or from-scratch. It is asked for if it is "
                "not given.",
                "templates",
            ),
            _value(
                "--tvarc", "REFERENCE",
                "Where a workflow of GitHub gets tvarc: github:OWNER/tvarc/REV, with a whole "
                "commit, or the address of a released file with its hash. Without it none is "
                "written.",
            ),
            _flag("--yes", "Ask nothing: `package`, if no template is given."),
            _flag("--dry-run", "Write nothing; say what would be written."), *_RUN,
        ),
    ),
    "build": Command(
        "build", "Write the recipes that changed.",
        (
            _PROGRAMS, _FILE, _EVERYWHERE, _EXCLUDE,
            _value(
                "--out", "DIR",
                "The folder that the outputs' paths start from; by default that of FILE.",
            ),
            _ONLY,
            _values("--flag", "FLAG=VALUE", "Set a flag of the recipes.", "flags"),
            _values(
                "--set", "PATH=VALUE",
                "Set a setting of every variant, over all that is written.", "settings",
            ),
            _INPUT, _CHECK,
            _flag("--dry-run", "Write nothing; say what would be done."),
            _flag("--prune", "Remove the recipes of this program that it has no longer."),
            _flag(
                "--adopt",
                "Replace files that tvarc did not write, too; show what differs, keep a copy.",
            ),
            _flag(
                "--if-equal",
                "With --adopt: replace only files of which Nix makes the derivation of their "
                "variant; what differs in the others is told, and they stay.",
            ),
            _flag("--no-git", "Do not ask git which recipes it has, and of which states."),
            _flag("--force", "Overwrite files that tvarc did not write, too; no copy."),
            _flag("--locked", "Refuse to build what is not locked; see `lock`."),
            _flag(
                "--source-map",
                "Write as JSON beside the recipes which lines of source made each of their lines.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "check": Command(
        "check", "Check every variant and write nothing; with --eval, Nix evaluates them.",
        (
            _arguments(
                "words", "[FILE|SELECTOR]...",
                "The programs, or folders that hold a variants.tvar; by default the nearest "
                "variants.tvar, here or in a folder above. With --eval also which variants: words "
                "that end in .tvar or / are programs.",
            ),
            _FILE, _EVERYWHERE, _EXCLUDE, _INPUT,
            _flag(
                "--eval",
                "Let Nix evaluate the variants; what it refuses is told at the line of the "
                "program. Exit with 4 where Nix is not here, or cannot fetch a pin.",
            ),
            _value(
                "--jobs", "N",
                "So many evaluators of Nix side by side; by default as many as cores and memory "
                "allow.",
            ),
            _flag("--dry-run", "With --eval: run nothing; print the commands."),
            _JSON, *_RUN,
        ),
    ),
    "list": Command(
        "listing", "List the variants and their axis values.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...",
                "Which variants, such as sm103-avx512bf16, gpu=sm103 or 'gpu.capability >= 9.0'; "
                "words that end in .tvar or / are programs.",
                "selectors",
            ),
            _flag("--excluded", "The cells that exclusions drop instead, with reasons."),
            _value(
                "--by", "AXIS,…", "Grouped by the values of these axes, such as release,toolkit."
            ),
            _flag("--count", "How many there are, of each group."),
            Parameter(
                "form", "value",
                "How the list is printed. `text` is a table or, on a terminal where two axes have "
                "several values, a grid of them; with `github` errors are for its logs.",
                "--format", choices=("text", "table", "markdown", "csv", "json", "github"),
            ),
            _value(
                "--columns", "COLUMN,…",
                "These columns: axes, facts of their rows as gpu.label, settings as "
                "meta.description, and name, matrix, recipe, axes, platform, needs, files.",
                "columns",
            ),
            _flag("--markdown", "Short for --format markdown."),
            _flag("--json", "Short for --format json."),
            _FILE, _EVERYWHERE, _EXCLUDE, _NO_CACHE,
        ),
    ),
    "jobs": Command(
        "jobs",
        "Print what other systems take to build the variants: lines as nix-eval-jobs has them, or "
        "matrices of GitHub Actions.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...",
                "Which variants, by default all; words that end in .tvar or / are programs.",
                "selectors",
            ),
            Parameter(
                "form", "value", "Lines of JSON, a job each, or matrices of GitHub Actions.",
                "--as", choices=("lines", "github"),
            ),
            _value(
                "--output", "NAME",
                "For this output of the program, with its `only` and its runners; by default the "
                "first `jobs` or `github`.",
                "job_outputs",
            ),
            _value(
                "--changed-since", "REV|FOLDER|FILE",
                "Only variants that a git commit, a folder or another file has not, or otherwise.",
            ),
            _flag(
                "--eval",
                "Let Nix evaluate the variants, and print derivations and their names as well. "
                "Exit with 4 where Nix is not here, or cannot fetch a pin.",
            ),
            _FILE, *_RUN,
        ),
    ),
    "explain": Command(
        "explain",
        "Show a variant's settings and the line that wrote each, what made a line of a recipe, or "
        "the page on an error.",
        (
            _arguments(
                "words", "SELECTOR|FILE.nix:LINE|CODE [PATH]",
                "A variant and perhaps one of its settings, such as attrs.cmakeFlags, an element "
                "or a line of it, such as script.preConfigure:3; a line of a recipe; or the code "
                "of an error.",
                "explained",
            ),
            _FILE,
            _flag(
                "--facts",
                "Show all facts of the variant's axis values. By default each value is one line.",
            ),
            _flag(
                "--nix-log",
                "Pass on what Nix prints, read from the input, and put the lines of source under "
                "each place in a recipe.",
            ),
            _JSON,
            _value("--html", "FILE", "The variant as one page, which is written; `-` prints it."),
            _flag("--force", "With --html: overwrite a file that is no such page."), *_RUN,
        ),
    ),
    "report": Command(
        "report", "Write the matrix as a page for a browser, or as a picture.",
        (
            _arguments(
                "words", "[SELECTOR]...", "The variants to show; by default all, and what is "
                "dropped.",
                "selectors",
            ),
            _value("--html", "FILE", "The page, which is written; `-` prints it."),
            _value(
                "--svg", "FILE", "Write the picture alone, for a README or a pull request; `-` "
                "prints it.",
            ),
            _value(
                "--against", "REV|FOLDER|FILE",
                "Mark what is new, gone or changed since a git commit, a folder or another file.",
            ),
            _value(
                "--builds", "REPORT",
                "Colour the variants by what has become of them: the report.json of a build.",
            ),
            _flag("--force", "Overwrite a file that this command did not write."),
            _FILE, *_RUN,
        ),
    ),
    "who": Command(
        "who", "Say which variants and which emitted lines a line of source reaches, or why none.",
        (
            _arguments(  # one; bash breaks it into several while it is typed
                "words", "FILE:LINE",
                "A line of a source, such as variants.tvar:40 or std/nvidia.tvar:120.",
                "places", required=True,
            ),
            _FILE, _ONLY, _flag("--all", "Name each variant."), _JSON, *_RUN,
        ),
    ),
    "why-not": Command(
        "whynot",
        "Say what keeps a cell out of the matrices, and the smallest change that admits it.",
        (
            _arguments(
                "words", "VALUE|AXIS=VALUE...",
                "A cell, such as sm61-avx512 cuda=13.0; its values may be unlisted yet.",
                "cells", required=True,
            ),
            _FILE, _JSON, *_RUN,
        ),
    ),
    "diff": Command(
        "diff", "Show what differs between two variants, or between two states of the program.",
        (
            _arguments(
                "words", "[A B | SELECTOR...]",
                "Two variants; with --against, the variants to look at, by default all.",
                "selectors",
            ),
            _value(
                "--against", "REV|FOLDER|FILE",
                "Compare with the program as a git commit, a folder or another file has it.",
            ),
            _flag("--all", "Show everything, however much."),
            _flag("--nix", "Ask Nix which derivations differ as well."),
            _FILE, _JSON, *_RUN,
        ),
    ),
    "audit": Command(
        "audit",
        "Hold a folder of recipes, hand-written ones too, against the facts, each other and the "
        "matrix, if there is one; exit with 3 if anything is out of line.",
        (
            _arguments(
                "words", "[DIR] [FILE]",
                "The folder of recipes, by default that of the outputs; a word that ends in .tvar "
                "is the program.",
            ),
            _FILE, _flag("--all", "Leave nothing out of long lists."),
            _flag(
                "--nix",
                "Ask Nix which recipes by hand are the derivations of their variants, and in what "
                "the others differ.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "adopt": Command(
        "adopt",
        "Remove the copies that `build --adopt` left beside recipes which say or build the same; "
        "exit with 3 if one stays.",
        (
            _PROGRAM, _FILE,
            _flag(
                "--clean",
                "Remove each NAME.nix.orig of which the recipe says the same, or where Nix is "
                "there is the same derivation.",
            ),
            _flag("--dry-run", "Remove nothing; say what would be."), _JSON, *_RUN,
        ),
    ),
    "import": Command(
        "importing",
        "Write a program that builds the same as a folder of hand-made recipes; exit with 3 if "
        "some are not imported, or are not as the others.",
        (
            _argument(
                "folder", "DIR", "The folder of hand-made recipes; nothing is written there.",
                required=True,
            ),
            _value(
                "--out", "FILE", "The program; by default variants.tvar. None is overwritten.",
                short="-o",
            ),
            _value(
                "--text", "",
                "What becomes of descriptions: a module of their own, or nothing.",
                choices=("keep", "module", "drop"),
            ),
            _values(
                "--axis", "NAME=GLOB", "Words of the names of files that are values of one axis."
            ),
            _value(
                "--report", "FILE",
                "Write what is told to FILE as well, as JSON if it ends in .json.",
            ),
            _flag(
                "--check", "Write nothing; exit with 3 if the program would be another one."
            ),
            _flag("--dry-run", "Write nothing; print the program."), _JSON, *_RUN,
        ),
    ),
    "pick": Command(
        "pick", "Say which variant is for this machine, and why.",
        (
            _PROGRAM, _FILE, _ONLY,
            _value(
                "--host", "FILE", "Choose for the host of this description instead of this machine."
            ),
            _value("--cpuinfo", "FILE", "Choose for the host of which this is /proc/cpuinfo."),
            _value(
                "--nvidia-smi", "FILE",
                "What nvidia-smi has printed there: its table, or its answer to --query-gpu.",
            ),
            _flag("--describe", "Print the description of the host as JSON."),
            _flag("--all", "Show every variant, those that do not run as well."),
            _JSON, *_RUN,
        ),
    ),
    "facts": Command(
        "facts",
        "Show what the standard library knows of a GPU, an instruction set or a toolkit.",
        (
            _argument(
                "name", "[NAME]",
                "A row (sm103), a table (nvidia), or a table and a version (cuda 12.8).", "facts",
            ),
            _argument("version", "[VERSION]", "Which row of the table."),
            _flag("--stale", "The tables that were not held against their sources within a year."),
            _FILE, _JSON, *_RUN,
        ),
    ),
    "fmt": Command(
        "fmt", "Lay sources out in the one layout of the language; comments are kept.",
        (
            _arguments(
                "programs", "[FILE]...",
                "Files, folders, or - for the input; by default the nearest variants.tvar.",
            ),
            _FILE, _EXCLUDE, _CHECK, _flag("--diff", "Write nothing; show what would change."),
            *_RUN,
        ),
    ),
    "dump": Command(
        "dump", "Show what a stage of the compiler makes of a program.",
        (
            _value(
                "--stage", "[ast|hir|ir|nix]", "Which stage of the compiler.", "stages",
                required=True,
            ),
            _PROGRAM, _FILE, _ONLY, *_RUN,
        ),
    ),
    "realise": Command(
        "realise",
        "Build variants with Nix, on the machines that it has; exit with 4 if a machine or a store "
        "keeps one from being built.",
        (
            _arguments(
                "words", "[SELECTOR|FILE]...",
                "Which variants, by default all; words that end in .tvar or / are programs.",
                "selectors",
            ),
            _FILE,
            _value(
                "--builders", "FILE",
                "Build on the machines that FILE lists, one a line, as Nix has them.",
            ),
            _value(
                "--max-jobs", "N",
                "So many builds at a time on this machine, 0 for other machines alone; by default "
                "as Nix's settings say.",
                short="-j",
            ),
            _flag(
                "--keep-going",
                "Go on after a broken recipe, and without what Nix refuses or no machine builds.",
            ),
            _value(
                "--only-changed", "REV|FOLDER|FILE",
                "Only what Nix makes something else of than of the program as a git commit, a "
                "folder or another file has it, and what needs that.",
            ),
            _value(
                "--to", "STORE",
                "Copy what there is in the end to STORE, signed with the keys of Nix's settings; "
                "what it has already is not built.",
            ),
            _value(
                "--out-link", "DIR",
                "Make a link in DIR to each variant that there is, by its name: what it leads to "
                "Nix's garbage collector leaves.",
            ),
            _value("--logs", "DIR", "Keep the logs and report.json there."),
            _flag("--dry-run", "Build nothing; print the command."), _JSON, *_RUN,
        ),
    ),
    "lock": Command(
        "lock",
        "Find out the hashes that the program does not state, and keep them in tvar.lock.",
        (
            _PROGRAM, _FILE,
            _value(
                "--from-log", "FILE",
                "Take the hashes that Nix found from what it printed; `-` reads the input.",
            ),
            _flag("--check", "Run nothing; exit with 3 if a source is not locked."),
            _flag("--prune", "Remove the entries of sources that are not used."),
            _JSON, *_RUN,
        ),
    ),
    "bump": Command(
        "bump",
        "Change a version, a fact, a value of an axis or a commit where it is written, and unlock "
        "the hashes that it made stale.",
        (
            _arguments(
                "words", "NAME VALUE | axis NAME OLD NEW | pin NAME REV | input NAME REV",
                "A `let` or TABLE.ROW.FACT of the file and its new value, an axis with an old and "
                "a new value, or a pin or an input and its new commit.",
                "bumped", required=True,
            ),
            _FILE, _flag("--dry-run", "Show what would change, and write nothing."),
            _JSON, *_RUN,
        ),
    ),
    "stale": Command(
        "stale",
        "Ask Nix which overlays the pinned nixpkgs has overtaken, by their `until`; exit with 3 if "
        "it has any.",
        (
            _PROGRAM, _FILE,
            _values(
                "--pin", "REV|FOLDER",
                "Another commit of the pinned repositories, or a folder with a nixpkgs; for one "
                "pin alone `NAME=` before it.",
            ),
            _JSON, *_RUN,
        ),
    ),
    "man": Command(
        "manual",
        "Print the manual page of tvarc, or of one of its commands, in roff, as `man -l -` shows "
        "it.",
        (
            _argument("name", "[COMMAND]", "The command; by default the page on all.", "commands"),
        ),
    ),
}  # fmt: skip
