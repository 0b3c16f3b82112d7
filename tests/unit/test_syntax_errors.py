"""Faults of syntax: their code, their exact place, what they say; and that nothing raises."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import examples, for_each
from tvarc.syntax import ast
from tvarc.syntax.cst import MAX_DEPTH
from tvarc.syntax.parser import parse_expression, parse_module
from tvarc.text.diagnostics.model import Diagnostic, Sink
from tvarc.text.diagnostics.suggest import nearest
from tvarc.text.source import Source


def faults(text: str) -> tuple[list[Diagnostic], ast.Module]:
    sink = Sink()
    module = parse_module(Source("t.tvar", text), sink)
    return list(sink), module


def only(text: str) -> Diagnostic:
    found, _ = faults(text)
    assert len(found) == 1, [item.title for item in found]
    return found[0]


# What people write who come from HCL, YAML, Python, Nix, JavaScript or CUE.
ELSEWHERE = [
    ("let a = if b then c «elif» d then e else f", "E101", "`elif` is not a word", "`else if`"),
    ("recipe r { attrs { a = if b then c «}» }", "E101", "`if` needs a value", "add `else VALUE`"),
    ('recipe r {\n«for» f in xs { a = f }\n}', "E101", "no loops", "declare an axis"),
    ("«for» f in xs {\n}", "E101", "no loops", "declare an axis"),
    ("recipe r {\n«switch» gpu { }\n}", "E101", "no `switch`", "a block for each case"),
    ("recipe r {\n«unless» a { }\n}", "E101", "no `unless`", "`when not (CONDITION) { … }`"),
    ("recipe r {\n«unset» attrs.a\n}", "E101", "not removed by `unset`", "`none`"),
    ("recipe r {\n«delete» attrs.a\n}", "E101", "not removed by `delete`", "`none`"),
    ("recipe r { script s { «echo» hi } }", "E101", "written in parts", "`part NAME"),
    ("recipe r {\nwhen a«»\n attrs { b = 1 }\n}", "E101", "expected `{`", "in braces"),
    ('let a = b «?» "x" : "y"', "E101", "`?` does not choose", "`if CONDITION then"),
    ('recipe r { attrs { a = "x" «if» b else c } }', "E101", "before the values", "`if COND"),
    ('recipe r { attrs { a = "x" «if» b } }', "E101", "the other case", "VALUE when COND"),
    ('recipe r { attrs { a = "x" «unless» b } }', "E101", "no `unless`", "`when not (COND"),
    ('recipe r { attrs { a = 1 because "x" «when» b } }', "E101", "before `because`", "because"),
    ("recipe r { attrs { a = 1 when b «{» c = 1 } } }", "E101", "has no block", "a new line"),
    ("recipe r { attrs { a = 1 when b «else» 2 } }", "E101", "has no `else`", "then VALUE else"),
    ("recipe r { attrs { a = [1 «when» b] } }", "E101", "a whole setting", "`...if CONDITION"),
    ("recipe r { attrs { a = { c = 1 «when» b } } }", "E101", "a whole setting", "NAME.KEY ="),
    ("recipe r {\nrequire a «when» b\n}", "E101", "cannot follow `require`", "{ require … }"),
    ('recipe r {\nscript s += "x" «when» b\n}', "E101", "cannot follow `script`", "{ script … }"),
    ("recipe r {\nlet a = 1 «when» b\n}", "E101", "cannot follow `let`", "then VALUE else"),
    ("exclude a == b «when» c", "E101", "cannot follow `exclude`", "CONDITION and OTHER"),
    ("recipe r { attrs {\na = 1\nwhen b«»\n} }", "E101", "expected `{`", "on one line"),
    ("let a = b «??» c", "E101", "`??` is not an operator", "!= null then VALUE"),
    ("let a = b«?.»c", "E101", "`?.` is not an operator", "write `.`"),
    ("recipe r { attrs { a = «rec» { b = 1 } } }", "E101", "cannot begin a value", "another"),
    ("recipe r { attrs { a = «new» Listing { 1 } } }", "E101", "cannot begin", "`[a, b]`"),
    ("recipe r { attrs { a = «*»1 | int } }", "E101", "cannot begin", "`default NAME = VALUE`"),
    ('recipe r { attrs { a = «&»b "x" } }', "E101", "cannot begin", "`let NAME = VALUE`"),
    ("recipe r { attrs { a = «|»\n x\n} }", "E101", "cannot begin", '`"""…"""`'),
    ("recipe r { attrs { a = «<»nixpkgs> } }", "E101", "cannot begin", "declare a `pin`"),
    ('axis a = "x" «|» "y"', "E101", "are a list", "`axis a = [A, B]`"),
    ("let f = fn(x) «{» x }", "E101", "no functions", "a recipe that they extend"),
    ("recipe r { attrs {\na«:»\n  - 1\n} }", "E101", "`:` does not set", "`a = [a, b]`"),
    ("recipe r { attrs {\n«del» a\n} }", "E101", "not removed by `del`", "`none`"),
    ("recipe r {\n«pass»\n}", "E101", "no `pass`", "`{ }`"),
    ('output «"nix"» { file = "x" }', "E101", "needs a name", "`output nix { … }`"),
    ("variant v «of» r { }", "E101", "expected `{`", "`variant v { recipe = NAME }`"),
    ("recipe r «=» a { }", "E101", "expected `extends`", "`recipe r extends NAME { … }`"),
    ('let a = "«\\(»b)"', "E103", "unknown escape", "`{{NAME}}`"),
    ("let a = «1_000»", "E104", "neither a number", "write `1000`"),
    ("let a = «0x10»", "E104", "neither a number", "write `16`"),
    ("let a = «1e3»", "E104", "neither a number", '`float("1e3")`'),
    ("let a = «12_9»", "E104", "neither a number", 'write `"12_9"`'),
    ('let a = b.toUpperCase«(»)', "E101", "cannot be called", "`upper(x)`"),
    ('let a = «f"x{b}"»', "E101", "no letter before it", "remove `f`"),
    ("let a = [b] «++» [c]", "E101", "`++` does not join lists", "`[...a, ...b]`"),
    ('let a = "x" «%» b', "E101", "`%` is not an operator", '`"{{name}}"`'),
    ('exclude a == b «becuase» "x"', "E101", "does not follow", '`because "the reason"`'),
    ('exclude a == b «reason» "x"', "E101", "does not follow", '`because "the reason"`'),
    ('exclude a == b«:» "x"', "E101", "does not follow", '`because "the reason"`'),
    ("exclude «if» a == b", "E101", "has no `if` before it", "`exclude CONDITION`"),
    ("exclude «when» a == b", "E101", "has no `when` before it", "`exclude CONDITION`"),
    ("exclude «{» a == b }", "E101", "has no braces", "without braces"),
    ("include «if» a == b", "E101", "has no `if` before it", "`include CONDITION`"),
    ("include «{» a == b }", "E101", "has no braces", "without braces"),
    ("recipe r extends a«,» b { }", "E101", "extends one other", "make mixins of the others"),
    ("recipe r extends a «and» b { }", "E101", "extends one other", "make mixins of the others"),
    ("mixin r «extends» a { }", "E101", "cannot extend anything", "extends OTHER with r"),
    ("recipe r «inherits» a { }", "E101", "found `inherits`", "`recipe r extends NAME { … }`"),
    ("recipe r «:» a { }", "E101", "found `:`", "`recipe r extends NAME { … }`"),
    ("recipe r«(»a) { }", "E101", "found `(`", "`recipe r extends NAME { … }`"),
    ("recipe r «=» { }", "E101", "found `=`", "`recipe r { … }`"),
    ("matrix m «for» r { }", "E101", "found `for`", "recipe = NAME"),
    ("matrix m «of» r { }", "E101", "found `of`", "recipe = NAME"),
    ("recipe r { flag f = «bool =» false }", "E101", "no type before it", "`flag f = …`"),
    ("axis n «[»12.8]", "E101", "expected `=`", "write `=` before the value"),
    ("let n «5»", "E101", "expected `=`", "write `=` before the value"),
    ("axis n = a«,» b", "E101", "are a list", "`axis NAME = [12.8, 13.0]`"),
    ("axis n = 1«..»5", "E101", "no ranges", "`[1, 2, 3]`"),
    ("facts t «{» a = 1 }", "E101", "has no fields", "`facts t (label: string) { … }`"),
    ("facts t (x: int) { a«:» { x = 1 } }", "E101", "no `:` behind its name", "`a { FIELD"),
    ("facts t (x: list«<»string>) { }", "E101", "square brackets", "`[string]`"),
    ("«table» t (x: int) { }", "E101", "declared by `facts`", "`facts NAME"),
    ("«enum» t { }", "E101", "no `enum`", "`axis NAME = [A, B]`"),
    ("«fn» f(x) { x }", "E101", "no functions", "recipe that they extend"),
    ('output «"a.nix"»', "E101", "needs a name", '`output nix { file = "a.nix" }`'),
    ('pin n «=» github("a/b")', "E101", "a pin is not set by `=`", "`pin n { github ="),
    ("overlay o «=» final", "E101", "an overlay is not set by `=`", "`overlay o for"),
    ("let a = b «<>» c", "E101", "`<>` is not an operator", "`!=`"),
    ("let a = b «===» c", "E101", "`===` is not an operator", "`==`"),
    ("let a = b in «(c,» d)", "E101", "square brackets", "`[a, b]`"),
    ('let a = "{{b «|» lower}}"', "E101", "no filters", "`{{lower(x)}}`"),
    ("let a = b.lower«(»)", "E101", "cannot be called", "`lower(x)`"),
    ('let a = "{}".format«(»b)', "E101", "cannot be called", '`"{{name}}"`'),
    ("let a = «./x.nix»", "E101", "a path needs quotes", '`"./x.nix"`'),
    ("let a = «<<»EOF", "E101", "double quotes", '`"""…"""`'),
    ("let a = x«:» x", "E101", "a value is no function", 'nix"""x: …"""'),
    ("let a = «-1.5»", "E104", "only an integer has a sign", 'float("-1.5")'),
    ("let a = [«for» x in b: x]", "E101", "`for` follows the element", "[ELEMENT for x in LIST]"),
    ("let a = [x for x in b «for» y in c]", "E101", "an element has one `for`", "[...[ELEMENT"),
    ("recipe r { «force» attrs { a = 1 } }", "E101", "single settings", "force NAME = …"),
    ("exclude a == b «->» c == d", "E101", "`->` is not an operator", "`not a or b`"),
    ('let a = «lib.concatStringsSep» " " b.c', "E101", "cannot begin a value", '`join(LIST, " ")`'),
    ('let a = «concatStringsSep» " " b.c', "E101", "cannot begin a value", '`join(LIST, " ")`'),
    ('recipe r { attrs { a = «mkForce» "x" } }', "E101", "cannot begin a value", "`force NAME"),
    ("recipe r { attrs { a = «lib.optional» b [c] } }", "E101", "cannot begin", "`if COND"),
    ("recipe r { attrs { a = «builtins.toJSON» b } }", "E101", "cannot begin", "builtins.toJSON"),
    ("recipe r { attrs { a = «with» pkgs } }", "E101", "cannot begin a value", "pkgs.zlib"),
    ('recipe r { attrs { x = 1 «--» a comment\n } }', "E101", "comments begin", "write `# …`"),
    ('let a = "b" «..» "c"', "E101", "`..` does not join values", 'as `"{{a}}{{b}}"`'),
    ("let a = b[0«:»1]", "E101", "no parts of lists", "take one element"),
    ("let «mut» x = 1", "E101", "`let` has no `mut`", "write `let x = …`"),
    ("let x«»\nlet y = 1", "E101", "expected `=`", "write `let x = VALUE`"),
    ("axis a = «{ x,» y }", "E101", "a list has square brackets", "write `[a, b]`"),
    ("matrix m { axes = «{a,» b} }", "E101", "a list has square brackets", "write `*` between"),
    ("overlay o «on» zlib { x = 1 }", "E101", "expected `for`, found `on`", "write `for`"),
    ('output o «=» ".flox/pkgs"', "E101", "an output is not set", "`output o { file = "),
    ("matrix m { exclude «where» a == b }", "E101", "has no `where`", "write `exclude CONDITION`"),
    ("matrix m { exclude a == b «AND» c == d }", "E101", "`AND` is not an operator", "write `and`"),
    ("matrix m { «only» a == b }", "E101", "no `only`", "`exclude not (CONDITION)`"),
    ("recipe r { «assert» a == b }", "E101", "no `assert`", "write `require CONDITION"),
    ('recipe r { «export» FOO="a" }', "E101", "is set in a block", "write `env {"),
    ("recipe r { when a == b «then» { } }", "E101", "has no `then` before it", "`when CONDITION {"),
    ("recipe r { when a == b«:» attrs { } }", "E101", "has no `:` before it", "`when CONDITION {"),
    ('recipe r { attrs { x.«append(»"b") } }', "E101", "no method `append`", "`NAME += [x]`"),
    ('recipe r { attrs { src = «fetchurl» { url = "a" } } }', "E101", "cannot be called", "`url("),
    ("recipe r { package = pkgs.x «//» { y = 1 } }", "E101", "does not merge", "`attrs { b = 2 }`"),
    ("let a = b «//» c", "E101", "does not merge records", "a comment begins with `#`"),
    ("let a = b «//» the old value", "E101", "comments begin with `#`", "write `# …`"),
    ("use std.cpu «//» CPUs", "E101", "comments begin with `#`", "write `# …`"),
    ("let a = x «=»> x", "E101", "a value is no function", 'nix"""x: …"""'),
    ("let a = «\\»(x : Bool) -> x", "E101", "a value is no function", 'nix"""x: …"""'),
    ("matrix m { exclude a == b«,» c == d }", "E101", "joined by `and`", "a == b and c == d"),
    ("matrix m { exclude a «*» b }", "E101", "does not join conditions", "compare each axis"),
    ('exclude «because "x"» a == b', "E101", "follows the condition", "`exclude CONDITION because"),
    ('exclude a == b «reason» = "x"', "E101", "does not follow", '`because "the reason"`'),
    ('exclude «if» a == b because "x"', "E101", "has no `if` before it", "`exclude CONDITION`"),
    ("let x «:» Bool = b", "E101", "a `let` has no type", "write `let x = …`"),
    ("recipe«:» hdf5 { }", "E101", "has no `:` behind it", "write `recipe hdf5 { … }`"),
    ("axis a «=» { b { c = 1 } }", "E101", "have no `=` before them", "write `axis a { … }`"),
    ("axis a = cpu«[*]»", "E101", "need no brackets", "write `cpu`"),
    ("recipe r { args { «inherit» (a) b; } }", "E101", "no `inherit`", "`NAME = SOURCE.NAME`"),
    ("recipe r { args { «...»a } }", "E101", "of another place", "`mixin NAME"),
    ("recipe r { args { «*»*a } }", "E101", "of another place", "`mixin NAME"),
    ("recipe r { args { a «?=» b } }", "E101", "`?=` does not set", "`default a = …`"),
    ("«{» pkgs ? import <nixpkgs> {} }:", "E101", "expected a declaration", "no function of Nix"),
    ("«def» f(x): return x", "E101", "no functions", "recipe that they extend"),
    ("«from» std import cpu", "E101", "unknown declaration `from`", "write `use std.cpu`"),
    ('«import» { cpu } from "std"', "E101", "imported by `use`", "`use std.MODULE`"),
    ("recipe r { package = pkgs.«callPackage» ./a.nix { } }", "E101", "cannot be called",
     '`package = path("./a.nix")`'),
    ('recipe r { package = pkgs.«callPackage» "./a.nix" { } }', "E101", "cannot be called",
     '`package = path("./a.nix")`'),
    ("recipe r { attrs { patches = [«./a.patch»] } }", "E101", "quotes", '`path("./a.patch")`'),
    ("recipe r { attrs { patches = [«fetchpatch» { }] } }", "E101", "cannot be", "`patch NAME for"),
    ('patch p for x { «path»("./f") }', "E101", "sets none", '`file = path("…")`'),
    ("recipe r { args { z = pkgs.z.override «{» a = 1 } } }", "E101", "cannot be called",
     "`overlay NAME for z { args { … } }`"),
]
# The place of the fault stands between « and »; they are taken out before parsing.
CASES = [
    # E101, with a hint
    ("let a = 1«;»", "E101", "`;` is not used in this language", "remove it"),
    ("let a = b «&&» c", "E101", "`&&` is not an operator", "`and`"),
    ("let a = b «||» c", "E101", "`||` is not an operator", "`or`"),
    ("let a = «!»b", "E101", "`!` is not an operator", "`not`"),
    # Between braces a line that begins with such a word is no sign that one was forgotten.
    ("recipe r {\nwhen «!»(a == b) { }\n}", "E101", "`!` is not an operator", "`not`"),
    ("recipe r {\nwhen «!»a { }\n}", "E101", "`!` is not an operator", "`not`"),
    ("matrix m {\nexclude «!»a\n}", "E101", "`!` is not an operator", "`not`"),
    ("recipe r {\nwhen a «&&» b { }\n}", "E101", "`&&` is not an operator", "`and`"),
    ("recipe r {\nrequire (a «||» b)\n}", "E101", "`||` is not an operator", "`or`"),
    ("let a = «'»x'", "E101", "strings need double quotes", "…"),
    ('meta { name«:» "x" }', "E101", "`:` does not set a value", "`=`"),
    ("exclude a «=» b", "E101", "`=` sets, it does not compare", "`==`"),
    ("let a «==» b", "E101", "`==` compares, it does not set", "`=`"),
    ("let a = b «+» c", "E101", "`+` does not join values", "{{a}}{{b}}"),
    ("let a = b «*» c", "E101", "`*` does not multiply", "axes = gpu * isa"),
    ("matrix m { axes = a«,» b\nname = c }", "E101", "axes are joined by `*`", "axes = gpu * isa"),
    ("matrix m { axes = a[x]«,» b, name = c }", "E101", "axes are joined by `*`", "axes = gpu"),
    ("matrix m { axes = a, b «==» c }", "E101", "`==` compares, it does not set", "`=`"),
    ("matrix m { axes = a, name «}»", "E101", "expected", ""),
    ("matrix m { axes = a «x» b }", "E101", "axes are joined by `*`", "axes = gpu * isa"),
    ('let a = "{{b«}»-{{c}}"', "E101", "one `}` does not close `{{`", "write `}}`"),
    ('recipe r { script s { «"x"» } }', "E101", "a script is written in parts", "`part NAME`"),
    ("recipe r { script s { «''»x'' } }", "E101", "strings need double quotes", '"""…"""'),
    ("recipe r { when a { } else «if» b { } }", "E101", "the `else` of a `when`", "`else when"),
    ("recipe r { when a { } «elif» b { } }", "E101", "`elif` is not a word", "write `else when`"),
    ("axis otp { «2.7» { l = 1 } }", "E101", "expected a name", "write `otp2_7 { … }`"),
    ("«//» x", "E101", "comments begin with `#`", "`#"),
    ("«/*» x */", "E101", "comments begin with `#`", "`#"),
    ("let a = «${»b}", "E101", "`${` is not allowed outside of a string", "name alone"),
    ("let a = «{{»b}}", "E101", "`{{` is not allowed outside of a string", "name alone"),
    ("let a = b < c «<» d", "E101", "comparisons do not chain", "and b < c"),
    ("exclude a because«»", "E101", "expected the reason in quotes", 'because "the reason"'),
    ("exclude a because «b»", "E101", "expected the reason in quotes", 'because "the reason"'),
    ('exclude a «because ""»', "E101", "`because` gives no reason", "write the reason"),
    ("axis a { «armv8.2» { } }", "E101", "`armv8.2` is not a name", "armv8_2"),
    ("axis a = cpu[«armv8.2»]", "E101", "`armv8.2` is not a name", "armv8_2"),
    ("variant «armv8.2» { }", "E101", "`armv8.2` is not a name", '{ name = "armv8.2", … }'),
    ("variant «a.b» { }", "E101", "`a.b` is not a name", 'variant v { name = "a.b", … }'),
    ("«recepie» foo { }", "E101", "unknown declaration `recepie`", "did you mean `recipe`?"),
    ("«ouput» nix { }", "E101", "unknown declaration `ouput`", "did you mean `output`?"),
    ("«zzzzzz» foo { }", "E101", "unknown declaration `zzzzzz`", "`matrix`"),
    ("recipe r { «scrpt» s { } }", "E101", "unknown item `scrpt`", "did you mean `script`?"),
    ("let a = b and«»\nlet c = d", "E101", "found the end of the line", "start of the next line"),
    ("let a = pkgs.f«(»1)", "E101", "this cannot be called", "the name of a function"),
    ("«}»", "E101", "`}` has no opening bracket", "remove"),
    ("let a = «“»x”", "E101", "typographic quote", '`"`'),
    ("let a =«\u00a0»b", "E101", "invisible character U+00A0", "plain space"),
    ("let a = «\0»", "E101", "invisible character U+0000", "remove"),
    ("let «é» = 1", "E101", "unexpected character `é`", "letters"),
    ('facts T (a: «wrong»("x")) { }', "E101", "unknown type", "one_of"),
    # E101, from what was expected
    ("let a =«»", "E101", "expected a value, found the end of the file", ""),
    ("let a = «}»", "E101", "`}` has no opening bracket", ""),
    ("attrs { a = «}»", "E101", "expected a value, found `}`", ""),
    ("let a = [b «c»]", "E101", "expected `,` or `]`, found `c`", ""),
    ("let a = x[1..«]»", "E101", "expected a value, found `]`", ""),
    ("let a = 1 «let» b = 2", "E101", "expected the end of the item, found `let`", ""),
    ('let a = "x" «"y"»', "E101", "a value is one string", 'join strings as `"{{a}}{{b}}"`'),
    ("let a «b»", "E101", "expected `=`, found `b`", ""),
    ("let a = if b then c«»", "E101", "`if` needs a value for the other case", "add `else VALUE`"),
    ("overlay o for «{» }", "E101", "expected a name, found `{`", ""),
    ("«{» a = 1 }", "E101", "expected a declaration, found `{`", "no function of Nix"),
    ("attrs { «{» } }", "E101", "expected an item or `}`, found `{`", ""),
    ('let a = "x{{b «c»}}"', "E101", "expected the end of the interpolation, found `c`", ""),
    # E101, where another language writes something else
    *ELSEWHERE,
    # E102
    ('let a = "abc«»', "E102", "a string is not closed", '`"`'),
    ('let a = """abc«»', "E102", "a script is not closed", '`"""`'),
    ('let a = """"abc"""«»', "E102", "a script is not closed", '`""""`'),
    ("let a = (b«»", "E102", "`(` is not closed", "`)`"),
    ("let a = [b, «}»", "E102", "`[` is not closed", "`]`"),
    ("recipe r {\n attrs {\n  a = 1\n  «}»\n  b = 2\n }\n}\n", "E101", "closes too early",
     "remove it"),
    ("recipe r {\n«}»\n x = 2\n}\nlet b = 2", "E101", "closes too early", "remove it"),
    ("recipe r {\n attrs { a = 1«»\n}\n", "E102", "`{` is not closed", "`}`"),
    ("recipe r {\n attrs {\n  a = 1«»\n meta { b = 2 }\n}\n", "E102", "`{` is not closed", "`}`"),
    ("recipe r {\n args {\n  a = 1«»\n}\nlet b = 2", "E102", "`{` is not closed", "`}`"),
    ("recipe r {\n\tattrs {\n\t\ta = 1«»\n    b = 2\n", "E102", "`{` is not closed", "`}`"),
    ("recipe r {\nattrs {\na = 1\n}«»\n", "E102", "`{` is not closed", "`}`"),
    ("recipe r {\n a = [\n  1,\n  2«»\n b = 3\n}\n", "E102", "`[` is not closed", "`]`"),
    ("recipe r {\n a = [\n  1\n  «2»\n ]\n}\n", "E101", "expected `,`", "write `,`"),
    ("let a = (b«»\nlet c = 3", "E102", "`(` is not closed", "`)`"),
    (
        'script x { part a """\n b\n part c «"""»\n d -e f\n """ }',
        "E102",
        "a script is not closed",
        "on a line of its own",
    ),
    # E103
    (r'let a = "x«\q»"', "E103", "unknown escape in a string", r"`\\`"),
    (r'let a = "x«\u{D800}»"', "E103", "this is not a character", "hexadecimal"),
    (r'let a = "x«\u{110000}»"', "E103", "this is not a character", "hexadecimal"),
    (r'let a = "x«\u»20"', "E103", "unknown escape in a string", "braces"),
    ('let a = "x«{{}}»"', "E103", "an interpolation is empty", ""),
    ('let a = "x«{{torch"»', "E103", "an interpolation is not closed", "`}}`"),
    ('let a = """x\n  «{{torch»\n"""', "E103", "an interpolation is not closed", "`}}`"),
    ('use "a«{{b}}»"', "E103", "an imported path cannot hold an interpolation", ""),
    ('"a«{{b}}»" = 1', "E103", "a key cannot hold an interpolation", ""),
    # E104
    ("let v = «2.11.0rc1»", "E104", "a version contains a letter", 'version("2.11.0rc1")'),
    ("let v = «2.11.0-rc1»", "E104", "a version contains a letter", 'version("2.11.0-rc1")'),
    ("let v = «007»", "E104", "a number begins with a zero", "`7`"),
    ("let v = «3rows»", "E104", "neither a number nor a name", ""),
    ("let v = «" + "9" * 5000 + "»", "E104", "the number is too large", ""),
    # E105
    ("let «in» = 3", "E105", "`in` is a reserved word", "another name"),
    ("attrs { «not» = 3 }", "E105", "`not` is a reserved word", '`"not"`'),
    ("let a = x.«then»", "E105", "`then` is a reserved word", '`"then"`'),
    # What other languages, or a value, would have there.
    ("recipe r {\n«if» true { attrs { x = 1 } }\n}", "E101", "cannot begin an item", "`when COND"),
    ("recipe r { «if» = 3 }", "E105", "`if` is a reserved word", '`"if"`'),
    ("recipe r { script post «=» none }", "E101", "written in parts", "`part old = none`"),
    ('recipe r { x = «force» "y" }', "E101", "must come before the name", "`force x = …`"),
    ("recipe r { x = «default» 3 }", "E101", "must come before the name", "`default x = …`"),
    ("script s { part a = «3» }", "E101", "can only be `none`", '`part a "…"`'),
    ('script s { part a = «"x"» }', "E101", "can only be `none`", '`part a "…"`'),
    ("variant v «extends» m { }", "E101", "a variant cannot extend anything", "`recipe = NAME`"),
    ("overlay v «extends» m { }", "E101", "an overlay cannot extend", "recipes and matrices"),
    ('language «"1"»', "E101", "`language` needs a number", "`language 1`"),
    ("language 1«,» use std.cpu", "E101", "expected the end of the item", "on a new line"),
    ("let a = 1 «axis» b = [1]", "E101", "expected the end of the item", "on a new line"),
    ("let a = 1 «facts» b (c) { }", "E101", "expected the end of the item", "on a new line"),
    # A comma that is missing: between facts, items, rows, elements.
    ("axis v { a { x = 1 «y» = 2 } }", "E101", "found `y`", "write `,` or a new line before `y`"),
    ("axis v {\na { x = 1 } «b» { x = 2 }\n}", "E101", "found `b`", "a new line before `b`"),
    ("recipe r { package = pkgs.x «attrs» { } }", "E101", "found `attrs`", "before `attrs`"),
    ("axis v = [a «b»]", "E101", "expected `,` or `]`", "write `,` between the elements"),
    ('let a = ["x" «"y"»]', "E101", "expected `,` or `]`", "write `,` between the elements"),
    # The words of other languages, and calls as Nix writes them.
    ("recipe r { «set» x = 5 }", "E101", "unknown item `set`", "write `x = …`, without `set`"),
    ("«set» x = 5", "E101", "unknown declaration `set`", "belongs in a recipe"),
    ("«const» x = 5", "E101", "unknown declaration `const`", "write `let x = …`"),
    ("«import» std.cpu", "E101", "unknown declaration `import`", "write `use std.cpu`"),
    ("recipe r { attrs «doCheck» { } }", "E101", "has no name", "write `attrs { doCheck = … }`"),
    ("overlay o { a = prev.zstd.override «{» b = 1 } }", "E101", "cannot be called",
     "`overlay NAME for zstd { args { … } }`"),
    ("overlay o { a = prev.zstd.override«(»b) }", "E101", "cannot be called",
     "`overlay NAME for zstd { args { … } }`"),
    ("recipe r { package = pkgs.zstd.overrideAttrs «{» b = 1 } }", "E101", "cannot be called",
     "write `package = pkgs.zstd`, and on the next line `attrs { NAME = … }`"),
    ("let a = pkgs.f «{» b = 1 }", "E101", "cannot be called", 'nix"""f { … }"""'),
    # E109
    ("let a = " + "[" * MAX_DEPTH + "«[»" + "]" * (MAX_DEPTH + 1), "E109", "nested too deeply", ""),
]


