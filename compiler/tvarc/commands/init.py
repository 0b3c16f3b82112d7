"""`tvarc init`: the first program of a folder, from a template or from existing recipes."""

# pathlib costs too much at start.
# ruff: noqa: PTH112, PTH116, PTH118
from __future__ import annotations

import os
import stat
import sys
from shlex import join, quote

from tvarc.commands import messages as msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, read
from tvarc.commands.line.console import Console, is_terminal
from tvarc.commands.line.exits import interrupted
from tvarc.commands.line.session import Ended, Session, in_session
from tvarc.commands.programs.find import DEFAULT_FILE, file_name
from tvarc.decide.lock import LOCK_NAME
from tvarc.farm.ci.github import FORMS, MOVES, checks, reference
from tvarc.farm.yaml import print_yaml
from tvarc.files.git.repository import top_of
from tvarc.files.inventory import folders_in, inventory
from tvarc.files.persons import Beginning, Left, NewFile, beginning, is_fit, write_beginning
from tvarc.files.resources import template_file
from tvarc.light import Final, Iterator, NoReturn, Sequence, dataclass, suppress
from tvarc.nix.language.printer import print_comment
from tvarc.text.diagnostics.message import Message, Text
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.words import counted

TEMPLATES: Final = ("package", "torch", "python-set", "from-scratch")
"""The templates of a program; the first is the default."""
WORKFLOW: Final = ".github/workflows/tvarc.yml"
AGENTS: Final = "AGENTS.md"
"""The file for programs that edit a repository for a user."""
# `init` can run again as long as the program's own file does not exist, so this file is written
# last.
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


@in_session
def command(session: Session, given: Arguments) -> int:
    """Write a first program; the exit code."""
    folder = (file_name(given.text("folder") or os.curdir).rstrip("/")) or os.curdir
    template, yes = given.text("template"), given.flag("yes")
    if template is not None:
        demand_template(template, session.sink)
    given_reference = given.text("tvarc")
    tvarc = demand_reference(given_reference, session.sink) if given_reference else None
    only_workflow = tvarc is not None and template is None and has_program(folder)
    if not only_workflow:
        demand_beginning(folder, session.sink)
    session.end_on_errors()
    asking = template is None and not yes and not only_workflow
    if template is None and not only_workflow:
        found = importable(folder)
        if found is not None and _is_import_wanted(session, found, yes=yes):
            return _import(session, given, found)
        template = _chosen(session, yes=yes)
    made = begun(folder, template, tvarc)
    dry_run = given.flag("dry_run")
    if asking and not dry_run:
        _demand_agreement(session, made)
    if not dry_run and not write_beginning(made, session.sink):
        session.finish(exits.FAILED, closing=_NOTHING)
    for line in beginning_lines(made, dry_run=dry_run):
        session.console.remark(f"{line}\n")
    if not dry_run and not only_workflow:
        session.console.remark(f"{next_line(made)}\n")
    return exits.OK


def _is_import_wanted(session: Session, found: Importable, *, yes: bool) -> bool:
    """Whether to import the recipes. `--yes` does not imply it, because the user should check the
    result."""
    if yes or not can_ask():
        command = join(("tvarc", *found.command))
        session.sink.report(msg.starting.RECIPES_THERE, recipes=found.recipes, command=command)
        session.finish(exits.FAILED)
    return Dialogue(session.console).confirm(f"There are {found.recipes}. Import them?")


def _chosen(session: Session, *, yes: bool) -> str:
    """The requested template."""
    if yes:
        return TEMPLATES[0]
    if not can_ask():
        templates = "|".join(TEMPLATES)
        session.sink.report(msg.starting.NOBODY_TO_ASK, templates=templates, usual=TEMPLATES[0])
        session.finish(exits.FAILED)
    options = [(name, about(name)) for name in TEMPLATES]
    return Dialogue(session.console).choose("What do you want to build?", options)


def _demand_agreement(session: Session, made: Beginning) -> None:
    """Show the files that would be written; end the command if the person declines."""
    for line in beginning_lines(made, dry_run=True):
        session.console.error(f"{line}\n")
    if not Dialogue(session.console).confirm("Write these files?"):
        session.finish(exits.FAILED, closing=_NOTHING)


