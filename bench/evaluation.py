"""Nix on what tvarc wrote: all variants in one file, beside the same variants each in its own.

The nixpkgs is the small model of `tests/nixpkgs`, in which a package takes no time to evaluate.
With nixpkgs itself more is saved.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench import inputs
from bench.commands import EACH, JUDGED, ONE, ONE_PROCESS, Places
from bench.sources import ROOT
from bench.timing import Failed, Job, timed
from bench.workload import Spec

_PIN = '  github = "NixOS/nixpkgs"\n  rev    = cuda.rev\n'
_OF_A_TARBALL = re.compile(r"^warn pin-without-hash .*\n", re.MULTILINE)
_OUTPUTS = """
output all: all { file = "default.nix" }
output each { file = "pkgs/{{variant}}.nix" }
"""
_EVALUATE = ("nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval")
_OF_ONE = """
let all = import ./default.nix { };
in map (one: one.drvPath) (builtins.filter (one: one ? drvPath) (builtins.attrValues all))
"""
_OF_EACH = """
map (name: (import (./pkgs + "/${name}") { }).drvPath)
  (builtins.attrNames (builtins.readDir ./pkgs))
"""
_LOOP = f'for file in pkgs/*.nix; do {" ".join(_EVALUATE)} -A drvPath "$file" || exit 1; done'


class Evaluation:
    """What Nix makes of the matrix of one size, which `tvarc build` has written to a folder."""

    __slots__ = ("_environment", "_folder", "_tvarc")

    def __init__(self, tvarc: Sequence[str], chosen: Spec, places: Places, limit: float) -> None:
        self._folder = places.home("evaluation")
        shutil.copytree(ROOT / "tests" / "nixpkgs", self._folder / "nixpkgs")
        text = inputs.tvar(chosen, inputs.JOBS, inputs.HOPPER_JOBS)
        if _PIN not in text:
            raise Failed("the matrix has another pin")
        text = _OF_A_TARBALL.sub("", text.replace(_PIN, '  path = "./nixpkgs"\n'))
        # Those for ARM are evaluated on this machine as well.
        text = text.replace("config { ", "config { allowUnsupportedSystem = true, ", 1)
        text = text.partition("\noutput ")[0]
        program = self._folder / "matrix.tvar"
        program.write_text(text + _OUTPUTS, encoding="utf-8")
        self._environment = {"XDG_CACHE_HOME": str(self._folder), "HOME": str(self._folder)}
        self._tvarc = tvarc
        timed([*tvarc, "build", "--no-git", program], limit, self._environment)

    def made(self) -> tuple[int, int]:
        """The files of single variants, and their bytes in all."""
        sizes = [path.stat().st_size for path in (self._folder / "pkgs").iterdir()]
        return len(sizes), sum(sizes)

    def jobs(self) -> list[Job]:
        def job(key: str, *argv: str | Path) -> Job:
            return Job(key, argv, folder=self._folder, check=lambda number: self._demand_alike())

        strict = (*_EVALUATE, "--strict", "--json", "-E")
        return [
            job(ONE, *strict, _OF_ONE),
            job(ONE_PROCESS, *strict, _OF_EACH),
            job(EACH, "sh", "-c", _LOOP),
            Job(
                JUDGED, (*self._tvarc, "check", "--eval", "matrix.tvar"), self._environment,
                self._folder,
            ),
        ]  # fmt: skip

    def _demand_alike(self) -> None:
        """`Failed` unless the one file has the derivations that the others have."""
        one, each = (self._paths(expression) for expression in (_OF_ONE, _OF_EACH))
        if one != each or not one:
            raise Failed("the derivations differ")

    def _paths(self, expression: str) -> set[str]:
        command = [*_EVALUATE, "--strict", "--json", "-E", expression]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, check=True)
        return set(json.loads(done.stdout))
