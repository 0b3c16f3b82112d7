"""The places to which a workflow publishes what it has built, and the steps for that.

A secret is the name of a secret of GitHub. A program never contains its value. A workflow passes
the value to its step in a variable.
"""

from __future__ import annotations

import re

from tvarc.build.driver import Compilation
from tvarc.farm import messages as msg
from tvarc.farm.ci.github import BY_HAND_OR_TAG, expression, literal
from tvarc.farm.yaml import Yaml
from tvarc.light import Final, Iterator, Mapping, dataclass
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import Record, Value, type_name


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of text: its name, the pattern of the whole text, a forbidden character, and both in
    words."""

    wanted: str
    whole: re.Pattern[str]
    refused: re.Pattern[str]
    more: str


_NAME: Final = _Kind(
    "a name",
    re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*"),
    re.compile(r"[^A-Za-z0-9._-]"),
    "a name has letters of ASCII, digits, and after the first character also `.`, `_` and `-`",
)
_SECRET: Final = _Kind(
    "the name of a secret, in capitals",
    re.compile(r"[A-Z_][A-Z0-9_]*"),
    re.compile(r"[^A-Z0-9_]"),
    "a program has the names of secrets, and GitHub has their values",
)
_STORE: Final = _Kind(
    "the address of a store",
    re.compile(r"(?:file|https?|s3|ssh|ssh-ng)://\S+"),
    re.compile(r"\s"),
    "it begins with `file://`, `http://`, `https://`, `s3://`, `ssh://` or `ssh-ng://`, and has no "
    "blanks",
)
_SERVER: Final = _Kind(
    "an address",
    re.compile(r"https?://\S+"),
    re.compile(r"\s"),
    "it begins with `http://` or `https://`, and has no blanks",
)

_FIELDS: Final[Mapping[str, Mapping[str, _Kind]]] = {
    "store": {"to": _STORE, "key": _SECRET, "secrets": _SECRET},
    "cachix": {"cache": _NAME, "token": _SECRET},
    "attic": {"server": _SERVER, "cache": _NAME, "token": _SECRET},
    "flox": {"organisation": _NAME, "token": _SECRET},
}
"""The fields of each place, and the texts that they may have. `secrets` is a list of them."""
_OF_GITHUB: Final = re.compile(r"GITHUB_.*")
_OF_STEP: Final = ("STORE", "SIGNING_KEY", "KEY_FILE")
"""The variables that the step for a store sets itself."""
_OF_PROGRAMS: Final = re.compile(
    r"PATH|HOME|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|TMPDIR|(?:LD|RUNNER)_.*"
)
"""The variables that change how the programs of a step run."""
_USUAL: Final[Mapping[str, str | tuple[str, ...]]] = {"key": "", "secrets": ()}
_TOKENS: Final = {
    "cachix": "CACHIX_AUTH_TOKEN",
    "attic": "ATTIC_TOKEN",
    "flox": "FLOX_FLOXHUB_TOKEN",
}
"""The names of secrets that a program does not name."""
_SIGN: Final = """\
umask 077
printf '%s\\n' "$SIGNING_KEY" > "$KEY_FILE"
nix store sign --key-file "$KEY_FILE" --recursive ./result*
rm "$KEY_FILE"
"""
_COPY: Final = 'nix copy --to "$STORE" ./result*\n'
_CACHIX: Final = 'cachix push "$CACHE" ./result*\n'
_ATTIC: Final = """\
attic login place "$SERVER" "$ATTIC_TOKEN"
attic push "place:$CACHE" ./result*
"""
_FLOX: Final = 'flox publish -o "$ORGANISATION" "$PACKAGE"\n'

_NO_REQUEST: Final = "github.event_name != 'pull_request'"
"""GitHub keeps secrets from a pull request of another repository."""


@dataclass(frozen=True, slots=True)
class Publishing:
    """The steps before and after a build that publish it. `flox` says whether Flox does."""

    before: tuple[Yaml, ...] = ()
    after: tuple[Yaml, ...] = ()
    flox: bool = False


def publishing_of(made: Compilation, output: hir.OutputDef) -> Publishing:
    """The steps that publish the builds of *output*. Raises Failed after reporting."""
    expr = dict(output.fields).get("publish")
    if expr is None or not made.variants:
        return Publishing()
    value = made.elaboration.deciding(made.variants[0]).evaluator().value(expr)
    places = dict(_read(value, expr, made.sink))
    if "flox" in places and not any(_is_flox(one) for one in made.outputs):
        raise made.sink.refuse(msg.publishing.NO_PACKAGES, expr.span, output=output.name)
    before = [step for place in places for step in _before(place, places[place])]
    after = [_after(place, given) for place, given in places.items()]
    return Publishing(tuple(before), tuple(after), "flox" in places)


def _is_flox(output: hir.OutputDef) -> bool:
    file = output.file
    parts = file.parts if isinstance(file, hir.Text) else (getattr(file, "value", ""),)
    return isinstance(parts[0], str) and parts[0].startswith(".flox/pkgs/")


_Given = Mapping[str, str | tuple[str, ...]]


def _read(value: Value, expr: hir.Expr, sink: Sink) -> Iterator[tuple[str, _Given]]:
    """The places that *value* of *expr* names, each with its fields. Raises Failed after reporting
    all faults."""
    if not isinstance(value, Record):
        raise sink.refuse(msg.publishing.NO_RECORD, expr.span, kind=type_name(value))
    before = len(sink)
    found = [(place, _read_place(place, given, expr, sink)) for place, given in value]
    if len(sink) != before:
        raise Failed
    yield from found


def _read_place(place: str, given: Value, expr: hir.Expr, sink: Sink) -> _Given:
    """The fields of *place*. Faults are reported."""
    fields = _FIELDS.get(place)
    span = _span_of(expr, place)
    if fields is None:
        near, known = guess(place, tuple(_FIELDS)), ", ".join(_FIELDS)
        sink.report(msg.publishing.UNKNOWN_PLACE, span, place=place, known=known, guess=near)
        return {}
    if not isinstance(given, Record):
        sink.report(msg.publishing.PLACE_NO_RECORD, span, place=place, kind=type_name(given))
        return {}
    found: dict[str, str | tuple[str, ...]] = {**_USUAL, "token": _TOKENS.get(place, "")}
    for key, one in given:
        at = _span_of(expr, place, key)
        if key not in fields:
            near, known = guess(key, tuple(fields)), ", ".join(fields)
            message = msg.publishing.UNKNOWN_FIELD
            sink.report(message, at, place=place, key=key, known=known, guess=near)
        elif key == "secrets" and not isinstance(one, tuple):
            sink.report(msg.publishing.NO_LIST, at, place=place, kind=type_name(one))
        else:
            texts = one if isinstance(one, tuple) and key == "secrets" else (one,)
            for text in texts:
                _refuse_text(place, key, text, at, sink)
            found[key] = tuple(map(str, texts)) if key == "secrets" else str(one)
    names = {key for key, _ in given}
    if names <= fields.keys():  # else one of them may be misspelt
        for key in fields:
            if key not in found and key not in names:
                sink.report(msg.publishing.NO_FIELD, span, place=place, key=key)
    return found


def _refuse_text(place: str, key: str, text: Value, span: Span, sink: Sink) -> None:
    """Report *text* if the field *key* cannot have this value."""
    kind = _FIELDS[place][key]
    if not isinstance(text, str) or not kind.whole.fullmatch(text):
        label = "this is not"
        bad = kind.refused.search(text) if isinstance(text, str) else None
        if not isinstance(text, str):
            label = f"this is {type_name(text)}"
        elif bad is not None:
            label = "it has a blank" if bad[0].isspace() else f"it has `{bad[0]}`"
        sink.report(
            msg.publishing.BAD_VALUE,
            span,
            place=place,
            key=key,
            wanted=kind.wanted,
            label=label,
            more=kind.more,
        )
    elif kind is _SECRET:
        reason = ""
        if _OF_GITHUB.fullmatch(text):
            reason = "GitHub keeps names that begin with `GITHUB_` for itself"
        elif key == "secrets" and text in _OF_STEP:
            reason = "the step sets a variable of this name itself"
        elif key == "secrets" and _OF_PROGRAMS.fullmatch(text):
            reason = "programs of the step read the variable of this name"
        if reason:
            sink.report(msg.publishing.BAD_SECRET, span, name=text, place=place, reason=reason)


def _span_of(expr: hir.Expr, *path: str) -> Span:
    """The place of the part at *path* in *expr*, or of the longest written beginning of *path*."""
    for own, value in expr.entries if isinstance(expr, hir.RecordOf) else ():
        if own and own == path[: len(own)]:
            return _span_of(value, *path[len(own) :])
    return expr.span


def _secret(name: object) -> str:
    return expression(f"secrets.{name}")


def _before(place: str, given: _Given) -> Iterator[Yaml]:
    """The steps that install the program for *place*."""
    match place:
        case "cachix":
            with_: dict[str, Yaml] = {"name": str(given["cache"]), "skipPush": True}
            yield {"uses": "cachix/cachix-action@v16", "with": with_}
        case "attic":
            yield {
                "name": "Install Attic",
                "run": "nix profile install nixpkgs#attic-client",
            }
        case "flox":
            yield {"uses": "flox/install-flox-action@v2", "if": BY_HAND_OR_TAG}


def _after(place: str, given: _Given) -> Yaml:
    """The step that publishes to *place*. A build that failed has none."""
    condition, token = _NO_REQUEST, _secret(given["token"])
    match place:
        case "store":
            env = {name: _secret(name) for name in given["secrets"]}
            env["STORE"] = literal(str(given["to"]))
            script = _COPY
            if given["key"]:
                env["SIGNING_KEY"] = _secret(given["key"])
                env["KEY_FILE"] = expression("runner.temp") + "/signing-key"
                script = _SIGN + _COPY
        case "cachix":
            env = {"CACHE": str(given["cache"]), "CACHIX_AUTH_TOKEN": token}
            script = _CACHIX
        case "attic":
            env = {"SERVER": literal(str(given["server"])), "CACHE": str(given["cache"])}
            env["ATTIC_TOKEN"] = token
            script = _ATTIC
        case _:
            env = {"ORGANISATION": str(given["organisation"]), "FLOX_FLOXHUB_TOKEN": token}
            env["PACKAGE"] = expression("matrix.package")
            script, condition = _FLOX, BY_HAND_OR_TAG
    return {"name": f"Publish to {place}", "if": condition, "env": env, "run": script}
