"""Machines are read as they answer, and what they do not answer is said."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.effort import for_each
from support.hosts import DATA, MADE, FakeMachine, made, recorded
from support.library_cache import whole_library
from tvarc.advice.hosts import machine
from tvarc.advice.hosts.capability import gfx_of
from tvarc.advice.hosts.description import BadDescription, read_description
from tvarc.advice.hosts.detect import (
    ARM,
    INTEL,
    describe,
    kfd_properties,
    parse_cpuinfo,
    parse_sysctl,
)
from tvarc.advice.hosts.machine import Ran, ThisMachine
from tvarc.advice.hosts.nvidia_smi import parse_nvidia_smi
from tvarc.values.plain import json_text
from tvarc.values.row_facts import texts_fact

M2 = """\
sysctl.proc_translated: 0
machdep.cpu.brand_string: Apple M2
hw.optional.floatingpoint: 1
hw.optional.AdvSIMD: 1
hw.optional.armv8_crc32: 1
hw.optional.arm.FEAT_LSE: 1
hw.optional.arm.FEAT_RDM: 1
hw.optional.arm.FEAT_FP16: 1
hw.optional.arm.FEAT_DotProd: 1
hw.optional.arm.FEAT_DPB: 1
hw.optional.arm.FEAT_SME: 0
"""


def test_the_recorded_hosts() -> None:
    epyc = recorded("epyc-no-gpu")
    assert (epyc.platform, epyc.cpu, epyc.gpus) == ("x86_64-linux", "AMD EPYC", ())
    assert {"avx512_bf16", "avx512_vnni"} <= set(epyc.flags)
    assert epyc.notes == ("tvarc assumes no NVIDIA GPU: there is no nvidia-smi",)
    h200 = recorded("h200-sapphire-rapids")
    (gpu,) = h200.gpus
    assert (gpu.name, gpu.target) == ("NVIDIA H200", "9.0")
    assert gpu.driver is not None and gpu.driver.text == "580.159.04"
    assert {"amx_tile", "avx512_fp16"} <= set(h200.flags) and h200.notes == ()


def test_cores_that_differ_have_what_all_have() -> None:
    text = "Features : fp asimd sve\nCPU implementer : 0x41\nCPU part : 0xd85\n\n"
    text += "Features : fp asimd\nCPU implementer : 0x41\nCPU part : 0xd87\n"
    cpu = parse_cpuinfo(text)
    assert cpu.flags == ("asimd", "fp")
    assert cpu.model == "implementer 0x41, part 0xd85 + implementer 0x41, part 0xd87"
    assert parse_cpuinfo("CPU part : 0xd85\n").model == "implementer ?, part 0xd85"


@pytest.mark.parametrize("text", ["", "\n\n", "nothing to see", "flags\n", "flags :\n"])
def test_no_cpuinfo(text: str) -> None:
    assert parse_cpuinfo(text).flags == ()
    host = describe(FakeMachine({"/proc/cpuinfo": text}))
    assert host.notes[0] == "the CPU's features are unknown: /proc/cpuinfo lists none"
    assert host.cpu == ""


def test_a_cpuinfo_that_cannot_be_read() -> None:
    host = describe(FakeMachine())
    assert host.notes == (
        "the CPU's features are unknown: /proc/cpuinfo cannot be read",
        "tvarc assumes no NVIDIA GPU: there is no nvidia-smi",
    )


@for_each(
    "said, arch",
    [
        ("AMD64", "x86_64"),
        ("x64", "x86_64"),
        ("arm64", "aarch64"),
        ("aarch64", "aarch64"),
        ("x86_64", "x86_64"),
        ("riscv64", "riscv64"),
    ],
)
def test_what_nix_calls_an_architecture(said: str, arch: str) -> None:
    host = describe(FakeMachine({"/proc/cpuinfo": "flags : avx"}, cpu=said))
    assert host.platform == f"{arch}-linux"


@for_each(
    "told, driver",
    [
        ("580.65.06", "580.65.06"),
        ("580.65.06-open", "580.65.06"),
        ("560.94 (WSL)", "560.94"),
        ("540.4.0", "540.4.0"),
        ("580", "580"),
        ("[N/A]", None),
        ("N/A", None),
        ("", None),
        ("0", None),
        ("1.2.3.4.5", None),
        ("9" * 5000, None),
    ],
)
def test_drivers(told: str, driver: str | None) -> None:
    ((gpu,), notes) = parse_nvidia_smi(f"NVIDIA H200, 9.0, {told}\n")
    assert (gpu.driver.text if gpu.driver else None, notes) == (driver, ())


@pytest.mark.slow
@given(st.text())
def test_any_answer_of_nvidia_smi_is_read(text: str) -> None:
    gpus, notes = parse_nvidia_smi(text)
    # An answer may have no more than its header, which has the field `name`.
    said = [line for line in text.splitlines() if line.strip() and "name" not in line]
    assert gpus or notes or not said


@given(st.text(st.sampled_from("flagsFetures:\t avx2\n")))
def test_any_cpuinfo_is_read(text: str) -> None:
    flags = parse_cpuinfo(text).flags
    assert list(flags) == sorted(set(flags)) and all(flag.split() == [flag] for flag in flags)


@pytest.mark.slow
def test_garbage_is_not_repeated_without_end() -> None:
    gpus, notes = parse_nvidia_smi("X, 9,0, 580.1\n" * 100_000)
    assert gpus == () and len(notes) == 9
    assert notes[0].endswith("missing: X, 9,0, 580.1")  # commas of another locale
    assert notes[-1] == "nvidia-smi has 99992 more lines of that kind"


def test_a_failure_that_comes_with_an_answer() -> None:
    ran = Ran("NVIDIA H200, 9.0, 580.1\n", "nvidia-smi failed: infoROM is corrupted")
    host = describe(FakeMachine({"/proc/cpuinfo": "flags : avx"}, {"nvidia-smi": ran}))
    assert [gpu.name for gpu in host.gpus] == ["NVIDIA H200"]
    assert host.notes == ("there may be more GPUs: nvidia-smi failed: infoROM is corrupted",)


class OldMachine(FakeMachine):
    """One whose nvidia-smi, as that of driver 470, knows no field for the capability."""

    def run(self, command: Sequence[str]) -> Ran:
        if "compute_cap" in command[1]:
            text = 'Field "compute_cap" is not a valid field to query.\n'
            return Ran(text, f"nvidia-smi failed: {text.strip()}")
        return Ran("NVIDIA GeForce GTX 1080\nNVIDIA GeForce GTX 1080\n")


def test_an_old_nvidia_smi() -> None:
    host = describe(OldMachine({"/proc/cpuinfo": "flags : avx"}))
    assert host.gpus == ()
    assert host.notes == (
        "NVIDIA GeForce GTX 1080 is skipped: this nvidia-smi does not print compute "
        "capabilities; add it to a description of the host",
    )


class NamelessMachine(OldMachine):
    """One whose nvidia-smi tells no names either."""

    def run(self, command: Sequence[str]) -> Ran:
        return super().run(command) if "compute_cap" in command[1] else Ran("\n")


def test_an_old_nvidia_smi_that_tells_no_names() -> None:
    host = describe(NamelessMachine({"/proc/cpuinfo": "flags : avx"}))
    assert [note.partition(":")[0] for note in host.notes] == ["a GPU is skipped"]


@pytest.mark.slow
def test_amd_gpus() -> None:
    def node(number: int, version: int) -> tuple[str, str]:
        return kfd_properties(number), f"cpu_cores_count 0\ngfx_target_version {version}\nx 1\n"

    versions = {90010: "gfx90a", 90402: "gfx942", 100306: "gfx1036", 110003: "gfx1103",
                110501: "gfx1151", 120001: "gfx1201"}  # fmt: skip
    for version, target in versions.items():
        # Node 0 is a CPU, and a container may not see all.
        files = dict([("/proc/cpuinfo", "flags : avx"), node(0, 0), node(3, version)])
        host = describe(FakeMachine(files))
        assert [(gpu.gfx, gpu.capability) for gpu in host.gpus] == [(target, None)]
        assert gfx_of(target) == target
        assert read_description(json_text(host)) == host
    rows = whole_library().tables["amd"].rows
    assert set(versions.values()) & set(rows)


def test_gpus_that_tell_too_little() -> None:
    text = "Tesla K80, [N/A], 470.1\nA, 9.0, [N/A]\n\njunk\nB, 8.9, 580.65.06\nC, 9.0\n"
    gpus, notes = parse_nvidia_smi(text)
    assert [(gpu.name, gpu.driver and gpu.driver.text) for gpu in gpus] == [
        ("A", None),
        ("B", "580.65.06"),
    ]
    told = "a GPU is skipped, because its compute capability is missing: "
    assert notes == (f"{told}Tesla K80, [N/A], 470.1", f"{told}junk", f"{told}C, 9.0")


def test_of_a_strange_line_the_beginning_is_told() -> None:
    ((), (note,)) = parse_nvidia_smi(f"  {'x' * 500}  \n")
    assert note.endswith(f"missing: {'x' * 120}")
    gpus, notes = parse_nvidia_smi("y\n" * 8)
    assert (gpus, len(notes)) == ((), 8)


def test_the_header_of_nvidia_smi_is_no_gpu() -> None:
    text = "name, compute_cap, driver_version\nNVIDIA H200, 9.0, 580.1\n"
    gpus, notes = parse_nvidia_smi(text)
    assert ([gpu.name for gpu in gpus], notes) == (["NVIDIA H200"], ())


@pytest.mark.parametrize(
    ("ran", "note"),
    [
        (Ran(), "no NVIDIA GPU: nvidia-smi lists none"),
        (
            Ran(fault="nvidia-smi failed: no driver"),
            "tvarc assumes no NVIDIA GPU: nvidia-smi failed: no driver",
        ),
    ],
)
def test_no_gpu_is_said(ran: Ran, note: str) -> None:
    host = describe(FakeMachine({"/proc/cpuinfo": "flags : avx"}, {"nvidia-smi": ran}))
    assert (host.gpus, host.notes) == ((), (note,))


def test_a_mac() -> None:
    host = describe(FakeMachine({}, {"sysctl": Ran(M2)}, "Darwin", "arm64"))
    assert (host.platform, host.cpu) == ("aarch64-darwin", "Apple M2")
    assert host.flags == made("apple-m2").flags
    translated = M2.replace("translated: 0", "translated: 1")
    host = describe(FakeMachine({}, {"sysctl": Ran(translated)}, "Darwin", "x86_64"))
    assert host.platform == "aarch64-darwin"


def test_a_mac_that_answers_in_part_is_described_by_what_it_says() -> None:
    ran = Ran(M2, "sysctl failed: no such name")
    host = describe(FakeMachine({}, {"sysctl": ran}, "Darwin", "arm64"))
    assert (host.flags, host.notes) == (made("apple-m2").flags, ())
    host = describe(FakeMachine({}, {"sysctl": Ran("")}, "Darwin", "arm64"))
    assert host.notes == ("the CPU's features are unknown: sysctl lists none",)


@pytest.mark.parametrize("row", ["armv8_2", "armv9", "x86-64-v4", "avx512vnni"])
def test_a_mac_can_tell_all_that_builds_ask_for(row: str) -> None:
    """But for SVE, which no Mac has, and which Darwin has no name for."""
    rows = whole_library().tables["cpu"].rows
    needed = set(texts_fact(rows[row], "cpuinfo") or ())
    arm = "".join(f"{name}: 1\n" for name in ARM)
    intel = f"machdep.cpu.features: {' '.join(INTEL)}\n"
    told = set(parse_sysctl(arm + intel).flags)
    assert {word for word in needed - told if not word.startswith("sve")} == set()
    assert parse_sysctl(arm.replace(": 1", ": 0")).flags == ()


def test_an_intel_mac() -> None:
    text = "machdep.cpu.features: FPU SSE3 AVX1.0 FMA\nmachdep.cpu.leaf7_features: AVX2 BMI1\n"
    host = describe(FakeMachine({}, {"sysctl": Ran(text)}, "Darwin", "x86_64"))
    assert host.flags == ("avx", "avx2", "bmi1", "fma", "pni")
    host = describe(FakeMachine({}, {}, "Darwin", "x86_64"))
    assert host.notes == ("the CPU's features are unknown: there is no sysctl",)


def test_this_machine_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    here = ThisMachine()
    assert here.system() and here.arch()
    assert here.read("/nowhere/at/all") is None
    gone = here.run(["tvarc-no-such-program"])
    assert (gone.fault, gone.missing) == ("there is no tvarc-no-such-program", True)
    assert here.run([sys.executable, "-c", "print('x')"]).output.strip() == "x"
    failed = here.run([sys.executable, "-c", "import sys; sys.exit('no driver')"])
    assert failed.fault == f"{sys.executable} failed: no driver"
    assert here.run(["/"]).fault.startswith("/ cannot be run: ")
    monkeypatch.setattr(machine, "TIMEOUT", 0.05)
    slow = here.run([sys.executable, "-c", "import time; time.sleep(9)"])
    assert slow.fault.endswith("did not answer within 0.05 seconds") and not slow.missing
    assert describe(here).flags == describe(here).flags


def test_programs_speak_one_language_and_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert ThisMachine().run(["sh", "-c", "echo $LC_ALL"]).output == "C\n"
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho here\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(machine, "ALSO", (str(tmp_path),))
    monkeypatch.setenv("PATH", "/nowhere")  # that of a bare shell
    assert ThisMachine().run(["nvidia-smi"]).output == "here\n"


def test_a_failure_keeps_what_was_printed() -> None:
    failed = ThisMachine().run([sys.executable, "-c", "print('x'); exit(14)"])
    assert failed == Ran("x\n", f"{sys.executable} failed: x")
    assert ThisMachine().run(["sh", "-c", "kill -9 $$"]).fault == "sh failed with code -9"
    unreadable = ThisMachine().run(["sh", "-c", r"printf '\377x'"])
    assert unreadable == Ran("\ufffdx")


@pytest.mark.slow
def test_a_program_that_never_ends_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    began = time.monotonic()
    endless = ThisMachine().run([sys.executable, "-c", "while True: print('x' * 4096)"])
    assert endless == Ran(fault=f"{sys.executable} prints without end")
    monkeypatch.setattr(machine, "TIMEOUT", 0.5)
    # What it started itself is stopped as well.
    mark = tmp_path / "mark"
    slow = ThisMachine().run(["sh", "-c", f"echo first; (sleep 2; touch {mark}) & wait"])
    assert (slow.output, "did not answer" in slow.fault) == ("first\n", True)
    # A program that closes its output and goes on does not keep us either.
    silent = ThisMachine().run(["sh", "-c", "exec >&- 2>&-; sleep 30"])
    assert "did not answer" in silent.fault
    assert time.monotonic() - began < 10
    time.sleep(2)
    assert not mark.exists()


def test_half_a_line_of_a_huge_file_is_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "MOST_READ", 30)
    (tmp_path / "cpuinfo").write_text("flags : avx avx2\n" * 9, encoding="utf-8")
    text = ThisMachine().read(str(tmp_path / "cpuinfo"))
    assert text == "flags : avx avx2"
    assert parse_cpuinfo(text).flags == ("avx", "avx2")


@for_each("name", MADE)
def test_a_description_is_read_as_it_was_written(name: str) -> None:
    host = made(name)
    assert read_description(json_text(host)) == host
    assert host.made and host.facts


@for_each("name", MADE)
def test_made_hosts_are_made_of_the_facts_they_name(name: str) -> None:
    facts = json.loads((DATA / "facts.json").read_text(encoding="utf-8"))
    host = made(name)
    flags: set[str] = set()
    gpus: list[str] = []
    drivers: list[str | None] = []
    for fact in host.facts:
        kind, _, id = fact.partition(": ")
        match kind:
            case "isa" if id.startswith("without "):
                flags.discard(id.removeprefix("without "))
            case "isa":
                flags.update(facts["cpu"][id])
            case "gpu":
                gpus.append(facts["gpu"][id])
            case "driver":
                drivers.append(facts["driver"][id.removeprefix("first of CUDA ")])
    assert set(host.flags) == flags
    assert [gpu.target for gpu in host.gpus] == gpus
    assert {gpu.driver.text for gpu in host.gpus if gpu.driver} == set(drivers)


GOOD = {
    "schema": "tvarc-host/1",
    "system": "linux",
    "arch": "x86_64",
    "cpu": {"model": "", "flags": []},
    "gpus": [{"name": "A", "capability": "9.0", "driver": None}],
}


@for_each(
    "change, message",
    [
        ({"schema": "tvarc-host/2"}, '`schema` has to be "tvarc-host/1"'),
        ({"arch": 1}, "`arch` has to be a string"),
        ({"cpu": []}, "`cpu` has to be an object"),
        ({"cpu": {"model": "", "flags": "avx"}}, "`cpu.flags` has to be a list"),
        ({"cpu": {"model": "", "flags": [1]}}, "`cpu.flags` has to be a list of strings"),
        ({"gpus": {}}, "`gpus` has to be a list"),
        ({"gpus": [None]}, "`gpus[0]` has to be an object"),
        (
            {"gpus": [{"name": "A", "capability": "sm90", "driver": None}]},
            '`gpus[0].capability` has to be such as "9.0"',
        ),
        (
            {"gpus": [{"name": "A", "capability": "9.0a", "driver": None}]},
            '`gpus[0].capability` has to be such as "9.0"',
        ),
        (
            {"gpus": [{"name": "A", "capability": "9.0", "driver": "new"}]},
            '`gpus[0].driver` has to be null or such as "580.65.06"',
        ),
        ({"colour": "red"}, "`colour` is not a key of tvarc-host/1"),
        (
            {"cpu": {"model": "", "flags": [], "cores": 8}},
            "`cpu.cores` is not a key of tvarc-host/1",
        ),
        ({"cpu": {"model": "", "flags": ["avx avx2"]}}, "`cpu.flags[0]` has to be one word"),
        ({"cpu": {"model": "", "flags": [""]}}, "`cpu.flags[0]` has to be one word"),
        ({"arch": "arm64"}, '`arch` has to be "aarch64", as Nix calls arm64'),
        ({"arch": "x86_64-linux"}, '`arch` has to be such as "x86_64" or "aarch64"'),
        ({"arch": ""}, '`arch` has to be such as "x86_64" or "aarch64"'),
        ({"system": "Linux"}, '`system` has to be such as "linux" or "darwin"'),
        ({"system": "\ud800"}, '`system` has to be such as "linux" or "darwin"'),
        ({"made": "yes"}, "`made` has to be true or false"),
        ({"made": float("nan")}, "it is not JSON: NaN is not a number"),
        (
            {"gpus": [{"name": "A", "capability": "9.0"}]},
            '`gpus[0].driver` has to be null or such as "580.65.06"',
        ),
        (
            {"gpus": [{"name": "A", "capability": "9.00", "driver": None}]},
            '`gpus[0].capability` has to be such as "9.0"',
        ),
        (
            {"gpus": [{"name": "A", "capability": "9.0", "driver": "580.1beta"}]},
            '`gpus[0].driver` has to be null or such as "580.65.06"',
        ),
        (
            {"gpus": [{"name": "A", "capability": "9.0", "driver": None, "memory": 1}]},
            "`gpus[0].memory` is not a key of tvarc-host/1",
        ),
        ({"gpus": [{"capability": "9.0"}]}, "`gpus[0].name` has to be a string"),
        ({"gpus": [{"name": "A"}]}, "`gpus[0].capability` has to be a string"),
        (
            {"gpus": [{"name": "A", "capability": "9.0", "driver": ""}]},
            '`gpus[0].driver` has to be null or such as "580.65.06"',
        ),
        ({"gpus": [{"name": "A", "gfx": 90}]}, "`gpus[0].gfx` has to be a string"),
        ({"cpu": {"flags": []}}, "`cpu.model` has to be a string"),
        ({"cpu": {"model": ""}}, "`cpu.flags` has to be a list"),
        ({"gpus": [{"name": "A", "gfx": "90a"}]}, '`gpus[0].gfx` has to be such as "gfx90a"'),
        (
            {"gpus": [{"name": "A", "gfx": "gfx90a", "driver": None}]},
            "`gpus[0].driver` is not a key of tvarc-host/1",
        ),
        (
            {"gpus": [{"name": "A", "gfx": "gfx90a"}] * 1025},
            "`gpus` has 1025 items, 1024 is the most",
        ),
    ],
)
def test_bad_descriptions(change: dict[str, object], message: str) -> None:
    read_description(json.dumps(GOOD))
    with pytest.raises(BadDescription) as caught:
        read_description(json.dumps({**GOOD, **change}))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "it has to be an object"),
        ("null", "it has to be an object"),
        ("[" * 200_000, "it is not JSON: it is nested too deeply"),
    ],
)
def test_what_a_description_has_to_be(text: str, message: str) -> None:
    with pytest.raises(BadDescription) as caught:
        read_description(text)
    assert str(caught.value) == message


def test_what_a_description_may_leave_out() -> None:
    host = read_description(json.dumps(GOOD))
    assert (host.notes, host.made, host.facts) == ((), False, ())
    for key in ("notes", "facts"):
        host = read_description(json.dumps({**GOOD, key: ["b", "a"]}))
        assert getattr(host, key) == ("b", "a")
        with pytest.raises(BadDescription) as caught:
            read_description(json.dumps({**GOOD, key: [1]}))
        assert str(caught.value) == f"`{key}` has to be a list of strings"
    for key in GOOD:
        with pytest.raises(BadDescription) as caught:
            read_description(json.dumps({k: v for k, v in GOOD.items() if k != key}))
        assert str(caught.value).startswith(f"`{key}` has to be ")


@for_each("text", ["", "[", "[" * 200_000, "nope", "[]", "null", '{"schema": NaN}'])
def test_what_is_no_description_at_all(text: str) -> None:
    with pytest.raises(BadDescription):
        read_description(text)


def test_what_json_alone_lets_pass() -> None:
    text = json.dumps(GOOD)
    with pytest.raises(BadDescription, match="`gpus` is twice in one object"):
        read_description(text[:-1] + ', "gpus": []}')
    with pytest.raises(BadDescription, match="it has a number of too many digits"):
        read_description('{"schema": ' + "9" * 10_000 + "}")
    assert read_description("\ufeff" + text) == read_description(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*GOOD, "notes", "made", "facts"]), JSON))
def test_any_json_is_read_or_refused(change: dict[str, object]) -> None:
    try:
        host = read_description(json.dumps({**GOOD, **change}))
    except BadDescription as fault:
        assert str(fault)
    else:
        assert read_description(json_text(host)) == host
