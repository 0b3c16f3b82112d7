"""The 44 recipes of `variants.tvar`, written and read once, and copied for each test that breaks
them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.compile import VARIANTS, compile_variants, write_recipes
from tvarc.byhand.audit import examine
from tvarc.byhand.audit.model import Pin, RecipeFacts
from tvarc.byhand.audit.names import Siblings
from tvarc.byhand.audit.read import Pythons, not_known, read_facts
from tvarc.byhand.audit.reducer import nothing_read
from tvarc.byhand.reading.reduce import Read
from tvarc.byhand.reading.shared import RecipeParser


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    write_recipes(compile_variants(), folder)
    shutil.copy(VARIANTS, folder / "variants.tvar")
    return folder


@pytest.fixture
def recipes(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the recipes, in a project that is the current folder."""
    copy = tmp_path / "project"
    shutil.copytree(built, copy)
    monkeypatch.chdir(copy)
    return copy / ".flox" / "pkgs"


class Kept:
    """What recipes say, by their text. What is asked of pins meanwhile is asked again: another
    program may answer otherwise."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[list[tuple[Pin, str]], RecipeFacts]]] = {}

    def read(
        self,
        parser: RecipeParser,
        text: str,
        pythons: Pythons = not_known,
        path: str = "",
        read: Read = nothing_read,
        recipes: Siblings | None = None,
    ) -> RecipeFacts:
        known = self._known.setdefault(text, [])
        for answers, facts in known:
            if all(pythons(pin) == answer for pin, answer in answers):
                return facts
        asked: list[tuple[Pin, str]] = []

        def answered(pin: Pin) -> str:
            answer = pythons(pin)
            asked.append((pin, answer))
            return answer

        facts = read_facts(parser, text, answered, path, read, recipes)
        if not facts.followed and "needs" not in text and "./" not in text:
            known.append((asked, facts))
        return facts


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """Most of an audit is reading, and each of these tests audits nearly the same recipes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examine, "read_facts", Kept().read)
        yield
