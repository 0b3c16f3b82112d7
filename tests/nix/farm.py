"""A Nix that builds for tests: a store of its own below a folder, and machines that are stores
beside it, reached by a stand-in for ssh through the real build hook."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from support.command import ROOT, tvarc
from support.library_cache import own_cache
from support.nix import requires_nix
from support.recipes import MODEL, nix_instantiate

_PROGRAMS: Final = ("nix-instantiate", "nix-store", "nix", "nix-daemon", "nix-build")
_SHELL: Final = Path("/bin/busybox")


def _cannot_build() -> bool:
    # As for Nix itself: where everything is meant to run, what is missing fails the tests.
    return not (os.environ.get("CI") or (_SHELL.exists() and _is_isolated()))


def _is_isolated() -> bool:
    """Whether builds can have a file system of their own."""
    if os.geteuid() == 0:
        return True
    if shutil.which("unshare") is None:
        return False
    return not subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode


requires_builds = pytest.mark.skipif(_cannot_build(), reason="Nix cannot build here")
builds = [requires_nix, requires_builds, pytest.mark.nix]


@dataclass(frozen=True)
class Farm:
    """The folder of all of it; `project` is the current folder."""

    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def write(self, text: str) -> None:
        (self.project / "variants.tvar").write_text(text, encoding="utf-8")

    def machines(self, **hosts: str) -> str:
        """A file of machines: each a host with its systems and features, as `b1="x86_64-linux -
        2 1 big-parallel -"`. Each gets a store, and a Nix that has these features."""
        lines = []
        for host, rest in hosts.items():
            (self.root / host).mkdir(exist_ok=True)
            features = rest.split()[4] if rest.split()[4] != "-" else ""
            setting = f"system-features = {features.replace(',', ' ')}\n"
            (self.root / f"{host}.conf").write_text(setting, encoding="utf-8")
            lines.append(f"ssh-ng://{host} {rest}\n")
        file = self.root / "machines"
        file.write_text("".join(lines), encoding="utf-8")
        return str(file)

    def down(self, host: str) -> None:
        """Take *host* away, with all that runs there."""
        (self.root / f"{host}.down").touch()
        pids = self.root / f"{host}.pids"
        for pid in pids.read_text().split() if pids.exists() else ():
            for one in (*_children(int(pid)), int(pid)):
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)

    def stop(self) -> None:
        """End what still runs on any machine."""
        for pids in self.root.glob("*.pids"):
            self.down(pids.stem)

    def up(self, host: str) -> None:
        (self.root / f"{host}.down").unlink()

    def realise(self, *words: str, code: int = 0) -> dict[str, Any]:
        """The report of a run."""
        result = tvarc("realise", "--json", "--logs", str(self.logs), *words, code=code)
        return checked(result.stdout)

    def nix(self, program: str, *words: str) -> str:
        done = subprocess.run(
            [program, *words], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def checked(text: str) -> dict[str, Any]:
    """The report in *text*, which is as its schema says."""
    found: dict[str, Any] = json.loads(text)
    schema = json.loads((ROOT / "docs" / "schema" / "realise.json").read_text(encoding="utf-8"))
    pytest.importorskip("jsonschema").Draft202012Validator(schema).validate(found)
    return found


def states(report: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["state"] for one in report["variants"]}


def in_state(report: dict[str, Any], state: str) -> list[str]:
    return [name for name, found in states(report).items() if found == state]


def put_farm(root: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    """A farm in *root*, which the current process uses from now on: its project has the model as
    `nixpkgs`, of which derivations can be built."""
    programs = root / "bin"
    programs.mkdir()
    chosen = Path(shutil.which(nix_instantiate()) or "")
    for name in _PROGRAMS:
        beside = chosen.parent / name
        real = beside if beside.exists() else shutil.which(name)
        wrapper = programs / name
        wrapper.write_text(f'#!/bin/sh\nexec "{real}" "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)
    shutil.copy(Path(__file__).parent / "ssh-stand-in", programs / "ssh")
    for name, value in {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "FARM": str(root),
        "HOME": str(root / "home"),
        "NIX_REMOTE": str(root / "store"),
        "NIX_CONF_DIR": str(ROOT / ".ci"),
        "XDG_CACHE_HOME": str(own_cache(root / "cache")),
        "XDG_STATE_HOME": str(root / "state"),
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("NIX_STORE_DIR", "NIX_STATE_DIR", "NIX_LOG_DIR", "NIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    if nix_instantiate() != "nix-instantiate":
        # One that is unpacked beside the system's would find the build hook of that.
        monkeypatch.setenv("NIX_CONFIG", f"build-hook = {programs / 'nix'} __build-remote")
    (root / "home").mkdir()
    farm = Farm(root)
    (farm.project / "nixpkgs").mkdir(parents=True)
    (farm.project / "nixpkgs" / "default.nix").write_text(
        f"given: import {MODEL} (given // {{ modelArgs.builds = true; }})\n", encoding="utf-8"
    )
    monkeypatch.chdir(farm.project)
    return farm


def build_without_sandbox(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the current process build on *farm* without the sandbox, which Nix demands for a store
    that is not where its paths say. So the store is one with paths of its own."""
    monkeypatch.delenv("NIX_REMOTE")
    for name, folder in (("STORE", "store"), ("STATE", "var"), ("LOG", "log")):
        monkeypatch.setenv(f"NIX_{name}_DIR", str(farm.root / "plain" / folder))
    config = os.environ.get("NIX_CONFIG", "")
    monkeypatch.setenv("NIX_CONFIG", f"{config}\nsandbox = false\n")


def _children(pid: int) -> Iterable[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return
    for one in text.split():
        yield from _children(int(one))
        yield int(one)


def built_in(store: Path) -> Sequence[str]:
    """The names of what is in *store*."""
    folder = store / "nix" / "store"
    names = sorted(path.name[33:] for path in folder.iterdir()) if folder.exists() else []
    return [name for name in names if not name.endswith((".drv", ".lock"))]
