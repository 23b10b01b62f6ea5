#!/usr/bin/env python3
"""Measures what a process of matterctl costs from exec to exit, beside an empty program that was built alike.

    start.py BINARY EMPTY --work FOLDER [--runs 15] [--only NAME] [--write] [--profile]

Times are medians. Instructions (callgrind), system calls (strace) and the peak of memory are the least of several runs; they
depend on the program and not on the machine's load, are kept in start-counts.json, and this program fails if one has grown by more
than 5 %. --write keeps those of this run instead. --profile also prints which functions take the instructions, and which system
calls there are.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "start-counts.json"
GROWTH = 1.05
PORT, NODE = 5600, "kitchen"
# Of each count; the hash seeds of Swift and the keys of handshakes differ from run to run.
COUNTINGS = 5
# The aims: calls and MiB on top of those of the empty program.
AIMS = {"--version": (30, None), "toggle, kept": (100, 7)}


class Device:
    def __init__(self, binary, work):
        self.out = work / "device.out"
        with open(self.out, "w") as out:
            self.process = subprocess.Popen(
                [binary, "simulate", "on-off-light", "--port", str(PORT), "--state", work / "device"],
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        while not self.code:
            if self.process.poll() is not None:
                sys.exit(f"the device did not start: {self.out.read_text()}")
            time.sleep(0.05)

    @property
    def code(self):
        found = re.search(r"MT:\S+", self.out.read_text())
        return found and found[0]


class Bench:
    def __init__(self, options):
        self.options = options
        self.binary, self.empty = (os.path.abspath(p) for p in (options.binary, options.empty))
        self.work = pathlib.Path(options.work)
        self.home = self.work / "home"
        # Sessions are kept in memory only.
        self.runtime = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.environment = dict(
            os.environ, MATTERCTL_HOME=str(self.home), XDG_STATE_HOME=str(self.work / "state"),
            XDG_RUNTIME_DIR=self.runtime.name, SWIFT_DETERMINISTIC_HASHING="1")
        # Callgrind wants names, and no more than those.
        self.named = {}
        for program in (self.binary, self.empty):
            copy = self.work / f"{pathlib.Path(program).name}-named"
            subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
            self.named[program] = str(copy)

    def rows(self):
        toggle = [self.binary, "toggle", NODE]
        unkept = ["--no-keep"] if self.keeps else []
        yield "empty program", [self.empty], None
        yield "--version", [self.binary, "--version"], None
        if self.keeps:
            yield "toggle, kept", toggle, None
        yield "toggle, resumed", toggle + unkept, None
        yield "toggle, full", toggle + unkept, self.forget_sessions

    @property
    def keeps(self):
        """Whether sessions are kept between processes."""
        page = subprocess.run([self.binary, "toggle", "--help"], check=True, capture_output=True, text=True)
        return "--no-keep" in page.stdout

    def forget_sessions(self):
        for folder in self.home.glob("fabrics/*/sessions"):
            shutil.rmtree(folder)

    def call(self, words, before=None, **settings):
        if before:
            before()
        done = subprocess.run(
            words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **settings)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, words))} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def times(self, words, before):
        walls, cpus = [], []
        for _ in range(self.options.runs):
            if before:
                before()
            with open(os.devnull, "w") as nothing:
                start = time.perf_counter()
                process = subprocess.Popen(
                    words, env=self.environment, stdin=subprocess.DEVNULL, stdout=nothing, stderr=nothing)
                _, status, usage = os.wait4(process.pid, 0)
                walls.append((time.perf_counter() - start) * 1000)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{' '.join(words)} failed with {process.returncode}")
            cpus.append((usage.ru_utime + usage.ru_stime) * 1000)
        return statistics.median(walls), statistics.median(cpus)

    def resources(self, words, before):
        """Memory in MiB and page faults, from time(1): a child of Python's own would inherit Python's memory.

        The program lies in memory for that. On a disk, a page brings as many others as were read together, which is another number
        each time (from Linux 6.18 on).
        """
        file = self.work / "resources"
        words = [self.in_memory(words[0]), *words[1:]]
        values = []
        for _ in range(COUNTINGS):
            self.call(["/usr/bin/time", "-f", "%M %R %F", "-o", file, *words], before)
            peak, minor, major = map(int, file.read_text().split("\n")[0].split())
            values.append((peak / 1024, minor + major))
        return min(values)

    def in_memory(self, program):
        """A copy of a program in a memory file system."""
        copy = pathlib.Path(self.runtime.name) / "programs" / pathlib.Path(program).name
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(program, copy)
        return str(copy)

    @staticmethod
    def counted(words):
        """The same command without discovery: slowed down so much, it would sometimes ask Avahi and sometimes not."""
        return [*words, "--address", f"[::1]:{PORT}"] if "toggle" in words else words

    def instructions(self, words, before):
        file = self.work / "callgrind.out"
        counts = []
        for _ in range(COUNTINGS):
            done = self.call(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", self.named[words[0]],
                 *self.counted(words)[1:]], before)
            counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
        return min(counts)

    def functions(self):
        """The functions that took the most, of the last counting."""
        done = subprocess.run(
            ["callgrind_annotate", "--threshold=80", str(self.work / "callgrind.out")], check=True, capture_output=True,
            text=True)
        return [line[:180] for line in done.stdout.splitlines() if re.match(r" *[\d,]+ \(", line)][:40]

    def calls(self, words, before):
        """How many system calls of each name, of all threads."""
        file = self.work / "strace.out"
        found = []
        for _ in range(COUNTINGS):
            self.call(["strace", "-f", "-o", file, *self.counted(words)], before)
            # The line of a call that another thread interrupted has its name a second time where it goes on.
            found.append(collections.Counter(re.findall(r"^\d+ +(\w+)\(", file.read_text(), re.M)))
        return min(found, key=lambda count: count.total())

    def run(self):
        device = Device(self.binary, self.work)
        try:
            self.call([self.binary, "commission", device.code, "--name", NODE, "--attestation", "skip"])
            self.call([self.binary, "toggle", NODE])
            rows = {}
            for name, words, before in self.rows():
                if self.options.only and self.options.only not in name:
                    continue
                wall, cpu = self.times(words, before)
                memory, faults = self.resources(words, before)
                calls = self.calls(words, before)
                rows[name] = {
                    "wall": wall, "cpu": cpu, "memory": memory, "faults": faults, "calls": calls.total(),
                    "threads": 1 + calls["clone"] + calls["clone3"],
                    "instructions": self.instructions(words, before)}
                if self.options.profile:
                    print(f"\n{name}\n  " + ", ".join(f"{n} {call}" for call, n in calls.most_common()))
                    print("\n".join(self.functions()))
            return rows
        finally:
            device.process.terminate()
            device.process.wait()
            self.runtime.cleanup()


def show(rows):
    print(f"\n{'':18} {'wall ms':>8} {'CPU ms':>7} {'M instr.':>9} {'calls':>6} {'faults':>7} {'MiB':>6} {'threads':>8}")
    for name, row in rows.items():
        print(f"{name:18} {row['wall']:8.1f} {row['cpu']:7.1f} {row['instructions'] / 1e6:9.2f} {row['calls']:6}"
              f" {row['faults']:7} {row['memory']:6.1f} {row['threads']:8}")
    empty = rows.get("empty program")
    for name, (calls, memory) in AIMS.items():
        row = rows.get(name)
        if not row or not empty:
            continue
        reached = [
            (f"{row['calls'] - empty['calls']} system calls more (aim: {calls})", row["calls"] - empty["calls"] <= calls)]
        if memory:
            reached.append((f"{row['memory'] - empty['memory']:.1f} MiB more (aim: {memory})",
                            row["memory"] - empty["memory"] <= memory))
        for text, is_reached in reached:
            print(f"{'reached' if is_reached else 'MISSED '}  {name}: {text}")


def compare(rows, write):
    """The counts are compared with those that are kept."""
    kept = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    counts = {
        name: {"instructions": row["instructions"], "calls": row["calls"], "kilobytes": round(row["memory"] * 1024)}
        for name, row in rows.items()}
    if write:
        COUNTS.write_text(json.dumps(kept | counts, indent=2) + "\n")
        return
    grown = [f"{name}: {kept[name][key]:,} {key} have become {count:,}"
             for name, row in counts.items() for key, count in row.items()
             if key in kept.get(name, {}) and count > GROWTH * kept[name][key]]
    if grown:
        sys.exit("\n".join(grown) + f"\nIf that is meant: {pathlib.Path(__file__).name} --write")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary")
    p.add_argument("empty")
    p.add_argument("--work", required=True)
    p.add_argument("--runs", type=int, default=15, help="for the times")
    p.add_argument("--only", help="rows whose name has this in it")
    p.add_argument("--write", action="store_true")
    p.add_argument("--profile", action="store_true")
    options = p.parse_args()
    rows = Bench(options).run()
    show(rows)
    compare(rows, options.write)


if __name__ == "__main__":
    main()
