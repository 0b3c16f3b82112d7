"""The command line: `python -m bench`, in the root of a checkout. `--help` tells the rest."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

import bench
from bench import builds, commands, documents, tables, workload
from bench.measure import Plan, measure
from bench.results import Results, from_json, to_json
from bench.timing import Failed

PARTS = ("tvarc", "floor", "peers", "programs", "start", "evaluation")
_TITLES = {
    "machine": "Machine",
    "targets": "tvarc: CPU time / floor, and its target",
    "other": "tvarc's time / that of the other tvarc: wall (CPU), peak memory",
    "beside": "tvarc beside the others",
    "wall": "Wall time: ms (times the floor)",
    "cpu": "CPU time: ms (times the floor)",
    "growth": "Growth: CPU time = fixed + each × N; exponent between the two largest sizes",
    "memory": "Peak memory: MiB",
    "programs": "Programs",
    "start": "Commands that write nothing, warm cache",
    "evaluation": "What Nix takes to evaluate all variants",
    "left-out": "Left out",
}


def main() -> int:
    options = _arguments()
    if options.render is not None:
        results = from_json(options.render.read_text(encoding="utf-8"))
    else:
        try:
            results = measure(_plan(options))
        except (Failed, OSError, subprocess.CalledProcessError) as failure:
            _say(f"error: {failure}")
            return 1
        except KeyboardInterrupt:
            return 130
    if options.json is not None:
        options.json.write_text(to_json(results), encoding="utf-8")
    if options.documents:
        documents.update(results)
    _show(results)
    return 0


def _show(results: Results) -> None:
    shown = tables.parts(results)
    for name, title in _TITLES.items():
        if name not in shown:
            continue
        sys.stdout.write(f"\n{title}\n\n{shown[name]}\n")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _plan(options: argparse.Namespace) -> Plan:
    parts = options.only
    peers = list(commands.PEERS) if options.peers is None else options.peers
    return Plan(
        tvarc=shlex.split(options.tvarc) if options.tvarc else builds.default_command(),
        other=shlex.split(options.against or ""),
        other_program=options.against_program,
        sizes=options.sizes if {"tvarc", "floor", "peers"} & set(parts) else (),
        parts=parts,
        peers=peers if "peers" in parts else (),
        rounds=options.rounds,
        limit=options.limit,
        folder=options.trees,
        say=_say,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=bench.__doc__)
    add = parser.add_argument
    listed = ",".join
    add(
        "--sizes",
        type=_sizes,
        default=list(workload.SIZES),
        metavar="LIST",
        help=f"of {listed(map(str, workload.SIZES))}; all by default, which takes half an hour",
    )
    add(
        "--only",
        type=lambda text: _chosen(text, PARTS),
        default=PARTS,
        metavar="LIST",
        help=f"of {listed(PARTS)}; floors are always measured where something is divided by them",
    )
    add(
        "--peers",
        type=lambda text: _chosen(text, tuple(commands.PEERS)),
        metavar="LIST",
        help=f"of {listed(commands.PEERS)}; all that are installed by default",
    )
    add("--rounds", type=int, metavar="N", help="as many everywhere; by default more for small N")
    add("--limit", type=float, default=300, metavar="SECONDS", help="the most that a run may take")
    add("--json", type=Path, metavar="FILE", help="write the results there")
    add("--render", type=Path, metavar="FILE", help="show results of an earlier run, do not run")
    add("--documents", action="store_true", help="put the tables into the documents, too")
    add("--tvarc", metavar="COMMAND", help="by default the `tvarc` beside this interpreter")
    add(
        "--against", metavar="COMMAND", help="another tvarc, timed in the same rounds: ratios to it"
    )
    add("--against-program", type=Path, metavar="FILE", help="its `matrix.tvar.in`, if not ours")
    add("--trees", type=Path, metavar="DIR", help="where files are written; by default in memory")
    options = parser.parse_args()
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds is 1 or more")
    return options


def _sizes(text: str) -> list[int]:
    known = {str(size): size for size in workload.SIZES}
    return sorted(known[word] for word in _chosen(text.replace("_", ""), tuple(known)))


def _chosen(text: str, known: tuple[str, ...]) -> list[str]:
    words = text.split(",")
    unknown = [word for word in words if word not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"no {', '.join(unknown)}: one of {', '.join(known)}")
    return words


if __name__ == "__main__":
    sys.exit(main())
