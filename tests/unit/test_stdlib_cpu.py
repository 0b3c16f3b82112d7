"""`std.cpu` and `std.gcc` against the collected facts, and as an order.

Compilers are asked in `facts/`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from support.effort import for_each
from support.library import MARKS, collected, fact, rows, text, texts
from tvarc.values.value import RowValue

ISA = collected("isa")
ENTRIES = {entry["id"]: entry for entry in [*ISA["x86"], *ISA["arm"]]}
ROWS = rows("cpu", "cpu")
SOCS = rows("cpu", "cpu-soc")
TARGETS = rows("gcc", "gcc-target")
ACCEPTANCE: dict[str, dict[str, dict[str, str]]] = ISA["flag_acceptance"]


def name_of(id: str) -> str:
    """A row's name is an id without dots and pluses."""
    return id.replace(".", "_").replace("+", "-")


def expanded(id: str, field: str) -> list[str]:
    """`<avx512>` and its like stand for the words of another row; brackets hold remarks."""
    written = ENTRIES[id][field]
    words: list[str] = (
        re.sub(r" \(.*", "", written).split() if isinstance(written, str) else written
    )
    found: list[str] = []
    for word in words:
        found += expanded(word.strip("<>"), field) if word.startswith("<") else [word]
    return found


def oldest(flags: Iterable[str], arch: str) -> int:
    """The oldest GCC that accepted all *flags* when they were tried."""
    tried = [ACCEPTANCE[arch][flag] for flag in flags]
    releases = sorted(map(int, tried[0]))
    return min(n for n in releases if all(one[str(n)].startswith("accepted") for one in tried))


def test_instruction_sets_are_those_of_the_facts() -> None:
    assert list(ROWS) == [name_of(id) for id in ENTRIES]


@for_each("id", ENTRIES)
def test_an_instruction_set_has_the_facts(id: str) -> None:
    row, entry = ROWS[name_of(id)], ENTRIES[id]
    arch = "x86_64" if entry in ISA["x86"] else "aarch64"
    assert sorted(texts(row, "flags")) == sorted(expanded(id, "gcc_flags"))
    assert texts(row, "cpuinfo") == expanded(id, "cpuinfo_all_of")
    assert (fact(row, "cpuinfo") is None) == (entry["cpuinfo_all_of"] == [])
    assert texts(row, "switches-on") == entry["gcc_switches_on"]
    assert text(row, "arch") == arch
    assert text(row, "platform") == f"{arch}-linux"
    assert fact(row, "oldest-gcc") == int(entry["gcc_min_tested"].removeprefix("<="))
    assert text(row, "mark") == MARKS[entry["confidence"]]
    assert entry["note"] in (text(row, "note") or "")
    told = text(row, "generations") or ""
    for maker in ("first_intel", "first_amd"):
        first = re.match(r"[A-Z]\w+(?: Lake| Rapids| Bridge|-SP| \d)?", entry.get(maker) or "")
        assert first is None or first[0] in told, maker


@for_each("id", ENTRIES)
def test_the_oldest_compiler_is_the_one_that_was_tried(id: str) -> None:
    row = ROWS[name_of(id)]
    flags, arch = texts(row, "flags"), text(row, "arch") or ""
    if all(flag in ACCEPTANCE[arch] for flag in flags):
        assert fact(row, "oldest-gcc") == oldest(flags, arch)
    else:
        assert flags == ["-march=armv8.4-a+sve"]


# --- the lattice ---------------------------------------------------------------------------------

BELOW = {name: set(texts(row, "satisfies")) for name, row in ROWS.items()}


def test_the_order_is_irreflexive_as_written_and_names_rows() -> None:
    for name, below in BELOW.items():
        assert below <= ROWS.keys() - {name}, name


def test_the_order_is_transitive_as_written() -> None:
    for name, below in BELOW.items():
        assert all(BELOW[other] <= below for other in below), name


def test_the_order_is_antisymmetric() -> None:
    for name, below in BELOW.items():
        assert not [other for other in below if name in BELOW[other]], name


def test_the_order_keeps_to_one_architecture() -> None:
    for name, below in BELOW.items():
        assert {text(ROWS[other], "arch") for other in below} <= {text(ROWS[name], "arch")}


