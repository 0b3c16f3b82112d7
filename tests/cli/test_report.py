"""`tvarc report`: the matrix as one page, drawn by its script in Chromium, and as a picture."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bench.inputs import tvar
from bench.workload import spec
from support.chromium import PROGRAM, Chromium, axe
from support.command import ROOT, SMALL, calls, put_small, tvarc
from support.effort import sampled
from support.html import Read, page_data
from tvarc.commands.line import exits
from tvarc.commands.report.picture import in_order
from tvarc.commands.shown.tree import SharedNodes

in_chromium = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="Chromium is not installed"
)


@pytest.fixture
def project(here: Path) -> Path:
    put_small(here, SMALL)
    return here


def written(folder: Path, *words: str) -> Path:
    file = folder / "page.html"
    tvarc("report", *words, "--html", str(file), code=exits.OK)
    return file


def entries(data: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    (variant,) = [one for one in data["variants"] if one["name"] == name]
    return {data["entries"][n]["path"]: data["entries"][n] for n in variant["entries"]}


# --- what is in it -----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_says_of_each_variant_what_explain_says(project: Path) -> None:
    data = page_data(written(project).read_text(encoding="utf-8"))
    names = [one["name"] for one in json.loads(tvarc("list", "--json").stdout)]
    assert [one["name"] for one in data["variants"]] == names
    name = names[0]
    found = entries(data, name)
    assert found["attrs.pname"]["text"] == f'"hello-{name}"'
    told = json.loads(tvarc("explain", name, "attrs.flags", "--json").stdout)
    assert found["attrs.flags"]["place"] == f"{told['origin']['file']}:{told['origin']['line']}"
    assert found["script.preConfigure.two"]["notes"] == ["in base", "when fast: fast = true"]
    assert "because it is" in found["flags.fast"]["notes"]
    assert f"reads variant = {name}" in str(found["attrs.pname"]["notes"]).replace('"', "")


def test_a_note_is_of_the_values_of_its_variant(project: Path) -> None:
    text = SMALL.replace('"hello-{{variant}}"', '"hello-{{variant}}-{{speed}}"')
    put_small(project, f'{text}\nlet speed = if newest then "fast" else "slow"\n')
    data = page_data(written(project).read_text(encoding="utf-8"))
    for one, speed in (("hello-cuda12_8-sm103", "fast"), ("hello-cuda12_8-sm100", "slow")):
        assert f'let speed = "{speed}"' in str(entries(data, one)["attrs.pname"]["notes"])


@pytest.mark.slow
def test_each_line_comes_from_where_explain_says(project: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    data = page_data(written(project).read_text(encoding="utf-8"))
    for variant in data["variants"]:
        for file in variant["files"]:
            text = Path(file["path"]).read_text(encoding="utf-8")
            lines = [data["lines"][number] for number in file["lines"]]
            assert [data["texts"][line[0]] for line in lines] == text.splitlines()
    recipe = data["variants"][0]["files"][0]
    for number, line in enumerate(recipe["lines"], 1):
        told = json.loads(tvarc("explain", f"{recipe['path']}:{number}", "--json").stdout)
        _, made, _ = data["lines"][line]
        places = {tuple(data["places"][one][:2]) for one in data["sets"][made]}
        assert places == {(one["file"], one["line"]) for one in told["made"]}
    for file, source in data["sources"].items():
        if not file.startswith("std/"):
            lines = Path(file).read_text(encoding="utf-8").splitlines()
            assert source["count"] == len(lines)
            assert all(lines[int(n) - 1] == text for n, text in source["lines"].items())


def test_the_page_says_what_is_built_what_is_dropped_and_why(project: Path) -> None:
    put_small(project, f"# Hello for each GPU.\n{SMALL}")
    page = written(project).read_text(encoding="utf-8")
    text = "".join(Read(page.partition("<script")[0] + "</body></html>").content)
    assert "Hello for each GPU" in text and "<title>Hello for each GPU</title>" in page
    assert "variants.tvar \N{MIDDLE DOT} all: base by gpu \N{MULTIPLICATION SIGN} cuda" in text
    assert "5 of 6 combinations are variants; 1 is dropped." in text
    data = page_data(page, "matrix")
    ((cell,),) = [[one for one in data["cells"] if "reasons" in one]]
    values = {a["name"]: a["values"][n] for a, n in zip(data["axes"], cell["values"], strict=True)}
    assert values == {"gpu": "sm90", "cuda": "13.0"}
    ((cause, _),) = cell["reasons"]
    assert (data["causes"][cause]["because"], data["causes"][cause]["count"]) == ("never", 1)
    assert data["causes"][cause]["place"].startswith("variants.tvar:")
    # Of some variants alone it is not asked what else there might be.
    some = written(project, "sm90").read_text(encoding="utf-8")
    assert '<p id="summary">1 variant.</p>' in some
    assert [one["name"] for one in page_data(some, "matrix")["cells"]] == ["hello-cuda12_8-sm90"]


@pytest.mark.slow
def test_a_program_without_a_comment_is_called_by_its_name(project: Path) -> None:
    assert "<title>variants.tvar</title>" in written(project).read_text(encoding="utf-8")
    put_small(project, f"# {'Long. ' * 50}\n{SMALL}")
    assert "<title>Long</title>" in written(project).read_text(encoding="utf-8")


def test_values_are_in_natural_order_and_have_their_labels(project: Path) -> None:
    """Those that differ in a number go by it; others as they are declared."""
    before, _, rest = SMALL.partition("axis gpu {")
    _, _, after = rest.partition("\n}\n")
    gpus = "".join(
        f"  {gpu} {{ capability = {capability}, label = \"{label}\" }}\n"
        for gpu, capability, label in (
            ("sm120", "12.0", "SM120"), ("sm90", "9.0", "H100"), ("sm100", "10.0", "B200"),
        )
    )  # fmt: skip
    after = after.replace("[12.8, 13.0]", "[13.0, 12.8]")
    put_small(project, f"{before}axis gpu {{\n{gpus}}}\n{after}")
    data = page_data(written(project).read_text(encoding="utf-8"), "matrix")
    gpu, cuda = data["axes"]
    assert gpu["values"] == ["sm90", "sm100", "sm120"]
    assert gpu["labels"] == ["H100", "B200", ""]
    assert cuda["values"] == ["12.8", "13.0"]
    assert in_order(["avx2", "avx", "armv9"]) == ["avx2", "avx", "armv9"]
    assert in_order(["3.13", "3.9", "3.9a"]) == ["3.9", "3.9a", "3.13"]


def test_findings_are_those_of_check(project: Path) -> None:
    text, _, _ = SMALL.partition("warn same-build")
    put_small(project, text)
    data = page_data(written(project).read_text(encoding="utf-8"))
    told = json.loads(tvarc("check", "--format", "json").stdout)["diagnostics"]
    names = {one["name"] for one in told if one.get("name")}
    assert {one["name"] for one in data["lints"]} == names
    assert "same-build" in names
    (number,) = [n for n, one in enumerate(data["lints"]) if one["name"] == "same-build"][:1]
    assert any(number in one["lints"] for one in data["variants"])


def test_the_page_needs_nothing_else_and_no_text_is_markup(project: Path) -> None:
    evil = "</script><script>ran = 1</script><img src=x onerror='ran = 1'>"
    put_small(project, SMALL.replace('flags   = ["-a"]', f'flags = ["{evil}"]'))
    text = written(project).read_text(encoding="utf-8")
    page = Read(text)
    assert page.elements.count("script") == 3 and page.elements.count("style") == 1
    assert not {"link", "img", "iframe"} & set(page.elements)
    assert evil in json.dumps(page_data(text)).replace('\\"', '"')
    assert "url(" not in text.partition("</style>")[0]


@pytest.mark.slow
def test_equal_input_gives_equal_bytes(project: Path) -> None:
    first = written(project).read_bytes()
    (project / "page.html").unlink()
    assert written(project).read_bytes() == first
    printed = tvarc("report", "--html", "-")
    assert printed.stdout.encode() == first
    assert str(project) not in printed.stdout


def test_variants_have_the_states_of_their_tests(project: Path) -> None:
    names = [one["name"] for one in json.loads(tvarc("list", "--json").stdout)]
    told = [
        {"name": f"{names[0]}.tests.one", "state": "built"},
        {"name": f"{names[0]}.tests.two", "state": "failed"},
        {"name": f"{names[0]}.tests.three", "state": "there"},
        {"name": f"{names[1]}.tests.one", "state": "there"},
    ]
    (project / "report.json").write_text(json.dumps({"variants": told}), encoding="utf-8")
    result = tvarc("report", "--html", "page.html", "--builds", "report.json")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    data = page_data((project / "page.html").read_text(encoding="utf-8"), "matrix")
    states = {one["name"]: one["state"] for one in data["cells"] if "state" in one}
    assert states == {names[0]: {"state": "failed"}, names[1]: {"state": "there"}}


def test_variants_have_the_states_of_a_build(project: Path) -> None:
    names = [one["name"] for one in json.loads(tvarc("list", "--json").stdout)]
    told = [
        {"name": names[0], "state": "failed", "machine": None, "seconds": 7, "log": "logs/a.log"},
        {"name": names[1], "state": "lost", "machine": "ssh-ng://one", "seconds": None},
        {"name": "gone", "state": "built"},
    ]
    (project / "report.json").write_text(json.dumps({"variants": told}), encoding="utf-8")
    result = tvarc("report", "--html", "page.html", "--builds", "report.json", code=exits.OK)
    assert result.stderr == "1 variant of `report.json` no longer exists, such as gone\n"
    data = page_data((project / "page.html").read_text(encoding="utf-8"), "matrix")
    states = {one["name"]: one["state"] for one in data["cells"] if "state" in one}
    assert states == {
        names[0]: {"state": "failed", "seconds": 7, "log": "logs/a.log"},
        names[1]: {"state": "lost", "machine": "ssh-ng://one"},
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "E106"),
        ("{", "E916"),
        ("[]", "E916"),
        ('{"variants": {}}', "E916"),
        ('{"variants": [{"name": "a", "state": null}]}', "E916"),
        ("[" * 100_000, "E916"),
    ],
)
def test_what_is_no_report_of_a_build_is_told(project: Path, text: str | None, code: str) -> None:
    if text is not None:
        (project / "report.json").write_text(text, encoding="utf-8")
    result = tvarc("report", "--html", "page.html", "--builds", "report.json")
    assert (result.exit_code, result.stderr.count("error[")) == (exits.FAILED, 1)
    assert code in result.stderr and not (project / "page.html").exists()


# --- where it goes -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_is_written_again_and_nothing_else_is_overwritten(project: Path) -> None:
    file = written(project)
    assert tvarc("report", "--html", "page.html").stdout == "page.html: 5 variants, unchanged\n"
    put_small(project, SMALL.replace('"-a"', '"-b"'))
    assert tvarc("report", "--html", "page.html").stdout == "page.html: 5 variants, written\n"
    file.write_text("<!DOCTYPE html>\n<p>mine</p>\n", encoding="utf-8")
    refused = tvarc("report", "--html", "page.html", code=exits.FAILED)
    assert "E801" in refused.stderr and "--force" in refused.stderr
    assert "mine" in file.read_text(encoding="utf-8")
    assert tvarc("report", "--html", "page.html", "--force").exit_code == exits.OK
    assert "mine" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--html", "no/page.html"), exits.FAILED, "`no/page.html` cannot be written"),
        (("--html", "."), exits.USAGE, "`--html` takes a file"),
        (("--svg", ""), exits.USAGE, "`--svg` takes a file"),
        (("--html", "-", "--svg", "-"), exits.USAGE, "the page or the picture"),
        (("--svg", "a.svg", "--builds", "report.json"), exits.USAGE, "add `--html FILE`"),
        ((), exits.USAGE, "`--html FILE`, `--svg FILE` or both"),
        (("--html", "page.html", "--against", "gone.tvar"), exits.FAILED, "gone.tvar"),
        (("sm61", "--html", "page.html"), exits.FAILED, "sm61"),
    ],
)
def test_what_cannot_be_is_told(
    project: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    result = tvarc("report", *words)
    assert (result.exit_code, "Traceback" in result.stderr) == (code, False), result.stderr
    assert says in result.stderr
    assert not (project / "page.html").exists()


def test_more_variants_than_a_page_has_room_for_are_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvarc.commands.report.html_page.MOST_VARIANTS", 4)
    result = tvarc("report", "--html", "page.html")
    assert result.exit_code == exits.FAILED and not (project / "page.html").exists()
    assert "error[E902]: 5 variants are selected, and a page holds at most 4" in result.stderr
    assert tvarc("report", "sm103", "--html", "page.html").exit_code == exits.OK


def test_of_very_many_dropped_cells_the_first_are_drawn_and_all_are_counted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvarc.commands.report.picture.MOST_DROPPED", 0)
    page = written(project).read_text(encoding="utf-8")
    assert "5 of 6 combinations are variants; 1 is dropped." in page
    data = page_data(page, "matrix")
    assert (len(data["cells"]), data["dropped"], data["causes"][0]["count"]) == (5, 1, 1)


@pytest.mark.slow
def test_a_program_with_errors_has_no_page(project: Path) -> None:
    put_small(project, SMALL.replace("pkgs.hello", "nothing"))
    assert tvarc("report", "--html", "page.html").exit_code == exits.FAILED
    assert not (project / "page.html").exists()


# --- another state -----------------------------------------------------------------------------


def put_states(project: Path) -> None:
    """A program, and beside it what it was before: one GPU less, one more and one changed."""
    (project / "old.tvar").write_text(SMALL, encoding="utf-8")
    new = SMALL.replace("  sm90  { capability = 9.0 }\n", "").replace(
        "  sm103 { capability = 10.3 }\n",
        "  sm103 { capability = 10.3 }\n  sm120 { capability = 12.0 }\n",
    )
    new = new.replace("gpu == sm90 and cuda == 13.0", "gpu == sm100 and cuda == 13.0")
    put_small(project, new.replace('"-a"', 'if gpu == sm103 then "-b" else "-a"'))


@pytest.mark.slow
def test_what_is_new_gone_and_changed_since_another_state(project: Path) -> None:
    put_states(project)
    page = written(project, "--against", "old.tvar").read_text(encoding="utf-8")
    assert "Against old.tvar: 2 new, 2 gone, 2 changed." in page
    data = page_data(page, "matrix")
    changes = {one["name"]: one.get("change") for one in data["cells"]}
    assert changes == {
        "hello-cuda12_8-sm90": "gone",
        "hello-cuda12_8-sm100": None,
        "hello-cuda13_0-sm100": "gone",  # and its cell is dropped now, for a reason
        "hello-cuda12_8-sm103": "changed",
        "hello-cuda13_0-sm103": "changed",
        "hello-cuda12_8-sm120": "new",
        "hello-cuda13_0-sm120": "new",
    }
    (dropped,) = [one for one in data["cells"] if "reasons" in one]
    assert dropped["name"] == "hello-cuda13_0-sm100"
    assert data["axes"][0]["values"] == ["sm90", "sm100", "sm103", "sm120"]
    told = json.loads(tvarc("diff", "--against", "old.tvar", "--json").stdout)
    assert sorted(told["changed"]) == ["hello-cuda12_8-sm103", "hello-cuda13_0-sm103"]
    same = written(project, "--against", "variants.tvar").read_text(encoding="utf-8")
    assert "Against variants.tvar: nothing changed." in same


# --- the picture -------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_picture_needs_nothing_else_and_says_all_in_words(project: Path) -> None:
    result = tvarc("report", "--svg", "matrix.svg")
    assert (result.exit_code, result.stdout) == (exits.OK, "matrix.svg: 5 variants, written\n")
    text = (project / "matrix.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("role") == "img"
    names = {one.tag.rpartition("}")[2] for one in root.iter()}
    assert names <= {"svg", "title", "desc", "style", "rect", "path", "text", "tspan"}
    assert "prefers-color-scheme: dark" in text and "href" not in text and "url(" not in text
    told = next(one for one in root if one.tag.endswith("desc")).text or ""
    assert "5 kept. 1 dropped: never." in told
    shown = [one.text for one in root.iter() if one.tag.endswith("text")]
    heads = [one for one in shown if one in {"sm90", "sm100", "sm103", "12.8", "13.0"}]
    assert heads == ["12.8", "13.0", "sm90", "sm100", "sm103"]
    assert "5 of 6 combinations are variants; 1 is dropped." in shown
    # It is written again, and over nothing else.
    assert tvarc("report", "--svg", "matrix.svg").stdout == "matrix.svg: 5 variants, unchanged\n"
    assert tvarc("report", "--svg", "-").stdout == text
    (project / "mine.svg").write_text("<svg/>", encoding="utf-8")
    assert "E801" in tvarc("report", "--svg", "mine.svg").stderr
    # With the page, neither says more on the output than the other prints.
    both = tvarc("report", "--svg", "-", "--html", "page.html")
    assert both.stdout == text and "page.html: 5 variants, written" in both.stderr


def test_texts_of_a_picture_are_no_markup(project: Path) -> None:
    evil = "</desc><script>ran = 1</script>&"
    put_small(project, f"# {evil}\n{SMALL.replace('never', evil)}")
    root = ElementTree.fromstring(tvarc("report", "--svg", "-").stdout)
    assert not [one for one in root.iter() if "script" in one.tag]
    assert evil in (root[0].text or "") and evil in (root[1].text or "")


def test_the_picture_has_changes_too(project: Path) -> None:
    put_states(project)
    root = ElementTree.fromstring(tvarc("report", "--svg", "-", "--against", "old.tvar").stdout)
    assert "2 new. 2 changed. 2 gone. 1 dropped: never." in (root[1].text or "")


MORE = """
axis one = [1]
matrix more { recipe = base, axes = %s, name = "more{{under(cuda)}}-{{gpu}}" }
output nix"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("axes", "rows"), [("gpu * cuda", ["", "gpu"]), ("gpu * cuda * one", ["", "gpu"])]
)
def test_cells_have_one_place_each(project: Path, axes: str, rows: list[str]) -> None:
    """No two cells lie upon each other, nor do those of two matrices with the same axes."""
    put_small(project, SMALL.replace("\noutput nix", MORE % axes))
    data = page_data(written(project).read_text(encoding="utf-8"), "matrix")
    assert (data["rows"], data["columns"]) == (rows, ["cuda"])
    assert places_of(tvarc("report", "--svg", "-").stdout) == 12


