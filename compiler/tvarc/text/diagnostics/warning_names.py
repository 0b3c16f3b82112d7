"""The names of warnings and findings. A program uses them to switch a warning off."""

from __future__ import annotations

from tvarc.light import Final

# The name of each finding of an audit, by its code.
FINDINGS: Final[dict[str, str]] = {
    "W201": "missing-recipe",
    "W202": "extra-recipe",
    "W203": "foreign-recipe",
    "W204": "edited-recipe",
    "W205": "stale-recipe",
    "W206": "unreadable-recipe",
    "W207": "hidden-recipe",
    "W208": "pin-departs",
    "W209": "overlays-depart",
    "W210": "name-departs",
    "W211": "redundant-copy",
    "W212": "package-departs",
    "W213": "settings-depart",
    "W214": "contradiction",
    "W215": "switched-off",
    "W216": "unlike-neighbours",
    "W217": "not-understood",
    "W218": "need-departs",
}

# The codes of warnings about Nix's results for variants, by the names that switch them off. Only
# `check --eval` knows whether such a warning occurs.
JUDGED: Final[dict[str, str]] = {
    "not-in-derivation": "W301",
    "overlay-without-effect": "W302",
    "one-derivation": "W303",
    "removal-without-effect": "W307",
    "setting-unread": "W308",
    "script-not-run": "W309",
    "name-not-derived": "W310",
    "source-unfit": "W311",
    "toolkit-mixed": "W313",
    "library-twice": "W314",
    "other-system": "W315",
}
