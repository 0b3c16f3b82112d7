"""The matrices of `examples/`, judged by real Nix against the tables that people kept by hand.

`tests/data/matrices.json` holds these tables, one entry a recipe. Every field of every entry is
compared with what Nix makes of the recipe of that name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest

from support.compile import ROOT, messages, write_recipes
from support.examples import EXAMPLES
from support.examples import compiled as compile_example
from support.nix import requires_nix
from support.recipes import RecipeFacts, TorchFacts, drv_paths, evaluate
from tvarc.build.driver import Compilation

# Slow: `test_plan44.py` asks the same of one program. What is decided here is the same for any Nix.
pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once, pytest.mark.slow]


class Entry(TypedDict):
    """What a table says of one recipe."""

    pname: str
    torch: str
    rev: str
    config: list[str]
    cuda: str | None
    gpu: list[str]
    platforms: list[str]
    magma_patches: list[str]
    cmakeFlags: list[str]


TABLES: dict[str, dict[str, Entry]] = json.loads(
    (ROOT / "tests/data/matrices.json").read_text(encoding="utf-8")
)["matrices"]
COUNTS = {"torch-2.10": 237, "torch-2.9": 177, "torch-2.8": 62}
SHARED, EIGHT, NINE, TEN = (
    "shared/torch.tvar",
    "torch-2.8/variants.tvar",
    "torch-2.9/variants.tvar",
    "torch-2.10/variants.tvar",
)
# What nixpkgs' own torch package passes to CMake; all that comes after it is the recipe's.
OWN_FLAGS = (
    "-DPYTHON_SIX_SOURCE_DIR:",
    "-DCUDAToolkit_VERSION:",
    "-DCMAKE_CUDA_COMPILER_TOOLKIT_VERSION:",
)
# The patch that MAGMA of this pin has by itself, which is no patch of a recipe.
OWN_MAGMA_PATCHES = {"2017d6d515f8a7b289fe06d3a880a7ec588c3900": ["magma-cuda13.patch"]}
# What goes with the Torch of torch-2.8.
PAIRS = {"torchvision": "0.23.0", "torchaudio": "2.8.0"}


def compiled(example: str, *settings: str, root: Path = EXAMPLES) -> Compilation:
    """One example, from disk, with these settings of the command line."""
    return compile_example(root / example, *settings)


@dataclass(frozen=True)
class Judged:
    """One recipe: its entry in the table, its text, and what Nix makes of it. `allowed` says that
    Nix was told to allow what is broken, as it refuses the recipe that stands there."""

    example: str
    name: str
    entry: Entry
    text: str
    fact: RecipeFacts
    allowed: bool

    @property
    def torch(self) -> TorchFacts:
        """The Torch that it is, or that it is built on."""
        assert self.fact["torch"] is not None
        return self.fact["torch"]

    @property
    def package(self) -> str:
        """The package by its name in the variant: pytorch, torchvision or torchaudio."""
        return self.name.partition("-")[0]


def join(
    example: str,
    files: dict[str, Path],
    facts: dict[str, RecipeFacts],
    allowed: Set[str] = frozenset(),
) -> list[Judged]:
    """The entries of one table with their recipes."""
    return [
        Judged(
            example,
            name,
            entry,
            files[name].read_text(encoding="utf-8"),
            facts[name],
            name in allowed,
        )
        for name, entry in TABLES[example].items()
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Path]]:
    """The recipes of each example."""
    return {
        example: write_recipes(compiled(example), tmp_path_factory.mktemp(example))
        for example in COUNTS
    }


@pytest.fixture(scope="module")
def as_written(files: dict[str, dict[str, Path]]) -> dict[str, dict[str, RecipeFacts]]:
    """What Nix makes of the recipes as they stand; it refuses some."""
    every = {
        f"{example}/{name}": path for example in files for name, path in files[example].items()
    }
    facts = evaluate(every, record_refusals=True)
    return {
        example: {name: facts[f"{example}/{name}"] for name in files[example]} for example in files
    }


@pytest.fixture(scope="module")
def judged(
    files: dict[str, dict[str, Path]],
    as_written: dict[str, dict[str, RecipeFacts]],
    tmp_path_factory: pytest.TempPathFactory,
) -> list[Judged]:
    """All 476; those that are refused as broken are judged with `allowBroken`."""
    found: list[Judged] = []
    for example, facts in as_written.items():
        refused = {name for name, fact in facts.items() if fact["refusal"]}
        if refused:
            made = compiled(example, "allow-broken=true")
            allowed = write_recipes(made, tmp_path_factory.mktemp("allowed"))
            facts = facts | evaluate({name: allowed[name] for name in sorted(refused)})
        found += join(example, files[example], facts, refused)
    return found


# --- the tables, field by field ---------------------------------------------------------------


def meets_pname(each: Judged) -> bool:
    return bool(each.fact["pname"] == each.entry["pname"])


def meets_torch(each: Judged) -> bool:
    """The Torch, and the interpreter that the variant's name promises."""
    if not each.fact["name"].startswith("python3.13-"):
        return False
    if each.package == "pytorch":
        return bool(each.fact["version"] == each.torch["version"] == each.entry["torch"])
    # The table names none for these: theirs is the one of the pin.
    pair = (each.fact["version"], each.torch["version"])
    return each.entry["torch"] == "0-pin" and pair == (PAIRS[each.package], "2.8.0")


