"""Writes parts of a program: texts, blocks, references, Nix text."""

from __future__ import annotations

import re

from tvarc.byhand.importing.names import free_name, key, name_from
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import (
    SOURCE,
    SOURCE_NODE,
    entries_of,
    free_in,
    own,
    parameters_in,
    path_of,
    rewritten,
    text_of,
    unmarked,
)
from tvarc.light import Final, Iterable, Mapping, Sequence, dataclass, replace
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.quoting import is_identifier
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixLambda,
    NixLet,
    NixSelect,
    NixString,
    names_in,
    walk,
)
from tvarc.syntax.format.break_points import STEP, WIDTH
from tvarc.syntax.format.format import WIDE, braced
from tvarc.values.value import quote

PLACEHOLDER: Final = "tvarcFill"
"""The mark in Nix text, before a number, for a value that replaces it."""
PLACEHOLDER_OPEN: Final = "\ue006"
PLACEHOLDER_CLOSE: Final = "\ue007"
"""The marks around the number of a value within a string of Nix text."""
_IN_TEXT: Final = re.compile(rf"(\{{*){PLACEHOLDER_OPEN}(\d+){PLACEHOLDER_CLOSE}")
_SELECTED: Final = re.compile(rf"(?<![\w.]){PLACEHOLDER}(\d+)(?=\.)")  # a field of a value is read
_PLACEHOLDER: Final = re.compile(rf'"?\b{PLACEHOLDER}(\d+)\b"?')
_VALUE: Final = re.compile(r"(\{\{[^{}]*\}\})")
_VERSION: Final = re.compile(r"-\d[^-]*\Z")
_STRING: Final = r'("(?:\\.|\{\{(?:"[^"]*"|[^"}])*\}\}|[^"\\])*")'
_ELSE: Final = re.compile(f"{_STRING}| (else) ")
_THEN: Final = re.compile(f"{_STRING}| (then) ")
_INDENT: Final = "      "
_LONGEST_FENCE: Final = 5
_MOST_QUOTES: Final = 2  # those around what a command gets
_IN_A_PART: Final = 72
_IN_A_CALL: Final = 64  # of the arguments of a call in a setting

Roots = Mapping[str, str]
"""The names of the roots of reduced Nix at the place of a text."""



@dataclass(frozen=True, slots=True)
class Site:
    """The place of an expression in a program: its `cells`, a `hint` for the names of its
    declarations, the names of the `roots` of reduced Nix there, and whether it `is_prose`, a
    description."""

    cells: Sequence[int]
    hint: str
    roots: Roots
    is_prose: bool = False

    def of(self, cells: Sequence[int]) -> Site:
        """The same for other *cells*."""
        return replace(self, cells=cells)

    def named(self, hint: str) -> Site:
        """The same with another *hint*."""
        return replace(self, hint=hint)


IN_RECIPE: Final[Roots] = {
    "@pkgs": "pkgs", "@caller": "caller", "@lib": "lib", "@old": "old", "@needs": "needs",
    SOURCE_NODE.name: SOURCE,
}  # fmt: skip
IN_CONFIG: Final[Roots] = {"@caller": "caller", "@lib": "lib"}
IN_OVERLAY: Final[Roots] = {
    "@final": "final", "@prev": "prev", "@pkgs": "pkgs", "@caller": "caller", "@lib": "lib",
    "@old": "old", "@needs": "needs",
}  # fmt: skip
IN_SET: Final[Roots] = {
    "@set-final": "final", "@set-prev": "prev", "@final": "pkgs", "@prev": "pkgs",
    "@pkgs": "pkgs", "@caller": "caller", "@lib": "lib", "@old": "old", "@needs": "needs",
}  # fmt: skip


class CannotSay(Exception):
    """A clause about a value that the language cannot express, or for which this room finds no
    expression."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def template(text: str) -> str:
    """*text*, which has axes between braces, as a text of the language."""
    return f'"{text}"'


def in_string(text: str) -> str:
    """*text* within a string of one line."""
    return quote(text)[1:-1]


def in_block(text: str) -> str:
    r"""*text* within `\"\"\"`."""
    return text.replace("{{", "\\{{")


def block(lines: Sequence[str]) -> str:
    """A text of several lines, which are already in their written form. The last line is empty if
    the text ends with a line end. An empty value before the first line keeps common blanks at the
    beginning of all lines."""
    full = [line for line in lines if line.strip(" ")]
    made = list(lines)
    if full and min(len(line) - len(line.lstrip(" ")) for line in full) > 0:
        first = next(number for number, line in enumerate(made) if line.strip(" "))
        made[first] = '{{""}}' + made[first]
    if made and made[-1] and not made[-1].strip(" "):
        made[-1] = '{{""}}' + made[-1]
    if made and made[-1].endswith('"'):  # otherwise it would be part of the fence
        made[-1] = made[-1][:-1] + '{{"\\""}}'
    fence = '"""'
    while any(fence in line for line in made):
        fence += '"'
    if len(fence) > _LONGEST_FENCE:
        raise CannotSay("a string has more quotes in a row than one of tvar can have")
    if any(character in line for line in made for character in "\r\0"):
        raise CannotSay("a string has characters that one of tvar cannot have")
    return fence + "\n" + "\n".join(made) + fence


