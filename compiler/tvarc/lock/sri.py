"""Hashes: the spellings that Nix prints, as SRI; and hashes that stand for unknown ones."""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64

from tvarc.light import Final
from tvarc.sema.fetched import Fetched
from tvarc.sema.formats import bad_hash

NIXPKGS_FAKE: Final = f"sha256-{'A' * 43}="
"""What nixpkgs calls `lib.fakeHash`."""

_BYTES: Final = 32
# This much of a fake hash is zero: no real one looks like it, and what is left tells sources apart.
_ZERO: Final = 24
_DIGITS: Final = "0123456789abcdfghijklmnpqrsvwxyz"
_HEX: Final = "0123456789abcdef"


def fake_hash(source: Fetched) -> str:
    """A hash that *source* cannot have and that no other source gets, in SRI form: 24 bytes of
    zero, and 8 that tell which source it is. Nix prints it beside the one that it found."""
    import hashlib

    digest = hashlib.sha256(repr((source.kind, source.fields)).encode("utf-8", "surrogatepass"))
    return _sri(bytes(_ZERO) + digest.digest()[: _BYTES - _ZERO])


def is_fake(sri: str) -> bool:
    """Whether *sri* is one of `fake_hash`, of nixpkgs, or of anything that begins like them."""
    return sri.startswith("sha256-" + "A" * (_ZERO * 4 // 3))


def as_sri(text: str) -> str | None:
    """A SHA-256 as Nix prints it (SRI, `sha256:` and base 32, base 16 or base 64, or the bare
    digits) in SRI form; other algorithms in SRI form as they are; None for anything else."""
    if text.startswith(("sha256-", "sha512-", "sha1-", "md5-")):
        return text if bad_hash(text) is None else None
    digits = text.removeprefix("sha256:")
    if len(digits) == 64 and set(digits) <= set(_HEX):
        return _sri(bytes.fromhex(digits))
    if len(digits) == 52 and set(digits) <= set(_DIGITS):
        return _from_base32(digits)

    try:
        data = a2b_base64(digits, strict_mode=True)
    except (Error, ValueError):
        return None
    return _sri(data) if len(data) == _BYTES else None


def differ(one: str, other: str) -> bool:
    """Whether two SRI hashes cannot be of one content: of one algorithm, and not equal."""
    return one.partition("-")[0] == other.partition("-")[0] and one != other


def _from_base32(digits: str) -> str | None:
    """Nix's own base 32: the last digit first, the low bits of the first byte last."""
    number = 0
    for digit in digits:
        number = number << 5 | _DIGITS.index(digit)
    if number >> _BYTES * 8:
        return None
    return _sri(number.to_bytes(_BYTES, "little"))


def _sri(data: bytes) -> str:
    # Imported when first needed: most runs meet no hash that they have to spell.

    return f"sha256-{b2a_base64(data, newline=False).decode('ascii')}"
