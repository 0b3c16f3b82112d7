"""Modules of inputs: `use "torch.tvar" from recipes` finds the folder of the input `recipes`.

An input that must be fetched is in the store of Nix, at a path that follows from its hash. So its
content is the one that the program or the lock states. Nothing is fetched here: `tvarc lock` and
`tvarc bump` fetch.
"""

from __future__ import annotations

from tvarc.light import Callable, Collection, Final, Mapping, dataclass, field
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.fetched import Fetched, tarball
from tvarc.meaning.evaluation.formats import INPUT_FORMATS, Format, is_open
from tvarc.nix.judge.at_hand import on_disk, store_path
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import SourceLoader, Span, UnreadableSource

_BESIDE: Final = "-input"
"""The ending of the name of an input's folder, if another folder of the program already has that
name."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An input whose modules cannot be read yet. `hash` is its expected hash; None if neither the
    program nor the lock has one. `span` is the place where a module of it is used."""

    source: Fetched
    hash: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Taken:
    """An input with modules that the program uses. `item` is its declaration. `source` is None
    unless it is fetched. `stated` is the hash in the declaration; None if the lock has it."""

    item: ast.Input
    source: Fetched | None = None
    stated: str | None = None


@dataclass(slots=True, eq=False)
class ModuleInputs:
    """The inputs with modules that the program uses.

    `given` are the checkouts that the command line names in place of inputs. `hash_of` returns the
    hash that the lock has for a source. `taken` are the inputs that were found, by their labels:
    the first step of the names of their files. `wanted` are the inputs that must be fetched first.
    """

    given: Mapping[str, str] = field(default_factory=dict)
    hash_of: Callable[[Fetched], str | None] = lambda _: None
    taken: dict[str, Taken] = field(default_factory=dict)
    wanted: list[Wanted] = field(default_factory=list)
    _refused: list[ast.Input] = field(default_factory=list)  # those without a folder

    def locate(
        self,
        use: ast.Use,
        tree: ast.Module,
        loader: SourceLoader,
        loaded: Collection[str],
        sink: Sink,
    ) -> str | None:
        """The name of the file that *use* in *tree* takes from an input. *loaded* are the names of
        files that are modules already. None after reporting that there is no such file. None also
        if the declaration of the input has a fault, which is reported when the input is resolved.
        """
        assert use.origin is not None and use.path is not None
        name = use.origin.text
        declared = [one for one in tree.items if isinstance(one, ast.Input)]
        item = next((one for one in declared if one.name.text == name), None)
        if item is None:
            known = [one.name.text for one in declared]
            sink.report(
                msg.modules.UNKNOWN_INPUT,
                use.origin.span,
                name=name,
                guess=guess(name, known),
            )
            return None
        label = self.known(item) or self.found(item, use, tree.file, loader, loaded, sink)
        if label is None:
            return None
        try:
            return loader.join(f"{label}/-", use.path)
        except UnreadableSource:
            sink.report(msg.modules.OUTSIDE_INPUT, use.target, path=use.path, name=name)
            return None

    def known(self, item: ast.Input) -> str | None:
        """The label of the input *item*, if it was found before."""
        return next((key for key, one in self.taken.items() if one.item is item), None)

    def found(
        self,
        item: ast.Input,
        use: ast.Use,
        importer: str,
        loader: SourceLoader,
        loaded: Collection[str],
        sink: Sink,
    ) -> str | None:
        """The label of *item*, an input that was not found before. A label is the first step of the
        names of the input's files."""
        name = item.name.text
        if any(one is item for one in self._refused):
            return None
        self._refused.append(item)
        if any(one.item.name.text == name for one in self.taken.values()):
            return None  # two modules may not have inputs of one name; the resolver reports that
        fields = self.fields(item, sink)
        if fields is None:
            return None
        taken = Taken(item)
        if "path" in fields:
            if importer.partition("/")[0] in loader.inputs:
                return None  # the resolver reports that, too
            folder = loader.join(importer, fields["path"])
        else:
            url = fields.get("url") or tarball(fields["github"], fields["rev"])
            stated = fields["hash"]
            taken = Taken(item, Fetched("tarball", (("url", url),)), stated or None)
            folder = ""
        if name in self.given:
            folder = self.given[name]
        if not folder:
            folder = self.stored(taken, use, loader, sink)
        if not folder:
            return None
        label = name
        while label == "std" or label in loaded:
            label += _BESIDE
        self._refused.remove(item)
        loader.inputs[label] = folder
        self.taken[label] = taken
        return label

    def stored(self, taken: Taken, use: ast.Use, loader: SourceLoader, sink: Sink) -> str:
        """The folder of an input in the store. Empty after reporting that it is not there."""
        assert taken.source is not None
        known = taken.stated if taken.stated is not None else self.hash_of(taken.source)
        folder = on_disk(store_path(known)) if known else ""
        try:
            if folder and loader.kind(folder) == "folder":
                return folder
        except UnreadableSource:
            pass
        if all(one.source != taken.source for one in self.wanted):
            self.wanted.append(Wanted(taken.source, known, use.target))
        sink.report(
            msg.modules.INPUT_NOT_READ,
            use.target,
            others=[taken.item.name.span],
            name=taken.item.name.text,
            state="on this machine" if known else "locked",
            source=taken.source.describe(),
        )
        return ""

    def fields(self, item: ast.Input, sink: Sink) -> dict[str, str] | None:
        """The fields of *item*, with an empty string for an unlocked hash. None if they do not name
        one place. Faults that any input may have are reported when the input is resolved."""
        found: dict[str, str] = {}
        for one in item.body:
            if not isinstance(one, ast.Assign) or one.op != "=" or len(one.path) > 1:
                return None
            key, value = one.path[0].text, one.value
            if key not in INPUT_FORMATS or key in found:
                return None
            if key == "hash" and isinstance(value, ast.Ref) and value.name == "unlocked":
                found[key] = ""
                continue
            if not isinstance(value, ast.StringLit) or not all(
                isinstance(part, str) for part in value.parts
            ):
                if key != "path":  # a `path` is never computed
                    sink.report(
                        msg.modules.COMPUTED_INPUT, value.span, field=key, name=item.name.text
                    )
                return None
            text = "".join(part for part in value.parts if isinstance(part, str))
            if key == "hash" and is_open(text):
                text = ""
            known = INPUT_FORMATS[key]
            if text and isinstance(known, Format) and known.check(text) is not None:
                return None
            found[key] = text
        places = [key for key in ("github", "url", "path") if key in found]
        needed = {"github": {"rev", "hash"}, "url": {"hash"}, "path": set[str]()}
        whole = len(places) == 1 and needed[places[0]] <= found.keys()
        return found if whole else None
