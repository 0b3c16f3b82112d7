"""Rules of the language as files of cases, and the one engine that runs a case.

A file in `tests/rules/` holds a rule of `docs/language/`, or a few. It has directives, which are
comments at the start of a line, and the programs that follow them:

    # heading: NAME          the heading of the rules that follow
    # rule: WORDS            words of a sentence under that heading, and nowhere else under it
    # held by TEST: WORDS    a sentence that another test holds: `FILE` or `FILE::TEST` of `tests/`
    # explains: WORDS        a sentence that states no rule
    # and: WORDS             one more sentence of the kind before
    # frame: NAME            before the first case: the frame of all cases of the rule

    # case: NAME             a case of the rule, with a name of its own in its chapter
    # frame: NAME            its frame, if it has another one
    # set: PATH=VALUE        what the command line sets with `--set`
    # flag: NAME=VALUE       what it sets with `--flag`
    # select: WORDS          the selector for `expect-selected`
    # expect…: …             what comes of the program, see `EXPECTATIONS`
    …                        the program, or what the frame has in its place `here`
    # place: NAME            what follows is the place NAME of the frame
    # file: PATH             what follows is another file; `# file in latin-1: PATH` and
                             `# file of N bytes: PATH` are files of other kinds

A long directive goes on in lines that begin with `#   `.

A frame is a file of `tests/rules/frames/`. A case puts its texts into the places of its frame. The
lines between `# place: NAME` and `# end: NAME` are used if a case has nothing for this place. The
declarations of `frames/missing.tvar` are added to a program that has none of their kind, except to
the frame `whole`, which is the program of the case and nothing else. Without a frame, a case is
its program and what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from support.alone import emit
from support.compile import ROOT, codes, lints, messages, named_by, std_sources
from support.library_cache import library_cache
from tvarc.build.driver import compile_file
from tvarc.files.disk import MemoryLoader
from tvarc.matrix.select import select
from tvarc.meaning.overrides import Setting
from tvarc.nix import ir
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.values.value import NONE, show

FOLDER = ROOT / "tests" / "rules"

# --- files ----------------------------------------------------------------------------------------


@dataclass
class Case:
    """A program, and what is to come of it: pairs of the name of an expectation and its text.

    `texts` are by the places of the frame; `files` are beside those of the frame.
    """

    name: str
    frame: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    files: dict[str, str | bytes] = field(default_factory=dict)
    settings: list[Setting] = field(default_factory=list)
    selector: str = ""
    expected: list[tuple[str, str]] = field(default_factory=list)

    def source(self) -> str:
        """The whole program."""
        if self.frame == "whole":
            return self.texts.get("here", "")
        return program(self.frame, **self.texts)

    def all_files(self) -> dict[str, str | bytes]:
        return {**frame_named(self.frame).files, **self.files}


@dataclass
class Rule:
    """A sentence of the reference, by words of it. Without cases it is held by the test *held*, or
    states no rule: then *held* is empty."""

    heading: str
    says: str
    cases: list[Case] = field(default_factory=list)
    held: str = ""


_DIRECTIVE = re.compile(r"# ([a-z][a-z0-9-]*(?: by \S+| in \S+| of \d+ bytes)?):(?: (.*))?")
_GOES_ON = "#   "


def directives(path: Path) -> Iterator[tuple[str, str, str]]:
    """The directives of a file, each with its text and with the lines that follow it."""
    name = text = ""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        found = _DIRECTIVE.fullmatch(line)
        if found is not None:
            if name:
                yield name, text, "\n".join(lines).strip("\n")
            name, text, lines = found[1], found[2] or "", []
        elif line.startswith(_GOES_ON) and name and not lines:
            text += " " + line.removeprefix(_GOES_ON)
        else:
            assert name or not line.strip(), f"{path}: {line!r} stands before all directives"
            lines.append(line)
    if name:
        yield name, text, "\n".join(lines).strip("\n")


def rules_of(path: Path) -> list[Rule]:
    """The rules of a file. Raises AssertionError for what it does not know."""
    rules: list[Rule] = []
    heading = frame = ""
    case: Case | None = None
    for name, text, lines in directives(path):
        kind, _, more = name.partition(" ")
        if kind in ("heading", "rule", "held", "explains", "and"):
            assert not lines, f"{path}: a program follows `{name}`"
        match kind:
            case "heading":
                heading, case = text, None
            case "rule" | "explains" | "held":
                rules.append(Rule(heading, text, held=more.removeprefix("by ")))
                case, frame = None, ""
            case "and":
                assert case is None, f"{path}: `and` follows a case"
                rules.append(Rule(heading, text, held=rules[-1].held))
            case "frame" if case is None:
                frame = text
            case "case":
                case = Case(text, frame)
                rules[-1].cases.append(case)
            case _:
                assert case is not None, f"{path}: `{name}` belongs to no case"
                _of_case(case, kind, more, text, lines, f"{path}: {name}")
        if case is not None and lines and kind not in ("place", "file"):
            assert not case.texts.get("here"), f"{path}: two programs in {case.name}"
            case.texts["here"] = lines
    for one in (one for rule in rules for one in rule.cases):
        assert one.expected, f"{path}: nothing is expected of {one.name}"
    return rules


def _of_case(case: Case, kind: str, more: str, text: str, lines: str, where: str) -> None:
    match kind:
        case "frame":
            case.frame = text
        case "set" | "flag":
            case.settings.append(Setting(f"--{kind}", text))
        case "select":
            case.selector = text
        case "place":
            case.texts[text] = lines
        case "file":
            case.files[text] = _content(more, lines)
        case _:
            assert kind in EXPECTATIONS and not more, f"{where} is no directive"
            case.expected.append((kind, text))


def _content(kind: str, lines: str) -> str | bytes:
    """What a file holds: text, text in another encoding, or so many bytes."""
    text = lines + "\n" if lines else ""
    if kind.startswith("in "):
        return text.encode(kind.removeprefix("in "))
    if kind:
        return b"#" * int(kind.split()[1])
    return text


# --- frames ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A program with places. `parts` are texts, or names of places with what stands there if a case
    has nothing for them."""

    parts: tuple[str | tuple[str, str], ...]
    files: Mapping[str, str | bytes]