@for_each("marked, code, title, advice", CASES)
def test_fault(marked: str, code: str, title: str, advice: str) -> None:
    start = marked.index("«")
    end = marked.index("»") - 1
    fault = only(marked.replace("«", "").replace("»", ""))
    assert fault.code == code
    assert re.search(rf"{re.escape(title)}(?!\w)", fault.title)  # whole words
    assert advice in fault.help
    assert fault.primary is not None
    assert (fault.primary.start, fault.primary.end) == (start, end)
    assert "\n" not in fault.title
    if code == "E102":
        assert fault.labels[1].text == "opened here"


def test_what_was_opened_is_shown() -> None:
    text = "let a = [b, }"
    opened = only(text).labels[1].span
    assert (opened.start, opened.end) == (8, 9)


def test_several_faults_in_one_run_keep_what_parsed() -> None:
    text = (
        'let a = 1\nlet b = ;\nlet c = "x\nlet d = 2\n'
        "recipe e {\n  f = =\n}\nlet g = (h\nlet i = 3\n"
    )
    found, module = faults(text)
    assert [item.code for item in found] == ["E101", "E102", "E101", "E102"]
    starts = [item.primary.start for item in found if item.primary]
    assert starts == sorted(starts)
    names = [item.name.text for item in module.items if isinstance(item, ast.Let)]
    assert names == ["a", "c", "d", "g", "i"]


