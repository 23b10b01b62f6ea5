"""A house that is served, while the server, the shell's command or the device is killed, or the server stands still."""
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

from bench import BIN, HERE, Controller, Device, Test, commission, expect

# What a command may take, and what it may wait for the server beyond that (ServerCall.overtime), in seconds.
TIME, OVERTIME, SLACK = 5, 30, 5
# Until a server that was started follows its node, and until one notices that the device was started again.
FOLLOWED, NOTICED = 30, 150


class House:
    """`matterctl serve` of a controller's fabric."""

    def __init__(self, controller, folder):
        self.controller, self.folder = controller, pathlib.Path(folder)
        self.socket, self.log = self.folder / "house.sock", self.folder / "serve.log"
        self.start()

    def start(self):
        with open(self.log, "a") as log:
            self.child = subprocess.Popen(
                [BIN, "serve", "--socket", str(self.socket)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **self.controller.environment})

    def signal(self, number):
        self.child.send_signal(number)

    def kill(self):
        self.child.kill()
        self.child.wait()

    def ask(self, path):
        """The answer to a GET; empty if there is none."""
        text = b""
        try:
            with socket.socket(socket.AF_UNIX) as stream:
                stream.settimeout(2)
                stream.connect(str(self.socket))
                stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                while part := stream.recv(1 << 16):
                    text += part
        except OSError:
            pass
        return text.decode()

    def reports(self):
        """How many reports have come, as the metrics tell it."""
        for line in self.ask("/metrics").splitlines():
            if line.startswith("matterctl_reports_total "):
                return int(float(line.split()[1]))
        return -1

    def until(self, what, condition, limit):
        begun = time.monotonic()
        while not condition():
            expect(self.child.poll() is None, f"the server ended with {self.child.poll()}: {self.tail}")
            expect(time.monotonic() - begun < limit, f"no {what} in {limit} s; {self.ask('/health')[-120:]}: {self.tail}")
            time.sleep(0.05)
        return time.monotonic() - begun

    def follows(self):
        """Waits until a server that was just started follows its node."""
        return self.until("following", lambda: '"nodes_up":1' in self.ask("/health"), FOLLOWED)

    def hears(self, device, limit):
        """Waits until a change at the device comes here."""
        heard, last = self.reports(), 0

        def came():
            nonlocal last
            if time.monotonic() - last > 2:
                last = time.monotonic()
                device.child.stdin.write(b"1 on-off toggle\n")
                device.child.stdin.flush()
            return self.reports() > heard >= 0

        return self.until("report", came, limit)

    @property
    def tail(self):
        return self.log.read_text()[-600:]


def start_again(device):
    """The power of a device fails, and comes back."""
    device.child.kill()
    device.child.wait()
    device.error.close()
    device.ready.clear()
    device.start()


