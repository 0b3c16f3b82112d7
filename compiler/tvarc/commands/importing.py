"""`tvarc import`: which files of a folder an import reads, and the program that it writes."""

# pathlib costs too much at start.
# ruff: noqa: PTH112, PTH118, PTH119, PTH120
from __future__ import annotations

import os
import posixpath

from tvarc.advice.library.tables import load_library
from tvarc.build.driver import compile_file
from tvarc.byhand.importing.folder import Choices, HandMade, LeftOut, Prose
from tvarc.byhand.importing.imported import Imported, import_recipes
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.importing.report import report_text, unread_names
from tvarc.byhand.importing.tables import tables_of
from tvarc.byhand.reading.files import Folder
from tvarc.commands import messages as msg
from tvarc.commands.audit import ComparedByHand, compared_by_nix, in_folder
from tvarc.commands.evaluation.equivalence import Proof, proof_lines, proof_of, report_refusals
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, collect_seldom, in_session
from tvarc.commands.programs.find import DEFAULT_FILE
from tvarc.files import messages as files_msg
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader, report_unreadable
from tvarc.files.inventory import inventory, read_text
from tvarc.files.persons import write_all_new
from tvarc.files.resources import stdlib_dir
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import Count, Ordinal, json_text

_FLOX: Final = ".flox/pkgs"


@in_session
def command(session: Session, given: Arguments) -> int:
    """Write the program of a folder; the exit code."""
    axes: list[tuple[str, str]] = []
    for word in given.words("axis"):
        name, sign, pattern = word.partition("=")
        if not (sign and is_name(name) and pattern):
            raise Misused(f"`{word}` is not NAME=GLOB with a valid name", "--axis")
        axes.append((name, pattern))
    report, out = given.text("report"), given.text("out") or DEFAULT_FILE
    if report is not None and posixpath.normpath(report) == posixpath.normpath(out):
        raise Misused(f"`{report}` is also the file of the program", "--report")
    collect_seldom()
    out = given.text("out") or DEFAULT_FILE
    named = given.text("folder")
    assert named is not None  # the table requires it
    written = (out, given.text("report"))
    made = imported(named, written, _prose(given), tuple(axes), session.cache, session.sink)
    if made is None:
        session.finish(exits.FAILED)
    code = exits.STALE if made.left_out or made.drift else exits.OK
    programs: dict[str, str] = {}
    if made.text and given.flag("check"):
        code = code if is_written(made, out) else exits.STALE
    elif made.text and not given.flag("dry_run"):
        programs = files_of(made, out)
    done = [f"{out}: written, and read back alike"] if programs else []
    report = given.text("report")
    reports: dict[str, str] = {}
    if report is not None and report.endswith(".json"):
        reports[report] = json_text(result_of(made, named))
    elif report is not None:
        reports[report] = "\n".join([*report_text(made, named, in_full=True), *done, ""])
    is_whole = write_all({**reports, **programs}, session.sink)
    lines = [*report_text(made, named), *(done if is_whole else [])]
    if not given.flag("json"):
        _tell(session, given, made, lines)
    proof: Proof | None = None
    if given.flag("nix") and programs and is_whole:
        proved, proof = _prove(session, made, named, out)
        code = max(code, proved)
    if given.flag("json"):
        session.console.data(json_text(result_of(made, named, proof)))
    if code == exits.UNJUDGED:
        session.finish(code)
    session.show()
    return exits.FAILED if session.sink.has_errors else code


def _prove(session: Session, made: Imported, named: str, out: str) -> tuple[int, Proof | None]:
    """Let Nix compare the imported files of the folder *named* with the variants of the program
    *out*, and report the differences. Returns the exit code and the proof, which is None if Nix
    cannot run."""
    found = compared(made, named, out, session.cache, session.sink)
    if found is None:
        return exits.UNJUDGED, None
    for source, _ in found.refused:
        session.sources.add(source)
    report_refusals(found.variants, [fault for _, fault in found.refused], session.sink)
    session.console.error("".join(f"{line}\n" for line in proof_lines(found.files)))
    equal = all(one.equal for one in found.files)
    return exits.OK if equal else exits.STALE, proof_of(found.files)


def _prose(given: Arguments) -> Prose:
    match given.text("text"):
        case "keep":
            return "keep"
        case "drop":
            return "drop"
        case _:
            return "module"


def _tell(session: Session, given: Arguments, made: Imported, lines: list[str]) -> None:
    """Print the report, of *lines*, and the program if it is not written."""
    tell = session.console.out
    if given.flag("dry_run") and made.text:
        session.console.out(f"{made.text}\n{made.texts}" if made.texts else made.text)
        tell = session.console.error
    for line in lines:
        tell(f"{line}\n")


