"""What each line of a recipe is made of: the rules, one by one."""

from __future__ import annotations

import pytest

from support.compile import compile_text, messages
from tvarc.build.assembly.source_map import MappedVariant, SourceMaps
from tvarc.text.source import Source, SourceMap, Span
from tvarc.values.provenance import NOWHERE, Numbering, Prov, Tagged, like, marks_of

END = """
axis n {
  one { label = "the one", flags = ["-1"] }
  two { label = "the two", flags = [] }
}
matrix m {
  recipe = r
  axes = n
  name = "v-{{n}}"
}
output o { file = "{{variant}}.nix" }
"""

# A second block, so that each setting stands on a line of its own.
HEAD = "  package = pkgs.hello\n  pin = none\n  passthru { also = true }\n"


class Maps:
    """The maps of the first variant of a program, asked by what stands on lines."""

    def __init__(self, body: str, before: str = "", number: int = 0) -> None:
        self.text = f"{before}recipe r {{\n{HEAD}{body}\n}}\n{END}"
        made = compile_text(self.text)
        assert not made.sink.has_errors, messages(made)
        self.maps = SourceMaps(made.traced(), "input.tvar", "input.tvar")
        found = self.maps.of(made.variants[number])
        assert isinstance(found, MappedVariant)
        self.found = found

    def sources(self, lines: int) -> set[str]:
        rows = self.text.split("\n")
        return {rows[line - 1].strip() for _, line in self.maps.numbering.places(lines)}

    def line(self, within: str) -> int:
        rows = self.found.files[0].text.split("\n")
        (number,) = [n for n, row in enumerate(rows) if within in row]
        return number

    def made(self, within: str) -> set[str]:
        return self.sources(self.found.files[0].made[self.line(within)])

    def around(self, within: str) -> set[str]:
        return self.sources(self.found.files[0].around[self.line(within)])

    def entries(self, kind: str) -> list[tuple[str, str, set[str]]]:
        return [
            (".".join(one.path), one.what, self.sources(one.lines))
            for one in self.found.entries
            if one.kind == kind
        ]


def test_a_value_comes_from_its_line_and_the_heads_of_its_blocks() -> None:
    maps = Maps("  attrs {\n    a = 1\n    b = [\n      222,\n      3,\n    ]\n  }")
    assert maps.made("a = 1;") == {"attrs {", "a = 1"}
    assert maps.made("222") == {"attrs {", "b = [", "222,"}
    assert maps.made("b = ") == maps.around("b = ") == {"attrs {", "b = ["}


def test_a_let_a_fact_and_a_condition() -> None:
    before = "let x = n.label\nlet yes = n == one\n"
    body = "  attrs {\n    when yes {\n      a = x\n    }\n  }"
    maps = Maps(body, before)
    assert maps.made("a = ") == {
        "attrs {", "when yes {", "a = x", "let x = n.label", "let yes = n == one",
        'one { label = "the one", flags = ["-1"] }',
    }  # fmt: skip
    assert maps.entries("withheld") == []
    other = Maps(body, before, number=1)
    ((path, _, lines),) = other.entries("withheld")
    assert path == "attrs.a"
    assert {"when yes {", "let yes = n == one"} <= lines


def test_only_the_branch_that_is_taken_and_what_is_asked() -> None:
    body = """  attrs {
    a = if n == one
      then "x"
      else "y"
  }"""
    assert Maps(body).made("a = ") >= {"a = if n == one", 'then "x"'}
    assert 'else "y"' not in Maps(body).made("a = ")
    assert 'else "y"' in Maps(body, number=1).made("a = ")


def test_what_is_short_circuited_is_not_read() -> None:
    maps = Maps("  attrs {\n    c = n == one or n.label == other\n  }", 'let other = "no"\n')
    assert 'let other = "no"' not in maps.made("c = ")
    maps = Maps("  attrs {\n    c = n == two or n.label == other\n  }", 'let other = "no"\n')
    assert 'let other = "no"' in maps.made("c = ")


def test_lines_and_pieces_of_a_text() -> None:
    body = '''  attrs {
    a = """
      first
      of {{n.label}}

      a\\nb {{x}}
      last {{if n == one then x else y}} and {{x}}
    """
  }'''
    maps = Maps(body, 'let x = "X"\nlet y = "Y"\n')
    # The fence reaches all of it, as the head of the block does.
    opens = {"attrs {", 'a = """'}
    assert maps.made("first") == opens | {"first"}
    row = 'one { label = "the one", flags = ["-1"] }'
    assert maps.made("of the one") == opens | {"of {{n.label}}", row}
    last = maps.made("last X and X")
    text = "last {{if n == one then x else y}} and {{x}}"
    assert last == opens | {text, 'let x = "X"', row, FENCE}
    # In such a text a backslash stands for itself.
    assert maps.made("b X") == opens | {"a\\nb {{x}}", 'let x = "X"'}


