"""How lints are run and switched off, what they cost, and where their facts come from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.compile import ROOT, codes, compile_text, compile_variants, lints, std_sources
from support.lints import HASH, REV, STRANGE, about, build, names, pin
from tvarc.diagnostics.registry import CODES
from tvarc.diagnostics.render_github import render_github
from tvarc.diagnostics.render_json import render_json
from tvarc.diagnostics.warning_names import LINTS
from tvarc.driver import Compilation
from tvarc.library.rows import LibraryRows, Table
from tvarc.library.sources import listed_sources
from tvarc.light import replace
from tvarc.lints import subjects
from tvarc.lints.facts import Facts
from tvarc.lints.rules import RULES
from tvarc.lints.run import Lints

CASES = sorted(path.parent.name for path in (ROOT / "tests/snapshots").glob("w1*/input.tvar"))
IDLE = 'warn {} = off because "to see"\n'


def case(name: str) -> str:
    return (ROOT / "tests/snapshots" / name / "input.tvar").read_text(encoding="utf-8")


def test_every_lint_has_a_rule_and_a_case_of_its_code() -> None:
    others = ["same-build", "nix-mark-in-text", "hidden-direction", "other-mark-in-text"]
    others += ["value-not-in-axis", "flox-name", "store-name"]
    found = [*(rule.name for rule in RULES), *others]
    assert sorted(found, key=lambda name: LINTS[name]) == list(LINTS)
    assert list(LINTS.values()) == [code for code in CODES if code.startswith("W1")]
    assert [f"{code.lower()}-{name}" for name, code in LINTS.items()] == CASES


@pytest.mark.parametrize("name", CASES)
def test_a_lint_is_silenced_by_its_name_and_by_no_other(name: str) -> None:
    lint = name.partition("-")[2]
    text = case(name)
    other = next(one for one in LINTS if one not in names(text) and f"warn {one} " not in text)
    assert lint in names(text)
    assert lint not in names(text + IDLE.format(lint))
    wrong = compile_text(text + IDLE.format(other))
    wrong.recipes()
    assert codes(wrong) == ["E606"]


@pytest.mark.parametrize("name", LINTS)
def test_switching_off_a_lint_that_says_nothing_is_an_error(name: str) -> None:
    made = compile_text(pin() + build("", "pkgs.hello") + IDLE.format(name))
    made.recipes()
    assert codes(made) == ["E606"]
    assert made.diagnostics[0].title == f"warning `{name}` does not occur"


def test_a_name_that_is_no_lint_is_unknown() -> None:
    made = compile_text(pin() + build("", "pkgs.hello") + IDLE.format("moving-alais"))
    made.recipes()
    (item,) = made.diagnostics
    assert (item.code, item.help) == ("E201", "did you mean `moving-alias`?")


def test_a_warning_of_a_program_cannot_have_the_name_of_a_lint() -> None:
    made = compile_text('warn moving-alias = true because "mine"\n')
    assert codes(made) == ["E202"]


def test_lints_wait_until_there_is_no_error() -> None:
    text = pin().replace(f', hash = "{HASH}"', "")
    assert names(text + build("")) == ["pin-without-hash"]
    made = compile_text(text + build('require 1 == 2 because "never"'))
    made.recipes()
    assert [item.code for item in made.diagnostics] == ["E405"]
    idle = compile_text(text + build("") + "overlay o { a = 1 }\n")
    idle.recipes()
    assert [item.code for item in idle.diagnostics] == ["E603"]


def test_some_variants_are_looked_at_as_all_are() -> None:
    text = (
        pin()
        + """
    axis t = ["sm_90", "9.0"]
    recipe r { package = pkgs.python3Packages.torch, args { gpuTargets = [t] }
               config { cudaCapabilities = [t] } }
    matrix m { recipe = r, axes = t, name = "v{{if t == "9.0" then "2" else "1"}}" }
    """
    )
    for index, expected in enumerate((["target-not-dotted"] * 2, [])):
        made = compile_text(text + IDLE.format("impossible-host"))
        assert list(made.stream(made.variants[index : index + 1]))
        assert (codes(made), lints(made)) == ([], expected)


def test_asking_for_one_variant_is_no_time_for_lints() -> None:
    made = compile_text(case("w103-target-not-dotted"))
    assert made.checked(made.variants[0]) is not None
    assert made.diagnostics == []


def test_each_cause_is_told_once_with_its_first_variants() -> None:
    text = (
        pin()
        + """
    axis n = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    recipe r { package = pkgs.python3Packages.torch, env { N = n }
               args { gpuTargets = ["sm_90", "sm_9{{n}}"] }, config { cudaCapabilities = ["9.0"] } }
    matrix m { recipe = r, axes = n, name = "v{{n}}" }
    """
    )
    (item,) = about(text, "target-not-dotted")
    assert item.notes[0] == "for 9 variants: v1, v2, v3, v4, v5, v6 …"
    assert [note.partition(":")[0] for note in item.notes[1:-1]] == [
        "in v1", "in v1", "in v2", "in v3", "in v4", "in v5"
    ]  # fmt: skip
    assert item.notes[-1] == "and more like these"
    assert item.help.endswith('`warn target-not-dotted = off because "…"`')


def test_programs_get_code_and_name() -> None:
    made = compile_text(pin().replace(f', hash = "{HASH}"', "") + build("", "pkgs.hello"))
    made.recipes()
    (data,) = json.loads(render_json(made.diagnostics, made.sources))["diagnostics"]
    assert (data["code"], data["name"]) == ("W105", "pin-without-hash")
    assert data["severity"] == "warning"
    shown = render_github(made.diagnostics, made.sources)
    assert shown.startswith("::warning file=input.tvar,line=1,")
    assert "title=W105 pin-without-hash::" in shown


# --- each subject is looked at once, and nothing else decides what is found --------------------


def programs() -> list[Compilation]:
    return [compile_variants(), *(compile_text(case(name)) for name in CASES)]


@pytest.mark.slow
def test_what_is_shared_changes_nothing() -> None:
    """Each variant by itself, with nothing remembered, comes to what all of them come to."""
    for made in programs():
        recipes = made.recipes()
        rows = LibraryRows(made.loader)
        together = Lints(rows, ())
        alone: list[tuple[str, str, str]] = []
        for recipe in recipes:
            together.look(recipe)
            fresh = Lints(rows, ())
            alone += [
                (lint.name, recipe.variant, finding.case)
                for lint, finding in fresh.findings(fresh.subjects(recipe))
            ]
        shared = [
            (lint.name, recipe.variant, finding.case)
            for recipe in recipes
            for lint, finding in together.findings(together.subjects(recipe))
        ]
        assert shared == alone


@pytest.mark.slow
def test_a_lint_finds_nothing_where_what_it_needs_does_not_hold() -> None:
    """`Only` is a condition that is necessary; and lints look at each line of what is `named` by
    itself. Builds rest on both."""
    held: set[str] = set()
    for made in programs():
        facts, takes = Facts(LibraryRows(made.loader)), subjects.SubjectsOf()
        for recipe in made.recipes():
            whole = takes(recipe)
            for lint in RULES:
                found = list(lint.look(whole, facts))
                if lint.only is not None:
                    assert set(lint.only.reads) <= set(lint.reads)
                    holds = lint.only.holds(whole, facts)
                    held |= {lint.name} if holds else set()
                    assert holds or not found, lint.name
                if subjects.NAMED in lint.reads:
                    lines = [replace(whole, named=(line,)) for line in whole.named]
                    assert [one for line in lines for one in lint.look(line, facts)] == found
    assert held == {lint.name for lint in RULES if lint.only is not None}


@pytest.mark.slow
def test_little_is_remembered_and_it_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [[item.notes for item in made.diagnostics] for made in ran()]
    monkeypatch.setattr("tvarc.lints.subjects.KEPT", 2)
    monkeypatch.setattr("tvarc.lints.variants.KEPT", 2)
    assert [[item.notes for item in made.diagnostics] for made in ran()] == expected


def ran() -> list[Compilation]:
    found = programs()
    for made in found:
        made.recipes()
    return found


@pytest.mark.slow
def test_what_is_kept_does_not_grow_with_variants() -> None:
    text = (
        pin()
        + """
    axis a = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    axis b = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    axis c = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    axis d = [0, 1, 2]
    recipe r { package = pkgs.python3Packages.torch, env { N = "{{a}} {{b}} {{c}} {{d}}" }
               meta { description = "{{variant}}" }, args { gpuTargets = ["{{a}}{{b}}{{c}}"] } }
    matrix m { recipe = r, axes = a * b * c * d, name = "v{{a}}{{b}}{{c}}{{d}}" }
    """
    )
    made = compile_text(text)
    found = Lints(LibraryRows(made.loader), ())
    for recipe in made.stream():
        found.look(recipe)
    assert len(found.builds.names) == 3000
    for group in found.groups:
        assert len(group.known.known) <= subjects.KEPT
    assert len(found.number_of.kept) <= subjects.KEPT
    assert max(len(cause.cases) + len(cause.variants) for cause in found.causes.values()) <= 12


# --- facts -------------------------------------------------------------------------------------


def asked(text: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The tables that are asked for."""
    tables: set[str] = set()
    plain = LibraryRows.table

    def noted(self: LibraryRows, name: str) -> Table:
        tables.add(name)
        return plain(self, name)

    monkeypatch.setattr(LibraryRows, "table", noted)
    made = compile_text(text)
    made.recipes()
    assert codes(made) == []
    return tables


