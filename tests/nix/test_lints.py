"""Lints against real Nix: what they claim of a build is what evaluation in the model gives."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from support.alone import LintsAlone
from support.compile import codes, compile_text, lints, messages, write_recipes
from support.lints import OLDER, REV, cuda_set, pin
from support.nix import requires_nix
from support.recipes import drv_paths, evaluate
from tvarc.advice.library.rows import LibraryRows
from tvarc.advice.lints.facts import Facts
from tvarc.build.driver import Compilation

pytestmark = [requires_nix, pytest.mark.nix]

OUTPUT = 'output nix { file = "{{variant}}.nix" }\n'


def compiled(text: str) -> Compilation:
    made = compile_text(text + OUTPUT)
    made.recipes()
    assert codes(made) == [], messages(made)
    return made


BUILDS = """
axis a = ["x", "y"]
axis b = ["x", "y"]
axis c = ["x", "y"]
overlay o { marker = 1 }
overlay q { marker = 1 }
overlay t for python3Packages.torch { other = c }

recipe base {
  package = pkgs.python3Packages.torch
  env { A = a }
  passthru { b = b }
  meta { description = "{{a}}{{b}}{{c}} of {{variant}}" }
}
recipe same extends base { overlays = [o] }
recipe also extends base { overlays = [q] }
recipe attrs extends base { attrs { marker = "{{b}}" } }
recipe args extends base { args { MPISupport = c == "x" } }
recipe script extends base { script preConfigure { part p "echo {{b}}{{c}}" } }
recipe overlaid extends base { overlays = [t] }
recipe configured extends base { config { cudaSupport = c == "x" } }
recipe vision { package = pkgs.python3Packages.torchvision, env { A = a } }
""" + "".join(
    f"matrix {name}-m {{ recipe = {name}, axes = a * b * c, "
    f'name = "{name}-{{{{a}}}}{{{{b}}}}{{{{c}}}}" }}\n'
    for name in (
        "base", "same", "also", "attrs", "args", "script", "overlaid", "configured", "vision"
    )
)  # fmt: skip


@pytest.mark.slow
def test_same_builds_are_the_same_derivations(tmp_path: Path) -> None:
    made = compiled(pin(config="allowUnfree = true") + BUILDS)
    found = LintsAlone(Facts(LibraryRows(made.loader)), ())
    for recipe in made.recipes():
        found.look(recipe)
    first = {one.name: one.first for one in found.builds.doubles()}
    paths = drv_paths(write_recipes(made, tmp_path))
    assert len(paths) == 72
    by_path: dict[str, str] = {}
    for name in found.builds.names:
        expected = by_path.setdefault(paths[name], name)
        # What only sets what is so anyway is not seen through.
        if name.startswith(("same", "also", "args", "configured")):
            continue
        assert first.get(name, name) == expected, name
    for name, other in first.items():
        assert paths[name] == paths[other], (name, other)


def marks() -> dict[str, str]:
    """Programs of one variant each: pins, toolkits, and what might allow a broken package."""
    found: dict[str, str] = {}
    allowing = {
        "plain": "",
        "allowed": "config { allowBroken = true }",
        "refused": "config { allowBroken = false }",
        "unmarked": "meta { broken = false }",
        "cpu": "args { cudaSupport = false }",
    }
    for rev, set, (name, body) in itertools.product(
        (REV, OLDER), ("12_8", "13_0"), allowing.items()
    ):
        key = f"v{rev[:7]}-{set}-{name}"
        config = "allowUnfree = true, cudaSupport = true"
        found[key] = (
            pin(rev, config)
            + cuda_set(f"cudaPackages_{set}")
            + f"recipe r {{ package = pkgs.python3Packages.torch, overlays = [kit]\n{body}\n}}\n"
            + f'variant v {{ recipe = r, name = "{key}" }}\n'
        )
    return found


@pytest.mark.slow
def test_what_is_marked_broken_is_refused(tmp_path: Path) -> None:
    files: dict[str, Path] = {}
    claimed: dict[str, bool] = {}
    for key, text in marks().items():
        made = compiled(text)
        claimed[key] = "cuda-marked-broken" in lints(made)
        files |= write_recipes(made, tmp_path / key)
    facts = evaluate(files, record_refusals=True)
    refused = {key: "broken" in (facts[key]["refusal"] or "") for key in claimed}
    assert claimed == refused
    assert sorted(set(claimed.values())) == [False, True]


def test_gpu_targets_reach_torch_alone(tmp_path: Path) -> None:
    head = pin(config="allowUnfree = true, cudaSupport = true") + cuda_set("cudaPackages_12_8")
    body = 'package = pkgs.python3Packages.torch, overlays = [kit], args { gpuTargets = ["9.0"] }'
    files: dict[str, Path] = {}
    spoken: dict[str, bool] = {}
    for key, more in {"alone": "", "both": 'config { cudaCapabilities = ["9.0"] }'}.items():
        text = f'{head}recipe r {{ {body}\n{more}\n}}\nvariant v {{ recipe = r, name = "{key}" }}\n'
        made = compiled(text)
        spoken[key] = "targets-without-capabilities" in lints(made)
        files |= write_recipes(made, tmp_path / key)
    facts = evaluate(files)
    for key, fact in facts.items():
        torch = fact["torch"]
        assert torch is not None and torch["gpuTargets"] == ["9.0"]
        flags = " ".join(torch["ncclFlags"])
        assert "sm_90" in flags
        assert ("sm_80" in flags) == spoken[key], (key, flags)
    assert spoken == {"alone": True, "both": False}