def meets_rev(each: Judged) -> bool:
    revision = re.escape(each.entry["rev"])
    return (
        re.search(rf"/NixOS/nixpkgs/archive/{revision}\.", each.fact["pin"]["url"] or "")
        is not None
    )


def meets_config(each: Judged) -> bool:
    config = each.fact["pin"]["config"]
    written = sorted(set(config) - ({"allowBroken"} if each.allowed else set()))
    return all(value is True for value in config.values()) and written == each.entry["config"]


def meets_cuda(each: Judged) -> bool:
    """Nix resolves an alias: the attribute is read from the recipe, and its meaning from Nix."""
    assigned = re.findall(r"\bcudaPackages = (\S+);", each.text)
    if each.entry["cuda"] is None:
        return not assigned and each.torch["cuda"] is None and not each.torch["cudaSupport"]
    toolkit = each.name.split("-")[2].removeprefix("cuda").replace("_", ".")
    found = (assigned, each.torch["cuda"], each.torch["cudaSupport"])
    return found == ([f"final.{each.entry['cuda']}"], toolkit, True)


def meets_gpu(each: Judged) -> bool:
    if each.package == "pytorch":
        return bool(each.torch["gpuTargets"] == each.entry["gpu"])
    # These have no such argument, so the table has none. The Torch beneath them has it.
    target = {"sm61": "6.1", "sm75": "7.5"}[each.name.split("-")[3]]
    last = each.fact["phases"]["preConfigure"].rpartition("TORCH_CUDA_ARCH_LIST=")[2]
    told = each.torch["gpuTargets"] == [target] and last.startswith(f'"{target}"\n')
    return each.entry["gpu"] == [] and told


def meets_platforms(each: Judged) -> bool:
    platforms: list[str] = each.fact["meta"]["platforms"]
    return platforms == each.entry["platforms"] and each.fact["system"] in platforms


def meets_magma_patches(each: Judged) -> bool:
    patches = each.torch["magmaPatches"]
    if patches is None:
        return each.entry["magma_patches"] == []
    own = OWN_MAGMA_PATCHES.get(each.entry["rev"], [])
    return bool(patches == own + each.entry["magma_patches"])


def meets_cmake_flags(each: Judged) -> bool:
    """Their order differs from group to group, and means nothing: each sets a variable."""
    ours = [flag for flag in each.fact["cmakeFlags"] if not flag.startswith(OWN_FLAGS)]
    return sorted(ours) == sorted(each.entry["cmakeFlags"])


