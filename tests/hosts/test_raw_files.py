"""`pick --cpuinfo FILE --nvidia-smi FILE`: a host without tvarc, by what its programs say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import tvarc
from support.effort import for_each
from support.hosts import DATA, FakeMachine
from tvarc.advice.hosts.detect import describe
from tvarc.advice.hosts.machine import Ran
from tvarc.advice.hosts.nvidia_smi import COMMAND, QUERY, cuda_version, parse_nvidia_smi
from tvarc.commands.line import exits
from tvarc.values.value import Version

RECORDED, RAW = DATA / "recorded", DATA / "raw"
H200 = str(RECORDED / "h200-sapphire-rapids.cpuinfo")
PROGRAM = """
use std.nvidia
use std.cpu
use std.cuda
axis gpu     = nvidia[sm87, sm89, sm90]
axis toolkit = cuda-toolkit[cuda12_6, cuda12_9, cuda13_0]
recipe r { package = pkgs.hello, pin = none }
matrix m { recipe = r, axes = gpu * toolkit, name = "{{gpu}}-{{toolkit}}" }
output o { file = "{{variant}}.nix" }
"""


def described(cpuinfo: str, smi: str | None = None) -> dict[str, object]:
    words = ["--cpuinfo", cpuinfo, *(["--nvidia-smi", smi] if smi is not None else [])]
    result = tvarc("pick", "--describe", *words, code=exits.OK)
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_files_of_a_recorded_host() -> None:
    """The answer to a query, with its header and with a field more."""
    found = described(H200, str(RECORDED / "h200-sapphire-rapids.nvidia-smi.csv"))
    assert (found["system"], found["arch"]) == ("linux", "x86_64")
    assert found["gpus"] == [{"name": "NVIDIA H200", "capability": "9.0", "driver": "580.159.04"}]
    assert found["notes"] == []
    alone = described(str(RECORDED / "epyc-no-gpu.cpuinfo"))
    assert alone["gpus"] == [] and "no output of nvidia-smi was given" in str(alone["notes"])


def test_the_csv_of_a_jetson(tmp_path: Path) -> None:
    cpuinfo, smi = tmp_path / "cpuinfo", tmp_path / "smi.csv"
    cpuinfo.write_text("processor : 0\nFeatures : fp asimd atomics\n", encoding="utf-8")
    smi.write_text("Orin (nvgpu), 8.7, 540.4.0\n", encoding="utf-8")
    found = described(str(cpuinfo), str(smi))
    assert found["arch"] == "aarch64"
    assert found["gpus"] == [{"name": "Orin (nvgpu)", "capability": "8.7", "driver": "540.4.0"}]
    program = tmp_path / "p.tvar"
    program.write_text(PROGRAM, encoding="utf-8")
    result = tvarc("pick", str(program), "--cpuinfo", str(cpuinfo), "--nvidia-smi", str(smi))
    assert result.exit_code == exits.OK, result.output
    assert "1. sm87-cuda12_6\n" in result.stdout


@pytest.mark.parametrize("name", ["orin-jetpack-6", "wsl"])
def test_a_table_is_refused_with_the_query_to_run(name: str) -> None:
    """[E905]. The command is the one that `pick` itself runs, with a header."""
    table = str(RAW / f"{name}.nvidia-smi.txt")
    result = tvarc("pick", "--describe", "--cpuinfo", H200, "--nvidia-smi", table)
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    told = " ".join(result.stderr.split())
    assert "error[E905]" in told and "this is the table of nvidia-smi" in told
    assert f"help: save the output of `{QUERY}` on that host" in told
    assert " ".join(COMMAND) == f"{QUERY},noheader"


def test_a_description_of_files_is_read_again(tmp_path: Path) -> None:
    found = described(H200, str(RECORDED / "h200-sapphire-rapids.nvidia-smi.csv"))
    (tmp_path / "host.json").write_text(json.dumps(found), encoding="utf-8")
    again = tvarc("pick", "--describe", "--host", str(tmp_path / "host.json"))
    assert json.loads(again.stdout) == found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--nvidia-smi", H200), "does not describe the CPU: add --cpuinfo"),
        (("--cpuinfo", H200, "--host", "x.json"), "leave out --cpuinfo"),
    ],
)
def test_files_that_do_not_go_together(words: tuple[str, ...], said: str) -> None:
    result = tvarc("pick", "--describe", *words)
    assert result.exit_code == exits.USAGE and said in " ".join(result.stderr.split())


def test_files_of_no_host() -> None:
    smi = str(RAW / "wsl.nvidia-smi.txt")
    result = tvarc("pick", "--describe", "--cpuinfo", smi, code=exits.FAILED)
    assert "error[E905]" in result.stderr and "`flags` or `Features`" in result.stderr
    missing = tvarc("pick", "--describe", "--cpuinfo", "/nowhere/cpuinfo")
    assert missing.exit_code == exits.FAILED and "cannot read" in missing.stderr


def known(name: str) -> str | None:
    return {"A100": "8.0", "NVIDIA A100-SXM4-40GB MIG 1g.5gb": "8.0"}.get(name)


def test_fields_of_a_query_in_any_order() -> None:
    text = "index, driver_version, compute_cap, name\n0, 580.65.06, 9.0, NVIDIA H100\n"
    ((gpu,), notes) = parse_nvidia_smi(text)
    assert (gpu.name, gpu.target, gpu.driver) == ("NVIDIA H100", "9.0", Version("580.65.06"))
    assert notes == ()


def test_a_capability_that_is_not_told_is_found_by_the_name() -> None:
    line = "NVIDIA A100-SXM4-40GB MIG 1g.5gb, [N/A], 580.65.06\n"
    assert [one.target for one in parse_nvidia_smi(line, known)[0]] == ["8.0"]
    gpus, notes = parse_nvidia_smi(line)
    assert gpus == () and "its compute capability is missing" in notes[0]
    assert parse_nvidia_smi("Other, [N/A], 580.65.06\n", known)[0] == ()


@for_each(
    "text, cuda",
    [
        ("NVIDIA-SMI version : 540.4.0\nCUDA Version : 12.6\n", "12.6"),
        ("CUDA Version        : 13.0\n", "13.0"),
        ("CUDA UMD Version: 13.1", "13.1"),
        ("CUDA Version: N/A", None),
        ("CUDA Version: ERR!", None),
        ("", None),
    ],
)
def test_the_version_of_cuda_is_read_from_what_programs_print(text: str, cuda: str | None) -> None:
    found = cuda_version(text)
    assert (found.text if found is not None else None) == cuda


def test_this_machine_under_windows() -> None:
    """The kernel says so; `nvidia-smi --version` tells of the CUDA."""
    smi = "NVIDIA GeForce RTX 4090, 8.9, 560.76\nCUDA Version : 12.6\n"
    machine = FakeMachine(
        {
            "/proc/cpuinfo": "flags : avx avx2\n",
            "/proc/sys/kernel/osrelease": "6.6.87.2-microsoft-standard-WSL2\n",
        },
        {"nvidia-smi": Ran(smi)},
    )
    (gpu,) = describe(machine).gpus
    assert (gpu.windows, gpu.cuda) == (True, Version("12.6"))


@pytest.mark.parametrize(
    "text",
    [
        'Field "compute_cap" is not a valid field to query.\n',
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
        "bash: nvidia-smi: command not found\n",
        "processor\t: 0\nflags\t: fpu sse avx2\n",
    ],
)
def test_what_is_no_answer_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "smi").write_text(text, encoding="utf-8")
    done = tvarc("pick", "--describe", "--cpuinfo", H200, "--nvidia-smi", str(tmp_path / "smi"))
    assert done.exit_code == exits.FAILED
    assert "error[E905]" in done.stderr
    assert "this is not the output of nvidia-smi" in " ".join(done.stderr.split())


@pytest.mark.parametrize("text", ["", "No devices were found\n"])
def test_no_gpu_is_an_answer(tmp_path: Path, text: str) -> None:
    (tmp_path / "smi").write_text(text, encoding="utf-8")
    assert described(H200, str(tmp_path / "smi"))["gpus"] == []


@pytest.mark.parametrize(
    "text",
    [
        "name, driver_version\nTesla V100-SXM2-32GB, 580.1\n",
        "\ufeffdriver_version, name\n580.1, Tesla V100-SXM2-32GB\n",
        "index, name, driver_version\n0, Tesla V100-SXM2-32GB, 580.1\n",
    ],
)
def test_columns_are_those_of_the_header(tmp_path: Path, text: str) -> None:
    (tmp_path / "smi").write_text(text, encoding="utf-8")
    assert described(H200, str(tmp_path / "smi"))["gpus"] == [
        {"name": "Tesla V100-SXM2-32GB", "capability": "7.0", "driver": "580.1"}
    ]
