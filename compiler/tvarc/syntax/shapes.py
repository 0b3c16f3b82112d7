"""What each class of syntax/ast.py holds, for the cache: which kinds of value in which field.

A test holds that this agrees with the annotations, which cost too much to be read at start.
"""

from __future__ import annotations

from tvarc.light import Final
from tvarc.syntax import ast

# Kinds of value. The first are no nodes; tuples are told apart by what they hold.
CONSTANT: Final = 0  # None
TRUTH: Final = 1
TEXT: Final = 2
INTEGER: Final = 3
SPAN: Final = 4
LATER: Final = 5  # the items of a row, read when they are asked for
PIECES, PICKS, LISTED, ENTRIES, ARGUMENTS, EXPRESSIONS = range(6, 12)
TEXTS, FIELDS, ROWS, ITEMS, KEYS, NAMES = range(12, 18)
TUPLES: Final = 18  # what is at or above is a class

CONSTANTS: Final = (None, False, True)  # the first values of every tree

_NODES: Final = (
    ast.Name, ast.Key, ast.Interpolation, ast.StringLit, ast.IntLit, ast.VersionLit, ast.BoolLit,
    ast.NullLit, ast.NoneLit, ast.NixLit, ast.Ref, ast.Member, ast.RangePick, ast.WherePick,
    ast.Index, ast.Spread, ast.ListLit, ast.RecordEntry, ast.RecordLit, ast.Not, ast.Compare,
    ast.Logic, ast.Conditional, ast.Argument, ast.Call, ast.Product, ast.NamedType, ast.ListType,
    ast.OptionalType, ast.OneOfType, ast.Use, ast.Let, ast.FieldDecl, ast.Row, ast.Facts, ast.Axis,
    ast.Pin, ast.Input, ast.Overlay, ast.Patch, ast.Recipe, ast.Matrix, ast.Variant, ast.Output,
    ast.Exclude, ast.Require, ast.Warn, ast.Flag, ast.Needs, ast.Assign, ast.Block, ast.When,
    ast.Script, ast.Part,
)  # fmt: skip
CLASSES: Final = (*[type(None)] * TUPLES, *_NODES)
NUMBER_OF: Final[dict[type, int]] = {made: number + TUPLES for number, made in enumerate(_NODES)}
ROW: Final = NUMBER_OF[ast.Row]


def _of(*kinds: int | type) -> frozenset[int]:
    return frozenset([NUMBER_OF[kind] if isinstance(kind, type) else kind for kind in kinds])


_NO: Final = _of(CONSTANT)
_NAME: Final = _of(ast.Name)
_BODY: Final = _of(ITEMS)
_STRING: Final = _of(ast.StringLit)
_BECAUSE: Final = _STRING | _NO
_EXPR: Final = _of(
    ast.StringLit, ast.IntLit, ast.VersionLit, ast.BoolLit, ast.NullLit, ast.NoneLit, ast.NixLit,
    ast.Ref, ast.Member, ast.Index, ast.ListLit, ast.RecordLit, ast.Not, ast.Compare, ast.Logic,
    ast.Conditional, ast.Call, ast.Product,
)  # fmt: skip
_TYPE: Final = _of(ast.NamedType, ast.ListType, ast.OptionalType, ast.OneOfType)
_ITEM: Final = _of(
    ast.Use, ast.Let, ast.Facts, ast.Axis, ast.Pin, ast.Input, ast.Overlay, ast.Patch, ast.Recipe,
    ast.Matrix, ast.Variant, ast.Output, ast.Exclude, ast.Require, ast.Warn, ast.Flag, ast.Needs,
    ast.Assign, ast.Block, ast.When, ast.Script, ast.Part,
)  # fmt: skip

