"""Settings of the whole test suite."""

from __future__ import annotations

import dataclasses
import gc
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from support.effort import SLOW, thorough

_CACHE = "XDG_CACHE_HOME"
_FROZEN = "TVARC_TESTS_FROZEN"
_LEFT_OUT = pytest.StashKey[int]()
_BETWEEN_COLLECTIONS = (100_000, 20, 100)
"""Objects, then rounds over younger ones: what is made by tests is hardly ever in a circle."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow", action="store_true", help="run what is slow as well, as it is where CI is set"
    )


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One process more than cores, since some tests wait."""
    return 1 + (yield)


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(*_BETWEEN_COLLECTIONS)
    if not hasattr(config, "workerinput"):  # processes that share the work share the folder
        from support.library_cache import KEPT, own_cache

        with suppress(OSError, AttributeError):  # a folder of another user; no cache of pytest
            os.environ[KEPT] = str(config.cache.mkdir("library"))
        os.environ[_CACHE] = tempfile.mkdtemp(prefix="tvarc-tests-cache-")
        os.environ[_CACHE] = str(own_cache(Path(os.environ[_CACHE], "cache")))
        # A process that a test starts would compile all sources anew, for ten times its own work.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # How long an example takes says how busy the machine is, and nothing of tvarc.
    settings.register_profile("untimed", deadline=None)
    settings.load_profile("untimed")
    marked = config.option.markexpr.replace("not slow", "")
    # An update removes the snapshots of tests that did not run, and slow tests update documents.
    updates = config.getoption("--snapshot-update", False) or os.environ.get("UPDATE_DOCS") == "1"
    if config.getoption("--slow") or updates or "slow" in marked:
        os.environ[SLOW] = "1"  # read where tests say how much they try
    if not thorough():
        _draw_no_constants_of_sources()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second process collect the folders backwards. In a new checkout each then compiles
    about half of the modules, and loads what the other has compiled."""
    report = yield
    if isinstance(collector, pytest.Directory) and _number(collector.config) % 2:
        report.result.reverse()
    return report


def _number(config: pytest.Config) -> int:
    """The number of this process among those that share the work, from 0."""
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    return int(worker.removeprefix("gw"))


def pytest_collection_finish() -> None:
    # All tests and their modules stay to the end: to look for circles among them, again and again,
    # would be an eighth of the whole run.
    gc.collect()
    gc.freeze()
    gc.callbacks.append(_keep)


def _keep(phase: str, found: dict[str, int]) -> None:
    """What a search of all objects has left, such as the trees of the library, stays as well: each
    search would take seconds."""
    if phase == "stop" and found["generation"] == 2:
        gc.freeze()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- what is slow --------------------------------------------------------------------------------


@pytest.hookimpl(trylast=True)  # syrupy has seen all: a snapshot of what is left out is not unused
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow, but for tests that are asked for one by one."""
    if hasattr(config, "workerinput"):  # xdist requires one order, which collectors do not keep
        items.sort(key=lambda item: item.nodeid.partition("::")[0])
    # The slowest first: begun last, one would be waited for by all other processes.
    items.sort(key=_seconds, reverse=True)
    if thorough() or any("::" in word for word in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
    config.stash[_LEFT_OUT] = len(slow)


def _seconds(item: pytest.Item) -> int:
    """How long a test takes that says so, since it is among the slowest."""
    marker = item.get_closest_marker("slow")
    return marker.kwargs.get("seconds", 0) if marker is not None else 0


def pytest_sessionfinish(session: pytest.Session) -> None:
    # Of processes that share the work each has collected all.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slow"] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object | None) -> None:
    found = getattr(node, "workeroutput", {}).get("slow", 0)
    node.config.stash[_LEFT_OUT] = max(node.config.stash.get(_LEFT_OUT, 0), found)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if not thorough() and (count := config.stash.get(_LEFT_OUT, 0)):
        terminalreporter.write_line(
            f"{count} slow tests were left out, and others tried on fewer examples: "
            "`pytest --slow` runs what CI runs"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(Path(os.environ[_CACHE]).parent, ignore_errors=True)


def _freeze() -> None:
    """Let `tvarc.light` hand out the standard library's dataclasses, whose frozen nodes refuse to
    be changed."""
    from tvarc import light

    for name in ("dataclass", "field", "fields", "is_dataclass", "replace"):
        setattr(light, name, getattr(dataclasses, name))


def _share_the_library() -> None:
    """Let all programs that this process compiles share the trees of the standard library and its
    tables. They are those of the checkout, which no test changes: to read them is most of the work
    of a small command."""
    from tvarc.advice.library import tables
    from tvarc.files import cache as caches
    from tvarc.files import disk, resources
    from tvarc.text.source import SourceLoader

    trees: dict[tuple[str, str], object] = {}
    opened, load = caches.open_cache, tables.load_library
    whole: list[tables.Library] = []

    def open_cache(*, wanted: bool = True) -> caches.Cache:
        found = opened(wanted=wanted)
        found.at_hand = trees  # by their texts
        return found

    def load_library(loader: SourceLoader, cache: caches.Cache | None = None) -> tables.Library:
        if type(loader) is not disk.DiskLoader or loader.std_folder != resources.stdlib_dir():
            return load(loader, cache)
        whole[:] = whole or [load(loader, cache)]
        return whole[0]

    caches.open_cache, tables.load_library = open_cache, load_library


def _load_iris_late() -> None:
    """Let jsonschema load without its parser of IRIs, which makes 38 tables when it is imported: a
    second of each process. The parser is imported when a schema asks for an IRI."""
    name = "rfc3987_syntax"
    late = ModuleType(name)

    def is_valid_syntax(term: str, value: str) -> bool:
        if sys.modules.get(name) is late:
            del sys.modules[name]
        valid: bool = importlib.import_module(name).is_valid_syntax(term, value)
        return valid

    late.__dict__["is_valid_syntax"] = is_valid_syntax
    sys.modules.setdefault(name, late)


def _draw_no_constants_of_sources() -> None:
    """Let Hypothesis draw no constants that it finds in the modules of the compiler. To parse the
    modules takes each process five seconds in a new checkout."""
    providers._get_local_constants = lambda: providers._local_constants


# Now: other files of this name load modules that take their dataclasses and functions from there.
_load_iris_late()
if os.environ.get(_FROZEN) == "1":
    _freeze()
_share_the_library()
