"""`tvarc explain --html`: one page that needs nothing else, and in which no text becomes markup.
Its recipes stand beside the sources, each line leads to those that made it: Chromium shows it."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.chromium import PROGRAM, Chromium
from support.command import ROOT, SMALL, put_small, tvarc
from support.html import Read, contrast
from tvarc.cli import exits
from tvarc.report.html import element
from tvarc.report.side_by_side import SIDES_SCRIPT


@given(st.text(), st.text())
def test_no_text_becomes_markup(text: str, value: str) -> None:
    page = element("p", text, element("a", text, href=value), class_=value)
    read = Read(page.text)
    assert read.elements == ["p", "a"]
    assert [key for key, _ in read.attributes] == ["class", "href"]
    printable = st_printable(text)
    assert "".join(read.content) == printable * 2
    assert {given for _, given in read.attributes} == {st_printable(value)}


def st_printable(text: str) -> str:
    """*text* as it comes back: what is no text at all is replaced."""
    from tvarc.report.html import _fits

    return "".join(letter if _fits(letter) else "\ufffd" for letter in text)


def test_the_page_of_a_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = tvarc("explain", "sm103-avx512bf16", "--html")
    assert result.exit_code == exits.OK, result.stderr
    page = Read(result.stdout)
    ids = [value for key, value in page.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert {"attrs.cmakeFlags", "script.preConfigure.flags", "axes.gpu.capability"} <= set(ids)
    links = [value for key, value in page.attributes if key in ("href", "src")]
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    assert not {"link", "img", "iframe"} & set(page.elements)
    assert page.elements.count("script") == page.elements.count("style") == 1
    assert "url(" not in result.stdout.partition("</style>")[0]
    text = "".join(page.content)
    assert "export MAX_JOBS=32" in text
    assert "reads nvidia.sm103.label" in text
    assert "recipe torch-cuda's `=` over recipe torch-base's `=`" in text


def test_a_hostile_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "<script>alert(1)</script>"
    put_small(tmp_path, SMALL.replace('flags   = ["-a"]', f'flags = ["{evil}"]'))
    monkeypatch.chdir(tmp_path)
    result = tvarc("explain", "sm90", "--html")
    page = Read(result.stdout)
    assert page.elements.count("script") == 1
    assert any(evil in text for text in page.content)


def test_a_hostile_script_and_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that ends what it stands in, turns what follows it, or is no name for an anchor."""
    evil = "</pre></details><h1>\u202eabc"
    text = SMALL.replace("echo fast", evil).replace(
        "    flags ", "    \"<b> 'x' #1\" = 1\n    flags "
    )
    put_small(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    result = tvarc("explain", "sm90", "--html")
    assert result.exit_code == exits.OK, result.stderr
    page = Read(result.stdout)
    assert page.elements.count("h1") == 1
    assert any("</pre></details><h1>\ufffdabc" in text for text in page.content)
    ids = [value for key, value in page.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert all(not set(one) & set(" \t\n\"'<>#") for one in ids)
    links = [value for key, value in page.attributes if key == "href"]
    assert all(link.startswith("#") and link[1:] in ids for link in links)


@pytest.mark.parametrize("words", [["sm90", "attrs"], ["E501"], ["sm90", "--json"]])
def test_only_a_variant_is_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = tvarc("explain", *words, "--html")
    assert result.exit_code == exits.USAGE
    assert "a variant alone is made a page of HTML" in result.stderr


# --- recipes beside the sources ----------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page of a variant of a small program that is built, in the current folder."""
    put_small(tmp_path, SMALL)
    monkeypatch.chdir(tmp_path)
    assert tvarc("build").exit_code == exits.OK
    return write_page(tmp_path)


def write_page(folder: Path) -> Path:
    result = tvarc("explain", "sm90", "--html")
    assert result.exit_code == exits.OK, result.stderr
    file = folder / "page.html"
    file.write_text(result.stdout, encoding="utf-8")
    return file


def recipe_of(folder: Path) -> Path:
    (recipe,) = folder.glob("**/*sm90*.nix")
    return recipe.relative_to(folder)


def explained(recipe: Path, line: int) -> tuple[set[str], set[str]]:
    """What `explain FILE.nix:LINE` says that a line is made of, and what is around it."""
    told = json.loads(tvarc("explain", f"{recipe}:{line}", "--json").stdout)
    made, around = (
        {f"{one['file']}:{one['line']}" for one in told[kind]} for kind in ("made", "around")
    )
    return made, around


def test_each_line_leads_where_explain_does(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    recipe = recipe_of(page.parent)
    rows = {
        found[1]: found
        for found in re.finditer(
            r'id="([^"]*)" class="line leads" data-place="([^"]*)"'
            r'(?: data-made="([^"]*)" data-around="([^"]*)")?',
            text,
        )
    }
    assert rows
    lines = recipe.read_text(encoding="utf-8").splitlines()
    for number in range(1, len(lines) + 1):
        row = rows.get(f"recipe:{number}")
        led = [[rows[one][2] for one in row[kind].split()] if row else [] for kind in (3, 4)]
        assert (set(led[0]), set(led[1])) == explained(recipe, number)
    # All sources that a line leads to are there, with what stands on it.
    for found in re.finditer(r'id="source\d+:\d+".*?data-place="(.*?):(\d+)".*?</div>', text):
        if not found[1].startswith("std/"):
            source = Path(found[1]).read_text(encoding="utf-8").splitlines()[int(found[2]) - 1]
            shown = "".join(Read(found[0].join(("<div ", ""))).content)
            assert shown.removeprefix(found[2]) == source


def test_the_policy_of_the_page_names_its_script_and_its_style(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;; ")
    for name in ("style", "script"):
        (inner,) = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
        digest = b64encode(sha256(inner.encode()).digest()).decode()
        assert f"{name}-src &#39;sha256-{digest}&#39;" in policy
    assert SIDES_SCRIPT in text


def test_what_stands_on_no_line_is_told(page: Path) -> None:
    put_small(page.parent, SMALL.replace('["-a"]', '["-a", "-b"]\n    flags -= ["-b"]'))
    text = "".join(Read(write_page(page.parent).read_text(encoding="utf-8")).content)
    assert "on no line" in text
    assert 'attrs.flags: "-b" is taken out' in text


def test_a_program_without_outputs_shows_its_recipe(page: Path) -> None:
    """It is the recipe that an output beside the program would write, line for line."""
    before, output, _ = SMALL.partition("output ")
    put_small(page.parent, f'{before}{output}here {{ file = "{{{{variant}}}}.nix" }}')
    assert tvarc("build").exit_code == exits.OK
    (recipe,) = page.parent.glob("*sm90.nix")
    written = recipe.read_text(encoding="utf-8").splitlines()
    put_small(page.parent, before)
    text = write_page(page.parent).read_text(encoding="utf-8")
    assert f"{recipe.name}, which no output writes" in text
    codes = re.findall(r"<code>(.*?)</code>", text)
    shown = ["".join(Read(code).content) for code in codes[: len(written)]]
    assert shown == written


# --- in a browser ------------------------------------------------------------------------------

in_chromium = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="Chromium is not installed"
)

MARKED = """(kind) => [...document.querySelectorAll(`.pane .line.${kind}`)]
    .map((row) => row.dataset.place)"""


def marked(browser: Chromium, kind: str) -> list[str]:
    found = browser.value(f"({MARKED})({kind!r})")
    assert isinstance(found, list)
    return found


def row(place: str) -> str:
    return f'.leads[data-place="{place}"]'


@pytest.mark.slow
@in_chromium
def test_mouse_and_keys_lead_to_the_source_and_back(page: Path) -> None:
    recipe = recipe_of(page.parent)
    lines = recipe.read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if '"-a"' in line)
    made, around = explained(recipe, number)
    place = f"{recipe.name}:{number}"
    with Chromium() as browser:
        browser.open(page)
        assert marked(browser, "chosen") == []
        browser.value(f"document.querySelector('{row(place)}').scrollIntoView({{block: 'center'}})")
        browser.click(row(place))
        assert marked(browser, "chosen") == [place]
        assert set(marked(browser, "made")) == made
        assert set(marked(browser, "around")) == around
        assert browser.value("location.hash") == f"#recipe:{number}"
        status = browser.value("document.getElementById('status').textContent")
        assert status.startswith(f"{place}: ") and all(one in status for one in made)
        # What most is made of it is seen, and the keys go there and back.
        browser.press("ArrowRight")
        (source,) = marked(browser, "chosen")
        assert source in made and place in marked(browser, "made")
        assert browser.value("document.activeElement.dataset.place") == source
        browser.press("ArrowLeft")
        assert marked(browser, "chosen") == [place]
        browser.press("ArrowDown", "ArrowUp", "Enter", "Enter")
        assert marked(browser, "chosen") == [place]
        browser.press("Home")
        assert marked(browser, "chosen") == [f"{recipe.name}:1"]
        browser.press("Escape")
        assert marked(browser, "chosen") == marked(browser, "made") == []
        # And from a source by the mouse, to all lines that it has to do with.
        browser.value(
            f"document.querySelector('{row(source)}').scrollIntoView({{block: 'center'}})"
        )
        browser.click(row(source))
        expected = {
            f"{recipe.name}:{n}"
            for n in range(1, len(lines) + 1)
            if source in explained(recipe, n)[0]
        }
        found = {one for one in marked(browser, "made") if one.startswith(recipe.name)}
        assert found == expected
        assert browser.complaints == []


@pytest.mark.slow
@in_chromium
def test_one_tab_a_side_and_an_address_for_each_line(page: Path) -> None:
    with Chromium() as browser:
        browser.open(page, "recipe:2")
        recipe = recipe_of(page.parent).name
        assert marked(browser, "chosen") == [f"{recipe}:2"]
        assert browser.value("scrollY") == 0
        browser.open(page)
        sides = []
        for _ in range(2):
            browser.press("Tab")
            pane = "document.activeElement.closest('.pane')"
            sides.append(browser.value(f"{pane} && {pane}.getAttribute('aria-label')"))
        assert sides == ["Recipe", "Sources"]
        browser.press("Tab")
        assert browser.value("document.activeElement.closest('nav') !== null")


ADDED = """document.body.append(
    Object.assign(document.createElement("script"), { text: "ran = 1" }))"""


@pytest.mark.slow
@in_chromium
def test_no_text_of_a_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "</script><script>ran = 1</script><img src=x onerror='ran = 1'>"
    put_small(tmp_path, SMALL.replace('flags   = ["-a"]', f'flags = ["{evil}"]'))
    monkeypatch.chdir(tmp_path)
    with Chromium() as browser:
        browser.open(write_page(tmp_path))
        assert browser.value("typeof ran") == "undefined"
        assert browser.value("document.images.length") == 0
        # Nor would it if the printer failed to quote it: the policy names one script.
        browser.value(ADDED)
        assert browser.value("typeof ran") == "undefined"
        assert any("Content Security Policy" in one for one in browser.complaints)


@pytest.mark.slow
@in_chromium
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_is_readable(page: Path, width: int, dark: bool) -> None:
    with Chromium(width, 800, dark=dark) as browser:
        browser.open(page, "recipe:1")
        assert browser.value("document.documentElement.scrollWidth <= innerWidth")
        assert browser.value(
            "[...document.querySelectorAll('.pane')].every((one) => "
            "one.scrollWidth <= one.clientWidth && one.clientHeight > 200)"
        )
        recipe, sources = browser.value(
            "[...document.querySelectorAll('.pane')].map((one) => one.getBoundingClientRect().top)"
        )
        assert (recipe == sources) == (width > 800)  # side by side, or one above the other
        paper = browser.value("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") != dark
        assert browser.value(contrast("code, .number, .from, .status, h1, h2, .gap, .note")) >= 4.5


@pytest.mark.slow
@in_chromium
def test_paper_shows_all_of_it(page: Path) -> None:
    with Chromium() as browser:
        browser.open(page)
        assert browser.printed().startswith(b"%PDF-")
        assert browser.value("[...document.querySelectorAll('details')].every((one) => one.open)")
        browser.ask("Emulation.setEmulatedMedia", media="print")
        assert browser.value(
            "[...document.querySelectorAll('.pane')].every((one) => "
            "one.scrollHeight === one.clientHeight)"
        )
        assert browser.value("getComputedStyle(document.querySelector('.from')).display") != "none"