def is_over(running):
    """Whether a command has ended; its resources are still to be collected."""
    return os.waitid(os.P_PID, running.child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def usual_time(controller):
    """How long a toggle takes once its process is there."""
    running = controller.start("toggle", "n")
    begun = time.monotonic()
    ended = running.wait()
    expect(ended.code == 0, f"failed: {ended}")
    return time.monotonic() - begun


def judge(ended, runs, what):
    """The count at the device, and what the command says of it."""
    unknown = ended.code == 4 and ended.error.get("outcome") == "unknown"
    least = 1 if ended.code == 0 else 0
    most = 1 if ended.code in (0, -9) or unknown else 0
    expect(least <= runs <= most, f"{what}: {runs} toggles ran, {least} to {most} were told: {ended}")
    return "exit-0" if ended.code == 0 else "killed" if ended.code == -9 else "unknown" if unknown else "refused"


def runtime():
    """A runtime folder of its own: of two servers that start in one at the same moment, one gives up."""
    return {"XDG_RUNTIME_DIR": tempfile.mkdtemp(dir=os.environ["XDG_RUNTIME_DIR"])}


class Served(Test):
    """Toggles through the server; the server, the command or the device gets SIGKILL, or the server SIGSTOP."""

    name, full, short, workers = "serve", 200, 12, 4

    def worker(self, folder):
        controller = Controller(folder / "home", runtime())
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device", mdns="avahi") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")
            controller.succeed("session", "drop", "n")
            house = House(controller, folder)
            try:
                house.follows()
                controller.succeed("toggle", "n")
                state = {"usual": statistics.mean(usual_time(controller) for _ in range(3))}
                # None of these is to be counted later.
                device.count_of_toggles(at_least=4)
                # A command that went its own way would have left a session.
                expect(controller.succeed("session", "ls", "--json").json == [], "toggles do not go through the server")
                yield lambda number, dice: self.round(controller, device, house, state, number, dice)
            finally:
                house.kill()

    def round(self, controller, device, house, state, number, dice):
        victim = dice.choice(["server", "server", "command", "device", "stop"])
        before = device.count_of_toggles()
        # A server that stands still for good costs the whole patience of a command, for which CI has no time.
        standstill = dice.choice([0.3, 2, 2 if self.options.ci else None])
        running = controller.start("toggle", "n", "--json", "--timeout", f"{TIME}s")
        time.sleep(dice.uniform(0, state["usual"]))
        in_time = not is_over(running)
        # Most kills are to come in time, and some of them late.
        state["usual"] *= 1.05 if in_time else 0.85
        revival = None
        if victim == "server":
            house.kill()
        elif victim == "command":
            running.kill()
        elif victim == "device":
            revival = threading.Thread(target=start_again, args=[device])
            revival.start()
        else:
            house.signal(signal.SIGSTOP)
            if standstill:
                time.sleep(standstill)
                house.signal(signal.SIGCONT)
        try:
            ended = running.wait(TIME + OVERTIME + SLACK)
            expect(victim == "command" or ended.code != -9, f"{victim}: the command hangs: {ended}")
        finally:
            if victim == "stop":
                house.signal(signal.SIGCONT)
            if revival:
                revival.join()
        if ended.code != 0:
            # What was on its way.
            time.sleep(1)
        runs = device.count_of_toggles(at_least=before + (ended.code == 0)) - before
        self.count(f"{victim}-{judge(ended, runs, victim)}")
        if victim == "server":
            house.start()
            house.follows()
        elif victim == "device":
            # Over the session that the device has lost; what CI has no time for is that the server finds out by itself.
            if self.options.ci or dice.random() < 0.5:
                before += runs
                ended = controller.run("toggle", "n", "--json", "--timeout", f"{TIME}s")
                time.sleep(1)
                runs = device.count_of_toggles(at_least=before + (ended.code == 0)) - before
                self.count(f"next-{judge(ended, runs, 'the first toggle after the device started again')}")
            if not self.options.ci:
                seconds = house.hears(device, NOTICED)
                with self.lock:
                    self.counts["noticed-s"] = max(self.counts.get("noticed-s", 0), round(seconds, 1))
        # The same command works, once, and nothing comes late.
        before += runs
        ended = controller.run("toggle", "n", "--json", "--timeout", "20s")
        runs = device.count_of_toggles(at_least=before + 1) - before
        expect(ended.code == 0 and runs == 1, f"after {victim}: {runs} toggles ran: {ended}")
        return in_time


