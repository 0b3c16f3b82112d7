"""The names that fit in a place of a source. See "Names that fit" in `editor/README.md`."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_OVERLAY, OF_PIN, OF_RECIPE
from tvarc.build.driver import Compilation
from tvarc.editor.meanings import Meanings
from tvarc.files.cache import Cache
from tvarc.light import Callable, Final, Iterable, Iterator, dataclass, fields, is_dataclass
from tvarc.meaning.declarations import inputs, outputs, sources
from tvarc.meaning.declarations.facts import FIELD_KINDS
from tvarc.meaning.declarations.noted import Notes, Offer, OfferKind, fields_of, offer_of
from tvarc.meaning.names.scope import MATRIX_FIELDS, PLAIN_SETTINGS, ModuleScope
from tvarc.nix.nixpkgs import KINDS
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.syntax.terminals import BODY_WORDS, TOP_WORDS
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span

Compile = Callable[[str, Notes], Compilation]
"""Compiles the program of a file as if the file had another text, and fills in the notes."""

SOUGHT: Final = "sought-by-the-editor"
"""The name in the place of the cursor. No program has it."""

_ENDINGS: Final = (
    "", " = null", " {}", "]", ")", '}}"', ' }}"""', "] {}", " = null }", " == null {}",
)  # fmt: skip
"""Texts that may make a whole item of what is before the cursor, tried in this order."""

_OF_DECLARATIONS: Final[dict[type[ast.Item], tuple[str, ...]]] = {
    ast.Pin: (*sources.PIN_FIELDS, *OF_PIN),
    ast.Input: inputs.FIELDS,
    ast.Patch: sources.PATCH_FIELDS,
    ast.Output: outputs.FIELDS,
    ast.Overlay: OF_OVERLAY,
    ast.Script: ("part", "when"),
    ast.Recipe: (*PLAIN_SETTINGS, *BODY_WORDS),
    ast.Matrix: (*MATRIX_FIELDS, *PLAIN_SETTINGS, *BODY_WORDS),
    ast.Variant: (*MATRIX_FIELDS, *PLAIN_SETTINGS, *BODY_WORDS),
}
"""The words that may begin an item in the body of each declaration."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The names that fit, and the part of a name at the cursor that one of them replaces."""

    span: Span
    offers: tuple[Offer, ...]


def complete(source: Source, offset: int, compiled: Compile, cache: Cache) -> Completion:
    """The names that fit at *offset* of *source*. *compiled* makes the program of that file, and
    *cache* has the tables of the parser."""
    start, end = _word(source.text, offset)
    found: dict[str, Offer] = {}
    for ending in _ENDINGS:
        text = f"{source.text[:start]}{SOUGHT}{ending}{source.text[end:]}"
        chain = _chain(parse_module(Source(source.file, text), Sink(), cache), start)
        if chain:
            notes = Notes(SOUGHT)
            made = compiled(text, notes)
            notes.offer(_declared(chain, made, notes, source.file))
            found = notes.offers
            break
    return Completion(Span(source.file, start, end), tuple(found.values()))


def _word(text: str, offset: int) -> tuple[int, int]:
    """The start and the end of the name at *offset*."""
    start = end = offset
    while start > 0 and _in_name(text[start - 1]):
        start -= 1
    while end < len(text) and _in_name(text[end]):
        end += 1
    return start, end


def _in_name(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter in "_-")


def _chain(tree: object, start: int) -> list[object]:
    """The nodes of *tree* that contain the sought name at *start*, the outermost first. Empty if
    the name is in none."""
    chain: list[object] = []
    node: object | None = tree
    while node is not None:
        chain.append(node)
        node = next((one for one in _inner(node) if _has(one, start)), None)
    last = chain[-1]
    texts = (getattr(last, "name", None), getattr(last, "text", None))
    modules = last.module or () if isinstance(last, ast.Use) else ()
    return chain if SOUGHT in (*texts, *modules) else []


