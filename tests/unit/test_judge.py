"""How what Nix prints and writes is read: messages and their places, derivations, differences."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from support.compile import compile_text
from support.effort import for_each
from tvarc.nix import ir
from tvarc.nix.judge.derivation import Derivation, Unreadable, parse_derivation
from tvarc.nix.judge.difference import Difference, differences
from tvarc.nix.judge.eval_jobs import EvalJobs
from tvarc.nix.judge.evaluate import Derived, Evaluators, Job, RefusedByNix, chunks
from tvarc.nix.judge.faults import NixFault, NixPlace, fault_in
from tvarc.nix.judge.leaving_out import culprits_of
from tvarc.nix.judge.nix import Answer, ask
from tvarc.nix.judge.not_shown import not_shown, unnamed

OLDER = """\
warning: the group 'nixbld' does not exist
error: anonymous function at /n/torch.nix:1:1 called with unexpected argument 'foo'

       at /n/lib/customisation.nix:69:16:

           68|     let
           69|       result = f origArgs;
             |                ^

       … from call site

       at /tmp/x y/variants.nix:12:3:

           12|   a = b;
"""
NEWER = """\
error:
       … while evaluating the attribute 'drvPath'
         at /tmp/x y/variants.nix:12:3:
           11| {
           12|   a = b;

       … while calling the 'throw' builtin
         at /n/lib/customisation.nix:69:16:

       error: it is
       told in two lines
       at /n/torch.nix:1:1:
            1| { }
"""


def test_older_versions_tell_the_innermost_place_first() -> None:
    found = fault_in(OLDER)
    assert found.words == (
        "anonymous function at /n/torch.nix:1:1 called with unexpected argument 'foo'",
    )
    assert found.places == (
        NixPlace("/n/lib/customisation.nix", 69, 16),
        NixPlace("/tmp/x y/variants.nix", 12, 3),
    )


def test_newer_versions_tell_it_last() -> None:
    found = fault_in(NEWER)
    assert found.words == ("it is", "told in two lines")
    assert found.places == (
        NixPlace("/n/torch.nix", 1, 1),
        NixPlace("/n/lib/customisation.nix", 69, 16),
        NixPlace("/tmp/x y/variants.nix", 12, 3),
    )


@pytest.mark.parametrize("text", ["", "   \n", "killed", "error:\nerror:\n"])
def test_what_is_no_message_is_told_as_it_is(text: str) -> None:
    found = fault_in(text)
    assert found.words == (text.strip() or "Nix gave no reason",) and found.places == ()


def test_an_error_may_have_no_words() -> None:
    """As of `throw ""`: its places are told, and no trace stands in place of words."""
    found = fault_in("error:\n\n       … from call site\n\n       at /tmp/v.nix:3:1:\n\n  3| x\n")
    assert found == NixFault(("an error without words",), (NixPlace("/tmp/v.nix", 3, 1),))


@pytest.mark.parametrize("start", ["error: ", ""])
def test_long_words_are_cut(start: str) -> None:
    (found,) = fault_in(f"{start}{'x' * 1_000_000}\n").words
    assert found == "x" * 400 + "…"


class TestAsking:
    """What programs may do that are called `nix-instantiate`."""

    @staticmethod
    def ask(script: str, note: Callable[[str], bool] | None = None) -> Answer:
        return ask(["/bin/sh", "-c", script], note)

    @pytest.mark.slow
    def test_what_it_has_started_may_last_longer(self) -> None:
        before = time.monotonic()
        answer = self.ask("sleep 30 & echo $! told >&2; exit 1")
        assert answer.refused.endswith(" told\n") and time.monotonic() - before < 15
        os.kill(int(answer.refused.split()[0]), signal.SIGKILL)

    def test_lines_are_whole_whatever_comes_at_once(self) -> None:
        lines: list[str] = []

        def note(line: str) -> bool:
            lines.append(line)
            return True

        script = "printf 'a' >&2; sleep 0.1; printf 'b\nc' >&2; printf '\n\nd' >&2; echo 1"
        assert self.ask(script, note) == Answer(1)
        assert lines == ["ab\n", "c\n", "\n", "d"]

    def test_no_more_is_kept_than_a_person_reads(self) -> None:
        answer = self.ask("seq 100000 >&2; head -c 1000000 /dev/zero >&2; exit 1")
        assert answer.refused.startswith("1\n2\n") and "\n100000\n" in answer.refused
        assert len(answer.refused) < 200_000


@pytest.mark.parametrize(
    "told",
    [
        "{", "5", "[]", "[" * 100_000, '{"name": "v"}',
        '{"name": ["v"], "derivation": "/d", "attributes": {}, "structured": false}',
        '{"name": "v", "derivation": "/d", "attributes": 5, "structured": true}',
        '{"name": "v", "derivation": "/d", "attributes": {"a": 5}, "structured": false}',
        '{"name": "other", "derivation": "/d", "attributes": {}, "structured": false}',
    ],
)  # fmt: skip
def test_what_a_program_traces_is_no_answer(
    told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nix = tmp_path / "nix-instantiate"
    (tmp_path / "told").write_text(f"trace: tvarc-judge {told}\n", encoding="utf-8")
    nix.write_text(f'#!/bin/sh\ncat "{tmp_path}/told" >&2\necho null\n', encoding="utf-8")
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    job = Job("v", "/v.nix", "x86_64-linux")
    found = Evaluators(str(tmp_path), 1, attributes=None).run([[job]])
    assert set(found) == {"v"} and isinstance(found["v"], RefusedByNix)


GOOD = '{"attr": "v1", "drvPath": "/d", "meta": {"tvarc": "told"}}'
REFUSED = '{"attr": "v1", "error": "error: no"}'


@pytest.mark.parametrize(
    ("lines", "end", "told", "ended"),
    [
        ([GOOD], "", ["v1 /d told"], ""),
        ([GOOD, GOOD], "exit 1", ["v1 /d told"], ""),
        ([REFUSED], "", [], ""),
        ([REFUSED], "echo error: no >&2; exit 1", [], ""),
        ([], "", [], "without a word of 1 of the variants"),
        ([], "exit 3", [], "with exit code 3"),
        ([], "kill -9 $$", [], "by signal 9"),
        ([], "echo error: one >&2; echo error: two: >&2; exit 1", [], "two:"),
        (["{", "5", "[]", "null", "[" * 100_000, GOOD[:-1]], "", [], "without a word of 1 of the"),
        ([GOOD.replace("v1", "v2")], "", [], "without a word of 1 of the variants"),
        ([GOOD.replace('"/d"', "null")], "", [], "without a word of 1 of the variants"),
        ([GOOD.replace('"told"', "5")], "", [], "without a word of 1 of the variants"),
        ([GOOD.replace("/d", "/not this")], "", ["v1 /not this told"], "without a word of 1 of"),
        ([REFUSED.replace("v1", "age")], "", [], "no"),
    ],
)  # fmt: skip
def test_what_eval_jobs_tells_is_taken_where_it_was_asked(
    lines: list[str], end: str, told: list[str], ended: str, tmp_path: Path
) -> None:
    (tmp_path / "lines").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found: list[str] = []

    def tell(*words: str) -> bool:
        found.append(" ".join(words))
        return "not" not in words[1]

    program = EvalJobs(2)
    program.run(["sh", "-c", f'cat "{tmp_path}/lines"; {end}'], ["v1"], tell, str)
    assert found == told
    assert program.ended.startswith(ended) and bool(program.ended) == bool(ended)


def test_a_file_that_nix_cannot_read_is_refused_for_all_its_variants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nix = tmp_path / "nix-instantiate"
    nix.write_text("#!/bin/sh\necho error: no >&2\nexit 1\n", encoding="utf-8")
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    jobs = [Job(name, "/v.nix", "x86_64-linux") for name in ("v", "w")]
    found = Evaluators(str(tmp_path), 1, attributes=None).run([jobs])
    assert found == dict.fromkeys(("v", "w"), RefusedByNix("error: no\n", whole=True))


def test_a_program_may_trace_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "trace: tvarc-read all of it\nerror: no\n"
    nix = tmp_path / "nix-instantiate"
    (tmp_path / "said").write_text(said, encoding="utf-8")
    nix.write_text(f'#!/bin/sh\ncat "{tmp_path}/said" >&2\nexit 1\n', encoding="utf-8")
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    evaluators = Evaluators(str(tmp_path), 1)
    found = evaluators.run([[Job("v", "/v.nix", "x86_64-linux")]])
    assert found == {"v": RefusedByNix(said, whole=True)} and evaluators.read == set()


def test_more_evaluators_than_work_come_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that look for the last piece of work at once: one has it, the other ends."""
    nix = tmp_path / "nix-instantiate"
    nix.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for number in range(4):
            chunks = [[Job(f"{number}-{one}", "/v.nix", "x86_64-linux")] for one in range(9)]
            assert len(Evaluators(str(tmp_path), 8).run(chunks)) == 9
    finally:
        sys.setswitchinterval(interval)


def test_evaluators_are_given_chunks_of_a_few_groups_each() -> None:
    def jobs(name: str, count: int, attribute: str | None = "a") -> list[Job]:
        return [Job(f"{name}{n}", "/v.nix", "x86_64-linux", attribute) for n in range(count)]

    def sizes(*groups: list[Job], side_by_side: int = 1) -> list[str]:
        found = chunks(groups, side_by_side)
        assert sorted(job.name for chunk in found for job in chunk) == sorted(
            job.name for group in groups for job in group
        )
        return [f"{len(chunk)}{chunk[0].name[0]}" for chunk in found]

    assert sizes() == []
    assert sizes(jobs("a", 3)) == ["3a"]
    assert sizes(jobs("a", 100)) == ["48a", "48a", "4a"]
    assert sizes(jobs("a", 2), jobs("b", 3)) == ["5a"]
    assert sizes(*[jobs(name, 1) for name in "abcdefghij"]) == ["8a", "2i"]
    assert sizes(jobs("a", 16), side_by_side=2) == ["8a", "8a"]
    assert sizes(jobs("a", 9), side_by_side=8) == ["4a", "4a", "1a"]  # another is worth four
    # Where each imports a nixpkgs of its own, an evaluator is given few.
    assert sizes(jobs("a", 20, None)) == ["8a", "8a", "4a"]
    assert sizes(jobs("a", 20), jobs("b", 9, None)) == ["20a", "8b", "1b"]


def test_a_long_message_is_cut() -> None:
    words = fault_in("error: 1\n" + "".join(f"       {n}\n" for n in range(2, 30))).words
    assert words == ("1", "2", "3", "4", "5", "6", "…")


# --- derivations -------------------------------------------------------------------------------


def test_a_derivation_is_read() -> None:
    text = (
        'Derive([("out","/nix/store/x-a","sha256","00"),("dev","","","")],'
        '[("/nix/store/y-b.drv",["dev","out"])],["/nix/store/z-c.patch"],"x86_64-linux","/bin/sh",'
        '["-e","a \\"b\\""],[("text","one\\ntwo\\\\n\\t(,)[]\\r"),("empty","")])'
    )
    found = parse_derivation("/nix/store/q-a.drv", text)
    assert found.name == "a" and found.hash == "00"
    assert found.outputs["dev"].path == ""
    assert found.inputs == {"/nix/store/y-b.drv": ("dev", "out")}
    assert found.sources == ("/nix/store/z-c.patch",)
    assert (found.system, found.builder) == ("x86_64-linux", "/bin/sh")
    assert found.arguments == ("-e", 'a "b"')
    assert found.environment == {"text": "one\ntwo\\n\t(,)[]\r", "empty": ""}
    newer = text.replace("Derive(", 'DrvWithVersion("xp-dyn-drv",')
    assert parse_derivation("/nix/store/q-a.drv", newer) == found


@for_each(
    "text", ["", "Derive(", "Derive()", 'Derive("a")', "Derive([],[],[],[],[],[],[])", "{ }", '"x']
)
def test_what_is_no_derivation(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_derivation("/nix/store/q-a.drv", text)


HASH = "0123456789abcdfghijklmnpqrsvwxyz"


def path(name: str, mark: str = "0") -> str:
    return f"/nix/store/{mark}{HASH[1:]}-{name}.drv"


def drv(
    where: str,
    inputs: Mapping[str, tuple[str, ...]] | None = None,
    sources: tuple[str, ...] = (),
    hash: str = "",
    **environment: str,
) -> Derivation:
    terms = "".join(f'("{key}","{value}"),' for key, value in environment.items()).rstrip(",")
    needed = ",".join(f'("{one}",["out"])' for one in inputs or {})
    files = ",".join(f'"{one}"' for one in sources)
    out = f'("out","{where.removesuffix(".drv")}","","{hash}")'
    return parse_derivation(
        where, f'Derive([{out}],[{needed}],[{files}],"x86_64-linux","/bin/sh",[],[{terms}])'
    )


def differing(*all_: Derivation) -> tuple[Difference, ...]:
    known = {one.path: one for one in all_}
    return differences(all_[0].path, all_[1].path, known.__getitem__)


def test_hashes_of_paths_are_no_difference() -> None:
    one = drv(path("a"), {path("b"): ("out",)}, flags=f"-I{path('b')[:-4]}/include")
    two = drv(path("a", "1"), {path("b", "1"): ("out",)}, flags=f"-I{path('b', '1')[:-4]}/include")
    below = drv(path("b"), POST="1", postPatch="x"), drv(path("b", "1"), POST="2", postPatch="x")
    assert differing(one, two, *below) == (Difference("variable", "POST", "1", "2", ("b",)),)
    assert differing(one, two, drv(path("b")), drv(path("b", "1"))) == ()
    assert differing(one, one) == ()


def test_the_nearest_difference_is_told() -> None:
    """Of two ways down the shorter one, whatever the names are."""
    deep = {path("a-long-way"): ("out",), path("z"): ("out",)}
    deeper = {path("a-long-way", "1"): ("out",), path("z", "1"): ("out",)}
    found = differing(
        drv(path("top"), deep), drv(path("top", "1"), deeper),
        drv(path("a-long-way"), {path("z"): ("out",)}),
        drv(path("a-long-way", "1"), {path("z", "1"): ("out",)}),
        drv(path("z"), buildPhase="make"), drv(path("z", "1"), buildPhase="ninja"),
    )  # fmt: skip
    assert found == (Difference("phase", "buildPhase", "make", "ninja", ("z",)),)


def test_sources_inputs_and_what_is_fetched() -> None:
    source, other = f"/nix/store/{HASH}-c.patch", f"/nix/store/1{HASH[1:]}-c.patch"
    (found,) = differing(drv(path("a"), sources=(source,)), drv(path("a", "1"), sources=(other,)))
    assert found == Difference("source", "c.patch", source, other)
    (found,) = differing(drv(path("a"), {path("b"): ("out",)}), drv(path("a", "1")), drv(path("b")))
    assert found == Difference("input", "b", "out", None)
    (found,) = differing(drv(path("a"), hash="1", url="u"), drv(path("a", "1"), hash="2", url="v"))
    assert found == Difference("source", "a", "1 u", "2 v")
    # What has the hash that it has to have is the same, however it is fetched.
    assert (
        differing(drv(path("a"), hash="1", url="u"), drv(path("a", "1"), hash="1", url="v")) == ()
    )


def test_names_are_told_last() -> None:
    found = differing(
        drv(path("a"), name="a", pname="a", z="1"), drv(path("a", "1"), name="b", pname="b", z="2")
    )
    assert [one.name for one in found] == ["z", "name", "pname"]


# --- what a derivation shows ---------------------------------------------------------------------


def made_of(body: str) -> ir.Recipe:
    """The recipe of the one variant of a program."""
    text = f"recipe r {{ package = pkgs.hello, pin = none\n{body}\n}}\nvariant v {{ recipe = r }}\n"
    (recipe,) = compile_text(text).recipes()
    return recipe


def test_a_script_shows_by_its_text() -> None:
    recipe = made_of('script postFixup { part a "echo one" }\nscript preFixup { part a "two" }')
    derived = Derived("/nix/store/a-hello-1.drv", {"postFixup": "echo\n", "preFixup": "two"})
    (found,) = not_shown(recipe, derived)
    assert (found.kind, found.name, found.value) == ("script", "postFixup", True)
    (found,) = not_shown(recipe, Derived("/nix/store/a-hello-1.drv", {"preFixup": "two"}))
    assert (found.kind, found.name, found.value) == ("script", "postFixup", False)


def test_a_name_has_no_attribute_but_the_name_and_the_version() -> None:
    recipe = made_of('attrs { pname = "hello", version = 2.0, flavour = "plain", x = 1 }')
    attributes = {"pname": "hello", "version": "2.0", "flavour": "plain", "x": "1"}
    derived = Derived("/nix/store/a-hello-1.drv", attributes)
    assert [setting.key for setting in unnamed(recipe, derived)] == ["version"]


def test_all_that_a_recipe_adds_may_be_a_culprit() -> None:
    recipe = made_of('attrs { pname = "h", a = 1, l += ["b", "c"] }\nscript s { part p "x" }')
    assert [(one.kind, ".".join(one.path)) for one in culprits_of(recipe)] == [
        ("setting", "attrs.a"),
        ("element", "attrs.l"),
        ("element", "attrs.l"),
        ("script", "script.s"),
    ]
