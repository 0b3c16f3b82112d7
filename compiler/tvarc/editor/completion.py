"""The names that fit in a place of a source. See "Names that fit" in `editor/README.md`."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_OVERLAY, OF_PIN, OF_RECIPE, TEST, TEST_FIELDS
from tvarc.build.driver import Compilation
from tvarc.editor.meanings import Meanings
from tvarc.editor.outline import nodes_at
from tvarc.editor.packages import PackageNames
from tvarc.files.cache import Cache
from tvarc.light import Callable, Final, Iterable, Iterator, dataclass
from tvarc.meaning.declarations import inputs, outputs, sources
from tvarc.meaning.declarations.facts import FIELD_KINDS
from tvarc.meaning.declarations.noted import Notes, Offer, OfferKind, fields_of, offer_of
from tvarc.meaning.functions import SIGNATURES, Signature
from tvarc.meaning.names.scope import MATRIX_FIELDS, PLAIN_SETTINGS, ModuleScope
from tvarc.nix.nixpkgs import KINDS
from tvarc.syntax import ast
from tvarc.syntax.fault import line_end
from tvarc.syntax.parser import lacking, parse_module
from tvarc.syntax.terminals import BODY_WORDS, TOP_WORDS
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span

Compile = Callable[[str, Notes], Compilation]
"""Compiles the program of a file as if the file had another text, and fills in the notes."""

_ARGUMENTS: Final = "args"
"""The block of the arguments of the package's function."""

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


def complete(
    source: Source,
    offset: int,
    compiled: Compile,
    cache: Cache,
    package: Callable[[], PackageNames | None],
) -> Completion:
    """The names that fit at *offset* of *source*. *compiled* makes the program of that file, and
    *cache* has the tables of the parser. *package* reads the expression of the package that the
    recipe there changes."""
    start, end = _word(source.text, offset)
    text, chain = _whole(source, start, end, cache)
    notes = Notes(SOUGHT)
    if chain:
        made = compiled(text, notes)
        notes.offer(_declared(chain, made, notes, source.file))
        notes.offer(_of_package(chain, package))
    return Completion(Span(source.file, start, end), tuple(notes.offers.values()))


def _whole(source: Source, start: int, end: int, cache: Cache) -> tuple[str, list[object]]:
    """The text of *source* with the sought name from *start* to *end* in a whole item, and the
    nodes around the name, which are empty if no item has it. The first text without a fault in the
    line of the name is best."""
    best: tuple[str, list[object]] = ("", [])
    for text in _endings(source, start, end, cache):
        faults = Sink()
        chain = _chain(parse_module(Source(source.file, text), faults, cache), start)
        first = text.rfind("\n", 0, start)
        line = Span(source.file, first, line_end(text, start))
        if chain and not any(_touch(line, label.span) for one in faults for label in one.labels):
            return text, chain
        best = best if best[1] else (text, chain)
    return best


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


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
    chain = nodes_at(tree, start)
    last = chain[-1]
    texts = (getattr(last, "name", None), getattr(last, "text", None))
    modules = last.module or () if isinstance(last, ast.Use) else ()
    return chain if SOUGHT in (*texts, *modules) else []


@dataclass(frozen=True, slots=True)
class Called:
    """The function that is called at a place, and the number of the argument there, from 0."""

    signature: Signature
    argument: int


def called_at(source: Source, offset: int, cache: Cache) -> Called | None:
    """The call with an argument at *offset* of *source*, the innermost one."""
    faults = Sink()
    parse_module(source, faults, cache)
    for text in (source.text, *_endings(source, offset, offset, cache)):
        after = Sink()
        tree = parse_module(Source(source.file, text), after, cache)
        if text != source.text and len(after) >= len(faults):
            continue  # what is added there does not complete a call
        for node in reversed(nodes_at(tree, offset - 1)):
            found = SIGNATURES.get(node.function.text) if isinstance(node, ast.Call) else None
            if found is None or not isinstance(node, ast.Call):
                continue
            if node.function.span.end < offset and (text != source.text or offset < node.span.end):
                return Called(found, _argument(node, found, offset))
    return None


def _argument(call: ast.Call, signature: Signature, offset: int) -> int:
    """The number of the argument of *call* at *offset*: that of its parameter, if it is named."""
    before = [one for one in call.arguments if one.span.end < offset]
    at = next((one for one in call.arguments[len(before) :] if one.span.start <= offset), None)
    names = [one.name for one in signature.parameters]
    if at is not None and at.name is not None and at.name.text in names:
        return names.index(at.name.text)
    return min(len(before), len(names) - 1) if not signature.more else len(before)


def _endings(source: Source, start: int, end: int, cache: Cache) -> Iterator[str]:
    """The text of *source* with the sought name from *start* to *end*, and with what may make a
    whole item behind it. If no such text does, the brackets are closed, too, that are open there.
    """
    text = source.text
    begun = [f"{text[:start]}{SOUGHT}{ending}" for ending in _ENDINGS]
    for one in begun:
        yield one + text[end:]
    for one in begun:
        closers = lacking(Source(source.file, one), cache)
        if closers:
            yield one + closers + text[end:]


