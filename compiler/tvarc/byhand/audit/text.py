"""An audit as text: the number of files of each kind, the findings by kind, and the content of the
files."""

from __future__ import annotations

from collections import Counter

from tvarc.byhand.audit.model import RecipeFacts, show
from tvarc.byhand.audit.result import (
    UNKNOWN,
    About,
    Audit,
    AuditedFile,
    Finding,
    Share,
    State,
    about,
    help_for,
    named,
)
from tvarc.light import Final, Iterator
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted

_GROUPED: Final = 8
_LINES: Final = 5
_FILES: Final = 3
_MORE: Final = 12
_CUT: Final = 200
_HELPS: Final = 3  # for each code
COMPARED: Final = (
    "compared: pin, config, overlays, package, name, arguments, attributes, variables, scripts "
    "with all their text, platforms; not compared: the rest of meta, passthru"
)
_OWNERS: Final = ("W203", "W204")  # they identify the author of a file, and are not faults
_FORMS: Final = ("override", "scope", "extend", "update")  # of package sets, as they are written
_STATES: Final = {
    State.CURRENT: "up to date",
    State.RECIPE: "read as recipes",
    State.UNKNOWN: "not understood, perhaps recipes",
    State.STALE: "written by tvarc, out of date",
    State.EDITED: "written by tvarc, edited by hand",
    State.FOREIGN: "not written by tvarc, in the place of a variant",
    State.GONE: "written by tvarc, without a variant",
    State.EXTRA: "not written by tvarc, without a variant",
    State.UNREADABLE: "cannot be read",
    State.HIDDEN: "hidden by another file of the same package",
    State.OTHER: "written by tvarc from another program",
    State.UNRELATED: "unrelated to the matrix",  # or that are not recipes
}


def audit_text(audit: Audit, folder: str, *, whole: bool) -> Iterator[str]:
    """The lines of an audit; with *whole* nothing is left out."""
    there = counted(len({file.path for file in audit.files}), "file")
    if not audit.alone:
        there = f"{counted(audit.cells, 'variant')}, {there}"
    yield f"{safe(folder)}: {there}"
    counts = [(audit.count(state), words) for state, words in _STATES.items()]
    missing = sum(one.code == "W201" for one in audit.findings)
    counts.append((missing, "missing"))
    width = max([len(str(count)) for count, _ in counts if count], default=1)
    for count, words in counts:
        if words == _STATES[State.UNRELATED] and audit.alone:
            words = "not recipes, or parts of other recipes"
        if count:
            yield f"  {count:>{width}} {words}"
    if audit.unlisted:
        yield f"  {counted(audit.unlisted, 'folder')} that cannot be listed"
    if not audit.whole:
        yield "  there are more files than an audit reads: the rest was skipped"
    for subject in About:
        groups = _by_code([one for one in audit.findings if about(one.code) is subject])
        if groups:
            yield ""
            yield f"{subject.value}:"
        for code, group in groups:
            yield ""
            yield from _group(code, group, audit, whole=whole)
    yield from _beside(audit, whole=whole)
    yield from _said(audit, whole=whole)
    yield ""
    yield from _as_the_matrix(audit)
    found = audit.departures
    if found:
        files = len({one.file for one in found})
        yield f"{counted(len(found), 'finding')} in {counted(files, 'file')}"
    share = audit.share
    if not audit.judged:
        yield unjudged(audit)
    elif not found and share.whole < share.all:
        yield "no findings in what was read"
    elif not found:
        yield "no findings"
    if audit.judged and share.whole < share.all:
        yield f"{counted(share.all, 'recipe')}: {', '.join(_shares(share))}"
    unknown = [one.file for one in audit.findings if one.code == UNKNOWN]
    if unknown:
        files = len(set(unknown))
        yield f"{counted(len(unknown), 'part')} not understood, in {counted(files, 'file')}"


def unjudged(audit: Audit) -> str:
    """The line that an audit judged nothing, with the reason."""
    return f"nothing was judged: none of {counted(audit.share.not_at_all, 'recipe')} could be read"


def _shares(share: Share) -> Iterator[str]:
    for count, words in (
        (share.whole, "read in full"),
        (share.in_parts, "read in part"),
        (share.not_at_all, "not read"),
    ):
        if count:
            yield f"{count} {words}"


