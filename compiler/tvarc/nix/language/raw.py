"""Nix text that a user wrote: whether it needs parentheses, and the layout of its lines."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING
from tvarc.nix.language.document import HARDLINE, INDENT, Doc, Verbatim, concat, nest, separated
from tvarc.nix.language.quoting import check_text, is_identifier
from tvarc.text.diagnostics.model import CompilerBug

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines


def raw(text: str, made: tuple[Lines, ...] = ()) -> Doc:
    """The text, in parentheses unless it is clearly one operand. *made* are the source lines of its
    lines, if it is traced."""
    before = len(check_text(text)) - len(text.lstrip(" \t\r\n"))
    made = made[text.count("\n", 0, before) :]
    text = text.strip(" \t\r\n")
    if not text:
        raise CompilerBug("empty Nix text")
    if made:
        return _mapped(text, made[: text.count("\n") + 1])
    return _laid_out(text)


def _mapped(text: str, made: tuple[Lines, ...]) -> Doc:
    """The text that `raw` returns without tracing, in which each line has its source lines."""
    from tvarc.nix.language.document import tagged

    if len(made) > 1 and not is_atomic(text) and _may_indent(text):
        docs = [tagged(line, one, 0) for line, one in zip(_dedented(text), made, strict=False)]
        return concat("(", nest(HARDLINE, *separated(HARDLINE, docs)), HARDLINE, ")")
    doc = _laid_out(text)
    for one in made:
        doc = tagged(doc, one, 0)
    return doc


def _laid_out(text: str) -> Doc:
    if is_atomic(text):
        return text
    if "\n" not in text:
        if "#" not in text:
            return "(" + text + ")"
        # A comment would hide the parenthesis.
        return concat("(", nest(HARDLINE, text), HARDLINE, ")")
    if _may_indent(text):
        lines: list[Doc] = list(_dedented(text))
        return concat("(", nest(HARDLINE, *separated(HARDLINE, lines)), HARDLINE, ")")
    end: Doc = HARDLINE if "#" in text[text.rfind("\n") :] else ""
    return concat("(", Verbatim(text), end, ")")


def is_atomic(text: str) -> bool:
    """Whether the text is a name, an attribute path, a number or a string without escapes."""
    if text.isascii() and text.isdigit():
        return True
    if len(text) >= 2 and text[0] == text[-1] == '"':
        inner = text[1:-1]
        return not any(char in inner for char in '"\\$\n\r')
    return all(map(is_identifier, text.split(".")))


def _may_indent(text: str) -> bool:
    """Whether no string can have a line end, so that blanks at the beginning of lines have no
    meaning.

    Without block strings, escapes, interpolations and block comments, a line with an even number of
    quotes leaves the next line outside of a string.
    """
    if any(token in text for token in ("''", "\\", "${", "/*", "\r")):
        return False
    return all(line.count('"') % 2 == 0 for line in text.split("\n"))


def _dedented(text: str) -> list[str]:
    """The lines without trailing blanks, and without the indentation that the later lines share.

    The first line has no indentation, because the text begins there. Later lines stay one level
    deeper, unless the last one closes what the first one opens.
    """
    first, *later = [line.rstrip(" \t") for line in text.split("\n")]
    shared = min(len(line) - len(line.lstrip(" ")) for line in later if line)
    if later[-1].lstrip(" ")[0] not in ")]}":
        shared = max(shared - INDENT, 0)
    return [first, *[line[shared:] for line in later]]