def _import(session: Session, given: Arguments, found: Importable) -> int:
    """Do what `tvarc import` does; its exit code."""
    words = [*found.command, "--format", session.console.format.value]
    if given.flag("dry_run"):
        words.append("--dry-run")
    if given.flag("no_cache"):
        words.append("--no-cache")
    line = read(words)
    assert line is not None
    code = line.run()
    if code in (exits.OK, exits.STALE) and not given.flag("dry_run"):
        session.console.remark(f"{next_after_import(found.program)}\n")
    return code


def about(template: str) -> str:
    """The subject of *template*: the first line of its program."""
    text = template_file(template, DEFAULT_FILE).decode("utf-8")
    return text.partition("\n")[0].removeprefix("# ").removesuffix(".")


def demand_template(name: str, sink: Sink) -> None:
    """Report that *name* is not a template."""
    if name not in TEMPLATES:
        known = ", ".join(TEMPLATES)
        near = guess(name, TEMPLATES)
        sink.report(msg.starting.NO_TEMPLATE, name=name, known=known, guess=near)


def demand_beginning(folder: str, sink: Sink) -> None:
    """Report that no program can be written to *folder*, for example because it has one."""
    program = os.path.join(folder, DEFAULT_FILE) if folder != os.curdir else DEFAULT_FILE
    if is_fit(folder, sink) and os.path.lexists(program):
        sink.add(_no_program(program) or _exists(msg.starting.PROGRAM_EXISTS, program))


def _no_program(path: str) -> Diagnostic | None:
    """The reason why the file at *path* is not a program that could be built; None if it may be
    one."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return _exists(msg.starting.NO_PROGRAM, path, what="a link to nothing")
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        return _exists(msg.starting.UNKNOWN_FILE, path, reason=reason)
    if stat.S_ISDIR(mode):
        return _exists(msg.starting.NO_PROGRAM, path, what="a folder")
    if not stat.S_ISREG(mode):
        return _exists(msg.starting.NO_PROGRAM, path, what="not a plain file")
    if not os.access(path, os.R_OK):
        return _exists(msg.starting.NOT_READABLE, path, command=join(("chmod", "u+r", path)))
    return None


def _exists(message: Message, program: str, **fields: Text) -> Diagnostic:
    return filled(message, None, {"program": program, **fields})


def demand_reference(text: str, sink: Sink) -> str | None:
    """The place where the workflow gets tvarc; None after reporting that *text* does not name
    one."""
    found = reference(text)
    if found is None:
        sink.report(msg.starting.BAD_REFERENCE, text=text[:80], moves=MOVES, forms=FORMS)
    return found


def has_program(folder: str) -> bool:
    """Whether *folder* has a program that could be built."""
    return _no_program(os.path.join(folder, DEFAULT_FILE)) is None


def begun(folder: str, template: str | None, tvarc: str | None) -> Beginning:
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


def _workflow(tvarc: str) -> bytes:
    return (print_comment(_ABOUT_CI) + "\n" + print_yaml(checks(tvarc))).encode()


@dataclass(frozen=True, slots=True)
class Importable:
    """A folder with recipes, how many, and the program that an import would make of them."""

    folder: str
    count: int
    program: str

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command line of the import."""
        out = () if self.program == DEFAULT_FILE else ("--out", self.program)
        return ("import", self.folder, *out)

    @property
    def recipes(self) -> str:
        """`62 recipes in this folder`."""
        where = "this folder" if self.folder == os.curdir else f"`{self.folder}`"
        return f"{counted(self.count, 'recipe')} in {where}"


def importable(folder: str) -> Importable | None:
    """The recipes of Flox in *folder*. If there are none, those of *folder* or of a folder in it,
    whichever has the most. None if there are none at all."""
    flox = os.path.join(folder, _FLOX)
    found = [(len(inventory(flox, nested=True).files), _FLOX)] if os.path.isdir(flox) else []
    if not found or not found[0][0]:
        places = [os.curdir, *folders_in(folder)]
        found = [(_recipes_in(os.path.join(folder, name)), name) for name in places]
    count, name = max(found, key=lambda one: one[0])
    if not count:
        return None
    # The imported folder is not changed.
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


