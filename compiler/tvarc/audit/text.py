"""An audit as text: how many of each kind, then the findings by kind, then what the files say."""

from __future__ import annotations

from collections import Counter

from tvarc.audit.advice import HELP
from tvarc.audit.model import RecipeFacts, show
from tvarc.audit.result import Audit, AuditedFile, Finding, State
from tvarc.diagnostics.registry import FINDINGS
from tvarc.diagnostics.render_cells import safe
from tvarc.light import Final, Iterator

_GROUPED: Final = 8
_LINES: Final = 5
_FILES: Final = 3
_MORE: Final = 12
_CUT: Final = 200
_OWNERS: Final = ("W203", "W204")  # they tell whose a file is, and not what is wrong with it
_FORMS: Final = ("override", "scope", "extend")  # of package sets, as they are written
_STATES: Final = {
    State.CURRENT: "as tvarc writes them",
    State.STALE: "written by tvarc, out of date",
    State.EDITED: "written by tvarc, edited by hand",
    State.FOREIGN: "not ours, in the place of a variant",
    State.GONE: "written by tvarc, of no variant",
    State.EXTRA: "not ours, of no variant",
    State.UNREADABLE: "cannot be read",
    State.HIDDEN: "hidden by a file of the same package",
    State.OTHER: "of another program of tvarc",
    State.UNRELATED: "that have nothing to do with the matrix",
}


def audit_text(audit: Audit, folder: str, *, whole: bool) -> Iterator[str]:
    """The lines of an audit; with *whole* nothing is left out."""
    there = f"{_counted(audit.cells, 'variant')}, {_counted(len(audit.files), 'file')}"
    yield f"{safe(folder)}: {there}"
    counts = [(audit.count(state), words) for state, words in _STATES.items()]
    missing = sum(one.code == "W201" for one in audit.findings)
    counts.append((missing, "missing"))
    width = max([len(str(count)) for count, _ in counts if count], default=1)
    for count, words in counts:
        if count:
            yield f"  {count:>{width}} {words}"
    if not audit.whole:
        yield "  there are more files than an audit looks at: the rest was left out"
    for code, group in _by_code(audit.findings):
        yield ""
        yield from _group(code, group, audit, whole=whole)
    yield from _said(audit, whole=whole)
    yield ""
    yield from _as_the_matrix(audit)
    files = len({one.file for one in audit.findings})
    if audit.findings:
        yield f"{_counted(len(audit.findings), 'finding')} in {_counted(files, 'file')}"
    else:
        yield "nothing is out of line"


def _as_the_matrix(audit: Audit) -> Iterator[str]:
    """How many of the recipes that are not as tvarc writes them say what the matrix says."""
    read = [file for file in audit.files if file.facts is not None and file.variant]
    if not read:
        return
    otherwise = {one.file for one in audit.findings if one.code not in _OWNERS}
    alike = [
        file.facts
        for file in read
        if file.facts is not None and not file.facts.elsewhere and file.path not in otherwise
    ]
    if not alike:
        return
    many = f"{len(alike)} of {_counted(len(read), 'recipe')}"
    gaps = sum(bool(facts.gaps) for facts in alike)
    known = f", {gaps} of them as far as understood" if gaps else ""
    say = "says" if len(alike) == 1 else "say"
    yield f"{many} in the place of a variant {say} what the matrix says{known}"


def _by_code(findings: list[Finding]) -> list[tuple[str, list[Finding]]]:
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        groups.setdefault(one.code, []).append(one)
    return sorted(groups.items())


def _group(code: str, group: list[Finding], audit: Audit, *, whole: bool) -> Iterator[str]:
    yield f"{code} {FINDINGS[code]}: {_counted(len(group), 'finding')}"
    files: dict[str, list[Finding]] = {}
    for one in group:
        files.setdefault(one.file, []).append(one)
    ordered = list(files)
    if code in _OWNERS:  # there may be very many, and of most there is no more to say
        ordered.sort(key=lambda file: not any(one.notes for one in files[file]))
    shown = ordered[: None if whole else _GROUPED]
    for file in shown:
        yield f"  {safe(file)}"
        found = files[file]
        for one in found[: None if whole else _LINES]:
            line = _line(one, audit)
            yield f"    {f'line {line}: ' if line else ''}{_cut(one.text)}"
            for note in one.notes:
                yield f"      {_cut(note)}"
        if not whole and len(found) > _LINES:
            yield f"    and {len(found) - _LINES} more"
    if len(shown) < len(files):
        yield f"  and {_counted(len(files) - len(shown), 'more file')}: --all shows them"
    yield f"  help: {HELP[code]}"


def _line(one: Finding, audit: Audit) -> int:
    text = audit.texts.get(one.file)
    if text is None or not one.place.start:
        return 0
    return text.count("\n", 0, one.place.start) + 1


def _said(audit: Audit, *, whole: bool) -> Iterator[str]:
    """What the files say that tvarc did not write as they are."""
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
    for file in shown:
        assert file.facts is not None
        yield f"  {safe(file.path)} ({file.state.value})"
        text = audit.texts.get(file.path, "")
        rows = list(facts_rows(file, file.facts, text))
        width = max(len(name) for name, _ in rows)
        before = ""
        for name, words in rows:
            yield f"    {name if name != before else '':<{width}}  {_cut(words)}"
            before = name
    if len(shown) < len(read):
        yield f"  and {len(read) - len(shown)} more: --all shows them"


def facts_rows(file: AuditedFile, facts: RecipeFacts, text: str) -> Iterator[tuple[str, str]]:
    """What a recipe of that *text* says, as rows of a name and words."""
    pin = facts.pin
    checked = ", with a hash" if pin is not None and pin.hash else ""
    yield "pin", f"{pin.shown}{checked}" if pin is not None else "not understood"
    if facts.scratch:
        yield "package", f"from scratch, by {facts.scratch}"
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
        form = facts.forms[path]
        by = f" (by .{form})" if form in _FORMS else ""
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
        at = f" (line {line})" if gap.place.end else ""
        yield "not understood", f"{gap.what}{at}: {gap.text}"


def _cut(text: str) -> str:
    plain = safe(" ".join(text.split()))
    return plain if len(plain) <= _CUT else f"{plain[: _CUT - 2]} …"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
