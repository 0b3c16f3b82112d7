"""The messages of this room, a module for each topic; `report` and `refuse` of a sink take them.

A topic is loaded when one of its messages is used, so a program without faults loads none.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tvarc.commands.messages import builds as builds
    from tvarc.commands.messages import evaluation as evaluation
    from tvarc.commands.messages import hosts as hosts
    from tvarc.commands.messages import outputs as outputs
    from tvarc.commands.messages import programs as programs
    from tvarc.commands.messages import recipes as recipes
    from tvarc.commands.messages import selection as selection
    from tvarc.commands.messages import starting as starting


def __getattr__(topic: str) -> ModuleType:
    from tvarc.text.diagnostics.message import topic_of

    return topic_of(__name__, topic)
