#!/usr/bin/env python3
"""The page of `matterctl serve --web` in a headless Chromium: what it must do, a fact each.

    page_steps.py --server 'matterctl serve --web --listen 127.0.0.1:8123' --port 8123 --token TOKEN --light NAME
        --change 'matterctl toggle NAME' --is-on 'matterctl read NAME 1/on-off/on-off'
    page_steps.py --mock                            the same with house_mock.py, and all that needs other devices

The steps start the server, and end it. NAME should be markup: it has to stay text. --change switches the light in another way than by
the page; --is-on prints `true` or `false`. A line for each fact is printed: `ok FACT`, or `FAILED FACT: why`, and then the exit code is 1.
--shots DIR keeps pictures. Chromium and Python's standard library are enough; the mock needs .peers.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import tempfile
import time
import traceback

from browser import PATIENCE, Browser, Failure

HERE = pathlib.Path(__file__).resolve().parent
MOCK = HERE / "house_mock.py"
# All text that is seen, with the colours that it and its ground have: (contrast, text, colours) of each that has less than 4.5.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const over = (top, ground) => [0, 1, 2].map((i) => top[i] * top[3] + ground[i] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
  const ground = (element) => { if (!element) return rgba(matchMedia("(prefers-color-scheme: dark)").matches ? "#000" : "#fff");
    const own = rgba(getComputedStyle(element).backgroundColor); return own[3] === 1 ? own : over(own, ground(element.parentElement)); };
  const poor = []; let count = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), element = walk.currentNode.parentElement;
    if (!text || !element.checkVisibility({ visibilityProperty: true }) || element.closest(".unseen, option, [aria-disabled=true], script, style, noscript")) continue;
    count += 1;
    const style = getComputedStyle(element), below = ground(element);
    const [one, other] = [light(over(rgba(element instanceof SVGElement ? style.fill : style.color), below)), light(below)];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) poor.push([Math.round(contrast * 100) / 100, text.slice(0, 30), style.color, below]);
  }
  return { count, poor };
})()"""


class Server:
    """The program that serves the page; it ends and begins again at the same port."""

    def __init__(self, command, port, output):
        self.command, self.port, self.output = command, port, output
        self.process = None

    def start(self):
        self.process = subprocess.Popen(shlex.split(self.command), stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output)
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"the server does not listen (exit code {self.process.poll()})")
            time.sleep(0.05)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


FACTS = []


def fact(words, mock_only=False):
    def keep(function):
        FACTS.append((words, mock_only, function))
        return function
    return keep


class Steps:
    def __init__(self, arguments, browser, server):
        self.arguments, self.browser, self.server = arguments, browser, server
        self.url = f"http://127.0.0.1:{arguments.port}/"
        self.light = arguments.light

    def shell(self, command):
        run = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if run.returncode:
            raise Failure(f"{command}: {run.stdout} {run.stderr}")
        return run.stdout

    def change(self):
        self.shell(self.arguments.change)

    def is_on(self):
        text = self.shell(self.arguments.is_on).lower()
        if ("true" in text) == ("false" in text):
            raise Failure(f"--is-on says neither true nor false: {text}")
        return "true" in text

    def tell(self, *words):
        return self.shell(shlex.join([sys.executable, str(MOCK), "tell", str(self.arguments.port), *map(str, words)]))

    def log(self):
        return self.tell("log").strip().splitlines()

    def shown(self, name=None):
        return self.browser.state(name or self.light)["checked"] == "true"

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise Failure(f"waited for {what}; the page says:\n{self.browser.text()}")
            self.browser.pump(0.1)

    def is_pending(self, name=None):
        return self.browser.on_control(name or self.light, "switch", "function () { return this.dataset.pending }") == "true"

    def settled(self, is_on, name=None):
        """Waits until the switch says so, by a report, and can be used: a server that begins has not found its devices yet."""
        def so():
            state = self.browser.state(name or self.light)
            return (state["checked"] == "true") == is_on and not state.get("disabled") and not self.is_pending(name)
        self.until(so, f"the switch to say {is_on}")

    def shot(self, name, full=True):
        if self.arguments.shots:
            self.browser.screenshot(pathlib.Path(self.arguments.shots) / f"{name}.png", full)

    def log_in(self):
        self.browser.open(self.url)
        self.browser.evaluate("(sessionStorage.clear(), localStorage.clear())")
        self.browser.reload()
        self.browser.log_in(self.arguments.token)
        self.browser.wait_text("Live")


