"""From what Nix tells while it builds to the state of each build."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest

from support.effort import for_each, writes
from tvarc.farm.realise.follow import Begun, Counted, Entered, Following, Printed, Said, read_event
from tvarc.farm.realise.logs import Logs, put_aside
from tvarc.farm.realise.model import Build, State

A, B, C = (f"/nix/store/{letter * 32}-{letter}.drv" for letter in "abc")
GONE = {
    "2.8": "error: unexpected end-of-file",
    "2.26": "error: Nix daemon disconnected unexpectedly (maybe it crashed?)",
}


def nix(**data: object) -> str:
    return f"@nix {json.dumps(data)}\n"


def begin(number: int, path: str, machine: str = "") -> str:
    return nix(action="start", id=number, level=3, type=105, fields=[path, machine, 1, 1], text="")


def line(number: int, text: str) -> str:
    return nix(action="result", id=number, type=101, fields=[text])


def count(done: int, failed: int, number: int = 1) -> str:
    return nix(action="result", id=number, type=105, fields=[done, 9, 1, failed])


def error(text: str) -> str:
    return nix(action="msg", level=0, msg=f"\x1b[31;1merror:\x1b[0m {text}")


def failed(path: str, code: int = 1) -> str:
    return error(f"builder for '\x1b[35;1m{path}\x1b[0m' failed with exit code {code}")


class Run:
    """Nix, of which the words are made up: `built` is what the store has by now."""

    def __init__(self, folder: Path) -> None:
        self.built: set[str] = set()
        self.now = 0.0
        self.logs = Logs(str(folder), {A: "one", B: "two"})
        self.following = Following(self.logs, lambda: self.now, self.unbuilt)
        self.asked = 0

    def unbuilt(self, paths: Collection[str]) -> set[str]:
        self.asked += 1
        return set(paths) - self.built

    def tells(self, *lines: str) -> list[tuple[str, State]]:
        changed: list[Build] = []
        states: list[tuple[str, State]] = []
        for one in lines:
            event = read_event(one)
            if event is not None:
                changed = list(self.following.take(event))
                states += [(build.derivation, build.state) for build in changed]
        return states

    def ticks(self, seconds: float = 2.0) -> list[tuple[str, State]]:
        self.now += seconds
        return [(one.derivation, one.state) for one in self.following.tick()]

    def ends(self, *, interrupted: bool = False) -> dict[str, State]:
        list(self.following.end(interrupted=interrupted))
        return {path: build.state for path, build in self.following.begun.items()}


def test_a_builder_that_prints_a_lot_is_not_slowed(tmp_path: Path) -> None:
    """The log has the lines at the next pause."""
    run, lines = Run(tmp_path), 2_000
    run.tells(begin(1, A))
    before = writes()
    run.tells(*[line(1, f"line {number}") for number in range(lines)])
    run.following.wait()
    assert writes() - before < lines // 10
    assert (tmp_path / "one.log").read_text(encoding="utf-8").count("\n") == lines


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_lines_of_nix() -> None:
    assert read_event(begin(7, A, "ssh-ng://b1")) == Begun(7, A, "ssh-ng://b1")
    assert read_event(line(7, "x")) == Printed(7, "x")
    phase = nix(action="result", id=7, type=104, fields=["buildPhase"])
    assert read_event(phase) == Entered(7, "buildPhase")
    assert read_event(count(3, 1)) == Counted(1, 3, 1)
    assert read_event(error("no")) == Said(0, "error: no")
    assert read_event("ssh: no route to host\n") == Said(1, "ssh: no route to host")


@for_each(
    "text",
    [
        "@nix {", "@nix []", "@nix null", "@nix 7", "\n", "@nix " + "[" * 100_000,
        nix(action="start", id=1, type=105, fields=[]), nix(action="start", id="x", type=105),
        nix(action="result", id=1, type=101, fields=[7]), nix(action="msg", level=0),
        nix(action="result", id=1, type=105, fields=[1, 2]), nix(action="stop", id=1),
        nix(action="result", id=1, type=106, fields=[101, 0]),
    ],
)  # fmt: skip
def test_lines_that_tell_nothing(text: str) -> None:
    assert read_event(text) is None


def test_the_last_lines_of_a_builder_have_no_colours(run: Run) -> None:
    run.tells(begin(2, A), line(2, "\x1b[01m\x1b[Ksum32.c:11:5:\x1b[m\x1b[K error"))
    assert run.following.begun[A].last() == ["sum32.c:11:5: error"]


def test_what_is_named_as_broken_clears_the_others(run: Run) -> None:
    """Nix counts a failure and ends; it names one, and the other was in its way alone."""
    run.tells(count(0, 0), begin(2, A), begin(3, B), count(0, 1))
    assert run.tells(failed(A)) == [(A, State.FAILED)]
    assert run.ends() == {A: State.FAILED, B: State.STOPPED}


def test_no_two_logs_have_one_name_and_no_report_is_lost(tmp_path: Path) -> None:
    long = "v" * 200
    logs = Logs(str(tmp_path), {A: "nix", B: f"{long}1", C: f"{long}2"})
    names = {Path(logs.path(path)).name for path in (A, B, C)}
    assert len(names) == 3 and "nix.log" not in names
    assert Path(Logs(str(tmp_path), {A: "tool-8"}).path(A)).name == "tool-8.log"
    (tmp_path / "report.json").write_text("mine")
    put_aside(str(tmp_path / "report.json"))
    assert (tmp_path / "report.1.json").read_text() == "mine"
    for _ in range(2):  # of a build that prints nothing
        logs.begin(A)
        logs.end(A)
    assert not list(tmp_path.glob("*.1.log"))


def test_runs_at_the_same_time_have_logs_of_their_own(tmp_path: Path) -> None:
    first = Logs(str(tmp_path), {})
    second, third = Logs(str(tmp_path), {}), Logs(str(tmp_path), {})
    assert [one.folder for one in (first, second, third)] == [
        str(tmp_path), str(tmp_path / "run-2"), str(tmp_path / "run-3"),
    ]  # fmt: skip
    del second
    assert Logs(str(tmp_path), {}).name == str(tmp_path / "run-2")


def test_which_of_several_is_done_the_store_knows(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A), begin(3, B))
    assert run.ticks() == [] and run.asked == 0
    run.built.add(B)
    run.tells(count(1, 0))
    assert run.ticks() == [(B, State.BUILT)]
    assert run.ticks() == [] and run.asked == 1
    run.built.add(A)
    assert run.ends() == {A: State.BUILT, B: State.BUILT}


def test_how_long_several_took_that_were_done_between_two_questions(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A))
    run.now = 10.0
    run.tells(count(1, 0), begin(3, B))
    run.now = 10.5
    run.tells(count(2, 0), begin(4, C))
    run.built |= {A, B, C}  # of C it is not told yet
    run.ticks(0.5)
    took = {path: one.seconds(run.now) for path, one in run.following.begun.items()}
    assert took == {A: 10.0, B: 0.5, C: 0.5}


def test_which_of_several_on_this_machine_has_failed(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A), begin(3, B), begin(4, C))
    assert run.tells(count(0, 1)) == []
    assert run.tells(line(3, "B goes on")) == []
    assert run.tells(line(4, "and so does C")) == [(A, State.FAILED)]
    # Its words come when Nix ends.
    run.tells(failed(A, 7))
    assert run.following.begun[A].words == f"builder for '{A}' failed with exit code 7"
    assert "exit code 7" in (Path(run.logs.folder) / "one.log").read_text()


def test_one_far_away_fails_and_nobody_here_is_blamed(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A), begin(3, B, "ssh-ng://b1"), begin(9, B))
    # What the machine counts is not what Nix counts.
    assert run.tells(count(0, 1, number=8)) == []
    words = f"build of '{B}' on 'ssh-ng://b1' failed: builder for '{B}' failed with exit code 3;"
    run.tells(line(9, "oh"), error(f"{words}\n       last 1 log lines:\n       > oh"))
    assert run.tells(count(0, 1)) == [(B, State.FAILED)]
    assert run.following.begun[B].words == f"builder for '{B}' failed with exit code 3"
    assert run.following.begun[B].machine == "ssh-ng://b1" and run.following.away == {}
    run.built.add(A)
    assert run.ends() == {A: State.BUILT, B: State.FAILED}


@pytest.mark.parametrize("words", GONE.values(), ids=GONE)
def test_a_machine_that_goes_away(run: Run, words: str) -> None:
    run.tells(count(0, 0), begin(2, A, "ssh-ng://b1"), begin(3, B, "ssh-ng://b2"), begin(4, C))
    run.tells(error(words.removeprefix("error: ")))
    assert run.tells(count(0, 1)) == []  # C is not blamed
    assert run.tells(failed(A)) == [(A, State.LOST)]
    assert run.following.away == {"ssh-ng://b1": words.removeprefix("error: ")}
    assert not run.following.failed
    run.built |= {B, C}
    assert run.ends() == {A: State.LOST, B: State.BUILT, C: State.BUILT}


def test_nix_ends_without_a_word(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A, "ssh-ng://b1"), begin(3, B))
    assert run.ends() == {A: State.LOST, B: State.STOPPED}


def test_what_is_interrupted_is_nobodys_fault(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A, "ssh-ng://b1"), begin(3, B))
    run.built.add(B)
    assert run.ends(interrupted=True) == {A: State.STOPPED, B: State.BUILT}


@pytest.mark.parametrize(("interrupted", "told"), [(True, ""), (False, "interrupted by the user")])
def test_that_nix_was_asked_to_end_is_news_to_who_did_not_ask(
    run: Run, *, interrupted: bool, told: str
) -> None:
    run.tells(count(0, 0), begin(2, A), error("interrupted by the user"))
    run.ends(interrupted=interrupted)
    assert run.following.fault == told


def test_a_verdict_that_nix_had_no_time_to_pass_on(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A, "ssh-ng://b1"), begin(3, B, "ssh-ng://b1"))
    run.tells(error(f"build of '{A}' on 'ssh-ng://b1' failed: builder for '{A}' failed"))
    assert run.ends(interrupted=True) == {A: State.FAILED, B: State.STOPPED}


def test_a_machine_with_less_than_its_line_says(run: Run) -> None:
    words = f"a 'x86_64-linux' with features {{gpu}} is required to build '{A}', but I am a 'x'"
    run.tells(count(0, 0), begin(2, A, "ssh-ng://b1"))
    run.tells(error(f"build of '{A}' on 'ssh-ng://b1' failed: {words}"))
    assert run.tells(count(0, 1)) == [(A, State.LOST)]
    assert run.following.away == {"ssh-ng://b1": words}


def test_a_machine_that_tells_late_begins_nothing(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A, "ssh-ng://b1"))
    run.built.add(A)
    run.tells(count(1, 0))
    assert run.ticks() == [(A, State.BUILT)]
    assert run.tells(begin(9, A)) == []
    assert run.following.begun[A].machine == "ssh-ng://b1"
    # When Nix is run again, it is another build.
    run.ends()
    assert run.tells(begin(2, A, "ssh-ng://b2")) == [(A, State.RUNNING)]


def test_what_depends_on_what_failed_is_not_what_ended_the_run(run: Run) -> None:
    run.tells(count(0, 0), begin(2, A), failed(A))
    run.tells(error(f"1 dependencies of derivation '{B}' failed to build"))
    run.tells(error(f"build of '{A}', '{B}' failed"))
    assert run.following.fault == ""
    run.tells(error("the disk is full"))
    assert run.following.fault == "the disk is full"


def test_a_machine_that_does_not_answer(run: Run) -> None:
    run.tells(error("cannot build on 'ssh-ng://b1': error: failed to start SSH connection"))
    assert run.following.away == {"ssh-ng://b1": "error: failed to start SSH connection"}
    assert run.following.fault == ""


def test_logs_of_before_are_kept(tmp_path: Path) -> None:
    for number in range(3):
        logs = Logs(str(tmp_path), {A: "one"})
        logs.begin(A)
        logs.add(A, f"run {number}")
        logs.end(A)
        logs.add(A, "nobody")
        logs.begin(C)
        logs.close()
        assert logs.fault == ""
        del logs  # the run has ended
    texts = {path.name: path.read_text() for path in tmp_path.glob("one*.log")}
    assert texts == {"one.1.log": "run 0\n", "one.2.log": "run 1\n", "one.log": "run 2\n"}
    assert (tmp_path / "c-cccccccc.log").exists()


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    logs = Logs(str(tmp_path), {A: "one"})
    (tmp_path / "one.log").mkdir()
    (tmp_path / "one.log" / "x").touch()
    tmp_path.chmod(0o500)
    logs.begin(A)
    tmp_path.chmod(0o700)
    logs.add(A, "words")
    logs.append("/nix/store/no/such/folder", "words")
    logs.close()