def test_rows_stand_after_what_they_satisfy() -> None:
    seen: set[str] = set()
    for name, below in BELOW.items():
        assert below <= seen, name
        seen.add(name)


def test_the_order_holds_what_the_facts_imply() -> None:
    remarks = ("x86-64 ", "x86-64", "nothing", "AVX512 set")
    for id, entry in ENTRIES.items():
        for told in entry["implies"]:
            named = told.partition(" ")[0]
            if named in ENTRIES:
                assert name_of(named) in BELOW[name_of(id)], f"{id}: {told}"
            else:
                assert told.startswith(remarks), told


def test_the_order_is_that_of_the_facts_between_builds() -> None:
    chain = ["avx", "avx2", "avx512", "avx512vnni", "avx512bf16"]
    for number, name in enumerate(chain):
        assert BELOW[name] == set(chain[:number])


def test_every_cpu_that_gcc_knows_respects_the_order() -> None:
    """What a real CPU runs is closed downward, as far as the facts tell of the rows at all."""
    told = {word for row in TARGETS.values() for word in texts(row, "runs")}
    for row in TARGETS.values():
        runs = set(texts(row, "runs"))
        for name in runs:
            assert BELOW[name] & told <= runs, f"{row.name}: {name}"


def test_higher_rows_need_no_less_of_a_host_where_the_facts_say_so() -> None:
    for name in ("x86-64-v3", "x86-64-v4", "avx512vnni", "avx512bf16", "avx512fp16",
                 "armv8_4-sve", "armv9"):  # fmt: skip
        lower = {"x86-64-v3": "avx2", "x86-64-v4": "avx512", "armv8_4-sve": "armv8_2",
                 "armv9": "armv8_4-sve"}.get(name, "avx512")  # fmt: skip
        assert set(texts(ROWS[lower], "cpuinfo")) < set(texts(ROWS[name], "cpuinfo"))


# --- systems on a chip, and the names that GCC has ------------------------------------------------


def test_systems_are_those_of_the_facts() -> None:
    told = [entry["soc"] for entry in ISA["arm_cpus"]]
    labels = [text(row, "label") or "" for row in SOCS.values()]
    assert labels == told


@for_each("row", SOCS.values())
def test_a_system_has_the_facts(row: RowValue) -> None:
    label = text(row, "label") or ""
    entry = next(e for e in ISA["arm_cpus"] if e["soc"] == label)
    (flag,) = texts(row, "flags")
    assert text(row, "core") == (entry["core"] and entry["core"].partition(" (U)")[0])
    assert text(row, "architecture") == entry["architecture"]
    assert flag.removeprefix("-mcpu=")[:7] in entry["gcc_mcpu"]
    assert fact(row, "oldest-gcc") == oldest([flag], "aarch64")
    best = text(row, "best") or ""
    assert entry["best_variant"].startswith(next(id for id in ENTRIES if name_of(id) == best))
    assert text(row, "mark") == MARKS[entry["confidence"]]
    assert text(row, "platform") == ("aarch64-darwin" if "Apple" in label else "aarch64-linux")
    for other in texts(row, "older-flags"):
        assert oldest([other], "aarch64") <= oldest([flag], "aarch64")


@for_each("row", TARGETS.values())
def test_a_name_of_gcc_has_the_facts(row: RowValue) -> None:
    flag, arch = text(row, "flag") or "", text(row, "arch") or ""
    name = flag.partition("=")[2]
    assert row.name == f"gcc-{name}"
    tried = ACCEPTANCE[arch].get(flag)
    assert fact(row, "oldest-gcc") == (oldest([flag], arch) if tried else None)
    told = ISA["x86_target_satisfies" if arch == "x86_64" else "arm_target_satisfies"].get(name)
    runs = None if told is None else [name_of(id) for id in told]
    if runs is not None and arch == "aarch64":
        runs = ["armv8-a", *runs]
    assert (None if fact(row, "runs") is None else texts(row, "runs")) == runs


def test_no_name_of_gcc_is_left_out() -> None:
    flags = {text(row, "flag") for row in TARGETS.values()}
    for arch, option in (("x86_64", "-march="), ("aarch64", "-mcpu=")):
        told = {flag for flag in ACCEPTANCE[arch] if flag.startswith(option)}
        assert told - {"-march=x86-64"} <= flags | {"-march=x86-64"}
