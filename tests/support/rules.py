"""Rules of the language as tables of cases, and the one engine that runs a case.

A table is made of the rules of one heading of `docs/language/`. A rule is a sentence, by words
that stand in it and nowhere else under that heading, and the rows that show it: each a small
program and what is to come of it. So a sentence that is changed finds its rows, and rows that fail
find their sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from support.compile import codes, lints, messages, named_by, std_sources
from support.library_cache import library_cache
from tvarc import ir
from tvarc.diagnostics.warning_names import LINTS
from tvarc.disk import MemoryLoader
from tvarc.driver import Compilation, compile_file, emit
from tvarc.matrix.select import select
from tvarc.sema.overrides import Setting
from tvarc.values import NONE, show

# --- tables -------------------------------------------------------------------------------------

Expectation = Callable[["Made"], None]
"""What is to come of a program: raises AssertionError where it does not."""


@dataclass(frozen=True)
class Row:
    """A case: a short name, a program, what is to come of it, the other files, and what the command
    line sets."""

    name: str
    source: str
    expect: Expectation
    files: Mapping[str, str | bytes] | None = None
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A sentence of the reference, by words of it. Without rows it is held by the tests *held*, a
    file of `tests/` and perhaps a test of it, or states no rule: then *held* is empty."""

    says: str
    rows: tuple[Row, ...] = ()
    held: str = ""


@dataclass(frozen=True)
class Table:
    """The rules under one heading."""

    heading: str
    rules: tuple[Rule, ...]

    def rows(self) -> Iterator[Row]:
        for one in self.rules:
            yield from one.rows


def table(heading: str, *rules: Rule) -> Table:
    return Table(heading, rules)


def rule(says: str, *rows: Row) -> Rule:
    assert rows, says
    return Rule(says, rows)


def held(test: str, *says: str) -> Iterator[Rule]:
    """Sentences that the tests in the file *test* hold: `*held(…)` stands among rules."""
    for one in says:
        yield Rule(one, held=test)


def told(*says: str) -> Iterator[Rule]:
    """Sentences that explain and state no rule."""
    for one in says:
        yield Rule(one)


def row(
    name: str,
    source: str,
    expect: Expectation,
    *,
    files: Mapping[str, str | bytes] | None = None,
    flag: str = "",
    sets: str = "",
) -> Row:
    """A row; *flag* and *sets* are a `--flag` and a `--set` of the command line."""
    given = (("--flag", flag), ("--set", sets))
    settings = tuple(Setting(option, text) for option, text in given if text)
    return Row(name, source, expect, files, settings)


# --- frames -------------------------------------------------------------------------------------

HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
REV = "6a030d535719c5190187c4cec156f335e95e3211"
PIN = f'pin p {{ github = "NixOS/nixpkgs", rev = "{REV}", hash = "{HASH}" }}\n'
OUTPUT = 'output files { file = "{{variant}}.nix" }\n'
AXES = 'axis n = [1, 2]\naxis row { one { text = "I", size = 1 }, two { text = "II", size = 2 } }\n'
MATRIX = 'matrix m { recipe = child, axes = n * row, name = "v{{n}}-{{row}}" }\n'
OF_N = 'matrix m { recipe = child, axes = n, name = "v{{n}}" }\n'


def top(text: str) -> str:
    """Declarations, with a pin, an output, a recipe `child` and a variant `v` where they have
    none."""
    parts = [text.rstrip() + "\n"]
    parts += [PIN] * (not _declares(text, "pin"))
    parts += [OUTPUT] * (not _declares(text, "output"))
    if not _declares(text, "recipe"):
        parts.append("recipe child { package = pkgs.hello }\n")
    if not _declares(text, "matrix", "variant"):
        parts.append("variant v { recipe = child }\n")
    return "".join(parts)


def _declares(text: str, *words: str) -> bool:
    return re.search(rf"^ *(?:{'|'.join(words)}) [\w-]+ ", text, re.MULTILINE) is not None


def body(items: str, more: str = "", matrix: str = OF_N) -> str:
    """A recipe of *items* over the axis `n`, beside the declarations *more*."""
    package = "" if "package =" in items else "package = pkgs.hello\n"
    return top(f"{AXES}{more}\nrecipe child {{\n{package}{items}\n}}\n{matrix}")


def chain(parent: str, child: str, more: str = "", matrix: str = OF_N) -> str:
    """A recipe of *child* that extends one of *parent*, over the axis `n`."""
    base = f"recipe base {{\npackage = pkgs.hello\n{parent}\n}}\n"
    return top(f"{AXES}{more}\n{base}recipe child extends base {{\n{child}\n}}\n{matrix}")


