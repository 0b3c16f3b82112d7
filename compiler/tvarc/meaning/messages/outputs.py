"""Messages on outputs."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_FILE: Final = Message(
    "E208",
    "output `{name}` has no `file`",
    label="`file` missing",
    help="{advice}",
)

LIMIT_OF_OTHER_FORM: Final = Message(
    "E209",
    "`limit` is allowed only in the forms `recipes`, `all` and `flake`",
    label="the form of this output is `{form}`",
    help="remove it",
)

FIELD_OF_ONE_FORM: Final = Message(
    "E209",
    "`{key}` is allowed only in the form {named}",
    label="the form of this output is `{form}`",
    help="remove it, or write another output, `output NAME: {first} {{ … }}`",
)

FIELD_OF_OTHER_FORMS: Final = replace(
    FIELD_OF_ONE_FORM, title="`{key}` is allowed only in the forms {named}"
)

COMPUTED_TEXT: Final = Message(
    "E403",
    "`{key}` of output `{name}` is the same for all variants and cannot be computed",
    label="computed",
    help='write a string, such as `{key} = "…"`',
)

NO_FIELD: Final = Message(
    "E210",
    "an output can only contain fields",
    label="not a field",
    notes=("{holder} has the fields {known}",),
    help="remove it, or write one of these fields, such as `{first} = …`",
)

UNKNOWN_FIELD: Final = Message(
    "E210",
    "an output has no field `{name}`",
    label="unknown field",
    notes=("{holder} has the fields {known}",),
    help=(
        DID_YOU_MEAN,
        "remove it, or write one of these fields",
    ),
    edit="{guess}",
)

UNKNOWN_FORM: Final = Message(
    "E201",
    "there is no form `{named}` of an output",
    label="unknown form",
    notes=("forms: {forms}",),
    help=(
        DID_YOU_MEAN,
        "`output NAME: all {{ … }}` writes all variants to one file",
    ),
    edit="{guess}",
)

NO_FORM: Final = Message(
    "E208",
    "output `{name}` does not say its form",
    label="`{name}` is also the name of a form",
    notes=("`output {name}: recipes {{ … }}` writes a file for each variant",),
    help="write `output {name}: {name} {{ … }}`",
    edit="{name}: {name}",
)

FORM_AS_FIELD: Final = Message(
    "E210",
    "the form of an output is no field",
    label="not here",
    help="write it after the name: `output NAME: all {{ … }}`",
)

PREFIX_WITHOUT_EFFECT: Final = Message(
    "E209",
    "`prefix` has no effect in an output with one file for each variant",
    label="there are no attributes to put it before",
    help="remove it, or write `output NAME: all {{ … }}`: one file with an attribute for each "
    "variant",
)

COMPUTED_NAME: Final = Message(
    "E403",
    "output `{name}` has one file for all variants, so its name cannot be computed",
    label="computed",
    other="because of the form `{form}`",
    help='write one name, such as `file = "default.nix"`, or `output {name}: recipes {{ … }}` '
    "for a file for each variant",
)

NO_WAY: Final = Message(
    "E208",
    "output `{name}` does not say where Flox finds the packages",
    label="`catalog` or `flake` missing",
    help='write `catalog = "ORGANISATION"` for published packages, or `flake = "REFERENCE"`',
)

TWO_WAYS: Final = Message(
    "E202",
    "output `{name}` says in two ways where Flox finds the packages",
    label="and here",
    other="here",
    help='write `catalog = "ORGANISATION"` for published packages, or `flake = "REFERENCE"`',
)
