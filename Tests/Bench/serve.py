#!/usr/bin/env python3
"""What `matterctl serve` takes, beside python-matter-server's own server on the same virtual devices.

    serve.py BINARY --work FOLDER [--python PYTHON] [--count 50] [--many 1000] [--rest 60] [--json FILE]

Lights of one process are commissioned by matterctl and by python-matter-server. Each server follows them in turn; the lights are
started again before each, so that no subscription of the other one is left. Both are asked over a WebSocket on 127.0.0.1 by
the same client. Measured: the time until all are followed, memory and CPU at rest, CPU for a report, and the round trip of a command;
then the wall time of `matterctl toggle` through the server and past it, and `matterctl serve` alone with many lights. PYTHON has
python-matter-server (`make peers-controller`); without it, matterctl is measured alone. An aim that is not met is told, and is no failure.
"""
import argparse
import base64
import json
import os
import pathlib
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

from house import commission

HERE = pathlib.Path(__file__).resolve().parent
# MiB; per cent of a core; milliseconds of CPU; seconds.
AIMS = {"memory": 25, "rest": 0.1, "report": 0.2, "burst": 0.2, "followed": 2, "manyMemory": 80}
PORT, OUR_PORT, THEIR_PORT = 20000, 5590, 5580
MANY_PORT, MANY_GROUPS = 21000, 5
ROUNDS, COMMANDS, TOGGLES = 20, 200, 31
# Servers ask for at most one report of a node in this time, in seconds.
FLOOR = 1.2
ON_OFF = "1/6/0"


def fail(text):
    sys.exit(f"serve: {text}")


def say(text):
    print(f"serve: {text}", flush=True)


def cpu(process):
    """Seconds of CPU that a process has had, by its own clock (clock_getcpuclockid(3)), which is finer than /proc/PID/stat."""
    return time.clock_gettime((~process.pid) << 3 | 2)