def attrs(items: str, more: str = "") -> str:
    """A recipe with these attributes."""
    return body(f"attrs {{\n{items}\n}}", more)


def over(parent: str, child: str, more: str = "") -> str:
    """A recipe with the attributes *child* that extends one with the attributes *parent*."""
    return chain(f"attrs {{\n{parent}\n}}", f"attrs {{\n{child}\n}}", more)


def value(name: str, expression: str, shown: str, more: str = "") -> Row:
    """A row: *expression* has, in the first variant, the value *shown*."""
    return Row(name, body(f"attrs {{ x = {expression} }}", more, MATRIX), first("attrs.x", shown))


def no_value(name: str, expression: str, code: str, at: str, more: str = "") -> Row:
    """A row: *expression* is an error *code* at the text *at*."""
    return Row(name, body(f"attrs {{ x = {expression} }}", more, MATRIX), refused(code, at))


# --- what comes of a program --------------------------------------------------------------------


class Made:
    """A program of a row, compiled."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.compilation = _compile(row)
        self.recipes = self.compilation.recipes()

    @property
    def report(self) -> str:
        return f"\n{self.row.source}\n{messages(self.compilation)}"

    def good(self) -> dict[str, str]:
        """The files by their paths. All is as it should be, and each file is the same alone and
        together with the others."""
        made = self.compilation
        assert codes(made) == [], f"{self.told()}{self.report}"
        alone = [emit((recipe,), made.file) for recipe in self.recipes]
        plain = {file.path: file.text for files in alone for file in files}
        plain |= {file.path: file.data().decode() for file in made.collections(made.file)}
        found = made.files(made.file, lints=False, collections=True)
        assert {file.path: file.data().decode() for file in found} == plain, self.report
        return plain

    def told(self) -> list[tuple[str, str]]:
        """The codes of all diagnostics but lints, each with the text that it marks, on one line."""
        made = self.compilation
        found = []
        for one in made.diagnostics:
            span = one.primary
            source = made.sources.get(span.file) if span is not None else None
            text = source.text[span.start : span.end] if source is not None and span else ""
            if one.code not in LINTS.values():
                found.append((one.code, " ".join(text.split())))
        return found


@cache
def _standard_library() -> dict[str, str]:
    return std_sources()


def _compile(row: Row) -> Compilation:
    sources: dict[str, str | bytes] = {
        **named_by(row.source, files=row.files),
        "input.tvar": row.source,
    }
    sources |= row.files or {}
    made = compile_file("input.tvar", MemoryLoader(sources, _standard_library()), row.settings)
    made.cache = library_cache()  # for what lints read: the program itself is parsed anew
    return made


def run(row: Row) -> None:
    """Run one row. Raises AssertionError."""
    row.expect(Made(row))


def shown_setting(recipe: ir.Recipe, path: str) -> str:
    """What is decided of *path*, as one line: `absent` where it is not emitted. `old ++` stands
    before what is added to the package's own list, `old //` before keys of its record, Nix text and
    `++` before what is added to that; after `-` stands what Nix takes out. Of a script, the parts.
    """
    block, _, key = path.partition(".")
    changes = recipe.changes
    if block == "script":
        found = [script for script in changes.scripts if script.key == key]
        return _parts(found[0].parts) if found else "absent"
    if block == "overlays":
        return " ".join(one.name for one in recipe.overlays) or "none"
    if block == "pin":
        return recipe.pin.name if recipe.pin is not None else "none"
    if block == "package":
        return show(recipe.package.value)
    if block == "scope":
        return show(recipe.scope.value) if recipe.scope is not None else "none"
    if block == "recipes":
        return " ".join(recipe.recipes)
    of_blocks: dict[str, tuple[ir.Setting, ...]] = {
        "args": changes.args,
        "attrs": changes.attrs,
        "env": changes.env,
        "passthru": changes.passthru,
        "meta": changes.meta,
        "config": recipe.config,
        "flags": recipe.flags,
    }
    for setting in of_blocks[block]:
        if setting.key == key:
            return _shown(setting)
    return "absent"


def _shown(setting: ir.Setting) -> str:
    if setting.value is NONE:
        return "absent"
    shown = show(setting.value)
    if setting.elements is not None:
        inner = [("..." if one.spread else "") + show(one.value) for one in setting.elements]
        shown = f"[{', '.join(inner)}]"
    if setting.extends:
        shown = f"old {'++' if isinstance(setting.value, tuple) else '//'} {shown}"
    if setting.head is not None:
        shown = f"{show(setting.head)} ++ {shown}"
    if setting.removed:
        shown += f" - [{', '.join(show(one.value) for one in setting.removed)}]"
    return shown


def _parts(parts: tuple[ir.Part, ...]) -> str:
    shown = []
    for part in parts:
        if part.text is None:
            shown.append("old")
        else:
            text = show(part.text)
            shown.append(f"{part.name} {text}" if part.name is not None else text)
    return ", ".join(shown)


def quoted(text: str) -> str:
    """*text* as a setting that is a string is shown."""
    return show(text)


# --- expectations -------------------------------------------------------------------------------


def fine(made: Made) -> None:
    """Recipes are made, and nothing is said."""
    assert made.good(), made.report


def first(path: str, shown: str) -> Expectation:
    """In the first variant *path* is decided so."""

    def expect(made: Made) -> None:
        made.good()
        found = shown_setting(made.recipes[0], path)
        assert found == shown, f"{path} is {found}, not {shown}{made.report}"

    return expect


def each(path: str, *shown: str) -> Expectation:
    """In the variants, one after the other, *path* is decided so."""

    def expect(made: Made) -> None:
        made.good()
        found = tuple(shown_setting(recipe, path) for recipe in made.recipes)
        assert found == shown, f"{path} is {found}, not {shown}{made.report}"

    return expect


def all_of(*expectations: Expectation) -> Expectation:
    def expect(made: Made) -> None:
        for one in expectations:
            one(made)

    return expect


def makes(*names: str) -> Expectation:
    """These variants, in this order."""

    def expect(made: Made) -> None:
        made.good()
        found = tuple(recipe.variant for recipe in made.recipes)
        assert found == names, f"{found}, not {names}{made.report}"

    return expect


def writes(*paths: str) -> Expectation:
    """Recipes are written there, in this order."""

    def expect(made: Made) -> None:
        found = tuple(made.good())
        assert found == paths, f"{found}, not {paths}{made.report}"

    return expect


def emits(*texts: str, never: tuple[str, ...] = ()) -> Expectation:
    """The first file holds these texts, and none of *never*; blanks and ends of lines are one
    blank."""

    def expect(made: Made) -> None:
        text = " ".join(next(iter(made.good().values())).split())
        for one in texts:
            assert " ".join(one.split()) in text, f"no {one!r} in\n{text}{made.report}"
        for one in never:
            assert " ".join(one.split()) not in text, f"{one!r} in\n{text}{made.report}"

    return expect


def twice(made: Made) -> None:
    """Compiled again, the program makes the same bytes."""
    again = Made(made.row)
    assert made.good() == again.good()


def refused(code: str, *at: str) -> Expectation:
    """Errors of that code, and no others, at these texts; no texts ask for the code alone."""

    def expect(made: Made) -> None:
        found = made.told()
        assert {one for one, _ in found} == {code}, f"{found}, not {code}{made.report}"
        if at:
            assert [text for _, text in found] == [*at], f"{found}, not at {at}{made.report}"

    return expect


def says(code: str, *words: str) -> Expectation:
    """Errors or warnings of that code, and no others; the messages hold these words."""

    def expect(made: Made) -> None:
        assert set(codes(made.compilation)) == {code}, f"{made.told()}, not {code}{made.report}"
        told_ = " ".join(messages(made.compilation).split())
        for one in words:
            assert one in told_, f"no {one!r} in{made.report}"

    return expect


def speaks(*names: str) -> Expectation:
    """These lints, and no others, each once or more."""

    def expect(made: Made) -> None:
        made.good()
        found = set(lints(made.compilation))
        assert found == set(names), f"{found}, not {names}{made.report}"

    return expect


def selects(words: str, *names: str) -> Expectation:
    """The selector *words* chooses these variants."""

    def expect(made: Made) -> None:
        compilation = made.compilation
        assert compilation.resolution is not None and codes(compilation) == [], made.report
        chosen = select(
            [words],
            compilation.resolution,
            compilation.variants,
            compilation.sources,
            compilation.sink,
            compilation.loader.join,
        )
        found = tuple(one.name for one in chosen)
        assert found == names, f"{found}, not {names}{made.report}"

    return expect


def with_files(one: Row, **named: str) -> Row:
    """*one* beside files; `lib="…"` is `lib.tvar`."""
    return replace(one, files={f"{name}.tvar": text for name, text in named.items()})
