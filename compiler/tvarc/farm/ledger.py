"""The ledger of a program: the results by derivation, one line of JSON for each.

The file is made for git. Its lines are sorted, each is complete by itself, and the union of two
ledgers is a ledger, so `merge=union` merges branches. A line has a seal, a digest of its other
fields. So a line that a user or a merge changed is refused. The seal does not prevent forgery:
anyone who may write to the repository may also change the program.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH100, PTH114, PTH118, PTH120
from __future__ import annotations

import fcntl
import json
import os
import posixpath
import re
import time

from tvarc.build.assembly.bodies import Bodies
from tvarc.build.diff.contents import NamedFiles, contents_at
from tvarc.build.driver import Compilation
from tvarc.digest import blake2b
from tvarc.farm import LEDGER
from tvarc.farm import messages as msg
from tvarc.files.disk import read_plain
from tvarc.files.output.folders import put_one, reason_of
from tvarc.light import (
    Any,
    Callable,
    Final,
    Iterable,
    Literal,
    Mapping,
    dataclass,
    field,
    fields,
    replace,
)
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.judge.named_files import reads_elsewhere
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import Count, json_text

VERSION: Final = 1
_MOST: Final = 1 << 26
"""The most bytes of a ledger: about 100,000 results."""
_ROOM: Final = 1 << 14
"""The bytes that are reserved for the results of a run: about 25 results."""
_RECIPE: Final = "recipe.nix"
"""The file name of a recipe that no output writes separately."""

Event = Literal["built", "failed", "tested", "test-failed"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A result of a variant, or of a test of it, in one run. `tvarc-results.jsonl` has one in each
    line."""

    NULLS = ("test", "through", "phase", "log")

    variant: str
    test: str
    """The name of the test; null for the result of the variant's build."""
    event: Event
    """built: its outputs exist. failed: its recipe is broken, or the recipe of a dependency is.
    tested: the test succeeded. test-failed: the test ran and failed."""
    derivation: str
    """The path of the derivation that was built."""
    inputs: str
    """A digest of the recipe and of the files that it names; empty if it names files that belong to
    no program. It tells without Nix whether the result is that of the present recipe."""
    when: str
    """The end of the run, in UTC."""
    machine: str
    """The address of the machine that built it, or the name of the machine of the run."""
    seconds: Count | None = None
    """How long its own build took; null if the run did not build it."""
    size: Count | None = None
    """The bytes of the closure of its first output; null if that is not in the store of the run."""
    through: str = ""
    """The derivation of the dependency that failed."""
    phase: str = ""
    """The phase in which the builder failed."""
    log: str = ""
    """The name of the log in the folder of logs of that machine."""
    version: int = VERSION
    """The version of this format."""
    seal: str = ""
    """A digest of the other fields."""

    @property
    def is_good(self) -> bool:
        return self.event in ("built", "tested")

    @property
    def subject(self) -> tuple[str, str, str, str]:
        """The subject of the result. A later result of the same subject replaces it."""
        return self.variant, self.derivation, self.inputs, self.test


@dataclass(frozen=True, slots=True)
class Standing:
    """The last results of a variant: of its build, and of each of its tests."""

    build: Entry | None = None
    tests: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        """Whether it is built, and none of its tests failed."""
        return self.state in ("built", "tested")

    @property
    def state(self) -> str:
        """The worst of the results; empty without any."""
        found = {one.event for one in self.tests.values()}
        if self.build is not None:
            found.add(self.build.event)
        return next((one for one in _WORST if one in found), "")


_WORST: Final = ("failed", "test-failed", "tested", "built")


@dataclass(frozen=True, slots=True)
class Ledger:
    """The results of a program; `exists` says whether there is a file."""

    entries: tuple[Entry, ...] = ()
    exists: bool = False

    def standings(self, key: Callable[[Entry], str]) -> dict[str, Standing]:
        """The last results by *key*, such as the name of the variant."""
        found: dict[str, tuple[dict[str, Entry], dict[str, Entry]]] = {}
        for entry in sorted(self.entries, key=lambda one: one.when):
            builds, tests = found.setdefault(key(entry), ({}, {}))
            (tests if entry.test else builds)[entry.test] = entry
        return {name: Standing(one.get(""), tests) for name, (one, tests) in found.items()}


# --- lines ------------------------------------------------------------------------------------


_PATH: Final = r"/nix/store/[0-9a-df-np-sv-z]{32}-[0-9A-Za-z+._?=-]+\.drv"
_TEXT: Final = r"(?s:.+)"
_CONFLICT: Final = re.compile(r"[<|>]{7}(?: .*)?|={7}")
"""A line that a merge of git puts around the lines of each side."""
_TEXTS: Final[Mapping[str, str]] = {
    "variant": _TEXT,
    "test": _TEXT,
    "event": "built|failed|tested|test-failed",
    "derivation": _PATH,
    "inputs": r"[0-9a-f]{32}|",
    "when": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "machine": _TEXT,
    "through": _PATH,
    "phase": _TEXT,
    "log": _TEXT,
    "seal": r"[0-9a-f]{32}",
}
"""The patterns of the texts of an entry."""


