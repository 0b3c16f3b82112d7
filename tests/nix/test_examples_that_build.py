"""The examples that really build, with the tools of the machine; and their programs run."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from nix.farm import Farm, builds, put_farm, states
from support.command import tvarc
from support.examples import EXAMPLES
from support.html import page_data
from support.services import require
from tvarc.farm.realise.store import outputs

pytestmark = [
    *builds,
    pytest.mark.slow,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="its variants are for x86-64"),
]

requires_squashfs = pytest.mark.skipif(
    not (os.environ.get("CI") or shutil.which("mksquashfs")),
    reason="squashfs-tools is not installed",
)
COMPILED = {
    "dot-product-x86-64-v2": "baseline sse4.2",
    "dot-product-x86-64-v3": "baseline sse4.2 avx2 fma",
    "dot-product-x86-64-v4": "baseline sse4.2 avx2 fma avx512f",
}


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    return put_example("dot-product", tmp_path, monkeypatch)


def put_example(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    """A farm with a copy of the example *name*, and with the settings of Nix of the examples."""
    farm = put_farm(folder, monkeypatch)
    shutil.rmtree(farm.project)
    shutil.copytree(EXAMPLES / name, farm.project)
    shutil.copytree(EXAMPLES / "shared", farm.root / "shared")
    monkeypatch.chdir(farm.project)
    monkeypatch.setenv("NIX_CONF_DIR", str(farm.root / "shared"))
    return farm


def in_store(farm: Farm, link: str) -> Path:
    """What the link *link* of the project names in the farm's store."""
    return farm.root / "store" / (farm.project / link).readlink().relative_to("/")


def coloured(farm: Farm) -> list[str]:
    """The states of the variants on the page `report.html`."""
    page = (farm.project / "report.html").read_text(encoding="utf-8")
    return [one["state"]["state"] for one in page_data(page, "matrix")["cells"]]


