"""Finds the only place in a program's sources where a version or a commit is written."""

from __future__ import annotations

import re

from tvarc.build import messages as msg
from tvarc.light import Callable, Iterator, Mapping, Sequence, dataclass
from tvarc.meaning.evaluation.formats import bad_revision
from tvarc.meaning.names.load import ModuleGraph
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_expression
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.edits import Edit
from tvarc.text.source import Source, Span
from tvarc.values.value import is_version, quote

UNLOCKED = "unlocked"
_ARTICLES = {"let": "a let", "pin": "a pin", "input": "an input"}
_COMMIT = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")
_PLAIN_VERSION = re.compile(r"[0-9]+(\.[0-9]+)+")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?")
_BEFORE_VERSION = re.compile(
    rf"(?![0-9a-f]{{7,}}$)([A-Za-z](?:(?:(?!-[0-9]).)*[-_])?[vbr]?){_NUMBERS.pattern}"
)
"""The part before the version in a text such as `xz-5.2.5` or `b5760`, which is not a commit."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_INTEGER = re.compile(r"[0-9]{1,18}")
_PLAIN = (
    ast.StringLit, ast.VersionLit, ast.Call, ast.IntLit, ast.BoolLit, ast.ListLit, ast.Ref
)  # fmt: skip
_NAMED = 4  # variants or places that a message lists


def commit_edits(
    kind: str,
    name: str,
    rev: str,
    graph: ModuleGraph,
    sink: Sink,
    known: Callable[[str, str], str] = lambda *_: "",
) -> list[Edit]:
    """The edits that set the commit of *name*, of kind `pin` or `input`, to *rev*. Empty after
    reporting E946, or E702 for a bad commit. *known* returns the hash of a commit of a repository;
    empty if it is unknown."""
    found = [
        item for item in _items(graph) if isinstance(item, ast.Pin if kind == "pin" else ast.Input)
    ]
    repository = _only(found, name, kind, graph, sink)
    if not isinstance(repository, ast.Pin | ast.Input):
        return []
    what = f"{kind} `{name}`"
    fields = {
        item.path[0].text: item.value
        for item in repository.body
        if isinstance(item, ast.Assign) and len(item.path) == 1
    }
    if "path" in fields:
        sink.report(msg.bumps.FOLDER_HAS_NO_COMMIT, fields["path"].span, what=what)
        return []
    wrong = bad_revision(rev)
    if wrong is not None:
        sink.report(msg.bumps.NO_COMMIT, rev=_short(rev), why=wrong[0], advice=wrong[1])
        return []
    edits: list[Edit] = []
    old = _text(fields["rev"]) if "rev" in fields else None
    if "rev" in fields:
        if old is None:
            here = f'`rev = "{rev}"` and `hash = unlocked` in this {kind}'
            _elsewhere(f"the `rev` of {what}", fields["rev"], graph, sink, here)
            return []
        edits.append(Edit(fields["rev"].span, quote(rev)))
    if "url" in fields:
        changed = _address(kind, name, fields["url"], old, rev, graph, sink)
        if changed is None:
            return []
        edits.append(changed)
    if "hash" in fields and _text(fields["hash"]) is not None:
        github = _text(fields["github"]) if "github" in fields else None
        hash_ = known(github, rev) if github and kind == "pin" else ""
        edits.append(Edit(fields["hash"].span, quote(hash_) if hash_ else UNLOCKED))
    return edits


def given(value: str) -> str:
    """*value* in the form that `--set` and a source accept: a string in quotes, a version as a
    call, other values bare."""
    tree = _parsed(value)
    if isinstance(tree, ast.Call) and tree.function.text == "version" and _plain_call(tree):
        return _text(tree.arguments[0].value) or ""
    text = _text(tree) if tree is not None else None
    return value if text is None else text


def _parsed(value: str) -> ast.Expr | None:
    return parse_expression(Source("VALUE", value), Sink()) if value.strip() else None


@dataclass(frozen=True, slots=True)
class Written:
    """The places where the value of an expression is written: those of the chosen variants, and
    those of the others, each with the names of its variants."""

    chosen: Mapping[Span, Sequence[str]]
    others: Mapping[Span, Sequence[str]]
    all_chosen: bool


Follow = Callable[[str], Written]
"""Finds the places of the value of an expression, such as the name of a `let`."""


def value_edits(
    name: str, value: str, graph: ModuleGraph, sink: Sink, follow: Follow
) -> list[Edit]:
    """The edits that set *name* to this value: a top-level `let`, a fact of a row, or a key of a
    record. A value that is not written there is edited in the place that *follow* finds. Empty
    after reporting E946."""
    if "." not in name:
        lets = [item for item in _items(graph) if isinstance(item, ast.Let)]
        if _is_axis(name, lets, graph, sink):
            return []
        let = _only(lets, name, "let", graph, sink)
        if not isinstance(let, ast.Let):
            return []
        found, what = let.value, f"`let {name}`"
    else:
        fitting = [one for known, one in _dotted(graph) if known == name]
        if not fitting:
            return _followed(f"`{name}`", follow(name), value, graph, sink) or _no_fact(
                name, graph, sink
            )
        found, what = fitting[0], f"`{name}`"
    if _is_plain(found):
        return _literal_edits(what, found, value, graph, sink)
    edits = _followed(what, follow(name), value, graph, sink)
    if not edits and not sink.has_errors:
        if isinstance(found, ast.StringLit) and not found.script:
            _joined(what, found, graph, sink)
        else:
            _elsewhere(what, found, graph, sink)
    return edits


def _dotted(graph: ModuleGraph) -> Iterator[tuple[str, ast.Expr]]:
    """The facts of rows and the keys of records of `let`s in the program's own files, with the
    names by which a user names them: `releases.r2.tag`."""
    for item in _items(graph):
        match item:
            case ast.Let():
                yield from _keys_of(item.name.text, item.value)
            case ast.Facts() | ast.Axis():
                for row in item.rows or ():
                    for one in row.body:
                        if isinstance(one, ast.Assign):
                            path = ".".join(key.text for key in one.path)
                            yield f"{item.name.text}.{row.name.text}.{path}", one.value
            case _:
                pass


def _keys_of(name: str, value: ast.Expr) -> Iterator[tuple[str, ast.Expr]]:
    for entry in value.entries if isinstance(value, ast.RecordLit) else ():
        path = ".".join([name, *(key.text for key in entry.path)])
        yield path, entry.value
        yield from _keys_of(path, entry.value)


def _followed(
    what: str, written: Written, value: str, graph: ModuleGraph, sink: Sink
) -> list[Edit]:
    """The edits of the places of a value in the chosen variants. Empty if one of them is no plain
    value, and after reporting E946: the places differ, or other variants have one of them, too."""
    found = {span: literal_at(span, graph) for span in written.chosen}
    literals = [one for one in found.values() if one is not None]
    if not literals or len(literals) < len(found):
        return []
    first, *others = found
    names = [known for known, one in _dotted(graph) if one in literals]
    if others and written.all_chosen:
        sink.report(
            msg.bumps.SEVERAL_VALUES,
            first,
            others=[(span, "or this one?") for span in others],
            what=what,
            name=names[-1] if names else None,
        )
        return []
    for span in written.chosen:
        if span in written.others:
            sharing = written.others[span]
            more = ", …" if len(sharing) > _NAMED else ""
            shown = ", ".join(sharing[:_NAMED]) + more
            sink.report(msg.bumps.SHARED_VALUE, span, what=what, names=shown)
            return []
    return [edit for one in literals for edit in _literal_edits(what, one, value, graph, sink)]


def axis_edits(axis: str, old: str, new: str, graph: ModuleGraph, sink: Sink) -> list[Edit]:
    """The edits that replace the value *old* of the `axis` *axis* by *new*. Empty after reporting
    E946."""
    fitting = [a for a in _items(graph) if isinstance(a, ast.Axis) and a.name.text == axis]
    if len(fitting) != 1:
        known = [item.name.text for item in _items(graph) if isinstance(item, ast.Axis)]
        sink.report(
            msg.bumps.SEVERAL_AXES if fitting else msg.bumps.NO_AXIS,
            axis=axis,
            known=", ".join(sorted(set(known))),
            guess=guess(axis, known),
        )
        return []
    values = {spelled(value): value for value in _values_of(fitting[0])}
    found, there = values.get(given(old)), values.get(given(new))
    if found is not None and there is None:
        return _literal_edits(
            f"the value `{old}` of axis `{axis}`", found, new, graph, sink, names=True
        )
    if there is not None:
        sink.report(msg.bumps.VALUE_THERE_ALREADY, there.span, axis=axis, new=_short(new))
    else:
        sink.report(
            msg.bumps.NO_SUCH_VALUE if values else msg.bumps.VALUES_ELSEWHERE,
            fitting[0].name.span,
            axis=axis,
            old=_short(old),
            values=", ".join(values),
            guess=guess(old, list(values)),
        )
    return []


def _values_of(axis: ast.Axis) -> Sequence[ast.Expr | ast.Name]:
    """The values of *axis* as they are written: in a list, as the rows that are picked from a
    table, or as its own rows."""
    match axis.source:
        case ast.ListLit(items=items) | ast.Index(picks=items):
            wanted = ast.StringLit | ast.VersionLit | ast.IntLit | ast.BoolLit | ast.Ref | ast.Call
            return [item for item in items if isinstance(item, wanted)]
        case _:
            return [row.name for row in axis.rows or ()]


def spelled(value: ast.Expr | ast.Name) -> str:
    """The text of a plain value or a name; empty for anything else."""
    match value:
        case ast.VersionLit(text=text) | ast.Name(text=text) | ast.Ref(name=text):
            return text
        case ast.IntLit(value=number):
            return str(number)
        case ast.BoolLit(value=truth):
            return _boolean(value=truth)
        case ast.Call():
            return (_text(value.arguments[0].value) or "") if _plain_call(value) else ""
        case _:
            return _text(value) or ""


def _boolean(*, value: bool) -> str:
    return "true" if value else "false"


def _no_fact(name: str, graph: ModuleGraph, sink: Sink) -> list[Edit]:
    """Report E946: the program has no fact *name*. Nothing more if an error is reported already."""
    if sink.has_errors:
        return []
    table, _, rest = name.partition(".")
    row, _, field = rest.partition(".")
    rows: dict[str, Span] = {}
    for item in _items(graph):
        match item:
            case ast.Facts() | ast.Axis() if item.name.text == table:
                rows |= {one.name.text: one.name.span for one in item.rows or ()}
            case ast.Let(value=ast.RecordLit(entries=entries)) if item.name.text == table:
                rows |= {one.path[0].text: one.path[0].span for one in entries}
            case _:
                pass
    if row not in rows or not field:
        within = [f"{table}.{one}.{rest}" for one in rows]
        paths = [f"`{known}`" for known, _ in _dotted(graph) if known in within]
        more = " …" if len(paths) > _NAMED else ""
        sink.report(
            msg.bumps.NO_FACT,
            paths=f"{', '.join(paths[:_NAMED])}{more}" if paths else None,
            name=_short(name),
            table=table,
            rows=", ".join(rows),
            guess=None if row in rows else guess(row, list(rows)),
        )
        return []
    start = f"{table}.{row}."
    facts = [one.removeprefix(start) for one, _ in _dotted(graph) if one.startswith(start)]
    sink.report(
        msg.bumps.FIELD_NOT_SET,
        rows[row],
        row=row,
        table=table,
        field=_short(field),
        facts=", ".join(facts),
        guess=guess(field, facts),
    )
    return []


def _literal_edits(
    what: str,
    old: ast.Expr | ast.Name,
    value: str,
    graph: ModuleGraph,
    sink: Sink,
    *,
    names: bool = False,
) -> list[Edit]:
    """The edits that replace *old*, the value of *what*, by *value* in the same form. With *names*,
    it may be the name of a row."""
    meant = given(value)
    known = _text(old) if isinstance(old, ast.StringLit) and meant == value else None
    before = _BEFORE_VERSION.fullmatch(known) if known is not None else None
    if before is not None and _NUMBERS.fullmatch(value):
        sink.report(
            msg.bumps.OTHER_FORM,
            old.span,
            value=_short(value),
            what=what,
            old=_short(known or ""),
            meant=_short(f"{before[1]}{value}"),
            exact=quote(_short(value)),
        )
        return []
    match old:
        case ast.StringLit() if _text(old) is not None and not old.script:
            text: str | None = UNLOCKED if value == UNLOCKED else quote(meant)
        case ast.Ref(name="unlocked"):
            text = quote(meant)
        case ast.VersionLit() | ast.Call(function=ast.Name(text="version")):
            if isinstance(old, ast.Call) and not _plain_call(old):
                _elsewhere(what, old, graph, sink)
                return []
            text = _version(meant)
        case ast.IntLit():
            text = meant if _INTEGER.fullmatch(meant) else None
        case ast.BoolLit():
            text = meant if meant in ("true", "false") else None
        case ast.Name() | ast.Ref() if names:
            text = meant if _NAME.fullmatch(meant) else None
        case ast.ListLit() if _elements(old) is not None:
            text = _list(value)
        case _:
            assert not isinstance(old, ast.Name)
            _elsewhere(what, old, graph, sink)
            return []
    if text is None:
        kind = "an integer" if isinstance(old, ast.IntLit) else "a version"
        kind = "`true` or `false`" if isinstance(old, ast.BoolLit) else kind
        kind = "a name" if isinstance(old, ast.Name | ast.Ref) else kind
        kind = "a list of plain values" if isinstance(old, ast.ListLit) else kind
        example = """, such as `'["a", "b"]'`""" if isinstance(old, ast.ListLit) else ""
        sink.report(
            msg.bumps.BAD_VALUE,
            old.span,
            value=_short(value),
            what=what,
            kind=kind,
            wanted=f"{kind}{example}",
        )
        return []
    return [Edit(old.span, text)]


def _list(value: str) -> str | None:
    """The list *value* in the spelling of a source; None if it is no list of plain values."""
    tree = _parsed(value)
    found = _elements(tree) if isinstance(tree, ast.ListLit) else None
    return None if found is None else f"[{', '.join(found)}]"


def _elements(tree: ast.ListLit) -> list[str] | None:
    """The elements of *tree* in the spelling of a source; None if one of them is no plain value."""
    found: list[str] = []
    for item in tree.items:
        match item:
            case ast.VersionLit(text=text):
                found.append(text)
            case ast.IntLit(value=number):
                found.append(str(number))
            case ast.BoolLit(value=truth):
                found.append(_boolean(value=truth))
            case ast.Call(function=ast.Name(text="version")) if _plain_call(item):
                found.append(f"version({quote(spelled(item))})")
            case ast.StringLit() if _text(item) is not None and not item.script:
                found.append(quote(_text(item) or ""))
            case _:
                return None
    return found


def _is_axis(name: str, lets: Sequence[ast.Let], graph: ModuleGraph, sink: Sink) -> bool:
    """Whether *name* is an axis and not a `let`. This is reported (E946), because an axis has many
    values."""
    axis = next((a for a in _items(graph) if isinstance(a, ast.Axis) and a.name.text == name), None)
    if axis is None or any(let.name.text == name for let in lets):
        return False
    sink.report(msg.bumps.AXIS_AS_VALUE, axis.name.span, name=name)
    return True


def bumpable(graph: ModuleGraph) -> dict[str, dict[str, str]]:
    """The names that may be changed, with their current values: `let`s, pins and inputs, by the
    word that declares them."""
    found: dict[str, dict[str, str]] = {"let": {}, "pin": {}, "input": {}}
    lets = found["let"]
    for item in _items(graph):
        match item:
            case ast.Let(value=ast.VersionLit(text=text)):
                lets[item.name.text] = text
            case ast.Let(value=ast.IntLit(value=number)):
                lets[item.name.text] = str(number)
            case ast.Let(value=ast.BoolLit(value=value)):
                lets[item.name.text] = _boolean(value=value)
            case ast.Let(value=ast.ListLit() as several) if _elements(several) is not None:
                lets[item.name.text] = f"[{', '.join(_elements(several) or ())}]"
            case ast.Let(value=ast.StringLit() as string) if not string.script:
                lets[item.name.text] = _text(string) or ""
            case ast.Let(value=ast.Call(function=ast.Name(text="version")) as call):
                if _plain_call(call):
                    lets[item.name.text] = _text(call.arguments[0].value) or ""
            case ast.Pin() | ast.Input() if _field(item, "path") is None:
                rev = _field(item, "rev")
                kind = "pin" if isinstance(item, ast.Pin) else "input"
                found[kind][item.name.text] = (_text(rev) or "") if rev is not None else ""
            case _:
                pass
    return found


def _field(pin: ast.Pin | ast.Input, name: str) -> ast.Expr | None:
    for item in pin.body:
        if isinstance(item, ast.Assign) and [key.text for key in item.path] == [name]:
            return item.value
    return None


def literal_at(span: Span, graph: ModuleGraph) -> ast.Expr | None:
    """The plain value at *span*, in a file of the program itself, or the plain value of the fact
    there. None if there is none."""
    module = graph.modules.get(span.file)
    for node in ast.walk(module.tree) if module is not None and module.own else ():
        if isinstance(node, ast.Assign) and node.span == span:
            return literal_at(node.value.span, graph)
        if isinstance(node, _PLAIN) and node.span == span and _is_plain(node):
            return node
    return None


def _is_plain(value: ast.Expr) -> bool:
    """Whether `bump` can write another value in the place of *value*."""
    match value:
        case ast.StringLit():
            return _text(value) is not None and not value.script
        case ast.Call():
            return value.function.text == "version" and _plain_call(value)
        case ast.ListLit():
            return _elements(value) is not None
        case ast.Ref():
            return value.name == UNLOCKED
        case _:
            return isinstance(value, _PLAIN)


def _items(graph: ModuleGraph) -> Iterator[ast.Item]:
    """The top-level items of the program's own files."""
    for module in graph.modules.values():
        if module.own:
            yield from module.tree.items


