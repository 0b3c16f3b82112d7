"""The docstring of the room leads through its files: through each, and through no other."""

from __future__ import annotations

import re
from pathlib import Path

from tvarc.byhand import importing


def test_each_file_is_named_once() -> None:
    room = Path(importing.__file__).parent
    named = re.findall(r"`(\w+\.py)`", importing.__doc__ or "")
    assert sorted(named) == sorted(path.name for path in room.glob("[!_]*.py"))
