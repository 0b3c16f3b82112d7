"""`check --eval` reports what does not fit together in the derivations of real Nix."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, tvarc
from support.effort import sampled
from support.examples import EXAMPLES, compiled
from support.nix import evaluated, put_project, requires_nix
from support.recipes import MODEL
from tvarc.commands.evaluation.coherence import elsewhere, mixed, twice
from tvarc.commands.evaluation.evaluate import Inputs, derivations
from tvarc.commands.evaluation.files import moving, prepare
from tvarc.commands.line import exits
from tvarc.light import replace
from tvarc.nix import ir

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once, pytest.mark.slow]

HEAD = """\
pin model { path = "./nixpkgs", config { allowUnfree = true } }
"""
TAIL = """
output nix { file = "pkgs/{{variant}}.nix" }
"""
TOOLKITS = """\
axis cuda = [12.9, 13.0]
recipe tool {
  package = pkgs.hello
  attrs { INPUTS }
  env   { CUDA = cuda }
}
matrix tools { recipe = tool, axes = cuda, name = "tool-{{cuda}}" }
"""
STACK = """\
axis jobs = ["8", "16"]
recipe zlib { package = pkgs.zlib, env { JOBS = jobs } }
matrix zlibs { recipe = zlib, axes = jobs, name = "zlib-{{jobs}}" }
recipe tool {
  package = pkgs.hello
  needs zlib = zlibs
  attrs { buildInputs += [needs.zlib, pkgs.curl] }
}
matrix tools { recipe = tool, axes = jobs, name = "tool-{{jobs}}" }
"""
SYSTEM = """\
recipe tool {
  package = nix\"""(import ../nixpkgs { system = "aarch64-linux"; }).hello\"""
}
variant tools { recipe = tool }
"""
NAMED = """\
axis n = ["1", "2"]
recipe tool {
  package = pkgs.hello
  attrs { name = "hello-2.9" }
  env   { N = n }
}
matrix tools { recipe = tool, axes = n, name = "tool-{{n}}" }
"""
FETCHED = """\
axis mirror = ["a", "b"]
recipe data {
  package = nix\"""pkgs.fetchurl {
    url    = "https://{{mirror}}.example.org/data.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  }\"""
}
matrix all { recipe = data, axes = mirror, name = "data-{{mirror}}" }
"""
FEATURES = """\
axis gpu { sm80 { feature = "gpu-sm80" }, sm90 { feature = "gpu-sm90" } }
recipe tool {
  package = pkgs.hello
  attrs { requiredSystemFeatures = [gpu.feature] }
}
matrix tools { recipe = tool, axes = gpu, name = "tool-{{gpu}}" }
"""
NCCL = "buildInputs += [pkgs.cudaPackages_12_9.nccl]"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the model as its nixpkgs, and the Nix that judges."""
    return put_project(tmp_path, monkeypatch)


def write(program: str) -> None:
    Path("variants.tvar").write_text(HEAD + program + TAIL, encoding="utf-8")


def data(*args: str, code: int = exits.OK) -> dict[str, Any]:
    """As `evaluated`, without the codes of what is known without Nix."""
    found = evaluated(*args, code=code)
    return found | {"told": [one for one in found["told"] if one[0][1] in "39"]}


def names_of(paths: list[str]) -> list[str]:
    return [path.rpartition("/")[2].partition("-")[2].removesuffix(".drv") for path in paths]


# --- toolkits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "through"),
    [
        (NCCL, ["nccl-2.28.7-1"]),
        ("propagatedBuildInputs += [pkgs.cudaPackages_12_9.cuda_cudart]", []),
        ('buildInputs = nix"""[ pkgs.cudaPackages_12_9.cuda_cudart.lib ]"""', []),
    ],
)
def test_packages_of_another_toolkit(inputs: str, through: list[str]) -> None:
    write(TOOLKITS.replace("INPUTS", inputs))
    found = data()
    (one,) = found["other_toolkits"]
    assert (one["variants"], one["wanted"], one["line"]) == (["tool-13.0"], "CUDA 13.0", 5)
    assert names_of([one["derivation"]]) == ["cuda_cudart-12.9.1"]
    assert names_of(one["through"]) == through and found["told"] == [("W313", 5)]


@pytest.mark.parametrize(
    "inputs",
    [
        # What compiles is not what runs.
        "nativeBuildInputs = [pkgs.cudaPackages_12_9.cuda_nvcc]",
        # A package of no toolkit.
        "buildInputs += [pkgs.cudaPackages_12_9.cudnn]",
        # That of the variant; within 12, newer libraries run what was built for older ones.
        'buildInputs = if cuda == 13.0 then [nix"""pkgs.cudaPackages_13_0.nccl"""] '
        'else [nix"""pkgs.cudaPackages_12_8.nccl"""]',
        # A file of it, which is no input.
        'src = nix"""pkgs.cudaPackages_12_9.nccl"""',
    ],
)
def test_packages_of_the_same_toolkit(inputs: str) -> None:
    write(TOOLKITS.replace("INPUTS", inputs))
    assert data()["other_toolkits"] == []


def test_a_build_without_cuda_is_of_no_toolkit() -> None:
    write(TOOLKITS.replace("INPUTS", NCCL).replace("pkgs.hello", "pkgs.ffmpeg"))
    text = Path("variants.tvar").read_text(encoding="utf-8")
    text = text.replace("allowUnfree = true", "allowUnfree = true, cudaSupport = false")
    Path("variants.tvar").write_text(text, encoding="utf-8")
    assert data()["other_toolkits"] == []


# --- two of one library ---------------------------------------------------------------------------


def test_a_library_that_comes_twice() -> None:
    write(STACK)
    found = data()
    (one,) = found["several_builds"]
    assert (one["library"], one["line"]) == ("zlib", 8)
    assert one["variants"] == ["tool-8", "tool-16"] and found["told"] == [("W314", 8)]
    own, other = one["copies"]
    assert (own["variant"], own["through"]) == ("zlib-8", [])
    assert other["variant"] is None and names_of(other["through"]) == ["curl-8.14.1"]


def test_python_packages_that_come_twice() -> None:
    """Nobody needs a variant here: what is propagated is imported together."""
    write(
        """\
axis size = ["1", "2"]
recipe tool {
  package = pkgs.python3Packages.torchaudio
  attrs {
    propagatedBuildInputs += [
      nix\"""pkgs.python3Packages.torch.overrideAttrs (_: { SIZE = {{size}}; })\"""
    ]
  }
}
matrix tools { recipe = tool, axes = size, name = "tool-{{size}}" }
"""
    )
    found = data()
    (one,) = found["several_builds"]
    assert one["library"].endswith("-torch") and len(one["copies"]) == 2
    assert found["told"] == [("W314", 6)]


def test_packages_of_an_environment_that_come_twice() -> None:
    env = """\
axis size = ["1", "2"]
recipe env {
  package = nix\"""pkgs.buildEnv {
    name  = "env-{{size}}";
    paths = with pkgs.python3Packages; [
      scipy numpy (PACKAGE.overrideAttrs (_: { SIZE = {{size}}; }))
    ];
  }\"""
}
matrix envs { recipe = env, axes = size, name = "env-{{size}}" }
"""
    write(env.replace("PACKAGE", "numpy"))
    found = data()
    (one,) = found["several_builds"]
    assert one["library"].endswith("-numpy") and found["told"] == [("W314", 4)]
    assert [copy["through"] for copy in one["copies"]] == [[], []]
    write(env.replace("PACKAGE", "pillow"))
    assert data()["several_builds"] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # All that depend on it take the same.
        (
            "recipe tool {",
            "overlay mine { zlib = needs.zlib }\nrecipe tool {\n  overlays = [mine]",
        ),
        ("[needs.zlib, pkgs.curl]", "[needs.zlib]"),
        ("attrs { buildInputs += [needs.zlib, pkgs.curl] }", "env { ZLIB = needs.zlib }"),
        # A tool for the build is not linked.
        ("buildInputs += [needs.zlib, pkgs.curl]", "nativeBuildInputs = [needs.zlib, pkgs.curl]"),
    ],
)
def test_a_library_that_comes_once(before: str, after: str) -> None:
    assert before in STACK
    write(STACK.replace(before, after))
    assert data()["several_builds"] == []


# --- systems, names and machines ------------------------------------------------------------------


def test_a_derivation_for_another_system() -> None:
    write(SYSTEM)
    found = data()
    (one,) = found["other_systems"]
    assert (one["system"], one["wanted"]) == ("aarch64-linux", "x86_64-linux")
    assert found["told"] == [("W315", 3)]
    plain = 'derivation { name = "a-1"; system = "SYSTEM"; builder = "/bin/sh"; }'
    for other in ("x86_64-linux", "i686-linux", "builtin", "armv7l-linux"):
        text = re.sub('""".*"""', f'"""{plain.replace("SYSTEM", other)}"""', SYSTEM)
        write(text)
        assert bool(data()["other_systems"]) == (other == "armv7l-linux")
    # Nix itself fetches on any machine.
    write(FETCHED)
    assert data()["other_systems"] == []


def test_a_name_with_another_version() -> None:
    write(NAMED)
    found = data()
    (one,) = found["not_in_name"]
    assert (one["name"], one["version"], one["derivation"]) == ("name", "2.12.1", "hello-2.9")
    assert found["told"] == [("W310", 5)]
    for name in ("hello-2.12.1", "hello", "hello-sm90", "hello-2.12.1-sm90", "hello-9"):
        write(NAMED.replace("hello-2.9", name))
        assert data()["not_in_name"] == []


def test_variants_with_one_result() -> None:
    write(FETCHED)
    found = data()
    assert found["same"] == [["data-a", "data-b"]]
    assert len({one["derivation"] for one in found["variants"]}) == 2
    shown = tvarc("check", "--eval").stderr
    assert "warning[W303]: `data-a` and `data-b` have the same result\n" in shown


def test_variants_that_no_machine_builds(project: Path) -> None:
    write(FEATURES)
    machines = project / "machines"
    machines.write_text("ssh-ng://b1 x86_64-linux - 2 1 gpu-sm80 -\n", encoding="utf-8")
    assert data()["unplaced"] == []
    found = data("--builders", "machines", code=exits.FAILED)
    (one,) = found["unplaced"]
    assert (one["variants"], one["features"]) == (["tool-sm90"], ["gpu-sm90"])
    assert found["told"] == [("E994", 5)]
    machines.write_text("b1 - - 2 1 gpu-sm80\nb2 - - 2 1 gpu-sm90\n", encoding="utf-8")
    assert data("--builders", "machines")["unplaced"] == []
    # What an overlay asks for, of a package that the variant runs with.
    asks = 'overlay more for zlib { requiredSystemFeatures = ["kvm-2"] }\nrecipe tool {'
    inputs = "buildInputs = [pkgs.curl], requiredSystemFeatures = []"
    text = FEATURES.replace("recipe tool {", f"{asks}\n  overlays = [more]")
    write(text.replace("requiredSystemFeatures = [gpu.feature]", inputs))
    (one,) = data("--builders", "machines", code=exits.FAILED)["unplaced"]
    assert names_of([one["through"]]) == ["zlib-1.3.1"] and one["line"] == 3


def test_a_list_of_machines_that_is_none(project: Path) -> None:
    write(FEATURES)
    result = tvarc("check", "--eval", "--builders", "nowhere")
    assert result.exit_code == exits.FAILED and "error[E995]" in result.stderr
    result = tvarc("check", "--eval", "--builders", "")
    assert result.exit_code == exits.USAGE and "it must not be empty" in result.stderr
    result = tvarc("check", "--builders", "nowhere")
    assert result.exit_code == exits.USAGE and "works only with --eval" in result.stderr


# --- pages, and what is right ---------------------------------------------------------------------

PAGES = {
    "W313": TOOLKITS.replace("INPUTS", NCCL),
    "W314": STACK,
    "W315": SYSTEM,
}
OFF = {"W313": "toolkit-mixed", "W314": "library-twice", "W315": "other-system"}


@pytest.mark.parametrize("code", PAGES)
def test_a_page_shows_what_is_printed(code: str) -> None:
    write(PAGES[code])
    page = (ROOT / "docs" / "errors" / f"{code}.md").read_text(encoding="utf-8")
    shown = page.partition("## Wrong")[2].partition("$ tvarc check --eval\n")[2].partition("```")[0]
    assert tvarc("check", "--eval").stderr.strip() == shown.strip()


@pytest.mark.parametrize("code", OFF)
def test_a_warning_that_is_switched_off(code: str) -> None:
    off = f'warn {OFF[code]} = off because "so"\n'
    write(PAGES[code] + off)
    assert data()["told"] == []
    write(NAMED.replace("hello-2.9", "hello-2.12.1") + off)
    result = tvarc("check", "--eval")
    assert f"error[E606]: warning `{OFF[code]}` does not occur" in result.stderr


def on_the_model(recipe: ir.Recipe) -> ir.Recipe:
    """*recipe*, with the model in the place of a nixpkgs that is fetched."""
    pin = recipe.pin
    if pin is None or not pin.url:
        return recipe
    fields = tuple([one for one in pin.fields if one[0] not in ("hash", "release", "rev")])
    model = replace(pin, url="", rev="", hash=None, path=str(MODEL), release="", fields=fields)
    return replace(recipe, frame=replace(recipe.frame, pin=model))


# That of `spark-nightly` takes packages from an input that is not here.
ON_THE_MODEL = sorted(
    {path.parent.name for path in EXAMPLES.glob("*/variants.tvar")} - {"spark-nightly"}
)


@pytest.mark.parametrize("example", sampled(ON_THE_MODEL, ci=2))
def test_nothing_is_reported_of_the_examples(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES / example)
    made = compiled(EXAMPLES / example)
    moved = moving(made)
    variants = made.variants
    prepared = prepare(made, variants, str(tmp_path), moved=lambda one: on_the_model(moved(one)))
    inputs = Inputs()
    derived, _ = derivations(made, prepared, 1, lambda _: None, inputs=inputs)
    assert len(derived) > len(variants) / 2 and inputs.graph
    graph = inputs.graph
    assert not [*twice(prepared, derived, graph), *mixed(prepared, derived, graph)]
    assert not [*elsewhere(prepared, derived)]