def resident(process):
    """Memory of a process in MiB: all that is resident, and what is shared with no other one."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    own = sum(int(line.split()[1]) for line in pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
              if re.match(r"Private_(Clean|Dirty):", line))
    return int(re.search(r"VmRSS:\s*(\d+)", status)[1]) / 1024, own / 1024


def until(what, condition, patience, process):
    """Waits for something; the time that it took, in seconds."""
    begun = time.monotonic()
    while not condition():
        if process.poll() is not None:
            fail(f"the process ended with {process.returncode} while waiting for {what}")
        if time.monotonic() - begun > patience:
            fail(f"no {what} within {patience} s")
        time.sleep(0.01)
    return time.monotonic() - begun


class Lights:
    """Virtual lights in one process."""

    def __init__(self, binary, folder, kind, count, port, mdns="avahi"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "trust").mkdir(exist_ok=True)
        self.trust, self.output, self.count = folder / "trust", folder / "lights.out", count
        self.words = [binary, "simulate", kind, "--count", str(count), "--port", str(port), "--discriminator",
                      "0", "--state", str(folder / "state"), "--paa-out", str(self.trust / "paa.der")]
        self.start(mdns)

    def start(self, mdns="avahi"):
        with open(self.output, "w") as out:
            self.process = subprocess.Popen([*self.words, "--mdns", mdns], stdin=subprocess.PIPE, stdout=out, stderr=out, text=True)
        until("lights", lambda: self.output.read_text().count(" MT:") >= self.count, 180, self.process)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        self.start()
        # The announcements of what has left and come again.
        time.sleep(3)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    @property
    def codes(self):
        return re.findall(r" (MT:\S+)", self.output.read_text())


class Client:
    """A WebSocket client that listens: it knows which nodes are available, and counts the changes of their lights."""

    def __init__(self, port, path):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.stream.settimeout(None)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.input = self.stream.makefile("rb", buffering=1 << 16)
        first = self.input.readline().decode()
        if " 101 " not in first:
            raise ConnectionError(first.strip())
        while self.input.readline() not in (b"\r\n", b""):
            pass
        self.changed = threading.Condition()
        self.answers, self.available, self.attributes = {}, {}, {}
        self.reports = self.events = self.last = 0
        self.is_open = True
        threading.Thread(target=self.receive, daemon=True).start()

    def send(self, payload, opcode=1):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode]) + (
            bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + struct.pack(">H", size))
        self.stream.sendall(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)))

    def receive(self):
        message = bytearray()
        try:
            while head := self.input.read(2):
                size = head[1] & 0x7F
                if size > 125:
                    size, = struct.unpack(">H" if size == 126 else ">Q", self.input.read(2 if size == 126 else 8))
                payload = self.input.read(size)
                if head[0] & 0x0F == 9:
                    self.send(payload, 10)
                if head[0] & 0x0F > 2:
                    continue
                message += payload
                if head[0] & 0x80:
                    self.take(json.loads(message))
                    message.clear()
        except (OSError, ValueError, struct.error):
            pass
        with self.changed:
            self.is_open = False
            self.changed.notify_all()

    def take(self, message):
        with self.changed:
            if "message_id" in message:
                self.answers[message["message_id"]] = message
                if isinstance(message.get("result"), list):
                    for node in message["result"]:
                        self.note(node)
            elif message.get("event") in ("node_added", "node_updated"):
                self.note(message["data"])
            elif message.get("event") == "attribute_updated":
                self.events += 1
                self.reports += message["data"][1] == ON_OFF
            self.changed.notify_all()

    def note(self, node):
        if isinstance(node, dict) and "node_id" in node:
            self.available[node["node_id"]] = node["available"]
            self.attributes[node["node_id"]] = len(node["attributes"])

    def ask(self, command, patience=60, **arguments):
        self.last += 1
        name = str(self.last)
        self.send(json.dumps({"message_id": name, "command": command, "args": arguments}).encode())
        with self.changed:
            if not self.changed.wait_for(lambda: name in self.answers or not self.is_open, patience):
                fail(f"no answer to {command} in {patience} s")
            if name not in self.answers:
                fail(f"the server has closed the connection instead of an answer to {command}")
            return self.answers.pop(name)

    def wait(self, what, condition, patience):
        with self.changed:
            if not self.changed.wait_for(condition, patience):
                fail(f"no {what} in {patience} s: {self.reports} reports, {sum(self.available.values())} nodes available")

    @property
    def up(self):
        return sum(self.available.values())

    def close(self):
        self.stream.shutdown(socket.SHUT_RDWR)
        self.stream.close()


class Server:
    """A server under test: a process that can be asked over a WebSocket."""

    def __init__(self, title, words, port, path, environment, log):
        self.title, self.port, self.path = title, port, path
        self.begun = time.monotonic()
        with open(log, "w") as errors:
            self.process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)

    def connect(self, patience=60):
        end = time.monotonic() + patience
        while True:
            try:
                return Client(self.port, self.path)
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > end:
                    fail(f"{self.title} cannot be asked: {error}")
                time.sleep(0.02)

    def follow(self, count, patience=300):
        """Connects at once, and waits until all nodes are available."""
        client = self.connect()
        client.ask("start_listening", patience)
        client.wait("nodes", lambda: client.up == count, patience)
        followed = time.monotonic() - self.begun
        return client, {"followed": followed, "followedCPU": cpu(self.process)}

    def rest(self, seconds):
        """Memory and CPU while nothing happens and no client is connected."""
        time.sleep(seconds)
        memory, own = resident(self.process)
        before = cpu(self.process)
        time.sleep(seconds)
        return {"memory": memory, "own": own, "rest": 100 * (cpu(self.process) - before) / seconds}

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def changes(server, client, lights, pause):
    """Switches the lights in turn, with a pause between two of them: milliseconds of CPU for a report, and events for each."""
    before = cpu(server.process)
    reports, events = client.reports, client.events
    for number in range(ROUNDS):
        begun = time.monotonic()
        for light in range(lights.count):
            lights.tell(f"#{light} 1 on-off toggle")
            time.sleep(pause)
        expected = reports + lights.count * (number + 1)
        client.wait("reports", lambda: client.reports >= expected, 30)
        time.sleep(max(0, begun + FLOOR - time.monotonic()))
    used = (cpu(server.process) - before) * 1000
    count = client.reports - reports
    return used / count, (client.events - events) / count


def measure(server, lights, seconds):
    """All that is compared."""
    client, result = server.follow(lights.count)
    say(f"{server.title}: {lights.count} nodes followed after {result['followed']:.2f} s")
    result["attributes"] = statistics.mean(client.attributes.values())
    client.close()
    result |= server.rest(seconds)
    say(f"{server.title}: {result['memory']:.1f} MiB and {result['rest']:.3f} % of a core at rest")
    client = server.connect()
    client.ask("start_listening")
    nodes = sorted(client.available)
    for key, pause in (("report", 0.01), ("burst", 0)):
        result[key], result["changes"] = changes(server, client, lights, pause)
        say(f"{server.title}: {result[key]:.3f} ms of CPU for a report, {pause} s after the one before")
    times = []
    before = cpu(server.process)
    for number in range(COMMANDS):
        begun = time.perf_counter()
        answer = client.ask(
            "device_command", node_id=nodes[number % len(nodes)], endpoint_id=1, cluster_id=6, command_name="Toggle",
            payload={})
        times.append((time.perf_counter() - begun) * 1000)
        if "error_code" in answer:
            fail(f"{server.title}: a toggle failed: {answer}")
    result["command"], result["command95"] = statistics.median(times), sorted(times)[len(times) * 95 // 100]
    result["commandCPU"] = (cpu(server.process) - before) * 1000 / COMMANDS
    result["memoryAfter"] = resident(server.process)[0]
    client.close()
    return result


def toggles(binary, environment):
    """Wall times of whole processes, in turns: through the server, past it, and past it with a handshake."""
    ways = {"served": [], "direct": ["--direct"], "fresh": ["--direct", "--fresh"]}
    times = {name: [] for name in ways}
    for name, words in ways.items():
        subprocess.run([binary, "toggle", "1", *words], env=environment, check=True)
    for _ in range(TOGGLES):
        for name, words in ways.items():
            begun = time.perf_counter()
            subprocess.run([binary, "toggle", "1", *words], env=environment, check=True)
            times[name].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}


def join(binary, environment, work, codes):
    """Commissions a list with matterctl."""
    listed = work / "list"
    listed.write_text("\n".join(codes) + "\n")
    begun = time.monotonic()
    ended = subprocess.run(
        [binary, "commission", "--from", str(listed), "--attestation", "skip", "--timeout", "10min"], env=environment,
        capture_output=True, text=True)
    if ended.returncode:
        fail(f"commissioning failed: {ended.stdout[-500:]}{ended.stderr[-500:]}")
    return time.monotonic() - begun


def ours(binary, environment, work, only=()):
    token = work / "token"
    if not token.exists():
        made = subprocess.run([binary, "serve", "token", "add", "bench", "--role", "administer"], env=environment,
                              check=True, capture_output=True, text=True)
        token.write_text(made.stdout)
    return Server(
        "matterctl", [binary, "serve", "--listen", f"127.0.0.1:{OUR_PORT}", *only], OUR_PORT,
        f"/ws/{token.read_text().strip()}", environment, work / "matterctl.log")


def theirs(python, work, trust):
    return Server(
        "python-matter-server",
        [python, str(HERE.parent / "Lab/ha_server.py"), str(work / "theirs"), "--port", str(THEIR_PORT), "--trust",
         str(trust), "--log-level", "warning"], THEIR_PORT, "/ws", dict(os.environ), work / "theirs.log")


def join_theirs(python, work, lights):
    """Commissions the same lights once more, each in a window that its button opens."""
    server = theirs(python, work, lights.trust)
    client = server.connect()
    for light in range(lights.count):
        lights.tell(f"#{light} window")
        for attempt in range(3):
            time.sleep(0.3)
            answer = client.ask("commission_on_network", 120, setup_pin_code=20202021, filter_type=2, filter=light)
            if "error_code" not in answer:
                break
        else:
            fail(f"python-matter-server cannot commission light {light}: {answer}")
    client.close()
    server.stop()


def many(binary, work, count, seconds):
    """matterctl alone with many lights."""
    environment = dict(os.environ, MATTERCTL_HOME=str(work / "many-home"))
    subprocess.run([binary, "fabric", "create", "house"], env=environment, check=True)
    each = count // MANY_GROUPS
    nodes = each * MANY_GROUPS
    # Avahi takes minutes for the announcements of so many that are new: they come when all are commissioned.
    groups = [Lights(binary, work / f"many-{number}", "on-off-light", each, MANY_PORT + each * number, mdns="none")
              for number in range(MANY_GROUPS)]
    begun = time.monotonic()
    commission(binary, environment, range(MANY_PORT, MANY_PORT + nodes), 2 * (os.cpu_count() or 2))
    say(f"{nodes} lights commissioned in {time.monotonic() - begun:.0f} s, a process each")
    for group in groups:
        group.restart()
    (work / "token").unlink(missing_ok=True)
    server = ours(binary, environment, work)
    client, result = server.follow(nodes)
    attributes = statistics.mean(client.attributes.values())
    client.close()
    result |= server.rest(seconds) | {"nodes": nodes, "attributes": attributes}
    server.stop()
    for group in groups:
        group.stop()
    return {"many" + key[0].upper() + key[1:]: value for key, value in result.items()}


ROWS = [
    ("memory", "memory at rest, resident", "MiB"), ("own", "of that shared with no other process", "MiB"),
    ("rest", "CPU at rest, of a core", "%"), ("followed", "from the start until all nodes are followed", "s"),
    ("followedCPU", "CPU until then", "s"), ("report", "CPU for a report, from the datagram to a client, one every 10 ms", "ms"),
    ("burst", "the same, all lights at once", "ms"),
    ("command", "round trip of `device_command`, median", "ms"), ("command95", "the same, 95 of 100", "ms"),
    ("commandCPU", "CPU for a command with its report", "ms"), ("memoryAfter", "memory after reports and commands", "MiB"),
]


def number(value):
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def aim(key, value):
    return f"{AIMS[key]}, {'met' if value <= AIMS[key] else 'not met'}" if key in AIMS else ""


def table(result, other):
    """The rows for docs/performance.md."""
    lines = ["| what | matterctl | python-matter-server | python / matterctl | at most |", "| --- | ---: | ---: | ---: | --- |"]
    for key, title, unit in ROWS:
        theirs = f"{number(other[key])} {unit} | {other[key] / max(result[key], 1e-6):.1f}" if other else "– | –"
        lines.append(f"| {title} | {number(result[key])} {unit} | {theirs} | {aim(key, result[key])} |")
    for key, title in (("served", "`toggle`, whole process, through the server"),
                       ("direct", "the same past it, session kept"), ("fresh", "the same past it, full handshake")):
        lines.append(f"| {title} | {result[key]:.1f} ms | – | – | |")
    return "\n".join(lines)


def many_table(result):
    """More rows, with many nodes."""
    nodes = f"{result['manyNodes']} nodes of {result['manyAttributes']:.0f} attributes"
    return "\n".join([
        f"| {nodes}: memory at rest, resident | {result['manyMemory']:.1f} MiB | – | – | "
        f"{aim('manyMemory', result['manyMemory'])} |",
        f"| the same: shared with no other process | {result['manyOwn']:.1f} MiB | – | – | |",
        f"| the same: CPU at rest, of a core | {number(result['manyRest'])} % | – | – | |",
        f"| the same: from the start until all are followed | {result['manyFollowed']:.1f} s | – | – | |",
    ])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=str(HERE.parent.parent / ".peers/bin/python"))
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--many", type=int, default=1000)
    parser.add_argument("--only-many", action="store_true", help="matterctl with many lights alone")
    parser.add_argument("--rest", type=float, default=60)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    binary, work = options.binary, options.work
    environment = dict(os.environ, MATTERCTL_HOME=str(work / "home"))
    if options.only_many:
        print(many_table(many(binary, work, options.many, options.rest)))
        return
    has_theirs = subprocess.run([options.python, "-c", "import matter_server.server"], capture_output=True).returncode == 0 \
        if os.path.exists(options.python) else False
    if not has_theirs:
        say(f"SKIPPED: {options.python} has no python-matter-server (make peers-controller)")
    lights = Lights(binary, work / "lights", "dimmable-light", options.count, PORT)
    took = join(binary, environment, work, lights.codes)
    say(f"{options.count} lights commissioned in {took:.1f} s by matterctl")
    if has_theirs:
        begun = time.monotonic()
        join_theirs(options.python, work, lights)
        say(f"{options.count} lights commissioned in {time.monotonic() - begun:.1f} s by python-matter-server, one by one")
    lights.restart()
    server = ours(binary, environment, work)
    result = measure(server, lights, options.rest)
    result |= toggles(binary, environment)
    server.stop()
    other = None
    if has_theirs:
        lights.restart()
        server = theirs(options.python, work, lights.trust)
        other = measure(server, lights, options.rest)
        server.stop()
    lights.stop()
    rounded = {"matterctl": result, "python-matter-server": other}
    print(json.dumps({name: values and {key: round(value, 4) for key, value in values.items()}
                      for name, values in rounded.items()}, indent=1))
    print(f"\n{options.count} nodes of {result['attributes']:.0f} attributes each, one client:\n")
    print(table(result, other), flush=True)
    if options.many:
        alone = many(binary, work, options.many, options.rest)
        result |= alone
        print(many_table(alone))
    if options.json:
        options.json.write_text(json.dumps(rounded) + "\n")


if __name__ == "__main__":
    main()
