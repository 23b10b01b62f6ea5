#!/usr/bin/env python3
"""A house of many nodes in one process: what `matterctl subscribe --all` takes.

    house.py BINARY --work FOLDER [--count 1000] [--groups 5] [--json FILE]

A folder that was used before keeps its commissioned lights.

Virtual lights, commissioned beforehand, are followed by one process. Measured: the time until the last one is followed, the
memory of the process, its CPU for a report, and the time until a group of lights that restarted at once is followed again; and how
long `doctor` and `conform` take.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

# MiB; milliseconds of CPU; seconds.
LIMITS = {"doctor": 2, "conform": 2, "memory": 100, "report": 0.5, "setUp": 60, "recovery": 60, "bridgeReport": 5, "tab": 30}
BRIDGE_PORT, BRIDGE_ENDPOINTS = 19000, 100
FIRST_PORT = 20000
ROUNDS = 5


def tab(binary, environment, count):
    """Milliseconds until a shell has all nodes behind `on `, the median of some presses."""
    times = []
    for _ in range(21):
        begun = time.perf_counter()
        answer = subprocess.run([binary, "---complete", "fish", "on", ""], env=environment, check=True, capture_output=True)
        times.append((time.perf_counter() - begun) * 1000)
        if answer.stdout.count(b"\n") != count + 1:
            fail(f"completion does not offer {count} nodes")
    return statistics.median(times)


def seconds(binary, environment, *words):
    """Seconds that a command takes, the median of five runs. 12 is a finding, and no failure of the command."""
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        ended = subprocess.run([binary, *words], env=environment, capture_output=True, text=True)
        times.append(time.perf_counter() - begun)
        if ended.returncode not in (0, 12):
            fail(f"{' '.join(words)} ended with {ended.returncode}: {ended.stderr}")
    return statistics.median(times)


def fail(text):
    sys.exit(f"house: {text}")


def cpu(process):
    """Seconds of CPU that a process has had."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process):
    """Its own memory in MiB: resident and shared with no other process; now, and at most so far."""
    own = sum(int(line.split()[1]) for line in pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
              if re.match(r"Private_(Clean|Dirty):", line))
    peak = int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1])
    return own / 1024, peak / 1024


def until(what, condition, patience, process):
    """Waits for something; the time that it took, in seconds."""
    begun = time.monotonic()
    while not condition():
        if process.poll() is not None:
            fail(f"the process ended with {process.returncode} while waiting for {what}")
        if time.monotonic() - begun > patience:
            fail(f"no {what} within {patience} s")
        time.sleep(0.1)
    return time.monotonic() - begun


