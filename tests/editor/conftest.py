"""A folder with small programs, and an editor that has it open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from support.command import put_small
from support.language_client import Client, session


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One session for all tests of this room. Each works in a folder of its own: see `editor`."""
    with session(tmp_path_factory.mktemp("editor").resolve()) as made:
        yield made


@pytest.fixture
def editor(client: Client) -> Iterator[Client]:
    """The session, with `variants.tvar` in its folder. The test opens it. Afterwards everything is
    closed, and the folder is empty."""
    put_small(client.folder)
    yield client
    for file in sorted(client.opened):
        client.close(file)
    for told in (client.diagnostics, client.messages, client.shown):
        told.clear()
    for path in client.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
