"""What `explain`, `who`, `why-not` and `diff` print of the 44 and of the 237, as it was read and
found right."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.command import ROOT, tvarc
from tvarc.commands.line import exits

PLAN = "variants.tvar"
LARGE = "examples/torch-2.10/variants.tvar"

CASES = {
    "explain a variant": (PLAN, ["explain", "sm103-avx512bf16"]),
    "explain a setting": (PLAN, ["explain", "sm110-armv9", "meta.longDescription"]),
    "explain a list": (PLAN, ["explain", "sm103-avx512bf16", "attrs.cmakeFlags"]),
    "explain an element": (PLAN, ["explain", "sm103-avx512bf16", "attrs.cmakeFlags:BUILD_VERSION"]),
    "explain a line": (PLAN, ["explain", "sm103-avx512bf16", "script.preConfigure:1"]),
    "explain what is shadowed": (PLAN, ["explain", "sm90-avx2", "passthru.blasProvider"]),
    "explain overlays": (PLAN, ["explain", "sm103-avx512bf16", "overlays"]),
    "explain a setting as JSON": (PLAN, ["explain", "sm90-avx2", "meta.description", "--json"]),
    "explain a line as JSON": (PLAN, ["explain", "sm90-avx2", "script.preConfigure:1", "--json"]),
    "explain a pin of three": (LARGE, ["explain", "cuda13_1-sm103-avx512bf16", "pin"]),
    "explain a condition": (LARGE, ["explain", "cuda13_0-sm103-avx", "attrs.cmakeFlags"]),
    "explain a flag": (LARGE, ["explain", "cuda13_1-sm103-avx512bf16", "flags.magma-fix"]),
    "explain what is not there": (
        LARGE, ["explain", "cuda13_1-sm103-avx2", "config.cudaCapabilities"],
    ),
    "who: a let": (PLAN, ["who", "variants.tvar:6"]),
    "who: a line of a script": (PLAN, ["who", "variants.tvar:48"]),
    "who: a row": (PLAN, ["who", "std/cpu.tvar:113"]),
    "who: an exclusion": (PLAN, ["who", "variants.tvar:124"]),
    "who: a matrix": (PLAN, ["who", "variants.tvar:120"]),
    "who: a line as JSON": (PLAN, ["who", "variants.tvar:117", "--json"]),
    "who: a condition": (LARGE, ["who", f"{LARGE}:46"]),
    "who: a flag that keeps out": (LARGE, ["who", f"{LARGE}:51"]),
    "who: a shared list": (LARGE, ["who", "examples/shared/torch.tvar:50"]),
    "who: an exclusion of a shared file": (LARGE, ["who", "examples/shared/torch.tvar:81"]),
    "why-not: a value that is not listed": (PLAN, ["why-not", "sm61-avx512", "cuda=13.0"]),
    "why-not: an exclusion": (PLAN, ["why-not", "sm80-armv9"]),
    "why-not as JSON": (PLAN, ["why-not", "sm80-armv9", "--json"]),
    "why-not: all exclusions": (LARGE, ["why-not", "sm61-avx512", "cuda=13.0"]),
    "why-not: of a module": (LARGE, ["why-not", "cuda12_8-sm110-armv9"]),
    "diff of two variants": (PLAN, ["diff", "sm90-avx2", "sm103-avx2"]),
    "diff of two variants as JSON": (PLAN, ["diff", "cpu-avx2", "cpu-avx512", "--json"]),
    "diff across matrices": (LARGE, ["diff", "cuda13_0-sm90-avx2", "cuda13_1-sm90-avx2"]),
}  # fmt: skip


def printed(entry: str, words: list[str]) -> str:
    result = tvarc(*words, "--file", entry)
    return f"$ {words[0]}: {result.exit_code}\n{result.stdout}{result.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_printed(
    name: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    entry, words = CASES[name]
    assert printed(entry, words) == snapshot


STATES = {
    "one value": ({PLAN: [("MAX_JOBS=32", "MAX_JOBS=16")]}, PLAN),
    "a release": ({PLAN: [("let torch = 2.10.0", "let torch = 2.9.1")]}, PLAN),
    "an axis value, an exclusion, a name": (
        {PLAN: [("sm86, ", ""), ("not in [sm110, sm121]", "!= sm121"),
                ('"python313-cpu-', '"py313-cpu-')]},
        PLAN,
    ),
    "the 237: a pin and a flag": (
        {LARGE: [("pin = at-2017d6d", "pin = at-6a030d5"),
                 ("magma-fix = false", "magma-fix = true"),
                 ("MAGMA at this", "The MAGMA of this")]},
        LARGE,
    ),
    "the 237: a toolkit less, another flag": (
        {LARGE: [("cuda12_9, ", ""), ('"-DUSE_CUDA=OFF"]', '"-DUSE_CUDA=0"]')]},
        LARGE,
    ),
}  # fmt: skip


# Of the 237 each answer takes a second: the text says what the JSON would.
ASKED = [
    pytest.param(name, as_json, id=f"{name}-{'json' if as_json else 'text'}")
    for name in STATES
    for as_json in (False, True)
    if not as_json or STATES[name][1] == PLAN
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "as_json"), ASKED)
def test_what_changed(
    name: str,
    as_json: bool,
    here: Path,
    snapshot: SnapshotAssertion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edits, entry = STATES[name]
    for state in ("new", "old"):
        shutil.copytree(ROOT / "examples", here / state / "examples")
        shutil.copy(ROOT / PLAN, here / state / PLAN)
    for file, pairs in edits.items():
        path = here / "old" / file
        text = path.read_text(encoding="utf-8")
        for old, new in pairs:
            text = text.replace(old, new)
        assert text != path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "100")
    words = ["diff", "--against", f"old/{entry}", *(["--json"] if as_json else [])]
    result = tvarc(*words, "--file", f"new/{entry}", code=exits.DIFFERENT)
    if not as_json:
        assert result.stdout == snapshot
        return
    data = json.loads(result.stdout)
    holds("diff", data)
    # Names in hundreds are told by their number: what is in the text is held there.
    for block in data["blocks"]:
        block["variants"] = len(block["variants"])
    for key in ("added", "removed"):
        data[key]["variants"] = len(data[key]["variants"])
    data["changed"] = len(data["changed"])
    assert json.dumps(data, indent=1) == snapshot


def holds(schema: str, data: object) -> None:
    """Fails where *data* is not as the published schema says."""
    if importlib.util.find_spec("jsonschema") is None and "CI" not in os.environ:
        return
    draft = importlib.import_module("jsonschema").Draft202012Validator
    known = json.loads((ROOT / "docs" / "schema" / f"{schema}.json").read_text(encoding="utf-8"))
    draft.check_schema(known)
    draft(known).validate(data)


ALL = {
    "explain": [["sm103-avx512bf16"], ["cpu-avx2"]],
    "who": [["variants.tvar:6"], ["variants.tvar:124"]],
    "why-not": [["sm61-avx512", "cuda=13.0"], ["sm80-armv9"], ["sm90-avx2"], ["sm80"]],
    "diff": [["sm90-avx2", "sm103-avx2"], ["--against", "variants.tvar"]],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", ALL)
def test_json_is_as_the_schema_says(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for words in ALL[command]:
        result = tvarc(command, *words, "--json")
        holds(command, json.loads(result.stdout))
