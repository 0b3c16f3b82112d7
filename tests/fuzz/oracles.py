"""What holds of any input, whatever is in it: a broken one raises."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

from fuzz import material
from fuzz.cases import Case, Kind
from support.assembled import assembled, plain, small
from support.command import put_small, tvarc
from support.compile import messages, std_sources
from support.formatted import holds, items
from support.library_cache import library_cache
from tvarc.build.driver import Compilation, compile_file
from tvarc.build.lock.printer import lock_text
from tvarc.build.lock.reader import parse_lock
from tvarc.byhand.audit.answer import says_of
from tvarc.byhand.audit.read import read_facts
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.commands.line import exits
from tvarc.files.disk import MemoryLoader
from tvarc.files.output.header import Ownership, inspect_bytes
from tvarc.files.resources import error_page
from tvarc.nix.language.reader import NotNix
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.registry import CODES
from tvarc.text.diagnostics.render_github import render_github
from tvarc.text.diagnostics.render_json import render_json
from tvarc.text.source import FileKind, Source, UnreadableSource
from tvarc.values.plain import json_text

# Steps cannot be counted without slowing all of it: the time of the processor stands for them. What
# is there takes hundredths of a second; the language's own limits are reached within a few.
SECONDS = 20.0
_RECURSION = 20_000  # as `start/main.py` sets it
# Of the variants of a large matrix the first ones are decided.
_MOST_VARIANTS = 300
_ENTRY = "input.tvar"
_NO_FILE = "missing"
_LIMITS = ("larger than", "more than", "nested too deeply")  # of the reader of recipes
_NIX_TEXT = 'nix"""'


