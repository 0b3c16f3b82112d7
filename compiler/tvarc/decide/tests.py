"""Refuse tests that cannot be run: unknown fields, values of another kind, and tests without a
script."""

from __future__ import annotations

from tvarc.blocks import PLACES_OF_TESTS, TEST_FIELDS
from tvarc.decide import messages as msg
from tvarc.decide.refusals import KIND_NAMES, is_of
from tvarc.nix import ir
from tvarc.nix.lower.tests import OF_CLOSURE, TIMEOUT, size_in_bytes
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.value import Record, Value, type_name


def refuse_test(test: ir.Setting, sink: Sink) -> None:
    """Refuse the decided *test* if Nix could not run it. Raises Failed after reporting."""
    if not isinstance(test.value, Record):
        raise sink.refuse(
            msg.tests.NO_RECORD, test.origin.span, name=test.key, kind=type_name(test.value)
        )
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
            if isinstance(field.value, bool) or not isinstance(field.value, int) or field.value < 1:
                raise sink.refuse(msg.tests.NO_SECONDS, span, name=name)
        elif not is_of(kind, field.value):
            raise sink.refuse(
                msg.tests.WRONG_KIND,
                span,
                name=name,
                wanted=KIND_NAMES[kind],
                kind=type_name(field.value),
            )
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


def _is_text(value: Value) -> bool:
    return isinstance(value, bool | int) or is_of("text", value)
