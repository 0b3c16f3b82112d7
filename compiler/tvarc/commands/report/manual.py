"""Manual pages, made of the table of the commands."""

from __future__ import annotations

from tvarc import __version__
from tvarc.commands.report.roff import Block, Item, Page, Paragraph, Run, Section, Words, print_roff
from tvarc.commands.table import ABOUT, COMMANDS, ROOT, Command, Parameter
from tvarc.light import Final, Iterator, Sequence

PROGRAM: Final = "tvarc"

Exits = Sequence[tuple[int, str]]
"""Exit codes, each with what it means."""


def pages(exits: Exits) -> Iterator[tuple[str, str]]:
    """The name of the file of each page, and its text."""
    for page in (main_page(exits), *[page_of(name, exits) for name in COMMANDS]):
        yield f"{page.name}.1", print_roff(page)


def main_page(exits: Exits) -> Page:
    """The page of the program, which names the others."""
    blocks: list[Block] = [
        *_head(PROGRAM, ABOUT, (Run(PROGRAM, "bold"), Run(" [OPTIONS] COMMAND [ARGUMENTS]"))),
        Section("commands"),
        *[
            Item((Run(f"{PROGRAM}-{name}", "bold"), Run("(1)")), _prose(one.summary))
            for name, one in COMMANDS.items()
        ],
        Section("options"),
        *[Item((Run(option, "bold"),), _prose(text)) for option, text in ROOT.items()],
        *_exits(exits),
    ]
    return Page(PROGRAM, f"{PROGRAM} {__version__}", tuple(blocks))


def page_of(name: str, exits: Exits) -> Page:
    """The page of the command *name*."""
    one = COMMANDS[name]
    own = f"{PROGRAM}-{name}"
    words = [one for one in one.parameters if not one.option]
    options = [one for one in one.parameters if one.option]
    blocks: list[Block] = [
        *_head(own, one.help, _synopsis(name, one)),
        *([Section("arguments")] if words else ()),
        *[Item((Run(word.metavar, "italic"),), _prose(word.help)) for word in words],
        Section("options"),
        *[Item(_option(option), _prose(option.meaning)) for option in options],
        *_exits(exits),
        Section("see also"),
        Paragraph((Run(PROGRAM, "bold"), Run("(1)"))),
    ]
    return Page(own, f"{PROGRAM} {__version__}", tuple(blocks))


def _head(name: str, about: str, synopsis: Words) -> Iterator[Block]:
    """The name, with the first sentence about it, by which a page is found; how it is called; then
    all that there is to say."""
    first = about.partition(". ")[0].removesuffix(".")
    yield Section("name")
    yield Paragraph((Run(f"{name} - {first[:1].lower()}{first[1:]}"),))
    yield Section("synopsis")
    yield Paragraph(synopsis)
    yield Section("description")
    yield Paragraph(_prose(about))


def _synopsis(name: str, one: Command) -> Words:
    words = [Run(f" {word.metavar}", "italic") for word in one.parameters if not word.option]
    return (Run(f"{PROGRAM} {name}", "bold"), Run(" [OPTIONS]"), *words)


def _option(one: Parameter) -> Words:
    spelt = f"{one.short}, {one.option}" if one.short else one.option
    value = one.metavar or (f"[{'|'.join(one.choices)}]" if one.choices else "")
    return (Run(spelt, "bold"), *([Run(f" {value}", "italic")] if value else ()))


def _exits(exits: Exits) -> Iterator[Block]:
    yield Section("exit status")
    for code, meaning in exits:
        yield Item((Run(str(code), "bold"),), _prose(meaning))


def _prose(text: str) -> Words:
    """Plain words, in which what stands between backticks is typed."""
    parts = enumerate(text.split("`"))
    return tuple([Run(part, "bold" if number % 2 else "plain") for number, part in parts if part])
