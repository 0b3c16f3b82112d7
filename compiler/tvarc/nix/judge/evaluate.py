"""Evaluates many variants to derivations. Evaluators run in parallel, and each reports a variant as
soon as it is evaluated. So a variant that Nix refuses does not hide the others."""

# ruff: noqa: PTH118, PTH123
# pathlib costs too much at start.
from __future__ import annotations

import json
import os
import subprocess
import threading
from queue import Empty, SimpleQueue

from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Final,
    Iterator,
    Literal,
    Sequence,
    dataclass,
)
from tvarc.nix.judge.derivation import name_of
from tvarc.nix.judge.graph import Node, graph_in
from tvarc.nix.judge.nix import as_text, ask, command, error_text, make_store, refused_whole
from tvarc.values.plain import Json

if TYPE_CHECKING:
    from tvarc.nix.judge.eval_jobs import EvalJobs

# A recipe that is pinned takes no more than the system from its argument; all others are called by
# nixpkgs, and so is a set with such ones in it. A file is imported once, however many variants are
# of it.
_EXPRESSION: Final = """
{ jobs }:
let
  inherit (builtins)
    attrNames attrValues concatLists concatStringsSep deepSeq elemAt filter foldl' fromJSON
    functionArgs genericClosure genList getContext head intersectAttrs isAttrs isFunction isList
    isPath listToAttrs map mapAttrs match nixPath nixVersion readFile removeAttrs seq splitVersion
    tail toJSON trace tryEval unsafeDiscardStringContext;
  asked = fromJSON (readFile jobs);
  nixpkgs-of = listToAttrs (
    map ({ system, ... }: { name = system; value = import <nixpkgs> { inherit system; }; })
      (attrValues asked.files)
  );
  # The nixpkgs of a caller: the top level, that of another machine, or one whose callPackage passes
  # a marked package for each that a file takes.
  callers = {
    top = { members, ... }: with-members members;
    cross = { members, ... }: nixpkgs:
      with-members members (
        nixpkgs.pkgsCross.aarch64-multiplatform
          or (throw "this nixpkgs builds for no other machine")
      );
    marker = { marks, scope, members, ... }: whole:
      let
        nixpkgs = with-members members whole;
        recipe = import marks;
        arguments = if isFunction recipe then functionArgs recipe else { };
        has = intersectAttrs arguments (nixpkgs // in-scope scope nixpkgs);
        packages = removeAttrs has (
          [ "config" "lib" "pkgs" "stdenv" ] ++ filter (name: !(is-set has.${name})) (attrNames has)
        );
        callPackage = nixpkgs.newScope (in-scope scope nixpkgs // mapAttrs marked packages);
        replaced = set: steps:
          if steps == [ ] then set // { inherit callPackage; }
          else set // { ${head steps} = replaced set.${head steps} (tail steps); };
      in
      if arguments.pkgs or false || packages == { } then throw "it takes no package to mark"
      else replaced nixpkgs scope;
  };
  # A nixpkgs whose callPackage is that of one of its sets.
  with-members = members: nixpkgs:
    let
      set = nixpkgs.${members} or (throw "this nixpkgs has no `${members}`");
    in
    if members == "" then nixpkgs
    else nixpkgs // set // {
      inherit (set) callPackage;
      newScope = more: nixpkgs.newScope (set // more);
    };
  in-scope = scope: nixpkgs: foldl' (found: name: found.${name}) nixpkgs scope;
  is-set = value: (tryEval (isAttrs value && !(value ? __functor) || throw "no set")).success;
  marked = name: value:
    if !(is-set value) then value
    else if value.type or "" != "derivation" then
      mapAttrs (member: marked "${name}.${member}") value
    else if value ? overrideAttrs then value.overrideAttrs (_: { tvarcMarker = name; })
    else value;
  called = _: { file, system, kind, siblings, scope, caller, ... }@one:
    let
      nixpkgs = callers.${caller} one nixpkgs-of.${system};
      set = in-scope scope nixpkgs;
      whole = kind == "called" || kind == "foreign" && searched;
      pkgs = if whole then nixpkgs else { stdenv.hostPlatform = { inherit system; }; };
      others = mapAttrs (_: built) siblings;
      built = file:
        let
          recipe = import file;
          arguments = functionArgs recipe;
          given = intersectAttrs arguments others;
        in
        if !(isFunction recipe) then recipe
        else if arguments.pkgs or false then recipe (given // { inherit pkgs; })
        else set.callPackage recipe given;
    in
    built file;
  searched = (tryEval <nixpkgs>).success;
  files = mapAttrs called asked.files;
  shown = value:
    if isList value then concatStringsSep " " (map shown value)
    else if isPath value then "${value}"
    else if isAttrs value && !(value ? outPath) && !(value ? __toString) then toJSON value
    else toString value;
  # What is one variant is not kept: each of these may import a nixpkgs of its own.
  package-of = { file, attribute, within, ... }:
    in-scope within (
      if attribute == null then called file asked.files.${file} else files.${file}.${attribute}
    );
  answer = { name, ... }@variant:
    let
      package = package-of variant;
      attrs = package.drvAttrs or { };
      structured = attrs.__structuredAttrs or false;
      text = key: {
        name = key;
        value = if structured then toJSON attrs.${key} else shown attrs.${key};
      };
      wanted = if asked.attributes == null then attrNames attrs else asked.attributes;
      kept = filter (key: attrs.${key} or null != null) wanted;
      derivation = unsafeDiscardStringContext package.drvPath;
      out = unsafeDiscardStringContext package.outPath;
      asks-licences = filter (key: key == "tvarcLicences") wanted != [ ];
      found = if asks-licences then { tvarcLicences = toJSON (licences package); } else { };
      attributes = listToAttrs (map text kept) // found;
    in
    {
      inherit (package) drvPath;
      told = toJSON { inherit name derivation out attributes structured; };
    };
  traced = variant: trace "tvarc-judge ${(answer variant).told}" null;
  # Of a trial it is enough to know that it has no derivation: then the others go on.
  tried = variant:
    let
      found = tryEval (answer variant).told;
      refused = toJSON { inherit (variant) name; thrown = true; };
    in
    trace "tvarc-judge ${if found.success then found.value else refused}" null;
  # The sources with a fake hash, in the closures of some packages.
  is-derivation = value: isAttrs value && value.type or "" == "derivation" && value ? drvAttrs;
  derivations-in = value:
    if isList value then concatLists (map derivations-in value)
    else if is-derivation value then [ (node value) ]
    else [ ];
  node = value: { key = unsafeDiscardStringContext value.drvPath; inherit (value) drvAttrs; };
  # The licences of a package and of all that it is made of, as far as their `meta` says them.
  licences = package:
    let
      closure = genericClosure {
        startSet = [ (licensed package) ];
        operator = one: map licensed (concatLists (map packages-in (attrValues one.attrs)));
      };
      shown-licence = one:
        if isAttrs one then {
          spdx = one ? spdxId;
          name = one.spdxId or one.fullName or one.shortName or "unknown";
        }
        else { spdx = false; name = toString one; };
      listed = { meta, ... }:
        let
          given = meta.license or [ ];
        in
        map shown-licence (if isList given then given else [ given ]);
      told = one:
        let
          found = tryEval (let all = listed one; in deepSeq all all);
        in
        { inherit (one) outputs; licences = if found.success then found.value else [ ]; };
    in
    filter (one: one.licences != [ ]) (map told closure);
  packages-in = value:
    if isList value then concatLists (map packages-in value)
    else if is-derivation value then [ value ]
    else [ ];
  licensed = value: {
    key = unsafeDiscardStringContext value.drvPath;
    attrs = value.drvAttrs;
    meta = value.meta or { };
    outputs = map (name: unsafeDiscardStringContext value.${name}.outPath)
      (value.outputs or [ "out" ]);
  };
  # The hash of a source that is not locked begins with 24 bytes of zero.
  fake = "((md5|sha1|sha256|sha512)[-:])?(A+=*|0*)|sha256-A{32}.*";
  is-fake = hash: match fake (toString hash) != null;
  fakes = packages:
    let
      closure = genericClosure {
        startSet = derivations-in packages;
        operator = one: concatLists (map derivations-in (attrValues one.drvAttrs));
      };
      fetched = filter (one: is-fake (one.drvAttrs.outputHash or "A-")) closure;
    in
    map
      ({ drvAttrs, ... }: {
        inherit (drvAttrs) name;
        hash = toString drvAttrs.outputHash;
        url = shown (drvAttrs.urls or drvAttrs.url or "");
      })
      fetched;
  # What packages run with: their inputs for the machine that runs them, and the inputs of these.
  run-with = packages:
    let
      keys = value: map ({ key, ... }: key) (derivations-in value);
      inputs = { drvAttrs, ... }: drvAttrs.buildInputs or [ ];
      propagated = { drvAttrs, ... }: drvAttrs.propagatedBuildInputs or [ ];
      # The packages of an environment, which `buildEnv` has only as text.
      joined = attrs:
        let
          parts = intersectAttrs { chosenOutputs = 1; paths = 1; pkgs = 1; } attrs;
        in
        filter (path: match ".*[.]drv" path != null) (attrNames (getContext (toJSON parts)));
      told = one: {
        name = one.key;
        value = {
          inherit (one.drvAttrs) system;
          features = shown (one.drvAttrs.requiredSystemFeatures or [ ]);
          inputs = keys (inputs one);
          propagated = keys (propagated one) ++ joined one.drvAttrs;
        };
      };
    in
    listToAttrs (map told (genericClosure {
      startSet = derivations-in packages;
      operator = one: derivations-in [ (inputs one) (propagated one) ];
    }));
  with-fakes = variants: found:
    trace "tvarc-fakes ${toJSON { inherit variants; found = found; }}" null;
  names = map ({ name, ... }: name);
  # Of all variants together first: hardly ever there is one.
  fetched = variants:
    let
      packages = map package-of variants;
      each = variant: with-fakes [ variant.name ] (fakes [ (package-of variant) ]);
      graph = trace "tvarc-graph ${toJSON (run-with packages)}" null;
      found =
        if fakes packages == [ ] then with-fakes (names variants) [ ]
        else deepSeq (map each variants) null;
    in
    seq graph found;
  # `nix-eval-jobs` takes derivations, and prints of each what its `meta` says.
  job = variant:
    let
      found = answer variant;
    in
    {
      type = "derivation";
      inherit (variant) name;
      inherit (asked.files.${variant.file}) system;
      inherit (found) drvPath;
      outputs = [ ];
      meta.tvarc = found.told;
    };
  # Another age of Nix, or one that searches elsewhere, may make something else of the variants.
  age = version: concatStringsSep "." (genList (elemAt (splitVersion version)) 2);
  here = map ({ prefix, path, ... }: [ prefix path ]) nixPath;
  jobs-of = nix:
    if age nixVersion != age nix.version then
      { age = throw "it is of Nix ${nixVersion}, and `nix-instantiate` of ${nix.version}"; }
    else if here != nix.path then { path = throw "it has another search path"; }
    else mapAttrs (_: job) asked.jobs;
in
if asked ? jobs then jobs-of asked.nix
else
  seq (deepSeq (map (if asked.tries then tried else traced) asked.variants) null) (
    if asked.inputs then fetched asked.variants else null
  )
"""
LICENCES: Final = "tvarcLicences"
"""An attribute that an evaluator adds if it is asked for: the licences of the package and of all
that it is made of, as JSON."""
_SAID_NOTHING: Final = "error: `nix-instantiate` reports no derivation"
_TOLD: Final = "trace: tvarc-judge "
_FAKES: Final = "trace: tvarc-fakes "
_GRAPH: Final = "trace: tvarc-graph "
_READ: Final = "trace: tvarc-read "
_THROWN: Final = "it throws an error"
_MOST: Final = 48
"""The number of variants for one evaluator. Nix frees no memory before it ends."""
_MOST_IMPORTS: Final = 8
"""The number of nixpkgs that one evaluator imports. It reads the files of nixpkgs once for all of
them."""
_FEWEST: Final = 4
"""For fewer variants it is not worth importing another nixpkgs."""
_SECONDS_TO_END: Final = 5  # a killed process ends at once; one that does not is left alone