def same(one, other):
    if one != other:
        raise Failure(f"{one!r} is not {other!r}")


@fact("a wrong token is refused in words, and nothing of the house is shown")
def wrong_token(steps):
    steps.browser.open(steps.url)
    steps.browser.log_in("not-the-token")
    steps.browser.wait_text("The server does not know this token")
    if steps.light in steps.browser.text():
        raise Failure("the house is shown")
    same(steps.browser.evaluate("sessionStorage.length + localStorage.length"), 0)


@fact("with a token the house is shown, and the address has no token")
def log_in(steps):
    steps.log_in()
    steps.browser.wait_text(steps.light)
    same(steps.browser.evaluate("location.href").split("#")[0], steps.url)
    same(steps.browser.evaluate("sessionStorage.length"), 1)
    same(steps.browser.evaluate("localStorage.length"), 0)
    steps.shot("house")


@fact("a change of the light is shown, and told to those who listen")
def change(steps):
    before = steps.is_on()
    steps.settled(before)
    steps.change()
    steps.settled(not before)
    words = f"{steps.light}: {'off' if before else 'on'}"
    steps.browser.wait(f"document.getElementById('says').textContent.includes({json.dumps(words)})", words)


@fact("the switch switches the light, once, and waits for its report")
def switch(steps):
    before = steps.is_on()
    if steps.arguments.mock:
        count = len(steps.log())
        steps.tell("hold")
    steps.browser.click(steps.light, "switch")
    if steps.arguments.mock:
        # Shown at once, and marked until the report.
        steps.until(lambda: len(steps.log()) > count, "the command")
        same((steps.shown(), steps.is_pending()), (not before, True))
        same(steps.is_on(), before)
        steps.tell("release")
    steps.settled(not before)
    same(steps.is_on(), not before)
    if steps.arguments.mock:
        same(len(steps.log()), count + 1)
    steps.browser.click(steps.light, "switch")
    steps.settled(before)
    same(steps.is_on(), before)


@fact("a restart of the server is told and survived: the same view with the same focus, and what changed meanwhile")
def restart(steps):
    browser = steps.browser
    before = steps.is_on()
    steps.settled(before)
    browser.on_control(steps.light, "switch", "function () { this.focus(); this.dataset.same = 'yes' }")
    steps.server.stop()
    browser.wait_text("Trying again in")
    same(browser.text().count("Not connected"), 1)
    browser.click(steps.light, "switch")
    browser.wait_text("Nothing was sent")
    steps.shot("away", full=False)
    if not steps.arguments.mock:
        steps.change()
        before = not before
    steps.server.start()
    browser.wait_text("Trying again in", there=False)
    browser.wait_text("Live")
    steps.settled(before)
    same(browser.focus(), (steps.light, "switch"))
    same(browser.on_control(steps.light, "switch", "function () { return this.dataset.same }"), "yes")
    browser.click(steps.light, "switch")
    steps.settled(not before)
    same(steps.is_on(), not before)


@fact("text that is markup stays text")
def markup(steps):
    browser = steps.browser
    same(browser.evaluate("document.querySelectorAll('main img, main script, main b, dialog img, dialog script').length"), 0)
    if "<" not in steps.light:
        raise Failure(f"the light is called '{steps.light}', which is no markup")
    same(steps.light in browser.text(), True)
    browser.click(f"Details of {steps.light}")
    browser.wait_text("All attributes")
    same(browser.evaluate("document.querySelectorAll('dialog img, dialog script').length"), 0)
    browser.press("Escape")
    same(browser.dialogs, [])


