"""A workflow with a ledger on a branch of its own: it plans the variants without a good result
there. The jobs that build may only read the repository. One last job writes the branch. It runs
only git and jq, and no program of the repository or of an installation.
"""

from __future__ import annotations

import posixpath
import re

from tvarc.farm import LEDGER
from tvarc.farm import messages as msg
from tvarc.farm.ci.github import (
    BY_HAND_OR_TAG,
    CHECKOUT,
    RUNNERS,
    USUAL,
    ByLedger,
    expression,
    install_steps,
    literal,
)
from tvarc.farm.ci.lines import Jobs
from tvarc.farm.yaml import Yaml
from tvarc.light import Final
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink

_BRANCH: Final = re.compile(
    r"(?!.*(?:\.\.|//|/\.|\.lock(?:/|$)))[A-Za-z0-9][A-Za-z0-9._/-]*(?<![./])"
)
"""The names of branches that need no quotes anywhere."""
BUILD_ID: Final = "build"
"""The `id` of the step that builds."""
_MOST: Final = 20
"""The number of results that the branch keeps of a variant, and of each of its tests."""
_DAYS: Final = 7
"""The days for which GitHub keeps the results of a job: as long as a user can run it again."""

_READ: Final = """\
rm -f -- "$LEDGER"
if ! git fetch --quiet --depth 1 origin "refs/heads/$BRANCH"; then
  echo "The branch $BRANCH cannot be read, or does not exist yet."
elif git cat-file -e "FETCH_HEAD:$LEDGER"; then
  git cat-file blob "FETCH_HEAD:$LEDGER" > "$LEDGER"
fi
"""
_PLAN: Final = """\
plan() {
  tvarc jobs --file "$PROGRAM" --output "$OUTPUT" --as github "$@" > "$MATRIX"
}
if [ "$ALL" = true ]; then
  plan
elif ! plan --missing; then
  echo "::warning::All variants are planned. Repair the ledger on the branch $BRANCH, or delete it."
  plan
fi
jq -r '.shards | to_entries[] | "shard-\\(.key + 1)=\\(.value | tojson)"' "$MATRIX" \\
  >> "$GITHUB_OUTPUT"
"""
_BUILD: Final = """\
rm -f -- "$LEDGER"
run() {
  if ! tvarc "$1" --file "$PROGRAM" --record --logs "$LOGS/$1" "${@:2}" -- "$VARIANT"; then
    cat "$LOGS/$1"/*.log
    return 1
  fi
}
run realise --out-link "$LINKS"
for link in "$LINKS/$VARIANT"*; do
  ln -s "$link" "result${link#"$LINKS/$VARIANT"}"
done
run test
"""
"""Builds and tests a variant. The ledger has only the results of this job, and `result` is the link
of `nix-build`."""
_ADD: Final = """\
mkdir -p "$RESULTS"  # of no artifact there is no folder
find "$RESULTS" -name '*.jsonl' -exec cat {} + > "$TEMPORARY/new"
if ! [ -s "$TEMPORARY/new" ]; then
  echo "No job has a result."
  exit
fi
git config user.name 'github-actions[bot]'
git config user.email '41898282+github-actions[bot]@users.noreply.github.com'
export GIT_INDEX_FILE="$TEMPORARY/index"
for pause in 1 2 4 8 16 32 0; do
  git read-tree --empty
  parent=()
  : > "$TEMPORARY/old"
  if git fetch --quiet --depth 1 origin "refs/heads/$BRANCH"; then
    git read-tree FETCH_HEAD
    parent=(-p FETCH_HEAD)
    if [ -n "$(git ls-files -- ":(exclude)*$NAME")" ]; then
      echo "::error::The branch $BRANCH has other files than ledgers, so nothing is written to it."
      exit 1
    fi
    if git cat-file -e "FETCH_HEAD:$LEDGER"; then
      git cat-file blob "FETCH_HEAD:$LEDGER" > "$TEMPORARY/old"
    fi
  fi
  if ! jq --slurp --compact-output --argjson most "$MOST" \\
    'unique | group_by([.variant, .test])[] | sort_by(.when)[-$most:][]' \\
    "$TEMPORARY/old" "$TEMPORARY/new" > "$TEMPORARY/joined"; then
    echo "::error::Repair the ledger on the branch $BRANCH, or delete the branch."
    exit 1
  fi
  blob=$(git hash-object -w "$TEMPORARY/joined")
  git update-index --add --cacheinfo "100644,$blob,$LEDGER"
  commit=$(git commit-tree "${parent[@]}" -m "Results of $RUN" "$(git write-tree)")
  if git push --quiet origin "$commit:refs/heads/$BRANCH"; then
    exit
  fi
  sleep "$pause"  # another run was faster
done
echo "::error::The results cannot be pushed to the branch $BRANCH."
exit 1
"""
"""Adds the results of all jobs to the ledger on the branch: the union of lines. It never forces a
push, so two runs at once lose nothing."""