def test_a_missing_brace_does_not_swallow_the_rest() -> None:
    found, module = faults("recipe a {\n  x = 1\n\nlet b = 2\n\nmatrix c {\n}\n")
    assert [item.code for item in found] == ["E102"]
    assert [type(item).__name__ for item in module.items] == ["Recipe", "Let", "Matrix"]


def test_expression_is_the_whole_text() -> None:
    for text in ("", "a b", "a,", "let a = 1", "a]"):
        sink = Sink()
        assert parse_expression(Source("t", text), sink) is None
        assert len(sink) == 1
    assert parse_expression(Source("t", " \n a # b"), Sink()) is not None


DEEP = {
    "brackets": "let a = " + "[" * 100_000,
    "closed brackets": "let a = " + "(" * 50_000 + ")" * 50_000,
    "not": "let a = " + "not " * 25_000 + "b",
    "members": "let a = a" + ".a" * 50_000,
    "or": "let a = a" + " or a" * 20_000,
    "else": "recipe r { when a { }" + " else when a { }" * 6_000 + "}",
    "if": "let a = " + "if a then b else " * 6_000 + "c",
    "blocks": "a{" * 50_000,
    "types": "flag a: b" + "?" * 100_000,
    "interpolations": (
        "let a = " + "[" * 150 + '"{{' + "(" * 150 + "a" + ")" * 150 + '}}"' + "]" * 150
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_a_fault(name: str) -> None:
    assert only(DEEP[name]).code == "E109"


def test_nesting_below_the_limit_is_fine() -> None:
    deep = MAX_DEPTH - 5
    brackets = "[" * deep + "]" * deep
    for text in (brackets, "not " * deep + "a", "a" + ".a" * deep, "a" + " or a" * deep):
        found, module = faults("let a = " + text)
        assert found == []
        assert module == faults("let a = " + text)[1]


LONG = {
    "nul": "\0" * 100_000,
    "newlines": "\n" * 100_000,
    "comments": "#\n" * 50_000 + "x",
    "quotes": '"' * 100_000,
    "open strings": 'let a = "\n' * 10_000,
    "open scripts": 'let a = """x"\n' * 7_000,
    "open interpolations": 'let a = "' + '{{"' * 33_000,
    "backslashes": 'let a = "' + "\\" * 100_000,
    "open recipes": "recipe a {\n" * 9_000,
    "faults": "let a =\n" * 12_000,
    "list": "let a = [" + "1," * 50_000 + "]",
    "script": 'let a = """' + "{{a}}" * 20_000 + '"""',
    "carriage returns": "\r" * 100_000,
    "blanks": " " * 100_000 + "x",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_input_takes_no_time(name: str) -> None:
    started = time.perf_counter()
    faults(LONG[name])
    assert time.perf_counter() - started < 10  # well under a second, on a busy machine too


FRAGMENTS = st.sampled_from([
    "let a = ", "recipe r { ", "}", "{", "[", "]", "(", ")", "{{", "}}", '"', '"""', '""""', "\\",
    "\\{{", "\n", "\r\n", "#", " ", "a", "b-c", "1.2", "7", "1rc", "=", "+=", "==", ",", ".", "..",
    "...", "because ", "when ", "not ", "in ", "if ", "then ", "else ", "part p ", "script s ",
    "axis x", ": ", "?", "*", "facts T (", "nix", "\0", "\ud800", "\ufeff", "\u2028", "é", "'",
])  # fmt: skip


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.one_of(st.lists(FRAGMENTS, max_size=30).map("".join), st.text(max_size=60)))
def test_no_text_raises(text: str) -> None:
    found, module = faults(text)
    for item in found:
        assert item.primary is not None
        assert 0 <= item.primary.start <= item.primary.end <= len(text)
        assert item.title.isprintable()
    assert found or not text.strip(" \t\r\n\ufeff") or module.items or "#" in text
    parse_expression(Source("t", text), Sink())


def test_nearest() -> None:
    words = ["recipe", "require", "matrix", "axis", "input"]
    assert nearest("recepie", words) == "recipe"
    assert nearest("marix", words) == "matrix"
    assert nearest("aixs", words) == "axis"
    assert nearest("AXIS", words) == "axis"
    assert nearest("zzz", words) is None
    assert nearest("", words) is None
    assert nearest("a" * 100_000, words) is None
    assert nearest("ab", ["ac", "aa"]) == nearest("ab", ["aa", "ac"]) == "aa"
    assert nearest("x", ["y"]) is None
