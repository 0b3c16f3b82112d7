"""Lints on the nixpkgs that a recipe pins."""

from __future__ import annotations

from tvarc.advice.lints.cuda import CUDA_SETS, Cuda, chosen_sets
from tvarc.advice.lints.facts import Absent, Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.values.row_facts import cite, text_fact, texts_fact, version_fact
from tvarc.values.value import RowValue, Version

_ZERO: Final = "A" * 32  # 24 bytes of a fake hash, such as that of an unlocked source


@lint(
    "W105",
    "pin-without-hash",
    "pin without hash",
    "nothing checks what the pin fetches",
)
def pin_without_hash(pin: ir.Pin | None, facts: Facts) -> Iterator[Finding]:
    """A pin without `hash`."""
    if pin is None or pin.hash is not None or pin.path:
        return  # tvarc does not check the content of a folder
    row = facts.hashed(pin)
    known = text_fact(row, "hash") if row is not None else None
    case = "without a hash Nix accepts any content, and evaluates only with --impure"
    if row is not None and known is None:
        case += f"; no hash is published for this commit {cite(row, doubted=False)}"
    yield Finding(
        pin.declared,
        "has no `hash`",
        case
        if row is None or known is None
        else f"{case}; the hash is known {cite(row, doubted=False)}",
        f'write `hash = "{known}"`' if known else "run `tvarc lock`, which finds the hash",
        by_hand=f'write `sha256 = "{known}";`'
        if known
        else "write its `sha256`, which `nix-prefetch-url --unpack` prints",
    )


@lint(
    "W152",
    "pin-hash-differs",
    "pin with the hash of another commit",
    "the pin has the hash of another commit",
)
def pin_hash_differs(pin: ir.Pin | None, facts: Facts) -> Iterator[Finding]:
    """A pin whose `hash` is that of another commit.

    It is known only if the commit or the hash is.
    """
    if pin is None or pin.hash is None or pin.path or not (pin.rev or pin.url):
        return
    right = facts.hashed(pin)
    known = text_fact(right, "hash") if right is not None else None
    if known == pin.hash or _is_fake(pin.hash):
        return
    owner = facts.of_hash(pin.hash)
    if known is None and owner is None:
        return
    commit = text_fact(owner, "rev") if owner is not None else None
    whose = f"this is the hash of commit {commit} of nixpkgs" if commit else ""
    own = f"the hash of the commit in the pin is {known}" if known else ""
    rows = [row for row in (owner, right if known else None) if row is not None]
    place = next((origin.span for name, origin in pin.fields if name == "hash"), pin.declared)
    yield Finding(
        place,
        "belongs to another commit" if commit else "is not the hash of this commit",
        f"{'; '.join(filter(None, (whose, own)))} {cite(*rows, doubted=False)}\n"
        "Nix takes the content that has the hash, if it is in the store already, and not the "
        "commit",
        f'write `hash = "{known}"`' if known else "write `hash = unlocked` and run `tvarc lock`",
        by_hand=f'write `sha256 = "{known}";`'
        if known
        else "write the `sha256` that `nix-prefetch-url --unpack` prints",
    )


def _is_fake(hash: str) -> bool:
    """Whether no content has *hash*: W002 reports it."""
    digest = hash.rpartition("-")[2]
    return not digest.strip("0A=") or digest.startswith(_ZERO)


