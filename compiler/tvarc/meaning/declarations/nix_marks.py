"""Finds `${…}` in a string that was meant for Nix or for tvar, and is plain characters there. It
also finds `$name`, `{name}` and `${{ name }}`, the forms of other languages.

In a string, only `{{…}}` has a meaning to the compiler. The string is quoted for Nix, so
`"${pkgs.zlib}"` reaches the build letter by letter. In a script, `${name}` may be a variable of the
shell. So only two kinds are reported: a form that no shell reads as a variable, such as
`${pkgs.zlib}`, and a name of the program that is not a known variable of the build. In a script the
same holds for `$name`. `{name}` means nothing to a shell, but often something to a program that the
script runs. So in a script it is reported only if a field follows the name.
"""

from __future__ import annotations

from tvarc.blocks import BY_NAME, OF_RECIPE, TABLE
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, dataclass, fields
from tvarc.meaning import hir
from tvarc.meaning.names.scope import LATE_NAMES, Marked
from tvarc.text.source import Source, Span

# The names that Nix code begins with, and the same in tvar. None if tvar needs Nix text for it.
_ROOTS: Final[Mapping[str, str | None]] = {
    "pkgs": "pkgs",
    "caller": "caller",
    "final": "final",
    "prev": "prev",
    "old": "old",
    "self": "final",
    "super": "prev",
    "lib": "pkgs.lib",
    "stdenv": "pkgs.stdenv",
    "builtins": None,
}
# Variables that nixpkgs' stdenv has in every build.
_OF_STDENV: Final = frozenset(
    (
        "bin", "buildInputs", "builder", "checkInputs", "cmakeFlags", "configureFlags", "debug",
        "depsBuildBuild", "dev", "devdoc", "doc", "enableParallelBuilding", "info", "initialPath",
        "installFlags", "lib", "makeFlags", "man", "mesonFlags", "name", "nativeBuildInputs",
        "ninjaFlags", "out", "outputs", "patches", "phases", "pname", "prefix",
        "propagatedBuildInputs", "propagatedNativeBuildInputs", "python", "shell", "sourceRoot",
        "src", "srcs", "stdenv", "strictDeps", "system", "version",
    )
)  # fmt: skip
MOST: Final = 100
"""The most marks that are reported for one program. More would hide the first ones."""
_VARIABLES: Final = tuple(
    [block.name for block in TABLE if block.holds in ("attributes", "variables", "shell")]
)
"""The blocks whose settings are variables of the build."""
_RUN: Final = ("Phase", "Hook", "Script", "Command", "script", "text")
"""The endings of the names of attributes that hold scripts."""
_LONGEST: Final = 200  # characters between the braces
_WORD: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


@dataclass(frozen=True, slots=True)
class NixMark:
    """A mark that stays in the string as written. `help` says what to write instead. `other` says
    that the mark is of another language than Nix."""

    span: Span
    written: str
    help: str
    other: bool = False

    @property
    def what(self) -> str:
        """The effect of the mark in its written form."""
        if self.written.startswith("${{"):
            return f"the `$` of `{self.written}` stays in the string"
        return f"`{self.written}` is plain text, not a value"


def nix_marks(
    texts: Sequence[Marked], program: hir.Program, sources: Mapping[str, Source]
) -> Iterator[NixMark]:
    """The `${…}` in *texts* that are likely meant for Nix or for tvar. *sources* has sources by
    their names. A text of any other file is skipped."""
    variables: _Variables | None = None
    for text in texts:
        source = sources.get(text.span.file)
        if source is None:
            continue
        for start, end, inner in _places(source.text, text):
            name = _name(inner)
            bare = name == inner
            told = _is_reported(text, name, bare=bare)
            if told and bare:
                variables = variables or _Variables(program, sources.values())
                told = not variables.knows(name, text, source.text)
            if told:
                written = source.text[start:end]
                help_ = _help(inner, name, text.roots)
                yield NixMark(Span(text.span.file, start, end), written, help_)
        for start, end, inner in _other_places(source.text, text):
            name = inner.partition(".")[0]
            if _is_own(text, name, inner):
                variables = variables or _Variables(program, sources.values())
                if "." in inner or not variables.knows(name, text, source.text):
                    written = source.text[start:end]
                    help_ = f"write `{{{{{inner}}}}}`"
                    yield NixMark(Span(text.span.file, start, end), written, help_, other=True)