FENCE = '"""'


def test_the_line_that_is_indented_least_reaches_the_whole_text() -> None:
    body = '''  attrs {
    a = """
        deep {{n}}
      least
        deep too
    """
    b = """
      as much
      as this
    """
    c = """first
      second
    """
    d = """
        {{n}}
          inner
    """
    e = nix"""
        builtins.map toString
          [ 77 ]
    """
    f = """
      only
    """
  }'''
    maps = Maps(body)
    for line in ("deep one", "least", "deep too"):
        assert "least" in maps.made(line)
    # Each of two lines keeps the indentation as it is.
    assert "as much" not in maps.made("as this") and "as this" not in maps.made("as much")
    assert 'c = """first' in maps.made("second")
    assert "{{n}}" in maps.made("inner")
    assert "builtins.map toString" in maps.made("77") and "[ 77 ]" not in maps.made("builtins.map")
    assert maps.made("only") == {"attrs {", 'f = """', "only", FENCE}


def test_a_fence_reaches_the_text_that_it_opens_or_ends() -> None:
    body = '''  attrs {
    l = [
      """
      first
      last
      """,
      """
      no end"""
    ]
    also = "x"
  }
  script build {
    part one """
      echo one
      echo two
    """
    part other """
      echo three
    """
  }'''
    maps = Maps(body)
    opening, closing = FENCE, f"{FENCE},"
    assert {opening} == maps.made("first") - {"attrs {", "l = [", "first"}
    assert {opening, closing} == maps.made("last") - {"attrs {", "l = [", "last"}
    assert maps.made("no end") == {"attrs {", "l = [", FENCE, 'no end"""'}
    assert FENCE not in maps.made("echo one")
    assert FENCE in maps.made("echo two") and FENCE in maps.made("echo three")
    numbers = {
        number for _, number in maps.maps.numbering.places(
            maps.found.files[0].made[maps.line("echo two")]
        )
    }  # fmt: skip
    rows = maps.text.split("\n")
    assert rows.index("      echo two") + 2 in numbers


def test_what_opens_a_setting_reaches_its_name() -> None:
    body = '''  attrs {
    when n == one {
      long = """
        a
        b
      """
    }
  }
  script build {
    part one """
      echo one
      echo two
    """
  }
  script build {
    part other """
      echo three
    """
  }'''
    maps = Maps(body)
    rows = maps.text.split("\n")
    heads = {number for number, row in enumerate(rows, start=1) if row == "  script build {"}
    found = maps.maps.numbering.places(maps.found.files[0].made[maps.line("build =")])
    assert {number for _, number in found} == heads
    assert maps.around("build =") == {"script build {", 'part one """', 'part other """'}
    row = 'one { label = "the one", flags = ["-1"] }'
    assert maps.made("long = ") == {"attrs {", "when n == one {", 'long = """', row}
    # A line that also has a value does more than open the setting.
    maps = Maps('  attrs { list = ["%s"] }\n  attrs {\n    list += ["b"]\n  }' % ("a" * 90))
    assert maps.made("list = [") == {"attrs {"}


def test_a_comment_makes_nothing() -> None:
    body = """  attrs {
    e = [
      # none

    ]
    r = { a = [
      # one
      1,
    ] }
  }"""
    maps = Maps(body)
    assert maps.made("e = ") == {"attrs {", "e = [", "]"}
    assert not {"# one", "# none", ""} & (maps.made("a = ") | maps.made("e = "))


def test_each_element_has_the_lines_that_add_or_remove_it() -> None:
    body = """  attrs {
    l = ["a"]
    l += [
      "b",
      ...n.flags,
      "c",
    ]
    l -= ["a"]
    k += ["z"]
    k -= ["own"]
  }"""
    maps = Maps(body)
    assert maps.made('"b"') == {"attrs {", '"b",', "l += ["}
    assert maps.made('"-1"') == {
        "attrs {", "l += [", "...n.flags,", 'one { label = "the one", flags = ["-1"] }',
    }  # fmt: skip
    removed = {path: lines for path, _, lines in maps.entries("removed")}
    assert removed["attrs.l"] == {"attrs {", 'l -= ["a"]'}
    assert 'l -= ["a"]' not in maps.made('"b"')
    shadowed = {path: lines for path, _, lines in maps.entries("shadowed")}
    assert 'l = ["a"]' in shadowed["attrs.l"]
    # What Nix takes out is on a line of the recipe.
    assert 'k -= ["own"]' in maps.made('"own"')


