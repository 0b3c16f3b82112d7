"""Lower tests: `passthru.tests.NAME` of the finished package, which is `built` in the file.

A test is a derivation of its own, so it never changes that of the package. A test of the sandbox
runs its script there. The derivation of a test on the host is a program, which runs the script on
the machine that starts it.
"""

from __future__ import annotations

import re

from tvarc.blocks import ON_HOST, TEST
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    replace,
)
from tvarc.nix import ir
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixIdent,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixSelect,
    NixSlot,
    NixString,
    bare,
    placed,
)
from tvarc.nix.lower.context import Context
from tvarc.nix.lower.values import OLD, apply_nix, asking, lower_value, text_of
from tvarc.text.diagnostics.words import SIZE_UNITS
from tvarc.values.value import show

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

Bindings = Callable[[Iterable[ir.Setting], Context, NixExpr], tuple[NixBinding, ...]]

BUILT: Final = NixIdent("built")
"""The package with all changes, which its tests test."""

_EMPTY: Final = NixAttrs(())
_SIZE: Final = re.compile(rf"([0-9]{{1,18}}(?:\.[0-9]+)?) ?({'|'.join(SIZE_UNITS)})")
_GREATEST: Final = 2**63 - 1  # of Nix
_LISTS: Final = {
    "tools": "nativeBuildInputs",
    "features": "requiredSystemFeatures",
    "without": "without",
}
"""The attributes of a test that its fields set."""

_FINDS: Final = """\
tvarc_expected=$expected
tvarc_found=$(mktemp)
found() (
  name=$1
  shift
  for value in "$@"; do printf '%s=%s\\n' "$name" "$value" >> "$tvarc_found"; done
)
"""
"""Shell before a script that has expectations: `found NAME VALUE…` notes what the test found. The
function has a shell of its own, so the script keeps its variables."""

_COMPARES: Final = """\
if [ -n "$tvarc_expected" ]; then printf '%s\\n' "$tvarc_expected"; fi | sort \\
  > "$tvarc_found.expected"
sort "$tvarc_found" > "$tvarc_found.sorted"
if ! diff -U 0 "$tvarc_found.expected" "$tvarc_found.sorted" > "$tvarc_found"; then
  sed -n '1,2d; s/^-\\([^=]*\\)=/\\1: expected /p; s/^+\\([^=]*\\)=/\\1: found /p' \\
    "$tvarc_found" >&2
  exit 1
fi
"""
"""Shell after such a script. `expected` has a line `NAME=VALUE` for each expected value. What
differs is printed as lines `NAME: expected VALUE` and `NAME: found VALUE`. `tvarc test` reads these
lines, and those of the next two scripts."""

_LACKS: Final = """\
for path in $without; do
  if grep -qxF "$path" "$closure/store-paths"; then
    echo "without: found $path" >&2
    exit 1
  fi
done
"""
"""Shell that looks for packages in the closure of the tested package. Nix itself does not say which
package it finds (`disallowedRequisites`)."""

_FITS: Final = """\
size=$(cat "$closure/total-nar-size")
if ! [ "$size" -le "$maxClosureSize" ]; then
  echo "max-closure-size: expected at most $maxClosureSize bytes" >&2
  echo "max-closure-size: found $size bytes" >&2
  exit 1
fi
"""
"""Shell that compares the size of that closure with the greatest one."""

CLOSURE_SIZE: Final = "max-closure-size"
"""The field with the greatest size of the closure."""

OF_CLOSURE: Final = {"without": _LACKS, CLOSURE_SIZE: _FITS}
"""Shell that checks the closure, by the field that demands it."""

TIMEOUT: Final = "timeout"
"""The field with the greatest number of seconds that the script takes."""

_STARTS: Final = "(\n"
_ENDS: Final = ")\n"
"""Shell around a script: what follows runs, too, if the script ends by `exit 0` or `exec`."""

_LIMITS: Final = """\
) &
tested=$!
(
  sleep "$timeout" > /dev/null 2>&1 &
  trap "kill $!; exit" TERM
  wait "$!" || echo "sleep cannot run" >&2
  printf '\\ntimeout: the test took longer than %s s\\n' "$timeout" >&2
  kill -KILL "-$$" "$tested"
) &
limit=$!
code=0
wait "$tested" || code=$?
kill "$limit" 2> /dev/null || true
if [ "$code" != 0 ]; then exit "$code"; fi
"""
"""Shell after a script, in place of `_ENDS`, if `timeout` is set before it. The script may have
printed half a line. Nix starts a build in a process group of its own, and `tvarc test` a test on
the host, so all that the script has begun ends with it. Nix waits for processes that can still
print; the `sleep` cannot."""

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


def size_in_bytes(text: str) -> int | None:
    """The size that *text* states, such as `4 GiB`. None if it is no size, or one that Nix has no
    number for."""
    found = _SIZE.fullmatch(text)
    size = int(float(found[1]) * 1024 ** SIZE_UNITS.index(found[2])) if found is not None else -1
    return size if 0 <= size <= _GREATEST else None