def _only(
    found: Sequence[ast.Pin | ast.Input | ast.Let],
    name: str,
    kind: str,
    graph: ModuleGraph,
    sink: Sink,
) -> ast.Item | None:
    """The entry of *found* with the name *name*; None after reporting E946."""
    known: Sequence[str] = list(bumpable(graph)[kind])
    fitting = [item for item in found if item.name.text == name]
    if len(fitting) == 1:
        return fitting[0]
    near = _axes_of(name, graph) if not fitting and kind == "let" else []
    if near:
        (span, label), *more = near
        sink.report(msg.bumps.AXIS_AS_LET, span, others=more, name=name, label=label)
    elif not fitting and kind == "let" and (places := _attributes(name, graph)):
        names = [known for known, one in _dotted(graph) if one in places]
        sink.report(
            msg.bumps.ATTRIBUTE_AS_LET,
            places[0].span,
            others=[one.span for one in places[1:_NAMED]],
            name=name,
            count=len(places),
            path=names[0] if names else None,
        )
    elif not fitting:
        sink.report(
            msg.bumps.NO_LET if kind == "let" else msg.bumps.NO_DECLARATION,
            kind=_ARTICLES[kind],
            name=name,
            known=", ".join(sorted(known)),
            guess=guess(name, known),
        )
    else:
        first, *others = fitting
        sink.report(
            msg.bumps.SEVERAL_DECLARATIONS,
            first.span,
            others=tuple((other.span, "or this one?") for other in others),
            kind=_ARTICLES[kind],
            name=name,
        )
    return None


