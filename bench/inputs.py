"""The same axes, exclusions and recipe, written down in the language of each that is timed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.workload import INPUTS, Row, Spec, segments

JOBS = 32
HOPPER_JOBS = 24


def write_inputs(chosen: Spec, folder: Path) -> None:
    """Write what the peers read into *folder*, which exists."""
    made = {
        "spec.json": chosen.json(),
        "recipe.percent": _percent(),
        "recipe.nix.j2": _recipe(str, lambda placeholder: "".join(("{{ ", placeholder, " }}"))),
        "recipe.jsonnet": _filled("recipe.jsonnet.in", text=_jsonnet_text()),
        "recipes.nix": _filled("recipes.nix.in", text=_nix_text()),
        "recipe.pkl": _pkl(chosen),
    }
    for path, text in made.items():
        (folder / path).write_text(text, encoding="utf-8")


def tvar(
    chosen: Spec,
    jobs: int = JOBS,
    hopper_jobs: int = HOPPER_JOBS,
    template: Path = INPUTS / "matrix.tvar.in",
) -> str:
    """The program for tvarc. *jobs* stands in every recipe, *hopper_jobs* in those for sm90."""
    return _replaced(
        template.read_text(encoding="utf-8"),
        torch_rows=_lines(map(_torch, chosen.axes["torch"])),
        cuda_rows=_lines(map(_cuda, chosen.known["cuda"])),
        gpu_rows=_lines(map(_gpu, chosen.known["gpu"])),
        isa_rows=_lines(map(_isa, chosen.known["isa"])),
        python_values=", ".join(row["dot"] for row in chosen.axes["python"]),
        cuda_values=", ".join(f"cuda{row['id']}" for row in chosen.axes["cuda"]),
        gpu_values=", ".join(f"sm{row['id']}" for row in chosen.axes["gpu"]),
        jobs=str(jobs),
        hopper_jobs=str(hopper_jobs),
    )


def _filled(template: str, **placeholders: str) -> str:
    """An input with its placeholders filled."""
    return _replaced((INPUTS / template).read_text(encoding="utf-8"), **placeholders)


def _replaced(text: str, /, **placeholders: str) -> str:
    """*text* with its placeholders, which look like `@name@`, filled."""
    for placeholder, filling in placeholders.items():
        text = text.replace(f"@{placeholder}@", filling)
    return text


def _recipe(quote: Callable[[str], str], placeholder: Callable[[str], str]) -> str:
    """The recipe with its text quoted and its placeholders replaced, as a language wants both."""
    parts = segments()
    return "".join(placeholder(part) if i % 2 else quote(part) for i, part in enumerate(parts))


def _escaped(*pairs: tuple[str, str]) -> Callable[[str], str]:
    def quote(text: str) -> str:
        for old, new in pairs:
            text = text.replace(old, new)
        return text

    return quote


def _lines(rows: Iterable[str]) -> str:
    return "\n".join(rows)


# --- tvarc ------------------------------------------------------------------------------------


def _row(name: str, **fields: str) -> str:
    body = ", ".join(f"{key} = {value}" for key, value in fields.items())
    return f"  {name} {{ {body} }}"


def _torch(row: Row) -> str:
    name = f"v{row['id'].replace('.', '_')}"
    return _row(name, release=row["id"], hash=json.dumps(row["hash"]))


def _cuda(row: Row) -> str:
    packages, rev = json.dumps(row["overlay"]), json.dumps(row["rev"])
    return _row(
        f"cuda{row['id']}", release=row["dot"], packages=packages, driver=row["driver"], rev=rev
    )


def _gpu(row: Row) -> str:
    cards = json.dumps(row["cards"].split(", "))
    return _row(f"sm{row['id']}", capability=row["cap"], label=json.dumps(row["arch"]), cards=cards)


def _isa(row: Row) -> str:
    label, platform, flags = (json.dumps(row[key]) for key in ("title", "platform", "flags"))
    return _row(row["id"], label=label, platform=platform, flags=flags)


# --- what it stands beside --------------------------------------------------------------------


def _percent() -> str:
    """For Python's `%`: one format call makes a file."""
    return _recipe(_escaped(("%", "%%")), lambda placeholder: f"%({placeholder})s")


def _jsonnet_text() -> str:
    """Literals joined by `+`, which is faster there than formatting."""
    special = {
        "name": "name(c)",
        "flag_lines": """std.join("\\n", ['    "' + f + '"' for f in c.isa.flags])""",
        "flag_words": 'std.join(" ", c.isa.flags)',
    }
    parts = enumerate(segments())
    return " + ".join(
        special.get(part, f"c.{part}") if i % 2 else json.dumps(part) for i, part in parts if part
    )


def _nix_text() -> str:
    special = {
        "name": "name c",
        "flag_lines": r'builtins.concatStringsSep "\n" (map (f: "    \"${f}\"") c.isa.flags)',
        "flag_words": 'builtins.concatStringsSep " " c.isa.flags',
    }
    escape = _escaped(("\\", "\\\\"), ('"', '\\"'), ("${", "\\${"), ("$$", "\\$$"))
    return _recipe(
        escape,
        lambda placeholder: "".join(("${", special.get(placeholder, f"c.{placeholder}"), "}")),
    )


def _pkl(chosen: Spec) -> str:
    """Typed literals: Pkl reads them faster than JSON."""
    special = {
        "name": "name(c)",
        "flag_lines": r'c.isa.flags.map((f) -> "    \"" + f + "\"").join("\n")',
        "flag_words": 'c.isa.flags.join(" ")',
    }
    return _filled(
        "recipe.pkl.in",
        text=_recipe(
            str,
            lambda placeholder: "".join(
                ("\\#(", special.get(placeholder, f"c.{placeholder}"), ")")
            ),
        ),
        excluded=" || ".join(map(_pkl_rule, chosen.exclude)),
        **{axis: _pkl_rows(axis, rows) for axis, rows in chosen.axes.items()},
    )


def _pkl_rows(axis: str, rows: list[Row]) -> str:
    return ",\n  ".join(
        "".join(("new ", axis.title(), " { ", "; ".join(_pkl_fields(row)), " }")) for row in rows
    )


def _pkl_fields(row: Row) -> list[str]:
    return [f"{key} = {_pkl_value(value)}" for key, value in row.items()]


def _pkl_value(value: str | list[str]) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return f"List({', '.join(map(json.dumps, value))})"


def _pkl_rule(rule: dict[str, list[str]]) -> str:
    tests = (f"{_pkl_value(ids)}.contains(c.{axis}.id)" for axis, ids in rule.items())
    return f"({' && '.join(tests)})"