def test_binding(setting: ir.Setting, context: Context, bindings: Bindings) -> NixBinding:
    """The binding of one test. *bindings* lowers its fields that are lists."""
    traced = context.traced
    if traced is None or setting.prov is None:
        return NixBinding((setting.key,), _test(setting, context, bindings), setting.because)
    head = setting.prov.head
    lines = setting.prov.all | head
    made = asking(context, lines, lambda inner: _test(setting, inner, bindings))
    value = placed(made, traced.bit(setting.path), head)
    return placed(NixBinding((setting.key,), value, setting.because), setting.prov.opens, head)


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
    script: list[NixString] = []
    if "script" in fields:
        script = _limited(fields, context)
    if "expect" in fields:
        expect = fields["expect"]
        script = [_shell(_FINDS, expect), *script, _shell(_COMPARES, expect)]
        expected: list[NixString] = []
        for one in expect.entries():
            values = [one] if not isinstance(one.value, tuple) else _elements(one)
            for each in values:
                line = "\n" if expected else ""
                expected += [NixString((f"{line}{one.key}=",)), _text(each, context)]
        attributes.append(_bound("expected", _joined(expected), expect))
    checks = [_shell(text, fields[name]) for name, text in OF_CLOSURE.items() if name in fields]
    if checks:
        of_closure = [fields[name] for name in OF_CLOSURE if name in fields]
        info = asking(context, _lines(*of_closure), lambda at: at.package(("closureInfo",)))
        roots = NixAttrs((NixBinding(("rootPaths",), NixList((BUILT,))),))
        attributes.append(_bound("closure", apply_nix(info, roots), *of_closure))
    if CLOSURE_SIZE in fields:
        most = fields[CLOSURE_SIZE]
        assert isinstance(most.value, str)
        size = size_in_bytes(most.value)
        assert size is not None
        limit = NixInt(size)
        if most.prov is not None and context.traced is not None:
            limit = placed(limit, most.prov.all | context.traced.bit(most.path))
        attributes.append(_bound("maxClosureSize", limit, most))
    where = [fields["on"]] if "on" in fields else []
    if where and where[0].value == ON_HOST:
        attributes.append(_bound("program", _joined(script), *where))
        script = [*checks, _shell(_PROGRAM, *where)]
    else:
        script = [*checks, *script, _shell(_PASSES, *where or [setting])]
    called = NixString((NixSelect(BUILT, ("name",)), f"-{TEST}-{setting.key}"))
    run = context.package(("runCommand",))
    return apply_nix(run, called, NixAttrs(tuple(attributes)), _joined(script))


def _limited(fields: Mapping[str, ir.Setting], context: Context) -> list[NixString]:
    """The script of a test with the field `script`, in a shell of its own. It ends after the
    timeout of the test, if that has one."""
    own = fields["script"]
    script = [_shell(_STARTS, own), _ended(_text(own, context))]
    within = fields.get(TIMEOUT)
    if within is None:
        return [*script, _shell(_ENDS, own)]
    seconds = _ended(_text(within, context))
    return [_shell("timeout=", within), seconds, *script, _shell(_LIMITS, within)]


def _elements(setting: ir.Setting) -> Iterator[ir.Setting]:
    """The elements of a list, as settings."""
    assert isinstance(setting.value, tuple)
    for number, one in enumerate(setting.value):
        prov = setting.prov.item(number) if setting.prov is not None else None
        yield replace(setting, path=(*setting.path, str(number)), value=one, prov=prov)


def _text(setting: ir.Setting, context: Context) -> NixString:
    """The value of *setting* as a string. With tracing, each line has its source lines."""
    value, prov, traced = setting.value, setting.prov, context.traced
    plain = isinstance(value, bool | int)
    made = NixString((show(value),)) if plain else lower_value(value, context, prov)
    if not isinstance(made, NixString):
        made = NixString((made,))
    if prov is None or traced is None:
        return made
    lines = made.places.lines if made.places is not None else ()
    bit = traced.bit(setting.path)
    return placed(bare(made), 0, 0, tuple([one | bit for one in lines or (prov.all,)]))


def _ended(text: NixString) -> NixString:
    """*text* with a line end, if its last line has none."""
    last = text.parts[-1] if text.parts else ""
    ends = isinstance(last, str) and last.endswith("\n")
    return text if ends else _joined((text, NixString(("\n",))))


def _shell(text: str, *fields: ir.Setting) -> NixString:
    """The shell *text*, which *fields* demand."""
    made, shell = _lines(*fields), NixString((text,))
    return placed(shell, 0, 0, (*[made] * text.count("\n"), 0)) if made else shell


def _joined(texts: Sequence[NixString]) -> NixString:
    """One string of *texts*. The last line of one goes on in the first line of the next."""
    whole = text_of([part for text in texts for part in text.parts])
    lines: list[Lines] = [0]
    for text in texts:
        breaks = sum([part.count("\n") for part in text.parts if isinstance(part, str)])
        known = text.places.lines if text.places is not None else ()
        first, *more = known or (0,) * (breaks + 1)
        lines = [*lines[:-1], lines[-1] | first, *more]
    return placed(whole, 0, 0, tuple(lines)) if any(lines) else whole


def _bound(name: str, value: NixExpr, *fields: ir.Setting) -> NixBinding:
    """The attribute *name*, which *fields* demand."""
    lines = _lines(*fields)
    bound = NixBinding((name,), value)
    return placed(bound, 0, lines) if lines else bound


def _lines(*fields: ir.Setting) -> Lines:
    """The source lines on which *fields* begin. Without tracing there are none."""
    found = 0
    for one in fields:
        if one.prov is not None:
            found |= one.prov.head or one.prov.all
    return found
