"""Lints on CPUs: the instruction sets that a build uses, and the CPUs that descriptions name."""

from __future__ import annotations

from tvarc.advice.lints.cuda import Cuda
from tvarc.advice.lints.facts import Facts, Needs, whole_fact
from tvarc.advice.lints.flags import CMAKE_FLAGS, Export, Flags, Word
from tvarc.advice.lints.model import Finding, Line, lint, subject
from tvarc.advice.lints.names import quoted
from tvarc.advice.lints.subjects import Cpu
from tvarc.light import Final, Iterator, Sequence, dataclass
from tvarc.text.source import Span
from tvarc.values.row_facts import cite, text_fact, texts_fact, version_fact
from tvarc.values.value import RowValue, Version

_X86: Final = (
    *("-mavx", "-msse", "-mssse", "-mfma", "-mf16c", "-mbmi", "-mamx-", "-mlzcnt", "-mmovbe"),
    *("-mpopcnt", "-mvaes", "-mgfni", "-mvpclmul", "-mxop", "-mtbm", "-march=x86-64-v"),
)
_X86_WHOLE: Final = ("-msha", "-march=x86-64")
_ARM: Final = ("-march=armv8", "-march=armv9", "-mcpu=neoverse-", "-mcpu=cortex-")
# `oldest-gcc = 12` means 12 or any older one.
_ANY_GCC: Final = 12
_GCC: Final = ("oldest-gcc", "max-gcc", "last-gcc")  # the fields on which findings are based
# The first release of nixpkgs with a compiler (std.nixpkgs: PR-401948).
_FIRST_WITH: Final = {15: "25.05"}
_KNOWN_ARCHES: Final = ("x86_64", "aarch64")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for the architecture of a build: a flag or an axis value."""

    arch: str
    shown: str
    span: Span | None


@lint(
    "W106",
    "platform-against-isa",
    "platform contradicts the instruction set",
    "a platform contradicts the instruction set",
)
def platform_against_isa(cpu: Cpu, flags: Flags, facts: Facts) -> Iterator[Finding]:
    """A platform that does not fit the flags of the instruction set."""
    wanted = [item for item in cpu.platforms if isinstance(item.value, str)]
    if not wanted:
        return
    found = [one for word in flags.words if (one := _of_flag(word, cpu, facts))]
    found = found or [one for row in cpu.rows if (one := _of_row(row))]
    if not found or any(one.arch != found[0].arch for one in found):
        return
    evidence = found[0]
    for item in wanted:
        platform = str(item.value)
        arch = platform.partition("-")[0]
        if arch not in _KNOWN_ARCHES or arch == evidence.arch:
            continue
        yield Finding(
            item.span,
            f"names {platform}",
            f"{evidence.shown} is for {evidence.arch} (std.cpu: GCC-X)",
            f'name the platform of the instruction set: `platforms = ["{evidence.arch}-linux"]`',
            ((evidence.span, evidence.shown),) if evidence.span is not None else (),
            by_hand="name the platform of the instruction set: "
            f'`platforms = [ "{evidence.arch}-linux" ];`',
        )


@lint(
    "W113",
    "flag-unknown-to-gcc",
    "flag unknown to GCC",
    "no compiler that this toolkit accepts knows the flag",
)
def flag_unknown_to_gcc(
    cuda: Cuda, newer_flags: tuple[Needs, ...], facts: Facts
) -> Iterator[Finding]:
    """A flag that no GCC of the toolkit knows."""
    if not cuda.on or cuda.toolkit is None or not cuda.toolkit.exact:
        return
    if not newer_flags:
        return
    limit = _newest_gcc(cuda, facts)
    for one in newer_flags:
        if limit is not None and one.gcc > limit.gcc:
            yield Finding(
                one.span,
                f"exports {one.shown}",
                f"{one.shown} needs GCC {one.gcc}; {cuda.toolkit.name} accepts GCC {limit.gcc} at "
                f"most {cite(one.row, limit.row, of=_GCC)}",
                "use flags that older compilers know, or a newer toolkit",
            )


@subject()
def newer_flags(flags: Flags, cpu: Cpu, facts: Facts) -> tuple[Needs, ...]:
    """The exported flags that not every GCC knows."""
    return tuple(_newer(flags.words, cpu, facts))


@dataclass(frozen=True, slots=True)
class Dropped:
    """An exported flag that newer compilers reject, its row, and the last GCC that accepts it."""

    word: Word
    row: RowValue
    last: int


@subject()
def dropped_flags(flags: Flags, cpu: Cpu, facts: Facts) -> tuple[Dropped, ...]:
    """The exported flags that newer compilers reject, except those of the axis value."""
    own = {flag for row in cpu.rows for flag in texts_fact(row, "flags") or ()}
    found: list[Dropped] = []
    for word in flags.words:
        row = facts.dropped(word.text) if word.text not in own else None
        last = whole_fact(row, "last-gcc") if row is not None else None
        if row is not None and last is not None:
            found.append(Dropped(word, row, last))
    return tuple(found)


@subject()
def without_avx2(flags: Flags, cpu: Cpu, facts: Facts) -> Evidence | None:
    """The evidence that the build is for CPUs without AVX2; None if there is none."""
    return _lacks("avx2", flags.words, cpu, facts)


@lint(
    "W129",
    "flag-dropped-by-gcc",
    "flag dropped by GCC",
    "newer compilers no longer know the flag",
)
def flag_dropped_by_gcc(
    cuda: Cuda, dropped_flags: tuple[Dropped, ...], facts: Facts
) -> Iterator[Finding]:
    """A flag that newer compilers no longer know."""
    for one in dropped_flags:
        if not _may_be_newer(one.last, cuda, facts):
            continue
        yield Finding(
            one.word.span,
            f"exports {one.word.text}",
            f"GCC {one.last} is the last that knows {one.word.text}, and this nixpkgs has a newer "
            f"GCC {cite(one.row, of=_GCC)}",
            "use flags of a CPU that compilers still support, or an older compiler",
        )


# The place of a flag or a switch of CMake, what it says there, the features that it asks for, and
# the rows that say so.
_Asked = tuple[Span, str, tuple[str, ...], tuple[RowValue, ...]]


@lint(
    "W139",
    "flag-beyond-isa",
    "flag beyond the instruction set",
    "a flag asks for more than the instruction set of the variant has",
)
def flag_beyond_isa(cpu: Cpu, flags: Flags, facts: Facts) -> Iterator[Finding]:
    """A flag or a switch of CMake for CPUs that are better than those of the axis value."""
    row = cpu.rows[0] if len(cpu.rows) == 1 else None
    if row is None or not row.table.startswith("std/") or text_fact(row, "arch") != "x86_64":
        return
    written = {word.text for word in flags.words} - {*(texts_fact(row, "flags") or ())}
    asked = [
        (word.span, f"exports {word.text}", *_asked(word.text, facts))
        for word in flags.words
        if word.text in written and f"-mno-{word.text[2:]}" not in written
    ]
    asked += _switched_on(flags, facts)
    if not asked:
        return
    sets = facts.instruction_sets_by_name()
    of_sets = frozenset([_feature(flag) for one in sets.values() for flag in _flags(one)])
    has: set[str] = set()
    for one in (row, *[sets[name] for name in texts_fact(row, "satisfies") or () if name in sets]):
        has |= {*(texts_fact(one, "switches-on") or ()), *map(_feature, _flags(one))}
    for span, shown, features, rows in asked:
        beyond = [one for one in features if one in of_sets and one not in has]
        if beyond:
            label = text_fact(row, "label") or row.name
            yield Finding(
                span,
                shown,
                f"{shown.partition(' ')[2]} is for CPUs with {', '.join(beyond)}, which CPUs "
                f"with {label} need not have {cite(row, *rows)}",
                f"write it only for the instruction sets that have it, with `when`; the flags of "
                f"`{row.name}` are its fact `flags`",
            )


def _asked(flag: str, facts: Facts) -> tuple[tuple[str, ...], tuple[RowValue, ...]]:
    """The features of instruction sets that *flag* switches on, and the row that says so."""
    row = facts.compiler_target(flag) if _names_cpu(flag) else None
    if row is not None:
        sets = facts.instruction_sets_by_name()
        runs = [sets[name] for name in texts_fact(row, "runs") or () if name in sets]
        features = [_feature(one) for each in runs for one in _flags(each)]
        return tuple(dict.fromkeys(features)), (row,)
    if _names_cpu(flag):
        alone = facts.set_of_flag(flag)
        return tuple(texts_fact(alone, "switches-on") or ()) if alone is not None else (), ()
    return (_feature(flag),), ()


def _switched_on(flags: Flags, facts: Facts) -> Iterator[_Asked]:
    """The features that switches of CMake select. Of two switches with one name, the last
    counts."""
    on: dict[str, Export] = {}
    for one in flags.exports:
        if one.name == CMAKE_FLAGS:
            name, _, value = one.value.removeprefix("-D").partition("=")
            name = name.partition(":")[0]
            on.pop(name, None)
            if value.lower() in ("on", "1", "true", "yes"):
                on[name] = one
    for name, one in on.items():
        row = facts.switch(name)
        if row is not None and on.keys().isdisjoint(texts_fact(row, "unless") or ()):
            features = tuple(map(_feature, texts_fact(row, "flags") or ()))
            yield one.span, f"sets {one.value}", features, (row,)


def _flags(row: RowValue) -> list[str]:
    """The flags of an instruction set that are for one feature each."""
    return [one for one in texts_fact(row, "flags") or () if not _names_cpu(one)]


def _feature(flag: str) -> str:
    """The name of the feature that *flag* alone switches on: `amx_tile` for `-mamx-tile`."""
    return flag.removeprefix("-m").replace("-", "_")


def _may_be_newer(last: int, cuda: Cuda, facts: Facts) -> bool:
    """Whether the build may have a newer compiler than *last*: the nixpkgs of the pin is known to
    have one, and the toolkit, if there is one, supports it."""
    if cuda.on and cuda.toolkit is not None:
        limit = _newest_gcc(cuda, facts) if cuda.toolkit.exact else None
        if limit is None or limit.gcc <= last:
            return False
    first = _FIRST_WITH.get(last + 1)
    release = facts.release_of(cuda.pin) if cuda.pin is not None else None
    return first is not None and release is not None and release.compare(Version(first)) >= 0


@dataclass(frozen=True, slots=True)
class _Limit:
    gcc: int
    row: RowValue


def _newer(words: Sequence[Word], cpu: Cpu, facts: Facts) -> Iterator[Needs]:
    """The flags that not every GCC knows. The facts of an axis value state its own flags."""
    spans = {word.text: word.span for word in words}
    left = dict(spans)
    for row in cpu.rows:
        flags = texts_fact(row, "flags") or ()
        oldest = whole_fact(row, "oldest-gcc")
        if flags and oldest is not None and all(flag in spans for flag in flags):
            for flag in flags:
                left.pop(flag, None)
            if oldest > _ANY_GCC:
                yield Needs(" ".join(flags), oldest, row, spans[flags[0]])
    if not left:
        return
    for row in facts.instruction_sets():
        flags = texts_fact(row, "flags") or ()
        oldest = whole_fact(row, "oldest-gcc") or 0
        if oldest > _ANY_GCC and flags and all(flag in left for flag in flags):
            yield Needs(" ".join(flags), oldest, row, left[flags[0]])
    for flag, span in left.items():
        found = facts.compiler_target(flag) if _names_cpu(flag) else None
        oldest = whole_fact(found, "oldest-gcc") or 0 if found is not None else 0
        if found is not None and oldest > _ANY_GCC:
            yield Needs(flag, oldest, found, span)


def _newest_gcc(cuda: Cuda, facts: Facts) -> _Limit | None:
    """The newest GCC that the toolkit supports."""
    assert cuda.toolkit is not None
    row = facts.toolkit(cuda.toolkit.first)
    limit = whole_fact(row, "max-gcc") if row is not None else None
    return _Limit(limit, row) if row is not None and limit is not None else None


def _of_flag(word: Word, cpu: Cpu, facts: Facts) -> Evidence | None:
    for row in cpu.rows:
        arch = text_fact(row, "arch")
        if arch is not None and word.text in (texts_fact(row, "flags") or ()):
            return Evidence(arch, word.text, word.span)
    if word.text.startswith(_X86) or word.text in _X86_WHOLE:
        return Evidence("x86_64", word.text, word.span)
    if word.text.startswith(_ARM):
        return Evidence("aarch64", word.text, word.span)
    known = facts.compiler_target(word.text) if _names_cpu(word.text) else None
    arch = text_fact(known, "arch") if known is not None else None
    return Evidence(arch, word.text, word.span) if arch is not None else None


def _of_row(row: RowValue) -> Evidence | None:
    """The evidence of an axis value with flags: its row states its architecture."""
    arch = text_fact(row, "arch")
    if arch is None or not texts_fact(row, "flags") or version_fact(row, "capability"):
        return None
    return Evidence(arch, row.name, None)


def _lacks(wanted: str, words: Sequence[Word], cpu: Cpu, facts: Facts) -> Evidence | None:
    """The evidence that the build is for x86 CPUs without the feature *wanted*, such as `avx2`: an
    axis value, or flags none of which is for a CPU that has it. None if there is no evidence.
    """
    for row in cpu.rows:
        features = texts_fact(row, "switches-on")
        if text_fact(row, "arch") == "x86_64" and features is not None and wanted not in features:
            return Evidence("x86_64", row.name, None)
        if features is not None:
            return None
    found: Evidence | None = None
    for word in words:
        able = _has(wanted, word.text, facts)
        if able is not False:
            return None  # it has it, or may have it
        found = found or Evidence("x86_64", word.text, word.span)
    return found


def _has(wanted: str, flag: str, facts: Facts) -> bool | None:
    """Whether *flag* alone selects CPUs that have the feature *wanted*."""
    row = facts.compiler_target(flag) if _names_cpu(flag) else None
    if row is not None:
        runs = texts_fact(row, "runs")
        if text_fact(row, "arch") != "x86_64" or runs is None:
            return None
        return wanted in runs
    row = facts.set_of_flag(flag)
    if row is None or text_fact(row, "arch") != "x86_64":
        return None
    return wanted in (texts_fact(row, "switches-on") or ())


def _names_cpu(flag: str) -> bool:
    return flag.startswith(("-march=", "-mcpu="))


@lint(
    "W130",
    "cpu-misnamed",
    "wrong CPU in a string",
    "a string names a CPU that the build does not run on",
)
def cpu_misnamed(cpu: Cpu, line: Line, facts: Facts) -> Iterator[Finding]:
    """A description that names a CPU without the instruction set of the build."""
    chips = facts.said(line.text).chips
    if not chips or not cpu.rows or line.aside or line.only_cuda:
        return
    sets = facts.instruction_sets_by_name()
    built = [row for row in cpu.rows if row.name in sets]
    if not built:
        return
    for chip in chips:
        best = sets.get(text_fact(chip, "best") or "")
        if best is None or any(_runs(best, row) for row in built):
            continue
        label = text_fact(chip, "label") or chip.name
        wanted = " and ".join(text_fact(row, "label") or row.name for row in built)
        yield Finding(
            line.span,
            quoted(line.text),
            f"{label} supports {text_fact(best, 'label') or best.name} at most, so a "
            f"build for {wanted} does not run on it {cite(chip)}",
            f"name CPUs that have {wanted}, or build for `{best.name}`",
            line=line,
        )


def _runs(best: RowValue, wanted: RowValue) -> bool:
    """Whether a CPU with *best* as its best instruction set runs builds for *wanted*."""
    return wanted.name == best.name or wanted.name in (texts_fact(best, "satisfies") or ())
