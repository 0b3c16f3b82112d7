"""Refuse tests that cannot be run: unknown fields, values of another kind, and tests without a
script."""

from __future__ import annotations

import re

from tvarc.blocks import PLACES_OF_TESTS, TEST_FIELDS
from tvarc.decide import messages as msg
from tvarc.decide.refusals import KIND_NAMES, is_of
from tvarc.light import Final
from tvarc.nix import ir
from tvarc.nix.lower.tests import OF_CLOSURE, TIMEOUT, size_in_bytes
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.value import (
    Late,
    NixText,
    PathValue,
    Record,
    Value,
    is_nix,
    show_short,
    type_name,
)

_NAME: Final = re.compile(r"[A-Za-z0-9+._?=-]+")
"""The pattern of a part of the name of a derivation."""

_ATTRIBUTE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def refuse_test(test: ir.Setting, sink: Sink) -> None:
    """Refuse the decided *test* if Nix could not run it. Raises Failed after reporting."""
    if not isinstance(test.value, Record):
        raise sink.refuse(
            msg.tests.NO_RECORD, test.origin.span, name=test.key, kind=type_name(test.value)
        )
    if not _NAME.fullmatch(test.key):
        raise sink.refuse(msg.tests.BAD_NAME, test.origin.span, name=test.key)
    fields = {one.key: one for one in test.entries()}
    for name, field in fields.items():
        span = field.origin.span
        if name not in TEST_FIELDS:
            raise sink.refuse(
                msg.tests.UNKNOWN_FIELD,
                span,
                name=name,
                guess=guess(name, TEST_FIELDS),
                known=", ".join(f"`{one}`" for one in TEST_FIELDS),
            )
        kind = TEST_FIELDS[name]
        if kind == "record":
            _refuse_expected(field, sink)
        elif kind == "size":
            if not isinstance(field.value, str) or size_in_bytes(field.value) is None:
                raise sink.refuse(msg.tests.NO_SIZE, span, name=name)
        elif kind == "seconds":
            if isinstance(field.value, bool) or not isinstance(field.value, int):
                raise sink.refuse(msg.tests.NO_SECONDS, span, name=name, label="not a whole number")
            if field.value < 1:
                raise sink.refuse(msg.tests.NO_SECONDS, span, name=name, label="less than 1")
        else:
            kind = "list" if kind == "packages" else kind
            if not is_of(kind, field.value):
                raise sink.refuse(
                    msg.tests.WRONG_KIND,
                    span,
                    name=name,
                    wanted=KIND_NAMES[kind],
                    kind=type_name(field.value),
                )
            if TEST_FIELDS[name] == "packages":
                _refuse_no_packages(field, sink)
        if name == "on" and field.value not in PLACES_OF_TESTS:
            raise sink.refuse(msg.tests.NO_PLACE, span)
    of_script = fields.keys() & ("expect", TIMEOUT)
    if "script" not in fields and (of_script or not fields.keys() & OF_CLOSURE.keys()):
        raise sink.refuse(msg.tests.NO_SCRIPT, test.origin.span, name=test.key)


def _refuse_expected(field: ir.Setting, sink: Sink) -> None:
    """Refuse expectations that are no strings, or that Nix alone could count."""
    if not isinstance(field.value, Record):
        raise sink.refuse(
            msg.tests.WRONG_KIND,
            field.origin.span,
            name=field.key,
            wanted="a record",
            kind=type_name(field.value),
        )
    for one in field.entries():
        values = one.value if isinstance(one.value, tuple) else (one.value,)
        for value in values:
            if not _is_text(value):
                raise sink.refuse(
                    msg.tests.NO_EXPECTATION,
                    one.origin.span,
                    name=one.key,
                    kind=type_name(value),
                )


def _refuse_no_packages(field: ir.Setting, sink: Sink) -> None:
    """Refuse elements that cannot be packages: a name in quotes is in no closure."""
    values = field.value if isinstance(field.value, tuple) else ()
    elements = field.elements or tuple([ir.Element(one, field.origin) for one in values])
    for one in elements:
        if not _may_be_package(one.value):
            named = _ATTRIBUTE.fullmatch(one.value) if isinstance(one.value, str) else None
            raise sink.refuse(
                msg.tests.NO_PACKAGE,
                one.origin.span,
                name=field.key,
                value=show_short(one.value),
                kind=type_name(one.value),
                package=named[0] if named is not None else "NAME",
            )


def _may_be_package(value: Value) -> bool:
    if isinstance(value, NixText):
        return not all(isinstance(part, str | Late) for part in value.parts)
    return isinstance(value, PathValue) or is_nix(value)


def _is_text(value: Value) -> bool:
    return isinstance(value, bool | int) or is_of("text", value)
