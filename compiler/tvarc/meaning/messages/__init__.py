"""The messages of this room, a module for each topic; `report` and `refuse` of a sink take them.

A topic is loaded when one of its messages is used, so a program without faults loads none.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tvarc.meaning.messages import axes as axes
    from tvarc.meaning.messages import comparisons as comparisons
    from tvarc.meaning.messages import data as data
    from tvarc.meaning.messages import declarations as declarations
    from tvarc.meaning.messages import expressions as expressions
    from tvarc.meaning.messages import files as files
    from tvarc.meaning.messages import formats as formats
    from tvarc.meaning.messages import functions as functions
    from tvarc.meaning.messages import inputs as inputs
    from tvarc.meaning.messages import limits as limits
    from tvarc.meaning.messages import matrices as matrices
    from tvarc.meaning.messages import modules as modules
    from tvarc.meaning.messages import names as names
    from tvarc.meaning.messages import needs as needs
    from tvarc.meaning.messages import options as options
    from tvarc.meaning.messages import outputs as outputs
    from tvarc.meaning.messages import overlays as overlays
    from tvarc.meaning.messages import patches as patches
    from tvarc.meaning.messages import pins as pins
    from tvarc.meaning.messages import settings as settings
    from tvarc.meaning.messages import tables as tables
    from tvarc.meaning.messages import values as values


def __getattr__(topic: str) -> ModuleType:
    from tvarc.text.diagnostics.message import topic_of

    return topic_of(__name__, topic)
