"""The places of hashes, and which of them are open: no content has the hash there.

`build --locked`, `lock` and `lock --check` use this module. A place is the argument `hash` of a
fetcher, or anything with the name of a hash in nixpkgs: an attribute, a key of a record argument of
a function, or a binding in Nix text.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_PACKAGE
from tvarc.light import Callable, Final, Iterator, dataclass
from tvarc.meaning import hir
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.meaning.evaluation.formats import as_sri, is_open
from tvarc.meaning.evaluation.kinds import children
from tvarc.nix.nixpkgs import FAKE_HASHES, HASHES, HASHES_BY_NAME, is_hash
from tvarc.text.source import Span
from tvarc.values.value import (
    Missing,
    NixCall,
    NixPart,
    NixRef,
    NixSource,
    PathValue,
    Record,
    RowValue,
    UnlockedValue,
    Value,
    holds_nix,
    show,
)

Steps = tuple[str, ...]
FETCHES: Final = frozenset(
    (
        *[block.name for block in OF_PACKAGE if block.holds in ("values", "attributes")],
        "needs", "overlays", "package",
    )
)  # fmt: skip
"""The settings in which something may be fetched."""
SOURCE_ATTRIBUTES: Final = ((ATTRIBUTES, "src"), (ATTRIBUTES, "srcs"))
"""The attributes with a package's source. The hashes among its other attributes belong to this
source."""
_VALUE: Final = "\ufffc"
_MARKS: Final = (*sorted(FAKE_HASHES), '""', "''''", "AAAA", "0000")
"""Nix text without any of these words has no open hash."""


# --- what is open -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenHash:
    """An open place, as the names that lead to it. In Nix text, `word` is the name to which the
    hash is bound there, the name by which a fake hash is read, or the hash itself. Elsewhere it is
    empty."""

    steps: Steps
    word: str = ""

    @property
    def may_be_unlocked(self) -> bool:
        """Whether the program can leave the hash to the lock."""
        return not self.word and is_hash(self.steps)

    def describe(self, place: str) -> str:
        """A description of the hash for messages. *place* is the description of its steps."""
        return f"`{self.word}` in the Nix text of {place}" if self.word else place


def open_hashes(value: Value, steps: Steps) -> Iterator[OpenHash]:
    """Each open place of *value*, which is at *steps*. Values in a call are not included, because
    the call checks them itself."""
    match value:
        case str():
            if steps and _is_fake(steps, value):
                yield OpenHash(steps)
        case NixRef():
            if value.attributes and value.attributes[-1] in FAKE_HASHES:
                yield OpenHash(steps)
        case Record():
            for key, inner in value:
                yield from open_hashes(inner, (*steps, key))
        case tuple():
            for inner in value:
                if type(inner) is not str or inner.startswith("sha"):  # most are other strings
                    yield from open_hashes(inner, steps)
        case NixSource():
            for name in _open_in_text(_whole(value)):
                yield OpenHash(steps, name)
        case _:
            return


def written_at(expr: hir.Expr, steps: Steps, value_of: Callable[[hir.Expr], Value]) -> Span:
    """The place where the value that *steps* lead to in *expr* is written: in *expr*, in a `let`,
    or as a fact of a row. *expr* itself if it is computed or comes from the library. *value_of*
    evaluates an expression."""
    if isinstance(expr, hir.Const) and not steps:
        return expr.span
    found = _written_at(expr, steps, value_of)
    return expr.span if found is None or found.file.startswith("std/") else found


def _written_at(
    expr: hir.Expr, steps: Steps, value_of: Callable[[hir.Expr], Value]
) -> Span | None:
    match expr:
        case hir.RecordOf():
            for path, inner in expr.entries:
                if steps[: len(path)] == path:
                    return _written_at(inner, steps[len(path) :], value_of)
        case hir.LetRef() if expr.target.expr is not None:
            return _written_at(expr.target.expr, steps, value_of)
        case hir.If():
            chosen = expr.then if value_of(expr.condition) is True else expr.otherwise
            return _written_at(chosen, steps, value_of)
        case hir.Member():
            return _written_at(expr.base, (expr.name, *steps), value_of)
        case hir.Index():
            key = value_of(expr.key)
            name = key.name if isinstance(key, RowValue) else key
            return _written_at(expr.base, (str(name), *steps), value_of)
        case hir.AxisRef() | hir.Const() | hir.Rows() if steps:
            row = value_of(expr)
            if isinstance(row, Record):  # the rows of a table
                found = row.get(steps[0])
                row, steps = None if isinstance(found, Missing) else found, steps[1:]
            if isinstance(row, RowValue) and len(steps) == 1 and steps[0] in row.facts:
                return row.facts[steps[0]].span
            return None
    return None if steps else expr.span


def _whole(text: NixSource) -> str:
    """*text* with its open hashes, and with one character in place of each other value."""
    befores = ("", *text.parts)
    return "".join(
        [
            one if isinstance(one, str) else _part(one, str(before))
            for before, one in zip(befores, text.parts, strict=False)
        ]
    )


def _part(part: NixPart, before: str) -> str:
    """*part* as an open hash or as one character. The hash of a fetcher is checked when the text is
    evaluated."""
    if not isinstance(part.value, str) or not is_open(part.value) or hash_bound_by(before):
        return _VALUE
    return f'"{part.value}"' if part.place == "code" else part.value


def _open_in_text(text: str) -> Iterator[str]:
    """The names in Nix *text* to which an open hash is bound, open hashes that are bound to no
    name, and the names of fake hashes that the text reads."""
    if not any(mark in text for mark in _MARKS):
        return
    from tvarc.nix.language.tokens import tokens

    last = before = ""  # the words before this one
    opened: int | None = None  # where the string begins that is bound to a name of a hash
    fake = ""  # a name that is read, unless it is bound in this text
    for token in tokens(text):
        word = text[token.start : token.end]
        if fake and word != "=":
            yield fake
        fake = word if token.kind == "name" and word in FAKE_HASHES else ""
        match token.kind:
            case "opens":
                opened = token.end
            case "closes":
                written = text[opened : token.start] if opened is not None else ""
                bound = bool(before) and last == "="
                if bound and opened is not None and _is_fake((before,), written):
                    yield before
                elif not bound and _is_fake((), written):
                    yield written
                # This may be the name of a binding: `"hash" = …`.
                before, last, opened = "", "" if bound else written, None
            case _:
                opened = None
                before, last = (last, word) if word == "=" else ("", word)
    if fake:
        yield fake


def _is_fake(steps: Steps, text: str) -> bool:
    """Whether *text*, which is at *steps*, is a hash that no content has. With its kind, as in
    `sha256-AAAA…`, it counts with any name and without a name."""
    return (_names_its_kind(text) or (bool(steps) and is_hash(steps))) and is_open(text)


def _names_its_kind(text: str) -> bool:
    return text.startswith("sha") and "-A" in text


def may_be_open(value: Value, steps: Steps) -> bool:
    """Whether `open_hashes` may find anything. This is a quick test, because nearly all values are
    strings and lists of strings."""
    if isinstance(value, str):
        return bool(steps) and (is_hash(steps) or _names_its_kind(value))
    return type(value) in (NixRef, Record, tuple, NixSource)


# --- what is to be locked ----------------------------------------------------------------------


def leaves_hashes(expr: hir.Expr, steps: Steps) -> bool:
    """Whether *expr*, written at *steps*, may leave a hash to the lock."""
    match expr:
        case hir.Const():
            return isinstance(expr.value, UnlockedValue)
        case hir.RecordOf():
            return any(leaves_hashes(one, (*steps, *path)) for path, one in expr.entries)
        case hir.If() | hir.ListOf():
            return any(leaves_hashes(one, steps) for one in children(expr))
        case hir.LetRef(target) if target.expr is not None:
            place = f"leaves a hash at {'.'.join(steps[-2:])}"  # `is_hash` reads no other step
            known = target.known.get(place)
            if not isinstance(known, bool):
                known = target.known[place] = leaves_hashes(target.expr, steps)
            return known
        case hir.Member() | hir.Index():  # of a row or a record, which may have `unlocked`
            return is_hash(steps) or steps[-1] in HASHES_BY_NAME
        case _:
            return False


def names_hashes(expr: hir.Expr, steps: Steps) -> bool:
    """Whether *expr*, written at *steps*, is in the place of a hash, or has keys with names of
    hashes."""
    if steps and is_hash(steps):
        return True
    match expr:
        case hir.RecordOf():
            return any(names_hashes(one, (*steps, *path)) for path, one in expr.entries)
        case hir.If() | hir.ListOf():
            return any(names_hashes(one, steps) for one in children(expr))
        case _:
            return False


def says_what(source: Value) -> bool:
    """Whether *source* identifies itself: the language fetches it, or it is a function call with
    known values."""
    return isinstance(source, NixCall) and (
        source.function in ("github", "url", "input", "file")
        or (
            source.function == "call"
            and not any(holds_nix(one) for _, one in source.arguments[1:])
        )
    )


def unlocked_in(value: Value, steps: Steps) -> Iterator[Steps]:
    """The places of hashes in *value* that are left to the lock. *value* is at *steps*."""
    return (place for place, one in _at_hashes(value, steps) if isinstance(one, UnlockedValue))


def _at_hashes(value: Value, steps: Steps) -> Iterator[tuple[Steps, Value]]:
    """The values in *value*, which is at *steps*, that are in the places of hashes. A list has the
    place of its elements, and its texts are no hashes."""
    if isinstance(value, Record):
        for key, inner in value:
            yield from _at_hashes(inner, (*steps, key))
    elif isinstance(value, tuple):
        for inner in value:
            if type(inner) is not str:
                yield from _at_hashes(inner, steps)
    elif steps and is_hash(steps):
        yield steps, value


def locked(value: Value, steps: Steps, found: Callable[[Steps], Value]) -> Value:
    """*value* with the hashes *found* in the places of `unlocked_in`."""
    if isinstance(value, UnlockedValue):
        return found(steps) if steps and is_hash(steps) else value
    if isinstance(value, Record):
        return Record(tuple([(key, locked(one, (*steps, key), found)) for key, one in value]))
    if isinstance(value, tuple):
        return tuple([locked(one, steps, found) for one in value])
    return value


Seen = Callable[[str], str]
"""Returns the lock's name of a file: its path from the folder of the program."""


