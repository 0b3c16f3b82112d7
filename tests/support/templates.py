"""The templates of all messages of the compiler."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from support.compile import ROOT
from tvarc.text.diagnostics.message import Message

COMPILER = ROOT / "compiler" / "tvarc"
PACKAGES = sorted(path.parent for path in COMPILER.rglob("messages/__init__.py"))


@cache
def templates() -> Mapping[str, Message]:
    """All messages by `room/topic.NAME`."""
    found: dict[str, Message] = {}
    for package in PACKAGES:
        room = package.parent.relative_to(COMPILER).as_posix()
        for path in sorted(package.glob("*.py")):
            if path.stem == "__init__":
                continue
            name = f"tvarc.{room.replace('/', '.')}.messages.{path.stem}"
            for key, value in vars(import_module(name)).items():
                if isinstance(value, Message) and not key.startswith("_"):
                    found[f"{room}/{path.stem}.{key}"] = value
    return found
