"""Recipes with faults of any kind: each is imported or listed, and none is a fault of ours."""

from __future__ import annotations

import random
from typing import Final

import pytest

from support.byhand import STYLES
from support.families import family
from support.library_cache import library_cache
from tvarc.advice.library.tables import load_library
from tvarc.byhand.importing.folder import Choices, HandMade
from tvarc.byhand.importing.imported import import_recipes
from tvarc.byhand.importing.tables import tables_of
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir

_FRAGMENTS: Final = (
    '"', "''", "${", "}", "{", "(", ")", "[ ]", "{ }", " ++ ", " // ", " + ", ";", "old", "old.x",
    "pkgs.zlib", "null", "-1", "1.5", "{{x}}", "{{", '"""', '""""""',
    "\n", "\t", "\\", "$", "#c\n", "/* c */",
    "with pkgs;", "rec", "inherit lib;", "x: x", "final", "./a.nix", "<nixpkgs>", "a.b.c = 1;",
    "if true then 1 else 2", "assert true;", "let a = 1; in a", "\u00e9", "\r", "\ue000", "or",
)  # fmt: skip
_ROUNDS: Final = 60


@pytest.mark.slow
def test_any_recipe_is_imported_or_listed() -> None:
    cache, folder = library_cache(), stdlib_dir()
    tables = tables_of(load_library(DiskLoader(folder), cache))
    dice = random.Random(7)
    for number in range(_ROUNDS):
        made = family(list(STYLES)[number % len(STYLES)])
        paths = dice.sample([path for path in made if path.startswith("pkgs/")], 4)
        for path in dice.sample(paths, dice.choice([1, 4])):
            at = dice.randrange(len(made[path]))
            end = at + dice.choice([0, 0, 1, 3, 10])
            made[path] = made[path][:at] + dice.choice(_FRAGMENTS) + made[path][end:]
        files = [HandMade(path, path[5:-4], made[path]) for path in paths]

        def read(importer: str, named: str, made: dict[str, str] = made) -> tuple[str, str] | str:
            path = named.removeprefix("../")
            return (path, made[path]) if path in made else "there is none"

        found = import_recipes(files, read, tables, Choices("keep", (), "pkgs"), folder, cache)
        told = {*found.files, *found.helpers, *(one.path for one in found.left_out)}
        assert told == set(paths)
        assert all(one.reason and one.line >= 1 for one in found.left_out)
