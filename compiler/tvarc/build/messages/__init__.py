"""The messages of this room, a module for each topic; `report` and `refuse` of a sink take them.

A topic is loaded when one of its messages is used, so a program without faults loads none.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tvarc.build.messages import bumps as bumps
    from tvarc.build.messages import locks as locks
    from tvarc.build.messages import outputs as outputs
    from tvarc.build.messages import overlays as overlays
    from tvarc.build.messages import questions as questions


def __getattr__(topic: str) -> ModuleType:
    from tvarc.text.diagnostics.message import topic_of

    return topic_of(__name__, topic)
