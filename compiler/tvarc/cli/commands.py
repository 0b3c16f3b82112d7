"""What each command does with its values, however these were read. The parts of the compiler that a
command needs are imported when it runs."""

from __future__ import annotations

from tvarc.cli.console import Console, Format
from tvarc.light import TYPE_CHECKING, Callable, Final, Sequence

if TYPE_CHECKING:
    from tvarc.cli.session import Session

_Words = Sequence[str] | None


class Misused(Exception):
    """Words that are no proper use of a command; `hint` names the option, if it is one."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def build(
    file: str | None,
    out: str | None,
    only: _Words,
    flag: _Words,
    setting: _Words,
    check: bool,
    dry_run: bool,
    prune: bool,
    adopt: bool,
    no_git: bool,
    force: bool,
    locked: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.options import BuildOptions
    from tvarc.cli.unchanged import confirmed

    if prune and (only or flag or setting):
        part = "--only" if only else "--flag" if flag else "--set"
        raise Misused(f"it needs all variants as the source has them, and does not go with {part}",
                      "--prune")  # fmt: skip
    if adopt and force:
        raise Misused("it keeps a copy and --force keeps none: give one of them", "--adopt")
    chosen = [("--flag", text) for text in flag or ()]
    chosen += [("--set", text) for text in setting or ()]
    options = BuildOptions(
        file, out, tuple(only or ()), tuple(chosen), check, force, as_json,
        prune=prune, dry_run=dry_run, adopt=adopt, git=not no_git, locked=locked,
    )  # fmt: skip
    if not no_cache:
        code = confirmed(Console(Format(format)), options)
        if code is not None:
            return code
    from tvarc.cli.build import build as run_build

    return _run(format, lambda session: run_build(session, options), no_cache)


def check(file: str | None, no_cache: bool, format: str) -> int:
    from tvarc.cli.check import check as run_check

    return _run(format, lambda session: run_check(session, file), no_cache)


def list_command(
    selectors: _Words,
    excluded: bool,
    file: str | None,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    def command(session: Session) -> int:
        if excluded:
            from tvarc.cli.excluded import list_excluded

            return list_excluded(session, file, selectors or (), as_json=as_json)
        from tvarc.cli.listing import list_variants

        return list_variants(session, file, selectors or (), as_json=as_json)

    return _run(format, command, no_cache)


def explain(
    words: Sequence[str], file: str | None, as_json: bool, html: bool, no_cache: bool, format: str
) -> int:
    from tvarc.cli.explain import explain as run_explain
    from tvarc.cli.explain import is_whole, surplus

    extra = surplus(words)
    if extra is not None:
        raise Misused(f"one SELECTOR and one PATH are wanted; what is `{extra}`?")
    if html and (as_json or not is_whole(words)):
        raise Misused("a variant alone is made a page of HTML", "--html")
    return _run(
        format,
        lambda session: run_explain(session, file, words, as_json=as_json, as_html=html),
        no_cache,
    )


def who(
    places: Sequence[str],
    file: str | None,
    only: _Words,
    whole: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.who import split_place
    from tvarc.cli.who import who as run_who

    wanted = split_place(places[0]) if len(places) == 1 else None
    if wanted is None:
        raise Misused(f"`{' '.join(places)}` is no line of a file", "FILE:LINE")
    return _run(
        format,
        lambda session: run_who(session, file, wanted, only or (), whole=whole, as_json=as_json),
        no_cache,
    )


def why_not(
    words: Sequence[str], file: str | None, as_json: bool, no_cache: bool, format: str
) -> int:
    from tvarc.cli.whynot import why_not as run_why_not

    return _run(
        format, lambda session: run_why_not(session, file, words, as_json=as_json), no_cache
    )


def diff(
    words: _Words,
    against: str | None,
    whole: bool,
    nix: bool,
    file: str | None,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.diff import DiffOptions
    from tvarc.cli.diff import diff as run_diff

    if against is None and len(words or ()) != 2:
        raise Misused("two variants are wanted, or --against with another state")
    options = DiffOptions(tuple(words or ()), file, against, whole, nix, as_json)
    return _run(format, lambda session: run_diff(session, options), no_cache)


def audit(
    folder: str | None, file: str | None, whole: bool, as_json: bool, no_cache: bool, format: str
) -> int:
    from tvarc.cli.audit import audit as run_audit

    return _run(
        format,
        lambda session: run_audit(session, file, folder, whole=whole, as_json=as_json),
        no_cache,
    )


def pick(
    file: str | None,
    host: str | None,
    describe: bool,
    whole: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.pick import describe_host
    from tvarc.cli.pick import pick as run_pick

    if describe and file is not None:
        raise Misused(f"--describe prints to the output; what is `{file}`?")

    def command(session: Session) -> int:
        if describe:
            return describe_host(session, host)
        return run_pick(session, file, host, whole=whole, as_json=as_json)

    return _run(format, command, no_cache)


def facts(name: str | None, version: str | None, as_json: bool, no_cache: bool, format: str) -> int:
    from tvarc.cli.facts import show_facts

    return _run(
        format,
        lambda session: show_facts(session, name, version, as_json=as_json),
        no_cache,
    )


def dump(stage: str, file: str | None, only: _Words, no_cache: bool, format: str) -> int:
    from tvarc.cli.dump import STAGES
    from tvarc.cli.dump import dump as run_dump

    if stage not in STAGES:
        raise Misused(f"`{stage}` is none of {', '.join(STAGES)}", "--stage")
    return _run(format, lambda session: run_dump(session, file, stage, only or ()), no_cache)


def fmt(files: _Words, check: bool, diff: bool, no_cache: bool, format: str) -> int:
    from tvarc.cli.fmt import STDIN, FmtOptions
    from tvarc.cli.fmt import fmt as run_fmt

    if files and STDIN in files and len(files) > 1:
        raise Misused("`-` stands alone")
    options = FmtOptions(tuple(files or ()), check, diff)
    return _run(format, lambda session: run_fmt(session, options), no_cache)


def lock(
    file: str | None,
    from_log: str | None,
    check: bool,
    prune: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.lock import LockOptions
    from tvarc.cli.lock import lock as run_lock

    if check and (prune or from_log is not None):
        raise Misused("--check changes nothing: it stands alone")
    options = LockOptions(file, from_log, check, prune, as_json)
    return _run(format, lambda session: run_lock(session, options), no_cache)


def bump(
    words: Sequence[str],
    file: str | None,
    dry_run: bool,
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.bump import BumpOptions
    from tvarc.cli.bump import bump as run_bump

    pinned = len(words) == 3 and words[0] == "pin"
    if len(words) != 2 and not pinned:
        raise Misused("`bump NAME VALUE` or `bump pin NAME REV` is wanted")
    options = BumpOptions(file, tuple(words), dry_run, as_json)
    return _run(format, lambda session: run_bump(session, options), no_cache)


def _run(format: str, command: Callable[[Session], int], no_cache: bool) -> int:
    from tvarc.cli.session import run

    return run(Console(Format(format)), command, no_cache=no_cache)


COMMANDS: Final[dict[str, Callable[..., int]]] = {
    "build": build,
    "check": check,
    "list": list_command,
    "explain": explain,
    "who": who,
    "why-not": why_not,
    "diff": diff,
    "audit": audit,
    "pick": pick,
    "facts": facts,
    "fmt": fmt,
    "dump": dump,
    "lock": lock,
    "bump": bump,
}
