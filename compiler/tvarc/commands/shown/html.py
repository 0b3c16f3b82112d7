"""The only printer of HTML: no other module makes markup from text and attributes. A page needs no
other file and no network. Its policy has the digests of its only style sheet and its only script,
so a browser runs nothing else, whatever the texts of a program contain.
"""

from __future__ import annotations

from binascii import b2a_base64

from tvarc.digest import sha256
from tvarc.light import Final, dataclass
from tvarc.values.plain import json_text

_ESCAPED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_KEPT: Final = "\n\t"
_HEAD: Final = 2048  # bytes at the start of a page that name its writer


@dataclass(frozen=True, slots=True)
class Markup:
    """HTML that this printer has made."""

    text: str


def text_of(text: str) -> Markup:
    """*text* as text: none of it is markup, and a character that HTML does not allow becomes
    U+FFFD.
    """
    return Markup("".join([_ESCAPED.get(one, one) if _fits(one) else "\ufffd" for one in text]))


def _fits(letter: str) -> bool:
    code = ord(letter)
    if code < 0x20:
        return letter in _KEPT
    control = 0x7F <= code <= 0x9F or 0xD800 <= code <= 0xDFFF or code & 0xFFFE == 0xFFFE
    turning = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069  # would turn what follows
    return not (control or turning or 0xFDD0 <= code <= 0xFDEF)


def element(name: str, /, *inner: Markup | str, **attributes: str) -> Markup:
    """An element; strings within it are text. `class_` is the attribute `class`, `data_place` the
    attribute `data-place`."""
    named = [(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()]
    head = "".join([f' {key}="{text_of(value).text}"' for key, value in named])
    body = "".join([(one if isinstance(one, Markup) else text_of(one)).text for one in inner])
    return Markup(f"<{name}{head}>{body}</{name}>")


def document(
    title: str,
    *body: Markup,
    style: str,
    script: str = "",
    generator: str = "",
    connects: bool = False,
) -> str:
    """A page. *style* and *script* are files of this compiler, without texts of a program.
    *generator* names the writer, so that the page is recognised. The script may send requests to
    the page's server only if it *connects*.
    """
    policy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    policy.append(f"style-src '{_digest(style)}'")
    policy += [f"script-src '{_digest(script)}'"] if script else []
    policy += ["connect-src 'self'"] if connects else []
    named = [generated_by(generator)] if generator else []
    head = element(
        "head",
        void("meta", charset="utf-8"),
        *named,
        void("meta", http_equiv="Content-Security-Policy", content="; ".join(policy)),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(style)),
    )
    scripts = [element("script", Markup(script))] if script else []
    page = element("html", head, element("body", *body, *scripts), lang="en")
    return f"<!DOCTYPE html>\n{page.text}\n"


def generated_by(name: str) -> Markup:
    """The page's statement about its writer."""
    return void("meta", name="generator", content=name)


def is_written_by(data: bytes, name: str) -> bool:
    """Whether *data* begins like a page with this statement."""
    return generated_by(name).text.encode() in data[:_HEAD]


def data_block(name: str, data: object) -> Markup:
    """*data* for the script of a page, which finds it by the *name* of the element. Browsers do not
    run it, and nothing in it ends the element."""
    text = json_text(data, indent=None).replace("<", "\\u003c").rstrip("\n")
    return element("script", Markup(text), type="application/json", id=name)


def _digest(text: str) -> str:
    """The digest by which a policy names an inline style sheet or script."""
    coded = b2a_base64(sha256(text.encode()).digest(), newline=False)
    return f"sha256-{coded.decode('ascii')}"


def void(name: str, /, **attributes: str) -> Markup:
    """An element that has no content and no end."""
    return Markup(element(name, **attributes).text.removesuffix(f"</{name}>"))
