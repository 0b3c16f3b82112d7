"""The facts that lints use: rows of the standard library, read when a lint needs them."""

from __future__ import annotations

from tvarc.advice.hosts.capability import Capability, capability
from tvarc.advice.lints.model import Remembered
from tvarc.advice.lints.names import Chips, Names, Said, chips_of, deciding, names_of, said
from tvarc.light import Any, Callable, Final, Mapping, Protocol, Sequence, dataclass
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.row_facts import product_names, text_fact, texts_fact, version_fact
from tvarc.values.value import RowValue, Value, Version, is_version

_COMMIT: Final = 40
_DIGITS: Final = frozenset("0123456789abcdef")


class Rows(Protocol):
    """Rows of tables, by the names of the tables; none if the table does not exist."""

    def all(self, table: str) -> tuple[RowValue, ...]:
        """The rows of *table*, in their order."""

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows of *table* whose *field* is the string, or the version spelled, *text*."""

    def derived(self, kind: str, table: str, make: Callable[[], Any]) -> Any:
        """The result of *make* for the rows of *table* alone, plain data that may be kept as
        *kind*.
        """


@dataclass(frozen=True, slots=True)
class Needs:
    """A flag, and the oldest GCC that accepts it, by the word of *row*."""

    shown: str
    gcc: int
    row: RowValue
    span: Span


# The row of a CUDA set, and why a pin lacks the set; empty if the pin may have it.
Absent = tuple[RowValue | None, str]


class Facts:
    """The facts of the library. None, or an empty list, means that the library lacks the fact: then
    a lint reports nothing. *rows* may come from the modules or from anything else that has the
    rows.
    """

    __slots__ = (
        "_alone", "_chips", "_deciding", "_gpu_names", "_gpus", "_named", "_pins",
        "_read_by_builds", "_said", "_sets", "_torch", "absent", "rows",
    )  # fmt: skip

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.absent: Remembered[Absent] = Remembered()  # by names of CUDA sets and pins
        self._gpu_names: Names | None = None
        self._deciding: frozenset[str] | None = None
        self._sets: Mapping[str, RowValue] | None = None
        self._chips: Chips | None = None
        self._alone: dict[str, RowValue] | None = None
        self._gpus: Remembered[tuple[RowValue | None]] = Remembered()  # by capabilities
        self._pins: Remembered[tuple[RowValue | None]] = Remembered()  # by commits
        self._torch: Remembered[tuple[RowValue | None]] = Remembered()
        self._said: Remembered[Said] = Remembered()
        self._named: dict[str, frozenset[str]] = {}
        self._read_by_builds: Mapping[str, RowValue] | None = None

    def gpu(self, wanted: Capability) -> RowValue | None:
        """The GPU of a capability; for a target with a suffix, the GPU of its base."""
        key = (wanted.major, wanted.minor)
        known = self._gpus.get(key)
        if known is None:
            found = self.first("nvidia", "capability", f"{wanted.major}.{wanted.minor}")
            known = self._gpus.put(key, (), (found,))
        return known[0]

    def target(self, text: str) -> RowValue | None:
        """The row of a target with a suffix, such as `9.0a`."""
        return self.first("nvidia-target", "target", text)

    def toolkit(self, version: Version) -> RowValue | None:
        """The toolkit with the major and minor number of *version*; its third number is ignored."""
        return self.first("cuda-toolkit", "version", ".".join(version.parts[:2]))

    def toolkits_of(self, version: Version) -> tuple[RowValue, ...]:
        """The toolkits with the major and minor number of *version*, or with its major number if it
        has no more."""
        return tuple(
            row
            for row in self.rows.all("cuda-toolkit")
            if (found := version_fact(row, "version")) is not None
            and all(a == b for a, b in zip(found.parts, version.parts[:2], strict=False))
        )

    def capabilities(self, major: int | None = None) -> tuple[str, ...]:
        """The compute capabilities that products of NVIDIA's have, of that *major* or of all, the
        lowest first."""
        found = [_capability(row) for row in self.rows.all("nvidia") if product_names(row)]
        each = {(one.major, one.minor) for one in found if one is not None}
        return tuple([f"{one}.{two}" for one, two in sorted(each) if major in (None, one)])

    def alias(self, name: str) -> RowValue | None:
        """A name in nixpkgs that refers to another CUDA set in each release."""
        return next((row for row in self.rows.all("cuda-alias") if row.name == name), None)

    def pin(self, pin: ir.Pin) -> RowValue | None:
        """The pin of that commit."""
        commit = pin.rev or _commit(pin.url)
        known = self._pins.get((commit,))
        if known is None:
            found = self.first("nixpkgs-pin", "rev", commit) if commit else None
            known = self._pins.put((commit,), (), (found,))
        return known[0]

    def hashed(self, pin: ir.Pin) -> RowValue | None:
        """The row of the commit of *pin*, which may have its hash. A release is a commit, too."""
        row = self.pin(pin)
        if row is None:
            row = self.first("nixpkgs-release", "rev", pin.rev or _commit(pin.url))
        return row

    def of_hash(self, hash: str) -> RowValue | None:
        """The row of the commit that has this *hash*."""
        tables = ("nixpkgs-pin", "nixpkgs-release")
        return next((row for one in tables if (row := self.first(one, "hash", hash))), None)

    def torch_package(self, torch: Version) -> tuple[RowValue, ...]:
        """The facts of nixpkgs' torch package for the version *torch*. If that version is unknown,
        only the facts on which the next older and the next newer known version agree.
        """
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
        """The oldest cuDNN that *pin* can have, and the pin that shows it: *pin* itself, or one
        that is not later."""
        own = version_fact(pin, "cudnn")
        if own is not None:
            return own, pin
        day = text_fact(pin, "date")
        # If a date is only a bound, the commit may be older than all others.
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
        return self._of_version(f"torch-{package.removeprefix('torch')}", version)

    def instruction_sets(self) -> tuple[RowValue, ...]:
        """Rows with the `flags` of an instruction set, and the `oldest-gcc` that accepts them."""
        return self.rows.all("cpu")

    def instruction_sets_by_name(self) -> Mapping[str, RowValue]:
        if self._sets is None:
            self._sets = {row.name: row for row in self.instruction_sets()}
        return self._sets

    def chips(self) -> Chips:
        """CPUs by the product names of their chips. Each row has a `best` instruction set."""
        if self._chips is None:
            self._chips = chips_of(self.rows.all("cpu-soc"))
        return self._chips

    def set_of_flag(self, flag: str) -> RowValue | None:
        """The first instruction set that *flag* alone selects, among those with known switches."""
        if self._alone is None:
            self._alone = {}
            for row in self.instruction_sets():
                flags = texts_fact(row, "flags") or ()
                if len(flags) == 1 and texts_fact(row, "switches-on") is not None:
                    self._alone.setdefault(flags[0], row)
        return self._alone.get(flag)

    def switch(self, name: str) -> RowValue | None:
        """The row of the switch *name* of CMake that adds flags of an instruction set."""
        return self.first("cpu-switch", "switch", name)

    def compiler_target(self, flag: str) -> RowValue | None:
        """The name of a CPU that GCC is given by *flag*: `-march=haswell`."""
        return self.first("gcc-target", "flag", flag)

    def dropped(self, flag: str) -> RowValue | None:
        """The row of a flag that newer compilers no longer accept."""
        return self.first("gcc-dropped", "flag", flag)

    def cuda_set(self, name: str) -> RowValue | None:
        """The row that says which nixpkgs have the CUDA set *name*, such as `cudaPackages_12_4`."""
        return self.first("nixpkgs-cuda", "set", name)

    def cuda_sets(self) -> tuple[RowValue, ...]:
        """The CUDA sets that some nixpkgs has or had, and names that no nixpkgs has."""
        return self.rows.all("nixpkgs-cuda")

    def release_of(self, pin: ir.Pin) -> Version | None:
        """The release that the nixpkgs of *pin* reports as its own: the stated one, or the one that
        the library knows."""
        if is_version(pin.release):
            return Version(pin.release)
        row = self.pin(pin)
        found = version_fact(row, "release") if row is not None else None
        if found is None and pin.rev:
            row = self.first("nixpkgs-release", "rev", pin.rev)
            found = version_fact(row, "release") if row is not None else None
        return found

    def last_day(self, pin: ir.Pin) -> str | None:
        """A day on which the commit of *pin* already existed."""
        row = self.pin(pin)
        return pin.date or (text_fact(row, "date") if row is not None else None) or None

    def releases(self) -> tuple[RowValue, ...]:
        """The releases of nixpkgs, in their order."""
        return self.rows.all("nixpkgs-release")

    def python3(self, pin: ir.Pin) -> tuple[Version, RowValue] | None:
        """The version of `python3` at *pin*, and the row with it."""
        row = self.pin(pin)
        told = self.first("nixpkgs-python", "pin", row.name) if row is not None else None
        if told is None and pin.rev:
            told = self.first("nixpkgs-release", "rev", pin.rev)
        found = version_fact(told, "python3") if told is not None else None
        return (found, told) if found is not None and told is not None else None

    def torch_release(self, torch: Version) -> RowValue | None:
        """The release of PyTorch with exactly this version."""
        key = (torch.text,)
        known = self._torch.get(key)
        found = known or self._torch.put(key, (), (self._of_version("torch-release", torch),))
        return found[0]

    def _of_version(self, table: str, version: Version) -> RowValue | None:
        """The row of *table* with exactly this *version*."""
        for row in self.rows.all(table):
            found = version_fact(row, "version")
            if found is not None and found.compare(version) == 0:
                return row
        return None

    def settings(self) -> frozenset[str]:
        """The names of all keys that nixpkgs reads from `config`."""
        return self._once("nixpkgs-config", lambda row: (row.name,))

    def attributes(self) -> frozenset[str]:
        """The names of all attributes that something in nixpkgs may read."""
        return self._once("nixpkgs-attributes", lambda row: texts_fact(row, "names") or ())

    def read_by_builds(self) -> Mapping[str, RowValue]:
        """The names of the attributes that a build certainly reads, each with the row that says so.
        Arguments of functions and facts without a source are left out.
        """
        if self._read_by_builds is None:
            self._read_by_builds = {
                name: row
                for row in self.rows.all("nixpkgs-attributes")
                if text_fact(row, "by") == "build" and text_fact(row, "mark") != "unsourced"
                for name in texts_fact(row, "names") or ()
            }
        return self._read_by_builds

    def meta(self) -> frozenset[str]:
        """The names that nixpkgs knows in `meta`."""
        return self._once("nixpkgs-meta", lambda row: texts_fact(row, "names") or ())

    def amd_targets(self) -> frozenset[str]:
        """The names of all AMD GPUs that a compiler knows."""
        known = self._once("amd-compiler", lambda row: texts_fact(row, "targets") or ())
        return known | self._once("amd", lambda row: (row.name,)) if known else known

    def architectures(self) -> frozenset[str]:
        """The names of NVIDIA's architectures, as PyTorch spells them: `Ada`."""
        return self._once("nvidia", lambda row: (text_fact(row, "architecture") or "").split()[:1])

    def gpu_names(self) -> Names:
        """NVIDIA's GPUs by the names that people call them."""
        if self._gpu_names is None:
            self._gpu_names = self.rows.derived("names", "nvidia", self._named_gpus)
        return self._gpu_names

    def _named_gpus(self) -> Names:
        return names_of(
            (known, text_fact(row, "architecture") or "", product_names(row))
            for row in self.rows.all("nvidia")
            if (known := _capability(row)) is not None
        )

    def said(self, line: str) -> Said:
        """The content of a line of a description."""
        key = (line,)
        return self._said.get(key) or self._said.put(
            key, (), said(line, self.gpu_names(), self.chips())
        )

    def deciding(self) -> frozenset[str]:
        """The words that decide the meaning of such a line."""
        if self._deciding is None:
            self._deciding = deciding(self.gpu_names(), self.chips())
        return self._deciding

    def _once(self, table: str, names: Callable[[RowValue], Sequence[str]]) -> frozenset[str]:
        if table not in self._named:
            found = [name for row in self.rows.all(table) for name in names(row)]
            self._named[table] = frozenset(found)
        return self._named[table]

    def first(self, table: str, field: str, text: str) -> RowValue | None:
        """The first row of *table* with *text* in *field*."""
        return next(iter(self.rows.having(table, field, text)), None)


def _capability(row: RowValue) -> Capability | None:
    found = version_fact(row, "capability")
    return capability(found) if found is not None else None


def _commit(url: str) -> str:
    """The first commit that *url* names; empty if it names none."""
    run = ""
    for char in url:
        run = run + char if char in _DIGITS else ""
        if len(run) == _COMMIT:
            return run
    return ""


def whole_fact(value: Value, name: str) -> int | None:
    """The integer in field *name*; None if *value* has no such field or it is no integer."""
    if isinstance(value, RowValue) and name in value.facts:
        found = value.facts[name].value
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return None


def wholes_fact(row: RowValue, name: str) -> tuple[int, ...]:
    """The integers in field *name*."""
    found = row.facts[name].value if name in row.facts else ()
    return tuple(one for one in found if isinstance(one, int)) if isinstance(found, tuple) else ()
