"""Digests without `hashlib`, which loads all of OpenSSL first: SHA-256 for digests that other
programs read, and BLAKE2, which takes a quarter of the time, for tvarc's own.

Loading OpenSSL takes 2 to 5 ms. That is a tenth of a build that has nothing to do, and as long as
hashing a hundred recipes with Python's own code. To measure it, compare `python -c "import
_hashlib"` with `import _sha256`.
"""

from __future__ import annotations

import sys

from tvarc.light import TYPE_CHECKING, Callable, Protocol


class Hash(Protocol):
    """A digest during its computation."""

    def update(self, data: bytes | bytearray | memoryview, /) -> None: ...

    def digest(self) -> bytes: ...

    def hexdigest(self) -> str: ...


Hashing = Callable[[bytes], Hash]

if TYPE_CHECKING:
    from hashlib import blake2b, sha256
else:
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

# Files of some 4 KB: with these OpenSSL saves more time than it takes to load, and is worth 4 MB.
MANY = 300


def sha256_of(count: int) -> Hashing:
    """The quickest SHA-256 for *count* files: OpenSSL's takes a fifth of the time once loaded."""
    if count < MANY and "_hashlib" not in sys.modules:
        return sha256
    try:
        from _hashlib import openssl_sha256
    except ImportError:
        return sha256
    return openssl_sha256


__all__ = ["MANY", "Hashing", "blake2b", "sha256", "sha256_of"]
