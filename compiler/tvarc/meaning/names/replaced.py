"""Checkouts that replace inputs, as the command line names them: `--input NAME=PATH`."""

from __future__ import annotations

from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Source, SourceLoader, SourceMap, Span, UnreadableSource


def folders_given(given: tuple[str, ...], loader: SourceLoader) -> dict[str, str]:
    """The folder, as *loader* names it, for each name in *given*. Malformed words are skipped."""
    pairs = [text.partition("=") for text in given]
    return {name.strip(): loader.join(".", path) for name, _, path in pairs if name and path}


def replaced_inputs(
    given: tuple[str, ...],
    program: hir.Program,
    loader: SourceLoader,
    sources: SourceMap,
    sink: Sink,
) -> dict[str, str]:
    """The folder, as *loader* names it, for each input of *program* that *given* names. Malformed
    words are reported."""
    known = [one.name for one in program.inputs]
    found: dict[str, str] = {}
    for text in given:
        source = Source(f"--input {text}", text)
        sources.add(source)
        whole = Span(source.file, 0, len(text))
        name, equals, path = text.partition("=")
        name = name.strip()
        if not equals or not name or not path:
            sink.report(msg.options.NO_INPUT_PAIR, whole, name=name or "NAME")
        elif name not in known:
            sink.report(
                msg.options.UNKNOWN_INPUT if known else msg.options.NO_INPUTS,
                whole,
                name=name,
                known=", ".join(known),
                guess=guess(name, known),
            )
        elif name in found:
            sink.report(msg.options.GIVEN_TWICE, whole, name=name)
        else:
            folder = loader.join(".", path)
            found[name] = folder
            reason = _no_folder(folder, loader)
            if reason:
                sink.report(
                    msg.options.NO_FOLDER,
                    Span(source.file, len(text) - len(path), len(text)),
                    path=path,
                    name=name,
                    reason=reason,
                )
    return found


def _no_folder(name: str, loader: SourceLoader) -> str:
    """The reason why *name* is no folder; empty if it is one."""
    try:
        return "" if loader.kind(name) == "folder" else "it is a file"
    except UnreadableSource as fault:
        return fault.reason
