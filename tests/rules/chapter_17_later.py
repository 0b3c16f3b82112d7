"""What is not supported yet."""

from __future__ import annotations

from support.rules import (
    attrs,
    body,
    refused,
    row,
    rule,
    table,
)

TABLES = (
    table(
        "17. What is not supported yet",
        rule(
            "are part of the grammar and are refused with E213.",
            row("needs", body("needs x = other"), refused("E213")),
            row("needs-root", attrs("x = needs.a"), refused("E213")),
        ),
    ),
)