Caller = Literal["top", "cross", "marker"]


@dataclass(frozen=True, slots=True)
class Job:
    """A variant to evaluate for *system*: an attribute of a file with several variants, or a whole
    file if there is no attribute.

    `kind` says whether the file is `called` with a nixpkgs, from which it takes packages. A
    `foreign` file was not written by tvarc, and gets `<nixpkgs>` if it takes one. `siblings` are
    files that callPackage passes to it, by the names of its arguments. callPackage is that of the
    package set `scope`, and the one of the set `members` replaces the one at the top level.

    `within` is the path of the derivation in the variant: empty for the variant itself, and
    `tests.NAME` for a test of it.

    `caller` is the nixpkgs that calls the file: `top` for the top level, `cross` for a nixpkgs that
    builds for another machine, and `marker` for one that puts a marker into each package which the
    file `marks` takes.
    """

    name: str
    file: str
    system: str
    attribute: str | None = None
    kind: Literal["alone", "called", "foreign"] = "alone"
    siblings: tuple[tuple[str, str], ...] = ()
    scope: tuple[str, ...] = ()
    caller: Caller = "top"
    marks: str = ""
    members: str = ""
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """The result for a variant: the path of its derivation, the requested attributes as the builder
    gets them, and the path that the build will have. `structured`: the attributes are JSON."""

    path: str
    attributes: dict[str, str]
    structured: bool = False
    out: str = ""

    @property
    def name(self) -> str:
        """The name of the derivation, as the store has it."""
        return name_of(self.path).removesuffix(".drv")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source that the derivation `name` fetches from `url`, with a hash that no content has."""

    name: str
    hash: str
    url: str
    """Empty if the derivation has none."""


@dataclass(frozen=True, slots=True)
class RefusedByNix:
    """A variant that has no derivation, and what Nix prints about it. `lost`: the result is
    unknown, because the evaluator was killed. `whole`: Nix cannot read the whole file, perhaps
    because of another variant."""

    text: str
    lost: bool = False
    whole: bool = False

    @property
    def reason(self) -> str:
        """The error in one line."""
        return self.text if self.lost else error_text(self.text)


Outcome = Derived | RefusedByNix


def marked(number: int) -> str:
    """Nix text to put before a value. An evaluator that reads the value prints *number*."""
    return f'builtins.trace "{_READ.removeprefix("trace: ")}{number}" '


class Evaluators:
    """Parallel evaluators, each for some of the variants. They read files in *folder*. `read` are
    the numbers of the `marked` values that Nix read. `fakes` has the sources of each variant whose
    hash no content has, and `graph` what the variants run with."""

    def __init__(
        self,
        folder: str,
        side_by_side: int,
        *,
        attributes: Sequence[str] | None = (),
        writes: bool = False,
        first: EvalJobs | None = None,
        tries: bool = False,
        inputs: bool = False,
    ) -> None:
        """Ask for *attributes*, or for all attributes if it is None.

        With *writes*, evaluators that write derivations run one after the other, and they get only
        the variants that *first* does not derive. With *tries*, a variant that throws an error does
        not end its evaluator, and nothing else is known about it. With *inputs*, `fakes` and
        `graph` are found too.
        """
        self.read: set[int] = set()
        self.fakes: dict[str, tuple[Fetched, ...]] = {}
        self._tries = tries
        self.graph: dict[str, Node] = {}
        self._asks_inputs = inputs
        self._folder = folder
        # Without a daemon, only one process at a time can write to the database of the store.
        self._side_by_side = 1 if writes else side_by_side
        self._attributes: Json = None if attributes is None else [*attributes]
        self._writes = writes
        self._first = first if writes else None
        self._numbers = iter(range(1 << 30))
        self._running: list[subprocess.Popen[bytes]] = []
        self._stopped = False

    def command(self, jobs: Sequence[Job]) -> list[str]:
        """The command that evaluates *jobs*. All files that it reads are written before."""
        files, variants = _questions(jobs)
        path = self._written({"files": files, "variants": variants})
        return command({"jobs": path}, file=self._expression(), writes=self._writes)

    def _written(self, data: dict[str, Json]) -> str:
        """A new file with *data*."""
        path = os.path.join(self._folder, f"jobs-{next(self._numbers)}.json")
        with open(path, "w", encoding="utf-8") as out:
            modes: dict[str, Json] = {"tries": self._tries, "inputs": self._asks_inputs}
            json.dump(data | modes | {"attributes": self._attributes}, out)
        return path

    def _expression(self) -> str:
        path = os.path.join(self._folder, "evaluate.nix")
        if not os.path.exists(path):  # noqa: PTH110
            with open(path, "w", encoding="utf-8") as out:
                out.write(_EXPRESSION.lstrip())
        return path

    def run(
        self, chunks: Sequence[Sequence[Job]], note: Callable[[str], object] | None = None
    ) -> dict[str, Outcome]:
        """The outcome of each variant, by its name. *note* gets each name as soon as its outcome is
        known. Raises NotInstalled."""
        found: dict[str, Outcome] = {}
        if self._first is not None:
            self._ask_first(self._first, [job for chunk in chunks for job in chunk], found, note)
            rest = [[job for job in chunk if job.name not in found] for chunk in chunks]
            chunks = [chunk for chunk in rest if chunk]
        told: SimpleQueue[tuple[str, Outcome] | BaseException | None] = SimpleQueue()
        waiting: SimpleQueue[Sequence[Job]] = SimpleQueue()
        for chunk in chunks:
            waiting.put(chunk)
        workers = min(self._side_by_side, len(chunks))

        def work() -> None:
            try:
                while not self._stopped:
                    for one in self._chunk(waiting.get_nowait(), told.put):
                        told.put(one)
                told.put(None)
            except Empty:  # another worker was quicker
                told.put(None)
            except BaseException as fault:
                told.put(fault)

        if workers > 1:
            make_store()
        threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        try:
            self._gather(told, workers, found, note)
        finally:
            self._stopped = True
            for process in self._running:
                process.kill()
            for thread in threads:
                thread.join(_SECONDS_TO_END)
        return found

    def _ask_first(
        self,
        first: EvalJobs,
        jobs: Sequence[Job],
        found: dict[str, Outcome],
        note: Callable[[str], object] | None,
    ) -> None:
        """Put the jobs that *first* derives into *found*, if there are enough jobs for its workers.
        """
        workers = min(first.workers, len(jobs) // _FEWEST)
        if workers < 2 or first.ended:
            return
        from tvarc.nix.judge import eval_jobs

        nix = make_store()
        files, variants = _questions(jobs)
        keys = [f"v{number:06}" for number in range(len(jobs))]  # in order, and not numbers
        here: Json = {"version": nix.version, "path": [[*one] for one in nix.search_path]}
        asked = dict(zip(keys, variants, strict=True))
        path = self._written({"files": files, "jobs": asked, "nix": here})
        names = dict(zip(keys, [job.name for job in jobs], strict=True))

        def tell(key: str, path: str, text: str) -> bool:
            one = _told(text)
            if one is None or not isinstance(one[1], Derived):
                return False
            if (names[key], path) != (one[0], one[1].path):
                return False
            found[one[0]] = one[1]
            if note is not None:
                note(one[0])
            return True

        words = eval_jobs.command(nix, self._expression(), path, workers, self._folder)
        first.run(words, asked, tell, self._begun)

    def _begun(self, process: subprocess.Popen[bytes]) -> None:
        """*process* has begun. It ends with all others, even if these have just been ended."""
        self._running.append(process)
        if self._stopped:
            process.kill()

    def _gather(
        self,
        told: SimpleQueue[tuple[str, Outcome] | BaseException | None],
        workers: int,
        found: dict[str, Outcome],
        note: Callable[[str], object] | None,
    ) -> None:
        """Move the results in the queue *told* into *found* until all *workers* have ended."""
        while workers:
            one = told.get()
            if isinstance(one, BaseException):
                raise one
            if one is None:
                workers -= 1
                continue
            found[one[0]] = one[1]
            if note is not None:
                note(one[0])

    def _chunk(
        self, jobs: Sequence[Job], tell: Callable[[tuple[str, Outcome]], None]
    ) -> Iterator[tuple[str, Outcome]]:
        """The variants of *jobs* that have no derivation; *tell* gets the others. Nix ends at the
        first variant that it refuses, so it is run again for the rest."""
        rest = list(jobs)
        read = False  # whether it is known that Nix can read the file
        asked = {job.name for job in jobs}
        refused: set[str] = set()
        while rest and not self._stopped:
            known: set[str] = set()

            def note(line: str, known: set[str] = known) -> bool:
                if not line.startswith(_TOLD):
                    return self._note_beside(line, asked)
                found = _told(line.removeprefix(_TOLD))
                if found is None or found[0] not in asked:
                    return False  # a program may trace anything
                known.add(found[0])
                tell(found)
                return True

            answer = ask(self.command(rest), note, self._begun)
            rest = [job for job in rest if job.name not in known]
            if rest and answer.lost:
                for job in rest:
                    yield job.name, RefusedByNix(answer.refused, lost=True)
                return
            if not rest:
                break
            text = answer.refused or _SAID_NOTHING
            if not known and {job.file for job in rest} == {jobs[0].file} and not read:
                if refused_whole(jobs[0].file, self._begun):
                    for job in rest:
                        yield job.name, RefusedByNix(text, whole=True)
                    return
                read = True
            yield rest[0].name, RefusedByNix(text)
            refused.add(rest[0].name)
            del rest[0]
        left = [job for job in jobs if job.name not in refused and job.name not in self.fakes]
        if self._asks_inputs and left and not self._stopped:
            # An evaluator in which Nix refused a variant has not looked at inputs.
            ask(
                self.command(left),
                lambda line: line.startswith(_TOLD) or self._note_beside(line, asked),
                self._begun,
            )

    def _note_beside(self, line: str, asked: Collection[str]) -> bool:
        """Note a *line* that is not about a derivation. Returns whether it is such a line."""
        if line.startswith(_READ):
            number = line.removeprefix(_READ).strip()
            if not number.isdecimal():
                return False
            self.read.add(int(number[:9]))
            return True
        if not (self._asks_inputs and line.startswith((_FAKES, _GRAPH))):
            return False
        try:
            if line.startswith(_GRAPH):
                self.graph |= graph_in(json.loads(line.removeprefix(_GRAPH)))
                return True
            told = json.loads(line.removeprefix(_FAKES))
            found = tuple([Fetched(one["name"], one["hash"], one["url"]) for one in told["found"]])
            self.fakes |= {name: found for name in told["variants"] if name in asked}
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return False  # a program may trace anything
        return True


def _questions(jobs: Sequence[Job]) -> tuple[dict[str, Json], list[Json]]:
    """The files that Nix reads for *jobs*, once for each system, with their variants."""
    keys: dict[tuple[object, ...], str] = {}
    files: dict[str, Json] = {}
    variants: list[Json] = []
    for job in jobs:
        caller = (job.scope, job.caller, job.marks, job.members)
        key = (job.file, job.system, job.kind, job.siblings, caller)
        number = keys.setdefault(key, f"{len(keys)}")
        files[number] = {
            "file": as_text(job.file),
            "system": job.system,
            "kind": job.kind,
            "siblings": {name: as_text(file) for name, file in job.siblings},
            "scope": [*job.scope],
            "caller": job.caller,
            "marks": as_text(job.marks),
            "members": job.members,
        }
        within: Json = [*job.within]
        variants.append(
            {"name": job.name, "file": number, "attribute": job.attribute, "within": within}
        )
    return files, variants


def chunks(groups: Sequence[Sequence[Job]], side_by_side: int) -> list[Sequence[Job]]:
    """*groups* in parts for the evaluators, so that every evaluator has work. Each group has its
    own nixpkgs, and so may each variant that is a file of its own: an evaluator gets only a few of
    these. Calls by other callers than the top level share the nixpkgs of an evaluator."""
    total = sum(map(len, groups))
    size = min(_MOST, max(_FEWEST, -(-total // max(side_by_side, 1))))
    found: list[Sequence[Job]] = []
    small: list[Sequence[Job]] = []
    for group in groups:
        alone = any(job.attribute is None and not job.marks for job in group)
        most = min(size, _MOST_IMPORTS) if alone else size
        parts = [group[at : at + most] for at in range(0, len(group), most)]
        if len(parts) > 1 or alone:
            found += parts
        else:
            small += parts
    return sorted([*found, *_joined(small, size)], key=len, reverse=True)


def _joined(groups: Sequence[Sequence[Job]], size: int) -> Iterator[Sequence[Job]]:
    """Joins small *groups* of one kind, up to *size* variants and up to the number of nixpkgs for
    one evaluator. If Nix cannot read a file, it says so for a whole part, so each part has variants
    of one file."""
    part: list[Job] = []
    imports = 0
    for group in groups:
        full = imports == _MOST_IMPORTS or len(part) + len(group) > size
        if part and (full or part[0].file != group[0].file):
            yield part
            part, imports = [], 0
        part += group
        imports += 1
    if part:
        yield part


def _told(text: str) -> tuple[str, Outcome] | None:
    """The variant that the line *text* of an evaluator describes, or None."""
    try:
        one = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match one:
        case {"name": str(name), "thrown": True}:
            return name, RefusedByNix(_THROWN)
        case {
            "name": str(name),
            "derivation": str(path),
            "out": str(out),
            "attributes": dict(attributes),
            "structured": bool(structured),
        } if all(isinstance(value, str) for value in attributes.values()):
            return name, Derived(path, attributes, structured, out)
        case _:
            return None