def without_hashes(value: Value, seen: Seen, steps: Steps = ()) -> Value:
    """*value* without its hashes: the part that identifies the source, whatever its content."""
    match value:
        case PathValue():
            return PathValue(seen(value.file))
        case NixSource():
            return NixSource(value.parts, seen(value.folder) if value.folder else "")
        case Record():
            return Record(
                tuple(
                    [
                        (key, without_hashes(one, seen, (*steps, key)))
                        for key, one in value
                        if not _says_hash((*steps, key), one)
                    ]
                )
            )
        case tuple():
            return tuple([without_hashes(one, seen, steps) for one in value])
        case NixCall():
            given = [(key, one) for key, one in value.arguments if key != "hash"]
            kept = tuple([(key, without_hashes(one, seen)) for key, one in given])
            return NixCall(value.function, kept)
        case _:
            return value


def _says_hash(steps: Steps, value: Value) -> bool:
    """Whether *value*, which is at *steps*, is a hash and so does not identify a source. A text
    that is no hash counts, even if its name is that of a hash, because it may distinguish two
    sources."""
    if not is_hash(steps):
        return False
    if not isinstance(value, str) or steps[-1] in HASHES:
        return True
    return is_open(value) or as_sri(value) is not None


def stated_in(value: Value, steps: Steps) -> Iterator[tuple[Steps, str]]:
    """The strings in *value*, which is at *steps*, that are in the places of hashes."""
    return ((place, one) for place, one in _at_hashes(value, steps) if isinstance(one, str))


