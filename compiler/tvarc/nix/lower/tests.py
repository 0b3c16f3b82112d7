"""Lower tests: `passthru.tests.NAME` of the finished package, which is `built` in the file.

A test is a derivation of its own, so it never changes that of the package. A test of the sandbox
runs its script there. The derivation of a test on the host is a program, which runs the script on
the machine that starts it.
"""

from __future__ import annotations

from tvarc.blocks import ON_HOST, TEST
from tvarc.light import Callable, Final, Iterable, Iterator, replace
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixIdent,
    NixLambda,
    NixLet,
    NixList,
    NixSelect,
    NixSlot,
    NixString,
    placed,
)
from tvarc.nix.lower.context import Context
from tvarc.nix.lower.values import OLD, apply_nix, asking, lower_value, text_of
from tvarc.values.value import show

Parts = list["str | NixExpr"]
"""The parts of a string, see `NixString`."""
Bindings = Callable[[Iterable[ir.Setting], Context, NixExpr], tuple[NixBinding, ...]]

BUILT: Final = NixIdent("built")
"""The package with all changes, which its tests test."""

_EMPTY: Final = NixAttrs(())
_LISTS: Final = {
    "tools": "nativeBuildInputs",
    "features": "requiredSystemFeatures",
    "without": "without",
}
"""The attributes of a test that its fields set."""

_FINDS: Final = """\
found=$(mktemp)
found() {
  name=$1
  shift
  for value in "$@"; do echo "$name=$value" >> "$found"; done
}
"""
"""Shell before a script that has expectations: `found NAME VALUE…` notes what the test found."""

_COMPARES: Final = """\
printf '%s\\n' "$expected" | sort > "$found.expected"
if ! sort "$found" | diff "$found.expected" - >&2; then
  echo "expected (<) differs from found (>)" >&2
  exit 1
fi
"""
"""Shell after such a script. `expected` has a line `NAME=VALUE` for each expected value."""

_LACKS: Final = """\
for path in $without; do
  if grep -qxF "$path" "$NIX_BUILD_TOP/closure"; then
    echo "$package depends on $path" >&2
    exit 1
  fi
done
"""
"""Shell that looks for packages in the closure of the tested package, which Nix writes to a file.
Nix itself does not say which package it finds (`disallowedRequisites`)."""

_PASSES: Final = """\
echo "$package" > "$out"
"""
"""The end of a test in the sandbox."""

_PROGRAM: Final = """\
{
  echo "#!$SHELL"
  echo "set -e"
  for name in PATH PYTHONPATH PERL5LIB package expected; do
    eval "value=\\${$name-}"
    value=$(printf '%s' "$value" | sed "s/'/'\\\\\\\\''/g")
    if [ -n "$value" ]; then printf "export %s='%s'\\n" "$name" "$value"; fi
  done
  printf '%s' "$program"
} > "$out"
chmod +x "$out"
"""
"""Shell that makes the program of a test on the host. The program finds what a test in the sandbox
finds: the package, its tools, and what their hooks add."""


def with_tests(
    package: NixExpr, tests: tuple[NixBinding | NixSlot, ...], context: Context, lines: int
) -> NixExpr:
    """*package* with *tests* in `passthru.tests`, after its own. The code is from *lines*."""
    own = NixSelect(OLD, ("passthru", "tests"), _EMPTY)
    added = NixBinding(("tests",), NixBinary("//", own, NixAttrs(tests)))
    passthru = NixBinary("//", NixSelect(OLD, ("passthru",), _EMPTY), NixAttrs((added,)))
    function: NixExpr = NixLambda("old", NixAttrs((NixBinding(("passthru",), passthru),)))
    if context.traced is not None:
        function = placed(function, 0, lines)
    changed = apply_nix(NixSelect(BUILT, ("overrideAttrs",)), function)
    return NixLet((NixBinding((BUILT.name,), package),), changed)


def test_binding(setting: ir.Setting, context: Context, bindings: Bindings) -> NixBinding:
    """The binding of one test. *bindings* lowers its fields that are lists."""
    traced = context.traced
    if traced is None or setting.prov is None:
        return NixBinding((setting.key,), _test(setting, context, bindings), setting.because)
    head = setting.prov.head
    lines = setting.prov.all | head
    made = asking(context, lines, lambda inner: _test(setting, inner, bindings))
    value = placed(made, traced.bit(setting.path) | lines, head)
    return placed(NixBinding((setting.key,), value, setting.because), 0, head)


def _test(setting: ir.Setting, context: Context, bindings: Bindings) -> NixExpr:
    fields = {one.key: one for one in setting.entries()}
    attributes = [
        NixBinding(("package",), BUILT),
        NixBinding(("buildInputs",), NixList((BUILT,))),
    ]
    for name, attribute in _LISTS.items():
        if name in fields:
            (made,) = bindings((fields[name],), context, OLD)
            attributes.append(replace(made, path=(attribute,)))
    script: Parts = []
    if "script" in fields:
        script = [*_parts(fields["script"], context)]
        if not (script and isinstance(script[-1], str) and script[-1].endswith("\n")):
            script.append("\n")
    if "expect" in fields:
        script = [_FINDS, *script, _COMPARES]
        expected: Parts = []
        for one in fields["expect"].entries():
            values = [one] if not isinstance(one.value, tuple) else _elements(one)
            for each in values:
                expected += ["\n" if expected else "", f"{one.key}=", *_parts(each, context)]
        attributes.append(NixBinding(("expected",), text_of(expected)))
    lacks = [_LACKS] if "without" in fields else []
    if lacks:
        closure = NixList((NixString(("closure",)), BUILT))
        attributes.append(NixBinding(("exportReferencesGraph",), closure))
    if "on" in fields and fields["on"].value == ON_HOST:
        attributes.append(NixBinding(("program",), text_of(script)))
        script = [*lacks, _PROGRAM]
    else:
        script = [*lacks, *script, _PASSES]
    called = NixString((NixSelect(BUILT, ("name",)), f"-{TEST}-{setting.key}"))
    run = context.package(("runCommand",))
    return apply_nix(run, called, NixAttrs(tuple(attributes)), text_of(script))


def _elements(setting: ir.Setting) -> Iterator[ir.Setting]:
    """The elements of a list, as settings."""
    assert isinstance(setting.value, tuple)
    for number, one in enumerate(setting.value):
        prov = setting.prov.item(number) if setting.prov is not None else None
        yield replace(setting, value=one, prov=prov)


def _parts(setting: ir.Setting, context: Context) -> Parts:
    """The value of *setting* as parts of a string."""
    value = setting.value
    if isinstance(value, bool | int):
        return [show(value)]
    made = lower_value(value, context, setting.prov)
    return [*made.parts] if isinstance(made, NixString) else [made]
