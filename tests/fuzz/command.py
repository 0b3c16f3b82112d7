"""`python -m tests.fuzz`: cases until the time is over; what fails is reduced and shown."""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence

from fuzz.cases import Case, corpus, keep
from fuzz.generators import GENERATORS, case_of
from fuzz.oracles import check
from fuzz.reduce import failure, reduced, shown

_MEMORY = 4 << 30


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; its exit code is 1 where anything failed."""
    given = _arguments().parse_args(words)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory(prefix="tvarc-fuzz-cache-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        if given.digests:
            return _digests(given.only, given.seed, given.digests)
        return _run(given)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for how long (60)")
    parser.add_argument("--seed", type=int, default=0, help="which cases (0)")
    parser.add_argument("--only", nargs="+", choices=list(GENERATORS), help="these generators")
    parser.add_argument("--keep", action="store_true", help="put what fails into the corpus")
    parser.add_argument(
        "--digests", type=int, metavar="N", help="print what becomes of N cases of each, and end"
    )
    return parser


def _run(given: argparse.Namespace) -> int:
    names = given.only or list(GENERATORS)
    end = time.monotonic() + given.seconds
    found: dict[str, Case] = {}
    count: Counter[str] = Counter()
    for case in corpus():
        if wrong := failure(case):
            print(f"{case.name} of the corpus fails: {wrong}")
            found[wrong] = case
    for number in itertools.count():
        for name in names:
            if time.monotonic() > end:
                told = ", ".join(f"{count[one]} {one}" for one in names)
                print(f"{told}; {len(found)} ways to fail")
                return 1 if found else 0
            case = case_of(name, given.seed, number)
            count[name] += 1
            wrong = failure(case)
            if not wrong or wrong in found:
                continue
            found[wrong] = case
            print(f"\n{name} {given.seed} {number} fails: {wrong}", flush=True)
            small = reduced(case, wrong)
            print("\n".join(shown(small)), flush=True)
            _trace(small)
            if given.keep:
                print(f"kept as {keep(small, f'{name}-{given.seed}-{number}')}")
    raise AssertionError("the numbers do not end")


def _trace(case: Case) -> None:
    """Show what is raised."""
    try:
        check(case)
    except Exception:
        print("\n".join(traceback.format_exc().splitlines()[-12:]), flush=True)


def _digests(only: Sequence[str] | None, seed: int, count: int) -> int:
    for name in only or GENERATORS:
        for number in range(count):
            print(name, number, check(case_of(name, seed, number)).digest)
    return 0