def test_a_list_that_is_read_is_made_of_its_elements_alone() -> None:
    maps = Maps('  attrs {\n    l = ["a"]\n    l += ["b"]\n    m = join(attrs.l, "-")\n  }')
    made = {"attrs {", 'l = ["a"]', 'l += ["b"]', 'm = join(attrs.l, "-")'}
    assert maps.made("m = ") == made


def test_an_empty_spread_stands_around() -> None:
    maps = Maps('  attrs {\n    l = [\n      "a",\n      ...n.flags,\n    ]\n  }', number=1)
    assert "...n.flags," not in maps.made("l = ")
    assert "...n.flags," in maps.around("l = ")


def test_shadowed_and_unset_values() -> None:
    body = "  attrs {\n    default a = 1\n    a = 2\n    default b = 3\n    b = none\n  }"
    maps = Maps(body)
    assert maps.made("a = 2;") == {"attrs {", "a = 2"}
    assert ("attrs.a", "1", {"attrs {", "default a = 1"}) in maps.entries("shadowed")
    assert ("attrs.b", "all of it", {"attrs {", "b = none"}) in maps.entries("removed")
    assert {path for path, _, _ in maps.entries("order")} == {"attrs.a"}
    pin = 'pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n'
    body = "  force pin = p\n  config {\n    default cuda = false\n    cuda = true\n  }"
    maps = Maps(body, pin)
    first = {"default cuda = false"}
    assert maps.entries("order") == [("config.cuda", "config.cuda", first)]


def test_a_shadowed_text_is_shown_whole() -> None:
    """It has late parts, and a part that Nix knows alone."""
    numbers = ", ".join(map(str, range(1, 10)))
    made = compile_text(f"""
    axis x = [{numbers}]
    axis y = ["a", "b"]
    recipe r {{ package = pkgs.hello, pin = none
      attrs {{ default z = "{{{{x}}}}-{{{{y}}}} of {{{{pkgs.zlib}}}}", z = "no" }} }}
    matrix m {{ recipe = r, axes = x * y, name = "v{{{{x}}}}-{{{{y}}}}" }}
    output o {{ file = "{{{{variant}}}}.nix" }}
    """)
    found = SourceMaps(made.traced(), "input.tvar", "input.tvar").of(made.variants[3])
    assert isinstance(found, MappedVariant)
    shown = [one.what for one in found.entries if one.kind == "shadowed"]
    assert shown == ['"2-b of {{pkgs.zlib}}"']


def test_what_is_handed_to_a_variant_is_of_its_line() -> None:
    before = """recipe z { package = pkgs.zlib, pin = none }
matrix zs { recipe = z, axes = n, name = "zlib-{{n}}" }
recipe lib {
  package = pkgs.curl
  pin = none
  needs zlib = zs by argument
  attrs { buildInputs += [needs.zlib] }
}
matrix libs { recipe = lib, axes = n, name = "lib-{{n}}" }
"""
    maps = Maps("  needs lib = libs\n  attrs { l = needs.lib }", before, number=4)
    made = maps.made("callPackage ./lib-one.nix { inherit zlib-one; }")
    assert {"needs lib = libs", "needs zlib = zs by argument"} <= made
    assert "attrs { buildInputs += [needs.zlib] }" not in made


def test_flags() -> None:
    body = "  flag f: int = 1\n  attrs {\n    a = f\n  }"
    assert Maps(body).made("a = 1") == {"attrs {", "a = f", "flag f: int = 1"}
    body += "\n  when n == two {\n    flag f = 2\n  }"
    assert Maps(body).made("a = 1") == {"attrs {", "a = f", "flag f: int = 1"}
    other = Maps(body, number=1).made("a = 2")
    assert {"flag f = 2", "when n == two {"} <= other and "flag f: int = 1" not in other


def test_settings_that_are_read() -> None:
    body = """  meta {
    when n == one {
      description = "D"
    }
  }
  attrs {
    a = "of {{meta.description}}"
  }"""
    maps = Maps(body)
    assert {"meta {", "when n == one {", 'description = "D"'} <= maps.made('a = "of D"')


