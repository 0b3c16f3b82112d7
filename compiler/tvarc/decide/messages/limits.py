"""Messages on the size of a recipe."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

RECIPE_TOO_LARGE: Final = Message(
    "E308",
    "the recipe is too large",
    label="over {limit_elements} elements or {limit_recipe} characters in all settings together",
    help="store long texts in a file, and write `path(…)`",
)