class Group:
    """Some virtual lights in one process."""

    def __init__(self, binary, work, number, count):
        self.words = [binary, "simulate", "on-off-light", "--count", str(count), "--port",
                      str(FIRST_PORT + 1000 * number), "--discriminator", "0", "--state", str(work / f"lights-{number}")]
        self.out, self.err = work / f"lights-{number}.out", work / f"lights-{number}.err"
        self.count, self.number = count, number
        self.start()

    def start(self):
        with open(self.out, "w") as out, open(self.err, "w") as err:
            self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=out, stderr=err, text=True)
        until("lights", lambda: self.out.read_text().count(" MT:") >= self.count, 120, self.process)

    def toggle(self):
        for node in range(self.count):
            self.process.stdin.write(f"#{node} 1 on-off toggle\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def ports(self):
        return range(FIRST_PORT + 1000 * self.number, FIRST_PORT + 1000 * self.number + self.count)


def commission(binary, environment, ports, at_once):
    """Commissions all lights, some at a time."""
    running, ports = [], list(ports)
    while running or ports:
        while ports and len(running) < at_once:
            port = ports.pop(0)
            running.append((port, subprocess.Popen(
                [binary, "commission", "--passcode", "20202021", "--address", f"127.0.0.1:{port}", "--name",
                 f"light-{port}", "--attestation", "skip", "--progress", "none"],
                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)))
        for port, process in list(running):
            if process.poll() is not None:
                if process.returncode:
                    fail(f"commissioning {port} failed: {process.stderr.read()}")
                running.remove((port, process))
        time.sleep(0.005)


class Watch:
    """The process under test. Its lines are counted as they come, not kept."""

    def __init__(self, binary, environment, work, words):
        self.out, self.err = work / "watch.out", work / "watch.err"
        with open(self.out, "w") as out, open(self.err, "w") as err:
            self.process = subprocess.Popen(
                [binary, "subscribe", *words, "--json", "--timeout", "60s"],
                env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        self.events = {"established": 0, "lost": 0, "report": 0}
        self.nodes, self.position = {}, 0

    def read(self):
        with open(self.out) as out:
            out.seek(self.position)
            for line in iter(out.readline, ""):
                if not line.endswith("\n"):
                    break
                self.position += len(line.encode())
                value = json.loads(line)
                kind = value.get("subscription", "report")
                self.events[kind] += 1
                if kind != "report":
                    self.nodes[value["node"]] = kind
        return self

    @property
    def established(self):
        return sum(state == "established" for state in self.read().nodes.values())


def bridge(binary, work):
    """One node with many endpoints, all of it followed by one subscription."""
    environment = dict(os.environ, MATTERCTL_HOME=str(work / "bridge-home"))
    device = subprocess.Popen(
        [binary, "simulate", ",".join(["dimmable-light"] * BRIDGE_ENDPOINTS), "--port", str(BRIDGE_PORT), "--state",
         str(work / "bridge")], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    time.sleep(2)
    if not (work / "bridge-home").exists():
        commission(binary, environment, [BRIDGE_PORT], 1)

    conform = seconds(binary, environment, "conform", "1")
    print(f"house: conform of {BRIDGE_ENDPOINTS} endpoints takes {conform:.2f} s", flush=True)
    watch = Watch(binary, environment, work, ["1", "*/*/*"])
    until("subscription", lambda: watch.established == 1, 60, watch.process)
    time.sleep(2)
    before, lines = cpu(watch.process), watch.read().events["report"]
    for endpoint in list(range(1, BRIDGE_ENDPOINTS + 1)) * ROUNDS:
        device.stdin.write(f"{endpoint} on-off toggle\n")
        device.stdin.flush()
        time.sleep(0.01)
    until("reports", lambda: watch.read().events["report"] >= lines + BRIDGE_ENDPOINTS * ROUNDS, 60, watch.process)
    used = (cpu(watch.process) - before) * 1000
    watch.process.send_signal(signal.SIGINT)
    watch.process.wait()
    device.kill()
    return {"conform": conform, "bridgeAttributes": lines, "bridgeReport": used / (BRIDGE_ENDPOINTS * ROUNDS)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--groups", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    each, work = options.count // options.groups, options.work
    environment = dict(os.environ, MATTERCTL_HOME=str(work / "home"))
    is_new = not (work / "home").exists()
    if is_new:
        subprocess.run([options.binary, "fabric", "create", "house"], env=environment, check=True)
    groups = [Group(options.binary, work, number, each) for number in range(options.groups)]
    total = each * len(groups)
    begun = time.monotonic()
    if is_new:
        commission(options.binary, environment, [port for group in groups for port in group.ports], os.cpu_count() or 2)
    result = {"nodes": total, "commissioning": time.monotonic() - begun}
    print(f"house: {total} nodes, commissioned in {result['commissioning']:.0f} s, a process each", flush=True)
    result["tab"] = tab(options.binary, environment, total)
    print(f"house: a TAB takes {result['tab']:.1f} ms", flush=True)
    result["doctor"] = seconds(options.binary, environment, "doctor")
    print(f"house: doctor takes {result['doctor']:.2f} s", flush=True)
    watch = Watch(options.binary, environment, work, ["--all", "1/on-off/on-off"])
    result["setUp"] = until("subscriptions", lambda: watch.established == total, 300, watch.process)
    result["setUpCPU"] = cpu(watch.process)
    print(f"house: followed after {result['setUp']:.1f} s", flush=True)
    time.sleep(5)
    result["memory"], result["peak"] = memory(watch.process)
    before = cpu(watch.process)
    for _ in range(ROUNDS):
        expected = watch.read().events["report"] + total
        for group in groups:
            group.toggle()
        until(f"{total} reports", lambda: watch.read().events["report"] >= expected, 60, watch.process)
    result["report"] = (cpu(watch.process) - before) * 1000 / (ROUNDS * total)
    lost = watch.events["lost"]
    groups[0].kill()
    begun = time.monotonic()
    groups[0].start()
    result["restart"] = time.monotonic() - begun
    begun = time.monotonic()
    until("loss of the restarted lights", lambda: watch.read().events["lost"] >= lost + each, 200, watch.process)
    result["noticed"] = time.monotonic() - begun
    until("recovery", lambda: watch.established == total, 300, watch.process)
    result["recovery"] = time.monotonic() - begun
    result["memoryAfter"], result["peakAfter"] = memory(watch.process)
    watch.process.send_signal(signal.SIGINT)
    watch.process.wait()
    for group in groups:
        group.kill()
    result |= bridge(options.binary, work)
    print(json.dumps({key: round(value, 3) for key, value in result.items()}, indent=1))
    if options.json:
        options.json.write_text(json.dumps(result) + "\n")
    for key, limit in LIMITS.items():
        if result[key] > limit:
            fail(f"{key} is {result[key]:.2f}, the aim is {limit}")


if __name__ == "__main__":
    main()
