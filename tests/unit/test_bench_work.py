"""The benchmark's work: the same for all that are timed, and such as a person would have."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path

import pytest

from bench import commands, inputs, trees, workload
from bench.sources import Edit, matrix, programs
from support.alone import emit
from support.compile import ROOT, compile_text, messages, write_recipes
from support.nix import requires_nix
from support.recipes import evaluate

SMALL = 44


def written(
    size: int, jobs: int = inputs.JOBS, hopper_jobs: int = inputs.HOPPER_JOBS
) -> dict[str, str]:
    """What tvarc writes of a size, by file name; all in memory."""
    made = compile_text(inputs.tvar(workload.spec(size), jobs, hopper_jobs))
    recipes = made.recipes()
    assert not made.diagnostics, messages(made)
    return {file.path: file.text for file in emit(recipes, made.file)}


@pytest.fixture(scope="module")
def small() -> dict[str, str]:
    return written(SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("size", workload.SIZES)
def test_a_size_has_as_many_cells_as_it_says(size: int) -> None:
    assert sum(1 for _ in workload.cells(workload.spec(size))) == size


@pytest.mark.parametrize("size", [44, 237, 948])
def test_each_exclusion_drops_something(size: int) -> None:
    chosen = workload.spec(size)
    assert len(chosen.axes) == 5
    assert len(chosen.exclude) == 7
    for rule in chosen.exclude:
        ids = ([row["id"] for row in chosen.axes[axis]] for axis in rule)
        assert any(
            all(value in rule[axis] for axis, value in zip(rule, cell, strict=True))
            for cell in itertools.product(*ids)
        )


def test_tvarc_and_the_peers_write_files_of_the_same_names_and_sizes(small: dict[str, str]) -> None:
    reference = dict(workload.files(workload.spec(SMALL)))
    assert set(small) == set(reference)
    ours = sum(len(text.encode()) for text in small.values()) / SMALL
    theirs = sum(map(len, reference.values())) / SMALL
    assert ours == pytest.approx(theirs, rel=0.01)
    assert ours == pytest.approx(4500, rel=0.02)


def test_tvarc_makes_what_a_larger_size_says() -> None:
    made = compile_text(inputs.tvar(workload.spec(948)))
    assert not made.diagnostics, messages(made)
    names = {f"{variant.name}.nix" for variant in made.variants}
    assert names == {f"{workload.name(cell)}.nix" for cell in workload.cells(workload.spec(948))}


@pytest.mark.slow
def test_edits_change_what_they_say(small: dict[str, str]) -> None:
    every = written(SMALL, jobs=inputs.JOBS + 1)
    hopper = written(SMALL, hopper_jobs=inputs.HOPPER_JOBS + 1)
    assert all(small[name] != every[name] for name in small)
    assert {name for name in small if small[name] != hopper[name]} == {
        name for name in small if "-sm90-" in name
    }


def test_the_program_of_a_size_is_another_after_each_edit(tmp_path: Path) -> None:
    source = matrix(workload.spec(SMALL))
    texts = [source.write(tmp_path / "program", "", 0).read_text()]
    for edit in source.edits:
        if not edit.afresh:
            versions = [source.write(tmp_path / "program", edit.key, n) for n in (1,)]
            texts += [path.read_text() for path in versions]
            texts.append(source.write(tmp_path / "program", edit.key, 2).read_text())
    assert len(set(texts)) == len(texts) == 5


@pytest.mark.slow
def test_programs_that_people_build_are_measured(tmp_path: Path) -> None:
    found = programs()
    examples = sorted((ROOT / "examples").glob("*/variants.tvar"))
    titles = ["variants.tvar", *(path.relative_to(ROOT).as_posix() for path in examples)]
    assert [source.title for source in found] == titles
    for number, source in enumerate(found):
        folder = tmp_path / str(number)
        before = source.write(folder, "", 0).read_text()
        assert before == (ROOT / source.title).read_text()
    assert found[0].edits == (Edit("tvarc-edit", changes="any"),)
    assert '"-j33"' in found[0].write(tmp_path / "0", "tvarc-edit", 1).read_text()


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
def test_nix_evaluates_what_tvarc_writes(tmp_path: Path) -> None:
    made = compile_text(inputs.tvar(workload.spec(SMALL)))
    facts = evaluate(write_recipes(made, tmp_path))
    assert len({fact["drvPath"] for fact in facts.values()}) == SMALL
    fact = facts["pytorch200-python313-cuda13_0-sm90-avx2"]
    assert fact["pname"] == "pytorch200-python313-cuda13_0-sm90-avx2"
    assert fact["ninjaFlags"] == ["-j24"]
    assert fact["torch"] is not None
    assert fact["torch"]["gpuTargets"] == ["9.0"]


@requires_nix
def test_nix_makes_the_reference(tmp_path: Path) -> None:
    chosen = workload.spec(SMALL)
    inputs.write_inputs(chosen, tmp_path)
    command = ["nix-instantiate", "--store", "dummy://", "--eval", "--strict", "--json"]
    printed = subprocess.run(
        [*command, str(tmp_path / "recipes.nix")], capture_output=True, check=True
    ).stdout
    made = {name: text.encode() for name, text in json.loads(printed).items()}
    assert made == dict(workload.files(chosen))


@pytest.mark.parametrize("key", [key for key in commands.PEERS if key not in ("copy", "nix")])
def test_a_peer_writes_the_reference(key: str, tmp_path: Path) -> None:
    if key in commands.missing():
        pytest.skip(commands.missing()[key])
    chosen = workload.spec(SMALL)
    places = commands.Places(tmp_path)
    places.inputs.mkdir()
    inputs.write_inputs(chosen, places.inputs)
    (job,) = commands.peers(places, [key], lambda: workload.files(chosen))
    subprocess.run(list(map(str, job.argv)), check=True, capture_output=True)
    assert dict(trees.files_below(places.tree(key))) == dict(workload.files(chosen))


@pytest.mark.parametrize("mode", ["new", "same", "replace"])
def test_the_floors_leave_the_files_of_the_pack(mode: str, tmp_path: Path) -> None:
    files = {"a.nix": b"one", "deep/er/b.nix": b"", "deep/c.nix": bytes(range(256)) * 20}
    pack, folder = tmp_path / "pack", tmp_path / "out"
    assert trees.write_pack(files.items(), pack) == (3, 5123)
    assert dict(trees.read_pack(pack)) == files
    subprocess.run([*commands.WRITER, "new", pack, folder], check=True)
    if mode != "new":
        (folder / "a.nix").write_bytes(b"two")
        subprocess.run([*commands.WRITER, mode, pack, folder], check=True)
    assert dict(trees.files_below(folder)) == files