class ServedCalls(Served):
    """Toggles through the server; one side gets SIGKILL instead of its Nth system call, for every N in turn."""

    name, full, short, workers = "served-calls", 1000, 12, 4
    KILLER = str(HERE / "kill_at.py")
    # How many calls more one round may make than another, by how its threads take turns.
    MORE = {"command": 2, "server": 8}

    def __init__(self, options):
        super().__init__(options)
        self.places = set()

    def toggle_under(self, controller, report, at=0):
        """A toggle that does not make its system call with this number."""
        return Controller(
            controller.home, controller.environment, prefix=[self.KILLER, "--report", str(report), "--at", str(at)]
        ).start("toggle", "n", "--json", "--timeout", "20s")

    def trace(self, house, report, at=0):
        """Has the server not make its system call with this number, from the next connection on."""
        tracer = subprocess.Popen([self.KILLER, "--report", str(report), "--at", str(at), "--server",
                                   str(house.child.pid)], stdout=subprocess.PIPE)
        expect(tracer.stdout.readline() == b"traced\n", "the server cannot be traced")
        return tracer

    def lengths(self, controller, device, house):
        """How many calls each side makes for a toggle, from the connection to the end."""
        before, report = device.count_of_toggles(), house.folder / "calls"
        ended = self.toggle_under(controller, report).wait()
        expect(ended.code == 0, f"failed: {ended}")
        command = json.loads(report.read_text())
        tracer = self.trace(house, report)
        controller.succeed("toggle", "n")
        expect(tracer.wait(10) == 0, "the server's calls are not known")
        server = json.loads(report.read_text())
        device.count_of_toggles(at_least=before + 2)
        for side in command, server:
            expect(side["calls"] > 10 and side["phase"] == "told", f"not a served toggle: {side}")
        return {"command": command["calls"] + self.MORE["command"], "server": server["calls"] + self.MORE["server"]}

    def round(self, controller, device, house, state, number, dice):
        if "lengths" not in state:
            state["lengths"] = self.lengths(controller, device, house)
        lengths = state["lengths"]
        place = dice.randrange(sum(lengths.values())) if self.options.ci else number % sum(lengths.values())
        victim, at = "command", place + 1
        if at > lengths["command"]:
            victim, at = "server", at - lengths["command"]
        before, report = device.count_of_toggles(), house.folder / "report"
        report.unlink(missing_ok=True)
        if victim == "command":
            ended = self.toggle_under(controller, report, at).wait(20 + SLACK)
        else:
            tracer = self.trace(house, report, at)
            ended = controller.run("toggle", "n", "--json", "--timeout", "20s", limit=20 + OVERTIME + SLACK)
            # A server makes calls all the time.
            expect(tracer.wait(30) == 0, f"the server was not killed at call {at}")
        if ended.code != 0:
            # What was on its way.
            time.sleep(1)
        runs = device.count_of_toggles(at_least=before + (ended.code == 0)) - before
        side = json.loads(report.read_text())
        where = f"the {victim} was killed at call {at}, {side['call']}, {side['phase']}"
        result = judge(ended, runs, where)
        if side["killed"] and victim == "server" and side["phase"] == "open":
            expect(ended.code == 0, f"{where}: the command did not go its own way: {ended}")
        if side["killed"] and side["phase"] in ("open", "accepted") and ended.code != 0:
            expect(runs == 0, f"{where}: {runs} toggles ran of a command that was not handed over: {ended}")
        if side["killed"] and side["phase"] == "told":
            expect(runs == 1, f"{where}: {runs} toggles ran: {ended}")
        expect(victim == "command" or ended.code != -9, f"{where}: the command hangs: {ended}")
        expect(ended.code in (0, -9) or result == "unknown", f"{where}: {ended}")
        ran_untold = ended.code != 0 and runs > 0
        if victim == "server":
            # The killed servers leave sessions, so the device takes the places of old ones: of that one too which a command that
            # went its own way has kept. The next such command would not know whether it ran.
            controller.succeed("session", "drop", "n")
            house.kill()
            house.start()
            house.follows()
        # The same command works, once, and nothing comes late.
        before += runs
        ended = controller.run("toggle", "n", "--json", "--timeout", "20s")
        runs = device.count_of_toggles(at_least=before + 1) - before
        expect(ended.code == 0 and runs == 1, f"after {where}: {runs} toggles ran: {ended}")
        if not side["killed"]:
            return False
        self.count(f"{victim}-{side['phase']}-{result}")
        if ran_untold:
            self.count("not-told-that-ran")
        with self.lock:
            self.places.add((victim, at))
            for name in lengths:
                self.counts[f"{name}-calls"] = len([p for p in self.places if p[0] == name])
        return True


class StoppedServer(Test):
    """A server that stands still: more commands than its socket has places for each go their own way."""

    name, full, short, workers = "stopped-server", 3, 0, 1
    COMMANDS, AT_ONCE = 200, 10

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device", mdns="avahi") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")

            def one(number, dice):
                house = House(controller, folder)
                try:
                    house.follows()
                    controller.succeed("toggle", "n")
                    house.signal(signal.SIGSTOP)
                    before, done = device.count_of_toggles(), 0
                    for _ in range(self.COMMANDS // self.AT_ONCE):
                        running = [controller.start("toggle", "n", "--json", "--timeout", "20s")
                                   for _ in range(self.AT_ONCE)]
                        for command in running:
                            ended = command.wait(20 + OVERTIME + SLACK)
                            expect(ended.code == 0, f"after {done} commands on a server that stands still: {ended}")
                            done += 1
                    runs = device.count_of_toggles(at_least=before + done) - before
                    expect(runs == done, f"{runs} toggles ran, {done} were done")
                    house.signal(signal.SIGCONT)
                    time.sleep(3)
                    late = device.count_of_toggles() - before - runs
                    expect(late == 0, f"{late} toggles ran when the server went on")
                    controller.succeed("toggle", "n")
                    self.count("commands", done)
                finally:
                    house.signal(signal.SIGCONT)
                    house.kill()

            yield one


TESTS = [Served, ServedCalls, StoppedServer]
