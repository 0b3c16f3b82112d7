"""Messages are data: each template is used, and each use gives exactly the fields of its texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support.effort import for_each
from support.templates import COMPILER, PACKAGES, templates
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message, Text
from tvarc.text.diagnostics.model import Failed, Sink, filled
from tvarc.text.diagnostics.registry import CODES
from tvarc.text.diagnostics.suggest import Guess, guess
from tvarc.text.edits import Edit
from tvarc.text.source import SourceMap, Span

OF_REPORT = {"span", "others", "notes", "edits", "at", "lacking", "cause", "leads", "another"}
"""The parameters of `Sink.report` that are no fields."""
HERE, THERE = Span("a.tvar", 3, 7), Span("b.tvar", 1, 2)


@dataclass(frozen=True)
class Use:
    """A call that reports one of `messages`, with the fields that it gives itself; `wrapped` are
    those that the called function gives, which are for more messages than this one."""

    place: str
    messages: frozenset[str]
    fields: frozenset[str]
    wrapped: frozenset[str] = frozenset()


@cache
def uses() -> tuple[Use, ...]:
    files = [path for path in COMPILER.rglob("*.py") if path.parent.name != "messages"]
    return tuple(use for path in sorted(files) for use in uses_in(path))


def uses_in(path: Path) -> Iterator[Use]:
    text = path.read_text(encoding="utf-8")
    if "messages as " not in text:
        return
    nodes = [*ast.walk(ast.parse(text))]
    rooms = dict(rooms_of(nodes))
    scopes = [one for one in nodes if isinstance(one, ast.FunctionDef)]
    made = {
        one.name: frozenset(named(one, rooms))
        for one in scopes
        if isinstance(one.returns, ast.Name) and one.returns.id == "Message"
    }
    for scope in scopes:
        given = assigned(scope, rooms)
        for call in own_calls(scope):
            name = called(call)
            messages = messages_of(call, rooms, given, made)
            if not messages:
                continue
            place = f"{path.relative_to(COMPILER)}:{call.lineno}"
            if name in ("report", "refuse", "filled"):
                yield Use(place, messages, fields_of(call) | keys_in(call))
            else:
                assert name in wrappers(), f"{place}: {name} takes a message"
                wrapper = wrappers()[name]
                known = {one.arg for one in (*wrapper.args.args, *wrapper.args.kwonlyargs)}
                more = fields_of(call) - known if wrapper.args.kwarg else frozenset()
                yield Use(place, messages, more, fields_given(wrapper))


@cache
def wrappers() -> Mapping[str, ast.FunctionDef]:
    """Functions that take a message, and give it fields. A class is called by its name."""
    found: dict[str, ast.FunctionDef] = {}
    for path in sorted(COMPILER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for one in ast.walk(ast.parse(text)) if "Message" in text else ():
            inner = one.body if isinstance(one, ast.ClassDef) else [one]
            for function in inner:
                if isinstance(function, ast.FunctionDef) and message_parameter(function):
                    name = function.name
                    if isinstance(one, ast.ClassDef) and name == "__init__":
                        name = one.name
                    found[name] = function
    return found


def rooms_of(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """`from tvarc.ROOM import messages as NAME`: each name, with its room."""
    for one in nodes:
        if isinstance(one, ast.ImportFrom) and one.module:
            for alias in one.names:
                if alias.name == "messages":
                    room = one.module.removeprefix("tvarc.").replace(".", "/")
                    yield alias.asname or alias.name, room


def own_calls(scope: ast.FunctionDef) -> Iterator[ast.Call]:
    """The calls of a function, without those of functions in it."""
    waiting = [*ast.iter_child_nodes(scope)]
    for node in waiting:
        if isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting += ast.iter_child_nodes(node)


def called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def named(expr: ast.AST, rooms: Mapping[str, str]) -> Iterator[str]:
    """The messages that *expr* names, as `msg.topic.NAME`."""
    for one in ast.walk(expr):
        match one:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr=topic), attr=key):
                if name in rooms:
                    yield f"{rooms[name]}/{topic}.{key}"


def assigned(scope: ast.FunctionDef, rooms: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The messages that each variable of *scope* may be."""
    found: dict[str, set[str]] = {}
    for one in ast.walk(scope):
        if isinstance(one, ast.Assign):
            for target in one.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).update(named(one.value, rooms))
    return {name: frozenset(messages) for name, messages in found.items() if messages}


def messages_of(
    call: ast.Call,
    rooms: Mapping[str, str],
    given: Mapping[str, frozenset[str]],
    made: Mapping[str, frozenset[str]],
) -> frozenset[str]:
    """The messages that are arguments of *call*: named, *given* to a variable, or *made* by a
    function of the file."""
    found: set[str] = set()
    for argument in call.args:
        if isinstance(argument, ast.Name):
            found |= given.get(argument.id, frozenset())
        elif isinstance(argument, ast.Call):
            found |= made.get(called(argument), frozenset())
        elif isinstance(argument, ast.Attribute | ast.IfExp):
            found.update(named(argument, rooms))
    return frozenset(found)


def fields_of(call: ast.Call) -> frozenset[str]:
    return frozenset(one.arg for one in call.keywords if one.arg) - OF_REPORT


