"""Every lint is registered once, by its decorator; names, titles and tables follow from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.compile import ROOT
from tvarc.advice.lints import registry
from tvarc.advice.lints.model import FACTS, LINE, Lint
from tvarc.advice.lints.registry import ALL, OF_VARIANTS, SUBJECTS
from tvarc.light import Any

NAMES = ROOT / "compiler/tvarc/text/diagnostics/lint_names.py"
RULES = ROOT / "docs/language/checks.md"
TABLE = re.compile(r"\| Lint \| Code \| What it finds \|\n\|---\|---\|---\|\n(?:\|.*\n)+")


def updates(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.option.update_snapshots)


def finds(one: Lint[Any]) -> str:
    """What *one* finds: the first sentence of its function."""
    text = " ".join((one.look.__doc__ or "").split("\n\n")[0].split())
    assert text.endswith("."), one.name
    first = text[:1].lower() if not text.startswith(("FBGEMM", "`")) else text[:1]
    return first + text[1:-1]


def names_module() -> str:
    """The text of `diagnostics/lint_names.py`: the stages before the lints read the names, and must
    not load the lints for them."""
    names = [f'    "{one.name}": "{one.code}",' for one in ALL]
    titles = [f'    "{one.code}": "{one.title}",' for one in ALL]
    lines = [
        '"""The names, codes and titles of the lints. The decorators of `advice/lints/` say them;',
        '`pytest tests/lints/test_registry.py --snapshot-update` writes this file from them."""',
        "",
        "from __future__ import annotations",
        "",
        "from tvarc.light import Final",
        "",
        "LINTS: Final[dict[str, str]] = {",
        *names,
        "}",
        '"""The code of each lint by the name that `warn NAME = off` silences it by."""',
        "",
        "TITLES: Final[dict[str, str]] = {",
        *titles,
        "}",
        '"""What each lint reports, by its code."""',
        "",
    ]
    return "\n".join(lines)


def table() -> str:
    """The table of all lints in the rules of the language."""
    rows = [f"| `{one.name}` | {one.code} | {finds(one)} |\n" for one in ALL]
    return "".join(("| Lint | Code | What it finds |\n", "|---|---|---|\n", *rows))


def test_the_names_follow_from_the_decorators(request: pytest.FixtureRequest) -> None:
    if updates(request):
        NAMES.write_text(names_module(), encoding="utf-8")
    assert NAMES.read_text(encoding="utf-8") == names_module()


def test_the_table_of_the_rules_follows_from_the_decorators(
    request: pytest.FixtureRequest,
) -> None:
    text = RULES.read_text(encoding="utf-8")
    if updates(request):
        RULES.write_text(TABLE.sub(lambda _: table(), text), encoding="utf-8")
    (written,) = TABLE.findall(RULES.read_text(encoding="utf-8"))
    assert written == table()


def test_every_lint_is_registered_once_and_has_a_page_and_a_case() -> None:
    assert len({one.code for one in ALL}) == len({one.name for one in ALL}) == len(ALL)
    for one in ALL:
        assert (ROOT / f"docs/errors/{one.code}.md").is_file(), one.name
    cases = {path.parent.name for path in ROOT.glob("tests/snapshots/w1*/input.tvar")}
    assert cases == {f"{one.code.lower()}-{one.name}" for one in ALL}


def test_every_module_with_a_lint_or_a_subject_is_registered() -> None:
    folder = Path(registry.__file__).parent
    decorated = {
        path.stem
        for path in folder.glob("*.py")
        if re.search(r"^@(lint|subject)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    made = [one.look for one in ALL] + [one.make for one in SUBJECTS.values()]
    assert decorated == {function.__module__.rpartition(".")[2] for function in made}


def test_a_lint_reads_subjects_of_the_types_that_these_have() -> None:
    """A parameter names a subject: mypy does not know that, so its type is compared here."""
    types = {name: one.make.__annotations__["return"] for name, one in SUBJECTS.items()}
    types |= {LINE: "Line", FACTS: "Facts"}
    made = [one for one in SUBJECTS.values() if not one.reads]
    assert len(OF_VARIANTS) > 25
    assert len(made) > 8
    readers: list[tuple[Any, tuple[str, ...]]] = [(one.look, one.reads) for one in OF_VARIANTS]
    readers += [(one.make, one.subjects) for one in made]
    for function, names in readers:
        for name in names:
            assert function.__annotations__[name] == types[name], (function, name)
