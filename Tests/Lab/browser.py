"""Chromium without a window, driven over its DevTools protocol through a pipe. Python's standard library only.

    with Browser() as browser:
        browser.open("http://127.0.0.1:8099/")
        browser.log_in("secret")
        browser.wait_text("Lamp")
        browser.click("Lamp", role="switch")
        browser.press("Tab", "Space")
        browser.screenshot("page.png")
        assert not browser.complaints

Controls are named as a screen reader names them, by role and name (the accessibility tree), not by their place in the page.
As root, as in containers, Chromium runs without its sandbox: the page is ours.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

# What a test may wait for the browser; only a defect reaches it.
PATIENCE = float(os.environ.get("MATTERCTL_BROWSER_PATIENCE", "60"))
KEYS = {
    "Tab": (9, "Tab", None), "Enter": (13, "Enter", "\r"), "Space": (32, " ", " "), "Escape": (27, "Escape", None),
    "ArrowLeft": (37, "ArrowLeft", None), "ArrowUp": (38, "ArrowUp", None), "ArrowRight": (39, "ArrowRight", None),
    "ArrowDown": (40, "ArrowDown", None), "Home": (36, "Home", None), "End": (35, "End", None), "PageUp": (33, "PageUp", None),
    "PageDown": (34, "PageDown", None),
}


class Failure(Exception):
    """What was waited for did not come, or the page threw."""


class Browser:
    def __init__(self, width=1100, height=800, options=()):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            raise Failure("no chromium: make deps")
        self.folder = tempfile.TemporaryDirectory(prefix="matterctl-browser.")
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        words = [
            "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}/profile", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
            "--disable-extensions", "--disable-sync", "--disable-default-apps", "--mute-audio", "--hide-scrollbars",
            # A hidden window's timers must not be slowed down.
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--force-color-profile=srgb", "--lang=en-GB", "--password-store=basic",
        ]
        if os.getuid() == 0 or os.environ.get("MATTERCTL_NO_SANDBOX"):
            words.append("--no-sandbox")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+b")  # pylint: disable=consider-using-with

        def descriptors():
            # Chromium reads from 3 and writes to 4; the numbers may be taken by each other.
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            spare = max(first, second, 10) + 1
            os.dup2(first, spare)
            os.dup2(second, spare + 1)
            os.dup2(spare, 3)
            os.dup2(spare + 1, 4)

        environment = {
            **os.environ, "HOME": self.folder.name, "LANG": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "XDG_CONFIG_HOME": self.folder.name, "XDG_CACHE_HOME": self.folder.name,
        }
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program, *words, *options, "about:blank"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment,
            close_fds=False, preexec_fn=descriptors)  # pylint: disable=subprocess-popen-preexec-fn
        os.close(theirs_in)
        os.close(theirs_out)
        self.reader, self.writer, self.rest = ours_in, ours_out, b""
        self.number = 0
        # Errors of the console, exceptions, and what the Content-Security-Policy refused.
        self.complaints = []
        # Network failures, which are expected while a server is away.
        self.refusals = []
        self.dialogs = []
        target = self.call("Target.getTargets", session=None)["targetInfos"]
        page = next(one["targetId"] for one in target if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", {"targetId": page, "flatten": True}, session=None)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")
        self.viewport(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call("Browser.close", session=None)
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.reader)
        os.close(self.writer)
        self.log.close()
        shutil.rmtree(self.folder.name, ignore_errors=True)
        try:
            self.folder.cleanup()
        except OSError:
            pass

    # The protocol

    def call(self, method, parameters=None, session=""):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters or {}}
        if session is not None:
            message["sessionId"] = session or self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._next(end)
            if answer is None:
                raise Failure(f"no answer to {method}: {self._log()}")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self._event(answer)

    def _next(self, end):
        while b"\0" not in self.rest:
            wait = end - time.monotonic()
            if wait <= 0 or not select.select([self.reader], [], [], wait)[0]:
                return None
            data = os.read(self.reader, 1 << 20)
            if not data:
                raise Failure(f"the browser ended: {self._log()}")
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def _log(self):
        self.log.seek(0)
        return self.log.read()[-2000:].decode(errors="replace")

    def pump(self, seconds):
        """Takes what the browser tells for so long."""
        end = time.monotonic() + seconds
        while (event := self._next(end)) is not None:
            self._event(event)

    def _event(self, event):
        name, data = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.complaints.append(f"exception: {details.get('exception', {}).get('description') or details['text']}")
        elif name == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.complaints.append(f"console: {[one.get('value') for one in data['args']]}")
        elif name == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            entry = data["entry"]
            network = entry["source"] == "network" or "WebSocket connection to" in entry["text"]
            (self.refusals if network else self.complaints).append(f"{entry['source']}: {entry['text']}")
        elif name == "Audits.issueAdded" and data["issue"]["code"] == "ContentSecurityPolicyIssue":
            self.complaints.append(f"policy: {data['issue']['details']}")
        elif name == "Page.javascriptDialogOpening":
            self.dialogs.append(data["message"])
            # Not awaited: another call may be under way.
            self.number += 1
            os.write(self.writer, json.dumps({
                "id": self.number, "sessionId": self.session, "method": "Page.handleJavaScriptDialog",
                "params": {"accept": True}}).encode() + b"\0")

    # The page

    def open(self, url):
        self.call("Page.navigate", {"url": url})
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'", f"{url} to load")

    def reload(self):
        self.call("Page.reload")
        self.pump(0.3)
        self.wait("document.readyState === 'complete'", "the page to load again")

    def evaluate(self, expression):
        """The value of an expression of JavaScript in the page. (The protocol is not bound by the page's policy.)"""
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def wait(self, expression, what=None):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if self.evaluate(f"Boolean({expression})"):
                    return
            except Failure:
                # A page that is being replaced.
                if time.monotonic() > end:
                    raise
            if time.monotonic() > end:
                raise Failure(f"waited for {what or expression}; the page says:\n{self.text()}")
            self.pump(0.05)

    def text(self):
        """All that can be seen."""
        return self.evaluate("document.body.innerText")

    def wait_text(self, text, there=True):
        sign = "" if there else "!"
        self.wait(f"{sign}document.body.innerText.includes({json.dumps(text)})", f"{'' if there else 'no '}'{text}'")

    def log_in(self, token, remember=False):
        self.wait("document.getElementById('token').offsetParent !== null", "the log-in")
        self.evaluate("document.getElementById('token').focus()")
        self.type(token)
        if remember:
            self.click("Remember it in this browser", role="checkbox")
        self.press("Enter") if not remember else self.click("Log in", role="button")

    # Controls, by role and name

    def _nodes(self):
        return self.call("Accessibility.getFullAXTree")["nodes"]

    def find(self, name, role):
        """The elements with that name and role; their numbers for the protocol, and what is told of them."""
        found = []
        for node in self._nodes():
            if node.get("ignored") or node.get("role", {}).get("value") != role or node.get("name", {}).get("value") != name:
                continue
            properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            found.append((node["backendDOMNodeId"], {**properties, "value": node.get("value", {}).get("value")}))
        return found

    def control(self, name, role):
        end = time.monotonic() + PATIENCE
        while not (found := self.find(name, role)):
            if time.monotonic() > end:
                names = [(node["role"]["value"], node.get("name", {}).get("value")) for node in self._nodes() if not node.get("ignored")]
                raise Failure(f"no {role} '{name}'; there are {[one for one in names if one[1] and one[0] not in ('StaticText', 'InlineTextBox')]}")
            self.pump(0.05)
        return found[0]

    def state(self, name, role="switch"):
        """The properties of a control: checked, disabled, value, valuetext, focused, …"""
        return self.control(name, role)[1]

    def on_control(self, name, role, function):
        node, _ = self.control(name, role)
        thing = self.call("DOM.resolveNode", {"backendNodeId": node})["object"]["objectId"]
        answer = self.call("Runtime.callFunctionOn", {"objectId": thing, "functionDeclaration": function, "returnByValue": True})
        return answer["result"].get("value")

    def click(self, name, role="button"):
        """A click of the mouse in the middle of a control."""
        node, _ = self.control(name, role)
        self.call("DOM.scrollIntoViewIfNeeded", {"backendNodeId": node})
        self.pump(0.1)
        box = self.call("DOM.getBoxModel", {"backendNodeId": node})["model"]["border"]
        x, y = sum(box[0::2]) / 4, sum(box[1::2]) / 4
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {
                "type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left", "clickCount": 1})

    def set_slider(self, name, value):
        """Moves a slider, as a drag does: its input, then its change."""
        self.on_control(name, "slider", f"""function () {{
            this.focus(); this.value = {json.dumps(value)};
            this.dispatchEvent(new Event("input", {{ bubbles: true }}));
            this.dispatchEvent(new Event("change", {{ bubbles: true }}));
        }}""")

    def choose(self, name, label):
        """Takes an option of a list."""
        self.on_control(name, "combobox", f"""function () {{
            this.value = [...this.options].find((one) => one.textContent === {json.dumps(label)}).value;
            this.dispatchEvent(new Event("change", {{ bubbles: true }}));
        }}""")

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def press(self, *keys):
        """Keys by name; `Shift+Tab` holds Shift."""
        for key in keys:
            shift = key.startswith("Shift+")
            code, name, text = KEYS[key.removeprefix("Shift+")]
            common = {"windowsVirtualKeyCode": code, "key": name, "code": key.removeprefix("Shift+"), "modifiers": 8 if shift else 0}
            self.call("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", **({"text": text} if text else {}), **common})
            self.call("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    def focus(self):
        """The name and the role of what has the focus."""
        for node in self._nodes():
            properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            if properties.get("focused") and node.get("role", {}).get("value") != "RootWebArea":
                return node.get("name", {}).get("value", ""), node["role"]["value"]
        return "", ""

    def tab_to(self, name, role="switch", limit=200):
        """Presses Tab until a control has the focus."""
        seen = []
        for _ in range(limit):
            self.press("Tab")
            if (focus := self.focus()) == (name, role):
                return
            seen.append(focus)
        raise Failure(f"Tab does not lead to {role} '{name}' but to {seen}")

    # Circumstances

    def viewport(self, width, height=800):
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def scheme(self, name, motion="no-preference"):
        """`dark` or `light`."""
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": motion}]})

    def offline(self, is_offline):
        self.call("Network.emulateNetworkConditions", {
            "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def overflow(self):
        """How many pixels the page is wider than the window."""
        return self.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def screenshot(self, path, full=False):
        data = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": full})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