def imported(
    named: str,
    written: tuple[str, str | None],
    prose: Prose,
    axes: tuple[tuple[str, str], ...],
    cache: Cache,
    sink: Sink,
) -> Imported | None:
    """The program of the folder *named*. *written* are the files to write: the program and perhaps
    a report. *prose* says how to import descriptions. *axes* are names of axes, each with a pattern
    of words. None after reporting why the folder cannot be read. A folder that yields no program is
    reported, too."""
    from tvarc.meaning.budget import COST_OF_LINE, LIMIT_ALL_EVALUATIONS, Total

    folder = _recipes_folder(named, sink)
    for place, option in zip(written, ("-o", "--report"), strict=True):
        if place is not None and not sink.has_errors:
            _demand_outside(place, option, folder, sink)
    if sink.has_errors:
        return None
    files = _hand_made(folder)
    lines = sum([file.text.count("\n") for file in files])
    if not Total(sink).asks(lines * COST_OF_LINE):
        most = LIMIT_ALL_EVALUATIONS // COST_OF_LINE
        sink.report(msg.starting.TOO_MUCH_TO_IMPORT, folder=named, lines=lines, most=most)
        return None
    made = _import_files(files, folder, written[0], prose, axes, cache)
    if not made.text:
        left_out = [f"{one.path}:{one.line}: {one.reason}" for one in made.left_out[:5]]
        why = msg.starting.NONE_IMPORTED if left_out else msg.starting.NOTHING_TO_IMPORT
        sink.report(why, folder=named, notes=left_out or ["it has no recipes"])
    return made


def is_written(made: Imported, out: str) -> bool:
    """Whether the program on disk is the one that would be written."""
    return _has_text(out, made.text) and (not made.texts or _has_text(_texts_file(out), made.texts))


def files_of(made: Imported, out: str) -> dict[str, str]:
    """The program and the module of its texts, if it has one, by their paths: the program last, as
    it reads the other."""
    return {**({_texts_file(out): made.texts} if made.texts else {}), out: made.text}


def compared(
    made: Imported, named: str, out: str, cache: Cache, sink: Sink
) -> ComparedByHand | None:
    """Nix's comparison of each file of the folder *named* with the variant of the program *out*
    that was *made* from it. None after reporting that Nix cannot run."""
    program = compile_file(out, DiskLoader(stdlib_dir()), (), cache)
    files = in_folder(program, _recipes_folder(named, sink), made.files, made.variants)
    return compared_by_nix(program, list(files), sink)


def _recipes_folder(named: str, sink: Sink) -> str:
    """The folder of recipes: *named*, or the one in which Flox has the packages of that project. If
    it is not a folder, that is reported."""
    if not os.path.isdir(named):
        advice = "name the folder of the recipes, such as `.flox/pkgs`"
        report_unreadable(UnreadableSource(named, "it is not a folder"), sink, advice=advice)
    below = os.path.join(named, _FLOX)
    return below if os.path.isdir(below) else named


def _demand_outside(out: str, option: str, folder: str, sink: Sink) -> None:
    """Report that the file *out* would be written among the recipes in *folder*. The report names
    the *option* for another place."""
    real = os.path.realpath(folder)
    target = os.path.realpath(os.path.dirname(out) or ".")
    if os.path.commonpath([real, target]) == real:
        place = _beside(real, out)
        sink.report(msg.starting.INTO_THE_RECIPES, file=out, option=option, place=place)


def _beside(folder: str, out: str) -> str:
    """A path for the file *out* next to *folder*, relative to the current folder."""
    return os.path.join(os.path.relpath(os.path.dirname(folder)), os.path.basename(out))


def _hand_made(folder: str) -> list[HandMade]:
    """The files of *folder*, and the files that are not recipes, each with the reason."""
    found = inventory(folder, nested=True)
    files: list[HandMade] = []
    for file in found.files:
        text, fault = read_text(folder, file.path)
        files.append(HandMade(file.path, file.name, text, fault))
    for path, winner in sorted(found.hidden.items()):
        files.append(HandMade(path, path, "", f"`{winner}` is the package of that name"))
    for path, fault in sorted(found.faults.items()):
        files.append(HandMade(path, path, "", fault))
    return files


def _import_files(
    files: Sequence[HandMade],
    folder: str,
    out: str,
    prose: Prose,
    axes: tuple[tuple[str, str], ...],
    cache: Cache,
) -> Imported:
    """The program for the *files* of *folder*, to be written as *out*; for *prose* and *axes* see
    `imported`."""
    tables = tables_of(load_library(DiskLoader(stdlib_dir()), cache))
    place = os.path.dirname(out)
    source = os.path.relpath(folder, place or ".")
    texts = posixpath.basename(_texts_file(out))
    choices = Choices(prose, axes, _target(folder, source), place, source, texts)
    return import_recipes(files, Folder(folder).imported, tables, choices, stdlib_dir(), cache)


