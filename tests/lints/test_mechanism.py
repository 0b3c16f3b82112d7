"""How lints are run and switched off, what they cost, and where their facts come from."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path

import pytest

from support.alone import LintsAlone, one_by_one
from support.compile import ROOT, codes, compile_text, compile_variants, lints, std_sources
from support.effort import for_each, thorough
from support.library_cache import library_cache
from support.lints import HASH, REV, STRANGE, about, build, names, pin
from tvarc.advice.library.relations import listed_sources
from tvarc.advice.library.rows import LibraryRows, Table
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import FACTS
from tvarc.advice.lints.registry import ALL, SUBJECTS
from tvarc.build.driver import Compilation
from tvarc.build.linting.run import look_at_all
from tvarc.matrix.present import Present, by_matrix
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.render_github import render_github
from tvarc.text.diagnostics.render_json import render_json

CASES = sorted(path.parent.name for path in (ROOT / "tests/snapshots").glob("w1*/input.tvar"))
IDLE = 'warn {} = off because "to see"\n'


def case(name: str) -> str:
    return (ROOT / "tests/snapshots" / name / "input.tvar").read_text(encoding="utf-8")


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


@for_each("name", LINTS)
def test_switching_off_each_lint_that_says_nothing_is_an_error(name: str) -> None:
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


def test_an_error_does_not_hide_lints() -> None:
    text = pin().replace(f', hash = "{HASH}"', "")
    assert names(text + build("")) == ["pin-without-hash"]
    made = compile_text(text + build('require 1 == 2 because "never"'))
    made.recipes()
    assert [item.code for item in made.diagnostics] == ["W105", "E405"]
    idle = compile_text(text + build("") + "overlay o { a = 1 }\n")
    idle.recipes()
    assert [item.code for item in idle.diagnostics] == ["W105", "E603"]


def test_lints_after_an_error_in_some_variants() -> None:
    """A build finds the error while it decides; `recipes` decides one variant after the other."""
    text = (
        pin()
        + """
    axis t = ["sm_90", "9.0"]
    let word = { "9.0" = "a" }
    recipe r {
      package = pkgs.python3Packages.torch
      args { gpuTargets = [t], more = ["sm_70"] }
      attrs { x = if t == "9.0" then word["8.0"] else word["9.0"] }
    }
    matrix m { recipe = r, axes = t, name = "{{t}}" }
    output nix { file = "{{variant}}.nix" }
    """
    )
    alone = compile_text(text)
    alone.recipes()
    together = compile_text(text)
    assert list(together.files("input.tvar")) == []
    for made in (alone, together):
        found = [item.name or item.code for item in made.diagnostics]
        assert found == ["target-not-dotted", "targets-without-capabilities", "E207"]
        assert made.diagnostics[0].notes[0] == "for 1 variant: sm_90"
    assert alone.diagnostics == together.diagnostics


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
        assert list(one_by_one(made, made.variants[index : index + 1]))
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
def test_a_text_for_other_variants_is_looked_at_without_an_error() -> None:
    """Lints look at each line of a description for all variants. Only one of them has `attrs.y`."""
    made = compile_text(
        """
        axis a = ["p", "q"]
        axis b = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        recipe r {
          package = pkgs.hello
          pin = none
          attrs { z = "{{a}}{{b}}" }
          when a == "p" {
            attrs { y = "1" }
            meta { longDescription = "{{attrs.y}} {{b}} sm_90 {{a}}" }
          }
          when a != "p" { meta { longDescription = "{{b}} sm_90 {{a}}" } }
        }
        matrix m { recipe = r, axes = a * b, name = "v{{a}}{{b}}" }
        output o { file = "{{variant}}.nix" }
        """
    )
    assert len(list(made.files("a.tvar"))) == 18
    assert codes(made) == []


def test_what_is_shared_changes_nothing() -> None:
    """Each variant by itself, with nothing remembered, comes to what all of them come to. By hand
    a few variants are looked at by themselves."""
    for made in programs():
        recipes = made.recipes()
        rows = LibraryRows(made.loader, library_cache())
        together = LintsAlone(Facts(rows), ())
        for recipe in recipes[:: 1 if thorough() else 7]:
            alone = LintsAlone(Facts(rows), ()).found(recipe)
            assert [(one.name, each.case) for one, each in together.found(recipe)] == [
                (one.name, each.case) for one, each in alone
            ]


@pytest.mark.slow
def test_little_is_remembered_and_it_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [[item.notes for item in made.diagnostics] for made in ran()]
    monkeypatch.setattr("tvarc.advice.lints.model.KEPT", 2)
    monkeypatch.setattr("tvarc.advice.lints.variants.KEPT", 2)
    assert [[item.notes for item in made.diagnostics] for made in ran()] == expected


def ran() -> list[Compilation]:
    found = programs()
    for made in found:
        made.recipes()
    return found


WIDE = (
    pin()
    + """
    axis a = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    axis b = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    axis c = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    axis d = [DIGITS]
    recipe r { package = pkgs.python3Packages.torch, env { N = "{{a}} {{b}} {{c}} {{d}}" }
               meta { description = "{{variant}}" }, args { gpuTargets = ["{{a}}{{b}}{{c}}"] } }
    matrix m { recipe = r, axes = a * b * c * d, name = "v{{a}}{{b}}{{c}}{{d}}" }
    output nix { file = "{{variant}}.nix" }
    """
)


@pytest.mark.slow
def test_what_is_kept_of_single_variants_does_not_grow_with_them() -> None:
    made = compile_text(WIDE.replace("DIGITS", "0"))
    found = LintsAlone(Facts(LibraryRows(made.loader)), ())
    for recipe in one_by_one(made):
        found.look(recipe)
    assert len(found.builds.names) == 1000
    assert max(len(cause.cases) + len(cause.variants) for cause in found.causes.values()) <= 12


def peak(made: Compilation) -> int:
    """The most bytes that lints on all variants take."""
    assert made.expansion is not None and made.elaboration is not None
    list(made.files("input.tvar", lints=False))
    found = [Present(built, cells) for built, cells in by_matrix(made.expansion.variants)]
    looking = made.lints()
    tracemalloc.start()
    look_at_all(looking, made.elaboration, found)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used


@pytest.mark.slow(seconds=10)
def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lints look at a part of a large matrix at a time, and decisions are dropped after so many.
    Here a description has the name of each variant, so each is a text of its own."""
    monkeypatch.setattr("tvarc.build.linting.run.TOGETHER", 500)
    monkeypatch.setattr("tvarc.decide.decide.REMEMBERED", 500)
    monkeypatch.setattr("tvarc.decide.portions.MOST_KEPT", 500)
    few = WIDE.replace("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "[0, 1]", 2)
    _, small, large = (  # the first one also takes what is loaded once
        peak(compile_text(text.replace("DIGITS", digits)))
        for text, digits in ((few, "0"), (WIDE, "0"), (WIDE, "0, 1"))
    )
    assert large - small < 300 * 1000  # bytes for each variant more, its name among them


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


def needs_facts(names: tuple[str, ...]) -> bool:
    """Whether a lint or a subject that reads *names* reads facts, itself or through a subject."""
    return any(
        name == FACTS or (name in SUBJECTS and needs_facts(SUBJECTS[name].subjects))
        for name in names
    )


@pytest.mark.slow
def test_without_a_library_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What rows are not there for, no lint speaks of, unless it reads no facts at all."""
    monkeypatch.setattr(LibraryRows, "module", lambda *_: {})
    alone = {one.name for one in ALL if not needs_facts(one.reads)}
    alone |= {"target-not-dotted", "pin-without-hash", "targets-without-capabilities"}
    alone |= {"cuda-misnamed", "gpu-facts-unknown"}
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