def beginning_lines(made: Beginning, *, dry_run: bool) -> Iterator[str]:
    """A line for each file, in the order in which people read them. Names may contain any
    character."""
    verb = "would be written" if dry_run else "written"
    for file in reversed(made.new):
        yield f"{_named(made, file.path)}: {verb}"
    for left in made.left:
        yield f"{_named(made, left.path)}: {_why(left)}"
        for line in left.lacks:
            yield f"  {line}"


def next_line(made: Beginning) -> str:
    """The two commands to run next."""
    program = "" if made.folder == os.curdir else _word(f"{made.folder.rstrip('/')}/")
    if any(left.path == LOCK_NAME for left in made.left):
        return (
            f"next: `tvarc lock{program}` finds the missing hashes, `tvarc build{program}` writes "
            "the recipes"
        )
    return (
        f"next: `tvarc build{program}` writes the recipes, `tvarc list{program}` lists the variants"
    )


def next_after_import(program: str) -> str:
    """Like `next_line`, for a *program* that was made from recipes."""
    word = "" if program in (DEFAULT_FILE, f"../{DEFAULT_FILE}") else _word(program)
    return (
        f"next: `tvarc audit{word}` compares the recipes with the program, `tvarc build "
        f"--adopt{word}` replaces them"
    )


def _word(text: str) -> str:
    """*text* as one more word of a shell, quoted if it needs that."""
    return f" {quote(safe(text))}"


def _named(made: Beginning, path: str) -> str:
    return safe(path if made.folder == os.curdir else f"{made.folder.rstrip('/')}/{path}")


def _why(left: Left) -> str:
    if left.reason:
        return f"not written: {left.reason}"
    return "not changed" + ("; it lacks these lines:" if left.lacks else "")


_YES: Final = ("y", "yes")
_NO: Final = ("n", "no")


def can_ask() -> bool:
    """Whether a user can read questions and answer them."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


@dataclass(frozen=True, slots=True, eq=False)
class Dialogue:
    """Asks one question after another. Raises Ended if there is no answer, because of an interrupt
    or the end of the input."""

    console: Console

    def choose(self, question: str, options: Sequence[tuple[str, str]]) -> str:
        """The choice of one of *options*, each a name and its meaning; the first is the default. A
        person may type a name, its number, or an unambiguous beginning of a name."""
        width = max(len(name) for name, _ in options)
        tell = self.console.error
        tell(f"{question}\n")
        for number, (name, about) in enumerate(options, 1):
            tell(f"  {number}  {name:<{width}}  {about}\n")
        while True:
            given = self._answer(f"Type a number or a name [{options[0][0]}]: ")
            fitting = [
                name
                for number, (name, _) in enumerate(options, 1)
                if given in (str(number), name) or (given and name.startswith(given))
            ]
            if not given:
                return options[0][0]
            if len(fitting) == 1:
                return fitting[0]
            tell(f"`{safe(given)}` is not one of these.\n")

    def confirm(self, question: str) -> bool:
        """Whether the answer is yes, which it is by default."""
        while True:
            given = self._answer(f"{question} [Y/n]: ").lower()
            if not given or given in _YES:
                return True
            if given in _NO:
                return False
            self.console.error("Type `y` or `n`.\n")

    def _answer(self, prompt: str) -> str:
        """The typed answer, without blanks around it."""
        try:
            self.console.error(prompt)
            with suppress(OSError, AttributeError):
                sys.stderr.flush()
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            return "?"
        except KeyboardInterrupt as fault:
            self._end(interrupted(fault))
        except OSError:
            line = ""
        if not line:
            self._end(exits.INTERRUPTED)
        return line.strip()

    def _end(self, code: int) -> NoReturn:
        self.console.error("\nnothing was written\n")
        raise Ended(code)


_NOTHING: Final = "nothing was written"
