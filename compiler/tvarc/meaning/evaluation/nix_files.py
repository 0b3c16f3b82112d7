"""Files that Nix imports. A path from which nothing can be imported is refused at its place in the
source, before Nix would refuse it."""

from __future__ import annotations

from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.fetched import SourceHashes
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import NixCall, PathValue, Value


def refuse_no_nix(value: Value, span: Span, hashes: SourceHashes | None, sink: Sink) -> bool:
    """Whether *value*, written at *span*, is a file or a folder from which nothing can be imported,
    which is then reported. *hashes* finds files of the program."""
    match value:
        case PathValue(name):
            place = name
        case NixCall("file"):
            source, file = value.argument("input"), value.argument("file")
            assert isinstance(source, NixCall) and isinstance(file, str)
            declared = source.argument("path")
            folder = declared.file if isinstance(declared, PathValue) else ""
            if hashes is not None:
                folder = hashes.checkout(str(source.argument("name")), folder)
            name, place = file, f"{folder}/{file}" if folder else ""
        case _:
            return False
    is_folder = hashes.has_folder(place) if hashes is not None and place else None
    if is_folder:
        assert hashes is not None
        reason = hashes.lacks(place, "default.nix")
        if reason:
            sink.report(msg.files.NO_DEFAULT_NIX, span, name=name, reason=reason)
        return bool(reason)
    last = name.rpartition("/")[2]
    if last.endswith(".nix") or (is_folder is None and "." not in last):
        return False
    sink.report(msg.files.NO_NIX_FILE, span, name=name)
    return True
