"""The beginning of a project: the templates, their files, and whether a folder has recipes to
import instead."""

# pathlib costs too much at start.
# ruff: noqa: PTH112, PTH116, PTH118
from __future__ import annotations

import os
import stat

from tvarc.commands import messages as msg
from tvarc.commands.programs.find import DEFAULT_FILE
from tvarc.decide.lock import LOCK_NAME
from tvarc.farm.ci.github import checks
from tvarc.farm.ci.reference import FORMS, MOVES, Reference, reference
from tvarc.farm.yaml import print_yaml
from tvarc.files.git.repository import top_of
from tvarc.files.inventory import folders_in, inventory
from tvarc.files.persons import Beginning, Left, NewFile, beginning, is_fit
from tvarc.files.resources import template_file
from tvarc.light import TYPE_CHECKING, Final, dataclass
from tvarc.nix.language.printer import print_comment
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.words import counted

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message, Text

TEMPLATES: Final = ("package", "torch", "python-set", "from-scratch")
"""What a program may begin as; the first by default."""
WORKFLOW: Final = ".github/workflows/tvarc.yml"
AGENTS: Final = "AGENTS.md"
"""The file for programs that edit a repository for a person."""
# A program can begin again until its own file is there, so this one comes last.
_OF_TEMPLATE: Final = (LOCK_NAME, DEFAULT_FILE)
_SHARED: Final = "around"
_ABOUT_CI: Final = (
    "An example of CI on GitHub: the programs have no errors, and the recipes in git are theirs."
)
_BELOW: Final = "GitHub reads it only at the top of a repository, and this folder is below the top"
_NOWHERE: Final = (
    "it needs to know where GitHub gets tvarc: `tvarc init --tvarc github:OWNER/tvarc/REV`"
)
_AROUND: Final = (("gitattributes", ".gitattributes"), ("gitignore", ".gitignore"))
_FLOX: Final = ".flox/pkgs"
_NO_RECIPES: Final = ("default.nix", "flake.nix", "shell.nix")


def about(template: str) -> str:
    """The subject of *template*: the first line of its program."""
    text = template_file(template, DEFAULT_FILE).decode("utf-8")
    return text.partition("\n")[0].removeprefix("# ").removesuffix(".")


def demand_template(name: str, sink: Sink) -> None:
    """Report a *name* of no template."""
    if name not in TEMPLATES:
        known = ", ".join(TEMPLATES)
        near = guess(name, TEMPLATES)
        sink.report(msg.starting.NO_TEMPLATE, name=name, known=known, guess=near)


def demand_beginning(folder: str, sink: Sink) -> None:
    """Report a *folder* in which no program can begin, be it that it has one."""
    program = os.path.join(folder, DEFAULT_FILE) if folder != os.curdir else DEFAULT_FILE
    if is_fit(folder, sink) and os.path.lexists(program):
        sink.add(_no_program(program) or _exists(msg.starting.PROGRAM_EXISTS, program))


def _no_program(path: str) -> Diagnostic | None:
    """Why the file at *path* is no program that could be built; None if it may be one."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return _exists(msg.starting.LINK_TO_NOTHING, path)
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        return _exists(msg.starting.UNKNOWN_FILE, path, reason=reason)
    if stat.S_ISDIR(mode):
        return _exists(msg.starting.FOLDER_EXISTS, path)
    if not stat.S_ISREG(mode):
        return _exists(msg.starting.NO_PLAIN_FILE, path)
    if not os.access(path, os.R_OK):
        from shlex import join  # it takes longer to load than all of this

        return _exists(msg.starting.NOT_READABLE, path, command=join(("chmod", "u+r", path)))
    return None


def _exists(message: Message, program: str, **fields: Text) -> Diagnostic:
    return filled(message, None, {"program": program, **fields})


def demand_reference(text: str, sink: Sink) -> Reference | None:
    """The place where the workflow gets tvarc; None after reporting that *text* does not say it."""
    found = reference(text)
    if found is None:
        sink.report(msg.starting.BAD_REFERENCE, text=text[:80], moves=MOVES, forms=FORMS)
    return found


def has_program(folder: str) -> bool:
    """Whether *folder* has a program that could be built."""
    return _no_program(os.path.join(folder, DEFAULT_FILE)) is None


def begun(folder: str, template: str | None, tvarc: Reference | None) -> Beginning:
    """The files of *template* for *folder*, and those that are left out. Without a template there
    is only the workflow. The workflow gets tvarc from *tvarc*, and is left out without it. Nothing
    is written yet."""
    files: list[NewFile] = []
    if template is not None:
        files += [NewFile(name, template_file(_SHARED, one), is_list=True) for one, name in _AROUND]
        files.append(NewFile(AGENTS, template_file(_SHARED, AGENTS)))
    top = top_of(os.path.realpath(folder))
    below = bool(top) and top != os.path.realpath(folder)
    if not below and tvarc is not None:
        files.append(NewFile(WORKFLOW, _workflow(tvarc)))
    if template is not None:
        files += [NewFile(name, template_file(template, name)) for name in _OF_TEMPLATE]
    made = beginning(folder, files)
    if not below and tvarc is not None:
        return made
    left = Left(WORKFLOW, _BELOW if below else _NOWHERE)
    return Beginning(made.folder, made.new, (*made.left, left))


def _workflow(tvarc: Reference) -> bytes:
    return (print_comment(_ABOUT_CI) + "\n" + print_yaml(checks(tvarc))).encode()


@dataclass(frozen=True, slots=True)
class Importable:
    """A folder with recipes, how many, and the program that an import would make of them."""

    folder: str
    count: int
    program: str

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command line that does it."""
        out = () if self.program == DEFAULT_FILE else ("--out", self.program)
        return ("import", self.folder, *out)

    @property
    def recipes(self) -> str:
        """`62 recipes in this folder`."""
        where = "this folder" if self.folder == os.curdir else f"`{self.folder}`"
        return f"{counted(self.count, 'recipe')} in {where}"


def importable(folder: str) -> Importable | None:
    """The recipes of Flox in *folder*, else those that it has or a folder in it, where these are
    most; None where there are none."""
    flox = os.path.join(folder, _FLOX)
    found = [(len(inventory(flox, nested=True).files), _FLOX)] if os.path.isdir(flox) else []
    if not found or not found[0][0]:
        places = [os.curdir, *folders_in(folder)]
        found = [(_recipes_in(os.path.join(folder, name)), name) for name in places]
    count, name = max(found, key=lambda one: one[0])
    if not count:
        return None
    # Nothing is written into the folder that is imported.
    program = os.path.join(os.pardir, DEFAULT_FILE) if name == os.curdir else DEFAULT_FILE
    return Importable(_within(folder, name), count, _within(folder, program))


def _within(folder: str, path: str) -> str:
    if folder == os.curdir:
        return path
    return folder if path == os.curdir else os.path.join(folder, path)


def _recipes_in(folder: str) -> int:
    """The number of files of *folder* that may be recipes, by their names alone."""
    names = [file.path for file in inventory(folder, nested=False).files]
    return len([name for name in names if name not in _NO_RECIPES])


def demand_choice(found: Importable, sink: Sink) -> None:
    """Report recipes if nobody was asked about them."""
    from shlex import join  # it takes longer to load than all of this

    command = join(("tvarc", *found.command))
    sink.report(msg.starting.RECIPES_THERE, recipes=found.recipes, command=command)


def nobody_to_ask(sink: Sink) -> None:
    """Report a question that no terminal can show."""
    templates = "|".join(TEMPLATES)
    sink.report(msg.starting.NOBODY_TO_ASK, templates=templates, usual=TEMPLATES[0])
