"""Run the command line in tests: within this process, or as one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

import pytest
from typer import Typer, testing
from typer.main import get_command
from typer.testing import Result

from tvarc.commands.start.app import app

ROOT = Path(__file__).resolve().parents[2]

SMALL = """\
pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "6a030d535719c5190187c4cec156f335e95e3211"
}

axis gpu {
  sm90  { capability = 9.0 }
  sm100 { capability = 10.0 }
  sm103 { capability = 10.3 }
}
axis cuda = [12.8, 13.0]

let newest = gpu.capability >= 10.3

recipe base {
  package = pkgs.hello
  flag fast: bool = true because "it is"
  attrs {
    pname   = "hello-{{variant}}"
    patches = [path("./fix me.patch")] because "ours alone"
    flags   = ["-a"]
  }
  script preConfigure {
    part one \"\"\"
      echo {{gpu}}
    \"\"\"
    when fast {
      part two \"\"\"
        echo fast
      \"\"\"
    }
  }
}

matrix all {
  recipe = base
  axes   = gpu * cuda
  name   = "hello-cuda{{under(cuda)}}-{{gpu}}"
  exclude gpu == sm90 and cuda == 13.0 because "never"
}

output nix { file = "pkgs/{{variant}}.nix" }

warn pin-without-hash = off because "nothing is fetched"
warn same-build = off because "cuda is in the name alone"
"""


def put_small(folder: Path, text: str = SMALL, name: str = "variants.tvar") -> Path:
    """Write *text*, which is much like SMALL, and the patch that it names; the program's path."""
    (folder / "fix me.patch").touch()
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def tvarc(
    *args: str,
    env: Mapping[str, str | None] | None = None,
    piped: str = "",
    code: int | None = None,
) -> Result:
    """A command in this process, in its current folder, with the input *piped*; faults of ours are
    raised. Raises AssertionError unless it ends with *code*, if that is given."""
    with patch.object(testing, "_get_command", _commands):
        done = testing.CliRunner().invoke(
            app, list(args), piped, prog_name="tvarc", env=env, catch_exceptions=False
        )
    assert code in (None, done.exit_code), f"{done.exit_code}, not {code}: {done.output}"
    return done


@cache
def _commands(of: Typer) -> object:
    """The commands as the runner has them: to make them takes longer than most of them take."""
    return get_command(of)


def calls(
    monkeypatch: pytest.MonkeyPatch, function: str, kept: Callable[..., Any] = lambda *given: given
) -> list[Any]:
    """The calls from now on of the *function* with this dotted name, which does what it did: of
    each what *kept* makes of its arguments, by default all that have no name."""
    found: list[Any] = []
    real = resolve_name(function)

    def call(*given: object, **named: object) -> object:
        found.append(kept(*given))
        return real(*given, **named)

    monkeypatch.setattr(function, call)
    return found


def compiled_from_now(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs that commands in this process compile from now on."""
    return calls(monkeypatch, "tvarc.commands.line.session.compile_file", lambda file, *_: file)


_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
}  # fmt: skip


def git(*words: str, cwd: Path | None = None, fails: bool = False) -> str:
    """What git prints, run by a person who has configured nothing. Raises AssertionError unless it
    ends as it should."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    settings = ("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always")
    done = subprocess.run(
        ["git", *settings, *words], cwd=cwd, env=own | _GIT, capture_output=True, check=False
    )
    assert (done.returncode != 0) is fails, os.fsdecode(done.stdout + done.stderr)
    return os.fsdecode(done.stdout)


def spawn(
    *args: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    shell: str = "",
    code: int | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own; *shell* follows it, for redirections. Raises
    AssertionError unless it ends with *code*, if that is given."""
    command = [sys.executable, "-m", "tvarc", *args]
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {shell}', "sh", *command] if shell else command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler"), **(env or {})},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert code in (None, done.returncode), f"{done.returncode}, not {code}: {done.stderr!r}"
    return done