@lint(
    "W122",
    "set-not-in-pin",
    "CUDA set not in the pin",
    "the pin has no such CUDA set",
)
def set_not_in_pin(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """A CUDA set that the nixpkgs of the pin does not have.

    The pin does not have it yet, no longer has it, or never had it.
    """
    if cuda.pin is None:
        return
    for setting, name in chosen_sets(cuda):
        row, told = _absent(name, cuda.pin, facts)
        if row is None or not told:
            continue
        yield Finding(
            setting.origin.span,
            f"uses `{name}`",
            f"{told} {cite(row)}",
            _instead(cuda, facts),
        )


def _absent(name: str, pin: ir.Pin, facts: Facts) -> Absent:
    """The reason why *pin* has no set *name*. It is cached, because many variants have the same
    two."""
    key = (name, id(pin))
    known = facts.absent.get(key)
    if known is None:
        row = facts.cuda_set(name)
        told = _why_absent(row, pin, facts) if row is not None else ""
        made = (row, told) if row is not None else _never_heard_of(name, pin, facts)
        known = facts.absent.put(key, (pin,), made)
    return known


def _never_heard_of(name: str, pin: ir.Pin, facts: Facts) -> Absent:
    """The reason why a nixpkgs whose sets are all listed has no *name*, and the row of the newest
    set; empty if not all sets are known.
    """
    numbers = name.removeprefix(f"{CUDA_SETS}_").split("_")
    if len(numbers) > 2 or not all(map(str.isdecimal, numbers)):
        return None, ""  # such as `cudaPackages_12_9_1`
    newest: RowValue | None = None
    for row in facts.cuda_sets():
        listed = _numbers(row)
        if listed[: len(numbers)] == tuple(map(int, numbers)):
            return None, ""  # `cudaPackages_13` of `cudaPackages_13_0`
        if row.facts["exists"].value is True and (newest is None or listed > _numbers(newest)):
            newest = row
    if newest is None or not _all_known(pin, facts):
        return None, ""
    return newest, f"no nixpkgs has ever had this set; the newest is `{text_fact(newest, 'set')}`"


def _numbers(row: RowValue) -> tuple[int, ...]:
    words = (text_fact(row, "set") or "").split("_")[1:]
    return tuple([int(word) for word in words if word.isdecimal()])


def _all_known(pin: ir.Pin, facts: Facts) -> bool:
    """Whether all sets of the nixpkgs of *pin* are listed: it is a commit that the library has, or
    of a release that is out."""
    if facts.pin(pin) is not None:
        return True
    release = facts.release_of(pin)
    return release is not None and any(
        (found := version_fact(row, "release")) is not None
        and found.compare(release) == 0
        and text_fact(row, "announced") is not None
        for row in facts.releases()
    )


def _why_absent(row: RowValue, pin: ir.Pin, facts: Facts) -> str:
    """The reason why the nixpkgs of *pin* has no set of *row*; empty if it may have it."""
    if row.facts["exists"].value is False:
        return "no nixpkgs has this set"
    taken = facts.pin(pin)
    if taken is not None and text_fact(row, "set") in (texts_fact(taken, "cuda-sets") or ()):
        return ""  # recipes took it from there
    day, begun = facts.last_day(pin), text_fact(row, "not-before")
    if day and begun and day < begun:
        return f"nixpkgs did not have it before {begun}, and the pin is from {day} or earlier"
    release = facts.release_of(pin)
    if release is None:
        return ""
    first, last = version_fact(row, "first-release"), version_fact(row, "last-release")
    if first is not None and release.compare(first) < 0:
        return f"nixpkgs has it since {first.text}, and the pin is {release.text}"
    if last is not None and _is_gone(last, release, day, facts):
        return f"nixpkgs had it up to {last.text}, and the pin is {release.text}"
    return ""


def _is_gone(last: Version, release: Version, day: str | None, facts: Facts) -> bool:
    """Whether *release* is later than *last*, the last release with a feature. The days before a
    branch count as its release, too.
    """
    later = [
        (found, text_fact(row, "branched"))
        for row in facts.releases()
        if (found := version_fact(row, "release")) is not None and found.compare(last) > 0
    ]
    if not later:
        return False
    without, branched = later[0]
    order = release.compare(without)
    return order > 0 or (order == 0 and bool(day and branched and day >= branched))


def _instead(cuda: Cuda, facts: Facts) -> str:
    row = facts.pin(cuda.pin) if cuda.pin is not None else None
    known = texts_fact(row, "cuda-sets") if row is not None else None
    if known:
        return f"use a set that the pin has, such as `{known[0]}`, or another pin"
    return "use a set that the pin has, or another pin"
