"""Checks of fields whose value is written out. A malformed hash, address or commit is reported even
if no variant uses it, and so is a patch whose file is a folder.

Values that are computed from axes are checked when they are decided, by the same rules
(`meaning/evaluation/formats.py`). If both checks find a fault at one place, it is reported once.
"""

from __future__ import annotations

from tvarc.light import Iterable, Mapping
from tvarc.meaning import hir
from tvarc.meaning.evaluation.formats import Format, ReleaseFormat
from tvarc.meaning.evaluation.kinds import outcomes
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceLoader, UnreadableSource
from tvarc.values.value import PathValue, Version


def refuse_malformed(
    formats: Mapping[str, Format | ReleaseFormat], name: str, expr: hir.Expr, sink: Sink
) -> None:
    """Report each string or version that *expr*, the value of the field *name*, may have and that
    *formats* refuse."""
    known = formats.get(name)
    if known is None:
        return
    kind = Version if isinstance(known, ReleaseFormat) else str
    for found, _ in outcomes(expr):
        if isinstance(found, hir.Const) and isinstance(found.value, kind):
            known.refuse(name, found.value, expr.span, sink)


def refuse_folders(overlays: Iterable[hir.OverlayDef], loader: SourceLoader, sink: Sink) -> None:
    """Report each patch whose `file` is a folder, or may be one."""
    for overlay in overlays:
        if not overlay.patch:
            continue
        for write in overlay.layer.writes:
            if write.path != ("file",):
                continue
            for found, place in outcomes(write.value):
                if isinstance(found, hir.Const) and isinstance(found.value, PathValue):
                    _refuse_folder(found.value.file, place, loader, sink)


def _refuse_folder(file: str, place: hir.Expr, loader: SourceLoader, sink: Sink) -> None:
    try:
        if loader.kind(file) == "file":
            return
    except UnreadableSource:  # it was removed since it was found
        return
    from tvarc.files.disk import report_unreadable

    fault = UnreadableSource(file, "it is a folder, not a file")
    advice = "write one `patch` for each file"
    report_unreadable(fault, sink, place.span, label="used as a patch", advice=advice)
