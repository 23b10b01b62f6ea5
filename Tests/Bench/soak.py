#!/usr/bin/env python3
"""Whether `matterctl serve` grows: a house that reports for hours, and clients that come and go.

    soak.py BINARY --work FOLDER [--count 1000] [--hours 2] [--rate 10] [--settle MINUTES] [--json FILE]

COUNT virtual lights in five processes are followed. RATE of them report each second, in turn. One client listens all the time; others
connect, listen, send a command and leave, or leave in the midst of it, every few seconds; shell commands go through the server. Each ten seconds
the live bytes of the server are noted: what it has taken from the heap and not given back, as a library that is loaded before it counts them. After
SETTLE minutes (30) they may have no slope: the line through the later values, by least squares, may not rise by more than 1 % of the whole in
an hour. A house that has none fails if a node is lost for good or a client is not answered.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import threading
import time

from house import commission
from serve import MANY_GROUPS, MANY_PORT, Client, Lights, cpu, fail, ours, resident, say

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = 10
GROWTH = 0.01


def slope(points):
    """Of the line through points by least squares, and its standard error."""
    xs, ys = zip(*points)
    line = statistics.linear_regression(xs, ys)
    rest = sum((y - line.slope * x - line.intercept) ** 2 for x, y in points) / max(1, len(points) - 2)
    spread = sum((x - statistics.fmean(xs)) ** 2 for x in xs)
    return line.slope, (rest / spread) ** 0.5


class Visitors:
    """Clients that come and go."""

    def __init__(self, binary, environment, server, seed):
        self.binary, self.environment, self.server = binary, environment, server
        self.random, self.count, self.failed = random.Random(seed), 0, []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.wait(self.random.uniform(1, 5)):
            try:
                self.visit(self.random.randrange(4))
                self.count += 1
            except (OSError, subprocess.SubprocessError, SystemExit) as error:
                self.failed.append(str(error))

    def visit(self, way):
        if way == 3:
            done = subprocess.run([self.binary, "toggle", "1"], env=self.environment, capture_output=True, text=True, timeout=60)
            if done.returncode:
                raise OSError(done.stderr[-300:])
            return
        client = Client(self.server.port, self.server.path)
        if way == 0:
            # Leaves with the big answer on its way.
            client.send(json.dumps({"message_id": "1", "command": "start_listening"}).encode())
        else:
            if way == 1:
                client.ask("start_listening")
            answer = client.ask(
                "device_command", node_id=1, endpoint_id=1, cluster_id=6, command_name="Toggle", payload={})
            if "error_code" in answer:
                raise OSError(str(answer))
        client.close()

    def stop(self):
        self.ended.set()
        self.thread.join(90)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--hours", type=float, default=2)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--settle", type=float, default=30, help="minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    binary, work = os.path.abspath(options.binary), options.work
    environment = dict(os.environ, MATTERCTL_HOME=str(work / "home"))
    subprocess.run([binary, "fabric", "create", "house"], env=environment, check=True, stdout=subprocess.DEVNULL)
    each = options.count // MANY_GROUPS
    groups = [Lights(binary, work / f"lights-{number}", "on-off-light", each, MANY_PORT + each * number, mdns="none")
              for number in range(MANY_GROUPS)]
    commission(binary, environment, range(MANY_PORT, MANY_PORT + each * MANY_GROUPS), 2 * (os.cpu_count() or 2))
    for group in groups:
        group.restart()
    library, live = work / "live_bytes.so", work / "live"
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, HERE / "live_bytes.c"], check=True)
    server = ours(binary, environment | {"LD_PRELOAD": str(library), "LIVE_BYTES": str(live)}, work)
    client, _ = server.follow(each * MANY_GROUPS)
    say(f"{client.up} nodes are followed")
    visitors = Visitors(binary, environment, server, options.seed)
    begun, points, told, used = time.monotonic(), [], 0, cpu(server.process)
    end, sample = begun + options.hours * 3600, begun
    while (now := time.monotonic()) < end:
        groups[told % MANY_GROUPS].tell(f"#{told // MANY_GROUPS % each} 1 on-off toggle")
        told += 1
        if now >= sample:
            sample += SAMPLE
            octets, blocks = struct.unpack("qq", live.read_bytes())
            points.append(((now - begun) / 3600, octets, blocks, resident(server.process)[0]))
            if len(points) % 30 == 1:
                say(f"{points[-1][0] * 60:5.1f} min: {octets / 2**20:.2f} MiB live in {blocks} blocks, {points[-1][3]:.1f} MiB"
                    f" resident, {client.reports} reports, {visitors.count} visits, {client.up} nodes up")
        if server.process.poll() is not None:
            fail(f"the server ended with {server.process.returncode}")
        time.sleep(max(0, begun + told / options.rate - time.monotonic()))
    visitors.stop()
    later = [(hours, octets) for hours, octets, _, _ in points if hours * 60 >= options.settle]
    if len(later) < 3:
        fail("too short to tell a slope")
    rise, error = slope(later)
    whole = statistics.fmean(octets for _, octets in later)
    result = {
        "hours": options.hours, "nodes": each * MANY_GROUPS, "reports": client.reports, "visits": visitors.count,
        "failedVisits": visitors.failed[:10], "up": client.up, "liveMiB": whole / 2**20, "slopeKiBPerHour": rise / 1024,
        "errorKiBPerHour": error / 1024, "residentMiB": [points[0][3], max(p[3] for p in points), points[-1][3]],
        "cpuPercent": 100 * (cpu(server.process) - used) / (options.hours * 3600),
        "samples": [[round(hours, 4), octets, blocks, round(memory, 1)] for hours, octets, blocks, memory in points]}
    if options.json:
        options.json.write_text(json.dumps(result) + "\n")
    say(json.dumps({key: value for key, value in result.items() if key != "samples"}))
    server.stop()
    for group in groups:
        group.stop()
    if rise - 2 * error > GROWTH * whole:
        fail(f"live bytes rise by {rise / 1024:.0f} ± {error / 1024:.0f} KiB in an hour")
    if visitors.failed or client.up != each * MANY_GROUPS:
        fail(f"{len(visitors.failed)} visits failed, {client.up} nodes are up")


if __name__ == "__main__":
    main()