def called_source(call: NixCall, steps: Steps, seen: Seen) -> Fetched:
    """The source of a function call whose arguments have a hash at *steps*."""
    (_, function), *arguments = call.arguments
    given = ", ".join([show(without_hashes(one, seen)) for _, one in arguments])
    named = show(without_hashes(function, seen))
    fields = (("function", named), ("arguments", given), ("name", ".".join(steps)))
    return Fetched("call", fields)


def hash_bound_by(before: str) -> str:
    """The name of the hash to which Nix code binds what follows the text *before*, such as `sha256`
    in `sha256 =`. Empty if it is no argument of a fetcher."""
    text = before.rstrip()
    words = text[:-1].split() if text.endswith("=") else ()
    name = words[-1].rpartition("{")[2].rpartition(";")[2] if words else ""
    return name if name in HASHES else ""


def text_source(text: NixSource, index: int, seen: Seen) -> Fetched:
    """The source that Nix *text* fetches by the hash in its part *index*: the set in which the hash
    is bound, without its hashes, and the word before that set."""
    from tvarc.nix.language.tokens import tokens

    shown = [_identified(text, nth, seen) for nth in range(len(text.parts))]
    at = sum(map(len, shown[:index]))
    code = "".join(shown)
    opened: list[int] = []  # where the sets begin that are open
    end, inner = len(code), 0
    for token in tokens(code):
        word = code[token.start : token.end]
        opens, closes = word in ("{", "${"), word == "}"
        if token.start < at:
            if opens:
                opened.append(token.start)
            elif closes and opened:
                opened.pop()
        elif closes and not inner:
            end = token.end
            break
        else:
            inner += opens - closes
    start = opened[-1] if opened else 0
    name = hash_bound_by(str(text.parts[index - 1]))
    before = code[:start].replace("(", " ").split()
    rest = code[start:at].rstrip("= \t\r\n").removesuffix(name), code[at:end].lstrip("; \t\r\n")
    given = " ".join("".join(rest).split())
    fields = (("function", before[-1] if before else ""), ("arguments", given), ("name", name))
    return Fetched("call", fields)


def _identified(text: NixSource, index: int, seen: Seen) -> str:
    """The part *index* of *text* as it identifies a source: without a hash."""
    part = text.parts[index]
    if isinstance(part, str):
        return part
    if index and hash_bound_by(str(text.parts[index - 1])):
        return ""
    value = without_hashes(part.value, seen)
    return value if isinstance(value, str) and part.place != "code" else show(value)


def attribute_source(steps: Steps, package: str, source: Value, seen: Seen) -> Fetched:
    """The source that *package* makes from its own *source*. The attribute at *steps* is its hash.
    """
    made_of = show(without_hashes(source, seen))
    fields = (("package", package), ("src", made_of), ("name", ".".join(steps)))
    return Fetched("attribute", fields)
