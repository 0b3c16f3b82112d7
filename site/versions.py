"""Adds a version to a site of several: `python site/versions.py SITE NAME FOLDER`.

FOLDER, the pages of the version NAME, becomes SITE/NAME. SITE gets `versions.json`, which the
selector of the theme reads from the folder above its pages, and an `index.html` that leads to the
newest release. Nothing in them is an address, so SITE may be anywhere.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
import sys
from pathlib import Path

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names that are a folder, and the same in an address."""
RELEASE = re.compile(r"\d+(?:\.\d+)*")
LIST = "versions.json"
_INDEX = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={0}/">
<title>tvarc</title>
<a href="{0}/">tvarc {0}</a>
"""


def in_order(names: set[str]) -> list[str]:
    """*names* as the selector has them: releases from the newest on, then everything else."""
    releases = [name for name in names if RELEASE.fullmatch(name)]
    releases.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    return [*releases, *sorted(names - {*releases})]


def listed(site: Path) -> list[str]:
    """The versions that *site* has, the one that it leads to first."""
    return in_order({path.parent.name for path in site.glob("*/index.html")})


def add(site: Path, name: str, folder: Path) -> None:
    """Move *folder* into *site* as the version *name*. It replaces an earlier version of that name.

    Raises `ValueError` if *name* cannot be a folder.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"`{name}` cannot be the name of a version: use letters, digits, `.`, `-`")
    site.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(site / name, ignore_errors=True)
    shutil.move(folder, site / name)
    names = listed(site)
    entries = [
        {"version": one, "title": one, "aliases": ["latest"] if one == names[0] else []}
        for one in names
    ]
    (site / LIST).write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")
    (site / "index.html").write_text(_INDEX.format(html.escape(names[0])), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("name")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    try:
        add(given.site, given.name, given.folder)
    except ValueError as fault:
        sys.exit(f"error: {fault}")


if __name__ == "__main__":
    main()