def part_text(lines: Sequence[str]) -> str:
    """The text of a part in the form of `block`, or as a string if it is one line that needs few
    escapes."""
    if len(lines) == 2 and not lines[1]:
        pieces = _VALUE.split(lines[0])
        characters = "".join(pieces[::2])
        quotes = characters.count('"')
        is_short = len(lines[0]) <= _IN_A_PART or not quotes
        escapes = len(quote(characters)) - len(characters) - len('""')
        if is_short and escapes == quotes <= _MOST_QUOTES:
            pieces[::2] = [in_string(one) for one in pieces[::2]]
            return f'"{"".join(pieces)}\\n"'
    return block(lines)


def branches(head: str, rows: Sequence[str], others: Sequence[str]) -> list[str]:
    """A block of *rows*, and a block of *others* after `else`. Both blocks are on one line, or
    neither."""
    one, other = braced(head, rows), braced(" else", others)
    line = one[0] + other[0]
    if len(one) == len(other) == 1 and len(line) <= WIDE:
        return [line]
    return [f"{head} {{", *rows, "} else {", *others, "}"]


def in_branches(row: str) -> str:
    """A `let` or a `flag`, with a line for each branch if a line is too short for all."""
    if len(row) <= WIDTH:
        return row
    rows = _broken(_ELSE, row).split("\n")
    return "\n".join([one if len(one) + STEP <= WIDTH else _broken(_THEN, one) for one in rows])


def _broken(before: re.Pattern[str], code: str) -> str:
    """*code* with a new line *before* each word that the pattern finds outside of strings."""
    return before.sub(lambda found: found[1] or f"\n{found[2]} ", code)


def spaced(declarations: Iterable[Sequence[str]]) -> list[str]:
    """The rows of *declarations*, with an empty row around each declaration of several rows."""
    rows: list[str] = []
    for one in declarations:
        if len(one) > 1 and rows and rows[-1]:
            rows.append("")
        rows += one if len(one) == 1 else [*one, ""]
    return rows if not rows or not rows[-1] else [*rows, ""]


def record(entries: Sequence[str]) -> str:
    """A record of *entries*, on one line if they are short."""
    line = f"{{ {', '.join(entries)} }}" if entries else "{}"
    return line if len(line) <= _IN_A_CALL else "{\n" + "\n".join(entries) + "\n}"


def filled(items: Sequence[str]) -> str:
    """A list of *items*, with as many on a line as fit."""
    line = f"[{', '.join(items)}]"
    if len(line) <= WIDE or any("\n" in item for item in items):
        return line
    rows = [""]
    for item in items:
        if rows[-1] and len(rows[-1]) + len(item) + 1 > WIDE:
            rows.append("")
        rows[-1] += f" {item}," if rows[-1] else f"{item},"
    return "[\n" + "\n".join(rows) + "\n]"


def reference(node: NixExpr, roots: Roots) -> str | None:
    """`pkgs.a.b` if *node* is such a reference; otherwise None."""
    match node:
        case NixSelect(NixIdent(root), path, None) if root in roots and root != "@lib":
            return ".".join([roots[root], *[key(str(step)) for step in path]])
        case NixIdent("@pkgs" | SOURCE_NODE.name as root) if root in roots:
            return roots[root]
        case _:
            return None


def file_path(path: str) -> str:
    """`path("…")` of a file, by its path from the program."""
    return f"path({quote(path if path.startswith('../') else f'./{path}')})"


def own_reference(node: NixExpr) -> str | None:
    """`old.x` for a text, if *node* is such a reference, perhaps with the default that the language
    writes; otherwise None."""
    match node:
        case NixSelect(NixIdent("@old"), path, None):
            return ".".join(["old", *[key(str(step)) for step in path]])
        case _:
            name = own(node)
            return f"old.{key(name)}" if name is not None else None


def _in_blocks(node: NixExpr) -> NixExpr:
    """*node*, with its texts of several lines as `''` strings."""

    def change(one: NixExpr) -> NixExpr | None:
        match one:
            case NixString(parts) if any(isinstance(part, str) and "\n" in part for part in parts):
                inner = [
                    part if isinstance(part, str) else rewritten(part, change) for part in parts
                ]
                return NixString(tuple(inner), block=True)
            case _:
                return None

    return rewritten(node, change)


