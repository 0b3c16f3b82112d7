"""Where the logs of builds are kept."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from tvarc.commands.realise.plan import logs_folder


@pytest.mark.parametrize("home", ["", "relative", None])
def test_a_home_that_is_no_folder_is_not_the_root_of_all(
    home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    state = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".local" / "state" / "tvarc"
    assert Path(logs_folder("variants.tvar")).parent == state


def test_a_user_whom_the_system_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(number: int) -> None:
        raise KeyError(number)

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert Path(logs_folder("variants.tvar")).parts[-4:-1] == (".local", "state", "tvarc")
    assert not logs_folder("variants.tvar").startswith("/.local")
