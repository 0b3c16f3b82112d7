"""All codes of diagnostics. Each has a page `docs/errors/<code>.md` and a snapshot case."""

from __future__ import annotations

from tvarc.light import Final, Mapping
from tvarc.text.diagnostics.lint_names import TITLES

CODES: Final[dict[str, str]] = {
    # reading and syntax
    "E101": "syntax error",
    "E102": "something is not closed",
    "E103": "bad escape or interpolation",
    "E104": "bad literal",
    "E105": "reserved word used as a name",
    "E106": "file cannot be read",
    "E107": "file is not UTF-8",
    "E108": "file is too large",
    "E109": "nested too deeply",
    "E110": "unknown language",
    # names and declarations
    "E201": "unknown name",
    "E202": "declared twice",
    "E203": "unknown module",
    "E204": "modules import each other",
    "E205": "depends on itself",
    "E206": "ambiguous name",
    "E207": "unknown field",
    "E208": "missing field",
    "E209": "not allowed here",
    "E210": "unknown block or key",
    "E211": "unknown function or argument",
    "E212": "compared with itself",
    "E213": "input not fetched",
    "E214": "bad file of data",
    # types and stages
    "E301": "wrong type",
    "E302": "value not known yet",
    "E303": "cannot be compared",
    "E304": "axis missing from the matrix",
    "E305": "bad value for a function",
    "E306": "declaration used as a value",
    "E307": "cannot be written in Nix",
    "E308": "evaluation over its limit",
    "E314": "package set inside a set",
    # the matrix
    "E401": "empty matrix",
    "E402": "name or file used twice",
    "E403": "invalid name",
    "E404": "matrix over its limit",
    "E405": "requirement not met",
    "E406": "bad pick",
    "E407": "no matrix",
    "E408": "needed variant missing",
    "E409": "need matches several variants",
    "E410": "no value for an axis of a need",
    "E413": "too many cells in the program",
    # settings
    "E501": "conflicting values",
    "E502": "nothing to remove",
    "E503": "unknown part of a script",
    "E504": "no value to add to",
    "E505": "bad override",
    "E506": "no pin chosen",
    "E507": "setting missing",
    "E508": "not supported by this nixpkgs",
    "E509": "cannot be built by a flake",
    # what touches nothing
    "E601": "exclude drops nothing",
    "E602": "condition never holds",
    "E603": "overlay never used",
    "E604": "patch never used",
    "E605": "flag never read",
    "E606": "nothing to silence",
    "E607": "correction without effect",
    "E608": "input never used",
    "E609": "need never read",
    "E610": "mixin without a recipe",
    # formats of facts
    "E701": "bad hash",
    "E702": "bad revision",
    "E703": "bad source",
    "E704": "bad release",
    # output
    "E801": "file not written by this program",
    "E802": "file cannot be written",
    "E803": "output outside the folder",
    "E804": "out of date",
    "E805": "manifest cannot be edited",
    "E806": "too many jobs",
    "E807": "page cannot be filled in",
    "E808": "workflow in the wrong place",
    "E809": "workflow without tvarc",
    "E810": "bad pattern",
    "E812": "recipes too large together",
    # the command line
    "E901": "selector hits nothing",
    "E902": "selector hits several variants",
    "E903": "no source file",
    "E904": "unknown code or path",
    "E905": "bad description of a host",
    "E906": "no variant for the host",
    "E907": "unknown fact",
    "E908": "no program in the folder",
    "E909": "not a line of a recipe",
    "E911": "nothing to compare with",
    "E912": "Nix is not installed",
    "E913": "merge conflicts",
    "E914": "unknown column",
    "E915": "no such output",
    "E916": "not a report of a build",
    "E917": "language server not installed",
    "E918": "not a result of a run",
    "E919": "bad reference to tvarc",
    # what is fetched
    "E941": "source is not locked",
    "E942": "two hashes for one source",
    "E943": "bad lock",
    "E944": "cannot be fetched",
    "E945": "no usable hash in the log",
    "E946": "cannot be bumped",
    # the layout of sources
    "E951": "not formatted",
    # recipes that are imported
    "E961": "nothing to import",
    # tvarc init
    "E971": "no such template",
    "E972": "program exists already",
    "E973": "folder has recipes",
    "E974": "no terminal for questions",
    # what Nix makes of recipes
    "E991": "refused by Nix",
    "E992": "cannot be built",
    "E993": "build machine lost",
    "E994": "no machine for a build",
    "E995": "bad list of machines",
    "E996": "Nix or a store fails",
    "E997": "fake hash in what a build fetches",
    "E998": "test fails",
    # warnings
    "W001": "warning from the source",
    "W002": "built with a fake hash",
    "W003": "nothing to build",
    # lints
    **TITLES,
    # findings of an audit
    "W201": "recipe missing",
    "W202": "recipe without a variant",
    "W203": "recipe not written by tvarc",
    "W204": "recipe edited by hand",
    "W205": "recipe out of date",
    "W206": "recipe that cannot be read",
    "W207": "recipe hidden by another",
    "W208": "pin differs",
    "W209": "overlays differ",
    "W210": "name differs",
    "W211": "redundant copy",
    "W212": "package differs",
    "W213": "settings differ",
    "W214": "recipe contradicts itself",
    "W215": "part switched off",
    "W216": "unlike its neighbours",
    "W217": "not understood",
    "W218": "needed recipe differs",
    # what Nix makes of recipes
    "W301": "setting not in the derivation",
    "W302": "overlay without effect",
    "W303": "variants with the same derivation",
    "W304": "build machine lost, builds done",
    "W305": "warning from Nix",
    "W307": "removal without effect",
    "W308": "setting is never read",
    "W309": "script never runs",
    "W310": "name not in the derivation",
    "W311": "source does not fit the package",
    "W312": "variant without a test",
    "W313": "packages of another toolkit",
    "W314": "several builds of one library",
    "W315": "derivation for another system",
    "W316": "results not recorded",
}

GROUPS: Final[Mapping[str, str]] = {
    "E1": "Reading and syntax",
    "E2": "Names and declarations",
    "E3": "Types and values",
    "E4": "The matrix",
    "E5": "Settings",
    "E6": "Declarations without effect",
    "E7": "Formats of facts and values",
    "E8": "Writing files",
    "E90": "The command line",
    "E91": "The command line",
    "E94": "The lock",
    "E95": "Layout",
    "E96": "Importing",
    "E97": "Beginning a program",
    "E99": "Nix refuses",
    "W0": "Warnings about the program",
    "W1": "Lints",
    "W2": "Findings of an audit",
    "W3": "Warnings about what Nix makes",
}
"""The subjects of codes, by their first characters."""


def group_of(code: str) -> str:
    """The subject of *code*."""
    return next(title for start, title in GROUPS.items() if code.startswith(start))


def groups() -> dict[str, list[str]]:
    """The codes of each group, in order."""
    found: dict[str, list[str]] = {title: [] for title in GROUPS.values()}
    for code in sorted(CODES):
        found[group_of(code)].append(code)
    return found
