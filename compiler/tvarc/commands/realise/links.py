"""Links to the results of variants: files in their way, their folder, and the links."""

# ruff: noqa: PTH100
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.commands import messages as msg
from tvarc.commands.realise.plan import IN_STORE, Plan
from tvarc.commands.realise.text import report_refusing_store
from tvarc.farm.realise.model import Realised
from tvarc.farm.realise.roots import in_the_way, link, links_of, make_folder
from tvarc.farm.realise.store import StoreRefused
from tvarc.files.output.folders import reason_of
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted


def refuse_links(plan: Plan, sink: Sink) -> None:
    """Report files in the way of the links of *plan*, and links with the same name."""
    folder = plan.options.links
    if folder is None:
        return
    wanted: dict[str, str] = {}  # the variant of each link
    for path, names in plan.named.items():
        for name in names:
            for one in links_of(name, plan.output_names[path]):
                other = wanted.setdefault(one, name)
                if other != name:
                    sink.report(msg.builds.SHARED_LINK, first=other, second=name, link=one)
    found = in_the_way(folder, wanted)
    if found:
        more = counted(len(found) - 1, "other") if len(found) > 1 else ""
        sink.report(msg.builds.LINK_IN_THE_WAY, file=found[0], more=more)


def has_folder_of_links(plan: Plan, sink: Sink) -> bool:
    """Whether there is a folder for the links of *plan*, or none is wanted. Report if it cannot be
    made."""
    folder = plan.options.links
    try:
        if folder is not None:
            make_folder(folder)
    except OSError as fault:
        sink.report(msg.builds.NO_LINKS, folder=folder, reason=reason_of(fault))
        return False
    return True


def linked(plan: Plan, found: Realised, sink: Sink) -> None:
    """Make links to the variants that are there, where these are wanted, or report why that cannot
    be."""
    folder = plan.options.links
    if folder is None or found.interrupted is not None:
        return
    there = {one.name: one.derivation for one in found.outcomes if one.fate in IN_STORE}
    try:
        link(os.path.abspath(folder), there)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
