"""Chromium without a window, with a mouse and a keyboard as it knows them: by the protocol of its
developer tools, over a pipe."""

from __future__ import annotations

import atexit
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.services import require

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
_SECONDS = 60.0
# What Chromium answers where a page is replaced by the next one before it has answered.
_LEAVES = (
    "Inspected target navigated or closed",
    "Execution context was destroyed",
    "Cannot find context with specified id",
)
_KEYS = {"Enter": 13, "Escape": 27, "End": 35, "Home": 36, "Tab": 9}
_KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def _pipe() -> tuple[int, int]:
    """The two ends of a pipe, neither of them 3 or 4."""
    ends = os.pipe()
    found = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return found[0], found[1]


class _Refused(AssertionError):
    """Chromium did not carry out what it was asked for."""


class _Program:
    """Chromium itself. All pages of this process are in it: its start takes longer than most tests
    of a page."""

    def __init__(self) -> None:
        assert PROGRAM is not None, "Chromium is not installed: `.ci/install-chromium`"
        self._folder = TemporaryDirectory(prefix="tvarc-chromium-", ignore_cleanup_errors=True)
        theirs, self._out = _pipe()
        self._in, ours = _pipe()
        arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-extensions", "--disable-background-networking",
            f"--user-data-dir={self._folder.name}", "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        # It reads from 3 and writes to 4.
        shell = f'exec "$0" "$@" 3<&{theirs} 4>&{ours}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, PROGRAM, *arguments],
            pass_fds=(theirs, ours),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(ours)
        self._read = b""
        self._last = 0
        atexit.register(self._end)

    def _end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    def send(self, message: dict[str, object]) -> int:
        """Send a message; its number, which the answer has too."""
        self._last += 1
        os.write(self._out, json.dumps({"id": self._last, **message}).encode() + b"\0")
        return self._last

    def next(self) -> dict[str, Any]:
        """The next answer or event."""
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._in], [], [], max(end - time.monotonic(), 0))
            more = os.read(self._in, 1 << 20) if ready else b""
            assert more, "Chromium gives no answer"
            self._read += more
        text, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found


_started = cache(_Program)


def _program() -> _Program:
    if _started().process.poll() is not None:  # it has ended by itself
        _started.cache_clear()
    return _started()


class Chromium:
    """One page of it, which knows nothing of others. What the page complains of is kept in
    `complaints`."""

    def __init__(self, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        self.complaints: list[str] = []
        self._program = _program()
        self._session: str | None = None
        self._context = self.ask("Target.createBrowserContext")["browserContextId"]
        place = {"url": "about:blank", "browserContextId": self._context}
        page = self.ask("Target.createTarget", **place)["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        self.shape(width, height, dark=dark)

    def shape(self, width: int, height: int, *, dark: bool) -> None:
        """Give the window this size, in pixels, and colours that are dark or light."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        self._session = None
        self.ask("Target.disposeBrowserContext", browserContextId=self._context)

    # --- the page ------------------------------------------------------------------------

    def open(self, file: Path | str, anchor: str = "") -> None:
        """Show *file*, or the page of a server, at *anchor*, and wait until it is there."""
        self.ask("Page.navigate", url="about:blank")
        url = file if isinstance(file, str) else file.as_uri()
        self.ask("Page.navigate", url=url + (f"#{anchor}" if anchor else ""))
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, expression: str) -> Any:
        """What *expression* comes to in the page, as plain data."""
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until *condition* holds, also across a change of the page."""
        end = time.monotonic() + _SECONDS
        while not self._holds(condition):
            assert time.monotonic() < end, condition
            time.sleep(0.02)

    def _holds(self, condition: str) -> bool:
        """Whether *condition* holds. It does not where the page leaves while it is asked."""
        try:
            return bool(self.value(condition))
        except _Refused as refused:
            if not any(one in str(refused) for one in _LEAVES):
                raise
            return False

    def click(self, selector: str) -> None:
        """Press the mouse on what *selector* finds, which has to be seen."""
        place = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        box = self.value(f"(({{x, y, width, height}}) => [x, y, width, height])({place})")
        x, y = box[0] + min(box[2] / 2, 60), box[1] + box[3] / 2
        top = self.value(
            f"document.querySelector({json.dumps(selector)})"
            f".contains(document.elementFromPoint({x}, {y}))"
        )
        assert top, f"{selector} is covered at {x}, {y}"
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, *keys: str) -> None:
        for key in keys:
            for kind in ("rawKeyDown", "keyUp"):
                self.ask(
                    "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                    windowsVirtualKeyCode=_KEYS[key],
                )  # fmt: skip

    def picture(self, file: Path) -> None:
        """Write what is seen as a PNG."""
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def printed(self) -> bytes:
        """The page as PDF, as it would be printed."""
        return base64.b64decode(self.ask("Page.printToPDF")["data"])

    # --- the protocol --------------------------------------------------------------------

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        message: dict[str, object] = {"method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        number = self._program.send(message)
        while True:
            answer = self._program.next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise _Refused(answer["error"]["message"])
                result: dict[str, Any] = answer["result"]
                return result
            if answer.get("sessionId") == self._session:
                self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))


# --- axe ----------------------------------------------------------------------------

_FOUND = """axe.run().then((told) => { window.found = told.violations.map((one) =>
    `${one.id}: ${one.nodes.length} times, such as ${one.nodes[0].html.slice(0, 200)}`) })"""


def axe(browser: Chromium) -> list[str]:
    """What axe finds wrong in the page that *browser* shows; its script is in `NODE_PATH`."""
    folders = filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep))
    scripts = [Path(one) / "axe-core" / "axe.min.js" for one in folders]
    script = next((one for one in scripts if one.is_file()), None)
    require(script is not None, "axe is not installed: `.ci/install-axe`")
    assert script is not None
    # The policy of the page keeps out scripts of others, but not what its developer tools run.
    browser.ask("Runtime.evaluate", expression=script.read_text(encoding="utf-8"))
    browser.value("delete window.found")
    browser.value(_FOUND)
    browser.wait("window.found !== undefined")
    found = browser.value("window.found")
    assert isinstance(found, list)
    return found