@cache
def frame_named(name: str) -> Frame:
    if name in ("", "whole"):
        return Frame((("here", ""),), {})
    parts: list[str | tuple[str, str]] = []
    files: dict[str, str | bytes] = {}
    path = FOLDER / "frames" / f"{name.replace(' ', '-')}.tvar"
    for kind, text, lines in directives(path):
        match kind:
            case "frame":
                parts.append(lines)
            case "place":
                ends = f"# end: {text}\n" in path.read_text(encoding="utf-8")
                parts += [(text, lines)] if ends else [(text, ""), lines]
            case "end":
                parts.append(lines)
            case "file":
                files[text] = _content("", lines)
            case _:
                raise AssertionError(f"{path}: `{kind}`")
    return Frame(tuple(parts), files)


def program(frame: str, **texts: str) -> str:
    """The program of the frame with these texts in its places."""
    lines: list[str] = []
    known = set[str]()
    for part in frame_named(frame).parts:
        if isinstance(part, tuple):
            known.add(part[0])
            lines.append(texts.get(*part))
        else:
            lines.append(part)
    assert set(texts) <= known, f"the frame `{frame}` has no place {set(texts) - known}"
    whole = "\n".join(filter(None, lines)) + "\n"
    missing = [text for words, text in _missing() if not _declares(whole, words)]
    return whole + "".join(missing)


def _declares(text: str, words: str) -> bool:
    return re.search(rf"^ *(?:{words}) [\w-]+:? ", text, re.MULTILINE) is not None


@cache
def _missing() -> list[tuple[str, str]]:
    """What is added to a program that has no declaration that begins with one of these words."""
    path = FOLDER / "frames" / "missing.tvar"
    return [(text, f"{lines}\n") for _, text, lines in directives(path)]


# --- what comes of a program ----------------------------------------------------------------------


