"""The facts that lints go by: rows of the standard library, asked for when they are needed."""

from __future__ import annotations

from tvarc import ir
from tvarc.hosts.capability import Capability
from tvarc.hosts.rows import text_fact, texts_fact, version_fact
from tvarc.light import Final, Protocol, dataclass
from tvarc.lints.subjects import Remembered
from tvarc.source import Span
from tvarc.values import RowValue, Value, Version

_COMMIT: Final = 40
_DIGITS: Final = frozenset("0123456789abcdef")


class Rows(Protocol):
    """Rows of tables, by the tables' names: none where there is no such table."""

    def all(self, table: str) -> tuple[RowValue, ...]:
        """The rows of *table*, in their order."""

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows of *table* whose *field* is the string, or the version spelled, *text*."""


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

    __slots__ = ("newer", "rows")

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.newer: Remembered[tuple[Needs, ...]] = Remembered()  # by flags and CPU

    def gpu(self, wanted: Capability) -> RowValue | None:
        """The GPU of that capability; of a target with a suffix its base."""
        return self.first("nvidia", "capability", f"{wanted.major}.{wanted.minor}")

    def target(self, text: str) -> RowValue | None:
        """The target with a suffix that is spelled so: `9.0a`."""
        return self.first("nvidia-target", "target", text)

    def toolkit(self, version: Version) -> RowValue | None:
        """The toolkit of that major and minor; what comes after them is an update of it."""
        return self.first("cuda-toolkit", "version", ".".join(version.parts[:2]))

    def alias(self, name: str) -> RowValue | None:
        """A name in nixpkgs that stands for one CUDA set after the other."""
        return next((row for row in self.rows.all("cuda-alias") if row.name == name), None)

    def pin(self, pin: ir.Pin) -> RowValue | None:
        """The pin of that commit."""
        commit = pin.rev or _commit(pin.url)
        return self.first("nixpkgs-pin", "rev", commit) if commit else None

    def torch_package(self, torch: Version) -> tuple[RowValue, ...]:
        """What was read of nixpkgs' torch package for the version *torch*: at that version, else
        at the next one before it and the next after it, which then have to agree."""
        before: RowValue | None = None
        for row in self.rows.all("nixpkgs-torch"):
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
        for row in self.rows.all("nixpkgs-pin"):
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
        for row in self.rows.all(f"torch-{package.removeprefix('torch')}"):
            found = version_fact(row, "version")
            if found is not None and found.compare(version) == 0:
                return row
        return None

    def instruction_sets(self) -> tuple[RowValue, ...]:
        """Rows with the `flags` of an instruction set, and the `oldest-gcc` that takes them."""
        return self.rows.all("cpu")

    def compiler_target(self, flag: str) -> RowValue | None:
        """The name of a CPU that GCC is given by *flag*: `-march=haswell`."""
        return self.first("gcc-target", "flag", flag)

    def first(self, table: str, field: str, text: str) -> RowValue | None:
        """The first row of *table* with *text* in *field*."""
        return next(iter(self.rows.having(table, field, text)), None)


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