def by_ledger(
    output: hir.OutputDef, jobs: Jobs, program: str, tvarc: str, sink: Sink
) -> ByLedger | None:
    """The parts of the workflow of *output* for its ledger; None if it has none. Raises Failed
    after reporting."""
    expr = dict(output.fields).get("ledger")
    if expr is None:
        return None
    branch = expr.value if isinstance(expr, hir.Const) else None
    if not isinstance(branch, str) or not _BRANCH.fullmatch(branch):
        raise sink.refuse(msg.workflows.BAD_BRANCH, expr.span)
    _demand_one_system(output, expr, jobs, sink)
    where: dict[str, Yaml] = {
        "BRANCH": branch,
        "LEDGER": literal(posixpath.join(posixpath.dirname(program), LEDGER)),
    }
    temporary = expression("runner.temp")
    results = f"{temporary}/results"
    plan: Yaml = {
        "id": "matrix",
        "name": "Plan what has no good result",
        "env": {
            # All variants of a tag are published, and none was published before.
            "ALL": expression(BY_HAND_OR_TAG),
            "BRANCH": branch,
            "PROGRAM": literal(program),
            "OUTPUT": output.name,
            "MATRIX": f"{temporary}/matrix.json",
        },
        "run": _PLAN,
    }
    build: Yaml = {
        "id": BUILD_ID,
        "name": "Build and test",
        "env": {
            "PROGRAM": literal(program),
            "VARIANT": expression("matrix.variant"),
            "LEDGER": where["LEDGER"],
            "LINKS": f"{temporary}/links",
            "LOGS": f"{temporary}/logs",
        },
        "run": _BUILD,
    }
    keep: Yaml = {
        "name": "Keep the results",
        # A variant that was built but not published has no result, so the next run plans it.
        "if": f"success() || steps.{BUILD_ID}.outcome == 'failure'",
        "uses": "actions/upload-artifact@v4",
        "with": {
            "name": f"results-{expression('github.job')}-{expression('strategy.job-index')}",
            "path": where["LEDGER"],
            "retention-days": _DAYS,
            "overwrite": True,  # by a job that a user runs again
        },
    }
    add: dict[str, Yaml] = {
        # A run that a newer one cancels has results, too. A run for a pull request must not write.
        "if": "always() && github.event_name != 'pull_request' "
        "&& needs.plan.outputs.shard-1 != ''",
        "runs-on": RUNNERS[USUAL][0],
        "permissions": {"contents": "write"},
        "steps": [
            {"uses": CHECKOUT},
            {
                "uses": "actions/download-artifact@v4",
                "with": {"pattern": "results-*", "path": results},
            },
            {
                "name": "Add the results to the ledger",
                "env": {
                    **where,
                    "NAME": LEDGER,
                    "MOST": str(_MOST),
                    "RESULTS": results,
                    "TEMPORARY": temporary,
                    "RUN": expression("github.ref_name") + " " + expression("github.sha"),
                },
                "run": _ADD,
            },
        ],
    }
    read: Yaml = {"name": "Read the ledger", "env": where, "run": _READ}
    return ByLedger(branch, (read, plan), (*install_steps(tvarc), build), keep, add)


def _demand_one_system(output: hir.OutputDef, expr: hir.Expr, jobs: Jobs, sink: Sink) -> None:
    """Report a variant with jobs for several systems, because a ledger has one result for a
    variant."""
    systems: dict[str, list[str]] = {}
    for job in jobs.jobs:
        systems.setdefault(job.variant, []).append(job.system)
    for variant, several in systems.items():
        if len(several) > 1:
            raise sink.refuse(
                msg.workflows.SEVERAL_SYSTEMS,
                expr.span,
                output=output.name,
                variant=variant,
                systems=" and ".join(several),
            )