def _beside(audit: Audit, *, whole: bool) -> Iterator[str]:
    """The files without findings that are unrelated to the matrix. Each is a package, so each is
    named."""
    beside = [file for file in audit.files if file.state in (State.UNRELATED, State.OTHER)]
    if not beside or audit.alone:
        return
    yield ""
    yield f"Packages without a variant: {counted(len(beside), 'file')}"
    shown = beside[: None if whole else _GROUPED]
    for file in shown:
        of = f" (from {safe(file.reason)})" if file.reason else ""
        yield f"  {safe(file.path)}{of}"
    if len(shown) < len(beside):
        yield f"  and {len(beside) - len(shown)} more: --all shows them"


def _as_the_matrix(audit: Audit) -> Iterator[str]:
    """The number of recipes that differ from the text of tvarc but have the settings of the
    matrix."""
    read = [file for file in audit.files if file.facts is not None and file.variant]
    if not read:
        return
    otherwise = {one.file for one in audit.departures if one.code not in _OWNERS}
    alike = [
        file.facts
        for file in read
        if file.facts is not None and not file.facts.elsewhere and file.path not in otherwise
    ]
    if not alike:
        return
    many = f"{len(alike)} of {counted(len(read), 'recipe')}"
    unclear = {one.file for one in audit.findings if one.code == UNKNOWN}
    gaps = sum(file.path in unclear for file in read if file.path not in otherwise)
    known = f", {gaps} of them as far as the audit understands them" if gaps else ""
    say = "matches" if len(alike) == 1 else "match"
    yield f"{many} in the place of a variant {say} the matrix{known}"
    yield f"  {COMPARED}"


def _by_code(findings: list[Finding]) -> list[tuple[str, list[Finding]]]:
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        groups.setdefault(one.code, []).append(one)
    return sorted(groups.items())


def _group(code: str, group: list[Finding], audit: Audit, *, whole: bool) -> Iterator[str]:
    noun = "part" if code == UNKNOWN else "finding"
    yield f"{code} {named(code)}: {counted(len(group), noun)}"
    files: dict[str, list[Finding]] = {}
    for one in group:
        files.setdefault(one.file, []).append(one)
    alike = _alike(group)
    yield from _alike_lines(alike, audit, whole=whole)
    files = {
        file: left
        for file, found in files.items()
        if (left := [one for one in found if _words(one) not in alike])
    }
    ordered = list(files)
    if code in _OWNERS:  # there may be very many, and most need no more lines
        ordered.sort(key=lambda file: not any(one.notes for one in files[file]))
    shown = ordered[: None if whole else _GROUPED]
    for file in shown:
        yield f"  {safe(file)}"
        found = files[file]
        for one in found[: None if whole else _LINES]:
            line = audit.line(one)
            yield f"    {f'line {line}: ' if line else ''}{_kept(one.text)}"
            for note in one.notes:
                yield f"      {_kept(note)}"
        if not whole and len(found) > _LINES:
            yield f"    and {len(found) - _LINES} more"
    if len(shown) < len(files):
        yield f"  and {counted(len(files) - len(shown), 'more file')}: --all shows them"
    for words in list(dict.fromkeys(help_for(code, one.help, alone=audit.alone) for one in group))[
        :_HELPS
    ]:
        yield f"  help: {words}"


_Words = tuple[str, tuple[str, ...]]


def _words(one: Finding) -> _Words:
    return one.text, one.notes


def _alike(group: list[Finding]) -> dict[_Words, list[Finding]]:
    """The findings with the same words for several files, by these words."""
    told: dict[_Words, list[Finding]] = {}
    for one in group:
        told.setdefault(_words(one), []).append(one)
    return {words: found for words, found in told.items() if len(found) > 1}


def _alike_lines(alike: dict[_Words, list[Finding]], audit: Audit, *, whole: bool) -> Iterator[str]:
    """The lines that several files have in common: once, with the number and the names of the
    files."""
    ordered = sorted(alike.items(), key=lambda item: -len({one.file for one in item[1]}))
    shown = ordered[: None if whole else _GROUPED]
    for (text, notes), found in shown:
        names: dict[str, list[int]] = {}
        for one in found:
            names.setdefault(one.file, []).append(audit.line(one))
        every = len(names) == _recipes(audit) and len(names) > 1
        yield f"  {'all ' if every else ''}{counted(len(names), 'file')}: {_kept(text)}"
        for note in notes:
            yield f"      {_kept(note)}"
        if every and not whole:
            continue  # common parts are one line
        listed = list(names.items())[: None if whole else _GROUPED]
        for file, lines in listed:
            places = ", ".join(str(line) for line in lines if line)
            yield f"    {safe(file)}{f', line {places}' if places else ''}"
        if len(listed) < len(names):
            yield f"    and {counted(len(names) - len(listed), 'more file')}: --all shows them"
    if len(shown) < len(ordered):
        yield f"  and {len(ordered) - len(shown)} more that several files have: --all shows them"


