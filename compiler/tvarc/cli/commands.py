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
    as_json: bool,
    no_cache: bool,
    format: str,
) -> int:
    from tvarc.cli.build import BuildOptions
    from tvarc.cli.build import build as run_build
    from tvarc.sema.overrides import Setting

    if prune and (only or flag or setting):
        part = "--only" if only else "--flag" if flag else "--set"
        raise Misused(f"it needs all variants as the source has them, and does not go with {part}",
                      "--prune")  # fmt: skip
    if adopt and force:
        raise Misused("it keeps a copy and --force keeps none: give one of them", "--adopt")
    chosen = [Setting("--flag", text) for text in flag or ()]
    chosen += [Setting("--set", text) for text in setting or ()]
    options = BuildOptions(
        file, out, tuple(only or ()), tuple(chosen), check, force, as_json,
        prune=prune, dry_run=dry_run, adopt=adopt, git=not no_git,
    )  # fmt: skip
    return _run(format, lambda session: run_build(session, options), no_cache)


def check(file: str | None, no_cache: bool, format: str) -> int:
    from tvarc.cli.check import check as run_check

    return _run(format, lambda session: run_check(session, file), no_cache)


def list_command(
    selectors: _Words, file: str | None, as_json: bool, no_cache: bool, format: str
) -> int:
    from tvarc.cli.listing import list_variants

    return _run(
        format,
        lambda session: list_variants(session, file, selectors or (), as_json=as_json),
        no_cache,
    )


def explain(
    words: Sequence[str], file: str | None, as_json: bool, no_cache: bool, format: str
) -> int:
    from tvarc.cli.explain import explain as run_explain
    from tvarc.cli.explain import surplus

    extra = surplus(words)
    if extra is not None:
        raise Misused(f"one SELECTOR and one PATH are wanted; what is `{extra}`?")
    return _run(
        format,
        lambda session: run_explain(session, file, words, as_json=as_json),
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


def _run(format: str, command: Callable[[Session], int], no_cache: bool) -> int:
    from tvarc.cli.session import run

    return run(Console(Format(format)), command, no_cache=no_cache)


COMMANDS: Final[dict[str, Callable[..., int]]] = {
    "build": build,
    "check": check,
    "list": list_command,
    "explain": explain,
    "pick": pick,
    "facts": facts,
    "dump": dump,
}