def _attributes(name: str, graph: ModuleGraph) -> list[ast.Expr]:
    """The plain values that the program's own files give to attributes, arguments and facts called
    *name*."""
    found: list[ast.Expr] = []
    items = [one for one in _items(graph) if not isinstance(one, ast.Pin | ast.Input)]
    for node in ast.walk(tuple(items)):
        match node:
            case ast.Assign(path=path, value=value) | ast.RecordEntry(path=path, value=value):
                called = path[-1].text
            case ast.Argument(name=ast.Name(text=called), value=value):
                pass
            case _:
                continue
        if called == name and _is_plain(value):
            found.append(value)
    return sorted(found, key=lambda one: (one.span.file, one.span.start))


def _elsewhere(
    what: str, value: ast.Expr, graph: ModuleGraph, sink: Sink, here: str = "the value here"
) -> None:
    """Report that *value* cannot be changed, because it is an expression and no literal. *here*
    would be allowed."""
    places, note = _taken_from(value, graph)
    sink.report(
        msg.bumps.VALUE_OF_LIBRARY if note else msg.bumps.NO_PLAIN_VALUE,
        value.span,
        others=places,
        what=what,
        note=note,
        here=here,
    )


def _joined(what: str, value: ast.StringLit, graph: ModuleGraph, sink: Sink) -> None:
    """Report that *value* reads other values, so that only parts of it can be changed."""
    read = [_root(part.value) for part in value.parts if isinstance(part, ast.Interpolation)]
    fixed = [f"`{part}`" for part in value.parts if isinstance(part, str) and part]
    lets = bumpable(graph)["let"]
    names = [one for one in dict.fromkeys(read) if one is not None and one in lets]
    sink.report(
        msg.bumps.TEXT_OF_PARTS,
        value.span,
        others=[span for name in names for span in _declared(name, graph, own=True)],
        what=what,
        fixed=" and ".join(fixed),
        name=names[0] if names else None,
    )