def _recipes(audit: Audit) -> int:
    """The number of files that were read."""
    return sum(file.facts is not None for file in audit.files)


def _said(audit: Audit, *, whole: bool) -> Iterator[str]:
    """The content of the files that differ from the text of tvarc."""
    counts = Counter(one.file for one in audit.findings)
    read = sorted(
        [file for file in audit.files if file.facts is not None],
        key=lambda file: (-counts[file.path], not (file.facts and file.facts.gaps), file.path),
    )
    if not read:
        return
    yield ""
    yield "What these files say:"
    shown = read if whole else read[:_FILES]
    common = _said_by_all(read, audit)
    if common:
        noun = "recipes" if any(file.member for file in read) else "files"
        yield f"  all {len(read)} {noun}"
        yield from _table(list(common))
    for file in shown:
        member = f", {file.member}" if file.member else ""
        yield f"  {safe(file.path + member)} ({file.state.value})"
        yield from _table([row for row in _rows(file, audit) if row not in common])
    if len(shown) < len(read):
        yield f"  and {len(read) - len(shown)} more: --all shows them"


def _rows(file: AuditedFile, audit: Audit) -> Iterator[tuple[str, str]]:
    assert file.facts is not None
    return facts_rows(file, file.facts, audit.texts.get(file.path, ""))


def _said_by_all(read: list[AuditedFile], audit: Audit) -> dict[tuple[str, str], None]:
    """The rows that several files have in common, in the order of the first file."""
    if len(read) < 2:
        return {}
    common = dict.fromkeys(_rows(read[0], audit))
    for file in read[1:]:
        if not common:
            break
        here = set(_rows(file, audit))
        common = {row: None for row in common if row in here}
    return common


def _table(rows: list[tuple[str, str]]) -> Iterator[str]:
    width = max([len(name) for name, _ in rows], default=0)
    before = ""
    for name, words in rows:
        yield f"    {name if name != before else '':<{width}}  {_cut(words)}"
        before = name


def facts_rows(file: AuditedFile, facts: RecipeFacts, text: str) -> Iterator[tuple[str, str]]:
    """The content of the recipe with this *text*, as rows of a name and words."""
    pin = facts.pin
    checked = ", with a hash" if pin is not None and pin.hash else ""
    yield "pin", f"{pin.shown}{checked}" if pin is not None else "not understood"
    if facts.scratch:
        yield "package", f"built from scratch with {facts.scratch}"
    else:
        known = facts.package
        yield "package", show(known.value).strip('"') if known is not None else "not understood"
    pname = facts.pname
    same = " (as the file)" if pname == file.package else ""
    yield "pname", f"{pname}{same}" if pname is not None else "not given"
    for name, block in (("config", "config."), ("arguments", "args.")):
        words = [
            f"{path.removeprefix(block)} = {show(seen.value)}"
            for path, seen in facts.settings.items()
            if path.startswith(block)
        ]
        yield name, ", ".join(words) or "none"
    effects = list(facts.effects.items())
    for path, seen in effects[:_MORE]:
        by = f" (by .{seen.form})" if seen.form in _FORMS else ""
        yield "overlays", f"{path} = {show(seen.value)}{by}"
    if not effects:
        yield "overlays", "none"
    elif len(effects) > _MORE:
        yield "overlays", f"and {len(effects) - _MORE} more"
    targets = facts.texts("args.gpuTargets")
    given = "not understood" if "args.gpuTargets" in facts.settings else "none given"
    yield "GPU targets", ", ".join(targets) if targets else given
    yield "ISA flags", " ".join(facts.isa_flags) or "none"
    platforms = facts.settings.get("meta.platforms")
    yield "platforms", show(platforms.value) if platforms is not None else "the package's own"
    for switch in facts.switches:
        yield "off", f"{switch.part.upper()}: {switch.how}"
    for gap in facts.gaps[:_MORE]:
        line = text.count("\n", 0, gap.place.start) + 1
        at = f" (line {line})" if 0 < gap.place.end <= len(text) else ""
        yield "not understood", f"{gap.what}{at}: {gap.text}: {gap.why}"


def _cut(text: str) -> str:
    return _kept(" ".join(text.split()))


def _kept(text: str) -> str:
    """The same with all blanks, because they may be the difference."""
    plain = safe(text)
    return plain if len(plain) <= _CUT else f"{plain[: _CUT - 2]} …"
