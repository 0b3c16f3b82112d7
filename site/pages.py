"""Prepares the site: `python site/pages.py FOLDER` writes what Zensical and MkDocs read.

FOLDER gets `mkdocs.yml` and `pages/`. Each page has the path that it has in the repository, so that
links lead to the same place here and there. Files of other kinds that pages link to are copied
too. Below the entries of `mkdocs.yml` that are a table, such as the list of commands, the
navigation gets a page for each row. With `--repository URL` pages have a link for editing. With
`--version NAME` they have the theme's selector of versions, which `site/versions.py` lists.
"""

from __future__ import annotations

import argparse
import base64
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from tvarc import api
from tvarc.commands.table import COMMANDS
from tvarc.text.diagnostics.registry import groups

ROOT = Path(__file__).resolve().parents[1]
CONFIG = "mkdocs.yml"
PAGES = "pages"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCED = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```tvar\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLAYGROUND = "playground/"
"""Where the site has it: `.ci/site` puts it there."""
NO_FILE = "E106"
Nav = list[Any]
"""Entries of a navigation: a path, or a title with a path or with entries."""


def commands() -> Nav:
    return [f"docs/commands/{name}.md" for name in COMMANDS]


def errors() -> Nav:
    return [{title: [f"docs/errors/{c}.md" for c in codes]} for title, codes in groups().items()]


def examples() -> Nav:
    found = sorted((ROOT / "examples").glob("*/README.md"))
    return [{path.parent.name: path.relative_to(ROOT).as_posix()} for path in found]


TABLES: dict[str, Callable[[], Nav]] = {
    "docs/commands/README.md": commands,
    "docs/errors/README.md": errors,
    "examples/README.md": examples,
}
"""What follows in the navigation below the page of a table."""


def expanded(nav: Nav) -> Nav:
    """*nav* with the pages of each row below those of tables."""
    found: Nav = []
    for entry in nav:
        if isinstance(entry, str):
            found.append(entry)
            continue
        ((title, inner),) = entry.items()
        if isinstance(inner, list):
            found.append({title: expanded(inner)})
        elif inner in TABLES:
            found.append({title: [inner, *TABLES[inner]()]})
        else:
            found.append(entry)
    return found


def paths(nav: Nav) -> Iterator[str]:
    """The pages of *nav*, in order."""
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            (inner,) = entry.values()
            yield from paths(inner) if isinstance(inner, list) else [inner]


def linked(page: str) -> Iterator[str]:
    """The files beside the pages that *page* links to, by their paths in the repository."""
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    for found in LINK.finditer(text):
        if "://" not in found[1]:
            path = (ROOT / page).parent.joinpath(found[1]).resolve()
            if path.is_file() and path.suffix != ".md":
                yield path.relative_to(ROOT).as_posix()


def placed(path: str) -> str:
    """Where a file stands in the site: sites leave out what begins with a dot."""
    return "/".join(step.lstrip(".") if step != ".." else step for step in path.split("/"))


def opened(page: str, label: str, program: str = "") -> str:
    """The HTML of a link from *page* that opens the playground, with *program* in it."""
    up = "../" * len(page.removesuffix(".md").split("/"))
    encoded = base64.urlsafe_b64encode(program.encode()).decode().rstrip("=")
    anchor = f"#p={encoded}" if program else ""
    return f'<p><a href="{up}{PLAYGROUND}{anchor}">{label}</a></p>'


def page_text(page: str) -> str:
    """The text of *page* as the site has it. The programs on the page of an error get a link that
    opens them in the playground."""
    text = site_links(page)
    if page.startswith("docs/errors/"):
        return PROGRAM.sub(lambda one: one[0] + try_it(page, one[1]), text)
    if page == "docs/playground.md":
        title, _, rest = text.partition("\n")
        return f"{title}\n\n{opened(page, 'Open the playground')}\n{rest}"
    return text


def try_it(page: str, program: str) -> str:
    """What follows a *program* on *page*: a link, but not for one that names files, which the
    playground does not have."""
    if any(one.code == NO_FILE for one in api.compile(program).diagnostics):
        return ""
    return f"\n\n{opened(page, 'Try it', program)}"


def site_links(page: str) -> str:
    """The text of *page*, its links made those of the site."""

    def link(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        return found[0] if "://" in target else f"{placed(target)}{anchor}"

    text = (ROOT / page).read_text(encoding="utf-8")
    parts: list[str] = []
    end = 0
    for fence in FENCED.finditer(text):
        parts += [LINK.sub(link, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(link, text[end:])])


def first_sentence(page: str) -> tuple[str, str]:
    """The title of *page*, and the first sentence below it, without links."""
    text = (ROOT / page).read_text(encoding="utf-8")
    title, _, rest = text.partition("\n")
    blocks = [block for block in FENCED.sub("", rest).split("\n\n") if block.strip()]
    prose = next((block for block in blocks if block.strip()[0] not in "#`<|-!["), "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(prose.split()))
    return title.strip("# `"), re.split(r"(?<=[.?!])\s", plain, maxsplit=1)[0]


def llms_text(config: dict[str, Any]) -> str:
    """`llms.txt`: the pages for a program that reads them, which get them as Markdown."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}.", ""]
    for part in config["nav"]:
        ((title, inner),) = part.items()
        lines += [f"## {title}", ""]
        for page in paths(inner):
            name, sentence = first_sentence(page)
            lines.append(f"- [{name}]({page}.txt){f': {sentence}' if sentence else ''}")
        lines.append("")
    return "\n".join(lines)


def prepare(folder: Path, repository: str, version: str = "") -> None:
    """Write the configuration, the pages and the files that they link to into *folder*. A site of
    one *version* among several has a selector."""
    config = yaml.safe_load((ROOT / CONFIG).read_text(encoding="utf-8"))
    short = llms_text(config)
    config["nav"] = expanded(config["nav"])
    if repository:
        config["repo_url"] = repository.rstrip("/")
    else:
        del config["edit_uri"]
        config["theme"]["features"].remove("content.action.edit")
    if version:  # the theme reads `versions.json` above its pages, as the tool mike writes it
        config["extra"] = {"version": {"provider": "mike"}}
    target = folder / PAGES
    shutil.rmtree(target, ignore_errors=True)
    pages = list(paths(config["nav"]))
    for page in pages:
        place = target / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page_text(page), encoding="utf-8")
    for file in sorted({file for page in pages for file in linked(page)}):
        place = target / PurePosixPath(placed(file))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, place)
    (target / "llms.txt").write_text(short, encoding="utf-8")
    for page in pages:  # for `llms.txt`: a file that is no page is copied as it is
        shutil.copyfile(target / page, target / f"{page}.txt")
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    (folder / CONFIG).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repository", default="", metavar="URL")
    parser.add_argument("--version", default="", metavar="NAME")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    prepare(given.folder, given.repository, given.version)


if __name__ == "__main__":
    main()
