"""The machines that Nix may build on: lines of a file, and who takes what."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from support.effort import for_each
from tvarc.farm.realise.machines import machines_in, machines_of, read_machines, takers
from tvarc.farm.realise.store import Here, StoreRefused, settings

HERE = Here(2, frozenset({"x86_64-linux", "i686-linux"}), frozenset({"kvm"}), "")
TEXT = """\
# all of them
ssh-ng://b1 x86_64-linux,aarch64-linux /key 8 2 big-parallel,kvm - c3NoLWVkMjU1MTk=
ssh://b2 - - 4 1.5 gpu-sm90 gpu-sm90   # only what asks for it
b3

b4 aarch64-darwin
"""


def test_lines() -> None:
    machines, bad = read_machines(TEXT)
    assert bad == []
    assert [one.address for one in machines] == ["ssh-ng://b1", "ssh://b2", "b3", "b4"]
    assert machines[0].systems == {"x86_64-linux", "aarch64-linux"}
    assert machines[0].features == {"big-parallel", "kvm"} and not machines[0].mandatory
    assert machines[1].mandatory == {"gpu-sm90"} and not machines[2].systems


@for_each(
    "system, features, who",
    [
        ("x86_64-linux", [], ["", "ssh-ng://b1", "b3"]),
        ("i686-linux", [], ["", "b3"]),
        ("x86_64-linux", ["kvm"], ["", "ssh-ng://b1"]),
        ("x86_64-linux", ["big-parallel", "kvm"], ["ssh-ng://b1"]),
        ("x86_64-linux", ["gpu-sm90"], ["ssh://b2"]),
        ("aarch64-linux", ["gpu-sm90"], []),
        ("aarch64-darwin", [], ["b4"]),
        ("riscv64-linux", [], []),
        ("builtin", [], [""]),
    ],
)
def test_who_takes_what(system: str, features: list[str], who: list[str]) -> None:
    machines, _ = read_machines(TEXT)
    assert takers(machines, HERE, system, features) == who
    nothing_here = takers(machines, HERE.with_jobs(0), system, features)
    assert nothing_here == [one for one in who if one]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("b1 - - two", "field 4 (jobs at a time) is `two`"),
        ("b1 - - 2 fast", "field 5 (speed) is `fast`"),
        ("b1 - - -1", "field 4"),
        ("a b c 4 5 f g h i", "it has 9 fields"),
    ],
)
def test_lines_that_are_no_machine(line: str, says: str) -> None:
    machines, bad = read_machines(f"b0\n{line}; b2\n", "list")
    assert [one.address for one in machines] == ["b0", "b2"]
    (one,) = bad
    assert (one.file, one.line) == ("list", 2) and says in one.because


def test_files_that_name_files(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("b2\nb3 - - x\n", encoding="utf-8")
    machines, bad = read_machines("b1\n@more\n", str(tmp_path / "list"))
    assert [one.address for one in machines] == ["b1", "b2"]
    assert [(one.file, one.line) for one in bad] == [(str(tmp_path / "more"), 2)]
    machines, _ = machines_of(f"b0 ; @{tmp_path / 'more'}")
    assert [one.address for one in machines] == ["b0", "b2"]
    machines, _ = machines_of("b0 ; @/no/such/file ; b1")  # Nix passes over it
    assert [one.address for one in machines] == ["b0", "b1"]
    (tmp_path / "round").write_text("b1\n@round\n", encoding="utf-8")
    machines, bad = read_machines(f"@{tmp_path / 'round'}")
    assert {one.address for one in machines} == {"b1"} and len(bad) == 1


def test_a_file_that_is_named_and_not_there_is_told_with_all_else(tmp_path: Path) -> None:
    file = tmp_path / "list"
    file.write_text("@more\nb1 - - two\n@\n", encoding="utf-8")
    found = machines_in(str(file))
    assert found.machines == [] and [one.line for one in found.bad] == [1, 2, 3]
    assert found.setting == f"@{file}"
    assert found.bad[0].because == f"`{tmp_path / 'more'}`: no such file or directory"


@pytest.mark.parametrize(("known", "asked"), [("show-config", 1), ("config show", 2), ("no", 2)])
def test_settings_have_a_name_in_each_nix(
    known: str, asked: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All versions of today know the first name, and what they refuse is reported by it."""
    told = {"max-jobs": 3, "system": "x", "extra-platforms": ["y"], "system-features": ["kvm"],
            "builders": "", "store": "auto", "secret-key-files": []}  # fmt: skip
    values = json.dumps({name: {"value": value} for name, value in told.items()})
    nix = tmp_path / "nix"
    nix.write_text(
        f"#!/bin/sh\necho asked >> '{tmp_path}/log'\n"
        f"case \"$*\" in *'{known} --json') echo '{values}'; exit;; esac\n"
        'echo "error: no $*" >&2\nexit 1\n',
        encoding="utf-8",
    )
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if known == "no":
        with pytest.raises(StoreRefused, match="show-config"):
            settings()
    else:
        assert settings() == Here(3, frozenset({"x", "y"}), frozenset({"kvm"}), "", "auto")
    assert len((tmp_path / "log").read_text(encoding="utf-8").split()) == asked
