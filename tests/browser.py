"""A headless Chromium, driven over a pipe by its own DevTools protocol: no package is needed."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
START = "import os, sys; os.dup2({0}, 3); os.dup2({1}, 4); os.execv(sys.argv[1], sys.argv[1:])"
SECONDS = 60


def find() -> str | None:
    """Return the browser that NDCGSTUDY_BROWSER names, or the first that is installed."""
    named = os.environ.get("NDCGSTUDY_BROWSER")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. Whatever goes wrong in it or leaves it is kept in `problems` and `requests`."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive, self._last, self._rest = send, receive, 0, b""
        self._events: list[dict[str, Any]] = []
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, path: Path) -> None:
        """Load a file and wait until it and all that belongs to it is there."""
        self.problems.clear()
        self.requests.clear()
        self._events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._next()

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page, of a promise what it comes to."""
        how = {"returnByValue": True, "awaitPromise": True}
        found = self.call("Runtime.evaluate", expression=script, **how)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press a key, as a person at a keyboard does."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            how = {"key": key, "code": key, "windowsVirtualKeyCode": code, **text}
            self.call("Input.dispatchKeyEvent", type=kind, **how)

    def look(self, *, width: int, height: int = 900, dark: bool = False, media: str = "") -> None:
        """Set the size of the window, the colour scheme and the medium."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, *, whole: bool = False) -> bytes:
        """Return the window, or the whole page, as PNG."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(taken["data"])

    def printed(self) -> bytes:
        """Return the page as it would be printed, as PDF."""
        return base64.b64decode(self.call("Page.printToPDF")["data"])

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._receive, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser has ended" if ready else "the browser is silent")
            self._rest += data
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self._note(message)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        what = event["params"]
        match event["method"]:
            case "Runtime.exceptionThrown":
                self.problems.append(what["exceptionDetails"]["text"])
            case "Log.entryAdded":
                self.problems.append(what["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.problems.append(f"console.{what['type']}")
            case "Network.requestWillBeSent" if not what["request"]["url"].startswith("data:"):
                self.requests.append(what["request"]["url"])


@contextlib.contextmanager
def running(program: str, profile: Path) -> Iterator[Browser]:
    """Run a browser with a profile of its own; it ends with the block."""
    inside, send = os.pipe()
    receive, outside = os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (inside, outside)]
    for end in (inside, outside):
        os.close(end)
    options = ["--headless", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
    options += ["--no-first-run", "--disable-gpu", "--disable-dev-shm-usage"]
    options += ["--disable-background-networking", "--disable-extensions"]
    if os.geteuid() == 0:
        options.append("--no-sandbox")  # which Chromium does not offer to root
    command = [sys.executable, "-c", START.format(*ends), program, *options]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, pass_fds=ends, stdout=quiet, stderr=quiet)
    for end in ends:
        os.close(end)
    try:
        yield Browser(send, receive)
    finally:
        os.close(send)
        os.close(receive)
        process.terminate()
        process.wait(timeout=SECONDS)
