"""Chromium without a window, with a mouse and a keyboard as it knows them: by the protocol of its
developer tools, over a pipe."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
_SECONDS = 60.0
_KEYS = {"Enter": 13, "Escape": 27, "End": 35, "Home": 36, "Tab": 9}
_KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def _pipe() -> tuple[int, int]:
    """The two ends of a pipe, neither of them 3 or 4."""
    ends = os.pipe()
    found = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return found[0], found[1]


class Chromium:
    """One page of it. What the page complains of is kept in `complaints`."""

    def __init__(self, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        assert PROGRAM is not None, "Chromium is not installed: `.ci/install-chromium`"
        self.complaints: list[str] = []
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
        self._process = subprocess.Popen(
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
        self._session: str | None = None
        pages = self.ask("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in pages if one["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    # --- the page ------------------------------------------------------------------------

    def open(self, file: Path, anchor: str = "") -> None:
        """Show *file*, at *anchor*, and wait until it is there."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=file.as_uri() + (f"#{anchor}" if anchor else ""))
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, expression: str) -> Any:
        """What *expression* comes to in the page, as plain data."""
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + _SECONDS
        while not self.value(condition):
            assert time.monotonic() < end, condition
            time.sleep(0.02)

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
        self._last += 1
        message: dict[str, object] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._in], [], [], max(end - time.monotonic(), 0))
            more = os.read(self._in, 1 << 20) if ready else b""
            assert more, "Chromium gives no answer"
            self._read += more
        text, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found