def test_scripts_and_their_parts() -> None:
    body = '''  script preConfigure {
    part one """
      echo one
    """
    part two """
      echo two
    """
    when n == two {
      part two = none
    }
  }'''
    maps = Maps(body)
    opens = {"script preConfigure {", 'part one """'}
    assert maps.made("echo one") == opens | {"echo one", FENCE}
    names = maps.maps.numbering.values(maps.found.files[0].made[maps.line("echo two")])
    assert names == (("script", "preConfigure"), ("script", "preConfigure", ":2"))
    other = Maps(body, number=1)
    ((path, what, lines),) = other.entries("removed")
    assert (path, what) == ("script.preConfigure", "part two")
    assert {"part two = none", "when n == two {"} <= lines


def test_a_script_that_is_read() -> None:
    body = '''  script other {
    part old = none
    part a """
      first
      second
    """
    part b "third"
  }
  attrs {
    x = """
      {{script.other}}
      last
    """
  }'''
    maps = Maps(body)
    rows = [row.strip() for row in maps.found.files[0].text.split("\n")]
    opens = {"attrs {", 'x = """', "{{script.other}}", "script other {", "part old = none"}
    read = [
        maps.sources(maps.found.files[0].made[rows.index(text)]) for text in ("first", "second")
    ]
    opens |= {'part a """'}
    assert read == [opens | {"first"}, opens | {"second", FENCE}]
    assert maps.made("last") == {"attrs {", 'x = """', "last", FENCE}


def test_a_text_in_parts() -> None:
    body = """  attrs {
    x {
      part a "A"
      part b "B"
    }
  }"""
    assert Maps(body).made('x = "AB"') == {"attrs {", "x {", 'part a "A"', 'part b "B"'}


def test_a_part_that_is_taken_out_stands_around_the_others() -> None:
    body = """  attrs {
    x {
      part a "A\\n"
      part b "B\\n"
    }
    when n == one {
      x { part a = none }
    }
    y = "{{attrs.x}}"
  }"""
    maps = Maps(body)
    rows = [row.strip() for row in maps.found.files[0].text.split("\n")]
    around = maps.sources(maps.found.files[0].around[rows.index("x = ''")])
    goes = {"x { part a = none }", "when n == one {"}
    assert {"x {", 'part b "B\\n"'} | goes <= around
    made = [maps.sources(lines) for lines in maps.found.files[0].made]
    first, second = [made[n] for n, row in enumerate(rows) if row == "B"]
    assert not goes & first
    assert goes <= second  # what reads the text reads all that decides it


def test_a_part_taken_out_of_a_script_reaches_what_reads_the_script() -> None:
    body = """  script other {
    part old = none
    part a "A\\n"
    part b "B\\n"
  }
  when n == one {
    script other { part a = none }
  }
  attrs {
    y = "{{script.other}}"
  }"""
    maps = Maps(body)
    rows = [row.strip() for row in maps.found.files[0].text.split("\n")]
    made = [maps.sources(lines) for lines in maps.found.files[0].made]
    read, script = [made[n] for n, row in enumerate(rows) if row == "B"]
    goes = {"script other { part a = none }", "when n == one {"}
    assert not goes & script
    assert goes | {'part b "B\\n"', 'y = "{{script.other}}"'} <= read


def test_what_env_adds_to_is_its_own_also_behind_a_guard() -> None:
    body = """  attrs {
    x = "1"
  }
  env {
    A = "a"
  }"""
    maps = Maps(body)
    assert "`env` is known to nixpkgs" in maps.found.files[0].text
    for row in ("(old.env or { })", "// {"):
        rows = [one.strip() for one in maps.found.files[0].text.split("\n")]
        around = maps.sources(maps.found.files[0].around[rows.index(row)])
        assert around == {"env {", 'A = "a"'}


def test_the_first_line_of_a_let_reaches_what_stands_below_it_alone() -> None:
    lets = 'let l = ["a",\n  "b"]\nlet t = """\n  one\n  two\n  """\n'
    maps = Maps("  attrs {\n    x = l\n    y = t\n  }", lets)
    assert maps.made('"a"') == {"attrs {", "x = l", 'let l = ["a",'}
    assert maps.made('"b"') == {"attrs {", "x = l", '"b"]'}
    assert maps.made("  two") == {"attrs {", "y = t", 'let t = """', "two", FENCE}


def test_a_reason_and_what_is_in_nix() -> None:
    body = '''  attrs {
    a = 1
      because "it has to be"
    x = nix"""
      {
        b = 2;
      }
    """
  }'''
    maps = Maps(body)
    assert maps.made("# it has to be") == {'because "it has to be"'}
    assert {"attrs {", "a = 1"} <= maps.around("# it has to be")
    assert "b = 2;" in maps.made("b = 2;") and "{" not in maps.made("b = 2;")