def _in_braces(code: str) -> str:
    """*code* as a value within Nix text. A brace at the end of *code* is kept apart from the
    closing braces."""
    return "{{" + code + (" }}" if code.endswith("}") else "}}")


def _behind(braces: str) -> str:
    """*braces* before a value in a text of Nix, in a form in which the last is not part of the
    value's braces."""
    return f'{braces[:-1]}{{{{"{{"}}}}' if len(braces) % 2 else braces


def nix_text(node: NixExpr, roots: Roots, placeholders: Sequence[str] = ()) -> str:
    """*node* as Nix text of the language. *placeholders* has the values for its placeholders."""
    values = list(placeholders)

    def named(one: NixExpr) -> NixExpr | None:
        path = path_of(one)
        if path is not None:
            values.append(file_path(path))
            return NixIdent(f"{PLACEHOLDER}{len(values) - 1}")
        match one:
            case NixIdent(name) if name.startswith("@"):
                if name not in roots:
                    raise CannotSay(f"it reads `{name[1:]}`, which does not exist there")
                return NixIdent(roots[name])
            case NixIdent(name) if not is_identifier(name):
                raise CannotSay(f"`{name}` is not a name in Nix")
            case _:
                return None

    tree = _once(_in_blocks(rewritten(unmarked(node), named)))
    text = print_expr(tree).rstrip("\n")
    text = text.replace("{{", "\\{{")
    if "\n" in text:
        lines = "".join([f"{_INDENT}{line}\n" for line in text.split("\n")])
        text = f"\n{lines}    "
    text = _SELECTED.sub(r"(\g<0>)", text)
    text = _PLACEHOLDER.sub(lambda found: _in_braces(values[int(found[1])]), text)
    text = _IN_TEXT.sub(lambda found: _behind(found[1]) + _in_braces(values[int(found[2])]), text)
    if text.startswith('"'):
        text = f" {text}"
    if text.endswith('"'):
        text = f"{text} "
    fence = '"""'
    while fence in text:
        fence += '"'
    if len(fence) > _LONGEST_FENCE:
        raise CannotSay("Nix text has more quotes in a row than a string of tvar can have")
    return f"nix{fence}{text}{fence}"


def _once(node: NixExpr) -> NixExpr:
    """*node*, in which a name is bound to each repeated call, so that members of a `rec` that read
    each other are written once."""
    repeated = repeated_calls(node)
    if not repeated:
        return node
    taken = {*names_in([node]), *parameters_in(node)}
    selections = [one for one in walk([node]) if isinstance(one, NixSelect)]
    taken.update([str(step) for one in selections for step in one.path])
    names: dict[NixApply, str] = {}
    for one in repeated:
        names[one] = free_name(_name_of(one), taken, names.values())

    def named(one: NixExpr) -> NixExpr | None:
        return NixIdent(names[one]) if isinstance(one, NixApply) and one in names else None

    bindings: list[NixBinding] = []
    for one, name in names.items():
        value = NixApply(rewritten(one.function, named), rewritten(one.argument, named))
        bindings.append(NixBinding((name,), value))
    return NixLet(tuple(bindings), rewritten(node, named))


def repeated_calls(node: NixExpr) -> list[NixApply]:
    """The calls that *node* has more than once, with a set of several attributes or a function.
    Calls that are only repeated within another repeated call are left out, and so are calls that
    read a parameter of a function around them."""
    counts: dict[NixApply, int] = {}
    bound = parameters_in(node)

    def counted(one: NixExpr) -> NixExpr | None:
        match one:
            case NixApply(_, NixAttrs((_, _, *_)) | NixLambda(_, NixAttrs((_, _, *_)))) if (
                bound.isdisjoint(free_in(one))
            ):
                counts[one] = counts.get(one, 0) + 1
                return one if counts[one] > 1 else None
            case _:
                return None

    rewritten(node, counted)
    return [one for one, count in counts.items() if count > 1]


def _name_of(call: NixApply) -> str:
    """A name for the result of *call*: the name among its arguments, without a version."""
    given = dict(entries_of(call.argument)) if isinstance(call.argument, NixAttrs) else {}
    text = text_of(given.get("pname") or given.get("name") or call)
    name = name_from(_VERSION.sub("", plain(text or "")))
    return name if is_identifier(name) else "made"


def record_keys(node: NixExpr) -> tuple[str, ...] | None:
    """The keys of a set; None for any other expression."""
    return tuple([name for name, _ in entries_of(node)]) if isinstance(node, NixAttrs) else None
