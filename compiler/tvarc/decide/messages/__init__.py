"""The messages of this room, a module for each topic; `report` and `refuse` of a sink take them.

A topic is loaded when one of its messages is used, so a program without faults loads none.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tvarc.decide.messages import checks as checks
    from tvarc.decide.messages import flags as flags
    from tvarc.decide.messages import hashes as hashes
    from tvarc.decide.messages import merging as merging
    from tvarc.decide.messages import needs as needs
    from tvarc.decide.messages import overlays as overlays
    from tvarc.decide.messages import packages as packages
    from tvarc.decide.messages import parts as parts
    from tvarc.decide.messages import patches as patches
    from tvarc.decide.messages import pins as pins
    from tvarc.decide.messages import reads as reads
    from tvarc.decide.messages import tests as tests
    from tvarc.decide.messages import values as values


def __getattr__(topic: str) -> ModuleType:
    from tvarc.text.diagnostics.message import topic_of

    return topic_of(__name__, topic)
