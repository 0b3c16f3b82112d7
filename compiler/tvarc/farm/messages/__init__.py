"""The messages of this room, a module for each topic; `report` and `refuse` of a sink take them.

A topic is loaded when one of its messages is used, so a program without faults loads none.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tvarc.farm.messages import publishing as publishing
    from tvarc.farm.messages import results as results
    from tvarc.farm.messages import workflows as workflows


def __getattr__(topic: str) -> ModuleType:
    from tvarc.text.diagnostics.message import topic_of

    return topic_of(__name__, topic)
