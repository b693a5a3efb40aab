# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that a test drives as a person would: over its debugging pipe.

Source: the Chrome DevTools Protocol, JSON messages that end with a NUL, on descriptors 3
(to the browser) and 4 (from it).
"""
import base64
import json
import os
import subprocess
import time

PATIENCE_S = 90
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-quic", "--allow-file-access-from-files", "--window-size=1200,900",
]
KEYS = {  # name: (what it types, its virtual key code)
    "Enter": ("\r", 13), "Escape": ("", 27), "ArrowLeft": ("", 37), "ArrowUp": ("", 38),
    "ArrowRight": ("", 39), "ArrowDown": ("", 40),
}


def as_3_and_4(reader, writer):
    """What the child does with its ends of the pipes; neither may be overwritten too early."""
    reader, writer = os.dup(reader), os.dup(writer)
    while reader < 5 or writer < 5:
        reader, writer = os.dup(reader), os.dup(writer)
    os.dup2(reader, 3)
    os.dup2(writer, 4)


class Browser:
    def __init__(self, folder):
        child_in, self.to = os.pipe()
        self.answers, child_out = os.pipe()
        self.process = subprocess.Popen(
            ["chromium", *OPTIONS, f"--user-data-dir={folder}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=lambda: as_3_and_4(child_in, child_out))
        os.close(child_in)
        os.close(child_out)
        self.reader = os.fdopen(self.answers, "rb")
        self.rest = b""
        self.number = 0
        self.events = []
        self.session = None

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        os.close(self.to)
        self.reader.close()

    def message(self):
        while b"\0" not in self.rest:
            piece = self.reader.read1(1 << 20)
            if not piece:
                raise AssertionError("chromium ended")
            self.rest += piece
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def send(self, method, **params):
        """The result; what the browser tells meanwhile goes to `events`."""
        self.number += 1
        call = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        data = json.dumps(call).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            got = self.message()
            if got.get("id") == self.number:
                assert "error" not in got, f"{method}: {got['error']}"
                return got["result"]
            self.events.append(got)


class BrowserPage:
    """A file in a tab of its own. `said` is all that it logged and all that went wrong."""

    def __init__(self, browser, path, scheme="light"):
        self.browser = browser
        browser.session = None
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        browser.session = browser.send("Target.attachToTarget", targetId=target,
                                       flatten=True)["sessionId"]
        browser.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.send(f"{domain}.enable")
        self.set_scheme(scheme)
        start = time.monotonic()
        browser.send("Page.navigate", url=f"file://{path}")
        self.wait("document.readyState === 'complete'")
        self.opened_s = time.monotonic() - start

    def set_scheme(self, scheme):
        self.browser.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, expression):
        done = self.browser.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + PATIENCE_S
        while not self.evaluate(expression):
            assert time.monotonic() < end, f"never: {expression}"
            time.sleep(0.02)

    @property
    def said(self):
        self.evaluate("0")  # what came before it is there after it
        wrong = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.browser.events if event["method"] in wrong]

    @property
    def requests(self):
        """Addresses that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event["method"] == "Network.requestWillBeSent"]

    def mouse(self, kind, x, y):
        self.browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=1,
                          button="none" if kind == "mouseMoved" else "left")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y)

    def click_on(self, selector):
        place = self.evaluate(f"(() => {{ const r = document.querySelector({json.dumps(selector)})"
                              ".getBoundingClientRect(); return [r.x + r.width / 2, "
                              "r.y + r.height / 2]; })()")
        self.click(*place)

    def press(self, *keys):
        for key in keys:
            text, code = KEYS.get(key, (key, 0))
            self.browser.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                              windowsVirtualKeyCode=code)
            self.browser.send("Input.dispatchKeyEvent", type="keyUp", key=key,
                              windowsVirtualKeyCode=code)

    def screenshot(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = self.browser.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
