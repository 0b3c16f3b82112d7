"""Stands in for nix-eval-jobs: its command line and its lines, and real Nix that evaluates. Its own
words for what is refused are of no use, so that who takes them is found out.

EVAL_JOBS_NIX is the `nix-instantiate` that it asks, EVAL_JOBS_LOG a file that gets its words, and
EVAL_JOBS_DOES what goes wrong with it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

_OPTIONS: Final = {
    "--workers": 1, "--max-memory-size": 1, "--gc-roots-dir": 1, "--meta": 0, "--option": 2,
    "-I": 1, "--argstr": 2,
}  # fmt: skip
_PASSED_ON: Final = ("--option", "-I")
_OTHERS: Final = {
    "another age": 'nixVersion = "9.9.1"; ',
    "the next repair": 'nixVersion = builtins.nixVersion + ".9"; ',
    "another search path": "nixPath = [ ]; ",
}
_DERIVED: Final = "job: { inherit (job) drvPath name system meta; outputs = { }; }"
LINES_BEFORE_THE_END: Final = 5
_REFUSED: Final = "words of nobody"


def _main(words: list[str]) -> None:
    does = os.environ.get("EVAL_JOBS_DOES", "")
    with Path(os.environ["EVAL_JOBS_LOG"]).open("a", encoding="utf-8") as log:
        log.write(f"{os.getpid()} {' '.join(words)}\n")
    if does == "waits":
        time.sleep(60)
    os.environ.pop("NIX_PATH", None)
    options, file = _read(words, does)
    arguments = " ".join(
        f"{name} = {json.dumps(text)};" for kind, *(name, text) in _pairs(options, "--argstr")
    )
    other = _OTHERS.get(does)
    loaded = (
        "import" if other is None else f"scopedImport {{ builtins = builtins // {{ {other}}}; }}"
    )
    jobs = f"({loaded} {file} {{ {arguments} }})"
    passed = [word for one in options if one[0] in _PASSED_ON for word in one]
    if does == "says nothing":
        return
    derived = _derived(jobs, passed)
    for number, name in enumerate(derived or _ask(f"builtins.attrNames {jobs}", passed)):
        if number == LINES_BEFORE_THE_END and does == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        line: dict[str, Any] = {"attr": name, "attrPath": [name]}
        try:
            line |= derived.get(name) or _ask(f"({_DERIVED}) {jobs}.{name}", passed)
        except _RefusedError as fault:
            # Of what it says itself the words are told.
            told = str(fault).rpartition("error: ")[2].strip() if other else _REFUSED
            line["error"] = f"error: {told}"
        text = json.dumps(line, sort_keys=True, separators=(",", ":"))
        if number == LINES_BEFORE_THE_END and does == "cuts a line":
            print(text[: len(text) // 2], end="", flush=True)
            _end("worker error: unexpected end-of-file")
        print(text, flush=True)
        if "error" in line:
            print(line["error"], file=sys.stderr)


class _RefusedError(Exception):
    pass


def _derived(jobs: str, passed: list[str]) -> dict[str, Any]:
    """What there is of each job, by one process: false of one that is refused, and nothing at all
    if one cannot be read."""
    tried = f"builtins.tryEval (let one = ({_DERIVED}) job; in builtins.deepSeq one one)"
    try:
        found: dict[str, Any] = _ask(f"builtins.mapAttrs (_: job: ({tried}).value) {jobs}", passed)
    except _RefusedError:
        return {}
    return found


def _ask(expression: str, passed: list[str]) -> Any:
    nix = [os.environ["EVAL_JOBS_NIX"], "--eval", "--strict", "--json", "--read-write-mode"]
    done = subprocess.run(
        [*nix, *passed, "--expr", expression], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise _RefusedError(done.stderr)
    return json.loads(done.stdout)


def _read(words: list[str], does: str) -> tuple[list[list[str]], str]:
    """The options with their values, and the file."""
    options: list[list[str]] = []
    files: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            files.append(word)
        elif word not in _OPTIONS or (word == "--meta" and does == "knows no option"):
            _end(f"unrecognised flag '{word}'")
        else:
            options.append([word, *(rest.pop(0) for _ in range(_OPTIONS[word]))])
    (file,) = files
    return options, file


def _pairs(options: list[list[str]], name: str) -> list[list[str]]:
    return [one for one in options if one[0] == name]


def _end(fault: str) -> None:
    print(f"error: {fault}\nTry 'nix-eval-jobs --help' for more information.", file=sys.stderr)
    raise SystemExit(1)


if __name__ == "__main__":
    _main(sys.argv[1:])
