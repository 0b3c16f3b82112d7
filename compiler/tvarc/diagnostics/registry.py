"""Every diagnostic code, once. Each has a page `docs/errors/<code>.md` and a snapshot case."""

from __future__ import annotations

from tvarc.light import Final

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
    # names and declarations
    "E201": "unknown name",
    "E202": "declared twice",
    "E203": "unknown module",
    "E204": "modules import each other",
    "E205": "defined by itself",
    "E206": "ambiguous name",
    "E207": "unknown field",
    "E208": "missing field",
    "E209": "cannot stand here",
    "E210": "unknown block or key",
    "E211": "unknown function or argument",
    "E213": "not supported by this version",
    # types and stages
    "E301": "wrong type",
    "E302": "wrong stage",
    "E303": "cannot be compared",
    "E304": "axis missing from the matrix",
    "E305": "bad value for a function",
    # the matrix
    "E401": "empty matrix",
    "E402": "name or file used twice",
    "E403": "invalid name",
    "E404": "matrix over its limit",
    "E405": "requirement not met",
    "E406": "bad pick",
    # settings
    "E501": "conflicting values",
    "E502": "nothing to remove",
    "E503": "unknown part of a script",
    "E504": "nothing to add to",
    "E505": "bad override",
    "E506": "no pin chosen",
    "E507": "setting missing",
    # what touches nothing
    "E601": "exclude drops nothing",
    "E602": "condition never holds",
    "E603": "overlay never used",
    "E604": "patch never used",
    "E605": "flag never read",
    "E606": "nothing to silence",
    # formats of facts
    "E701": "bad hash",
    "E702": "bad revision",
    "E703": "bad source",
    # output
    "E801": "file is not ours",
    "E802": "cannot be written",
    "E803": "output outside the folder",
    "E804": "out of date",
    # the command line
    "E901": "selector hits nothing",
    "E902": "selector hits several variants",
    "E903": "no source file",
    "E904": "unknown code or path",
    "E905": "no description of a host",
    "E906": "no variant for the host",
    "E907": "unknown fact",
    # lints
    "W001": "warning from the source",
}
