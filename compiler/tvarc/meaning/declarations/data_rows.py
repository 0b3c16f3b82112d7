"""The rows of a table from a file of data: TOML, JSON or CSV.

Each cell becomes the expression that a user would write in the table. Its span is the cell's place
in the file of data. So the rows of a file are checked like all other rows, and have an origin.
"""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

from tvarc.light import Any, Final, Iterator, Mapping, dataclass, field
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span
from tvarc.text.toml import TomlFault, line_span, toml_of
from tvarc.values.value import is_version

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_HEADING: Final = re.compile(r'[ \t]*\[[ \t]*(?:"([^"]*)"|([\w-]+))[ \t]*\]')
_KEY: Final = re.compile(r'[ \t]*(?:"([^"]*)"|([\w-]+))[ \t]*(?:\.[ \t]*(?:"([^"]*)"|([\w-]+)))?')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_BETWEEN: Final = ";"
"""The separator of the elements of a list in a cell of CSV."""

Types = Mapping[str, hir.FieldType]


class _Fraction(str):
    """A number with a fraction, in its written form. In the language it is a version."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Pairs:
    """An object of JSON or a table of TOML, with keys that are written twice."""

    pairs: list[tuple[str, Any]]


@dataclass(slots=True)
class _Places:
    """The places of rows, and of cells by row and column, in the order of the text. A key that is
    written twice has two places."""

    rows: dict[str, list[Span]] = field(default_factory=dict)
    cells: dict[tuple[str, str], list[Span]] = field(default_factory=dict)


class _BadData(Exception):
    """The file is not in its format. `span` is the place of the fault, and `said` describes it."""

    def __init__(self, said: str, span: Span) -> None:
        super().__init__(said)
        self.said = said
        self.span = span


def rows_of(source: Source, types: Types, sink: Sink) -> tuple[ast.Row, ...] | None:
    """The rows in *source*, a file of data, whose columns have *types*; None after
    reporting that it is not in its format. Faults of single rows go to *sink*, too."""
    ending = source.file[source.file.rindex(".") :]
    try:
        if ending == ".csv":
            return tuple(_csv_rows(source, types, sink))
        data, places = _toml(source) if ending == ".toml" else _json(source)
        return tuple(_rows(data, places, types, source, sink))
    except _BadData as fault:
        format = ending[1:].upper()
        sink.report(
            msg.data.NO_DATA, fault.span, file=source.file, format=format, said=fault.said
        )
        return None


def types_of(fields: tuple[ast.FieldDecl, ...]) -> dict[str, hir.FieldType]:
    """The types of *fields*, as far as they decide how a cell is read."""
    return {one.name.text: _type_of(one.type) for one in fields}


def _type_of(written: ast.TypeExpr) -> hir.FieldType:
    match written:
        case ast.NamedType():
            return hir.FieldType(written.name)
        case ast.ListType():
            return hir.FieldType("list", _type_of(written.element))
        case ast.OptionalType():
            inner = _type_of(written.element)
            return hir.FieldType(inner.kind, inner.element, optional=True)
        case ast.OneOfType():
            versions = all(isinstance(one, ast.VersionLit) for one in written.values)
            integers = all(isinstance(one, ast.IntLit) for one in written.values)
            return hir.FieldType("version" if versions else "int" if integers else "string")


# --- rows as they would be written ---------------------------------------------------------------


def _rows(
    data: _Pairs, places: _Places, types: Types, source: Source, sink: Sink
) -> Iterator[ast.Row]:
    top = line_span(source, 1)
    for name, cells in data.pairs:
        place = _next(places.rows.get(name), top)
        if not isinstance(cells, _Pairs):
            sink.report(msg.data.NO_ROW, place, name=name)
            continue
        if not _is_name(name, "row", place, sink):
            continue
        items = [
            _fact(column, _value(value, types.get(column), at), at)
            for column, value in cells.pairs
            for at in [_next(places.cells.get((name, column)), place)]
            if _is_name(column, "column", at, sink)
        ]
        yield ast.Row(ast.Name(name, place), tuple(items), place)


def _next(found: list[Span] | None, otherwise: Span) -> Span:
    """The first of the places *found*. It is removed from the list unless it is the last one.
    Without a place, *otherwise*."""
    if not found:
        return otherwise
    return found.pop(0) if len(found) > 1 else found[0]


def _is_name(text: str, what: str, place: Span, sink: Sink) -> bool:
    if _NAME.fullmatch(text):
        return True
    sink.report(msg.data.NO_NAME, place, text=text, what=what)
    return False


def _fact(column: str, value: ast.Expr, place: Span) -> ast.Assign:
    return ast.Assign((ast.Key(column, False, place),), "=", value, "normal", None, place)


def _value(value: object, kind: hir.FieldType | None, at: Span) -> ast.Expr:
    """*value* of a column of type *kind*, as an expression."""
    match value:
        case None:
            return ast.NullLit(at)
        case bool():
            return ast.BoolLit(value, at)
        case int() | _Fraction() if kind is not None and kind.kind == "float":
            return _float(str(value), at)
        case int():
            return ast.IntLit(value, at)
        case _Fraction():
            text = str(value)
            return ast.VersionLit(text, at) if is_version(text) else _text(text, at)
        case str():
            version = kind is not None and kind.kind == "version" and is_version(value)
            return ast.VersionLit(value, at) if version else _text(value, at)
        case list():
            inner = kind.element if kind is not None else None
            return ast.ListLit(tuple([_value(one, inner, at) for one in value]), at)
        case _Pairs():
            entries = [
                ast.RecordEntry((ast.Key(_checked(key, at), True, at),), _value(one, None, at), at)
                for key, one in value.pairs
            ]
            return ast.RecordLit(tuple(entries), at)
        case _:  # a date or a time
            return _text(str(value), at)


def _float(text: str, at: Span) -> ast.Call:
    return ast.Call(ast.Name("float", at), (ast.Argument(None, _text(text, at), at),), at)


def _text(text: str, at: Span) -> ast.StringLit:
    return ast.StringLit((_checked(text, at),) if text else (), False, at)


def _checked(text: str, at: Span) -> str:
    """*text* itself. JSON can escape characters that no text of the language has. Raises _BadData.
    """
    if "\0" in text or text.encode(errors="ignore").decode() != text:
        raise _BadData("a text has `\\u0000` or half of a character, such as `\\ud800`", at)
    return text


# --- TOML ----------------------------------------------------------------------------------------


def _toml(source: Source) -> tuple[_Pairs, _Places]:
    data = toml_of(source, _Fraction)
    if isinstance(data, TomlFault):
        raise _BadData(data.said, data.span)
    return _as_pairs(data), _toml_places(source, data)


def _as_pairs(value: Any) -> Any:
    if isinstance(value, dict):
        return _Pairs([(key, _as_pairs(one)) for key, one in value.items()])
    return [_as_pairs(one) for one in value] if isinstance(value, list) else value


def _toml_places(source: Source, data: dict[str, Any]) -> _Places:
    """The lines of rows and cells: `[row]` with `column = …` below it, or `row.column = …`, or
    `row = { … }`."""
    places, row = _Places(), ""
    for number, line in enumerate(source.text.split("\n"), 1):
        heading = _HEADING.match(line)
        if heading is not None:
            row = heading[1] or heading[2]
            places.rows.setdefault(row, [line_span(source, number)])
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        first, second = key[1] or key[2], key[3] or key[4]
        name, column = (row, first) if row else (first, second)
        cells = data.get(name)
        if not isinstance(cells, dict):
            continue
        if not row:
            places.rows.setdefault(name, [line_span(source, number)])
        if column in cells:
            places.cells.setdefault((name, column), [line_span(source, number)])
    return places


# --- JSON ----------------------------------------------------------------------------------------


def _json(source: Source) -> tuple[_Pairs, _Places]:
    text = source.text.removeprefix("\ufeff")
    try:
        data = json.loads(
            text, parse_float=_Fraction, parse_constant=_Fraction, object_pairs_hook=_Pairs
        )
    except json.JSONDecodeError as fault:
        said = fault.msg[:1].lower() + fault.msg[1:]
        raise _BadData(said, line_span(source, fault.lineno)) from None
    except (RecursionError, ValueError):
        said = "it is nested too deeply, or a number has too many digits"
        raise _BadData(said, line_span(source, 1)) from None
    if not isinstance(data, _Pairs):
        raise _BadData("it must be an object with a row for each key", line_span(source, 1))
    return data, _json_places(source)


def _json_places(source: Source) -> _Places:
    """The places of the keys at the first and second level."""
    places, open_, row, waits = _Places(), list[str](), "", False
    for token in _TOKEN.finditer(source.text):
        text = token[0]
        if text in ("{", "["):
            open_.append(text)
            waits = text == "{"
        elif text in ("}", "]"):
            open_.pop()
            waits = False
        elif text == ",":
            waits = open_[-1] == "{"
        elif waits and text != ":":
            waits = False
            span = Span(source.file, token.start(), token.end())
            if open_ == ["{"]:
                row = json.loads(text)
                places.rows.setdefault(row, []).append(span)
            elif open_ == ["{", "{"]:
                places.cells.setdefault((row, json.loads(text)), []).append(span)
    return places


# --- CSV -----------------------------------------------------------------------------------------


def _csv_rows(source: Source, types: Types, sink: Sink) -> Iterator[ast.Row]:
    """The rows of CSV: the first line names the columns, and the first column names the rows."""
    reader = csv.reader(StringIO(source.text.removeprefix("\ufeff"), newline=""), strict=True)
    columns: list[str] | None = None
    while True:
        number = reader.line_num + 1
        place = line_span(source, number)
        try:
            cells = next(reader, None)
        except csv.Error as fault:
            raise _BadData(str(fault), place) from None
        if cells is None:
            break
        if not any(cell.strip() for cell in cells):
            continue
        if columns is None:
            columns = [cell.strip() for cell in cells]
            for column in columns[1:]:
                if not _is_name(column, "column", place, sink):
                    return
        elif len(cells) > len(columns):
            sink.report(
                msg.data.TOO_MANY_CELLS, place, count=len(cells), columns=len(columns)
            )
        elif _is_name(cells[0].strip(), "row", place, sink):
            name, *places = _cell_places(source, number, cells)
            items = [
                _fact(column, _cell(cell.strip(), types.get(column), at), at)
                for column, cell, at in zip(columns[1:], cells[1:], places, strict=False)
                if cell.strip() or _is_list(types.get(column))
            ]
            yield ast.Row(ast.Name(cells[0].strip(), name), tuple(items), place)
    if columns is None:
        raise _BadData("it has no line with the names of columns", line_span(source, 1))


def _is_list(kind: hir.FieldType | None) -> bool:
    """Whether an empty cell of a column of type *kind* is an empty list, and not a missing fact."""
    return kind is not None and kind.kind == "list" and not kind.optional


def _cell_places(source: Source, number: int, cells: list[str]) -> list[Span]:
    """The places of *cells*, which begin on line *number*. If the line has quotes, or cells go over
    several lines, the place of each cell is the whole line."""
    written = source.line(number).split(",")
    if written != cells:
        return [line_span(source, number)] * len(cells)
    at = source.line_starts()[number - 1]
    places: list[Span] = []
    for cell in cells:
        start = at + len(cell) - len(cell.lstrip())
        places.append(Span(source.file, start, start + len(cell.strip())))
        at += len(cell) + 1
    return places


def _cell(text: str, kind: hir.FieldType | None, at: Span) -> ast.Expr:
    """The expression for *text*, a cell of CSV: a value of type *kind*, or a string if *text* is no
    such value."""
    match kind.kind if kind is not None else "string":
        case "bool" if text in ("true", "false"):
            return ast.BoolLit(text == "true", at)
        case "int" if _INTEGER.fullmatch(text):
            return ast.IntLit(int(text), at)
        case "version" if is_version(text):
            return ast.VersionLit(text, at)
        case "float":
            return _float(text, at)
        case "list":
            inner = kind.element if kind is not None else None
            parts = [part.strip() for part in text.split(_BETWEEN)]
            return ast.ListLit(tuple([_cell(part, inner, at) for part in parts if part]), at)
        case _:
            return _text(text, at)