def _taken_from(value: ast.Expr, graph: ModuleGraph) -> tuple[list[tuple[Span, str]], str]:
    """The declarations that *value* names: their places in the program's own files, each with a
    label. If there are none, a note; empty if nothing is known."""
    name = _root(value)
    if name is None:
        return [], ""
    own = [(span, "it is declared here") for span in _declared(name, graph, own=True)]
    if own:
        return own, ""
    other = next(_declared(name, graph, own=False), None)
    if other is None:
        return [], ""
    where = "the library" if graph.modules[other.file].std else "an input"
    return [], f"`{name}` comes from {where}, {other.file}"


def _axes_of(name: str, graph: ModuleGraph) -> list[tuple[Span, str]]:
    """The values of each axis with rows of a table whose name has the word *name*, such as
    `torch-release` for `torch`."""
    found: list[tuple[Span, str]] = []
    for module in graph.modules.values():
        for item in module.tree.items if module.own else ():
            if not isinstance(item, ast.Axis) or item.source is None:
                continue
            table = _root(item.source)
            if table is not None and name in table.split("-"):
                text = f"`axis {item.name.text}` takes rows of `{table}`"
                found.append((item.source.span, text))
    return found


def _root(value: ast.Expr) -> str | None:
    """The first name of *value*: `cuda` for `cuda`, `cuda[cu128]` and `cuda.cu128.set`. None for
    any other expression."""
    while isinstance(value, ast.Member | ast.Index):
        value = value.base
    return value.name if isinstance(value, ast.Ref) else None