@pytest.mark.slow
def test_a_state_with_other_axes_has_places_too(project: Path) -> None:
    (project / "old.tvar").write_text(SMALL, encoding="utf-8")
    text = SMALL.replace("axes   = gpu * cuda", "axes   = gpu")
    text = text.replace("hello-cuda{{under(cuda)}}", "x").replace(" and cuda == 13.0", "")
    text = text.replace("axis cuda = [12.8, 13.0]\n", "")
    put_small(project, text.partition("warn same-build")[0])
    page = written(project, "--against", "old.tvar").read_text(encoding="utf-8")
    cells = page_data(page, "matrix")["cells"]
    changes = sorted(one.get("change", "dropped") for one in cells)
    assert changes == ["dropped", *["gone"] * 3, *["renamed"] * 2]
    assert places_of(tvarc("report", "--svg", "-", "--against", "old.tvar").stdout) == 6


def places_of(svg: str) -> int:
    """How many cells the picture has; no two of them are in one place."""
    corners = re.findall(r"M(\d+ \d+)h(?!20v16)", svg)
    assert len(corners) == len(set(corners))
    return len(corners)


# --- in a browser ------------------------------------------------------------------------------

CELLS = "[...document.querySelectorAll('#grid td[tabindex]')]"


def detail(browser: Chromium) -> str:
    text = browser.value("document.getElementById('detail').innerText")
    assert isinstance(text, str)
    return text