def test_the_library_is_read_only_where_a_lint_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = build("attrs { cmakeFlags += [] }", "pkgs.hello")
    assert asked(plain.replace("{ p", "{ pin = none, p"), monkeypatch) == set()
    # Whether the hash of the pin is that of its commit.
    assert asked(pin(config="allowUnfree = true") + plain, monkeypatch) == {"nixpkgs-pin"}
    rows = """use std.nvidia
    use std.cpu
    use std.cuda
    axis gpu = nvidia[sm80, sm90]
    axis isa = cpu[avx2, avx512]
    axis toolkit = cuda-toolkit[cuda12_9]
    overlay kit { cudaPackages = final[toolkit.set] }
    recipe r { package = pkgs.python3Packages.torch, overlays = [kit]
      args { gpuTargets = [gpu.capability] }
      config { cudaCapabilities = [gpu.capability] }
      env { CXXFLAGS = isa.flags }
      meta { longDescription = "Driver: 525 or newer.", platforms = [isa.platform] } }
    matrix m { recipe = r, axes = gpu * isa * toolkit, name = "{{gpu}}-{{isa}}" }
    """.replace("CXXFLAGS = isa.flags", 'CXXFLAGS = "{{isa.flags}}"')
    # What the nixpkgs of the pin has: its CUDA sets, its Torch.
    assert asked(pin() + rows, monkeypatch) == {"nixpkgs-cuda", "nixpkgs-pin"}