class Broken(AssertionError):
    """Something that always holds does not; `rule` names it."""

    def __init__(self, rule: str, said: str) -> None:
        super().__init__(f"{rule}: {said}")
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case: the codes that were told, how many files were made, those of them that
    are Nix whatever the program says, and a digest of all of it."""

    codes: tuple[str, ...]
    files: int
    nix: tuple[str, ...]
    digest: str


def check(case: Case) -> Outcome:
    """What becomes of *case*. Raises Broken, or whatever escapes from the compiler."""
    with _bounds():
        match case.kind:
            case Kind.PROGRAM:
                return _program(case)
            case Kind.LOCK:
                return _lock(case)
            case Kind.RECIPE:
                return _recipe(case)


# --- programs ------------------------------------------------------------------------------------


class _Loader(MemoryLoader):
    """Has every file that a recipe names, less those that are called missing."""

    __slots__ = ()

    def kind(self, file: str) -> FileKind:
        if _NO_FILE in file:
            raise UnreadableSource(file, "no such file or directory")
        if file.endswith(("/nixpkgs", "/folder")):
            return "folder"
        return "file"


def _program(case: Case) -> Outcome:
    # The standard library is mostly taken as it was kept.
    often = hashlib.blake2b(case.data, digest_size=1).digest()[0] % 16 > 0
    made, other = _compiled(case.data), _compiled(case.data, kept=often)
    with pytest.MonkeyPatch.context() as patch, small(patch):
        files = _files(made, other)
    _told(made)
    text = case.text
    if text is not None and (before := items(text)) is not None:
        _formatted(text, before)
    own = [made.sources.get(name) for name in (made.graph.modules if made.graph else ())]
    by_hand = any(source is not None and _NIX_TEXT in source.text for source in own)
    for path, text_of_file in files[:3]:
        _read_back(path, text_of_file, must=not by_hand)
    codes = tuple(item.code for item in made.diagnostics)
    nix = () if by_hand else tuple(text for _, text in files)
    return Outcome(
        codes, len(files), nix, _digest(messages(made), *(t for file in files for t in file))
    )


def _compiled(data: bytes, *, kept: bool = True) -> Compilation:
    sources: dict[str, str | bytes] = {**material.modules(), _ENTRY: data}
    loader = _Loader(sources, std_sources())
    return compile_file(_ENTRY, loader, cache=library_cache() if kept else None)


def _files(made: Compilation, other: Compilation) -> list[tuple[str, str]]:
    """The files of one program, which was compiled twice, by both paths."""
    _same("the same source is told alike", messages(made), messages(other))
    if made.sink.has_errors or made.elaboration is None:
        return []
    few = len(made.variants) <= _MOST_VARIANTS
    expected = plain(other, None if few else other.variants[:_MOST_VARIANTS])
    # Files of all variants are told of with all alone.
    found = assembled(made, None if few else made.variants[:_MOST_VARIANTS], collections=few)
    _same("both paths tell the same", messages(made), messages(other))
    if any(item.code[:2] not in ("E6", "W0", "W1") for item in other.diagnostics):
        return []
    _same("both paths make the same files", found[: len(expected)], expected)
    return found


def _told(made: Compilation) -> None:
    """Hold what is told of a program against its sources and the pages."""
    diagnostics = made.diagnostics
    for item in diagnostics:
        if item.code not in CODES or not _has_page(item.code):
            raise Broken("a code has a page", item.code)
        for label in item.labels:
            span, source = label.span, made.sources.get(label.span.file)
            if source is None or not 0 <= span.start <= span.end <= len(source.text):
                raise Broken("a span lies in its source", f"{item.code} {item.title}: {span}")
    data = json.loads(render_json(diagnostics, made.sources))
    if len(data["diagnostics"]) != len(diagnostics):
        raise Broken("JSON has all that is told", f"{len(diagnostics)}")
    lines = render_github(diagnostics, made.sources)
    if lines.count("\n") != len(diagnostics):
        raise Broken("a line tells of one diagnostic", lines)


@cache
def _has_page(code: str) -> bool:
    return error_page(code) is not None


def _formatted(text: str, before: object) -> None:
    try:
        holds(text)
    except AssertionError as fault:
        raise Broken("formatting changes the layout alone", str(fault)[:300]) from fault


@cache
def _parser() -> RecipeParser:
    return RecipeParser()


def _read_back(path: str, nix: str, *, must: bool) -> None:
    """Read a recipe that was written; it *must* be Nix where nobody wrote Nix into the program."""
    try:
        facts = read_facts(_parser(), nix)
    except NotNix as fault:
        if must and not any(limit in str(fault) for limit in _LIMITS):
            raise Broken("what is written is Nix", f"{path}: {fault}") from fault
        return
    json_text(says_of(facts, nix))


# --- locks ---------------------------------------------------------------------------------------


def _lock(case: Case) -> Outcome:
    sources: dict[str, str | bytes] = {_ENTRY: material.locked_program(), "tvar.lock": case.data}
    made = compile_file(_ENTRY, _Loader(sources, std_sources()))
    files = plain(made) if not made.sink.has_errors else []
    _told(made)
    text = case.text
    if text is not None:
        sink = Sink()
        lock = parse_lock(Source("tvar.lock", text), sink)
        if not lock.broken:
            written = lock_text(lock.entries.values())
            again = parse_lock(Source("tvar.lock", written), Sink())
            _same("a lock that is written is read", again.entries, lock.entries)
            _same("a lock is written in one way", lock_text(again.entries.values()), written)
    codes = tuple(item.code for item in made.diagnostics)
    return Outcome(
        codes, len(files), (), _digest(messages(made), *(t for file in files for t in file))
    )


# --- recipes -------------------------------------------------------------------------------------


def _recipe(case: Case) -> Outcome:
    """Read it, audit it, and build where it stands."""
    if (text := case.text) is not None:
        _read_back("a recipe", text, must=False)
    owner = inspect_bytes(case.data)
    with tempfile.TemporaryDirectory(prefix="tvarc-fuzz-") as folder, chdir(folder):
        put_small(Path(folder))
        target = Path("pkgs/hello-cuda13_0-sm103.nix")
        target.parent.mkdir()
        target.write_bytes(case.data)
        audited = tvarc("audit", "--json")
        _ended(audited.exit_code, "audit")
        if audited.exit_code != exits.FAILED:
            json.loads(audited.stdout)
        shown = tvarc("audit")
        _ended(shown.exit_code, "audit")
        built = tvarc("build", "--no-git")
        _ended(built.exit_code, "build")
        stays = owner is not Ownership.OURS and case.data.strip(b"\0 \t\r\n") != b""
        left = target.read_bytes()
        if stays and left != case.data and b"<<<<<<<" not in case.data:
            raise Broken("what is not ours stays", f"{owner}")
        kept = left == case.data
        adopted = tvarc("build", "--no-git", "--adopt")
        _ended(adopted.exit_code, "build --adopt")
    told = (audited.stdout, shown.stdout, built.stdout, built.stderr, adopted.stdout, str(kept))
    return Outcome((), 0, (), _digest(*told))


def _ended(code: int, command: str) -> None:
    if code not in (exits.OK, exits.FAILED, exits.STALE):
        raise Broken("a command ends with a code of its own", f"{command}: {code}")


# --- all of them ---------------------------------------------------------------------------------


def _same(rule: str, found: object, expected: object) -> None:
    if found != expected:
        raise Broken(rule, _difference(found, expected))


def _difference(found: object, expected: object) -> str:
    one, other = str(found), str(expected)
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, at - 60)
    return f"{one[start : at + 200]!r} is not {other[start : at + 200]!r}"


def _digest(*texts: str) -> str:
    data = "\0".join(texts).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


@contextmanager
def _bounds() -> Iterator[None]:
    """An end after `SECONDS` of the processor, and as deep a stack as a command has."""

    def ended(_: int, frame: FrameType | None) -> None:
        raise Broken("it ends", f"not within {SECONDS:g} s")

    depth = sys.getrecursionlimit()
    before = signal.signal(signal.SIGVTALRM, ended)
    sys.setrecursionlimit(max(depth, _RECURSION))
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        sys.setrecursionlimit(depth)
