"""Machines are read as they answer, and what they do not answer is said."""

from __future__ import annotations

import json
import sys

import pytest

from support.hosts import DATA, MADE, FakeMachine, made, recorded
from tvarc.hosts import machine
from tvarc.hosts.cpuinfo import parse_cpuinfo
from tvarc.hosts.description import BadDescription, host_data, read_description
from tvarc.hosts.detect import describe
from tvarc.hosts.machine import Ran, ThisMachine
from tvarc.hosts.nvidia_smi import parse_nvidia_smi

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
    assert epyc.notes == ("no NVIDIA GPU is assumed: there is no nvidia-smi",)
    h200 = recorded("h200-sapphire-rapids")
    (gpu,) = h200.gpus
    assert (gpu.name, gpu.capability.text) == ("NVIDIA H200", "9.0")
    assert gpu.driver is not None and gpu.driver.text == "580.159.04"
    assert {"amx_tile", "avx512_fp16"} <= set(h200.flags) and h200.notes == ()


def test_cores_that_differ_have_what_all_have() -> None:
    text = "Features : fp asimd sve\nCPU implementer : 0x41\nCPU part : 0xd85\n\n"
    text += "Features : fp asimd\nCPU implementer : 0x41\nCPU part : 0xd87\n"
    cpu = parse_cpuinfo(text)
    assert cpu.flags == ("asimd", "fp")
    assert cpu.model == "implementer 0x41, part 0xd85 + implementer 0x41, part 0xd87"


@pytest.mark.parametrize("text", ["", "\n\n", "nothing to see", "flags\n", "flags :\n"])
def test_no_cpuinfo(text: str) -> None:
    assert parse_cpuinfo(text).flags == ()
    host = describe(FakeMachine({"/proc/cpuinfo": text}))
    assert host.notes[0] == "the CPU's features are unknown: /proc/cpuinfo lists none"


def test_gpus_that_tell_too_little() -> None:
    text = "Tesla K80, [N/A], 470.1\nA, 9.0, [N/A]\n\njunk\nB, 8.9, 580.65.06\nC, 9.0\n"
    gpus, notes = parse_nvidia_smi(text)
    assert [(gpu.name, gpu.driver and gpu.driver.text) for gpu in gpus] == [
        ("A", None),
        ("B", "580.65.06"),
    ]
    assert len(notes) == 3 and "Tesla K80" in notes[0]


@pytest.mark.parametrize(
    ("ran", "note"),
    [
        (Ran(), "no NVIDIA GPU: nvidia-smi lists none"),
        (
            Ran(fault="nvidia-smi failed: no driver"),
            "no NVIDIA GPU is assumed: nvidia-smi failed: no driver",
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
    assert here.run(["tvarc-no-such-program"]).fault == "there is no tvarc-no-such-program"
    assert here.run([sys.executable, "-c", "print('x')"]).output.strip() == "x"
    failed = here.run([sys.executable, "-c", "import sys; sys.exit('no driver')"])
    assert failed.fault == f"{sys.executable} failed: no driver"
    assert here.run(["/"]).fault.startswith("/ cannot be run: ")
    monkeypatch.setattr(machine, "_TIMEOUT", 0.05)
    slow = here.run([sys.executable, "-c", "import time; time.sleep(9)"])
    assert "did not answer" in slow.fault
    assert describe(here).flags == describe(here).flags


@pytest.mark.parametrize("name", MADE)
def test_a_description_is_read_as_it_was_written(name: str) -> None:
    host = made(name)
    assert read_description(json.dumps(host_data(host))) == host
    assert host.made and host.facts


@pytest.mark.parametrize("name", MADE)
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
    assert [gpu.capability.text for gpu in host.gpus] == gpus
    assert {gpu.driver.text for gpu in host.gpus if gpu.driver} == set(drivers)


GOOD = {
    "schema": "tvarc-host/1",
    "system": "linux",
    "arch": "x86_64",
    "cpu": {"model": "", "flags": []},
    "gpus": [{"name": "A", "capability": "9.0", "driver": None}],
}


@pytest.mark.parametrize(
    ("change", "message"),
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
        ({"colour": "red"}, "`colour` is no key of tvarc-host/1"),
    ],
)
def test_bad_descriptions(change: dict[str, object], message: str) -> None:
    read_description(json.dumps(GOOD))
    with pytest.raises(BadDescription) as caught:
        read_description(json.dumps({**GOOD, **change}))
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["", "[", "[" * 200_000, "nope", "[]", "null", '{"schema": NaN}'])
def test_what_is_no_description_at_all(text: str) -> None:
    with pytest.raises(BadDescription):
        read_description(text)