def _other_places(text: str, marked: Marked) -> Iterator[tuple[int, int, str]]:
    """The places of `$NAME`, `{NAME}` and `${{NAME}}` with the name and its fields. Each is on one
    line and not escaped."""
    at, stop = marked.span.start, marked.span.end
    while (at := _next(text, at, stop)) >= 0:
        before, after = text[at - 1], at + 1
        if text.startswith("{{", at):  # a value
            at = max(text.find("}}", at, stop), at) + 2
            continue
        if text.startswith("${{", at):
            end = text.find("}}", at, stop) + 2
            inner = text[at + 3 : end - 2]
            blank = inner[:1] == " "
            # In a script it may be a variable of the shell: `$` before a value.
            written = inner.strip() if blank or not marked.script else ""
        elif text[at] == "$":
            end = after
            while end < stop and text[end] in _WORD:
                end += 1
            written = text[after:end]
        else:
            end = text.find("}", at, min(at + _LONGEST, stop)) + 1
            inner = text[after : end - 1] if text[end : end + 1] != "}" else ""
            written = inner.strip(" ")
            if "." not in written and (marked.script or written != inner):
                written = ""
        told = end > at and before not in "\\$" and _is_path(written)
        if told and not (marked.script and _is_comment(text, text.rfind("\n", 0, at) + 1)):
            yield at, end, written
        at = end if told else after + (text[at] == "$" and text[after : after + 1] == "{")


def _next(text: str, at: int, stop: int) -> int:
    """The next `$` or `{` from *at* on; -1 if there is none before *stop*."""
    dollar, brace = text.find("$", at, stop), text.find("{", at, stop)
    return max(dollar, brace) if min(dollar, brace) < 0 else min(dollar, brace)


def _is_path(written: str) -> bool:
    """Whether *written* is a name, with fields or without them."""
    names = written.split(".")
    return all(name[:1].isalpha() and _WORD.issuperset(name.replace("-", "")) for name in names)


def _is_own(text: Marked, name: str, inner: str) -> bool:
    """Whether *name* is a name of the program whose value *text* may have been meant to contain."""
    if name in _OF_STDENV or not any(char.islower() for char in name):
        return "." in inner and bool(text.scope.find(name))
    return bool(text.scope.find(name)) or name in text.names or name in LATE_NAMES[:1]


def _places(text: str, marked: Marked) -> Iterator[tuple[int, int, str]]:
    """The places of `${NAME}` and `${NAME.…}`, also after `toString`, with the text between the
    braces. Each is on one line and not escaped."""
    begin, stop = marked.span.start, marked.span.end
    line = text.rfind("\n", 0, begin) + 1  # where the line of the place before begins
    at = text.find("${", begin, stop)
    while at >= 0:
        line = max(line, text.rfind("\n", line, at) + 1)
        end = text.find("}", at, min(at + _LONGEST, stop)) + 1
        if end and "\n" not in text[at:end] and text[at - 1] not in "\\$":
            inner = text[at + 2 : end - 1].strip(" ").removeprefix("toString ").lstrip(" ")
            name = _name(inner)
            named = name != "" and inner[len(name) : len(name) + 1] in ("", ".")
            named = named and inner != f"{name}."
            if named and not (marked.script and _is_comment(text, line)):
                yield at, end, inner
        at = text.find("${", at + 2, stop)


def _is_comment(text: str, line: int) -> bool:
    while text[line] in " \t":
        line += 1
    return text[line] == "#"


def _name(text: str) -> str:
    """The name that *text* begins with; empty if there is none."""
    at = 0
    for at, char in enumerate(f"{text} "):
        if char not in _WORD and not (char == "-" and text[at + 1 : at + 2] in _WORD):
            break
    return "" if text[:1].isdigit() else text[:at]


def _is_reported(text: Marked, name: str, *, bare: bool) -> bool:
    """Whether `${name…}` is reported, as far as *text* alone decides that. It is reported if no
    shell reads it as a variable, or if *name* is a name of the program. `bare` says that nothing
    follows the name."""
    if not bare and name in _ROOTS:
        return True
    if bare and (name in _OF_STDENV or not any(char.islower() for char in name)):
        return False
    return bool(text.scope.find(name)) or name in text.names or name in LATE_NAMES[:3]