# Words that a field is one of.
_COMPARE: Final = frozenset(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"])
_LOGIC: Final = frozenset(["and", "or"])
_CHANGE: Final = frozenset(["=", "+=", "-="])
_STRENGTH: Final = frozenset(["default", "normal", "force"])
_RELATION: Final = frozenset(["in", "for", None])
_PLACEMENT: Final = frozenset(["before", "after", None])
WORDS: Final = frozenset([_COMPARE, _LOGIC, _CHANGE, _STRENGTH, _RELATION, _PLACEMENT])

Allowed = frozenset[int] | frozenset[str] | frozenset[str | None]

# What the elements of each kind of tuple are.
ELEMENTS: Final[dict[int, frozenset[int]]] = {
    PIECES: _of(TEXT, ast.Interpolation),
    PICKS: _EXPR | _of(ast.RangePick, ast.WherePick),
    LISTED: _EXPR | _of(ast.Spread),
    ENTRIES: _of(ast.RecordEntry),
    ARGUMENTS: _of(ast.Argument),
    EXPRESSIONS: _EXPR,
    TEXTS: _of(TEXT),
    FIELDS: _of(ast.FieldDecl),
    ROWS: _of(ast.Row),
    ITEMS: _ITEM,
    KEYS: _of(ast.Key),
    NAMES: _NAME,
}

_FIELDS: Final[dict[type, tuple[Allowed, ...]]] = {
    ast.Name: (_of(TEXT),),
    ast.Key: (_of(TEXT), _of(TRUTH)),
    ast.Interpolation: (_EXPR,),
    ast.StringLit: (_of(PIECES), _of(TRUTH)),
    ast.IntLit: (_of(INTEGER),),
    ast.VersionLit: (_of(TEXT),),
    ast.BoolLit: (_of(TRUTH),),
    ast.NullLit: (),
    ast.NoneLit: (),
    ast.NixLit: (_of(TEXT),),
    ast.Ref: (_of(TEXT),),
    ast.Member: (_EXPR, _of(ast.Key)),
    ast.RangePick: (_EXPR, _EXPR),
    ast.WherePick: (_EXPR,),
    ast.Index: (_EXPR, _of(PICKS)),
    ast.Spread: (_EXPR,),
    ast.ListLit: (_of(LISTED),),
    ast.RecordEntry: (_of(KEYS), _EXPR),
    ast.RecordLit: (_of(ENTRIES),),
    ast.Not: (_EXPR,),
    ast.Compare: (_COMPARE, _EXPR, _EXPR),
    ast.Logic: (_LOGIC, _EXPR, _EXPR),
    ast.Conditional: (_EXPR, _EXPR, _EXPR),
    ast.Argument: (_NAME | _NO, _EXPR),
    ast.Call: (_NAME, _of(ARGUMENTS)),
    ast.Product: (_of(EXPRESSIONS),),
    ast.NamedType: (_of(TEXT),),
    ast.ListType: (_TYPE,),
    ast.OptionalType: (_TYPE,),
    ast.OneOfType: (_of(EXPRESSIONS),),
    ast.Use: (_of(TEXTS, CONSTANT), _of(TEXT, CONSTANT), _NAME | _NO, _of(SPAN)),
    ast.Let: (_NAME, _EXPR),
    ast.FieldDecl: (_NAME, _TYPE),
    ast.Row: (_NAME, _BODY | _of(LATER)),
    ast.Facts: (_NAME, _of(TRUTH), _of(FIELDS), _of(ROWS)),
    ast.Axis: (_NAME, _EXPR | _NO, _of(ROWS, CONSTANT), _NAME | _NO),
    ast.Pin: (_NAME, _BODY),
    ast.Input: (_NAME, _EXPR),
    ast.Overlay: (_NAME, _RELATION, _of(KEYS), _BECAUSE, _BODY),
    ast.Patch: (_NAME, _of(KEYS), _BECAUSE, _BODY),
    ast.Recipe: (_NAME, _of(NAMES), _BODY),
    ast.Matrix: (_NAME, _BODY),
    ast.Variant: (_NAME, _BODY),
    ast.Output: (_NAME, _BODY),
    ast.Exclude: (_EXPR, _BECAUSE),
    ast.Require: (_EXPR, _BECAUSE),
    ast.Warn: (_NAME, _EXPR | _NO, _BECAUSE),
    ast.Flag: (_NAME, _TYPE | _NO, _EXPR, _BECAUSE),
    ast.Needs: (_NAME, _EXPR),
    ast.Assign: (_of(KEYS), _CHANGE, _EXPR, _STRENGTH, _BECAUSE),
    ast.Block: (_NAME, _BODY),
    ast.When: (_EXPR, _BODY),
    ast.Script: (_of(ast.Key), _BODY),
    ast.Part: (_NAME | _NO, _PLACEMENT, _NAME | _NO, _STRING | _of(ast.NoneLit), _STRENGTH),
}

# For each class the fields, in order, with what they may hold; the last is the span.
COLUMNS: Final[tuple[tuple[tuple[str, Allowed], ...], ...]] = (
    *[()] * TUPLES,
    *[
        tuple(zip(made.__match_args__, (*_FIELDS[made], _of(SPAN)), strict=True))
        for made in _NODES
    ],
)  # fmt: skip
