"""The facts that lints go by: rows of the standard library, asked for when they are needed."""

from __future__ import annotations

from tvarc import ir
from tvarc.hosts.capability import Capability, capability
from tvarc.hosts.rows import text_fact, texts_fact, version_fact
from tvarc.light import Callable, Final, Iterable, dataclass
from tvarc.lints.subjects import Remembered
from tvarc.source import Span
from tvarc.values import RowValue, Value, Version

# The rows of a table, by its name, in which a text is written, and perhaps more: the facts of all
# others need not be read. None where there is no such table.
Rows = Callable[[str, str], tuple[RowValue, ...]]

_COMMIT: Final = 40
_DIGITS: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Needs:
    """A flag, and the oldest GCC that accepts it, by the word of *row*."""

    shown: str
    gcc: int
    row: RowValue
    span: Span


class Facts:
    """What the library knows. None, or an empty list, means that it does not know: a lint is
    silent then. *rows* may come from the modules or from anything else that has the rows."""

    __slots__ = ("known", "newer", "pins", "source")

    def __init__(self, rows: Rows) -> None:
        self.source = rows
        self.known: dict[tuple[str, str], tuple[RowValue, ...]] = {}
        self.pins: dict[str, RowValue | None] = {}
        self.newer: Remembered[tuple[Needs, ...]] = Remembered()  # by flags and CPU

    def rows(self, table: str, text: str) -> tuple[RowValue, ...]:
        """The rows of *table* in which *text* is written, and perhaps others."""
        found = self.known.get((table, text))
        if found is None:
            found = self.known[table, text] = self.source(table, text)
        return found

    def gpu(self, wanted: Capability) -> RowValue | None:
        """The GPU of that capability; of a target with a suffix its base."""
        for row in self.rows("nvidia", f"{wanted.major}.{wanted.minor}"):
            version = version_fact(row, "capability")
            found = capability(version) if version is not None else None
            if found is not None and (found.major, found.minor) == (wanted.major, wanted.minor):
                return row
        return None

    def target(self, text: str) -> RowValue | None:
        """The target with a suffix that is spelled so: `9.0a`."""
        return self.first("nvidia-target", "target", text)

    def toolkit(self, version: Version) -> RowValue | None:
        """The toolkit of that major and minor; what comes after them is an update of it."""
        wanted = version.parts[:2]
        for row in self.rows("cuda-toolkit", ".".join(wanted)):
            found = version_fact(row, "version")
            if found is not None and found.parts == wanted:
                return row
        return None

    def alias(self, name: str) -> RowValue | None:
        """A name in nixpkgs that stands for one CUDA set after the other."""
        return next((row for row in self.rows("cuda-alias", name) if row.name == name), None)

    def pin(self, pin: ir.Pin) -> RowValue | None:
        """The pin of that commit."""
        commit = pin.rev or _commit(pin.url)
        if not commit:
            return None
        if commit not in self.pins:
            self.pins[commit] = self.first("nixpkgs-pin", "rev", commit)
        return self.pins[commit]

    def torch_package(self, torch: Version) -> tuple[RowValue, ...]:
        """What was read of nixpkgs' torch package for the version *torch*: at that version, else
        at the next one before it and the next after it, which then have to agree."""
        before: RowValue | None = None
        for row in self.rows("nixpkgs-torch", ""):
            found = version_fact(row, "torch")
            if found is None:
                continue
            order = found.compare(torch)
            if order == 0:
                return (row,)
            if order > 0:
                return (before, row) if before is not None else ()
            before = row
        return ()

    def cudnn(self, pin: RowValue) -> tuple[Version, RowValue] | None:
        """The cuDNN that *pin* has at least, and the pin that tells it: itself, or one that is
        not later."""
        own = version_fact(pin, "cudnn")
        if own is not None:
            return own, pin
        day = text_fact(pin, "date")
        # A date that is no more than a bound may hide a commit before all others.
        if day is None or pin.facts["date-exact"].value is not True:
            return None
        found: tuple[Version, RowValue] | None = None
        for row in self.rows("nixpkgs-pin", "cudnn"):
            version, other = version_fact(row, "cudnn"), text_fact(row, "date")
            if text_fact(row, "github") != text_fact(pin, "github"):
                continue
            if version is None or other is None or other > day:
                continue
            if found is None or version.compare(found[0]) > 0:
                found = version, row
        return found

    def release(self, package: str, version: Version) -> RowValue | None:
        """The release of `torchvision` or `torchaudio`."""
        for row in self.rows(f"torch-{package.removeprefix('torch')}", ""):
            found = version_fact(row, "version")
            if found is not None and found.compare(version) == 0:
                return row
        return None

    def instruction_sets(self, flags: Iterable[str]) -> list[RowValue]:
        """Rows with the `flags` of an instruction set, one of *flags* among them, and the
        `oldest-gcc` that takes them."""
        names = {row.name for flag in flags for row in self.rows("cpu", flag)}
        return [row for row in self.rows("cpu", "") if row.name in names]

    def compiler_target(self, flag: str) -> RowValue | None:
        """The name of a CPU that GCC is given by *flag*: `-march=haswell`."""
        return self.first("gcc-target", "flag", flag)

    def first(self, table: str, field: str, text: str) -> RowValue | None:
        """The first row of *table* with *text* in *field*."""
        return next((row for row in self.rows(table, text) if text_fact(row, field) == text), None)


def _commit(url: str) -> str:
    """The first commit that *url* names; empty where it names none."""
    run = ""
    for char in url:
        run = run + char if char in _DIGITS else ""
        if len(run) == _COMMIT:
            return run
    return ""


def whole_fact(value: Value, name: str) -> int | None:
    """The integer in field *name*; None when *value* has no such field or it is none."""
    if isinstance(value, RowValue) and name in value.facts:
        found = value.facts[name].value
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return None


def wholes_fact(row: RowValue, name: str) -> tuple[int, ...]:
    """The integers in field *name*."""
    found = row.facts[name].value if name in row.facts else ()
    return tuple(one for one in found if isinstance(one, int)) if isinstance(found, tuple) else ()


def cite(*rows: RowValue, doubted: bool = True) -> str:
    """Where the facts of *rows* come from, in brackets. *doubted* is false where what a row is
    cited for is none of that on which sources disagree."""
    found: dict[str, list[str]] = {}
    doubt = ""
    for row in rows:
        file, _, table = row.table.partition("::")
        module = f"std.{file[4:-5]}" if file.startswith("std/") else f"facts {table}"
        ids = found.setdefault(module, [])
        ids += [id for id in texts_fact(row, "sources") or () if id not in ids]
        if doubted and text_fact(row, "mark") == "conflicting":
            doubt = "; sources disagree"
    told = "; ".join(f"{name}: {', '.join(ids)}" if ids else name for name, ids in found.items())
    return f"({told}{doubt})"
