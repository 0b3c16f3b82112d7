"""The settings of a recipe that are missing from the derivation that Nix made of it."""

from __future__ import annotations

import json
import re

from tvarc.light import Final, Iterator, Literal, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.derivation import parsed_name
from tvarc.nix.judge.evaluate import Derived
from tvarc.text.paths import are_store_names
from tvarc.text.source import Span
from tvarc.values.value import NixText, Value, Version

_NOT_FOR_BUILDER: Final = frozenset(
    [
        "checkInputs", "env", "installCheckInputs", "meta", "nativeCheckInputs",
        "nativeInstallCheckInputs", "passthru", "pos", "sandboxProfile",
    ]
)  # fmt: skip
"""Attributes that nixpkgs reads itself. It may pass them to the builder under other names."""


_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
NotShownKind = Literal["attribute", "variable", "script"]


@dataclass(frozen=True, slots=True)
class NotShown:
    """A setting that is not in the derivation. With `value`, its value is not there either."""

    SHOWN = ("span", "kind", "name", "value")
    KEYS = (("span", ""),)

    setting: ir.Setting
    kind: NotShownKind
    name: str
    value: bool = False
    """Whether the derivation has the name, with another value."""

    @property
    def span(self) -> Span:
        """The place where it is written. For a script, the place of its first part in the program.
        """
        return self.setting.origin.span


def not_shown(recipe: ir.Recipe, derived: Derived) -> Iterator[NotShown]:
    """The settings of *recipe* that are missing from *derived*. If only Nix knows a value, it is
    enough that the name is there."""
    found = _exported(derived)
    for setting in recipe.changes.env:
        yield from _missing(setting, "variable", found, derived)
    for setting in recipe.changes.attrs:
        if setting.key not in _NOT_FOR_BUILDER and not setting.key.startswith("__"):
            yield from _missing(setting, "attribute", found, derived)
    for script in recipe.changes.scripts:
        text = found.get(script.key)
        if text is None:
            yield NotShown(script, "script", script.key)
        elif not all(_holds(text, part.text, derived) for part in script.parts):
            yield NotShown(script, "script", script.key, value=True)


def unnamed(recipe: ir.Recipe, derived: Derived) -> Iterator[ir.Setting]:
    """The `pname` and `version` of *recipe* that are not in the name of *derived*. Some packages of
    older nixpkgs make their name from the values that they had before the change. If *recipe* sets
    `name`, that is the one at fault if it has another version."""
    own = next((setting for setting in recipe.changes.attrs if setting.key == "name"), None)
    if own is not None:
        version = derived.attributes.get("version", "")
        stated = parsed_name(derived.path)[1]
        if _VERSION.fullmatch(version) and _VERSION.match(stated) and version not in stated:
            yield own
        return
    for setting in recipe.changes.attrs:
        value = setting.value.text if isinstance(setting.value, Version) else setting.value
        if setting.key not in ("pname", "version") or not isinstance(value, str):
            continue
        reached = derived.attributes.get(setting.key) == value
        if not (reached and value and are_store_names((value,))):
            continue
        if not re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", derived.name):
            yield setting


def _missing(
    setting: ir.Setting,
    kind: Literal["attribute", "variable"],
    found: dict[str, str],
    derived: Derived,
) -> Iterator[NotShown]:
    text = found.get(setting.key)
    if text is None:
        if setting.value is not None:  # null is not passed to the builder
            yield NotShown(setting, kind, setting.key)
    elif not _holds(text, setting.value, derived) or _is_denied(text, setting.value):
        yield NotShown(setting, kind, setting.key, value=True)


def _exported(derived: Derived) -> dict[str, str]:
    """The attributes. If they are structured, also the variables that they contain."""
    if not derived.structured or "env" not in derived.attributes:
        return derived.attributes
    variables = json.loads(derived.attributes["env"])
    return derived.attributes | {key: json.dumps(value) for key, value in variables.items()}


def _is_denied(text: str, value: Value) -> bool:
    """Whether *value* is true and *text* is false. When nixpkgs builds for another machine, it sets
    `doCheck` to false."""
    return value is True and text in ("", "false")


def _holds(text: str, value: Value, derived: Derived) -> bool:
    match value:
        case str():
            wanted = json.dumps(value, ensure_ascii=False)[1:-1] if derived.structured else value
            return wanted in text
        case tuple():
            return all(_holds(text, item, derived) for item in value)
        case NixText():
            return all(_holds(text, part, derived) for part in value.parts)
        case _:
            return True
