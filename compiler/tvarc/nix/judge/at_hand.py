"""Whether the nixpkgs of a pin is on this machine, so that Nix can evaluate it at once."""

# ruff: noqa: PTH110
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.digest import sha256
from tvarc.light import Final
from tvarc.nix import ir
from tvarc.nix.language.base32 import base32

_STORE: Final = "/nix/store"
_LENGTH: Final = 20  # bytes of the hash in the name of a path of the store


def is_at_hand(pin: ir.Pin) -> bool:
    """Whether *pin* is a folder, or its content is in the store."""
    if pin.path:
        return True
    place = store_path(pin.hash) if pin.hash else ""
    return bool(place) and os.path.exists(on_disk(place))


def on_disk(place: str) -> str:
    """The place on disk of the path *place* of the store. A store may be in a folder."""
    remote = os.environ.get("NIX_REMOTE", "")
    return f"{remote.rstrip('/')}{place}" if remote.startswith("/") else place


def store_path(hash_: str) -> str:
    """The path in the store at which `fetchTarball` puts content with this SRI hash. Empty for a
    hash that it does not accept."""
    from binascii import Error, a2b_base64  # few commands need it

    algorithm, _, text = hash_.partition("-")
    if algorithm != "sha256":
        return ""
    try:
        content = a2b_base64(text).hex()
    except (Error, ValueError):
        return ""
    store = os.environ.get("NIX_STORE_DIR") or _STORE
    digest = sha256(f"source:sha256:{content}:{store}:source".encode()).digest()
    short = bytearray(_LENGTH)
    for number, byte in enumerate(digest):
        short[number % _LENGTH] ^= byte
    return f"{store}/{base32(bytes(short))}-source"
