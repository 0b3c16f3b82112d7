"""The library is read once for all imports: that would be a third of a small one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.library_cache import load_library_once


@pytest.fixture(scope="session", autouse=True)
def one_library() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        load_library_once(patch, "tvarc.commands.importing")
        yield
