"""One folder a case: a program, and all that the compiler makes of it.

A case is a folder of `tests/snapshots/` with an `input.tvar`, and with an `options.txt` where the
command line gives settings. Beside it are the snapshots: `diagnostics.txt`, dumps such as
`ast.txt`, and the emitted files under `nix/`. A case of a warning (`w…`) has only
`diagnostics.txt`.
`pytest --snapshot-update` writes and removes no other file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from support.alone import emit
from support.compile import compile_on_disk
from tvarc.build.driver import Compilation
from tvarc.commands.dump import dump_node, dump_program
from tvarc.meaning.overrides import Setting
from tvarc.text.diagnostics.render_text import render_text

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion
    from syrupy.data import SnapshotCollections
    from syrupy.location import PyTestLocation

CASES = Path(__file__).parent / "snapshots"
INPUT = "input.tvar"
STAGES = ("ast", "hir", "ir")
# Dumps are long: a few cases show each stage.
DUMPED = {
    "ok-modules": ("ast", "hir"),
    "ok-exclude-module": ("hir",),
    "ok-inheritance": ("ir",),
    "ok-scripts": ("ir",),
}


def cases() -> list[str]:
    return sorted(folder.name for folder in CASES.iterdir() if (folder / INPUT).is_file())


def is_output(case: Path, path: Path) -> bool:
    """Whether *path* is a file that an update may write or remove."""
    inner = path.relative_to(case)
    if inner.parts[0] == "nix":
        return inner.suffix == ".nix"
    return str(inner) in {"diagnostics.txt", *(f"{stage}.txt" for stage in STAGES)}


class CaseFiles(SingleFileSnapshotExtension):
    """Snapshots as plain files of the case's folder, named by the index of the assertion."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: Any) -> str:
        assert isinstance(index, str)
        path = CASES / index
        assert is_output(CASES / Path(index).parts[0], path), index
        return str(path)

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        return True

    def discover_snapshots(self, **_: Any) -> SnapshotCollections:
        """None: what is left over is found, and removed, by the test of its own case."""
        from syrupy.data import SnapshotCollections

        return SnapshotCollections()

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        raise AssertionError(f"an update is about to remove {snapshot_location}")


@pytest.fixture
def case_files(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(CaseFiles)


def outputs(case: str) -> Iterator[tuple[str, str]]:
    """All that compiling *case* gives: names of files in its folder, and their texts."""
    chosen = options(CASES / case / "options.txt")
    made = compile_on_disk(INPUT, *chosen)
    recipes = made.recipes()
    if made.diagnostics:
        yield (
            "diagnostics.txt",
            render_text(made.diagnostics, made.sources, colour=False, width=100),
        )
    for stage in DUMPED.get(case, ()):
        yield f"{stage}.txt", dump(stage, made)
    if not made.sink.has_errors:
        files = list(emit(recipes, INPUT))
        # The case of a warning is about the warning: its recipes are those of other cases.
        for file in () if case.startswith("w") else files:
            yield f"nix/{file.path}", file.text
        for one in made.collections(INPUT):
            yield f"nix/{one.path}", one.data().decode()


def options(file: Path) -> tuple[Setting, ...]:
    """The options of a case, one a line: `--flag F=V`, `--set PATH=V`."""
    if not file.exists():
        return ()
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(
        Setting(option, text) for option, _, text in (line.partition(" ") for line in lines)
    )


def dump(stage: str, made: Compilation) -> str:
    assert made.graph is not None and made.resolution is not None
    match stage:
        case "ast":
            trees = [module.tree for module in made.graph.modules.values()]
            return dump_node(trees, made.sources)
        case "hir":
            return dump_program(made.resolution.program, made.sources)
        case _:
            return dump_node(made.recipes(), made.sources)


@pytest.mark.parametrize("case", cases())
def test_case(
    case: str,
    case_files: SnapshotAssertion,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = CASES / case
    monkeypatch.chdir(folder)
    made = dict(outputs(case))
    for name, text in made.items():
        assert text == case_files(name=f"{case}/{name}"), name
    on_disk = [path for path in folder.rglob("*") if path.is_file() and is_output(folder, path)]
    left = [path for path in on_disk if str(path.relative_to(folder)) not in made]
    if request.config.option.update_snapshots:
        for path in left:
            path.unlink()
        left = []
    assert left == [], "these files are not made any more"


@pytest.mark.parametrize("case", [case for case in cases() if case.startswith("ok-")])
def test_good_cases_have_no_diagnostics_and_emit_something(case: str) -> None:
    assert not (CASES / case / "diagnostics.txt").exists()
    assert list((CASES / case / "nix").rglob("*.nix"))


@pytest.mark.slow
def test_an_update_never_touches_inputs(tmp_path: Path) -> None:
    """Leftovers of every kind in a case: the outputs among them go, all else stays as it is."""
    case = tmp_path / "snapshots" / "ok-modules"
    shutil.copytree(CASES / "ok-modules", case)
    shutil.copy(__file__, tmp_path / "test_snapshots.py")
    inputs = {
        INPUT: (case / INPUT).read_text(),
        "shared.tvar": (case / "shared.tvar").read_text(),
        "unused.tvar": "let never = imported\n",
        "notes.txt": "a file that is no output\n",
        "patches/fix.patch": "--- a\n",
        "other.nix": "{ }\n",
    }
    for name, text in inputs.items():
        (case / name).parent.mkdir(exist_ok=True)
        (case / name).write_text(text)
    stale = [case / "diagnostics.txt", case / "ir.txt", case / "nix" / "gone.nix"]
    for path in stale:
        path.write_text("stale\n")
    no_input = tmp_path / "snapshots" / "no-case"
    no_input.mkdir()
    (no_input / "other.tvar").write_text("let a = 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-k",
         "test_case", "--snapshot-update", "--rootdir", str(tmp_path), "test_snapshots.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTEST_ADDOPTS": "", "PYTHONPATH": str(CASES.parent)},  # `support`
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name: (case / name).read_text() for name in inputs} == inputs
    assert [path for path in stale if path.exists()] == []
    assert (no_input / "other.tvar").exists()
    kept = (CASES / "ok-modules" / "nix" / "plain.nix").read_text()
    assert (case / "nix" / "plain.nix").read_text() == kept


@pytest.mark.nix
@pytest.mark.skipif(
    shutil.which("nix-instantiate") is None and not os.environ.get("CI"),
    reason="nix-instantiate is not installed",
)
def test_nix_parses_all_that_is_emitted() -> None:
    files = sorted(str(path) for path in CASES.glob("*/nix/**/*.nix"))
    assert files
    done = subprocess.run(
        ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--parse", *files],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