class _Refused(Exception):
    """The reason why a line is no entry."""


class _Newer(Exception):
    """A line has this newer version of the format."""


def _sealed(entry: Entry) -> Entry:
    """*entry* with its seal."""
    data = json_text(replace(entry, seal=""), indent=None).encode()
    return replace(entry, seal=_digest(data))


def _digest(data: bytes) -> str:
    return blake2b(data).hexdigest()[:32]


def _entry(line: str) -> Entry:
    """The entry in *line*. Raises _Refused and _Newer."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise _Refused("it is not JSON") from None
    if not isinstance(data, dict) or "version" not in data:
        raise _Refused("it has no `version`")
    version = data["version"]
    if isinstance(version, int) and version > VERSION:
        raise _Newer(version)
    if version != VERSION or isinstance(version, bool):
        raise _Refused(f"this tvarc reads version {VERSION} of results")
    names = [one.name for one in fields(Entry)]
    if sorted(data) != sorted(names):
        raise _Refused(f"its fields must be {', '.join(names)}")
    for name, value in data.items():
        if not _is_of(name, value):
            raise _Refused(f"its field `{name}` has no value of a result")
    entry = Entry(**{name: _field(name, value) for name, value in data.items()})
    if bool(entry.test) != entry.event.startswith("test"):
        raise _Refused("only the result of a test names one")
    if _sealed(entry).seal != entry.seal:
        raise _Refused("its seal does not fit: no run wrote these fields together")
    return entry


def _field(name: str, value: Any) -> Any:
    return "" if value is None and name in Entry.NULLS else value


def _is_of(name: str, value: Any) -> bool:
    """Whether the field *name* can have this *value*."""
    pattern = _TEXTS.get(name)
    if value is None:
        return name in (*Entry.NULLS, "seconds", "size")
    if pattern is None:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


# --- the file ---------------------------------------------------------------------------------


def ledger_of(program: str, sink: Sink) -> Ledger:
    """The ledger next to *program*. Lines that no run wrote are reported and left out."""
    return _read(os.path.join(os.path.dirname(program), LEDGER), sink)


def _read(path: str, sink: Sink) -> Ledger:
    try:
        if os.path.islink(path):  # a run would replace the link, and not the file that it names
            raise UnreadableSource(path, "it is a symbolic link")
        text = read_plain(path, path, _MOST + 1).decode("utf-8", "replace")
    except FileNotFoundError:
        return Ledger()
    except (OSError, UnreadableSource) as fault:
        reason = reason_of(fault) if isinstance(fault, OSError) else fault.reason
        sink.report(msg.results.CANNOT_READ, file=path, reason=reason)
        return Ledger(exists=True)
    if len(text) > _MOST:
        sink.report(msg.results.CANNOT_READ, file=path, reason="it is too large")
        return Ledger(exists=True)
    known: dict[tuple[object, ...], Entry] = {}
    conflict = 0  # the first line of git's marks
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if _CONFLICT.fullmatch(line):
            conflict = conflict or number
            continue
        try:
            entry = _entry(line)
            same = known.setdefault((*entry.subject, entry.machine, entry.when), entry)
            if same != entry:
                raise _Refused("another line has a different result of the same run")
        except _Refused as fault:
            sink.report(msg.results.NO_RESULT, where=f"{path}:{number}", reason=str(fault))
        except _Newer as fault:
            where = f"{path}:{number}"
            sink.report(msg.results.NEWER, where=where, version=str(fault), known=VERSION)
    if conflict:
        sink.report(msg.results.CONFLICT, where=f"{path}:{conflict}", name=LEDGER)
    return Ledger(tuple(_joined(known.values())), exists=True)


def can_record(program: str, sink: Sink, *, wanted: bool = True) -> bool:
    """Whether `record` can write to the ledger next to *program*. Otherwise the reason is reported,
    as a warning if the ledger is not *wanted*. To know this before a run, it writes the same number
    of bytes to a file without a name."""
    import tempfile  # commands that only read results do not need it

    folder = os.path.dirname(program)
    path = os.path.join(folder, LEDGER)
    try:
        size = os.lstat(path).st_size if os.path.lexists(path) else 0
        with tempfile.TemporaryFile(dir=folder or ".") as file:
            file.write(bytes(size + _ROOM))
    except OSError as fault:
        _report_unwritable(path, fault, sink, wanted=wanted)
        return False
    return True


def _report_unwritable(path: str, fault: OSError, sink: Sink, *, wanted: bool) -> None:
    message = msg.results.NOT_WRITTEN if wanted else msg.results.NOT_RECORDED
    sink.report(message, file=path, reason=reason_of(fault))


def record(program: str, found: Iterable[Entry], sink: Sink, *, wanted: bool = True) -> bool:
    """Add the results *found* of a run to the ledger next to *program*. Returns whether they are
    written, or were not *wanted*. Otherwise the reason is reported. Two processes that record at
    the same time lose nothing."""
    folder = os.path.abspath(os.path.dirname(program))
    path = os.path.join(os.path.dirname(program), LEDGER)
    before = len(sink)
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            old = _read(path, sink)
            if len(sink) != before:
                return False  # a refused line is not lost
            text = "".join(_lines(_joined(old.entries, map(_sealed, found))))
            put_one(folder, LEDGER, text.encode())
        finally:
            os.close(handle)
    except OSError as fault:
        _report_unwritable(path, fault, sink, wanted=wanted)
        return not wanted
    return len(sink) == before


def _joined(old: Iterable[Entry], new: Iterable[Entry] = ()) -> Iterable[Entry]:
    """The last entry of each subject. A run that only finds an existing build adds nothing. Then
    the entry of the build stays, even for a recipe with other comments."""
    kept: dict[tuple[str, ...], Entry] = {}
    last: dict[tuple[str, str, str], Entry] = {}
    for entry in (*sorted(old, key=lambda one: one.when), *new):
        what = (entry.variant, entry.test, entry.derivation)
        known = last.get(what)
        is_found = entry.is_good and entry.seconds is None
        if is_found and known is not None and known.is_good:
            size = known.size or entry.size
            entry = _sealed(replace(known, inputs=entry.inputs, size=size))
        kept[entry.subject] = last[what] = entry
    return kept.values()


def _lines(entries: Iterable[Entry]) -> list[str]:
    return sorted({json_text(one, indent=None) for one in entries})


def now() -> str:
    """The present time in the form of an entry."""
    since = time.time_ns() // 1_000_000
    seconds, part = divmod(since, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{part:03}Z"


# --- the present recipe -----------------------------------------------------------------------


class Inputs:
    """Digests of recipes of *made*, and of the files that they name. Equal digests give equal
    derivations, as long as a recipe without a pin gets the same nixpkgs."""

    __slots__ = ("_bodies", "_files", "_known", "_made", "_named")

    def __init__(self, made: Compilation) -> None:
        self._made = made
        self._bodies = Bodies(posixpath.basename(made.file))
        self._named = NamedFiles(posixpath.dirname(made.file))
        self._known: dict[str, str] = {}
        self._files: dict[str, str] = {}

    def digest(self, variant: Variant) -> str:
        """The digest of *variant*, with the variants that it needs; empty if it depends on files
        that belong to no program, or cannot be decided."""
        made = self._made
        beside = made.stack.closure([variant]) if made.is_stacked else [variant]
        parts = [self._own(one) for one in beside]
        return _digest("".join(parts).encode()) if all(parts) else ""

    def _own(self, variant: Variant) -> str:
        known = self._known.get(variant.name)
        if known is None:
            recipe = self._made.recipe(variant)
            known = self._known[variant.name] = "" if recipe is None else self._of(recipe)
        return known

    def _of(self, recipe: ir.Recipe) -> str:
        if reads_elsewhere(recipe):
            return ""
        file = recipe.files[0][1] if recipe.files else _RECIPE
        parts = self._bodies.parts(recipe, file)[1]
        for named, elsewhere in self._named.reached(recipe):
            if elsewhere:
                return ""
            parts.append(self._content(named))
        return _digest("\0".join(parts).encode())

    def _content(self, file: str) -> str:
        known = self._files.get(file)
        if known is None:
            try:
                content = sorted(contents_at(file, file).items())
                text = "\n".join(f"{path} {one.kind} {one.digest}" for path, one in content)
            except UnreadableSource:
                text = "no such file"
            known = self._files[file] = f"{file}\n{text}"
        return known


@dataclass(frozen=True, slots=True)
class Known:
    """The results of the ledger for the present recipes. `before` names the variants with any
    results."""

    inputs: Inputs
    before: frozenset[str]
    standings: Mapping[str, Standing]

    def standing(self, variant: Variant) -> Standing:
        """The last results of the present recipe of *variant*."""
        if variant.name not in self.before:
            return _NONE
        digest = self.inputs.digest(variant)
        return self.standings.get(f"{variant.name}\0{digest}", _NONE) if digest else _NONE

    def state(self, variant: Variant, standing: Standing) -> str:
        """The state of *variant* in words: that of *standing*, its last results. It is `changed` if
        only earlier recipes of it have results, and empty if none has any."""
        return standing.state or ("changed" if variant.name in self.before else "")


_NONE: Final = Standing()


def known_to(made: Compilation) -> Known:
    """The results of *made* in its ledger. Errors of the ledger are reported."""
    ledger = ledger_of(made.file, made.sink)
    before = frozenset([one.variant for one in ledger.entries])
    standings = ledger.standings(lambda one: f"{one.variant}\0{one.inputs}")
    return Known(Inputs(made), before, standings)
