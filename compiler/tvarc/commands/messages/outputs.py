"""Messages on files that a build writes, in whole or in part."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

MANIFEST_NOT_UTF8: Final = Message(
    "E805",
    "`{file}` cannot be edited: line {line} of it is not UTF-8",
    label="this output adds entries to it",
    help="save it as UTF-8, as TOML requires, and build again; nothing was written",
)

BAD_MANIFEST: Final = Message(
    "E805",
    "`{file}` cannot be edited: {reason}",
    label="{label}",
    other="this output adds entries to it",
    help=("{advice}", "fix the file, and build again; nothing was written"),
)

ENTRY_IN_THE_WAY: Final = Message(
    "E801",
    "entry `{name}` of `{file}` is in the way: it {why}",
    label="differs from the program",
    help="to keep it, leave out the variant with `only`; to replace it, build with `--adopt`, "
    "which shows the differences and keeps a copy, or with `--force`, which keeps no copy",
)

PAGE_NOT_UTF8: Final = Message(
    "E807",
    "`{file}` cannot be filled in: line {line} of it is not UTF-8",
    label="this output fills in parts of the page",
    help="save the page as UTF-8, and build again; nothing was written",
)

PAGE_WITHOUT_MARK: Final = Message(
    "E807",
    "`{file}` has no mark where output `{output}` can write",
    label="a page without a mark",
    help="write the marks where the text should go: `{begin}`, and below it `{end}`",
)

PART_WITHOUT_END: Final = Message(
    "E807",
    "a part of `{file}` has no end",
    label="begins here",
    help="below it write `{end}`",
)

PART_WITHOUT_BEGINNING: Final = Message(
    "E807",
    "a part of `{file}` has no beginning",
    label="ends here",
    help="above it write `{begin}`",
)

MARK_WITHOUT_NAME: Final = Message(
    "E807",
    "a mark of `{file}` does not name a part",
    label="a name is missing here",
    help="name one of {known}, or `axis NAME`",
)

UNKNOWN_PART: Final = Message(
    "E807",
    "a part of `{file}` cannot be filled in: there is no {what} `{word}`",
    notes=("you can write: {known}",),
    help=DID_YOU_MEAN,
)

PART_WITHOUT_NAME: Final = Message(
    "E807",
    "a part of `{file}` cannot be filled in: the mark names no {what}",
    notes=("you can write: {known}",),
)

EDITED_PART: Final = Message(
    "E801",
    "part `{part}` of `{file}` was changed by hand since it was written",
    label="the text below is not what tvarc wrote",
    help="move your own text below the mark that ends the part; to replace the part, build with "
    "`--adopt`, which shows the differences and keeps a copy, or with `--force`, which keeps no "
    "copy",
)

FILES_OUT_OF_DATE: Final = Message(
    "E804", "1 file is out of date", many="{count} files are out of date", help="run `{command}`"
)

SHARED_OUT_OF_DATE: Final = Message(
    "E804",
    "`{file}` is out of date",
    many="{count} {kind} are out of date",
    help="run `{command}`",
)

WORKFLOW_UNSEEN: Final = Message(
    "E808",
    "GitHub would not find the workflow of output `{output}`",
    label="this is `{place}`",
    notes=("GitHub looks for workflows only in `{folder}` at the top of a repository",),
    help="build with `--out {top}`; then the paths of all outputs begin at that folder",
)

WORKFLOW_APART: Final = Message(
    "E808",
    "the workflow of output `{output}` would not find its program",
    label="this is in the repository `{top}`",
    notes=(
        "`{program}` is not in that repository, and the workflow runs `tvarc jobs` on it",
    ),
    help="build into the repository of the program, or move the program into this one",
)

UNTRACKED_INPUT: Final = Message(
    "E703",
    "input `{name}` cannot be shared",
    label="git does not track this folder",
    notes=("the recipes use this folder, but a clone of this repository does not contain it",),
    help="run `git add` on it, or write a `github` or a `url` instead of the `path`",
)
