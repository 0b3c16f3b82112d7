"""Small programs that ask for much, made at random: every question on each ends, with an answer or
in words, in so much time and memory. To be run by hand: `python -m tests.fuzz.hostile_fuzz`.

The ways to ask for much are those of `tests/unit/test_questions_end.py`, drawn together here.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

SECONDS, MEGABYTES, BYTES = 10, 400, 10_000

QUESTIONS = (
    ["check"], ["build", "--dry-run"], ["list"], ["list", "--json"], ["list", "--by", "a0"],
    ["list", "--excluded"], ["list", "--excluded", "--json"], ["why-not", "a0=1"], ["why-not", "m"],
    ["pick"], ["who", "variants.tvar:{line}"], ["explain", "v-1-1-1"], ["report"],
    ["diff", "v-1-1-1", "v-2-2-2"], ["jobs"], ["audit"], ["dump", "ir"],
)  # fmt: skip


def program(random: Random) -> str:
    """A program of under ten kilobytes."""
    sides = random.choice(
        [(46, 46, 47), (600, 150), (300, 300), (92, 92), (10, 10, 10, 10), (2,) * 16]
    )
    axes = [f"a{i}" for i in range(len(sides))]
    lines = [
        f"axis {axis} = [{', '.join(map(str, range(side)))}]"
        for axis, side in zip(axes, sides, strict=True)
    ]
    lets = random.choice([0, 0, 4, 12])
    lines.append('let s0 = "0000000000"')
    lines += [f'let s{i + 1} = "{{{{s{i}}}}}{{{{s{i}}}}}"' for i in range(lets)]
    reads = [f"{{{{{axis}}}}}" for axis in axes]

    def text() -> str:
        some = random.sample(reads, random.randint(1, len(reads)))
        more = [f"{{{{s{lets}}}}}"] if random.random() < 0.2 else []
        name = ["{{variant}}"] if random.random() < 0.2 else []
        return '"' + "-".join(some + more + name) + '"'

    def condition() -> str:
        parts = [
            f"{random.choice(axes)} {random.choice(['==', '!='])} {random.randint(0, 50)}"
            for _ in range(random.randint(1, 4))
        ]
        return f" {random.choice(['and', 'or'])} ".join(parts)

    overlays = random.choice([0, 0, 0, 20, 60])
    lines += [
        f"overlay o{i} in pkgs {{ x{i} = {random.choice(['1', text()])} }}" for i in range(overlays)
    ]
    body = ["package = pkgs.hello", "pin = none"]
    if overlays:
        body.append(f"overlays = [{', '.join(f'o{i}' for i in range(overlays))}]")
    for i in range(random.choice([0, 1, 2, 20, 60])):
        kind = random.choice(["attrs", "env", "passthru"])
        body.append(f"{kind}.k{i} = {random.choice([text(), f'upper({text()})', f'[{text()}]'])}")
    body += [
        f"when {condition()} {{ attrs.w{i} = {text()} }}"
        for i in range(random.choice([0, 0, 5, 40]))
    ]
    for i in range(random.choice([0, 0, 3, 20])):
        body.append(f'require attrs.r{i} != "{i}" because "w"')
        body.append(f"attrs.r{i} = {text()}")
    lines += ["recipe r {", *body, "}"]
    excludes = [
        f'exclude {condition()} because "e{i}"' for i in range(random.choice([0, 0, 3, 30]))
    ]
    name = "-".join(reads)
    raised = ["limit = 1000000"] if random.random() < 0.5 else []
    lines += [
        f"matrix m {{ recipe = r, axes = {' * '.join(axes)}, name = \"v-{name}\"",
        *raised, *excludes, "}",
    ]  # fmt: skip
    lines.append(
        random.choice([
            'output o { file = "out/{{variant}}.nix" }',
            'output o: all { file = "default.nix" }',
            'output o: docs { file = "README.md" }',
        ])
    )  # fmt: skip
    return "\n".join(lines) + "\n"


def ask(words: list[str], folder: Path) -> tuple[float, int, int, str]:
    """Seconds of CPU, megabytes, the exit code and the end of stderr."""

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (4 * SECONDS, 4 * SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    with (folder / "stderr").open("wb") as told:
        child = subprocess.Popen(
            [sys.executable, "-m", "tvarc", *words], cwd=folder, stdout=subprocess.DEVNULL,
            stderr=told, stdin=subprocess.DEVNULL, preexec_fn=limits,
            env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        )  # fmt: skip
        _, status, usage = os.wait4(child.pid, 0)
    text = (folder / "stderr").read_text(errors="replace")
    used = usage.ru_utime + usage.ru_stime
    return used, usage.ru_maxrss >> 10, os.waitstatus_to_exitcode(status), text[-400:]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--count", type=int, default=10)
    options.add_argument("--keep", type=Path, help="a folder for the programs that failed")
    given = options.parse_args()
    failed = 0
    for seed in range(given.seed, given.seed + given.count):
        text = program(Random(seed))
        if len(text) >= BYTES:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "variants.tvar").write_text(text)
            line = 1 + Random(seed).randrange(text.count("\n"))
            for question in QUESTIONS:
                words = [word.format(line=line) for word in question]
                seconds, megabytes, code, told = ask(words, folder)
                if seconds < SECONDS and megabytes < MEGABYTES and 0 <= code != 70:
                    continue
                failed += 1
                what = f"{seed}: {' '.join(words)}"
                print(f"{what}: {seconds:.1f} s, {megabytes} MB, exit {code}", flush=True)
                if code == 70:
                    print(told)
                if given.keep is not None:
                    (given.keep / f"{seed}.tvar").write_text(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