def can_run(variant: str) -> bool:
    """Whether this machine has the vectors of *variant*."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    needed = {"sse4.2": "sse4_2", "baseline": "sse2"}
    return all(needed.get(word, word) in flags for word in COMPILED[variant].split())


def test_each_variant_is_compiled_for_its_cpu_and_runs(example: Farm) -> None:
    found = example.realise("--out-link", "result")
    assert set(states(found)) == set(COMPILED) and set(states(found).values()) == {"built"}
    for variant, compiled in COMPILED.items():
        flag = f"-march={variant.removeprefix('dot-product-')} "
        assert flag in (example.logs / f"{variant}.log").read_text(encoding="utf-8")
        program = in_store(example, f"result/{variant}") / "bin" / "dot"
        if not can_run(variant):
            continue
        printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        assert printed == f"compiled for: {compiled}\ndot product: 9900\n"


def test_its_tests_pass_and_the_ledger_has_them(example: Farm) -> None:
    program = example.project / "variants.tvar"
    text = program.read_text(encoding="utf-8")
    limited = text.replace("test installed {", 'test installed {\n    max-closure-size = "16 MiB"')
    program.write_text(limited, encoding="utf-8")
    example.realise("--record")
    done = tvarc("test", "--record", code=0)
    assert "\n3 tests: 3 passed; " in done.stdout
    ledger = (example.project / "tvarc-results.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(one["variant"], one["event"]): one for one in map(json.loads, ledger)}
    assert set(found) == {(name, event) for name in COMPILED for event in ("built", "tested")}
    assert {one["test"] for one in found.values()} == {None, "installed"}
    listed = tvarc("list", "--columns", "name,state,size").stdout
    assert listed.count("tested") == len(COMPILED), listed
    assert tvarc("report", "--html", "report.html").exit_code == 0
    assert coloured(example) == ["built"] * len(COMPILED)


@pytest.mark.once  # a Nix that is unpacked cannot start itself for `nix shell`
def test_its_test_of_the_host_runs(example: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only programs that Nix starts see the store of these tests, which is in a folder."""
    programs: list[str] = []

    def noted(counts: dict[str, int]) -> dict[str, tuple[str, ...]]:
        found = outputs(counts)
        programs.extend(paths[0] for paths in found.values())
        return found

    monkeypatch.setattr("tvarc.commands.test.outputs", noted)
    tvarc("test", "--on-host")
    (program,) = programs
    text = (example.root / "store" / program.lstrip("/")).read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    done = subprocess.run(
        ["nix", "shell", program, "--command", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_set_of_all_variants_has_the_same_derivations(example: Farm) -> None:
    assert tvarc("build").exit_code == 0
    found = example.realise()
    for one in found["variants"]:
        words = ("default.nix", "-A", one["name"])
        assert example.nix("nix-instantiate", *words).strip() == one["derivation"]


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    require(shutil.which("pypy3") is not None, "pypy3 is not installed: `.ci/install-gcc`")
    return put_example("pure-python", tmp_path, monkeypatch)


def test_a_python_package_is_tested_with_each_interpreter(python: Farm) -> None:
    done = tvarc("test", "--record", code=0)
    assert "\n2 tests: 2 passed; " in done.stdout
    listed = tvarc("list", "--columns", "name,state").stdout
    assert listed == "words-python3  tested\nwords-pypy3    tested\n"
    assert listed in (EXAMPLES / "pure-python" / "README.md").read_text(encoding="utf-8")
    assert tvarc("report", "--html", "report.html").exit_code == 0
    assert coloured(python) == ["built"] * 2


@pytest.mark.once  # a Nix that is unpacked cannot start itself for `nix shell`
def test_a_python_package_runs_runs_in_each_interpreter(python: Farm) -> None:
    farm = python
    assert set(states(farm.realise("--out-link", "result")).values()) == {"built"}
    for variant, interpreter in (("words-python3", "CPython"), ("words-pypy3", "PyPy")):
        program = str(Path("result", variant).readlink() / "bin" / "words")
        done = subprocess.run(
            ["nix", "shell", program.removesuffix("/bin/words"), "--command", program],
            input="to be or not to be\n", capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == f"counted by {interpreter}\n2 to\n2 be\n1 or\n"
        compiled = in_store(farm, f"result/{variant}") / "lib" / "words" / "__pycache__"
        (file,) = compiled.iterdir()
        assert interpreter.lower() in file.name


# --- bills of materials ---------------------------------------------------------------------------


def test_a_bill_has_the_closure_with_its_licences(example: Farm) -> None:
    example.realise("--sbom", "bills")
    bills = example.project / "bills"
    assert {one.name for one in bills.iterdir()} == {
        "licences.md",
        *(f"{variant}.cdx.json" for variant in COMPILED),
    }
    texts = {one.name: one.read_text(encoding="utf-8") for one in bills.glob("*.json")}
    valid = JsonStrictValidator(SchemaVersion.V1_5)
    assert [name for name, text in texts.items() if valid.validate_str(text) is not None] == []
    found = json.loads(texts["dot-product-x86-64-v3.cdx.json"])
    licences = {
        (one["name"], one.get("version")): [each["license"] for each in one["licenses"]]
        for one in found["components"]
    }
    assert licences == {
        ("dot-product", "1.0"): [{"id": "MIT"}],
        ("busybox-static", None): [{"id": "GPL-2.0-only"}],
    }
    # It is the closure that the store reports, with what each path refers to.
    stated = {
        one["name"]: one["value"]
        for each in found["components"]
        for one in each["properties"]
        if each["name"] == "dot-product"
    }
    path = stated["nix:store-path"]
    closure = example.nix("nix-store", "--query", "--requisites", path).split()
    names = {one.rpartition("/")[2] for one in closure}
    assert {one["bom-ref"] for one in found["components"]} == names
    own = path.rpartition("/")[2]
    assert {one["ref"]: set(one["dependsOn"]) for one in found["dependencies"]} == {
        "dot-product-x86-64-v3": {own},
        own: names - {own},
        **{other: set() for other in names - {own}},
    }
    table = (bills / "licences.md").read_text(encoding="utf-8").splitlines()[2:]
    readme = (EXAMPLES / "dot-product" / "README.md").read_text(encoding="utf-8")
    assert "\n".join(table) in readme


def test_a_licence_that_nobody_states_is_not_known(example: Farm) -> None:
    package = example.project / "package.nix"
    text = package.read_text(encoding="utf-8")
    package.write_text(text.replace("  buildInputs = [ busybox ];\n", ""), encoding="utf-8")
    example.realise("x86-64-v2", "--sbom", "bills")
    table = (example.project / "bills" / "licences.md").read_text(encoding="utf-8")
    assert "| `busybox-static` |  | not known | 1 |" in table


def test_a_folder_that_cannot_be_is_reported(example: Farm) -> None:
    (example.project / "bills").write_text("", encoding="utf-8")
    done = tvarc("realise", "x86-64-v2", "--logs", str(example.logs), "--sbom", "bills")
    assert "error[E802]: bills of materials cannot be written to `bills`" in done.stderr
    assert "bills of materials: " not in done.stdout


# --- images ---------------------------------------------------------------------------------------


def image(farm: Farm, attribute: str) -> Path:
    """The store path of *attribute* of the file of images."""
    assert tvarc("build").exit_code == 0
    return Path(farm.nix("nix-build", "images.nix", "--no-out-link", "-A", attribute).strip())


def oci(farm: Farm, variant: str) -> Path:
    """The OCI image of *variant*. Its script writes it where the farm's store is `/nix/store`."""
    script = str(image(farm, f"{variant}.oci"))
    tar = farm.root / f"{variant}.tar"
    with tar.open("wb") as file:
        command = ["nix", "shell", script, "--command", script]
        subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=True)
    return tar


def unpacked(tar: Path, root: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest and the configuration of the OCI image in *tar*. Its layers go into *root*."""
    with tarfile.open(tar) as whole:

        def member(name: str) -> IO[bytes]:
            found = whole.extractfile(name)
            assert found is not None
            return found

        (manifest,) = json.load(member("manifest.json"))
        config = json.load(member(manifest["Config"]))
        for name, digest in zip(manifest["Layers"], config["rootfs"]["diff_ids"], strict=True):
            data = member(name).read()
            assert digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
            with tarfile.open(fileobj=io.BytesIO(data)) as layer:
                layer.extractall(root)
    return manifest, config


def run_in(root: Path, environment: Mapping[str, str], *words: str) -> str:
    """What a program prints that sees *environment* and the files in *root*, and nothing else."""
    chroot = shutil.which("chroot", path="/usr/sbin:/usr/bin")
    done = subprocess.run(
        [str(shutil.which("unshare")), "--map-root-user", str(chroot), str(root), *words],
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_name_of_an_image_may_have_a_registry(example: Farm) -> None:
    program = example.project / "variants.tvar"
    text = program.read_text(encoding="utf-8")
    text = text.replace('name = "dot-product"\n  tag', 'name = "ghcr.io/me/dot-product"\n  tag')
    program.write_text(text, encoding="utf-8")
    assert image(example, "dot-product-x86-64-v2.oci").name.endswith("-stream-dot-product")


@pytest.mark.once  # a Nix that is unpacked cannot start itself for `nix shell`
def test_an_image_for_containers_runs_with_what_is_in_it(example: Farm) -> None:
    variant = "dot-product-x86-64-v2"
    root = example.root / "container"
    manifest, found = unpacked(oci(example, variant), root)
    assert manifest["RepoTags"] == ["dot-product:x86-64-v2"]
    environment = dict(one.split("=", 1) for one in found["config"]["Env"])
    assert environment == {"PATH": "/bin", "OMP_NUM_THREADS": "1"}
    assert found["config"]["Cmd"] == ["dot"]
    printed = run_in(root, environment, *found["config"]["Cmd"])
    assert printed == f"compiled for: {COMPILED[variant]}\ndot product: 9900\n"
    assert run_in(root, environment, "dot-isa") == f"compiled for: {COMPILED[variant]}\n"


@pytest.mark.once  # a Nix that is unpacked cannot start itself for `nix shell`
def test_variants_share_the_layers_of_what_they_have_in_common(example: Farm) -> None:
    found = [
        set(unpacked(oci(example, variant), example.root / variant)[0]["Layers"])
        for variant in ("dot-product-x86-64-v2", "dot-product-x86-64-v3")
    ]
    # A layer for the shell, one for the variant, and one for the links to its programs.
    assert [len(one) for one in found] == [3, 3] and len(found[0] & found[1]) == 1


@requires_squashfs
def test_a_squashfs_for_uenv_runs_as_its_description_says(example: Farm) -> None:
    variant = "dot-product-x86-64-v2"
    made = image(example, f"{variant}.squashfs").relative_to("/")
    root = example.root / "mounted"
    store = root / "nix" / "store"
    store.parent.mkdir(parents=True)
    command = ["unsquashfs", "-quiet", "-no-progress", "-dest", str(store)]
    subprocess.run([*command, str(example.root / "store" / made)], check=True)
    about = json.loads((store / "meta" / "env.json").read_text(encoding="utf-8"))
    assert (about["name"], about["mount"]) == ("dot-product", "/nix/store")
    (view,) = about["views"].values()
    values = view["env"]["values"]
    ((added,),) = values["list"].values()
    environment = {"PATH": ":".join(added["value"]), **values["scalar"]}
    assert environment == {"PATH": f"{view['root']}/bin", "OMP_NUM_THREADS": "1"}
    assert run_in(root, environment, "dot-isa") == f"compiled for: {COMPILED[variant]}\n"
