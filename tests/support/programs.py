"""Random programs that parse, in any layout and with comments wherever one may stand."""

from __future__ import annotations

from hypothesis import strategies as st

Text = st.SearchStrategy[str]

_COMMENTS = st.sampled_from(("# why", "#", "#  a \t", '# is "it" { [ (', "#= x, y"))
_NAMES = st.sampled_from(
    ("a", "gpu", "meta", "name-of-it", "version", "x1", "a-rather-long-name-of-a-setting")
)
_BLANKS = st.sampled_from((" ", "  ", "\t"))
_COMMENT_LINES = st.builds(lambda comment, blank: f" {comment}\n{blank}", _COMMENTS, _BLANKS)
_LINE_ENDS = st.one_of(st.sampled_from(("\n", "\n  ", "\n\n", "\n \n\n", "\r\n")), _COMMENT_LINES)
# Within `( )` and `[ ]` lines may end anywhere.
_FREE = st.one_of(
    st.just(""), st.just(""), _BLANKS, _LINE_ENDS, st.builds(str.__add__, _LINE_ENDS, _LINE_ENDS)
)
# Before the words that continue a line.
_BEFORE_MORE = st.one_of(st.just(" "), _BLANKS, _LINE_ENDS)
_STRINGS = st.sampled_from(
    (
        '""',
        '"text"',
        '"{{gpu.label}} and {{join(a, ", ")}}"',
        '"a \\"b\\" \\{{"',
        f'"{"long " * 12}"',
    )
)
_SCRIPTS = st.sampled_from(
    (
        '"""one line"""',
        '"""\n  two\n    lines\n"""',
        '"""\n\techo\n  {{gpu}} $X\n   \n      """',
        '"""begins here\n  and goes on"""',
        '"""\r\n      a\r\n\r\n      b """',
        '""""\n    """\n  """"',
        '"""\n\n"""',
        '"""\n        # no comment\n      """',
    )
)
_NIX = st.sampled_from(
    (
        'nix"""[ ]"""',
        'nix"""f {{gpu}} "a-{{ gpu.label }}" \'\'\n    x {{b}}\'\' # {{"""',
        'nix"""\n  { {{a}} = [ {{[1, 2]}} ]; b = "\\{{"; }\n    """',
        'nix"""\n  { a = 1; }\n    """',
        'nix""""x""""',
    )
)
_NUMBERS = st.sampled_from(("0", "42", "13.0", "2.10.0"))
_CONSTANTS = st.sampled_from(("true", "null", "none"))
_ATOMS = st.one_of(_NAMES, _NAMES, _STRINGS, _NUMBERS, _CONSTANTS, _SCRIPTS, _NIX)


@st.composite
def _listed(draw: st.DrawFn, opener: str, element: Text, closer: str, least: int = 0) -> str:
    """Elements between brackets in which lines may end anywhere."""
    parts = [opener]
    elements = draw(st.lists(element, min_size=least, max_size=4))
    for index, one in enumerate(elements):
        parts += (draw(_FREE), one, draw(_FREE))
        if index + 1 < len(elements) or draw(st.booleans()):
            parts.append(",")
    return "".join([*parts, draw(_FREE), closer])


@st.composite
def _braced(draw: st.DrawFn, element: Text) -> str:
    """Elements between braces, in which a line's end separates."""
    parts = ["{", draw(_FREE)]
    elements = draw(st.lists(element, max_size=4))
    for index, one in enumerate(elements):
        parts.append(one)
        last = index + 1 == len(elements)
        comma = ","
        if last or draw(st.booleans()):
            comma = "" if last and draw(st.booleans()) else draw(_LINE_ENDS)
        parts += (comma, draw(_FREE) if comma == "," else "", " ")
    return "".join([*parts, "}"])


def _more(draw: st.DrawFn, word: str) -> str:
    return draw(_BEFORE_MORE) + word + " "


@st.composite
def _pick(draw: st.DrawFn, value: Text) -> str:
    match draw(st.integers(0, 2)):
        case 0:
            return draw(value)
        case 1:
            return f"{draw(_NAMES)}{draw(st.sampled_from(('..', ' .. ')))}{draw(_NAMES)}"
        case _:
            return f"where {draw(_NAMES)} > 1"