def _help(inner: str, name: str, roots: frozenset[str]) -> str:
    simple = all(char in _WORD or char in ".-'" for char in inner)
    root = _ROOTS.get(name, name)
    if root is not None and name in _ROOTS:
        begins = root.partition(".")[0]
        if begins in ("final", "prev") and begins not in roots:
            begins = root = "pkgs"  # the package set, with all overlays
            inner, name = f"pkgs{inner[len(name) :]}", "pkgs"
        if begins not in roots:
            where = "`attrs`, scripts and overlays" if begins == "old" else "settings"
            return f"`{begins}` is available only in {where}"
    if simple and root is not None:
        return f"write `{{{{{root}{inner[len(name) :]}}}}}`"
    return f'write `let x = nix"""{inner}"""`, and then `{{{{x}}}}` here'


class _Variables:
    """The variables that a string of a program may mean. Some settings become variables of the
    whole build. A variable that one script assigns is known in all scripts, since all phases of a
    build share their variables. Any other setting knows only its own assignments, and `meta` knows
    none."""

    __slots__ = ("_known", "_plain", "_set", "_sources")

    def __init__(self, program: hir.Program, sources: Iterable[Source]) -> None:
        layers = _layers(program)
        self._set = set(_settings(layers))
        self._plain = dict(_plain(layers))
        self._sources = tuple(sources)
        self._known: dict[str, bool] = {}

    def knows(self, name: str, text: Marked, source: str) -> bool:
        """Whether *name* may be a variable in *text*, which is in the file with the content
        *source*."""
        span = text.span
        block = self._plain.get((span.file, span.start))
        if block is not None and BY_NAME[block].holds == "notes":
            return False
        if name in self._set:
            return True
        if block is not None and not text.script:
            return _assigns(source[span.start : span.end], name)
        if name not in self._known:
            self._known[name] = any(_assigns(one.text, name) for one in self._sources)
        return self._known[name]


def _layers(program: hir.Program) -> list[hir.Layer]:
    return [
        *(recipe.layer for recipe in program.recipes),
        *(layer for matrix in program.matrices for layer in matrix.layers),
        *(overlay.layer for overlay in program.overlays),
    ]


def _plain(layers: Sequence[hir.Layer]) -> Iterator[tuple[tuple[str, int], str]]:
    """The places where strings of settings without scripts begin, each with the block of its
    setting."""
    for layer in layers:
        for write in layer.writes:
            if write.path[0] not in OF_RECIPE:
                continue
            block = write.path[0]
            if BY_NAME[block].holds == "notes" or not _may_be_script(write.path):
                for text in _texts(write.value):
                    yield (text.span.file, text.span.start), block


def _may_be_script(path: hir.Path) -> bool:
    """Whether a shell may run the value at *path*; for a whole block this is unknown."""
    key = path[-1]
    return len(path) < 2 or key.startswith(("pre", "post")) or key.endswith(_RUN)


_MADE_OF: Final = (
    hir.Each, hir.ListOf, hir.RecordOf, hir.Text, hir.Apply, hir.If, hir.Spread,
)  # fmt: skip


def _texts(node: object) -> Iterator[hir.Const | hir.Text]:
    """The strings in an expression, but not those in the declarations that it names."""
    if isinstance(node, hir.Const | hir.Text):
        yield node
    if isinstance(node, tuple):
        for one in node:
            yield from _texts(one)
    elif isinstance(node, _MADE_OF):
        for one in fields(node):
            yield from _texts(getattr(node, one.name))


def _settings(layers: Sequence[hir.Layer]) -> Iterator[str]:
    """The settings and scripts whose names become variables of the build."""
    for layer in layers:
        for write in layer.writes:
            if write.path[0] in _VARIABLES:
                yield from write.path[1:2]
                if isinstance(write.value, hir.RecordOf) and len(write.path) == 1:
                    yield from (path[0] for path, _ in write.value.entries)


def _assigns(text: str, name: str) -> bool:
    """Whether a line of *text* may assign the shell's variable *name*, in any way that a shell has.
    """
    import re

    word = re.escape(name)
    ways = (
        rf"(?<![\w.-]){word}(\[[^\]\n]*\])?\+?=(?!=)",
        rf"\b(for|select)[ \t]+{word}[ \t]+in\b",
        rf"\b(read|local|declare|export|typeset|readonly|mapfile|readarray|getopts)\b[^\n;|&]{{0,200}}"
        rf"(?<![\w${{]){word}\b",
        rf"\bprintf[ \t]+-v[ \t]+{word}\b",
        rf"\$\{{{word}:?=",
    )
    return any(re.search(way, text) for way in ways)
