"""Families of other kinds than PyTorch's: real Nix finds that what is built is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.effort import sampled
from support.families import put
from support.foreign import FOREIGN, OTHER, parts_repository
from support.nix import requires_nix
from support.recipes import drv_paths


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@pytest.mark.parametrize("kind", sampled(FOREIGN, 4))
def test_what_is_built_is_the_same_derivation(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = put(tmp_path, FOREIGN[kind]())
    done = tvarc("import", "pkgs")
    assert done.exit_code == 0, done.output
    by_hand = {path.stem: path for path in folder.glob("*.nix")}
    put(tmp_path, parts_repository())
    sources = {OTHER: tmp_path / "parts"}
    wanted = drv_paths(by_hand, sources=sources)
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    built = {path.stem: path for path in (tmp_path / "built").rglob("*.nix")}
    assert set(built) == set(by_hand)
    made = drv_paths(built, sources=sources)
    for name in by_hand:
        assert made[name] == wanted[name], name
    assert len(set(wanted.values())) == len(wanted)