def keys_in(node: ast.AST) -> frozenset[str]:
    """The keys of the dictionaries that are written out in *node*."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.Dict)]
    keys = [key for one in found for key in one.keys]
    return frozenset(str(key.value) for key in keys if isinstance(key, ast.Constant))


def message_parameter(function: ast.FunctionDef) -> str:
    """The parameter of *function* that is a message, if it has one."""
    arguments = (*function.args.args, *function.args.kwonlyargs)
    found = [
        one.arg for one in arguments if one.annotation and "Message" in ast.dump(one.annotation)
    ]
    return found[0] if found else ""


def fields_given(wrapper: ast.FunctionDef) -> frozenset[str]:
    """The fields that a function which takes a message gives it."""
    found = set(keys_in(wrapper))
    for one in ast.walk(wrapper):
        if isinstance(one, ast.Call) and any(
            isinstance(argument, ast.Name) and argument.id == message_parameter(wrapper)
            for argument in one.args
        ):
            found |= fields_of(one)
    return frozenset(found)


@pytest.mark.slow
def test_there_are_messages() -> None:
    assert templates() and uses()


def test_each_message_is_reported_somewhere() -> None:
    assert {name for use in uses() for name in use.messages} == set(templates())


def test_each_use_gives_the_fields_of_its_messages_and_no_more() -> None:
    wrong = []
    for use in uses():
        wanted = {name: templates()[name].fields for name in use.messages}
        lacks = {name: sorted(fields - use.fields - use.wrapped) for name, fields in wanted.items()}
        more = use.fields - frozenset().union(*wanted.values())
        wrong += [f"{use.place}: {name} lacks {names}" for name, names in lacks.items() if names]
        wrong += [f"{use.place}: nothing has {name}" for name in sorted(more)]
    assert wrong == []


@for_each("name", templates())
def test_a_message_is_complete(name: str) -> None:
    message = templates()[name]
    assert message.code in CODES
    assert not message.fields & OF_REPORT
    assert message.edit is None or message.help
    assert DID_YOU_MEAN not in message.helps or "guess" in message.fields


def test_two_messages_of_a_room_differ() -> None:
    for package in PACKAGES:
        room = package.parent.relative_to(COMPILER).as_posix()
        own = [one for name, one in templates().items() if name.startswith(f"{room}/")]
        assert len({repr(one) for one in own}) == len(own)


@for_each("package", PACKAGES)
def test_a_package_lists_its_topics(package: Path) -> None:
    """A type checker knows the listed topics. It finds no mistake in the name of another."""
    text = (package / "__init__.py").read_text(encoding="utf-8")
    listed = re.findall(r"messages import (\w+) as \1$", text, re.MULTILINE)
    topics = [path.stem for path in package.glob("*.py") if path.stem != "__init__"]
    assert listed == sorted(topics)


# --- templates ------------------------------------------------------------------------------------

PLAIN = Message(
    "E201",
    "no {noun} `{name}`, {{…}}",
    label="unknown {noun}",
    other="declared here",
    notes=("one of {known}", "it has {count:,}"),
    help=(DID_YOU_MEAN, "write `{other}`", "declare it"),
    edit="{guess}",
)
GIVEN: dict[str, Text] = {
    "noun": "axis", "name": "a", "known": "", "count": 0, "guess": Guess("b", True), "other": "",
}  # fmt: skip
"""The fields of `PLAIN`, with a guess."""


def test_fields_are_filled_in() -> None:
    fields: dict[str, Text] = {**GIVEN, "known": "b, c", "count": 1024}
    made = filled(PLAIN, HERE, fields, [THERE, (THERE, "and here")])
    assert made.title == "no axis `a`, {…}"
    assert [label.text for label in made.labels] == ["unknown axis", "declared here", "and here"]
    assert made.notes == ("one of b, c", "it has 1,024")
    assert made.help == "did you mean `b`?"
    assert made.edits == (Edit(HERE, "b"),)
    assert made.fix == "write `b`"


def test_texts_without_their_values_are_left_out() -> None:
    fields: dict[str, Text] = {**GIVEN, "count": None, "guess": Guess(), "other": "x"}
    made = filled(PLAIN, HERE, fields)
    assert (made.notes, made.help, made.edits, made.fix) == ((), "write `x`", (), "")
    assert filled(PLAIN, HERE, {**fields, "other": ""}).help == "declare it"
    assert filled(PLAIN, None, fields).labels == ()


def test_a_title_may_count() -> None:
    message = Message("E801", "`{path}` is there", many="{count} files are there")
    assert message.fields == {"path", "count"}
    for count, title in ((1, "`a` is there"), (2, "2 files are there")):
        assert filled(message, None, {"path": "a", "count": count}).title == title


def test_a_field_that_lacks_is_an_error() -> None:
    with pytest.raises(KeyError):
        Sink().report(PLAIN, HERE, noun="axis")


def test_an_edit_is_made_only_of_a_guess_that_is_sure() -> None:
    for word, known, sure in (("gpuu", ["gpu", "isa"], True), ("gpx", ["gpu", "gpt"], False)):
        made = filled(PLAIN, HERE, {**GIVEN, "guess": guess(word, known)})
        assert made.help.startswith("did you mean `gp")
        assert bool(made.edits) is sure


def test_the_edit_may_be_elsewhere() -> None:
    sink = Sink()
    failed = sink.refuse(PLAIN, HERE, at=THERE, **GIVEN)  # type: ignore[arg-type]
    assert isinstance(failed, Failed)
    assert [one.edits for one in sink] == [(Edit(THERE, "b"),)]
    sink = Sink()
    sink.report(PLAIN, HERE, edits=[Edit(THERE, "c")], notes=["more"], **GIVEN)  # type: ignore[arg-type]
    assert [(one.edits, one.notes[-1]) for one in sink] == [((Edit(THERE, "c"),), "more")]


def test_edits_of_one_cause_are_made_together() -> None:
    sink = Sink()
    sink.report(PLAIN, HERE, cause="a", **GIVEN)  # type: ignore[arg-type]
    sink.report(PLAIN, THERE, cause="a", **GIVEN)  # type: ignore[arg-type]
    (one,) = sink.sorted(SourceMap())
    assert set(one.edits) == {Edit(HERE, "b"), Edit(THERE, "b")}
