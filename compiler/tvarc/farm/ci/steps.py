"""What an output `github` says of its workflow: where tvarc comes from, and steps of one's own."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.farm import messages as msg
from tvarc.farm.ci.reference import FORMS, MOVES, Reference, reference
from tvarc.farm.yaml import Yaml
from tvarc.light import Final, Literal
from tvarc.meaning import hir
from tvarc.text.diagnostics.suggest import did_you_mean
from tvarc.values.value import Record, Value, Version, type_name

_DOES: Final = ("uses", "run")
_KEYS: Final = (
    "name", "id", "if", *_DOES, "with", "env", "shell", "working-directory", "continue-on-error",
    "timeout-minutes",
)  # fmt: skip
"""The keys of a step: those of GitHub's syntax for workflows."""
_NESTED: Final = ("with", "env")
_EXPRESSION: Final = "${{"


def demand_reference(made: Compilation, output: hir.OutputDef) -> Reference:
    """Where the workflow of *output* gets tvarc. Raises Failed after reporting that it does not
    say."""
    expr = dict(output.fields).get("tvarc")
    value = expr.value if isinstance(expr, hir.Const) else None
    found = reference(value) if isinstance(value, str) else None
    if found is not None:
        return found
    if expr is None:
        raise made.sink.refuse(
            msg.workflows.NO_REFERENCE, output.span, output=output.name, forms=FORMS
        )
    raise made.sink.refuse(
        msg.workflows.BAD_REFERENCE, expr.span, output=output.name, moves=MOVES, forms=FORMS
    )


def steps_of(
    made: Compilation, output: hir.OutputDef, key: Literal["before", "after"], ids: set[str]
) -> tuple[Yaml, ...]:
    """The steps that *output* has before or after each build; *ids* are those of other steps of
    the job, and these are added. Raises Failed after reporting."""
    expr = dict(output.fields).get(key)
    if expr is None or not made.variants:
        return ()
    assert made.elaboration is not None
    value = made.elaboration.deciding(made.variants[0]).evaluator().value(expr)
    found: list[Yaml] = []
    wrong = help_ = ""
    for step in value if isinstance(value, tuple) else ():
        fault = _fault(step, ids)
        if fault is not None:
            wrong, help_ = fault
            break
        assert isinstance(step, Record)
        found.append(_yaml(step))
    if not isinstance(value, tuple):
        wrong = f"this is {type_name(value)}"
    if wrong:
        raise made.sink.refuse(
            msg.workflows.BAD_STEPS, expr.span, key=key, wrong=wrong, advice=help_
        )
    return tuple(found)


def _fault(step: Value, ids: set[str]) -> tuple[str, str] | None:
    """Why *step* is none that GitHub takes, and what to do; None where it may be one."""
    if not isinstance(step, Record):
        return f"a step must be a record, this is {type_name(step)}", ""
    given = dict(step.entries)
    for name, value in step:
        if name not in _KEYS:
            return f"a step cannot have `{name}`", did_you_mean(name, _KEYS)
        if name in _NESTED and isinstance(value, Record):
            texts = [one for _, one in value]
        elif name in _NESTED:
            return f"`{name}` of a step must be a record", ""
        else:
            texts = [value]
        if not all(isinstance(one, str | int | Version) for one in texts):
            return f"`{name}` of a step must be a string", ""
    if sum(name in given for name in _DOES) != 1:
        return "a step needs either `uses` or `run`", ""
    return _fault_of_values(given, ids)


def _fault_of_values(given: dict[str, Value], ids: set[str]) -> tuple[str, str] | None:
    """What GitHub refuses a whole workflow for, once it is pushed."""
    name = given.get("id")
    if name is not None:
        if not isinstance(name, str) or not _is_id(name):
            return (
                "`id` of a step must be a name",
                'use letters, digits, `-` and `_`: `id = "cache"`',
            )
        if name in ids:
            return f"two steps have the `id` `{name}`", "give one of them another `id`"
        ids.add(name)
    minutes, goes_on = given.get("timeout-minutes", 1), given.get("continue-on-error", True)
    if isinstance(minutes, bool) or (isinstance(minutes, str) and _EXPRESSION not in minutes):
        return "`timeout-minutes` of a step must be a number", "write `timeout-minutes = 30`"
    if not isinstance(goes_on, bool) and not (isinstance(goes_on, str) and _EXPRESSION in goes_on):
        return (
            "`continue-on-error` of a step must be true or false",
            "write `continue-on-error = true`",
        )
    return None


def _is_id(name: str) -> bool:
    rest = name.replace("-", "a").replace("_", "a")
    return name.isascii() and rest.isalnum() and not name[0].isdigit() and name[0] != "-"


def _yaml(value: Value) -> Yaml:
    match value:
        case Record():
            return {key: _yaml(one) for key, one in value}
        case Version():
            return value.text
        case str() | int():
            return value
        case _:
            raise AssertionError(value)
