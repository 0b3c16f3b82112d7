"""A folder with a program that tells other systems what to build."""

from __future__ import annotations

from pathlib import Path

import pytest

PROGRAM = """\
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" }, sm121 { label = "GB10" } }
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
recipe app {
  package = pkgs.hello
  env   { GPU = gpu.label }
  attrs { requiredSystemFeatures = if gpu == sm90 then ["cuda", "big-parallel"] else [] }
  meta  { platforms = [if gpu == sm121 then "aarch64-linux" else "x86_64-linux"] }
}
matrix apps { recipe = app, axes = gpu, name = "app-{{gpu}}" }
output flox { file = ".flox/pkgs/{{variant}}.nix" }
"""
FLAKE = 'output flake: flake { file = "flake.nix" }\n'
JOBS = 'output jobs: jobs { file = "jobs.jsonl" }\n'
GITHUB = """\
output github: github {
  file    = ".github/workflows/build.yml"
  tvarc   = "github:example/tvarc/6a030d535719c5190187c4cec156f335e95e3211"
  matrix  = ".github/matrix.json"
  runners = { cuda = ["self-hosted", "gpu"] }
}
"""
EVERY = PROGRAM + FLAKE + JOBS + GITHUB
FILES = ("jobs.jsonl", ".github/workflows/build.yml", ".github/matrix.json")


def put(text: str, name: str = "variants.tvar") -> None:
    Path(name).write_text(text, encoding="utf-8")


def change(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


@pytest.fixture(autouse=True)
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my prøject"
    folder.mkdir()
    monkeypatch.chdir(folder)
    put(EVERY)
    return folder
