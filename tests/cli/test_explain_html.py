"""`tvarc explain --html`: one page that needs nothing else, and in which no text becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.command import ROOT, SMALL, put_small, tvarc
from tvarc.cli import exits
from tvarc.report.html import element

_INLINE = {"a", "b", "span"}


class Read(HTMLParser):
    """What a page is: its elements, its attributes, its text. It must nest well."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.content: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        if tag != "meta":
            # What browsers take for the end of a summary, or of a text.
            assert not {"summary", "pre", "span", "a"} & set(self.open) or tag in _INLINE
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.content.append(data)


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
    assert not {"script", "link", "img", "iframe"} & set(page.elements)
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
    assert "script" not in page.elements
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