@st.composite
def _larger(draw: st.DrawFn, value: Text) -> str:
    """An expression of expressions."""
    match draw(st.integers(0, 9)):
        case 0:
            spread = value.map(lambda one: f"... [{one}]")
            condition = st.one_of(st.just(""), value.map(lambda one: f"\nif ({one})"))
            element = st.one_of(value, spread)
            each = st.builds("{} for {} in {}{}".format, element, _NAMES, value, condition)
            element = st.one_of(value, spread, each)
            return draw(_listed("[", element, "]"))
        case 1:
            argument = st.one_of(value, st.builds("{} = {}".format, _NAMES, value))
            return (
                draw(_NAMES) + draw(st.sampled_from(("", " "))) + draw(_listed("(", argument, ")"))
            )
        case 2:
            return f"({draw(_FREE)}{draw(value)}{draw(_FREE)})"
        case 3:
            return draw(_NAMES) + draw(_listed("[", _pick(value), "]", 1))
        case 4:
            return f"({draw(value)}).{draw(_NAMES)}"
        case 5:
            entry = st.builds("{} ={} {}".format, _paths(), _BLANKS, value)
            return draw(_braced(entry))
        case 6:
            word = draw(st.sampled_from(("and", "or")))
            return f"not {draw(_NAMES)}{_more(draw, word)}({draw(value)})"
        case 7:
            sign = draw(st.sampled_from(("==", "!=", "<=", "in", "not  in", "is not")))
            return f"{draw(_NAMES)} {sign} ({draw(value)})"
        case 8:
            then, otherwise = _more(draw, "then"), _more(draw, "else")
            return f"if {draw(_NAMES)}{then}{draw(value)}{otherwise}{draw(value)}"
        case _:
            return (
                f"{draw(_NAMES)} . {draw(_NAMES)} .{draw(_STRINGS.filter(lambda s: '{' not in s))}"
            )


VALUES: Text = st.recursive(_ATOMS, _larger, max_leaves=6)


@st.composite
def _paths(draw: st.DrawFn) -> str:
    keys = draw(st.lists(st.one_of(_NAMES, st.just('"odd key"')), min_size=1, max_size=3))
    return draw(st.sampled_from((".", ".", " . "))).join(keys)


@st.composite
def _because(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        return ""
    return _more(draw, "because") + draw(st.one_of(_STRINGS, _SCRIPTS))


_OTHERS = st.sampled_from(
    (
        "use  std . cpu",
        'use "./a.tvar"  as b',
        "axis a:b",
        "axis  a = t[ b..c , where d>1 ]",
        "axis a {b{ },c { x=1 }}",
        "facts a+={\n b { x = 1, y = 2 } }",
        "axes = a*b[ c,\n d ] * e",
        "variant a { recipe = b . c }",
        "patch a for b . c { }",
        "patch a for pkgs[ if b then c\n else d ].e { }",
        "recipe a extends b . c {\n}",
        "input a=1",
        "needs a = b",
        "warn a = off",
        'script "odd name"+=  "text"',
        "script a { part b = none }",
        'script a { += "x"\n\n# c\n part d "y" }',
    )
)


@st.composite
def _item(draw: st.DrawFn, body: Text) -> str:
    """What may stand between braces or at top level; *body* stands in for deeper ones."""
    name, because = draw(_NAMES), draw(_because())
    brace = draw(_BEFORE_MORE)
    match draw(st.integers(0, 13)):
        case 0 | 1 | 2:
            strength = draw(st.sampled_from(("", "", "default ", "force")))
            sign = draw(st.sampled_from(("=", " += ", "-=")))
            return f"{strength} {draw(_paths())} {sign}{draw(VALUES)}{because}".lstrip()
        case 3:
            return f"let  {name}={draw(VALUES)}"
        case 4:
            return f"{draw(st.sampled_from(('exclude', 'require')))} ({draw(VALUES)}){because}"
        case 5:
            return f"warn {name} = {draw(st.one_of(VALUES, st.just('off')))}{because}"
        case 6:
            kind = draw(st.sampled_from(("", ":int", " : [string]?", ': one_of ("a",\n "b")')))
            return f"flag {name}{kind} = {draw(VALUES)}{because}"
        case 7:
            branches = ("", " else{ a = 1 }", "\nelse when a{ }", "else { }")
            otherwise = draw(st.sampled_from(branches))
            return f"when ({draw(VALUES)}){brace}{draw(body)}{otherwise}"
        case 8:
            part = draw(
                st.sampled_from(("part a", "force part b  after c", "default part d before e"))
            )
            return f"script {name}{brace}{{ {part} {draw(_SCRIPTS)} }}"
        case 9:
            end = draw(
                st.sampled_from(
                    (" for pkgs.a", "  in b", "", " for pkgs [ a.b ] . c", ' in a["x{{b}}"]')
                )
            )
            return f"overlay {name}{end}{because}{brace}{draw(body)}"
        case 10:
            word = draw(st.sampled_from(("recipe", "matrix", "pin", "output")))
            return f"{word} {name}{brace}{draw(body)}"
        case 11:
            rows = st.builds("{} {}".format, _NAMES, body)
            field = st.builds("{} : {}".format, _NAMES, st.sampled_from(("string", "[int]?")))
            return f"facts {name} {draw(_listed('(', field, ')'))}{brace}{draw(_braced(rows))}"
        case 12:
            return draw(_OTHERS)
        case _:
            return f"{draw(st.sampled_from(('attrs', 'meta', 'x')))}{brace}{draw(body)}"


_BODIES: Text = st.recursive(st.just("{ }"), lambda body: _braced(_item(body)), max_leaves=4)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A whole file."""
    parts = [draw(st.one_of(st.just(""), _LINE_ENDS))]
    for item in draw(st.lists(_item(_BODIES), max_size=4)):
        parts += (item, draw(_LINE_ENDS), draw(st.one_of(st.just(""), _LINE_ENDS)))
    return "".join(parts)