def _inner(node: object) -> Iterator[object]:
    for field in fields(node):  # type: ignore[arg-type]
        value = getattr(node, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            for part in one if isinstance(one, tuple) else (one,):
                if is_dataclass(part) and not isinstance(part, Span):
                    yield part


def _has(node: object, start: int) -> bool:
    span: Span | None = getattr(node, "span", None)
    if isinstance(node, ast.Else):  # its span is the word alone
        return any(_has(one, start) for one in node.body)
    if isinstance(node, ast.When) and node.otherwise is not None and _has(node.otherwise, start):
        return True
    return span is not None and span.start <= start < span.end


def _declared(
    chain: list[object], made: Compilation, notes: Notes, file: str
) -> Iterable[Offer]:
    """The names that fit where a name is no expression of its own. *chain* leads to it."""
    scope = notes.scopes.get(file)
    last, parent = chain[-1], chain[-2] if len(chain) > 1 else None
    match last:
        case ast.Use():
            return [Offer(f"std.{one}", "module") for one in made.loader.std_names()]
        case ast.Key() if isinstance(parent, ast.Assign):
            return _settings(chain, parent, made, notes, scope)
        case ast.NamedType():
            return _words(FIELD_KINDS, "keyword")
        case ast.Name() if isinstance(parent, ast.Warn):
            return _words(LINTS, "keyword")
        case _:
            pass
    if scope is None:
        return ()
    match parent:
        case ast.Recipe() | ast.Matrix() if parent.name is not last:
            kind: OfferKind = "recipe" if isinstance(parent, ast.Recipe) else "matrix"
            kind = kind if last in parent.extends else "mixin"
            return [one for one in _of_kinds(scope, kind) if one.name != parent.name.text]
        case ast.Axis() if parent.name is not last:
            return _of_kinds(scope, "table")
        case ast.Output() if parent.name is not last:
            return _words(outputs.FORMS, "keyword")
        case ast.Index() if isinstance(chain[-3], ast.Axis) and parent.base is last:
            return _of_kinds(scope, "table")
        case ast.Index() if parent.base is not last:
            return ()
        case ast.Assign() | ast.Product() | ast.Index():
            field = next((one for one in chain if isinstance(one, ast.Assign)), None)
            name = field.path[0].text if field is not None else ""
            if isinstance(chain[1], ast.Matrix | ast.Variant) and name == "recipe":
                return _of_kinds(scope, "recipe")
            if isinstance(chain[1], ast.Matrix | ast.Variant) and name == "axes":
                return _of_kinds(scope, "axis")
        case _:
            pass
    return ()


def _settings(
    chain: list[object],
    item: ast.Assign,
    made: Compilation,
    notes: Notes,
    scope: ModuleScope | None,
) -> Iterator[Offer]:
    """The words that may begin the item that *item* is so far."""
    owners = [one for one in chain[1:-2] if not isinstance(one, ast.When | ast.Else)]
    block = tuple([key.text for key in item.path[:-1]])
    inner = owners[-1] if owners else None
    if isinstance(inner, ast.Block):
        block = (inner.name.text, *block)
    if isinstance(inner, ast.Row) and scope is not None:
        owner = owners[-2]
        assert isinstance(owner, ast.Facts | ast.Axis)
        table = scope.tables.get(owner.name.text)
        yield from fields_of(table) if table is not None else ()
    elif block:
        yield from _words([path[1] for path in KINDS if path[0] == block[0]], "setting")
        for place in Meanings(made, notes).places.values():
            if place.meaning[:-1] == ("setting", *block):
                yield Offer(place.meaning[-1], "setting")
    elif inner is None:
        yield from _words(TOP_WORDS, "keyword")
    else:
        for kind, words in _OF_DECLARATIONS.items():
            if isinstance(inner, kind):
                yield from _words(words, "keyword")
        if isinstance(inner, ast.Overlay):
            yield from _words([path[1] for path in KINDS if path[0] == ATTRIBUTES], "setting")


def _words(words: Iterable[str], kind: OfferKind) -> Iterator[Offer]:
    for word in words:
        if word != SOUGHT:
            yield Offer(word, kind, "a block of settings" if word in OF_RECIPE else "")


def _of_kinds(scope: ModuleScope, *kinds: OfferKind) -> Iterator[Offer]:
    """The declarations of these kinds in *scope*, and the modules that may have more."""
    for symbol in scope.symbols():
        if symbol.kind in kinds or symbol.kind == "module":
            yield offer_of(symbol)
