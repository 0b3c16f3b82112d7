"""Well-formed programs: axes, tables, recipes that extend each other, overlays, scripts, conditions
and matrices, whose expressions have the types that are asked for where they stand.

Most of them have recipes. What fails still, such as two settings of equal standing, is of a kind
that no text shows before all is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from fuzz.cases import Case, program

Type = Literal["string", "int", "bool", "version", "list"]
TYPES: tuple[Type, ...] = ("string", "int", "bool", "version", "list")
_REV = "6a030d535719c5190187c4cec156f335e95e3211"
_HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
_TEXTS = (
    "plain", "", " ", "a b", "$", "${x}", "''", "'", "\\\\", '\\"', "\\n", "\\t", "é", "漢字", "#",
    "-D{{", "~", "line\\nline", "$CFLAGS", "a, b", "2.10", "sm_90",
)  # fmt: skip
_LINES = (
    "echo $X", "  indented", "", "export A='b'", 'x="${Y}"', "''", "\ttab", "done \\",
    "# no comment",    "$", "é",
)  # fmt: skip
_PACKAGES = (
    "pkgs.hello", "pkgs.python3Packages.torch", "caller.hello", "pkgs.zlib", 'pkgs."a b".c',
)  # fmt: skip
_TARGETS = (
    "for hello", "for python3Packages.torch", "in python3Packages", "", "for zlib",
    "in perlPackages",    "for pkgs.hello", 'in "python3Packages"',
)  # fmt: skip
_KEYS = ("a", "b", "c-d", "doCheck", "flags", "version", "when", "X1")
_SCRIPTS = ("preConfigure", "postInstall", "installPhase")
_PARTS = ("one", "two", "three")
_BECAUSE = ("", "", "", ' because "so"', ' because "a reason with {signs} and \\"quotes\\""')


@dataclass(slots=True)
class Axis:
    """A declared axis: its values as they are written, and the type that they have; rows have
    fields."""

    name: str
    values: list[str]
    kind: Literal["row", "string", "version", "int", "bool"]
    fields: dict[str, Type] = field(default_factory=dict)


@dataclass(slots=True)
class Recipe:
    """A declared recipe: its flags, and what it and its ancestors set with `=`."""

    name: str
    flags: dict[str, Type]
    lets: dict[str, Type]
    written: dict[str, Type]
    parts: dict[str, list[str]]


def typed(rng: Random) -> Case:
    return program(text(rng))


def text(rng: Random) -> str:
    """A whole program."""
    return _Program(rng).text()


class _Program:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.axes: list[Axis] = []
        self.tables: dict[str, tuple[list[str], dict[str, Type]]] = {}
        self.lets: dict[str, Type] = {}
        self.recipe: Recipe | None = None
        self.recipes: list[Recipe] = []
        self.overlays: list[str] = []
        self.pins: list[str] = []
        self.bare = False  # of what a table says, which no axis takes part in

    # --- expressions -----------------------------------------------------------------------------

    def some(self, items: Sequence[str]) -> str:
        return self.rng.choice(items)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def expr(self, kind: Type, depth: int = 2) -> str:
        """An expression of type *kind*."""
        found = self.read(kind)
        if found and self.chance(0.4):
            return self.some(found)
        if depth <= 0:
            return self.literal(kind)
        if self.chance(0.12):
            inner = [self.expr(kind, depth - 1) for _ in "ab"]
            return f"(if {self.condition(depth - 1)} then {inner[0]} else {inner[1]})"
        makers: dict[Type, Callable[[int], str]] = {
            "string": self.string,
            "int": lambda _: self.literal("int"),
            "bool": self.condition,
            "version": self.version,
            "list": self.list,
        }
        return makers[kind](depth - 1)

    def literal(self, kind: Type) -> str:
        match kind:
            case "string":
                return f'"{self.some(_TEXTS)}"'.replace("{{", "\\{{")
            case "int":
                return self.some(("0", "1", "-1", "42", "999999999999999999"))
            case "bool":
                return self.some(("true", "false"))
            case "version":
                return self.some(("1.0", "2.10", "2.10.0", "13.0", "0.0.1"))
            case "list":
                return self.some(("[]", '["a"]', '["-O2", "-g"]', '["a b", ""]'))

    def read(self, kind: Type) -> list[str]:
        """What there is to be read of type *kind*."""
        found = [name for name, of in self.lets.items() if of == kind]
        if self.bare:
            return []
        for axis in self.axes:
            if axis.kind == kind:
                found.append(axis.name)
            found += [f"{axis.name}.{name}" for name, of in axis.fields.items() if of == kind]
        for table, (rows, fields) in self.tables.items():
            found += [f"{table}.{rows[0]}.{name}" for name, of in fields.items() if of == kind]
        if self.recipe is not None:
            for names in (self.recipe.flags, self.recipe.lets):
                found += [name for name, of in names.items() if of == kind]
        if kind == "string" and self.recipe is not None:
            found += ["variant"]
        return found

    def string(self, depth: int) -> str:
        match self.rng.randrange(10):
            case 0:
                return f"join({self.expr('list', depth)}, {self.literal('string')})"
            case 1:
                return f"{self.some(('upper', 'lower'))}({self.expr('string', depth)})"
            case 2:
                function = self.some(("under", "flat", "major", "minor"))
                return f"{function}({self.expr('version', depth)})"
            case 3:
                return f'replace({self.expr("string", depth)}, "a", {self.literal("string")})'
            case 4 | 5 | 6 | 7:
                return f'"{self.inside(depth)}"'
            case 8:
                return f"{{ k = {self.expr('string', depth)}, l.m = 1 }}.k"
            case _:
                return self.literal("string")

    def inside(self, depth: int, texts: Sequence[str] = _TEXTS) -> str:
        """Text with interpolations."""
        parts: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            parts.append(self.some(texts).replace("{{", "\\{{"))
            of: tuple[Type, ...] = ("string", "int", "version", "list")
            value = self.expr(self.rng.choice(of), min(depth, 1))
            # No quote within one may be escaped, and none stands in one twice.
            if "\\" not in value and value.count('"') <= 2 and "}}" not in value:
                parts.append(f"{{{{{value}}}}}")
        return "".join(parts)

    def version(self, depth: int) -> str:
        if self.chance(0.2):
            return self.some(('version("2.11.0rc1")', 'version("1.0a1")', 'version("3.post1")'))
        return self.literal("version")

    def list(self, depth: int) -> str:
        match self.rng.randrange(4):
            case 0:
                return f'split({self.expr("string", depth)}, "-")'
            case 1:
                return f"[{self.expr('string', depth)}, ...{self.expr('list', depth)}]"
            case 2 if depth > 0:
                name = f"each{self.rng.randrange(1_000_000)}"
                element = self.some((f'"{{{{{name}}}}}"', f"...[{name}, {name}]", f"len({name})"))
                condition = self.some(("", f' if {name} != "-g"', f" if {self.condition(0)}"))
                return f"[{element} for {name} in {self.expr('list', depth)}{condition}]"
            case _:
                count = self.rng.randint(0, 3)
                return f"[{', '.join(self.expr('string', depth) for _ in range(count))}]"

    def condition(self, depth: int) -> str:
        """A boolean that most often depends on something."""
        axis = self.rng.choice(self.axes) if self.axes and not self.bare else None
        match self.rng.randrange(9):
            case 0 if depth > 0:
                word = self.some(("and", "or"))
                return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"
            case 1 if depth > 0:
                return f"(not {self.condition(depth - 1)})"
            case 2:
                sign = self.some((">", ">=", "<", "<=", "==", "!="))
                kind: Type = self.rng.choice(("int", "version", "string"))
                one, other = self.expr(kind, depth), self.literal(kind)
                return f"({one} {sign} {other})" if one != other else "true"
            case 3:
                return f"({self.literal('string')} in {self.expr('list', depth)})"
            case 4 if self.recipe is not None:
                return (
                    f"(recipe is {self.rng.choice(self.recipes).name})" if self.recipes else "true"
                )
            case 5:
                return self.some(self.read("bool") or ("true",))
            case _ if axis is not None:
                if axis.kind == "bool":
                    return axis.name if self.chance(0.5) else f"(not {axis.name})"
                if self.chance(0.3):
                    some = self.rng.sample(axis.values, self.rng.randint(1, len(axis.values)))
                    return f"({axis.name} {self.some(('in', 'not in'))} [{', '.join(some)}])"
                return f"({axis.name} {self.some(('==', '!='))} {self.some(axis.values)})"
            case _:
                return self.some(("true", "false"))

    def any_value(self) -> str:
        """What may be set in `attrs` and its like."""
        match self.rng.randrange(10):
            case 0:
                return self.some(("null", "pkgs.zlib", "[pkgs.zlib, pkgs.curl]", "caller.zlib"))
            case 1:
                entries = (f"{key} = {self.expr(self.rng.choice(TYPES))}" for key in ("a", "b.c"))
                return f"{{ {', '.join(entries)} }}"
            case 2:
                return f'url("https://example.org/a", hash = "{_HASH}")'
            case 3:
                return f'nix"""lib.optional true {self.some(("pkgs.zlib", "old.x", "1"))}"""'
            case 4:
                value = self.expr(self.rng.choice(("string", "list", "int")), 1)
                return f'nix"""f {{{{{value}}}}} 1"""' if '"""' not in value else "null"
            case 5:
                return 'path("./fix.patch")'
            case 6:
                return f'"{{{{{self.some(("pkgs.zlib", "caller.hello"))}}}}}/lib"'
            case _:
                return self.expr(self.rng.choice(TYPES))

    # --- declarations ----------------------------------------------------------------------------

    def text(self) -> str:
        lines = [f'pin p {{ github = "NixOS/nixpkgs", rev = "{_REV}", hash = "{_HASH}" }}']
        self.pins = ["p", "none"]
        lines += [self.table(f"t{i}") for i in range(self.rng.randint(0, 2))]
        lines += [self.axis(f"x{i}") for i in range(self.rng.randint(1, 3))]
        lines += [self.let(f"l{i}") for i in range(self.rng.randint(0, 4))]
        if self.chance(0.3):
            release = self.some(("", ", release = 21.05", ", release = 24.11", ", release = 25.05"))
            config = f"config {{ a = {self.expr('string')}, {self.when('b = 1')} }}"
            lines.append(
                f'pin q {{ github = "NixOS/nixpkgs", rev = "{_REV[::-1]}"{release}\n  {config} }}'
            )
            self.pins.append("q")
        lines += [self.overlay(f"o{i}") for i in range(self.rng.randint(0, 3))]
        lines += [self.declared_recipe(i) for i in range(self.rng.randint(1, 3))]
        lines += [self.matrix(f"m{i}") for i in range(self.rng.randint(1, 2))]
        self.recipe = None
        if self.chance(0.3):
            lines.append(f"warn w = {self.condition(1)}{self.some(_BECAUSE)}")
        if self.chance(0.2):
            lines.append(f"require {self.condition(1)} or true")
        if self.chance(0.1):
            lines.append(f"exclude {self.condition(1)}{self.some(_BECAUSE)}")
        lines.append(
            f'output o {{ file = "{self.some(("", "a/", ".flox/"))}{{{{variant}}}}.nix" }}'
        )
        if self.chance(0.5):  # in any order
            self.rng.shuffle(lines)
        return "\n".join(lines) + "\n"

    def table(self, name: str) -> str:
        fields: dict[str, Type] = {f"f{i}": self.rng.choice(TYPES) for i in range(3)}
        rows = [f"{name}r{i}" for i in range(self.rng.randint(1, 4))]
        self.tables[name] = rows, fields
        types = {"list": "[string]"}
        columns = ", ".join(f"{one}: {types.get(of, of)}" for one, of in fields.items())
        return f"facts {name} ({columns}) {{\n{self.rows(rows, fields)}\n}}"

    def rows(self, rows: Sequence[str], fields: dict[str, Type]) -> str:
        lines: list[str] = []
        self.bare = True
        for row in rows:
            facts = ", ".join(f"{one} = {self.literal(of)}" for one, of in fields.items())
            lines.append(f"  {row} {{ {facts} }}")
        self.bare = False
        return "\n".join(lines)

    def axis(self, name: str) -> str:
        free = [table for table in self.tables if all(a.values[0][:2] != table for a in self.axes)]
        match self.rng.randrange(5):
            case 0:
                made = Axis(name, ['"a"', '"b-c"', '"d e"'][: self.rng.randint(1, 3)], "string")
            case 1:
                made = Axis(name, ["12.8", "13.0", "13.1.0"][: self.rng.randint(1, 3)], "version")
            case 2:
                made = Axis(name, ["true", "false"], "bool")
            case 3 if free:
                table = self.some(free)
                rows, fields = self.tables[table]
                self.axes.append(Axis(name, rows, "row", fields))
                pick = self.some(("", f"[{', '.join(rows)}]", f"[{rows[0]}..{rows[-1]}]"))
                return f"axis {name} = {table}{pick}"
            case _:
                fields = {f"g{i}": self.rng.choice(TYPES) for i in range(2)}
                rows = [f"{name}v{i}" for i in range(self.rng.randint(1, 3))]
                self.axes.append(Axis(name, rows, "row", fields))
                return f"axis {name} {{\n{self.rows(rows, fields)}\n}}"
        self.axes.append(made)
        return f"axis {name} = [{', '.join(made.values)}]"

    def let(self, name: str) -> str:
        kind = self.rng.choice(TYPES)
        line = f"let {name} = {self.expr(kind, 3)}"
        self.lets[name] = kind
        return line

    def overlay(self, name: str) -> str:
        self.overlays.append(name)
        if self.chance(0.3):
            hash_ = self.some((f'"{_HASH}"', "unlocked"))
            source = self.some(
                (f'url = "https://example.org/{name}", hash = {hash_}', 'file = path("./a.patch")')
            )
            return f"patch {name} for zlib{self.some(_BECAUSE)} {{ {source} }}"
        target = self.some(_TARGETS)
        lines: list[str] = []
        for key in self.rng.sample(_KEYS, self.rng.randint(1, 3)):
            value = self.expr(self.rng.choice(TYPES))
            if not target.startswith("for") and self.chance(0.3):
                value = self.some(("final.zlib", "prev.zlib", "final.a.b"))
            lines.append(f"{key} = {value}")
        if self.chance(0.3):
            lines.append(self.when(f"zz = {self.expr('string')}"))
        if target.startswith("for") and self.chance(0.3):
            lines.append(f"args {{ a = {self.expr('bool')} }}")
        if target.startswith("in") and self.chance(0.3):
            lines.append(f"via = {self.some(('override', 'scope', 'extensions', 'update'))}")
        return f"overlay {name} {target}{self.some(_BECAUSE)} {{\n  {self.joined(lines)}\n}}"

    def when(self, body: str) -> str:
        also = f" else when {self.condition(1)} {{ {body} }}" if self.chance(0.2) else ""
        return f"when {self.condition(1)} {{ {body} }}{also}"

    def declared_recipe(self, number: int) -> str:
        base = self.rng.choice(self.recipes) if self.recipes and self.chance(0.7) else None
        own = Recipe(
            f"r{number}",
            dict(base.flags) if base else {},
            dict(base.lets) if base else {},
            dict(base.written) if base else {},
            {name: list(parts) for name, parts in base.parts.items()} if base else {},
        )
        self.recipe = own
        lines: list[str] = []
        if base is None or self.chance(0.2):
            lines.append(f"package = {self.some(_PACKAGES)}")
            if self.chance(0.2):
                axis = next((one for one in self.axes if one.kind in ("string", "row")), None)
                if axis is not None:
                    lines[-1] = f"package = pkgs[{axis.name}].hello"
        if base is None:
            lines.append(f"pin = {self.some(self.pins)}")
        for _ in range(self.rng.randint(0, 2)):
            kind = self.rng.choice(TYPES)
            name = f"{'fh'[self.rng.randrange(2)]}{number}{len(own.flags) + len(own.lets)}"
            if name.startswith("f"):
                of = "[string]" if kind == "list" else kind
                lines.append(f"flag {name}: {of} = {self.expr(kind)}{self.some(_BECAUSE)}")
                own.flags[name] = kind
            else:
                lines.append(f"let {name} = {self.expr(kind)}")
                own.lets[name] = kind
        if base and base.flags and self.chance(0.5):
            flag = self.some(tuple(base.flags))
            lines.append(f"flag {flag} = {self.expr(base.flags[flag])}")
        if self.overlays and self.chance(0.6):
            chosen = self.rng.sample(self.overlays, self.rng.randint(1, len(self.overlays)))
            sign = "+=" if base and self.chance(0.5) else "="
            lines.append(f"overlays {sign} [{', '.join(chosen)}]")
        lines += [self.block() for _ in range(self.rng.randint(1, 5))]
        names = self.rng.sample(_SCRIPTS, self.rng.randint(0, 2))
        lines += [self.script(name) for name in names]
        self.recipes.append(own)
        extends = f" extends {base.name}" if base else ""
        return f"recipe {own.name}{extends} {{\n  {self.joined(lines)}\n}}"

    def joined(self, lines: Sequence[str]) -> str:
        return "\n  ".join(lines)

    def block(self) -> str:
        assert self.recipe is not None
        block = self.some(("attrs", "attrs", "attrs", "env", "meta", "passthru", "args"))
        keys = self.rng.sample(_KEYS, self.rng.randint(1, 3))
        lines = [self.setting(block, key) for key in keys]
        inner = "\n    ".join(lines)
        return f"{block} {{\n    {inner}\n  }}"

    def setting(self, block: str, key: str) -> str:
        assert self.recipe is not None
        path = f"{block}.{key}"
        because = self.some(_BECAUSE)
        before = self.recipe.written.get(path)
        value = self.expr("string") if block == "env" else self.any_value()
        if block != "args" and self.chance(0.1):
            value = '"{{old.version}}-x"'
        self.recipe.written.setdefault(path, "string")
        if before is not None:
            # Set by an ancestor or above: what is said again must not be of equal standing.
            strength = self.some(("force ", "default "))
            return f"when {self.condition(1)} {{ {strength}{key} = {value}{because} }}"
        match self.rng.randrange(9):
            case 0 if block not in ("env", "args"):
                return f"{key} += {self.expr('list')}{because}"
            case 1 if block == "attrs":
                joined = 'nix"""with pkgs; [ zlib ]"""'
                return f"{key} = {self.expr('list')}\n    {key} += {joined}{because}"
            case 2:
                held = f"when {self.condition(2)} {{ {key} = {value}{because} }}"
                return f"default {key} = {self.expr('string')}\n    {held}"
            case 3 if block != "env":
                return f"{key}.k = {value}{because}\n    {key}.l = {self.expr('string')}"
            case 4:
                held = f"when {self.condition(1)} {{ {key} = none }}"
                return f"default {key} = {self.expr('string')}\n    {held}"
            case 5 if block in ("attrs", "meta") and key != "when":  # a word of blocks
                held = f'when {self.condition(1)} {{ part two "{self.inside(1)}" }}'
                return f'{key} {{ part one "{self.inside(1)}"\n {held} }}'
            case 6 if block == "attrs":
                one = self.literal("string")
                return f"{key} = [{one}, {self.expr('string')}]\n    {key} -= [{one}]"
            case _:
                return f"{key} = {value}{because}"

    def script(self, name: str) -> str:
        assert self.recipe is not None
        there = self.recipe.parts.setdefault(name, ["old"])
        lines: list[str] = []
        for part in self.rng.sample(_PARTS, self.rng.randint(1, len(_PARTS))):
            place = f" {self.some(('before', 'after'))} {self.some(there)}"
            body = [self.inside(1, _LINES) for _ in range(self.rng.randint(1, 3))]
            text = '"""\n      {}\n    """'.format("\n      ".join(body).replace('"""', "''"))
            here = part in there
            line = f"part {part}{'' if here or self.chance(0.5) else place} {text}"
            if self.chance(0.3):
                line = f"when {self.condition(1)} {{\n    {line}\n    }}"
            lines.append(line)
            if not here:
                there.append(part)
        if self.chance(0.1):
            lines.append("part old = none")
        inner = "\n    ".join(lines)
        return f"script {name} {{\n    {inner}\n  }}"

    def matrix(self, name: str) -> str:
        self.recipe = self.rng.choice(self.recipes)
        axes = self.axes
        lines = [f"recipe = {self.recipe.name}", f"axes = {' * '.join(a.name for a in axes)}"]
        parts: list[str] = []
        for axis in axes:
            match axis.kind:
                case "bool":
                    value = f'if {axis.name} then "on" else "off"'
                case "version":
                    value = f"under({axis.name})"
                case "string":
                    value = f'replace({axis.name}, " ", "_")'
                case _:
                    value = axis.name
            parts.append(f"{{{{{value}}}}}")
        lines.append(f'name = "{name}-{"-".join(parts)}"')
        if self.recipe.flags and self.chance(0.4):
            flag = self.some(tuple(self.recipe.flags))
            lines.append(f"flag {flag} = {self.expr(self.recipe.flags[flag])}")
        if self.chance(0.4):
            lines.append(f"attrs {{ own{name} = {self.any_value()} }}")
        self.recipe = None
        if self.chance(0.25) and len(axes) > 1:
            lines.append(
                f"exclude {self.condition(1)} and {self.condition(1)}{self.some(_BECAUSE)}"
            )
        return f"matrix {name} {{\n  {self.joined(lines)}\n}}"