CHECKS: dict[str, Callable[[Judged], bool]] = {
    "pname": meets_pname,
    "torch": meets_torch,
    "rev": meets_rev,
    "config": meets_config,
    "cuda": meets_cuda,
    "gpu": meets_gpu,
    "platforms": meets_platforms,
    "magma_patches": meets_magma_patches,
    "cmakeFlags": meets_cmake_flags,
}


def test_the_examples_have_the_variants_of_the_tables(files: dict[str, dict[str, Path]]) -> None:
    assert {example: len(table) for example, table in TABLES.items()} == COUNTS
    assert {example: set(paths) for example, paths in files.items()} == {
        example: set(table) for example, table in TABLES.items()
    }


def test_every_field_of_the_tables_has_a_check(judged: list[Judged]) -> None:
    assert len(judged) == 476
    assert all(each.entry.keys() == CHECKS.keys() for each in judged)


@pytest.mark.parametrize("field", CHECKS)
def test_every_recipe_meets_its_entry(field: str, judged: list[Judged]) -> None:
    assert [f"{each.example}/{each.name}" for each in judged if not CHECKS[field](each)] == []


def test_what_the_readme_says_of_the_tables(judged: list[Judged]) -> None:
    ten = [each.entry for each in judged if each.example == "torch-2.10"]
    assert sum(entry["pname"].startswith("pytorch210-") for entry in ten) == 127
    assert sum(entry["pname"].startswith("pytorch-") for entry in ten) == 110
    assert sum(entry["cuda"] == "cudaPackages_13" for entry in ten) == 60
    assert sum(entry["cuda"] is None and "allowBroken" in entry["config"] for entry in ten) == 8
    assert len({entry["rev"] for entry in ten}) == 3
    with_hash = {each.fact["pin"]["url"] for each in judged if each.fact["pin"]["sha256"]}
    assert len({each.fact["pin"]["url"] for each in judged}) == 4
    assert len(with_hash) == 1 and "0182a361" in str(with_hash)
    wide = [f"{e.example}/{e.name}" for e in judged if len(e.entry["platforms"]) > 1]
    assert wide == [
        "torch-2.9/pytorch-python313-cpu-avx2",
        "torch-2.8/pytorch-python313-cpu-avx2",
    ]


# --- what nixpkgs refuses ---------------------------------------------------------------------


def test_cuda_13_is_refused_where_the_table_lacks_allow_broken(
    as_written: dict[str, dict[str, RecipeFacts]],
) -> None:
    for example, facts in as_written.items():
        refused = {name: fact["refusal"] or "" for name, fact in facts.items() if fact["refusal"]}
        nine = example == "torch-2.9"
        assert refused.keys() == {name for name in facts if nine and "-cuda13_0-" in name}
        assert len(refused) == (60 if nine else 0)
        assert all(text.endswith("is marked as broken") for text in refused.values())


# --- which builds are the same ----------------------------------------------------------------


def test_every_recipe_is_another_derivation(judged: list[Judged]) -> None:
    assert len({each.fact["drvPath"] for each in judged}) == 476


def test_no_two_recipes_differ_in_name_only(tmp_path: Path) -> None:
    """With one `pname` for all: each cell differs by its toolkit, GPU or flags, and the examples
    by their pins and Torches."""
    files: dict[str, Path] = {}
    for example in COUNTS:
        made = compiled(example, 'attrs.pname="same"', "allow-broken=true")
        written = write_recipes(made, tmp_path / example)
        files |= {f"{example}/{name}": path for name, path in written.items()}
    paths = drv_paths(files)
    assert len(set(paths.values())) == len(paths) == 476


