"""What the page asks of tvarc, as text in JSON. It knows the public interface alone."""

import gc
import json

from tvarc import api

# Circles are few: to look for them as often as Python does takes a tenth of an edit.
gc.set_threshold(200_000, 20, 100)

WIDTH = 84
_programs = []  # the last program without errors


def check(text, files="{}"):
    """Compile the program *text* beside *files*."""
    program = api.compile(text, json.loads(files))
    if program.ok:
        _programs[:] = [program]
    return json.dumps(
        {
            "ok": program.ok,
            "matrices": [_plain(one) for one in program.matrices],
            "variants": [_plain(one) for one in program.variants],
            "dropped": [_plain(one) for one in program.dropped],
            "diagnostics": [_plain(one) for one in program.diagnostics],
            "messages": program.messages(width=WIDTH),
        }
    )


def recipe(index):
    """The files of a variant of the last program without errors."""
    return "\n".join(f"# {one.path}\n{one.text}" for one in _programs[0].recipe(index))


def explain(index, path=None):
    """Where the values of a variant come from."""
    try:
        return _programs[0].explain(index, path or None, width=WIDTH, facts=True).text
    except api.Refused as refused:
        return "\n".join(f"{one.title}\n{one.help}" for one in refused.diagnostics)


def _plain(one):
    """A public value as plain data."""
    if isinstance(one, (str, int, bool, type(None))):
        return one
    if isinstance(one, dict):
        return {key: _plain(value) for key, value in one.items()}
    if isinstance(one, tuple):
        return [_plain(value) for value in one]
    return {name: _plain(getattr(one, name)) for name in type(one).__match_args__}
