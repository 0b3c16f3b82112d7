"""Messages for declarations and settings as other languages write them."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.syntax.cst import Leaf
from tvarc.syntax.elsewhere_words import CONDITIONS, TYPE, begins_item
from tvarc.syntax.fault import Advice, Fault, expected, found, item_of, line_end, shown
from tvarc.syntax.terminals import COMPARE, NAMED


def _excluded(fault: Fault) -> Advice | None:
    """`exclude if C` and `exclude when C`: a word before the condition."""
    first, word, *_ = (*item_of(fault.before), None, None)
    if first is None or first.type not in ("INCLUDE", "EXCLUDE", "REQUIRE"):
        return None
    key = fault.text_of(first)
    name = fault.text if word is None else fault.text_of(word)
    ends = fault.kind in ("_NL", "$END", "BECAUSE")
    is_choice = name == "if" and "THEN" in fault.accepted and ends
    if not is_choice and (name not in ("when", "where") or fault.last() not in (word, first)):
        return None
    title = f"the condition of `{key}` has no `{name}` before it"
    return fault.advice(title, f"write `{key} CONDITION`", at=word, put="")


def _joined_by_comma(fault: Fault) -> Advice | None:
    """`exclude A == b, C == d`: conditions with a comma between them."""
    line = item_of(fault.before)
    if fault.kind not in COMPARE or not line or len(line) == len(fault.before):
        return None
    comma, *before = reversed(fault.before[: -len(line)])
    if comma.type != "COMMA" or {leaf.type for leaf in line} - {"NAME", "DOT"}:
        return None
    first = item_of(tuple(reversed(before)))[:1]
    if not first or first[0].type not in CONDITIONS:
        return None
    key = fault.text_of(first[0])
    return fault.advice(
        "conditions are joined by `and`",
        f"write `and` in the place of `,`: `{key} a == b and c == d`",
        at=comma,
    )


def _excluded_record(fault: Fault) -> Advice | None:
    """`exclude { gpu == sm80 }`: a condition in braces."""
    if fault.kind not in ("EQEQ", "NOT_EQ", "IN") or not fault.openers:
        return None
    place = fault.before.index(fault.openers[-1])
    if place < 1 or fault.before[place - 1].type not in ("INCLUDE", "EXCLUDE", "REQUIRE"):
        return None
    before = fault.before[place - 1]
    key = fault.text_of(before)
    brace = fault.openers[-1]
    return fault.advice(
        f"the condition of `{key}` has no braces",
        f"write `{key} gpu == sm80 and isa == avx`, without braces",
        at=brace,
    )


def _word_before_block(fault: Fault) -> Advice | None:
    """`when C then { … }` and `when C: …`: a word or a mark before the braces."""
    line = item_of(fault.before)
    if not line or line[0].type != "WHEN" or "LBRACE" not in fault.accepted:
        return None
    if fault.kind not in ("THEN", "COLON") and fault.text not in ("do", "is"):
        return None
    braces = fault.source.text[fault.end :].lstrip(" \t").startswith("{")
    return fault.advice(
        f"the block of `when` has no {found(fault)} before it",
        "write `when CONDITION { … }`",
        put=None if not braces else " " if fault.kind == "COLON" else "",
    )


def _named(fault: Fault, *kinds: str) -> Leaf | None:
    """The first word of the declaration, if it is one of *kinds* and only it and a name were read;
    else None."""
    first = fault.last(2)
    if fault.in_body or first is None or fault.last_kind() != "NAME" or not begins_item(fault, 2):
        return None
    return first if first.type in kinds else None


def _parent(fault: Fault) -> Advice | None:
    """`recipe r inherits a`, `recipe r : a` and `recipe r extends a, b`."""
    if fault.last_kind(2) == "EXTENDS" and fault.kind in ("COMMA", "NAME", "AND", "STAR"):
        return fault.advice(
            "a recipe extends one other",
            "extend one of them, and make mixins of the others: `recipe a extends b with c { … }`",
        )
    first = _named(fault, "RECIPE")
    if first is None or fault.kind not in ("NAME", "COLON", "LPAR", "LESSTHAN", "EQUAL"):
        return None
    name = shown(fault.last_text())
    advice = f"to extend another recipe, write `recipe {name} extends NAME {{ … }}`"
    if fault.kind == "EQUAL":
        advice = f"write `recipe {name} {{ … }}`, or `recipe {name} extends NAME {{ … }}`"
    word = "extends" if fault.source.text[fault.start - 1].isspace() else " extends"
    follows = fault.kind in ("NAME", "COLON") and _is_name(fault.source.text[fault.end :])
    title = f"expected {expected(fault)}, found {found(fault)}"
    return fault.advice(title, advice, put=word if follows else None)


def _is_name(text: str) -> bool:
    """Whether *text* continues with a blank, a name and a brace."""
    name, brace, _ = text.partition("{")
    bare = name.strip()
    return bool(brace) and name[:1] == " " and bare.replace("-", "").isidentifier()


def _recipe_of_matrix(fault: Fault) -> Advice | None:
    """`matrix m for r { … }` and `variant v of r { … }`: the recipe before the braces."""
    first = _named(fault, "MATRIX", "VARIANT")
    if first is None or fault.kind not in ("NAME", "COLON", "LPAR", "EQUAL"):
        return None
    if first.type == "VARIANT" and (fault.kind == "EQUAL" or fault.text == "extends"):
        return None
    name = shown(fault.last_text())
    inside = "recipe = NAME, axes = …" if first.type == "MATRIX" else "recipe = NAME"
    return fault.advice(
        f"expected {expected(fault)}, found {found(fault)}",
        f"name its recipe inside: `{fault.text_of(first)} {name} {{ {inside} }}`",
    )


def _without_equals(fault: Fault) -> Advice | None:
    """`axis n ["a"]` and `let x 5`, without `=`; and `axis n = a, b`, without brackets."""
    line = item_of(fault.before)
    if fault.kind == "COMMA" and not fault.in_body and line and line[0].type == "AXIS":
        return fault.advice(
            "the values of an axis are a list",
            'write `axis NAME = [12.8, 13.0]`; strings have quotes: `["a", "b"]`',
        )
    first = _named(fault, "AXIS", "LET")
    if first is None or "EQUAL" not in fault.accepted:
        return None
    kind, name = fault.text_of(first), shown(fault.last_text())
    if fault.kind in ("_NL", "$END") and kind == "let":
        title = f"expected `=`, found {found(fault)}"
        return fault.advice(title, f"write `let {name} = VALUE`")
    if fault.kind == "NAME" and name in ("mut", "rec", "const"):
        word = fault.last()
        assert word is not None
        return fault.advice(
            f"`{kind}` has no `{name}` behind it",
            f"write `{kind} {shown(fault.text)} = …`",
            at=word,
            edits=((word.start_pos, fault.start, ""),),
        )
    if fault.kind not in ("LSQB", "STRING", "NUMBER", "NAME", "TRUE", "FALSE"):
        return None
    return fault.advice(
        f"expected `=`, found {found(fault)}",
        "write `=` before the value",
        edits=((fault.start, fault.start, "= "),),
    )


def declared_name(fault: Fault) -> Advice | None:
    """`let x: T = v` and `recipe: r {`: a colon at the name of a declaration."""
    text = fault.source.text
    if fault.last_kind(2) == "LET":
        kind = TYPE.match(text, fault.end, line_end(text, fault.end))
        if kind is None:
            return None
        name = shown(fault.last_text())
        blank = "" if text[fault.start - 1].isspace() else " "
        edits = ((fault.start, kind.end(), blank),)
        return fault.advice("a `let` has no type", f"write `let {name} = …`", edits=edits)
    word = fault.last_text()
    if word not in NAMED or fault.last_kind() == "NAME" or not _is_name(text[fault.end :]):
        return None
    name = shown(text[fault.end :].partition("{")[0].strip())
    return fault.advice(f"`{word}` has no `:` behind it", f"write `{word} {name} {{ … }}`", put="")


def _braces_of_axis(fault: Fault) -> Advice | None:
    """`axis a = { ROW { … } }`: the rows of an axis behind `=`."""
    if fault.kind != "LBRACE" or fault.last_kind() != "NAME" or not fault.openers:
        return None
    place = fault.before.index(fault.openers[-1])
    before = [leaf.type for leaf in fault.before[max(0, place - 3) : place]]
    if before != ["AXIS", "NAME", "EQUAL"]:
        return None
    if place != len(fault.before) - 2:
        return None
    name, equals = fault.text_of(fault.before[place - 2]), fault.before[place - 1]
    return fault.advice(
        "the rows of an axis have no `=` before them",
        f"write `axis {shown(name)} {{ … }}`",
        at=equals,
        edits=((equals.start_pos, fault.openers[-1].start_pos, ""),),
    )


def _all_rows(fault: Fault) -> Advice | None:
    """`cpu[*]`: all rows of a table."""
    bracket, table = fault.last(), fault.last(2)
    if fault.kind != "STAR" or bracket is None or bracket.type != "LSQB" or table is None:
        return None
    if table.type != "NAME" or not fault.source.text.startswith("]", fault.end):
        return None
    return Advice(
        "all values of a table need no brackets",
        bracket.start_pos,
        fault.end + 1,
        "",
        f"write `{shown(fault.text_of(table))}`",
        edits=((bracket.start_pos, fault.end + 1, ""),),
    )


def _spread_settings(fault: Fault) -> Advice | None:
    """`args { ...defaults }` and `args { **defaults }`: settings that are written elsewhere."""
    if fault.kind not in ("SPREAD", "STAR") or not fault.at_item or not fault.in_body:
        return None
    return fault.advice(
        "settings of another place are not listed here",
        "declare them, `mixin NAME { args { … } }`, and take them in: `recipe r with NAME { … }`",
    )


def _imported_names(fault: Fault) -> Advice | None:
    """`import { a } from "x"`: names of a module, as another language imports them."""
    word = fault.last(3)
    if fault.kind not in ("RBRACE", "COMMA") or fault.last_kind(2) != "LBRACE" or word is None:
        return None
    if fault.text_of(word) != "import" or len(fault.openers) != 1:
        return None
    return fault.advice(
        "a module is imported by `use`",
        'write `use std.MODULE` or `use "./FILE.tvar"`, which imports all names',
        at=word,
    )


def _overlay_on(fault: Fault) -> Advice | None:
    """`overlay o on openssl { … }`: another word for `for`."""
    if _named(fault, "OVERLAY", "PATCH") is None or "FOR" not in fault.accepted:
        return None
    if fault.text not in ("on", "of", "in", "to", "over"):
        return None
    return fault.advice(
        f"expected `for`, found {found(fault)}", "write `for` before the package", put="for"
    )


def _names_in_braces(fault: Fault) -> Advice | None:
    """`axis a = { x, y }`: a list in braces."""
    if fault.kind not in ("COMMA", "RBRACE") or fault.last_kind() not in ("NAME", "STRING"):
        return None
    if "EQUAL" not in fault.accepted or not fault.openers or fault.openers[-1].type != "LBRACE":
        return None
    brace = fault.openers[-1]
    place = fault.before.index(brace)
    if fault.last(2) is not brace or place < 2 or fault.before[place - 1].type != "EQUAL":
        return None
    advice = "write `[a, b]`; in a record each entry has a value: `{ a = 1, b = 2 }`"
    if fault.text_of(fault.before[place - 2]) == "axes":
        advice = "write `*` between the axes, without braces: `axes = gpu * isa`"
    return fault.advice("a list has square brackets", advice, since=brace)


def _facts_without_fields(fault: Fault) -> Advice | None:
    first = _named(fault, "FACTS")
    if first is None or fault.kind != "LBRACE":
        return None
    name = shown(fault.last_text())
    return fault.advice(
        f"the table `{name}` has no fields",
        f"name its fields with their types: `facts {name} (label: string) {{ … }}`",
        label="expected `(`",
    )


def _row_with_colon(fault: Fault) -> Advice | None:
    """`a: { … }`: a row of a table with a colon behind its name."""
    if fault.kind not in ("COLON", "EQUAL") or fault.accepted != {"LBRACE"}:
        return None
    if not fault.source.text[fault.end :].lstrip(" \t").startswith("{"):
        return None
    name = shown(fault.last_text())
    return fault.advice(
        f"a row has no {found(fault)} behind its name",
        f"write `{name} {{ FIELD = VALUE }}`",
        put="",
    )


def _type_of_list(fault: Fault) -> Advice | None:
    """`list<string>`: the type of a list as other languages write it."""
    if fault.kind != "LESSTHAN" or fault.last_kind(2) != "COLON":
        return None
    return fault.advice("the type of a list is written in square brackets", "write `[string]`")


def _output_path(fault: Fault) -> Advice | None:
    """`output "out/{{variant}}.nix"`: an output without a name."""
    if fault.kind != "STRING" or fault.last_kind() != "OUTPUT" or fault.in_body:
        return None
    path = shown(fault.text)
    advice = f"write `output nix {{ file = {path} }}`"
    if fault.text[1:-1].isidentifier():
        advice = f"write its name without quotes: `output {path[1:-1]} {{ … }}`"
    return fault.advice("an output needs a name", advice)


def _set_declaration(fault: Fault) -> Advice | None:
    """`pin n = github(…)`: a declaration written as an assignment."""
    first = _named(fault, "PIN", "INPUT", "OVERLAY", "PATCH", "VARIANT", "FACTS", "OUTPUT")
    if first is None or fault.kind != "EQUAL":
        return None
    kind, name = fault.text_of(first), shown(fault.last_text())
    inside = {
        "pin": f'pin {name} {{ github = "OWNER/REPO", rev = "…" }}',
        "input": f'input {name} {{ github = "OWNER/REPO" }}',
        "overlay": f"overlay {name} for PACKAGE {{ NAME = … }}",
        "facts": f"facts {name} (FIELD: TYPE) {{ ROW {{ FIELD = VALUE }} }}",
        "variant": f"variant {name} {{ recipe = NAME }}",
        "output": f'output {name} {{ file = "FOLDER/{{{{variant}}}}.nix" }}',
        "patch": f'patch {name} for PACKAGE {{ file = "./PATH.patch" }}',
    }
    return fault.advice(
        f"{'an' if kind[0] in 'io' else 'a'} {kind} is not set by `=`", f"write `{inside[kind]}`"
    )


def _set_twice(fault: Fault) -> Advice | None:
    """`flag f = bool = false`: a type before the value."""
    if fault.kind != "EQUAL" or fault.last_kind(2) != "EQUAL" or fault.last_kind(4) != "FLAG":
        return None
    word = fault.last()
    assert word is not None
    return fault.advice(
        "the value of a flag has no type before it",
        f"write `flag {shown(fault.last_text(3))} = …`",
        since=word,
    )


DECLARATION_HINTS: Final = (
    _joined_by_comma,
    _excluded,
    _excluded_record,
    _imported_names,
    _spread_settings,
    _word_before_block,
    _parent,
    _recipe_of_matrix,
    _without_equals,
    _braces_of_axis,
    _all_rows,
    _overlay_on,
    _names_in_braces,
    _row_with_colon,
    _facts_without_fields,
    _type_of_list,
    _output_path,
    _set_declaration,
    _set_twice,
)
"""The functions of this file that look at a fault, in the order in which they are asked."""
