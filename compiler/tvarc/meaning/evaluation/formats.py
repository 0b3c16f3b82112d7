"""The formats of hashes, revisions and repositories. They are checked before Nix would refuse them.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Callable, Literal, Sequence, assert_never, dataclass
from tvarc.meaning import messages as msg
from tvarc.nix.nixpkgs import HASHES, OLDEST, order_of
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import Value, Version, type_name

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

# The number of bytes of each digest that Nix accepts in SRI form.
_LENGTHS = {"sha256": 32, "sha512": 64, "sha1": 20, "md5": 16}
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_HEX = frozenset("0123456789abcdef")
REVISION_LENGTH = 40
_FAKE_BYTES = "A" * 32
"""The first 24 bytes of a fake hash in base 64: they are zero."""


def bad_hash(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no SRI hash, and the advice; None if it is one."""
    algorithm, dash, digest = text.partition("-")
    if not dash or algorithm not in _LENGTHS:
        if text == "unlocked":
            return "`unlocked` is a word, not a string", "write `hash = unlocked`, without quotes"
        if is_open(text):
            return "this is a fake hash", "write `hash = unlocked`, then run `tvarc lock`"
        same = as_sri(text.lower() if len(text) == 64 else text)
        if same is not None:
            form = {64: "the hexadecimal form", 52: "Nix's base-32 form"}
            bare = text.removeprefix("sha256:")
            what = form.get(len(bare), "only the digest in base 64")
            return f"this is {what}", f'write it in SRI form: "{same}"'
        if text.startswith("sha256:"):
            return "SRI form has a dash, not a colon", "write `sha256-` and the digest in base 64"
        return "not an SRI hash", "write `sha256-` and 44 characters of base 64"
    wanted = (_LENGTHS[algorithm] + 2) // 3 * 4
    body = digest.rstrip("=")
    padding = (3 - _LENGTHS[algorithm] % 3) % 3
    if len(digest) != wanted or len(digest) - len(body) != padding or not set(body) <= _BASE64:
        return (
            f"{algorithm} needs {wanted} characters of base 64, this has {len(digest)}",
            "copy the whole hash, with the `=` at the end",
        )
    return None


def is_open(text: str) -> bool:
    """Whether *text*, in the place of a hash, is a hash that no content has: empty, all `A` in base
    64, all zeros in other bases, or with the beginning of `lock.sri.fake_hash`."""
    algorithm, separator, digest = text.partition("-")
    if separator and algorithm in _LENGTHS:
        return not digest.rstrip("=").strip("A") or (
            algorithm == "sha256" and digest.startswith(_FAKE_BYTES)
        )
    algorithm, separator, digest = text.partition(":")
    bare = digest if separator and algorithm in _LENGTHS else text
    return not bare.strip("0") or not bare.rstrip("=").strip("A")


def as_sri(text: str) -> str | None:
    """The SRI form of a SHA-256 in any form that Nix prints: SRI, `sha256:` with base 32, 16 or 64,
    or only the digits. Other algorithms are accepted in SRI form and returned unchanged. None for
    anything else."""
    if text.startswith(("sha256-", "sha512-", "sha1-", "md5-")):
        return text if bad_hash(text) is None else None
    digits = text.removeprefix("sha256:")
    if len(digits) == 64 and set(digits) <= _HEX:
        return sri(bytes.fromhex(digits))
    # Most runs have no hash in another form.
    from binascii import Error, a2b_base64

    from tvarc.nix.language.base32 import DIGITS, from_base32

    if len(digits) == 52 and set(digits) <= set(DIGITS):
        data = from_base32(digits, _LENGTHS["sha256"])
        return sri(data) if data is not None else None

    try:
        data = a2b_base64(digits, strict_mode=True)
    except (Error, ValueError):
        return None
    return sri(data) if len(data) == _LENGTHS["sha256"] else None


def sri(data: bytes) -> str:
    """The SRI form of a SHA-256."""
    from binascii import b2a_base64

    return f"sha256-{b2a_base64(data, newline=False).decode('ascii')}"


def named_otherwise(name: str, known: Sequence[str]) -> str:
    """The name to write instead of the field *name*. The language has one name for all hashes."""
    other = name != "hash" and name in HASHES and "hash" in known
    return 'write `hash = "…"`, in SRI form' if other else ""


