"""`tvarc pick` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import ROOT
from support.hosts import DATA, FakeMachine, made, recorded
from tvarc.advice.hosts.description import read_description
from tvarc.advice.hosts.detect import kfd_properties
from tvarc.advice.hosts.machine import Ran
from tvarc.commands import pick as host
from tvarc.commands.line import exits
from tvarc.values.plain import json_text

PLAN = str(ROOT / "variants.tvar")


def described(name: str) -> str:
    return str(DATA / "made" / f"{name}.json")


def section(title: str) -> str:
    page = (ROOT / "docs" / "pick.md").read_text(encoding="utf-8")
    return page.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo = (DATA / "recorded" / "h200-sapphire-rapids.cpuinfo").read_text(encoding="utf-8")
    smi = (DATA / "recorded" / "h200-sapphire-rapids.nvidia-smi.csv").read_text(encoding="utf-8")
    machine = FakeMachine({"/proc/cpuinfo": cpuinfo}, {"nvidia-smi": Ran(smi)})
    monkeypatch.setattr(host, "ThisMachine", lambda: machine)
    result = tvarc("pick", PLAN, code=exits.OK)
    assert result.stdout in section("Choose")
    described = tvarc("pick", "--describe", code=exits.OK)
    assert read_description(described.stdout) == recorded("h200-sapphire-rapids")


def test_the_real_machine_can_be_described() -> None:
    result = tvarc("pick", "--describe")
    assert read_description(result.stdout).system


def test_a_description_is_printed_and_not_written() -> None:
    result = tvarc("pick", "--describe", "host.json", code=exits.USAGE)
    assert "leave out `host.json`" in result.stderr


def test_amd_gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    properties = "simd_count 304\ngfx_target_version 90402\n"
    files = {"/proc/cpuinfo": "flags : avx2 fma f16c", kfd_properties(1): properties}
    monkeypatch.setattr(host, "ThisMachine", lambda: FakeMachine(files))
    program = tmp_path / "p.tvar"
    program.write_text(
        "use std.amd\naxis gfx = amd[gfx90a, gfx942]\n"
        "recipe r { package = pkgs.hello, pin = none }\n"
        'matrix m { recipe = r, axes = gfx, name = "{{gfx}}" }\n'
        'output o { file = "{{variant}}.nix" }\n',
        encoding="utf-8",
    )
    result = tvarc("pick", str(program), code=exits.OK)
    assert "  GPU  AMD GPU, gfx942\n" in result.stdout
    assert "1. gfx942\n     gfx=gfx942: made for gfx942\n" in result.stdout
    data = json.loads(tvarc("pick", str(program), "--json").stdout)
    assert data["kinds"][0]["gpus"] == [{"name": "AMD GPU", "gfx": "gfx942"}]
    assert data["kinds"][0]["fits"][0]["gpu"] == "exact"


def test_targets_of_recipes(tmp_path: Path) -> None:
    program = tmp_path / "p.tvar"
    program.write_text(
        'pin n { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n'
        'axis gpu = ["sm80", "sm90"]\n'
        "recipe r {\n  package = pkgs.hello\n  config { cudaSupport = true }\n"
        '  args { gpuTargets = [if gpu == "sm80" then "8.0" else "9.0"] }\n}\n'
        'matrix m { recipe = r, axes = gpu, name = "{{gpu}}" }\n'
        'output o { file = "{{variant}}.nix" }\n',
        encoding="utf-8",
    )
    result = tvarc("pick", str(program), "--host", described("zen4-h100"))
    assert "1. sm90\n     gpuTargets: made for compute capability 9.0\n" in result.stdout
    assert "2. " not in result.stdout
    assert "error[E906]" in tvarc("pick", str(program), "--host", described("haswell")).stderr


def test_another_host() -> None:
    result = tvarc("pick", PLAN, "--host", described("zen4-h100-old-driver"), code=exits.OK)
    assert "1. python313-cpu-avx512bf16\n" in result.stdout
    assert "driver 570.26 is too old: CUDA 13.0 needs 580 or newer\n" in result.stdout
    assert "(from facts, not from a machine)" in result.stdout
    assert "python313-cuda13_0-sm120" not in result.stdout
    everything = tvarc("pick", PLAN, "--all", "--host", described("zen4-h100-old-driver"))
    assert "sm120" in everything.stdout and "--all" not in everything.stdout


def test_two_gpus() -> None:
    text = tvarc("pick", PLAN, "--host", described("two-gpus")).stdout
    assert "For NVIDIA A100-PCIE-40GB:\n1. python313-cuda13_0-sm80-avx512vnni\n" in text
    assert "For NVIDIA L40S:\n1. python313-cuda13_0-sm89-avx512vnni\n" in text
    assert "One for every GPU of this host: python313-cuda13_0-sm80-avx512vnni\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graviton3", "apple-m2", "gh200", "ivy-bridge-gtx-1080"])
def test_a_host_that_nothing_is_for(name: str) -> None:
    result = tvarc("pick", PLAN, "--host", described(name), code=exits.FAILED)
    assert "error[E906]" in result.stderr
    assert "No variant runs on this host.\n" in result.stdout
    as_json = tvarc("pick", PLAN, "--json", "--host", described(name))
    assert json.loads(as_json.stdout)["kinds"][0]["best"] is None
    told = tvarc("pick", PLAN, "--format", "json", "--host", described(name)).stdout
    assert '"code": "E906"' in told


@pytest.mark.slow
def test_json_is_complete() -> None:
    data = json.loads(tvarc("pick", PLAN, "--json", "--host", described("two-gpus")).stdout)
    assert data["schema"] == "tvarc-pick/1"
    assert data["host"] == json.loads(json_text(made("two-gpus")))
    assert data["serves-all"] == "python313-cuda13_0-sm80-avx512vnni"
    for kind in data["kinds"]:
        assert len(kind["fits"]) + len(kind["refused"]) == 44
        assert all(one["refusals"] for one in kind["refused"])
        assert not any(one["refusals"] for one in kind["fits"])
        assert kind["fits"][0]["variant"] == kind["best"]
    first = data["kinds"][0]["fits"][0]
    assert (first["gpu"], first["axes"]) == ("exact", {"gpu": "sm80", "isa": "avx512vnni"})
    missing = json.loads(tvarc("pick", PLAN, "--json", "--host", described("gh200")).stdout)
    place = missing["kinds"][0]["missing"][0]["excluded-by"][0]
    assert place["because"].startswith("the plan builds ARM only") and place["line"]


@pytest.mark.parametrize("text", ["{}", "", '{"arch": "x86_64"}', "\x1b[31m"])
def test_what_is_no_description(text: str, tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    file.write_text(text, encoding="utf-8")
    result = tvarc("pick", PLAN, "--host", str(file))
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E905]" in result.stderr
    told = tvarc("pick", PLAN, "--format", "json", "--host", str(file)).stdout
    assert [item["code"] for item in json.loads(told)["diagnostics"]] == ["E905"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    result = tvarc("pick", PLAN, "--host", str(tmp_path / "host.json"))
    assert result.exit_code == exits.FAILED and "error[E106]" in result.stderr
    (tmp_path / "host.json").write_bytes(b"\xff")
    result = tvarc("pick", PLAN, "--host", str(tmp_path / "host.json"))
    assert result.exit_code == exits.FAILED and "error[E107]" in result.stderr


@pytest.mark.parametrize(
    "words", [("--host", "data"), ("--cpuinfo", "data"), ("--cpuinfo", "c", "--nvidia-smi", "data")]
)
def test_a_folder_describes_no_host(words: tuple[str, ...], here: Path) -> None:
    """A folder stands for a program only where a program is asked for."""
    (here / "data").mkdir()
    (here / "c").write_text("flags : avx2 fma f16c\n", encoding="utf-8")
    result = tvarc("pick", *words, PLAN, code=exits.FAILED)
    assert "error[E106]: cannot read `data`\n  = note: it is a folder, not a file" in result.stderr


PACKAGES = """use std.nvidia
axis gpu = nvidia[sm80, sm89]
recipe torch { package = pkgs.hello, pin = none, meta { platforms = ["x86_64-linux"] } }
recipe plain extends torch { }
matrix gpus { recipe = torch, axes = gpu, name = "torch-{{gpu}}", exclude gpu == sm89 because "no" }
matrix visions { recipe = plain, axes = gpu, name = "vision-{{gpu}}" }
variant cpu-only { recipe = plain }
output o { file = "{{variant}}.nix" }
"""


@pytest.mark.parametrize(
    ("only", "fits", "missing", "remark"),
    [
        ((), ["vision-sm89", "torch-sm80", "vision-sm80", "cpu-only"], [], ""),
        (("gpus",), ["torch-sm80"], ["gpus"], "among those that are selected there is no variant"),
        (("torch",), ["torch-sm80"], ["gpus"], "among those that are selected there is no variant"),
        (("visions",), ["vision-sm89", "vision-sm80"], [], ""),
        (("vision-sm80",), ["vision-sm80"], [], "there is no variant made for compute"),
        (("torch-sm80", "cpu-only"), ["torch-sm80", "cpu-only"], ["gpus"], "no variant made for"),
        (("cpu-only",), ["cpu-only"], [], "of those that are selected no variant is made for"),
    ],
)
def test_one_of_several_packages(
    only: tuple[str, ...],
    fits: list[str],
    missing: list[str],
    remark: str,
    tmp_path: Path,
) -> None:
    """Of a matrix that is selected in part nothing is said of cells that it leaves out."""
    program = tmp_path / "p.tvar"
    program.write_text(PACKAGES, encoding="utf-8")
    words = [word for text in only for word in ("--only", text)]
    host = ("--host", described("cascade-lake-l40s"))
    (kind,) = json.loads(tvarc("pick", str(program), *host, *words, "--json").stdout)["kinds"]
    assert [one["variant"] for one in kind["fits"]] == fits
    assert [one["matrix"] for one in kind["missing"]] == missing
    assert remark in " ".join(kind["remarks"]) and bool(remark) == bool(kind["remarks"])


def test_what_selects_nothing_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "p.tvar"
    program.write_text(PACKAGES, encoding="utf-8")
    result = tvarc(
        "pick", str(program), "--host", described("cascade-lake-l40s"), "--only", "visions"
    )
    assert result.exit_code == exits.OK, result.output
    result = tvarc(
        "pick", str(program), "--host", described("cascade-lake-l40s"), "--only", "visoins"
    )
    assert result.exit_code == exits.FAILED
    assert "error[E901]" in result.stderr and "did you mean `vision`?" in result.stderr
    result = tvarc("pick", "--describe", "--only", "visions")
    assert result.exit_code == exits.USAGE and "--describe chooses no variant" in result.stderr


def test_names_of_others_cannot_steer_the_terminal(tmp_path: Path) -> None:
    data = json.loads(json_text(made("zen4-h100")))
    data["cpu"] = {"model": "\x1b[2Jgone\x07", "flags": []}
    data["notes"] = ["\x1b]0;title\x07"]
    (tmp_path / "host.json").write_text(json.dumps(data), encoding="utf-8")
    result = tvarc("pick", PLAN, "--host", str(tmp_path / "host.json"))
    assert "\x1b" not in result.output and "\x07" not in result.output


def test_platforms_of_recipes(here: Path) -> None:
    (here / "variants.tvar").write_text(
        'recipe mac { package = pkgs.hello, pin = none, meta { platforms = ["aarch64-darwin"] } }\n'
        'variant v { recipe = mac, name = "v" }\noutput nix { file = "{{variant}}.nix" }\n',
        encoding="utf-8",
    )
    assert tvarc("pick", "--host", described("apple-m2")).stdout.endswith("1. v\n")
    assert "error[E906]" in tvarc("pick", "--host", described("haswell")).stderr


B200S = """use std.nvidia
use std.cpu
use std.cuda
axis gpu     = nvidia[sm100]
axis isa     = cpu[avx512]
axis toolkit = cuda-toolkit[cuda12_8]
recipe r { package = pkgs.hello, pin = none }
matrix gpus { recipe = r, axes = gpu * isa * toolkit, name = "{{gpu}}-{{isa}}" }
matrix cpus { recipe = r, axes = isa, name = "cpu-{{isa}}" }
output o { file = "{{variant}}.nix" }
"""
MENDED = """facts nvidia override { sm100 { min-driver = 571.0 because "our racks" } }
"""


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (
            "",
            "warning: driver 570.124.06 is older than the 570.133.20 that is named for sm100 "
            "(std.nvidia: NV-CC, NV-MAT, NV-RN131, NV-OP, PTXAS, NIX-DB, PT-WHL); nothing is known "
            "to enforce it, so it is not refused",
        ),
        (
            MENDED,
            "warning: driver 570.124.06 is older than the 571.0 that is named for sm100 (corrected "
            "in variants.tvar, because our racks); nothing is known to enforce it, so it is not "
            "refused (variants.tvar:11)",
        ),
    ],
)
def test_eight_b200_with_an_older_driver_get_the_build_for_them(
    item: str, told: str, here: Path
) -> None:
    Path("variants.tvar").write_text(B200S + item, encoding="utf-8")
    cpuinfo = (DATA / "recorded" / "h200-sapphire-rapids.cpuinfo").read_text(encoding="utf-8")
    Path("cpuinfo").write_text(cpuinfo, encoding="utf-8")
    lines = ["name, compute_cap, driver_version", *(["NVIDIA B200, 10.0, 570.124.06"] * 8)]
    Path("smi").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ("pick", "--cpuinfo", "cpuinfo", "--nvidia-smi", "smi")
    done = tvarc(*asked, code=exits.OK)
    shown = " ".join(done.stdout.split())
    assert "8 × NVIDIA B200" in shown
    assert "1. sm100-avx512 " in shown and "2. cpu-avx512 " in shown
    assert told in shown
    (kind,) = json.loads(tvarc(*asked, "--json").stdout)["kinds"]
    (warned,) = [one for one in kind["fits"][0]["reasons"] if one["kind"] == "documented"]
    assert (warned.get("line") == 11) == bool(item)