def _texts_file(out: str) -> str:
    """The module of the texts of the program *out*."""
    return f"{out.removesuffix('.tvar')}-texts.tvar"


def _target(folder: str, source: str) -> str:
    """The folder that the program writes to. This is the imported *folder* if it is below the
    folder of the program, with the relative path *source*. Otherwise it is a folder of the same
    name next to the program."""
    if source.partition("/")[0] not in (".", ".."):
        return source
    real = os.path.realpath(folder)
    return _FLOX if real.endswith(f"/{_FLOX}") else posixpath.basename(real)


def _has_text(out: str, text: str) -> bool:
    """Whether the file *out* is there and says *text*."""
    try:
        return DiskLoader("").read(out).text == text
    except UnreadableSource:
        return False


def write_all(files: Mapping[str, str], sink: Sink) -> bool:
    """Write new files, all or none, even after an interrupt. An existing file stays as it is, and
    is reported. Returns whether the files are written."""
    refused = False
    for out, text in files.items():
        folder = os.path.dirname(out) or "."
        if os.path.lexists(out) and not _has_text(out, text):
            refused = True
            sink.report(msg.starting.EXISTS, file=out)
        elif not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            refused = True
            there = "permission denied" if os.path.isdir(folder) else "there is no such folder"
            sink.report(files_msg.paths.NOT_WRITTEN, file=out, reason=there)
    if refused:
        return False
    # Names may contain any bytes.
    return write_all_new(
        {out: text.encode("utf-8", "backslashreplace") for out, text in files.items()}, sink
    )


@dataclass(frozen=True, slots=True)
class SettingPlace:
    """A line that writes a setting."""

    file: str
    line: Ordinal


@dataclass(frozen=True, slots=True)
class Drift:
    """A setting that few files have in another way than the others."""

    setting: str
    """The path of a setting that is not as its rule has it."""
    of: Count
    """How many files the matrix has."""
    places: tuple[SettingPlace, ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """A line of a comment outside of scripts, which is left out."""

    file: str
    line: Ordinal
    text: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A name that recipes bind and nothing reads, which is left out."""

    name: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """The lines that have a version written out, so that a change by its name does not reach
    them: those of the program, and those of the module of its descriptions."""

    version: str
    lines: tuple[Ordinal, ...]
    text_lines: tuple[Ordinal, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The result for each file of a folder of recipes."""

    folder: str
    """The folder, as it was given."""
    imported: tuple[str, ...]
    """The files that the program builds, by their paths in the folder."""
    helpers: tuple[str, ...]
    """Files that these import, and that are no recipes by themselves."""
    left: tuple[LeftOut, ...]
    """The files that are not imported."""
    unpinned: tuple[LeftOut, ...]
    """The lines of a flake that call recipes by a nixpkgs that is not known: these use that of
    their caller."""
    drift: tuple[Drift, ...]
    comments: Count
    """How many lines of comments outside of scripts are left out."""
    comments_left: tuple[Comment, ...]
    """These lines."""
    axes_unused: tuple[str, ...]
    """Patterns of `--axis` that no word of a name matches."""
    unread: tuple[Unread, ...]
    tools: tuple[str, ...]
    """The files that take tools from `pkgs`: if nixpkgs builds for another machine, the program
    takes those for the machine that builds, which is another derivation."""
    tests: tuple[str, ...]
    """The tests of `passthru.tests` that the program has as Nix text: `tvarc test` does not run
    them."""
    versions: tuple[Version, ...]
    """The versions that the program has under a name, and that the files also write out."""
    matrices: Count
    """How many matrices and single variants the program has."""
    lines: Count
    """The length of the program, without the module of its descriptions."""
    text_lines: Count
    """The length of the module of its descriptions."""
    proof: Proof | None
    """With `--nix`: what Nix has compared. It is null without it, in a report by `--report`, and if
    no program was written."""


def result_of(made: Imported, folder: str, proof: Proof | None = None) -> Result:
    """The result of importing the *folder*, as it was given: *made*, with the *proof* of Nix."""
    return Result(
        folder,
        made.files,
        made.helpers,
        tuple(made.left_out),
        tuple(made.unpinned),
        tuple(
            [
                Drift(one.setting, one.of, tuple(map(SettingPlace, one.files, one.lines)))
                for one in made.drift
            ]
        ),
        len(made.comments),
        tuple([Comment(one.path, one.line, one.reason) for one in made.comments]),
        made.idle,
        tuple([Unread(name, tuple(files)) for name, files in unread_names(made)]),
        made.tools,
        made.tests,
        tuple([Version(one.version, one.lines, one.text_lines) for one in made.unlinked]),
        made.matrices,
        made.text.count("\n"),
        made.texts.count("\n"),
        proof,
    )