def edited(folder: Path, *edits: tuple[str, str, str]) -> Path:
    """A copy of the examples in *folder*; each edit is a file, a text in it, and another.

    Nothing is silenced in it, as an edit may leave nothing to silence, which is an error."""
    for path in EXAMPLES.glob("*/*.tvar"):
        copy = folder / path.relative_to(EXAMPLES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        copy.write_text(re.sub(r"(?m)^warn .*\n", "", text), encoding="utf-8")
    for file, before, after in edits:
        text = (folder / file).read_text(encoding="utf-8")
        assert before in text, (file, before)
        (folder / file).write_text(text.replace(before, after), encoding="utf-8")
    return folder


def paths_of(made: Compilation, folder: Path, part: str) -> dict[str, str]:
    """Derivations of the variants of *made* that have *part* in their names."""
    written = write_recipes(made, folder)
    return drv_paths({name: path for name, path in written.items() if part in name})


ALLOW_BROKEN = (TEN, "config { allowBroken = true ", "config { allowBroken = false ")
# What can be written otherwise, and for which builds. Nix resolves an alias before it builds; what
# is in `config` and `meta` decides whether a build is allowed, and is no part of it.
SAME = {
    "an alias, and the set that it stands for": (
        (TEN, "final.cudaPackages_13\n", "final.cudaPackages_13_0\n"),
        "-cuda13_0-",
    ),
    "allowBroken without a GPU": (ALLOW_BROKEN, "-cpu-"),
    "allowBroken for Apple's GPUs": (ALLOW_BROKEN, "-darwin-"),
    "python3Packages where python3 is 3.13": (
        (SHARED, '"python313Packages"', '"python3Packages"'),
        "-",
    ),
    "one platform more": (
        (NINE, '["x86_64-linux", "aarch64-linux"]', '["x86_64-linux"]'),
        "-cpu-",
    ),
}


@pytest.mark.parametrize("what", SAME)
def test_these_are_the_same_builds(what: str, judged: list[Judged], tmp_path: Path) -> None:
    edit, part = SAME[what]
    example = "torch-2.8" if edit[0] == SHARED else edit[0].partition("/")[0]
    made = compiled(example, root=edited(tmp_path / "examples", edit))
    wanted = {
        each.name: each.fact["drvPath"]
        for each in judged
        if each.example == example and part in each.name
    }
    assert wanted and paths_of(made, tmp_path / "out", part) == wanted


# What the README would do instead: other builds, of which none is refused.
INSTEAD = {
    "capabilities": ((SHARED, "flag narrow = false", "flag narrow = true"), "-cuda", 169),
    "MAGMA's patch": ((NINE, "magma-fix    = false", "magma-fix = true"), "-cuda13_0-", 60),
}


@pytest.mark.parametrize("what", INSTEAD)
def test_these_are_other_builds(what: str, judged: list[Judged], tmp_path: Path) -> None:
    edit, part, count = INSTEAD[what]
    made = compiled("torch-2.9", "allow-broken=true", root=edited(tmp_path / "examples", edit))
    after = paths_of(made, tmp_path / "out", "")
    before = {each.name: each.fact["drvPath"] for each in judged if each.example == "torch-2.9"}
    assert after.keys() == before.keys()
    other = {name for name in after if after[name] != before[name]}
    assert other == {name for name in before if part in name}
    assert len(other) == count


def test_magma_has_no_code_for_sm61_unless_it_is_asked_for(
    judged: list[Judged], tmp_path: Path
) -> None:
    old = [each for each in judged if "-sm61-" in each.name]
    assert len(old) == 4 + 4 + 2 + 2
    assert all("6.1" not in each.torch["cudaCapabilities"] for each in old)
    written = write_recipes(compiled("torch-2.9", "narrow=true"), tmp_path)
    narrow = evaluate({name: path for name, path in written.items() if "-sm61-" in name})
    assert len(narrow) == 4
    for fact in narrow.values():
        assert fact["torch"] is not None
        assert fact["torch"]["cudaCapabilities"] == ["6.1"]


# --- more axis values -------------------------------------------------------------------------


def test_each_more_python_is_one_more_axis_value(
    files: dict[str, dict[str, Path]], judged: list[Judged], tmp_path: Path
) -> None:
    """`torch-2.8` has 62 builds for each, and those for 3.13 do not notice the others."""
    made: dict[str, Path] = {}
    for pythons in (("python312",), ("python311", "python312")):
        axis = f"interpreter[{', '.join(pythons)}, python313]"
        root = edited(tmp_path / pythons[0], (EIGHT, "interpreter[python313]\n", f"{axis}\n"))
        made = write_recipes(compiled("torch-2.8", root=root), tmp_path / f"out-{pythons[0]}")
        assert set(made) == {
            name.replace("python313", python)
            for name in TABLES["torch-2.8"]
            for python in (*pythons, "python313")
        }
        for name, path in files["torch-2.8"].items():
            assert without_head(made[name]) == without_head(path)
    facts = evaluate({name: path for name, path in made.items() if "python313" not in name})
    assert len(facts) == 2 * 62
    twins = {each.name: each.fact for each in judged if each.example == "torch-2.8"}
    for name, fact in facts.items():
        minor = name.partition("python3")[2][:2]
        twin = twins[name.replace(f"python3{minor}", "python313")]
        assert fact["name"] == twin["name"].replace("python3.13", f"python3.{minor}")
        assert fact["pname"] == name
        assert fact["torch"] == twin["torch"], name
        assert fact["pin"] == twin["pin"], name
        assert fact["system"] == twin["system"], name
        assert fact["meta"]["platforms"] == twin["meta"]["platforms"], name
    assert len({fact["drvPath"] for fact in (*facts.values(), *twins.values())}) == 3 * 62


def without_head(path: Path) -> str:
    """A recipe without the comment that it begins with."""
    return re.sub(r"\A(#.*\n)+", "", path.read_text(encoding="utf-8"))


# --- what must turn it red --------------------------------------------------------------------

# An edit of torch-2.8, and the fields that do not meet the table then.
MUTATIONS = {
    "another name": (SHARED, 'pname = "{{variant}}"', 'pname = "x-{{variant}}"', {"pname"}),
    "another Python": (SHARED, '"python313Packages"', '"python312Packages"', {"torch"}),
    "another pin": (EIGHT, "pin    = at-fe5e41d", "pin    = at-0182a36", {"rev", "torch"}),
    "a key of config more": (SHARED, "flag narrow = false", "flag narrow = true", {"config"}),
    "no CUDA set chosen": (
        SHARED,
        "extends torch-cuda with of-tables {\n",
        "extends torch-cuda with of-tables {\n  overlays = []\n",
        {"cuda"},
    ),
    "another target": (
        SHARED,
        "flag narrow",
        'args { gpuTargets = ["9.0a"] }\n  flag narrow',
        {"gpu"},
    ),
    "no target beneath": (EIGHT, "gpuTargets = [gpu.capability]", "gpuTargets = []", {"gpu"}),
    "a platform less": (EIGHT, ', "aarch64-linux"]', "]", {"platforms"}),
    "a patch of MAGMA": (
        SHARED,
        "flag narrow",
        "flag magma-fix = true\n  flag narrow",
        {"magma_patches"},
    ),
    "a flag less": (SHARED, ', "-DC_AVX2_FOUND=FALSE"', "", {"cmakeFlags"}),
}


@pytest.mark.parametrize("what", MUTATIONS)
def test_another_program_does_not_meet_the_table(what: str, tmp_path: Path) -> None:
    file, before, after, fields = MUTATIONS[what]
    root = edited(tmp_path / "examples", (file, before, after))
    written = write_recipes(compiled("torch-2.8", root=root), tmp_path / "out")
    found = join("torch-2.8", written, evaluate(written))
    assert {name for name, meets in CHECKS.items() if not all(map(meets, found))} == fields


# --- the programs -----------------------------------------------------------------------------


@pytest.mark.parametrize("example", COUNTS)
def test_the_programs_are_short_and_leave_nothing_in_doubt(example: str) -> None:
    text = (EXAMPLES / example / "variants.tvar").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    assert 'use "../shared/torch.tvar"\n' in text
    made = compiled(example)
    assert len(made.recipes()) == COUNTS[example]
    assert messages(made) == ""