@fact("what the page loads comes from its own host and has the security headers")
def headers(steps):
    for path in ("/", "/page.js", "/page.css"):
        connection = http.client.HTTPConnection("127.0.0.1", steps.arguments.port, timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        policy = answer.headers["Content-Security-Policy"] or ""
        answer.read()
        same(answer.status, 200)
        same((answer.headers["X-Content-Type-Options"], answer.headers["Referrer-Policy"]), ("nosniff", "no-referrer"))
        same([part for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'") if part not in policy], [])
        same("unsafe" in policy, False)
    hosts = steps.browser.evaluate("[...new Set(performance.getEntriesByType('resource').map((one) => new URL(one.name).origin))]")
    same([host for host in hosts if host not in (steps.url.rstrip("/"), "null")], [])
    # The policy holds: a script within the markup does not run.
    count = len(steps.browser.complaints)
    steps.browser.evaluate("(() => { const one = document.createElement('style'); one.textContent = 'body { display: none }'; document.head.append(one); one.remove(); })()")
    # It is told twice: as a line of the console, and as an issue.
    steps.until(lambda: len({one.split(":")[0] for one in steps.browser.complaints[count:]}) == 2, "the browser to refuse a style")
    found = steps.browser.complaints[count:]
    del steps.browser.complaints[count:]
    same([one for one in found if "style-src" not in one], [])


@fact("at 360 pixels nothing is wider than the window")
def narrow(steps):
    browser = steps.browser
    browser.viewport(360, 740)
    try:
        for name in ("house", "map", "jobs"):
            if browser.evaluate(f"document.querySelector('nav a[data-view={name}]').hidden"):
                continue
            browser.evaluate(f"location.hash = '#{name}'")
            browser.wait(f"!document.getElementById('view-{name}').hidden || !document.getElementById('view-house').hidden")
            browser.pump(0.5)
            same((name, browser.overflow()), (name, 0))
            steps.shot(f"narrow-{name}")
        browser.evaluate("location.hash = '#house'")
        browser.click(f"Details of {steps.light}")
        browser.wait_text("All attributes")
        same(("details", browser.overflow()), ("details", 0))
        same(browser.evaluate("(() => { const box = document.getElementById('details'); return box.scrollWidth - box.clientWidth })()"), 0)
        steps.shot("narrow-details", full=False)
        browser.press("Escape")
        browser.click(steps.light, "switch")
        steps.until(lambda: not steps.is_pending(), "the report")
    finally:
        browser.viewport(1100)


@fact("the keyboard alone logs in and switches, and the focus can be seen")
def keyboard(steps):
    browser = steps.browser
    browser.evaluate("(sessionStorage.clear(), localStorage.clear(), location.hash = '')")
    browser.reload()
    browser.wait("document.activeElement.id === 'token'", "the focus in the log-in")
    browser.type(steps.arguments.token)
    browser.press("Enter")
    browser.wait_text("Live")
    browser.wait_text(steps.light)
    before = steps.is_on()
    steps.settled(before)
    browser.tab_to(steps.light, "switch")
    outline = browser.evaluate("getComputedStyle(document.activeElement).outlineStyle + ' ' + getComputedStyle(document.activeElement).outlineWidth")
    same(outline, "solid 3px")
    browser.press("Space")
    steps.settled(not before)
    same(steps.is_on(), not before)
    browser.press("Enter")
    steps.settled(before)
    browser.tab_to(f"Details of {steps.light}", "button")
    browser.press("Enter")
    browser.wait("document.getElementById('details').open", "the details")
    browser.press("Escape")
    browser.wait("!document.getElementById('details').open", "the details to close")
    same(browser.focus(), (f"Details of {steps.light}", "button"))


@fact("text has a contrast of 4.5 and more, in light and in dark")
def contrast(steps):
    browser = steps.browser
    try:
        for scheme in ("light", "dark"):
            browser.scheme(scheme, "reduce")
            for name in ("house", "map", "jobs"):
                if browser.evaluate(f"document.querySelector('nav a[data-view={name}]').hidden"):
                    continue
                browser.evaluate(f"location.hash = '#{name}'")
                browser.pump(0.6)
                result = browser.evaluate(CONTRAST)
                same((scheme, name, result["poor"]), (scheme, name, []))
                same(result["count"] > 5, True)
                steps.shot(f"{scheme}-{name}")
            browser.evaluate("location.hash = '#house'")
            browser.click(f"Details of {steps.light}")
            browser.pump(0.4)
            same((scheme, browser.evaluate(CONTRAST)["poor"]), (scheme, []))
            browser.press("Escape")
        same(browser.evaluate("getComputedStyle(document.querySelector('.tile')).transitionDuration"), "0s")
    finally:
        browser.scheme("light")


@fact("logging out forgets the token; a token that is remembered logs in by itself")
def log_out(steps):
    browser = steps.browser
    browser.click("Log out")
    browser.wait("document.getElementById('token').offsetParent !== null", "the log-in")
    same(browser.evaluate("sessionStorage.length + localStorage.length + document.querySelectorAll('.tile').length"), 0)
    browser.reload()
    browser.log_in(steps.arguments.token, remember=True)
    browser.wait_text("Live")
    same(browser.evaluate("[sessionStorage.length, localStorage.length]"), [0, 1])
    browser.reload()
    browser.wait_text("Live")
    browser.click("Log out")
    same(browser.evaluate("localStorage.length"), 0)
    steps.log_in()


@fact("a dimmer is dimmed, and white is set", True)
def dim(steps):
    browser = steps.browser
    count = len(steps.log())
    browser.set_slider("Lamp: Brightness", 80)
    steps.until(lambda: len(steps.log()) > count, "the command")
    same(steps.log()[-1], '1 1/8 MoveToLevelWithOnOff {"level": 203, "transitionTime": null, "optionsMask": 0, "optionsOverride": 0} None')
    steps.until(lambda: steps.shown("Lamp"), "the lamp to be on")
    same(browser.on_control("Lamp: Brightness", "slider", "function () { return this.getAttribute('aria-valuetext') }"), "80 %")
    browser.on_control("Lamp: Brightness", "slider", "function () { this.focus() }")
    browser.press("ArrowLeft")
    steps.until(lambda: '"level": 201' in steps.log()[-1], "the key to dim")
    # Several changes within a moment are one command.
    count = len(steps.log())
    browser.on_control("Lamp: Brightness", "slider", """function () {
        for (const value of [70, 60, 50]) { this.value = value; for (const kind of ["input", "change"]) this.dispatchEvent(new Event(kind, { bubbles: true })); } }""")
    steps.until(lambda: len(steps.log()) > count, "the command")
    browser.pump(0.5)
    same([line.split(",")[0] for line in steps.log()[count:]], ['1 1/8 MoveToLevelWithOnOff {"level": 127'])
    browser.set_slider("Ceiling: White", 4000)
    steps.until(lambda: "MoveToColorTemperature" in steps.log()[-1], "the command")
    same('"colorTemperatureMireds": 250' in steps.log()[-1], True)
    # A change at the device moves the slider.
    steps.tell("set", 1, "1/8/0", 25)
    steps.until(lambda: browser.state("Lamp: Brightness", "slider")["value"] == 10, "the slider to move")


@fact("a thermostat, a fan and a cover are set", True)
def others(steps):
    browser = steps.browser
    for _ in range(3):
        browser.click("Radiator: heat to, half a degree more")
    steps.until(lambda: steps.log()[-1] == "3 1/513/18 = 2250", "22.5 °C")
    browser.wait_text("22.5 °C")
    browser.choose("Radiator: Mode", "Off")
    steps.until(lambda: steps.log()[-1] == "3 1/513/28 = 0", "the mode")
    browser.choose("Fan: Fan", "High")
    steps.until(lambda: steps.log()[-1] == "9 1/514/0 = 3", "the fan")
    browser.set_slider("Blind: Closed", 60)
    steps.until(lambda: steps.log()[-1] == '8 3/258 GoToLiftPercentage {"liftPercent100thsValue": 6000} 5000', "the blind")
    browser.wait_text("60 % closed")
    browser.click("Open: Blind")
    steps.until(lambda: steps.log()[-1] == "8 3/258 UpOrOpen {} 5000", "the blind to open")


@fact("a lock is unlocked only after a question", True)
def lock(steps):
    browser = steps.browser
    count = len(steps.log())
    browser.click("Unlock Front door")
    browser.wait_text("Unlock Front door?")
    same(browser.focus(), ("Cancel", "button"))
    steps.shot("ask", full=False)
    browser.press("Escape")
    browser.pump(0.4)
    same(len(steps.log()), count)
    browser.click("Unlock Front door")
    browser.wait_text("Unlock Front door?")
    browser.click("Unlock")
    steps.until(lambda: steps.log()[count:] == ["4 1/257 UnlockDoor {} 10000"], "the command")
    browser.wait_text("Unlocked")
    browser.click("Lock Front door")
    steps.until(lambda: steps.log()[-1] == "4 1/257 LockDoor {} 10000", "the lock")
    # One that wants a PIN code is told of it, and the code is asked for.
    browser.on_control("Unlock Front door", "button", "function () { this.dataset.old = 'yes' }")
    steps.tell("set", 4, "1/257/51", "true")
    browser.wait("!document.querySelector('[data-old]')", "another card")
    browser.click("Unlock Front door")
    browser.wait_text("PIN code of the lock")
    browser.type("1234")
    browser.press("Enter")
    steps.until(lambda: steps.log()[-1] == '4 1/257 UnlockDoor {"PINCode": "MTIzNA=="} 10000', "the code")
    same(browser.evaluate("document.getElementById('ask-pin').value"), "")


@fact("an error is told in words, and the switch goes back", True)
def error(steps):
    steps.browser.click("Stubborn", "switch")
    steps.browser.wait_text("Stubborn: the device refused this. The server says: CONSTRAINT_ERROR (0x87).")
    steps.settled(False, "Stubborn")


@fact("what is not reachable is shown as such, and comes back", True)
def away(steps):
    browser = steps.browser
    browser.wait_text("Not reachable")
    same(browser.state("Shed plug").get("disabled"), True)
    browser.click("Shed plug", "switch")
    browser.wait_text("Shed plug: the device is not reachable now. Nothing was sent.")
    steps.tell("available", 7, "true")
    browser.wait_text("Not reachable", there=False)
    browser.click("Shed plug", "switch")
    steps.settled(False, "Shed plug")
    steps.tell("available", 7, "false")
    browser.wait_text("Not reachable")


@fact("sensors show what they measure, live", True)
def sensors(steps):
    browser = steps.browser
    for text in ("21.4 °C", "48 %", "Battery 90 %", "84.3 W", "5.23 kWh", "closed"):
        browser.wait_text(text)
    steps.tell("set", 5, "1/1026/0", -550)
    browser.wait_text("-5.5 °C")
    steps.tell("set", 5, "1/1026/0", "null")
    browser.wait_text("not known")
    # A wrong type breaks nothing.
    steps.tell("set", 5, "1/1026/0", '"hot"')
    steps.tell("set", 10, "1/69/0", "false")
    browser.wait_text("open")
    steps.tell("set", 5, "1/1026/0", 2135)
    browser.wait_text("21.4 °C")


@fact("a node with an id of 64 bits is switched by its exact id", True)
def long_id(steps):
    steps.browser.click("Freezer: Plug 2", "switch")
    steps.settled(True, "Freezer: Plug 2")
    same(steps.log()[-1], "18446744060824649731 2/6 On {} None")


@fact("the details have all attributes, with a filter, and follow changes", True)
def details(steps):
    browser = steps.browser
    browser.click("Details of Lamp")
    for text in ("Acme", "2.3.1", "SN-0042", "0/62/1"):
        browser.wait_text(text)
    browser.evaluate("document.getElementById('details-find').focus()")
    browser.type("1/8/")
    browser.wait_text("4 of 22 attributes")
    steps.tell("set", 1, "1/8/0", 77)
    browser.wait("document.getElementById('details-rows').innerText.includes('77')", "the change")
    steps.shot("details", full=False)
    browser.click("Close")


@fact("devices come and go", True)
def coming(steps):
    steps.tell("remove", 9)
    steps.browser.wait("![...document.querySelectorAll('.tile h3')].some((one) => one.textContent === 'Fan')", "the fan to go")
    steps.tell("add", 9)
    steps.browser.wait("[...document.querySelectorAll('.tile h3')].some((one) => one.textContent === 'Fan')", "the fan to come")


@fact("the map and the jobs are shown", True)
def views(steps):
    browser = steps.browser
    browser.click("Map", "link")
    for text in ("Thread network home, channel 15", "single way out", "Fan, -52 dBm", "the link between Lamp and Ceiling is weak"):
        browser.wait_text(text)
    same(browser.evaluate("document.querySelectorAll('svg.drawing line').length"), 4)
    same(browser.evaluate("document.querySelectorAll('#map-content img').length"), 0)
    browser.click("Jobs", "link")
    for text in ("New certificates (job 1)", "3 of 5 done, 1 pending, 1 refused"):
        browser.wait_text(text)
    browser.click("House", "link")


@fact("a finder narrows the house down", True)
def finder(steps):
    browser = steps.browser
    # The view that was asked for moves the focus when it comes.
    browser.wait("document.getElementById('find').checkVisibility()", "the view of the house")
    browser.wait("(() => { const one = document.getElementById('find'); one.focus(); return document.activeElement === one; })()", "the focus")
    browser.type("kitch")
    browser.wait("[...document.querySelectorAll('.tile')].filter((one) => one.checkVisibility()).length === 2", "two devices")
    browser.evaluate("(() => { const one = document.getElementById('find'); one.value = ''; one.dispatchEvent(new Event('input')); })()")


@fact("without a network the page says so, and returns", True)
def offline(steps):
    browser = steps.browser
    browser.offline(True)
    browser.evaluate("dispatchEvent(new Event('offline'))")
    browser.wait_text("Trying again in")
    # The browser tells the page that the network is back.
    browser.offline(False)
    browser.wait_text("Trying again in", there=False)
    browser.wait_text("Live")


@fact("a token that is taken back leads to the log-in, which says why", True)
def taken_back(steps):
    browser = steps.browser
    command = steps.server.command
    steps.server.stop()
    steps.server.command = command.replace(f"--token {steps.arguments.token}", "--token another") + " --without map,jobs"
    steps.server.start()
    browser.wait_text("It may have been taken back")
    same(browser.evaluate("sessionStorage.length + document.querySelectorAll('.tile').length"), 0)
    # And a server without map and jobs does not show them.
    browser.log_in("another")
    browser.wait_text("Live")
    browser.pump(0.5)
    same(browser.evaluate("document.querySelector('nav a[data-view=jobs]').hidden"), True)
    browser.click("Map", "link")
    browser.wait_text("does not show the map")
    same(browser.evaluate("[document.querySelector('nav a[data-view=map]').hidden, document.getElementById('view-house').hidden]"), [True, False])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mock", action="store_true")
    parser.add_argument("--server")
    parser.add_argument("--port", type=int, default=8462)
    parser.add_argument("--token", default="secret-token")
    parser.add_argument("--light", default="<img src=x onerror=alert(1)>")
    parser.add_argument("--change")
    parser.add_argument("--is-on")
    parser.add_argument("--shots")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    folder = tempfile.TemporaryDirectory(prefix="matterctl-page.")
    if arguments.shots:
        os.makedirs(arguments.shots, exist_ok=True)
    if arguments.mock:
        state = pathlib.Path(folder.name) / "state.json"
        program = [sys.executable, str(MOCK)]
        arguments.server = f"{shlex.join(program)} --port {arguments.port} --token {arguments.token} --state {state}"
        script = f"import json; print(str(json.load(open({str(state)!r}))['6']['1/6/0']).lower())"
        arguments.is_on = f"test -e {state} && {shlex.join([sys.executable, '-c', script])} || echo false"
        arguments.change = (f"on=$({arguments.is_on}); [ $on = true ] && new=false || new=true; "
                            f"{shlex.join(program)} tell {arguments.port} set 6 1/6/0 $new")
    failed = 0
    with open(pathlib.Path(folder.name) / "server", "w+b") as output:
        server = Server(arguments.server, arguments.port, output)
        try:
            server.start()
            with Browser() as browser:
                steps = Steps(arguments, browser, server)
                for words, mock_only, function in FACTS:
                    if (mock_only and not arguments.mock) or arguments.only not in function.__name__:
                        continue
                    if arguments.only:
                        steps.log_in()
                    try:
                        function(steps)
                        if browser.complaints:
                            raise Failure(f"the browser complains: {browser.complaints}")
                        print(f"ok {words}", flush=True)
                    except Exception as error:  # pylint: disable=broad-exception-caught
                        failed += 1
                        print(f"FAILED {words}: {error}", flush=True)
                        if not isinstance(error, Failure):
                            traceback.print_exc()
                        with contextlib.suppress(Failure):
                            steps.shot(f"failed-{function.__name__}")
                        browser.complaints.clear()
                        # The next fact begins with a page that is logged in.
                        with contextlib.suppress(Failure):
                            if server.process.poll() is not None:
                                server.start()
                            steps.log_in()
        finally:
            server.stop()
            output.seek(0)
            said = output.read().decode(errors="replace")
            words = "the token is in no line that the server wrote"
            if arguments.token in said:
                failed += 1
                print(f"FAILED {words}")
            else:
                print(f"ok {words}")
            if failed and said:
                print(f"the server said:\n{said[-4000:]}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
