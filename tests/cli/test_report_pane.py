"""The pane of a variant in `tvarc report --html`, on a page that needs nothing else, and in which
no text becomes markup. Its recipes are beside the sources, and each line leads to those that made
it: Chromium shows it."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.chromium import PROGRAM, Chromium, axe
from support.command import ROOT, SMALL, put_small, tvarc
from support.html import Read, page_data, page_entries
from tvarc.commands.line import exits
from tvarc.commands.shown.html import element
from tvarc.files.resources import page_text

TURNING = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
"""Characters that change the direction of the text after them."""


@pytest.mark.slow
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

    def fits(letter: str) -> bool:
        code = ord(letter)
        unpaired = unicodedata.category(letter) == "Cs"
        control = unicodedata.category(letter) == "Cc" and letter not in "\n\t"
        nothing = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
        return not (unpaired or control or nothing or unicodedata.bidirectional(letter) in TURNING)

    return "".join(letter if fits(letter) else "\ufffd" for letter in text)


@pytest.mark.slow
def test_the_page_of_a_variant_has_its_settings_and_loads_nothing(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = tvarc("report", "sm103-avx512bf16", "--html", "-", code=exits.OK)
    page = Read(result.stdout)
    assert not {"link", "img", "iframe", "a"} & set(page.elements)
    assert page.elements.count("script") == 3 and page.elements.count("style") == 1
    assert "url(" not in result.stdout.partition("</style>")[0]
    entries = page_entries(result.stdout)
    assert {"attrs.cmakeFlags", "script.preConfigure.flags", "axes.gpu.capability"} <= set(entries)
    assert "export MAX_JOBS=32" in entries["script.preConfigure.flags"]["text"]
    notes = [note for one in entries.values() for note in one["notes"]]
    assert any(note.startswith("reads nvidia.sm103.label") for note in notes)
    assert any("recipe torch-cuda's `=` over recipe torch-base's `=`" in note for note in notes)


def test_a_hostile_program(here: Path) -> None:
    """Text that ends what it is in, turns what follows it, or is no name for an anchor."""
    evil = "</script></pre><h1><script>alert(1)</script>\u202eabc"
    text = SMALL.replace('flags   = ["-a"]', f'flags = ["{evil}"]').replace("echo fast", evil)
    text = text.replace("    flags ", "    \"<b> 'x' #1\" = 1\n    flags ")
    put_small(here, text)
    result = tvarc("report", "sm90", "--html", "-", code=exits.OK)
    page = Read(result.stdout)
    assert page.elements.count("script") == 3 and page.elements.count("h1") == 1
    assert any(evil in one["text"] for one in page_data(result.stdout)["entries"])


# --- recipes beside the sources ----------------------------------------------------------------

VARIANT = "hello-cuda12_8-sm90"


@pytest.fixture
def page(here: Path) -> Path:
    """The page of a variant of a small program that is built, in the current folder."""
    put_small(here, SMALL)
    assert tvarc("build").exit_code == exits.OK
    return write_page(here)


def write_page(folder: Path) -> Path:
    result = tvarc("report", "sm90", "--html", "-", code=exits.OK)
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


@pytest.mark.slow
def test_each_line_leads_where_explain_does(page: Path) -> None:
    data = page_data(page.read_text(encoding="utf-8"))
    recipe = recipe_of(page.parent)
    (file,) = data["variants"][0]["files"]
    lines = recipe.read_text(encoding="utf-8").splitlines()
    assert len(file["lines"]) == len(lines)
    for number, line in enumerate(file["lines"], 1):
        text, *sets = data["lines"][line]
        assert data["texts"][text] == lines[number - 1]
        made, around = (
            {"{}:{}".format(*data["places"][one]) for one in data["sets"][some]} for some in sets
        )
        assert (made, around - made) == explained(recipe, number)


def test_the_policy_of_the_page_names_its_script_and_its_style(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;; ")
    for name in ("style", "script"):
        inner = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)[-1]
        digest = b64encode(sha256(inner.encode()).digest()).decode()
        assert f"{name}-src &#39;sha256-{digest}&#39;" in policy
    assert page_text("pane.js") + page_text("matrix.js") in text


def test_what_stands_on_no_line_is_told(page: Path) -> None:
    put_small(page.parent, SMALL.replace('["-a"]', '["-a", "-b"]\n    flags -= ["-b"]'))
    data = page_data(write_page(page.parent).read_text(encoding="utf-8"))
    assert 'attrs.flags: "-b" is removed' in [one for one, _ in data["variants"][0]["beside"]]


def test_other_variants_are_not_decided(page: Path) -> None:
    """What is wrong with one of them keeps no page from being written."""
    wrong = SMALL.replace('flags   = ["-a"]', 'flags = if gpu == sm90 then ["-a"] else [][0]')
    put_small(page.parent, wrong)
    assert tvarc("report", "--html", "-").exit_code == exits.FAILED
    data = page_data(write_page(page.parent).read_text(encoding="utf-8"))
    assert [one["name"] for one in data["variants"]] == [VARIANT]


@pytest.mark.slow
def test_a_program_without_outputs_shows_its_recipe(page: Path) -> None:
    """It is the recipe that an output beside the program would write, line for line."""
    before, output, _ = SMALL.partition("output ")
    put_small(page.parent, f'{before}{output}here {{ file = "{{{{variant}}}}.nix" }}')
    assert tvarc("build").exit_code == exits.OK
    (recipe,) = page.parent.glob("*sm90.nix")
    written = recipe.read_text(encoding="utf-8").splitlines()
    put_small(page.parent, before)
    data = page_data(write_page(page.parent).read_text(encoding="utf-8"))
    (variant,) = data["variants"]
    assert variant["written"] is False
    (file,) = variant["files"]
    assert file["path"] == recipe.name
    assert [data["texts"][data["lines"][line][0]] for line in file["lines"]] == written


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


BUTTON = "[...document.querySelectorAll('#detail .head button')].at(-1)"


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
        assert marked(browser, "chosen") == []  # the one variant of the page is shown
        browser.value(f"document.querySelector('{row(place)}').scrollIntoView({{block: 'center'}})")
        browser.click(row(place))
        assert marked(browser, "chosen") == [place]
        assert set(marked(browser, "made")) == made
        assert set(marked(browser, "around")) == around
        assert browser.value("location.hash") == f"#{VARIANT}&recipe:{number}"
        status = browser.value("document.querySelector('.told').textContent")
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
        browser.value(f"{BUTTON}.focus()")
        sides = []
        for _ in range(2):
            browser.press("Tab")
            pane = "document.activeElement.closest('.pane')"
            sides.append(browser.value(f"{pane} && {pane}.getAttribute('aria-label')"))
        assert sides == ["Recipe", "Sources"]
        browser.press("Tab")
        assert browser.value("document.activeElement.tagName") == "SUMMARY"
        # The address may name the variant, and may change while the page is open.
        browser.open(page, f"{VARIANT}&recipe:2")
        assert marked(browser, "chosen") == [f"{recipe}:2"]
        last = browser.value("[...document.querySelectorAll('.pane .leads')].at(-1).row.id")
        assert last.startswith("source")
        browser.value(f"location.hash = '#{last}'")
        browser.wait(f"document.querySelector('.pane .chosen')?.row.id === '{last}'")
        assert browser.value("location.hash") == f"#{VARIANT}&{last}"
        # And one for each setting.
        browser.open(page, "axes.gpu.capability")
        assert browser.value("document.querySelector('tr.found th').innerText") == (
            "axes.gpu.capability"
        )
        assert browser.value("document.querySelector('tr.found').getBoundingClientRect().top > 0")


ADDED = """document.body.append(
    Object.assign(document.createElement("script"), { text: "ran = 1" }))"""


@pytest.mark.slow
@in_chromium
def test_no_text_of_a_program_runs(here: Path) -> None:
    evil = "</script><script>ran = 1</script><img src=x onerror='ran = 1'>"
    put_small(here, SMALL.replace('flags   = ["-a"]', f'flags = ["{evil}"]'))
    with Chromium() as browser:
        browser.open(write_page(here))
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
        assert axe(browser) == []


@pytest.mark.slow
@in_chromium
def test_paper_shows_all_of_it(page: Path) -> None:
    with Chromium() as browser:
        browser.open(page)
        assert browser.printed().startswith(b"%PDF-")
        folds = "[...document.querySelectorAll('#detail details')]"
        assert browser.value(f"{folds}.every((one) => one.open)")
        browser.ask("Emulation.setEmulatedMedia", media="print")
        assert browser.value(
            "[...document.querySelectorAll('.pane')].every((one) => "
            "one.scrollHeight === one.clientHeight)"
        )
        assert browser.value("getComputedStyle(document.querySelector('.from')).display") != "none"


@pytest.mark.slow
def test_html_means_the_file_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is such a page is written again, anything else is in the way."""
    monkeypatch.chdir(put_small(tmp_path).parent)
    for words in (("report",), ("report", "sm90")):
        name = f"{len(words)}.html"
        done = tvarc(*words, "--html", name)
        assert done.exit_code == exits.OK and f"{name}: " in done.stdout, done.output
        written = Path(name).read_text(encoding="utf-8")
        assert written.startswith("<!DOCTYPE html>")
        assert written == tvarc(*words, "--html", "-").stdout
        assert "unchanged" in tvarc(*words, "--html", name).stdout
        Path(name).write_text(written + "<!-- older -->", encoding="utf-8")
        assert "written" in tvarc(*words, "--html", name).stdout
        Path(name).write_text("mine\n", encoding="utf-8")
        refused = tvarc(*words, "--html", name)
        assert refused.exit_code == exits.FAILED and "error[E801]" in refused.stderr
        assert "help: move it away, or add `--force`" in refused.stderr
        assert Path(name).read_text(encoding="utf-8") == "mine\n"
        assert tvarc(*words, "--html", name, "--force").exit_code == exits.OK
        assert tvarc(*words, "--html", ".").exit_code == exits.USAGE