class Made:
    """A program, compiled."""

    def __init__(
        self,
        source: str,
        files: Mapping[str, str | bytes] | None = None,
        settings: tuple[Setting, ...] = (),
        selector: str = "",
    ) -> None:
        self.source = source
        self.selector = selector
        sources = {**named_by(source, files=files), "input.tvar": source, **(files or {})}
        loader = MemoryLoader(sources, std_sources())
        self.compilation = compile_file("input.tvar", loader, settings, library_cache())
        self.recipes = self.compilation.recipes()

    @property
    def report(self) -> str:
        return f"\n{self.source}\n{messages(self.compilation)}"

    def good(self) -> dict[str, str]:
        """The files by their paths. All is as it should be, and each file is the same alone and
        together with the others."""
        return self._good

    @cached_property
    def _good(self) -> dict[str, str]:
        made = self.compilation
        assert codes(made) == [], f"{self.told()}{self.report}"
        alone = [emit((recipe,), made.file) for recipe in self.recipes]
        plain = {file.path: file.text for files in alone for file in files}
        plain |= {file.path: file.data().decode() for file in made.collections(made.file)}
        found = made.files(made.file, lints=False, collections=True)
        assert {file.path: file.data().decode() for file in found} == plain, self.report
        return plain

    def told(self) -> list[tuple[str, str]]:
        """The codes of all diagnostics but lints, each with the text that it marks, on one line."""
        made = self.compilation
        found = []
        for one in made.diagnostics:
            span = one.primary
            source = made.sources.get(span.file) if span is not None else None
            text = source.text[span.start : span.end] if source is not None and span else ""
            if one.code not in LINTS.values():
                found.append((one.code, _line(text)))
        return found


def run(case: Case) -> None:
    """Run one case. Raises AssertionError."""
    source, files = case.source(), case.all_files()
    made = Made(source, files, tuple(case.settings), case.selector)
    if ("expect", "the same bytes again") in case.expected:
        again = Made(source, files, tuple(case.settings))
        assert made.good() == again.good()
    for kind in dict.fromkeys(kind for kind, _ in case.expected):
        EXPECTATIONS[kind](made, [text for name, text in case.expected if name == kind])


def shown_setting(recipe: ir.Recipe, path: str) -> str:
    """What is decided of *path*, as one line: `absent` where it is not emitted. `old ++` stands
    before what is added to the package's own list, `old //` before keys of its record, Nix text and
    `++` before what is added to that; after `-` stands what Nix takes out. Of a script, the parts.
    """
    block, _, key = path.partition(".")
    changes = recipe.changes
    if block == "script":
        found = [script for script in changes.scripts if script.key == key]
        return _parts(found[0].parts) if found else "absent"
    if block == "overlays":
        return " ".join(one.name for one in recipe.overlays) or "none"
    if block == "pin":
        return recipe.pin.name if recipe.pin is not None else "none"
    if block == "package":
        return show(recipe.package.value)
    if block == "scope":
        return show(recipe.scope.value) if recipe.scope is not None else "none"
    if block == "recipes":
        return " ".join(recipe.recipes)
    settings: tuple[ir.Setting, ...] = (
        getattr(recipe, block) if block in ("config", "flags") else changes.of(block)
    )
    for setting in settings:
        if setting.key == key:
            return _shown(setting)
    return "absent"


def _shown(setting: ir.Setting) -> str:
    if setting.value is NONE:
        return "absent"
    shown = show(setting.value)
    if setting.elements is not None:
        inner = [("..." if one.spread else "") + show(one.value) for one in setting.elements]
        shown = f"[{', '.join(inner)}]"
    if setting.extends:
        shown = f"old {'++' if isinstance(setting.value, tuple) else '//'} {shown}"
    if setting.head is not None:
        shown = f"{show(setting.head)} ++ {shown}"
    if setting.removed:
        shown += f" - [{', '.join(show(one.value) for one in setting.removed)}]"
    return shown


def _parts(parts: tuple[ir.Part, ...]) -> str:
    shown = []
    for part in parts:
        if part.text is None:
            shown.append("old")
        else:
            text = show(part.text)
            shown.append(f"{part.name} {text}" if part.name is not None else text)
    return ", ".join(shown)


# --- expectations ---------------------------------------------------------------------------------


def _fine(made: Made, texts: list[str]) -> None:
    """`fine`; `PATH is VALUE`, of the first variant; `the same bytes again`."""
    made.good()
    for text in texts:
        if text not in ("fine", "the same bytes again"):
            path, wanted = _is(text)
            _same(made, path, shown_setting(made.recipes[0], path), wanted)