def test_the_head_and_the_frame() -> None:
    maps = Maps("  attrs { a = 1 }")
    row = 'one { label = "the one", flags = ["-1"] }'
    assert maps.made("# v-one: the one") == {'name = "v-{{n}}"', row}
    assert maps.made("# Made by") == {"matrix m {", "recipe r {"}
    for frame in ("# Change that file", "# tvarc digest"):
        assert not maps.made(frame) and not maps.around(frame)
    assert maps.around("{ hello }:") == {"package = pkgs.hello"}


def test_pins_and_overlays() -> None:
    text = """pin p {
  github = "NixOS/nixpkgs"
  rev = "6a030d535719c5190187c4cec156f335e95e3211"
}
overlay o for zlib
  because "so" {
  x = 1
}
recipe r {
  package = pkgs.hello
  overlays = [
    o,
  ]
}
variant v { recipe = r }
output f { file = "{{variant}}.nix" }
warn pin-without-hash = off because "none"
"""
    made = compile_text(text)
    assert not made.sink.has_errors, messages(made)
    maps = SourceMaps(made.traced(), "input.tvar", "input.tvar")
    found = maps.of(made.variants[0])
    assert found is not None
    rows = text.split("\n")
    file = found.files[0]

    def of(within: str) -> set[str]:
        (number,) = [n for n, row in enumerate(file.text.split("\n")) if within in row]
        lines = file.made[number] | file.around[number]
        return {rows[line - 1].strip() for _, line in maps.numbering.places(lines)}

    assert of("url = ") == {
        "pin p {", 'github = "NixOS/nixpkgs"', 'rev = "6a030d535719c5190187c4cec156f335e95e3211"',
    }  # fmt: skip
    overlay = {"overlay o for zlib", "overlays = [", "o,"}
    assert of("x = 1;") >= overlay | {"x = 1"}
    assert of("final: prev:") >= overlay
    assert of("# o: so") >= overlay | {'because "so" {'}


def test_a_target_and_its_end_are_of_the_lines_that_choose_them() -> None:
    before = """pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
let library = "zlib"
let fixed = 2.0
overlay new for pkgs[library] until zlib >= fixed {
  x = 1
}
"""
    maps = Maps("  force pin = p\n  overlays = [new]", before)
    chosen = {'let library = "zlib"', "let fixed = 2.0"}
    assert chosen <= maps.made("final: prev:") | maps.around("final: prev:")


# --- the parts -----------------------------------------------------------------------------------


def test_prov() -> None:
    one, two = Prov(1), Prov(2, head=8)
    both = Prov(4, (one, two))
    assert (both.all, both.item(0).all, both.item(1).head, both.item(5).all) == (7, 5, 8, 7)
    assert both.under(4) is both and both.under(16).item(0).all == 21
    assert both.flat() == Prov(7)
    assert Prov(4, None, ((2, 1), (None, 2))).runs("ab") == ((2, 5), (None, 6))
    assert Prov(3).runs("abc") == ((3, 3),)
    assert NOWHERE.all == 0


def test_tagged_texts() -> None:
    made, other = Tagged("a", 1, 2), Tagged("b", 4, 8)
    assert made == "a" and hash(made) == hash("a")
    for text, marks in (
        (made + other, (5, 10)),
        (made + "x", (1, 2)),
        ("x" + made, (1, 2)),
        (like("y", made, "z", other), (5, 10)),
        (like("y", "z"), (0, 0)),
    ):
        assert marks_of(text) == marks
    assert type(like("y", "z")) is str


def test_numbers_of_lines() -> None:
    sources = SourceMap()
    for name in "ab":
        sources.add(Source(name, "one\ntwo\nthree\n"))
    numbering = Numbering(sources)
    value = numbering.value(("attrs", "x"))
    second = numbering.lines(Span("b", 4, 7))
    both = numbering.lines(Span("a", 0, 7))
    assert numbering.places(second | both | value) == (("a", 1), ("a", 2), ("b", 2))
    assert numbering.values(second | value) == (("attrs", "x"),)
    assert numbering.line("b", 2) == second == numbering.first(Span("b", 4, 7))
    # A span that ends with its line does not stand on the next one.
    assert numbering.lines(Span("a", 0, 4)) == numbering.line("a", 1)
    assert numbering.lines(Span("none", 0, 4)) == numbering.first(Span("none", 0, 4)) == 0
    assert numbering.value(("attrs", "x")) == value


@pytest.mark.parametrize("number", [0, 1])
def test_a_map_has_each_line(number: int) -> None:
    maps = Maps("  attrs { a = 1 }", number=number)
    file = maps.found.files[0]
    assert len(file.made) == len(file.around) == file.text.count("\n") + 1