def _declared(
    chain: list[object], made: Compilation, notes: Notes, file: str
) -> Iterable[Offer]:
    """The names that fit where a name is no expression of its own. *chain* leads to it."""
    scope = notes.scopes.get(file)
    last, parent = chain[-1], chain[-2] if len(chain) > 1 else None
    match last:
        case ast.Use():
            before = "" if last.module is not None and last.module[:1] == ("std",) else "std."
            return [Offer(f"{before}{one}", "module") for one in made.loader.std_names()]
        case ast.Key() if isinstance(parent, ast.Assign):
            return _settings(chain, parent, made, notes, scope)
        case ast.NamedType():
            return _words(FIELD_KINDS, "keyword")
        case ast.Name() if isinstance(parent, ast.Warn):
            return _words(LINTS, "keyword")
        case ast.Name() if isinstance(parent, ast.Call):
            return [Offer(name, "function", one.show()) for name, one in SIGNATURES.items()]
        case ast.Name() if isinstance(parent, ast.Argument):
            call = chain[-3]
            called = SIGNATURES.get(call.function.text) if isinstance(call, ast.Call) else None
            names = [one.name for one in called.parameters] if called is not None else []
            return _words(names, "field")
        case _:
            pass
    if scope is None:
        return ()
    match parent:
        case ast.Recipe() | ast.Matrix() if parent.name is not last:
            kind: OfferKind = "recipe" if isinstance(parent, ast.Recipe) else "matrix"
            kind = kind if last in parent.extends else "mixin"
            first = next((one for one in (parent.extends, *_mixins(parent)) if last in one), ())
            if len(first) > 1 and last is not first[0]:
                scope = scope.aliases.get(first[0].text, scope)
            return [one for one in _of_kinds(scope, kind) if one.name != parent.name.text]
        case ast.Axis() if parent.name is not last:
            return _of_kinds(scope, "table")
        case ast.Member(base=ast.Ref() as alias) if alias.name in scope.aliases:
            return map(offer_of, scope.aliases[alias.name].own.values())
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
        of = (inner.of.text,) if inner.of is not None else ()
        block = (inner.name.text, *of, *block)
    if isinstance(inner, ast.Row) and scope is not None:
        owner = owners[-2]
        assert isinstance(owner, ast.Facts | ast.Axis)
        for table in scope.all_tables():
            if table.name == owner.name.text:
                yield from [one for one in fields_of(table) if one.name != SOUGHT]
    elif block:
        if block[0] == TEST and len(block) == 2:
            yield from _words(TEST_FIELDS, "setting")
        yield from _words([path[1] for path in KINDS if path[0] == block[0]], "setting")
        for place in Meanings(made, notes).places.values():
            if place.meaning[:-1] == ("setting", *block) and place.meaning[-1] != SOUGHT:
                yield Offer(place.meaning[-1], "setting")
    elif inner is None:
        yield from _words(TOP_WORDS, "keyword")
    else:
        for kind, words in _OF_DECLARATIONS.items():
            if isinstance(inner, kind):
                yield from _words(words, "keyword")
        if isinstance(inner, ast.Overlay):
            yield from _words([path[1] for path in KINDS if path[0] == ATTRIBUTES], "setting")


def _of_package(
    chain: list[object], package: Callable[[], PackageNames | None]
) -> Iterator[Offer]:
    """The attributes or the arguments of the package, if *chain* leads to a setting of one."""
    item = chain[-2] if len(chain) > 1 else None
    if not isinstance(item, ast.Assign) or chain[-1] not in item.path:
        return
    blocks = [one.name.text for one in chain if isinstance(one, ast.Block)]
    block = (*blocks, *[key.text for key in item.path[:-1]])
    found = package() if block in ((ATTRIBUTES,), (_ARGUMENTS,)) else None
    if found is not None:
        names = found.attributes if block == (ATTRIBUTES,) else found.arguments
        for name in names:
            yield Offer(name, "setting", "of the package")


def _mixins(item: ast.Recipe | ast.Matrix) -> tuple[tuple[ast.Name, ...], ...]:
    """The mixins that *item* names, each with its module if it names that."""
    return item.mixins if isinstance(item, ast.Recipe) else ()


def _words(words: Iterable[str], kind: OfferKind) -> Iterator[Offer]:
    for word in words:
        if word != SOUGHT:
            yield Offer(word, kind, "a block of settings" if word in OF_RECIPE else "")


def _of_kinds(scope: ModuleScope, *kinds: OfferKind) -> Iterator[Offer]:
    """The declarations of these kinds in *scope*, and the modules that may have more."""
    for symbol in scope.symbols():
        if symbol.kind in kinds or symbol.kind == "module":
            yield offer_of(symbol)
