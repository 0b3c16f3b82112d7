"""The names of warnings and findings, by which a program switches them off and people speak of
them."""

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

# The code of each lint by the name that `warn NAME = off` silences it by.
LINTS: Final[dict[str, str]] = {
    "impossible-host": "W101",
    "gpu-unknown-to-toolkit": "W102",
    "target-not-dotted": "W103",
    "moving-alias": "W104",
    "pin-without-hash": "W105",
    "platform-against-isa": "W106",
    "cudnn-below-floor": "W107",
    "cuda-marked-broken": "W108",
    "cmake-flags-unreached": "W109",
    "targets-without-capabilities": "W110",
    "release-not-paired": "W111",
    "driver-not-stated": "W112",
    "flag-unknown-to-gcc": "W113",
    "same-build": "W114",
    "overlay-unreached": "W115",
    "nix-mark-in-text": "W116",
    "hidden-direction": "W118",
    "gpu-misnamed": "W119",
    "cuda-misnamed": "W120",
    "python-not-built": "W121",
    "set-not-in-pin": "W122",
    "torch-too-old": "W123",
    "fbgemm-left-on": "W124",
    "setting-misspelt": "W125",
    "attribute-misspelt": "W126",
    "amd-target-unknown": "W127",
    "ptx-needs-driver": "W128",
    "flag-dropped-by-gcc": "W129",
    "cpu-misnamed": "W130",
    "own-list-dropped": "W131",
    "other-mark-in-text": "W132",
    "value-not-in-axis": "W133",
    "name-unreached": "W134",
    "source-root-misfits": "W135",
    "flox-name": "W148",
    "store-name": "W149",
    "nvidia-target-unknown": "W151",
    "pin-hash-differs": "W152",
}

# The code of each warning about what Nix makes of variants, by the name that silences it as well.
# Whether it occurs only `check --eval` knows.
JUDGED: Final[dict[str, str]] = {
    "not-in-derivation": "W301",
    "overlay-without-effect": "W302",
    "one-derivation": "W303",
    "removal-without-effect": "W307",
    "setting-unread": "W308",
    "script-not-run": "W309",
    "name-not-derived": "W310",
    "source-unfit": "W311",
}
