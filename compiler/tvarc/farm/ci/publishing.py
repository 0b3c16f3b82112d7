"""The places to which a workflow publishes what it has built, and the steps for that.

A secret is a name of GitHub's secrets. A program never has its value, and a workflow passes the
value to its step in a variable.
"""

from __future__ import annotations

import re

from tvarc.build.driver import Compilation
from tvarc.farm import messages as msg
from tvarc.farm.ci.github import BY_HAND_OR_TAG, expression, literal
from tvarc.farm.yaml import Yaml
from tvarc.light import Final, Iterator, Mapping, dataclass
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import Record, Value, type_name

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SECRET: Final = re.compile(r"(?!GITHUB_)[A-Z_][A-Z0-9_]*")
_STORE: Final = re.compile(r"(?:file|https?|s3|ssh|ssh-ng)://\S+")
_SERVER: Final = re.compile(r"https?://\S+")

_FIELDS: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    "store": {"to": _STORE, "key": _SECRET, "secrets": _SECRET},
    "cachix": {"cache": _NAME, "token": _SECRET},
    "attic": {"server": _SERVER, "cache": _NAME, "token": _SECRET},
    "flox": {"organisation": _NAME, "token": _SECRET},
}
"""The fields of each place, and the texts that they may have. `secrets` is a list of them."""
_USUAL: Final[Mapping[str, str | tuple[str, ...]]] = {"key": "", "secrets": ()}
_TOKENS: Final = {
    "cachix": "CACHIX_AUTH_TOKEN",
    "attic": "ATTIC_TOKEN",
    "flox": "FLOX_FLOXHUB_TOKEN",
}
"""The names of secrets that a program does not name."""
_WANTED: Final = {
    _NAME: "a name",
    _SECRET: "the name of a secret, in capitals",
    _STORE: "the address of a store",
    _SERVER: "an address",
}

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
    places = dict(_read(value, expr.span, made.sink))
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


def _read(value: Value, span: Span, sink: Sink) -> Iterator[tuple[str, _Given]]:
    """The places that *value* names, each with its fields."""
    if not isinstance(value, Record):
        raise sink.refuse(msg.publishing.NO_RECORD, span, kind=type_name(value))
    for place, given in value:
        fields = _FIELDS.get(place)
        if fields is None:
            near = guess(place, tuple(_FIELDS))
            raise sink.refuse(
                msg.publishing.UNKNOWN_PLACE,
                span,
                place=place,
                known=", ".join(_FIELDS),
                guess=near,
            )
        if not isinstance(given, Record):
            raise sink.refuse(
                msg.publishing.PLACE_NO_RECORD, span, place=place, kind=type_name(given)
            )
        found: dict[str, str | tuple[str, ...]] = {**_USUAL, "token": _TOKENS.get(place, "")}
        for key, one in given:
            if key not in fields:
                near = guess(key, tuple(fields))
                raise sink.refuse(
                    msg.publishing.UNKNOWN_FIELD,
                    span,
                    place=place,
                    key=key,
                    known=", ".join(fields),
                    guess=near,
                )
            texts = one if key == "secrets" and isinstance(one, tuple) else (one,)
            wanted = fields[key]
            for text in texts:
                if not isinstance(text, str) or not wanted.fullmatch(text):
                    raise sink.refuse(
                        msg.publishing.BAD_VALUE, span, place=place, key=key, wanted=_WANTED[wanted]
                    )
            found[key] = tuple(map(str, texts)) if key == "secrets" else str(one)
        for key in fields:
            if key not in found:
                raise sink.refuse(msg.publishing.NO_FIELD, span, place=place, key=key)
        yield place, found


def _secret(name: object) -> str:
    return expression(f"secrets.{name}")


def _before(place: str, given: _Given) -> Iterator[Yaml]:
    """The steps that bring the program for *place*."""
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
