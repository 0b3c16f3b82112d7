"""`tvarc report --html`: the matrix as one page, drawn by its script in Chromium."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from support.chromium import PROGRAM, Chromium
from support.command import ROOT, SMALL, put_small, tvarc
from support.html import Read, contrast
from tvarc.cli import exits

in_chromium = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="Chromium is not installed"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put_small(tmp_path, SMALL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, *words: str) -> Path:
    file = folder / "page.html"
    result = tvarc("report", *words, "--html", str(file))
    assert result.exit_code == exits.OK, result.stderr
    return file


def data_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(
        r'<script type="application/json" id="matrix">(.*?)</script>', page, re.DOTALL
    )
    found: dict[str, Any] = json.loads(text)
    return found


def entries(data: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    (variant,) = [one for one in data["variants"] if one["name"] == name]
    return {data["entries"][n]["path"]: data["entries"][n] for n in variant["entries"]}


# --- what is in it -----------------------------------------------------------------------------


def test_the_page_says_of_each_variant_what_explain_says(project: Path) -> None:
    data = data_of(written(project).read_text(encoding="utf-8"))
    names = [one["name"] for one in json.loads(tvarc("list", "--json").stdout)]
    assert [one["name"] for one in data["variants"]] == names
    name = names[0]
    found = entries(data, name)
    assert found["attrs.pname"]["text"] == f'"hello-{name}"'
    told = json.loads(tvarc("explain", name, "attrs.flags", "--json").stdout)
    assert found["attrs.flags"]["place"] == f"{told['origin']['file']}:{told['origin']['line']}"
    assert found["script.preConfigure.two"]["notes"] == ["when fast"]
    assert found["flags.fast"]["notes"] == ["because it is"]


def test_each_line_comes_from_where_explain_says(project: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    data = data_of(written(project).read_text(encoding="utf-8"))
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
    for file, line, text in data["places"]:
        if not file.startswith("std/"):
            assert Path(file).read_text(encoding="utf-8").splitlines()[line - 1] == text


def test_dropped_cells_have_their_reasons(project: Path) -> None:
    data = data_of(written(project).read_text(encoding="utf-8"))
    (cell,) = data["dropped"]
    assert data["axes"]["gpu"][cell["values"]["gpu"]] == "sm90"
    ((cause, _),) = cell["reasons"]
    assert data["causes"][cause]["because"] == "never"
    assert data["causes"][cause]["place"].startswith("variants.tvar:")
    assert data["matrices"]["all"]["dropped"] == 1
    # Of some variants alone it is not asked what else there might be.
    some = data_of(written(project, "sm90").read_text(encoding="utf-8"))
    assert (len(some["variants"]), some["dropped"]) == (1, [])


def test_findings_are_those_of_check(project: Path) -> None:
    text, _, _ = SMALL.partition("warn same-build")
    put_small(project, text)
    data = data_of(written(project).read_text(encoding="utf-8"))
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
    assert page.elements.count("script") == 2 and page.elements.count("style") == 1
    assert not {"link", "img", "iframe"} & set(page.elements)
    assert evil in json.dumps(data_of(text)).replace('\\"', '"')
    assert "url(" not in text.partition("</style>")[0]


def test_equal_input_gives_equal_bytes(project: Path) -> None:
    first = written(project).read_bytes()
    (project / "page.html").unlink()
    assert written(project).read_bytes() == first
    printed = tvarc("report", "--html", "-")
    assert printed.stdout.encode() == first
    assert str(project) not in printed.stdout


def test_variants_have_the_states_of_a_build(project: Path) -> None:
    names = [one["name"] for one in json.loads(tvarc("list", "--json").stdout)]
    told = [
        {"name": names[0], "state": "failed", "machine": None, "seconds": 7, "log": "logs/a.log"},
        {"name": names[1], "state": "lost", "machine": "ssh-ng://one", "seconds": None},
        {"name": "gone", "state": "built"},
    ]
    (project / "report.json").write_text(json.dumps({"variants": told}), encoding="utf-8")
    result = tvarc("report", "--html", "page.html", "--builds", "report.json")
    assert result.exit_code == exits.OK
    assert result.stderr == "1 variant of `report.json` is not there any more, such as gone\n"
    data = data_of((project / "page.html").read_text(encoding="utf-8"))
    states = {one["name"]: one["state"] for one in data["variants"] if "state" in one}
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


def test_a_page_is_written_again_and_nothing_else_is_overwritten(project: Path) -> None:
    file = written(project)
    assert tvarc("report", "--html", "page.html").stdout == "page.html: 5 variants, as it was\n"
    put_small(project, SMALL.replace('"-a"', '"-b"'))
    assert tvarc("report", "--html", "page.html").stdout == "page.html: 5 variants, written\n"
    file.write_text("<!DOCTYPE html>\n<p>mine</p>\n", encoding="utf-8")
    refused = tvarc("report", "--html", "page.html")
    assert refused.exit_code == exits.FAILED
    assert "E801" in refused.stderr and "--force" in refused.stderr
    assert "mine" in file.read_text(encoding="utf-8")
    assert tvarc("report", "--html", "page.html", "--force").exit_code == exits.OK
    assert "mine" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--html", "no/page.html"), exits.FAILED, "`no/page.html` cannot be written"),
        (("--html", "."), exits.USAGE, "a file is wanted"),
        (("--html", ""), exits.USAGE, "a file is wanted"),
        ((), exits.USAGE, "--html"),
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
    monkeypatch.setattr("tvarc.cli.report._MOST", 4)
    result = tvarc("report", "--html", "page.html")
    assert result.exit_code == exits.FAILED and not (project / "page.html").exists()
    assert "error[E902]: these are 5 variants, and a page has room for 4" in result.stderr
    assert tvarc("report", "sm103", "--html", "page.html").exit_code == exits.OK


def test_a_program_with_errors_has_no_page(project: Path) -> None:
    put_small(project, SMALL.replace("pkgs.hello", "nothing"))
    assert tvarc("report", "--html", "page.html").exit_code == exits.FAILED
    assert not (project / "page.html").exists()


# --- in a browser ------------------------------------------------------------------------------

TILES = "[...document.querySelectorAll('#grid .tile')]"


def detail(browser: Chromium) -> str:
    text = browser.value("document.getElementById('detail').innerText")
    assert isinstance(text, str)
    return text


def tile(name: str) -> str:
    return f"#grid .tile[aria-label^='{name};']"


def choose(browser: Chromium, control: str, value: str) -> None:
    browser.value(
        f"(() => {{ const one = document.getElementById({control!r}); one.value = {value!r}; "
        "one.dispatchEvent(new Event('change')); })()"
    )


@pytest.mark.slow
@in_chromium
def test_a_click_explains_and_a_second_one_compares(project: Path) -> None:
    assert tvarc("build").exit_code == exits.OK
    page = written(project)
    names = [one["name"] for one in data_of(page.read_text(encoding="utf-8"))["variants"]]
    with Chromium() as browser:
        browser.open(page)
        assert browser.value(f"{TILES}.length") == 6  # five, and one that is dropped
        browser.click(tile(names[0]))
        assert detail(browser).startswith(names[0])
        assert "echo fast" in detail(browser) and "attrs.flags" in detail(browser)
        assert browser.value("location.hash") == f"#{names[0]}"
        # A line of its recipe leads to what made it.
        line = "[...document.querySelectorAll('.recipe .line')].find((one) => "
        browser.value(f"{line}one.textContent.includes('\"-a\"')).click()")
        made = browser.value("document.querySelector('.from').innerText")
        assert re.search(r"variants\.tvar:\d+ flags   = \[\"-a\"\]", made)
        # And another variant is held against it.
        browser.click("#detail .act")
        browser.click(tile(names[1]))
        assert detail(browser).startswith(f"{names[0]} \N{RIGHTWARDS ARROW} {names[1]}")
        assert "attrs.pname" in detail(browser) and "attrs.flags" not in detail(browser)
        assert browser.value("document.querySelectorAll('.line.new').length") > 0
        browser.click("#grid .tile.out")
        assert "never" in detail(browser) and "variants.tvar:" in detail(browser)
        assert browser.complaints == []
        # An address shows what it showed.
        browser.open(page, "&".join(names[:2]))
        assert detail(browser).startswith(f"{names[0]} \N{RIGHTWARDS ARROW} {names[1]}")


@pytest.mark.slow
@in_chromium
def test_keys_alone_do_all_of_it(project: Path) -> None:
    page = written(project)
    focus = "document.activeElement"
    with Chromium() as browser:
        browser.open(page)
        for _ in range(12):
            browser.press("Tab")
            if browser.value(f"{focus}.classList.contains('tile')"):
                break
        first = browser.value(f"{focus}.getAttribute('aria-label')").partition(";")[0]
        browser.value(f"{focus}.click()")  # as Enter and the space bar do on a button
        assert detail(browser).startswith(first)
        browser.press("ArrowDown")
        second = browser.value(f"{focus}.getAttribute('aria-label')").partition(";")[0]
        assert second != first
        browser.press("End", "Home", "ArrowRight", "ArrowLeft")
        assert browser.value(f"{TILES}.filter((one) => one.tabIndex === 0).length") == 1
        browser.press("Escape")
        assert "Choose a variant" in detail(browser)
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
def test_rows_columns_colours_and_a_search_are_the_readers(project: Path) -> None:
    page = written(project)
    with Chromium() as browser:
        browser.open(page)
        heads = "[...document.querySelectorAll('#grid tbody th')].map((one) => one.textContent)"
        choose(browser, "rows", "cuda")
        choose(browser, "columns", "gpu")
        assert browser.value(heads) == ["12.8", "13.0"]
        choose(browser, "colour", "axis:gpu")
        legend = "[...document.querySelectorAll('#legend li')].map((one) => one.innerText)"
        assert browser.value(legend) == ["asm90 (1)", "bsm100 (2)", "csm103 (2)"]
        # Colour is never all: each colour is a letter as well.
        letters = (
            f"{TILES}.filter((one) => !one.classList.contains('out')).map((one) => one.textContent)"
        )
        assert sorted(browser.value(letters)) == ["a", "b", "b", "c", "c"]
        choose(browser, "colour", "set:attrs.pname")
        assert len(browser.value(legend)) == 5
        choose(browser, "rows", "")
        choose(browser, "columns", "")
        assert browser.value(f"{TILES}.length") == 6
        browser.value(
            "(() => { const one = document.getElementById('search'); one.value = 'gpu=sm103'; "
            "one.dispatchEvent(new Event('input')); })()"
        )
        browser.wait("document.getElementById('status').textContent === '2 of 5 variants.'")
        dim = f"{TILES}.filter((one) => !one.classList.contains('dim')).map((one) => one.ariaLabel)"
        assert all("sm103" in one for one in browser.value(dim))
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_readable(project: Path, width: int, dark: bool) -> None:
    page = written(project)
    name = data_of(page.read_text(encoding="utf-8"))["variants"][0]["name"]
    texts = "p, h1, h2, h3, th, td, .tile:not(.out), .line span, .value, .note, #legend li"
    with Chromium(width, 800, dark=dark) as browser:
        browser.open(page, name)
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        paper = browser.value("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") != dark
        for one in ("axis:gpu", "set:attrs.pname"):
            choose(browser, "colour", one)
            assert browser.value(contrast(texts)) >= 4.5
        browser.ask("Emulation.setEmulatedMedia", media="print")
        assert browser.value("getComputedStyle(document.querySelector('.controls')).display") == (
            "none"
        )
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
        assert browser.value(f"{TILES}.length") == 8
        choose(browser, "of", "more")
        assert browser.value(f"{TILES}.length") == 2
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
def test_the_matrix_of_the_project_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = written(tmp_path)
    count = len(json.loads(tvarc("list", "--json").stdout))
    with Chromium() as browser:
        browser.open(page)
        assert browser.value(f"{TILES}.filter((one) => !one.classList.contains('out')).length") == (
            count
        )
        assert browser.complaints == []