def bad_tarball_hash(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no hash for `builtins.fetchTarball`, which accepts only SHA-256, and
    the advice; None if it is one."""
    wrong = bad_hash(text)
    if wrong is None and not text.startswith("sha256-"):
        return "the hash of a tarball must be SHA-256", "run `nix-prefetch-url --unpack` to get it"
    return wrong


def bad_revision(text: str) -> tuple[str, str] | None:
    """The reason why *text* names no commit, and the advice; None if it does."""
    if len(text) == REVISION_LENGTH and set(text) <= _HEX:
        return None
    if set(text.lower()) <= _HEX and text:
        if len(text) == REVISION_LENGTH:
            return "a commit id is in lower case", "write it in lower case"
        return (
            f"a commit id has {REVISION_LENGTH} hexadecimal digits, this has {len(text)}",
            "write the whole id: a short one can become ambiguous",
        )
    return (
        "a branch or a tag can move",
        "write the commit id: `git ls-remote ADDRESS BRANCH` prints it",
    )


def bad_repository(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no `owner/name`, and the advice; None if it is one."""
    owner, slash, name = text.partition("/")
    plain = (owner + name).replace("-", "").replace("_", "").replace(".", "")
    if slash and owner and name and plain.isalnum() and plain.isascii() and name.strip("."):
        return None
    if "://" in text or text.startswith("github.com"):
        return "this is an address", 'write the owner and the name, such as "NixOS/nixpkgs"'
    return "not a repository", 'write the owner and the name, such as "NixOS/nixpkgs"'


def bad_url(text: str) -> tuple[str, str] | None:
    """The reason why *text* cannot be fetched, and the advice; None if it can."""
    scheme, separator, rest = text.partition("://")
    if separator and scheme in ("https", "http", "ftp", "file", "mirror") and rest:
        if any(not c.isprintable() or c.isspace() for c in text):
            return "an address cannot contain spaces", "write a space as `%20`"
        return None
    return "this does not begin with `https://`", "write the whole address"


def bad_checkout(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no path of a folder that other people could have, too, and the
    advice; None if it is one."""
    if text.startswith(("/", "~")):
        return (
            "an absolute path exists only on this machine, so others could not use the recipes",
            'write a path relative to this file, such as "../nixpkgs"',
        )
    if "://" in text:
        return "this is an address", "write the address as `url`"
    if not text or not text.isprintable() or "\\" in text:
        return "this names no folder", 'write a path relative to this file, such as "../nixpkgs"'
    return None


def bad_file(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no path of a file that other people could have, too, and the advice;
    None if it is one."""
    if not text.startswith("/"):
        return None
    return (
        "an absolute path exists only on this machine, so others could not use the recipes",
        'write a path relative to this file, such as "./local.patch"',
    )


def bad_release(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no release of nixpkgs for which recipes can be emitted, and the
    advice; None if it is one."""
    year, _, month = text.partition(".")
    if not (year.isdigit() and month.isdigit() and len(year) == len(month) == 2):
        return "this is not a year and a month", "write it as `release = 25.11`"
    if order_of(text) < order_of(OLDEST):
        return f"tvarc supports nixpkgs {OLDEST} and later", "pin a later nixpkgs"
    if month not in ("05", "11") and text != OLDEST:
        return (
            "nixpkgs releases are in May and November",
            f"write a release such as `{year}.{'05' if int(month) < 11 else '11'}`; for a commit "
            "between two releases, write the later one",
        )
    return None


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def bad_day(text: str) -> tuple[str, str] | None:
    """The reason why *text* is no date, and the advice; None if it is one."""
    parts = text.split("-")
    if [len(part) for part in parts] == [4, 2, 2] and all(
        part.isascii() and part.isdigit() for part in parts
    ):
        month, day = int(parts[1]), int(parts[2])
        if 1 <= month <= len(_DAYS) and 1 <= day <= _DAYS[month - 1]:
            return None
    return "this is not a date", 'write year, month and day, such as "2026-02-17"'


@dataclass(frozen=True, slots=True)
class ReleaseFormat:
    """The `release` of a pin: a version, or null if it is unknown."""

    def refuse(self, name: str, value: Value, span: Span, sink: Sink) -> bool:
        """As `Format.refuse`."""
        if value is None:
            return False
        if not isinstance(value, Version):
            sink.report(msg.formats.NO_VERSION, span, name=name, kind=type_name(value))
            return True
        wrong = bad_release(value.text)
        if wrong is not None:
            why, advice = wrong
            sink.report(msg.formats.NO_RELEASE, span, name=name, why=why, advice=advice)
        return wrong is not None


@dataclass(frozen=True, slots=True)
class Format:
    """A format, such as that of a hash. `check` returns the reason why a text does not have the
    format and the advice, or None.

    `optional`: null is allowed, for a fact that is not published.
    """

    kind: Literal["hash", "address", "repository", "commit", "path", "date"]
    check: Callable[[str], tuple[str, str] | None]
    optional: bool = False

    def refuse(self, name: str, value: Value, span: Span, sink: Sink) -> bool:
        """Whether *value* of field *name* is refused, which is then reported."""
        if value is None and self.optional:
            return False
        if not isinstance(value, str):
            sink.report(msg.formats.NO_STRING, span, name=name, kind=type_name(value))
            return True
        wrong = self.check(value)
        if wrong is not None:
            why, advice = wrong
            sink.report(self.message(), span, name=name, why=why, advice=advice)
        return wrong is not None


    def title(self, name: str) -> str:
        """The fault of a field *name* that does not have this format."""
        return self.message().title.format(name=name)

    def message(self) -> Message:
        """The message for texts that do not have this format."""
        match self.kind:
            case "hash":
                return msg.formats.NO_HASH
            case "address":
                return msg.formats.NO_ADDRESS
            case "repository":
                return msg.formats.NO_REPOSITORY
            case "commit":
                return msg.formats.NO_COMMIT
            case "path":
                return msg.formats.NO_PATH
            case "date":
                return msg.formats.NO_DATE
            case _:
                assert_never(self.kind)


HASH = Format("hash", bad_hash)
ADDRESS = Format("address", bad_url)
REPOSITORY = Format("repository", bad_repository)
REVISION = Format("commit", bad_revision)
FILE = Format("path", bad_file)
_TARBALL_HASH = Format("hash", bad_tarball_hash)
# Fields of each kind of source.
SOURCE_FORMATS = {"hash": HASH, "url": ADDRESS, "repository": REPOSITORY, "rev": REVISION}
PATCH_FORMATS = {"hash": HASH, "url": ADDRESS}
PIN_FORMATS: dict[str, Format | ReleaseFormat] = {
    "hash": Format("hash", bad_tarball_hash, optional=True),
    "url": ADDRESS,
    "github": REPOSITORY,
    "rev": REVISION,
    "path": Format("path", bad_checkout),
    "release": ReleaseFormat(),
    "date": Format("date", bad_day, optional=True),
}
INPUT_FORMATS = {
    "hash": _TARBALL_HASH,
    "url": ADDRESS,
    "github": REPOSITORY,
    "rev": REVISION,
    "path": PIN_FORMATS["path"],
}
