"""Checkouts that the command line names in the place of inputs: `--input NAME=PATH`."""

from __future__ import annotations

from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import did_you_mean
from tvarc.text.source import Source, SourceLoader, SourceMap, Span, UnreadableSource


def replaced_inputs(
    given: tuple[str, ...],
    program: hir.Program,
    loader: SourceLoader,
    sources: SourceMap,
    sink: Sink,
) -> dict[str, str]:
    """The folder, as *loader* names it, of each input of *program* that *given* names; what makes
    no sense is reported."""
    known = [one.name for one in program.inputs]
    found: dict[str, str] = {}
    for text in given:
        source = Source(f"--input {text}", text)
        sources.add(source)
        whole = Span(source.file, 0, len(text))
        name, equals, path = text.partition("=")
        name = name.strip()
        if not equals or not name or not path:
            sink.error(
                "E505",
                "`--input` needs NAME=PATH",
                whole,
                "`=` and a folder are missing",
                help=f"write `--input {name or 'NAME'}=../checkout`",
            )
        elif name not in known:
            sink.error(
                "E505",
                f"the program declares no input `{name}`",
                whole,
                "unknown input",
                notes=("inputs: " + ", ".join(known),)
                if known
                else ("the program declares no inputs",),
                help=did_you_mean(name, known),
            )
        elif name in found:
            sink.error("E505", f"`{name}` is given twice", whole, "again here")
        else:
            folder = loader.join(".", path)
            found[name] = folder
            reason = _no_folder(folder, loader)
            if reason:
                sink.error(
                    "E505",
                    f"`{path}` is not a folder for input `{name}`",
                    Span(source.file, len(text) - len(path), len(text)),
                    reason,
                    help="write the path of a folder, relative to the current folder",
                )
    return found


def _no_folder(name: str, loader: SourceLoader) -> str:
    """Why *name* is no folder; empty where it is one."""
    try:
        return "" if loader.kind(name) == "folder" else "it is a file"
    except UnreadableSource as fault:
        return fault.reason
