"""The module with the names of all lints, as text.

The stages before the lints need the names, and must not load the lints for them. So
`diagnostics/lint_names.py` has them ready. A test compares it with the decorators, and writes it
with `--snapshot-update`.
"""

from __future__ import annotations

from tvarc.advice.lints.registry import ALL


def names_module() -> str:
    """The text of `diagnostics/lint_names.py`."""
    names = [f'    "{one.name}": "{one.code}",' for one in ALL]
    titles = [f'    "{one.code}": "{one.title}",' for one in ALL]
    lines = [
        '"""The names, codes and titles of the lints. The decorators of `advice/lints/` say them;',
        '`pytest tests/lints/test_registry.py --snapshot-update` writes this file from them."""',
        "",
        "from __future__ import annotations",
        "",
        "from tvarc.light import Final",
        "",
        "LINTS: Final[dict[str, str]] = {",
        *names,
        "}",
        '"""The code of each lint by the name that `warn NAME = off` silences it by."""',
        "",
        "TITLES: Final[dict[str, str]] = {",
        *titles,
        "}",
        '"""What each lint reports, by its code."""',
        "",
    ]
    return "\n".join(lines)
