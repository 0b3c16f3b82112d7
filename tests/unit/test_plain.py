"""The walker from dataclasses to JSON."""

from __future__ import annotations

import json

import pytest

from tvarc.light import Enum, Mapping, dataclass
from tvarc.values.plain import ABSENT, Absent, Place, json_rows, json_text
from tvarc.values.value import NixRef, NoneValue, PathValue, Record, Value, Version


class State(Enum):
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Inner:
    KEYS = (("place", ""), ("as_of", "as-of"))

    place: Place
    as_of: str | None
    state: State


@dataclass(frozen=True, slots=True)
class Result:
    rows: tuple[Inner, ...]
    values: Mapping[str, Value]
    at: Place | Absent = ABSENT


INNER = Inner(Place("a.tvar", 1, 2), None, State.NEW)


def test_fields_are_keys_in_order() -> None:
    text = json_text(Result((INNER,), {}), indent=None)
    row = '{"file": "a.tvar", "line": 1, "column": 2, "as-of": null, "state": "new"}'
    assert text == f'{{"rows": [{row}], "values": {{}}}}\n'
    assert json.loads(json_text(Result((), {}, Place("b", None, None))))["at"]["file"] == "b"


def test_values_of_the_language() -> None:
    values: dict[str, Value] = {
        "version": Version("1.10"),
        "record": Record((("a", (True, None)),)),
        "path": PathValue("a.patch"),
        "none": NoneValue(),
        "nix": NixRef("pkgs", ("hello",)),
    }
    assert json.loads(json_text(Result((), values)))["values"] == {
        "version": "1.10",
        "record": {"a": [True, None]},
        "path": {"path": "a.patch"},
        "none": {"none": True},
        "nix": {"nix": "pkgs.hello"},
    }


def test_rows_are_one_list() -> None:
    rows = [INNER, INNER]
    assert "".join(json_rows(rows)) == json_text(rows)
    assert "".join(json_rows([])) == json_text([])


def test_what_is_no_result_is_a_fault() -> None:
    with pytest.raises(TypeError, match="object"):
        json_text({"a": object()})