def _declared(name: str, graph: ModuleGraph, *, own: bool) -> Iterator[Span]:
    """The places where the program's own files declare *name*. Without *own*, the places in other
    modules."""
    for module in graph.modules.values():
        if module.own is not own:
            continue
        for item in module.tree.items:
            if isinstance(item, ast.Let | ast.Axis | ast.Facts) and item.name.text == name:
                yield item.name.span
            if isinstance(item, ast.Axis | ast.Facts):
                yield from [row.name.span for row in item.rows or () if row.name.text == name]


def _address(
    kind: str, name: str, url: ast.Expr, old: str | None, rev: str, graph: ModuleGraph, sink: Sink
) -> Edit | None:
    """The address with the new commit; None after reporting E946."""
    text = _text(url)
    if text is None:
        here = f"the new address and `hash = unlocked` in this {kind}"
        _elsewhere(f"the `url` of {kind} `{name}`", url, graph, sink, here)
        return None
    commits = {old} if old is not None and old in text else set(_COMMIT.findall(text))
    if len(commits) != 1:
        sink.report(
            msg.bumps.SEVERAL_COMMITS if commits else msg.bumps.NO_COMMIT_IN_URL,
            url.span,
            kind=kind,
            name=name,
        )
        return None
    return Edit(url.span, quote(text.replace(commits.pop(), rev)))