def _each(made: Made, texts: list[str]) -> None:
    """`PATH is VALUE, then VALUE`: of the variants, one after the other."""
    made.good()
    for path, wanted in map(_is, texts):
        found = [shown_setting(recipe, path) for recipe in made.recipes]
        _same(made, path, found, wanted.split(", then "))


def _matrix(made: Made, texts: list[str]) -> None:
    """`MATRIX: PATH is VALUE`: of each variant of a matrix."""
    made.good()
    for name, _, rest in (text.partition(": ") for text in texts):
        path, wanted = _is(rest)
        found = {shown_setting(one, path) for one in made.recipes if one.matrix == name}
        _same(made, path, found, {wanted})


def _variants(made: Made, texts: list[str]) -> None:
    """The variants, in this order."""
    made.good()
    _same(made, "variants", [recipe.variant for recipe in made.recipes], _listed(texts))


def _files(made: Made, texts: list[str]) -> None:
    """The files, in this order."""
    _same(made, "files", [*made.good()], _listed(texts))


def _text(made: Made, texts: list[str]) -> None:
    """The first file holds each text; blanks and ends of lines are one blank."""
    found = _first_file(made)
    _same(made, "texts that are missing", [one for one in texts if _line(one) not in found], [])


def _no_text(made: Made, texts: list[str]) -> None:
    """The first file holds none of them."""
    found = _first_file(made)
    _same(made, "texts that are there", [one for one in texts if _line(one) in found], [])


def _first_file(made: Made) -> str:
    return _line(next(iter(made.good().values())))


def _line(text: str) -> str:
    return " ".join(text.split())


def _error(made: Made, texts: list[str]) -> None:
    """`CODE`: errors with this code and no others. `CODE at TEXT`, for each of them: the text that
    it marks, on one line."""
    found = made.told()
    if " at" in texts[0]:
        wanted = [(code, at) for code, _, at in (text.partition(" at ") for text in texts)]
        _same(made, "errors", found, wanted)
    else:
        _same(made, "errors", {code for code, _ in found}, {*texts})


def _message(made: Made, texts: list[str]) -> None:
    """`CODE WORDS`: errors or warnings with this code, and no others. The messages hold the
    words."""
    told = _line(messages(made.compilation))
    _same(made, "codes", {*codes(made.compilation)}, {text.partition(" ")[0] for text in texts})
    for text in texts:
        words = text.partition(" ")[2]
        assert words in told, f"no {words!r} in{made.report}"


def _lints(made: Made, texts: list[str]) -> None:
    """These lints and no others, each once or more."""
    made.good()
    _lints_after_error(made, texts)


def _lints_after_error(made: Made, texts: list[str]) -> None:
    """The same beside the errors of `expect-error`."""
    _same(made, "lints", {*lints(made.compilation)}, {*_listed(texts)})


def _selected(made: Made, texts: list[str]) -> None:
    """The variants that `select` chooses."""
    compilation = made.compilation
    assert compilation.resolution is not None and codes(compilation) == [], made.report
    chosen = select(
        [made.selector], compilation.resolution, compilation.variants, compilation.sources,
        compilation.sink, compilation.loader.join,
    )  # fmt: skip
    _same(made, "selected", [one.name for one in chosen], _listed(texts))


def _listed(texts: list[str]) -> list[str]:
    return [one for text in texts for one in text.split(", ") if one]


def _is(text: str) -> tuple[str, str]:
    path, found, wanted = text.partition(" is ")
    assert found, f"`{text}` is no expectation"
    return path, wanted


def _same(made: Made, what: str, found: object, wanted: object) -> None:
    assert found == wanted, f"{what}: {found}, not {wanted}{made.report}"


EXPECTATIONS: Mapping[str, Callable[[Made, list[str]], None]] = {
    "expect": _fine,
    "expect-each": _each,
    "expect-matrix": _matrix,
    "expect-variants": _variants,
    "expect-files": _files,
    "expect-text": _text,
    "expect-no-text": _no_text,
    "expect-error": _error,
    "expect-message": _message,
    "expect-lints": _lints,
    "expect-lints-after-error": _lints_after_error,
    "expect-selected": _selected,
}