def cell(name: str) -> str:
    return f"#grid td[aria-label^='{name}:']"


def choose(browser: Chromium, control: str, value: str) -> None:
    browser.value(
        f"(() => {{ const one = document.getElementById({control!r}); one.value = {value!r}; "
        "one.dispatchEvent(new Event('change')); })()"
    )


def open_options(browser: Chromium) -> None:
    browser.value("document.getElementById('options').open = true")
    browser.wait("document.querySelector('#colour optgroup') !== null")


def lit(browser: Chromium) -> list[str]:
    """The names of the cells that are not dimmed."""
    found = browser.value(
        f"{CELLS}.filter((one) => !one.classList.contains('dim')).map((one) => one.ariaLabel)"
    )
    return [one.partition(":")[0] for one in found]


@pytest.mark.slow
@in_chromium
def test_a_click_explains_and_a_second_one_compares(project: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    page = written(project)
    names = [one["name"] for one in page_data(page.read_text(encoding="utf-8"))["variants"]]
    with Chromium() as browser:
        browser.open(page)
        assert browser.value(f"{CELLS}.length") == 6  # five, and one that is dropped
        browser.click(cell(names[0]))
        assert detail(browser).startswith(names[0])
        assert "echo fast" in detail(browser) and "attrs.flags" in detail(browser)
        assert browser.value("location.hash") == f"#{names[0]}"
        # Its recipe is beside the sources: a line of it leads to what made it.
        line = "[...document.querySelectorAll('.pane .line')].find((one) => "
        browser.value(f"{line}one.textContent.includes('\"-a\"')).click()")
        made = browser.value(
            "[...document.querySelectorAll('.pane .made')].map((one) => one.textContent).join()"
        )
        assert 'flags   = ["-a"]' in made
        assert browser.value("location.hash").startswith(f"#{names[0]}&recipe:")
        # And another variant is held against it: what reaches the build first, facts folded.
        browser.value("document.querySelector('.head button').click()")
        browser.click(cell(names[1]))
        assert detail(browser).startswith(f"{names[0]} \N{RIGHTWARDS ARROW} {names[1]}")
        assert "attrs.pname" in detail(browser) and "attrs.flags" not in detail(browser)
        assert "axes.cuda" not in detail(browser)
        folds = "[...document.querySelectorAll('#detail details')]"
        assert browser.value(f"{folds}.map((one) => [one.open, one.innerText])") == [
            [False, "Facts and choices (3)"]
        ]
        assert browser.value("document.querySelectorAll('.line.new').length") > 0
        browser.click("#grid td.out")
        assert "never" in detail(browser) and "variants.tvar:" in detail(browser)
        assert browser.complaints == []
        # An address shows what it showed: two variants, or a line of one.
        browser.open(page, "&".join(names[:2]))
        assert detail(browser).startswith(f"{names[0]} \N{RIGHTWARDS ARROW} {names[1]}")
        browser.open(page, f"{names[0]}&recipe:1")
        assert browser.value("document.querySelector('.line.chosen .number').innerText") == "1"


@pytest.mark.slow
@in_chromium
def test_keys_alone_do_all_of_it(project: Path) -> None:
    page = written(project)
    focus = "document.activeElement"
    with Chromium() as browser:
        browser.open(page)
        for _ in range(12):
            browser.press("Tab")
            if browser.value(f"{focus}.tagName === 'TD'"):
                break
        first = browser.value(f"{focus}.ariaLabel").partition(":")[0]
        browser.press("Enter")
        assert detail(browser).startswith(first)
        browser.press("ArrowDown")
        second = browser.value(f"{focus}.ariaLabel").partition(":")[0]
        assert second != first
        browser.press("End", "Home", "ArrowRight", "ArrowLeft")
        assert browser.value(f"{CELLS}.filter((one) => one.tabIndex === 0).length") == 1
        browser.press("Escape")
        assert "Choose a cell" in detail(browser)
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
def test_the_legend_highlights_the_cells_of_a_reason(project: Path) -> None:
    page = written(project)
    with Chromium() as browser:
        browser.open(page)
        entries = "[...document.querySelectorAll('#legend button')]"
        built, dropped = browser.value(f"{entries}.map((one) => one.innerText)")
        assert re.split(r"\s+", built) == ["\N{CHECK MARK}", "5", "kept"]
        assert re.match(r"1\s+1 dropped: never\s+variants.tvar:\d+ . exclude gpu == sm90", dropped)
        # They are on the first screen, and a dropped cell has the number of its reason.
        assert browser.value(f"{entries}[1].getBoundingClientRect().bottom < innerHeight / 2")
        assert browser.value("document.querySelector('#grid td.out').textContent") == "1"
        browser.value(f"{entries}[1].click()")
        assert lit(browser) == ["hello-cuda13_0-sm90"]
        assert browser.value(f"{entries}[1].ariaPressed") == "true"
        browser.value(f"{entries}[1].click()")
        assert len(lit(browser)) == 6
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
def test_rows_columns_colours_and_a_search_are_the_readers(project: Path) -> None:
    page = written(project)
    with Chromium() as browser:
        browser.open(page)
        rows = "[...document.querySelectorAll('#grid tbody th')].map((one) => one.textContent)"
        columns = "[...document.querySelectorAll('#grid thead th')].map((one) => one.textContent)"
        assert browser.value(rows) == ["sm90", "sm100", "sm103"]
        assert browser.value(columns) == ["12.8", "13.0"]
        open_options(browser)
        # Each combination has its place, whether it is built or not, however axes are turned.
        browser.value("document.querySelectorAll('#columns input')[0].click()")
        assert browser.value(columns) == ["sm90", "sm100", "sm103", *["12.8", "13.0"] * 3]
        label = f"{CELLS}.map((one) => one.ariaLabel.split(':')[0])"
        assert browser.value(label) == [
            f"hello-cuda{cuda}-{gpu}"
            for gpu in ("sm90", "sm100", "sm103")
            for cuda in ("12_8", "13_0")
        ]
        # What rows and columns say already is no colour; what else differs is, in words.
        options = "[...document.querySelectorAll('#colour option')]"
        ways = browser.value(f"{options}.map((one) => one.value)")
        assert ways == ["kept", "set:attrs.pname"]
        choose(browser, "colour", "set:attrs.pname")
        told = browser.value(f"{CELLS}[0].textContent")
        assert '"hello-hello-cuda12_8-sm90"'.startswith(told.rstrip("\u2026")) and len(told) > 5
        assert browser.value("document.querySelectorAll('#legend button').length") == 6
        browser.value(
            "(() => { const one = document.getElementById('search'); one.value = 'gpu=sm103'; "
            "one.dispatchEvent(new Event('input')); })()"
        )
        browser.wait("document.getElementById('status').textContent === '2 of 5 variants match.'")
        assert lit(browser) == ["hello-cuda12_8-sm103", "hello-cuda13_0-sm103"]
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
def test_changes_and_states_are_colours_and_words(project: Path) -> None:
    put_states(project)
    page = written(project, "--against", "old.tvar")
    with Chromium() as browser:
        browser.open(page)
        words = f"{CELLS}.map((one) => one.textContent)"
        assert sorted(set(browser.value(words))) == ["as before", "changed", "gone", "new"]
        browser.click(cell("hello-cuda12_8-sm103"))
        told = browser.value("document.querySelector('#detail table').innerText").split()
        assert told == ["setting", "old.tvar", "now", "attrs.flags", '"-a"', '"-b"']
        assert axe(browser) == []
        browser.click(cell("hello-cuda13_0-sm100"))
        assert "It was a variant in old.tvar." in detail(browser) and "never" in detail(browser)
        assert browser.complaints == []
    told = [{"name": "hello-cuda12_8-sm103", "state": "failed", "machine": None, "seconds": 7}]
    (project / "report.json").write_text(json.dumps({"variants": told}), encoding="utf-8")
    page = written(project, "--builds", "report.json")
    with Chromium() as browser:
        browser.open(page)
        assert browser.value(words).count("failed") == 1


@pytest.mark.slow
@in_chromium
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_everybody_can_read_and_use_the_page(project: Path, width: int, dark: bool) -> None:
    page = written(project)
    names = [one["name"] for one in page_data(page.read_text(encoding="utf-8"))["variants"]]
    with Chromium(width, 900, dark=dark) as browser:
        for anchor in (
            "",
            names[0],
            f"{names[0]}&recipe:1",
            "&".join(names[:2]),
            "hello-cuda13_0-sm90",
        ):
            browser.open(page, anchor)
            assert browser.value("document.documentElement.scrollWidth <= innerWidth")
            assert axe(browser) == []
        paper = browser.value("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") != dark
        open_options(browser)
        choose(browser, "colour", "set:attrs.pname")
        assert axe(browser) == []
        browser.ask("Emulation.setEmulatedMedia", media="print")
        shown = "getComputedStyle(document.querySelector('#options')).display"
        assert browser.value(shown) == "none"
        assert browser.printed().startswith(b"%PDF-")


@pytest.mark.slow
@in_chromium
def test_two_matrices_are_one_picture_or_one_each(project: Path) -> None:
    other = (
        "recipe plain { package = pkgs.hello }\n"
        'matrix more { recipe = plain, axes = cuda, name = "more{{under(cuda)}}" }\n'
    )
    put_small(project, SMALL.replace("let newest", f"{other}let newest"))
    page = written(project)
    with Chromium() as browser:
        browser.open(page)
        assert browser.value(f"{CELLS}.length") == 8
        # What lacks an axis says so in a word, and looks like any other variant.
        heads = "[...document.querySelectorAll('#grid tbody th')].map((one) => one.textContent)"
        assert browser.value(heads) == ["sm90", "sm100", "sm103", "no gpu"]
        assert (
            browser.value(
                "new Set([...document.querySelectorAll('#grid td[tabindex]:not(.out)')]"
                ".map((one) => getComputedStyle(one).backgroundColor)).size"
            )
            == 1
        )
        choose(browser, "of", "0")
        assert browser.value(f"{CELLS}.length") == 2
        assert browser.complaints == []


@pytest.mark.slow(seconds=60)
@in_chromium
@pytest.mark.parametrize("size", [44, 948, 9_954])
def test_large_matrices_open_at_once_and_nothing_is_clipped(here: Path, size: int) -> None:
    chosen = spec(size)
    (here / "variants.tvar").write_text(tvar(chosen), encoding="utf-8")
    page = written(here)
    there = f"{CELLS}.filter((one) => !one.classList.contains('out')).length"
    with Chromium(1400, 900) as browser:
        # The CPU time of the page's own thread: other tests run beside this one.
        browser.ask("Performance.enable", timeDomain="threadTicks")
        seconds: list[float] = []
        while not seconds or (seconds[-1] >= 2 and len(seconds) < 3):
            browser.open(page)
            assert browser.value(there) == size
            measured = browser.ask("Performance.getMetrics")["metrics"]
            seconds += [one["value"] for one in measured if one["name"] == "ThreadTime"]
        assert min(seconds) < 2, seconds
        grid = "document.getElementById('grid')"
        assert browser.value(f"{grid}.scrollWidth <= {grid}.clientWidth")
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        heads = "[...document.querySelectorAll('#grid th span')]"
        assert browser.value(
            f"{heads}.every((one) => one.scrollWidth <= one.clientWidth + 1 || !one.clientWidth)"
        )
        rows = [one["id"] for one in chosen.axes["gpu"]]
        assert sorted(rows, key=int) == [
            text.removeprefix("sm")
            for text in page_data(page.read_text(encoding="utf-8"), "matrix")["axes"][3]["values"]
        ]
        if size < 1_000:  # axe takes longer for each cell than all else here
            assert axe(browser) == []
        browser.value("dispatchEvent(new Event('beforeprint'))")  # and on paper
        table = "document.querySelector('#grid table')"
        assert browser.value(f"{table}.getBoundingClientRect().width") <= 700
        browser.value("dispatchEvent(new Event('afterprint'))")
        browser.value(f"{CELLS}[0].click()")
        assert browser.value("document.querySelectorAll('.pane .line').length") > 100
        # What variants share is filled in for this one: in lines, in settings, in a search.
        told = browser.value("document.getElementById('detail').textContent")
        cells = page_data(page.read_text(encoding="utf-8"), "matrix")["cells"]
        (name,) = {one["name"] for one in cells if told.startswith(f"{one['name']}Compare")}
        assert f'pname = "{name}";' in told and f'attrs.pname"{name}"' in told
        assert "echo \"GPU target:   SM61 (Pascal: " in told
        assert not re.search("[\ud800-\udfff]", told)
        open_options(browser)
        browser.value(
            "(() => { const one = document.getElementById('search'); one.value = '(sm61),'; "
            "one.dispatchEvent(new Event('input')); })()"
        )
        browser.wait("document.getElementById('status').textContent.endsWith('match.')")
        assert 0 < len(lit(browser)) < size
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_picture_is_readable(project: Path, dark: bool) -> None:
    tvarc("report", "--svg", "matrix.svg", code=exits.OK)
    with Chromium(1000, 800, dark=dark) as browser:
        browser.open(project / "matrix.svg")
        boxes = "[...document.querySelectorAll('text')].map((one) => one.getBBox())"
        width, height = browser.value(
            "[document.documentElement.viewBox.baseVal.width, "
            "document.documentElement.viewBox.baseVal.height]"
        )
        for one in browser.value(f"{boxes}.map((b) => [b.x, b.y, b.x + b.width, b.y + b.height])"):
            assert one[0] >= 0 and one[1] >= 0 and one[2] <= width and one[3] <= height
        ink = browser.value("getComputedStyle(document.querySelector('.h')).fill")
        assert (ink == "rgb(230, 237, 243)") == dark


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", ["variants.tvar", *sampled(["examples/vision-audio", "examples/torch-2.10"], ci=2)]
)
def test_what_variants_share_is_explained_once_and_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """The page is the one that is made if each variant is explained by itself."""
    monkeypatch.chdir(ROOT / program if (ROOT / program).is_dir() else ROOT)
    explained = calls(monkeypatch, "tvarc.commands.report.data.place_of")
    pages, counts = [], []
    for _ in range(2):
        pages.append(page_data(written(tmp_path).read_text(encoding="utf-8")))
        monkeypatch.setattr(SharedNodes, "__contains__", lambda *_: False)
        counts.append(len(explained))
    assert pages[0] == pages[1]
    assert counts[0] * 3 < counts[1]


@pytest.mark.slow
@in_chromium
def test_the_matrix_of_the_project_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = written(tmp_path)
    assert "44 of 60 combinations are variants; 16 are dropped." in page.read_text(encoding="utf-8")
    with Chromium(1400, 900) as browser:
        browser.open(page)
        heads = "[...document.querySelectorAll('#grid tbody th')].map((one) => one.innerText)"
        assert browser.value(heads)[0] == "sm80 Ampere (A100, A30)"
        assert browser.value(heads)[-1] == "no gpu"
        counts = "[...document.querySelectorAll('#legend strong')].map((one) => one.innerText)"
        assert browser.value(counts) == ["44", "14", "2"]
        # All of it is on the first screen.
        assert browser.value("document.getElementById('grid').getBoundingClientRect().bottom < 900")
        assert browser.complaints == []