def _text(value: ast.Expr) -> str | None:
    """The content of a plain string; None for any other expression."""
    if not isinstance(value, ast.StringLit):
        return None
    parts = [part for part in value.parts if isinstance(part, str)]
    return "".join(parts) if len(parts) == len(value.parts) else None


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"


def _plain_call(call: ast.Call) -> bool:
    return len(call.arguments) == 1 and _text(call.arguments[0].value) is not None


def values_gone(old: str, new: str) -> list[str]:
    """The values that the code *old* has and *new* does not have. A list has its elements as
    values."""
    before, after = (_parsed(text) for text in (old, new))
    if isinstance(before, ast.ListLit) and isinstance(after, ast.ListLit):
        kept = _elements(after) or []
        return [_plain_value(one) for one in _elements(before) or () if one not in kept]
    return [_plain_value(old)]


def _plain_value(written: str) -> str:
    """The value of the code *written* as a user writes it: 2.11.0rc1 for `version("2.11.0rc1")`,
    the commit for an address."""
    commit = _COMMIT.search(written)
    quoted = re.search(r'"(.*)"', written, re.DOTALL)
    return commit[0] if commit is not None else quoted[1] if quoted is not None else written


def _version(value: str) -> str | None:
    if not is_version(value):
        return None
    return value if _PLAIN_VERSION.fullmatch(value) else f"version({quote(value)})"