def test_without_a_library_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What rows are not there for, no lint speaks of."""
    monkeypatch.setattr(LibraryRows, "module", lambda *_: {})
    alone = {"target-not-dotted", "pin-without-hash", "targets-without-capabilities", "same-build"}
    alone |= {"overlay-unreached", "nix-mark-in-text", "hidden-direction", "cuda-misnamed"}
    alone |= {"own-list-dropped", "other-mark-in-text", "value-not-in-axis", "source-root-misfits"}
    alone |= {"flox-name", "store-name"}
    of_rows = {
        "impossible-host",
        "gpu-unknown-to-toolkit",
        "platform-against-isa",
        "fbgemm-left-on",
    }
    of_flags = {"driver-not-stated", "flag-unknown-to-gcc"}
    for name in CASES:
        made = compile_text(case(name))
        made.recipes()
        assert set(lints(made)) <= alone | of_rows | of_flags, name


def test_what_messages_cite_is_listed_in_the_module() -> None:
    listed = {name: listed_sources(text) for name, text in std_sources().items()}
    pages = sorted(Path(ROOT / "docs/errors").glob("W1*.md"))
    cases = sorted(ROOT.glob("tests/snapshots/w1*/diagnostics.txt"))
    cited = 0
    for path in (*pages, *cases):
        text = " ".join(path.read_text(encoding="utf-8").split())
        for module, ids in re.findall(r"[(;] ?std\.([\w-]+): ((?:[A-Z][\w-]*(?:, )?)+)", text):
            for id in ids.split(", "):
                named = re.sub(r"PR-\d+", "PR-<number>", id)
                assert named in listed[module], f"{path.name}: {id} of std.{module}"
                cited += 1
    assert cited > 100


def test_a_pin_is_known_by_its_commit_however_it_is_written() -> None:
    url = f'pin p {{ url = "https://example.org/{REV}.tar.gz" }}\n'
    (item,) = about(url + build("", "pkgs.hello"), "pin-without-hash")
    assert f'`hash = "{HASH}"`' in item.help
    strange = about(url.replace(REV, STRANGE) + build("", "pkgs.hello"), "pin-without-hash")
    assert "`tvarc lock`" in strange[0].help
