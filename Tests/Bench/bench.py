#!/usr/bin/env python3
"""Measures matterctl against the official Python controller, in one run with the same CircuitMatter light.

    bench.py BINARY --work FOLDER [--runs 7] [--count 200] [--json FILE]

Runs of the two alternate, so that whatever else the machine does meets both. Whole processes: wall time from start to
exit, CPU of the process, and its largest resident memory. Times on shared machines mean little; the ratios count. The
official controller needs the development attestation authorities as DER files (--paa); without them only our own
numbers are printed.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PORT, PASSCODE, DISCRIMINATOR = 5541, 20202021, 3840
NODE = "5"
# Runs of each whole process in which its memory is measured.
PEAKS = 3


class Run:
    """One whole process."""

    def __init__(self, words, cwd, check=True):
        with open(os.devnull) as nothing, open(cwd / "out", "w+") as out, open(cwd / "err", "w+") as err:
            start = time.perf_counter()
            process = subprocess.Popen(words, cwd=cwd, stdin=nothing, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = (time.perf_counter() - start) * 1000
            process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu = (usage.ru_utime + usage.ru_stime) * 1000
            self.stdout, self.stderr = [(f.seek(0), f.read())[1] for f in (out, err)]
        if check and process.returncode:
            sys.exit(f"{' '.join(map(str, words))} failed with {process.returncode}:\n{self.stdout}{self.stderr}")


def peak(words, cwd):
    """The largest resident memory of a process in MiB, and its run. Asked of time(1): a child of Python's own would
    inherit Python's."""
    file = cwd / "peak"
    run = Run(["/usr/bin/time", "-f", "%M", "-o", str(file), *words], cwd)
    return int(file.read_text().split()[-1]) / 1024, run


class Light:
    def __init__(self, work):
        self.out = work / "light.out"
        with open(self.out, "w") as out, open(work / "light.err", "w") as err:
            self.process = subprocess.Popen(
                [sys.executable, ROOT / "Tests/Lab/cm_device.py", "--port", str(PORT), "--passcode", str(PASSCODE),
                 "--discriminator", str(DISCRIMINATOR), "--state", work / "light.json"], stdout=out, stderr=err)
        while "ready" not in self.out.read_text():
            if self.process.poll() is not None:
                sys.exit(f"the light did not start: {(work / 'light.err').read_text()}")
            time.sleep(0.05)

    @property
    def lines(self):
        return self.out.read_text().splitlines()

    @property
    def code(self):
        return next(line[3:] for line in self.lines if line.startswith("qr "))

    @property
    def switchings(self):
        return sum(line in ("light on", "light off") for line in self.lines)

    @property
    def cpu(self):
        """Milliseconds of CPU since it was started."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e6


class MatterCtl:
    name = "matterctl"

    def __init__(self, binary, work, light):
        self.binary, self.work, self.light, self.fabrics = binary, work, light, 0
        self.home = None

    def commission(self):
        self.fabrics += 1
        self.home = self.work / f"home{self.fabrics}"
        return [self.binary, "commission", self.light.code, "--home", self.home, "--node-id", NODE, "--allow-test-devices"]

    def leave(self):
        return [self.binary, "node", "remove", NODE, "--home", self.home, "--yes"]

    def toggle(self):
        return [self.binary, "toggle", NODE, "--home", self.home]

    def toggles(self, count):
        return [self.binary, "bench", "toggle", NODE, "--home", self.home, "--count", str(count), "--json"]

    def quantiles(self, run):
        result = json.loads(run.stdout)
        return result["p50Ms"], result["p95Ms"]


class Official:
    name = "official"

    def __init__(self, work, light, paa):
        self.work, self.light, self.paa, self.fabrics = work, light, paa, 0
        self.storage = None

    def words(self, *words):
        return [sys.executable, HERE / "chip_ctrl.py", "--storage", self.storage, "--paa", self.paa, *words]

    def commission(self, address=None):
        self.fabrics += 1
        self.storage = self.work / f"chip{self.fabrics}"
        how = ["--ip", address, "--port", str(PORT), "--passcode", str(PASSCODE)] if address else ["--code", self.light.code]
        return self.words("commission", NODE, *how)

    def leave(self):
        return self.words("unpair", NODE)

    def toggle(self):
        return self.words("toggle", NODE)

    def toggles(self, count):
        return self.words("bench", NODE, "--count", str(count))

    def quantiles(self, run):
        found = re.search(r"p50 ([\d.]+) p95 ([\d.]+)", run.stdout)
        return float(found[1]), float(found[2])


class Bench:
    def __init__(self, options):
        self.options, self.rows = options, []
        self.work = pathlib.Path(options.work)
        self.light = Light(self.work)
        self.ours = MatterCtl(os.path.abspath(options.binary), self.work, self.light)
        self.sides = [self.ours]
        if options.paa.is_dir():
            self.sides.append(Official(self.work, self.light, options.paa))
        else:
            print(f"SKIPPED: no {options.paa}; the official controller is not measured.", file=sys.stderr)

    def run(self):
        self.whole("commission", lambda s: s.commission(), after=lambda s: s.leave(), runs=max(3, self.options.runs // 2))
        # The light stops advertising with the first.
        Run(self.ours.commission(), self.work)
        for side in self.sides[1:]:
            Run(side.commission("fd77::1"), self.work)
        before, seen = self.light.cpu, self.light.switchings
        self.whole("cold toggle", lambda s: s.toggle(), runs=self.options.runs)
        toggles = self.light.switchings - seen
        expected = (self.options.runs + PEAKS) * len(self.sides)
        if toggles != expected:
            sys.exit(f"{expected} toggles were sent, the light was switched {toggles} times")
        light_share = (self.light.cpu - before) / toggles
        self.many()
        self.start_up()
        return light_share

    def whole(self, name, words, runs, after=None):
        """Whole processes, alternating; memory from three runs more."""
        walls, cpus, peaks = ({s.name: [] for s in self.sides} for _ in range(3))
        for number in range(runs + PEAKS):
            for side in self.sides:
                if number >= runs:
                    peaks[side.name].append(peak(words(side), self.work)[0])
                else:
                    run = Run(words(side), self.work)
                    walls[side.name].append(run.wall)
                    cpus[side.name].append(run.cpu)
                if after:
                    Run(after(side), self.work)
                    # The light says on the network that it can be commissioned again.
                    time.sleep(0.5)
        median = lambda values: {k: statistics.median(v) for k, v in values.items()}  # noqa: E731
        self.row(f"{name}, wall", "ms", median(walls))
        self.row(f"{name}, CPU", "ms", median(cpus))
        self.row(f"{name}, memory", "MiB", median(peaks))

    def many(self):
        count, seen = self.options.count, self.light.switchings
        middle, late, cpus, peaks = {}, {}, {}, {}
        for side in self.sides:
            peaks[side.name], run = peak(side.toggles(count), self.work)
            middle[side.name], late[side.name] = side.quantiles(run)
            cpus[side.name] = run.cpu
        # The official controller's bench warms up with one more.
        expected = count * len(self.sides) + len(self.sides) - 1
        if self.light.switchings - seen != expected:
            sys.exit(f"{expected} toggles were sent, the light was switched {self.light.switchings - seen} times")
        self.row(f"{count} toggles in one process, p50", "ms", middle)
        self.row(f"{count} toggles in one process, p95", "ms", late)
        self.row(f"{count} toggles in one process, CPU", "ms", cpus)
        self.row(f"{count} toggles in one process, memory", "MiB", peaks)

    def start_up(self):
        cpus = [Run([self.ours.binary, "--version"], self.work).cpu for _ in range(21)]
        self.row("start-up alone (--version), CPU", "ms", {self.ours.name: statistics.median(cpus)})

    def row(self, name, unit, values):
        ratio = values["official"] / values["matterctl"] if "official" in values else None
        self.rows.append({"name": name, "unit": unit, **{k: round(v, 2) for k, v in values.items()}}
                         | ({"ratio": round(ratio, 2)} if ratio else {}))

    def value(self, name, key="matterctl"):
        return next(row.get(key) for row in self.rows if row["name"] == name)

    def show(self, light_share):
        print(f"\n{'':42} {'matterctl':>12} {'official':>12} {'official/matterctl':>20}")
        for row in self.rows:
            official = f"{row['official']:.1f} {row['unit']:3}" if "official" in row else "-"
            ratio = f"{row['ratio']:.1f}" if "ratio" in row else "-"
            print(f"{row['name']:42} {row['matterctl']:8.1f} {row['unit']:3} {official:>12} {ratio:>20}")
        print(f"\nThe light's own CPU for one cold toggle: {light_share:.1f} ms.")
        aims = [
            ("a cold toggle under 25 MiB", self.value("cold toggle, memory") < 25),
            ("start-up in at most 10 ms of CPU", self.value("start-up alone (--version), CPU") <= 10),
        ]
        if len(self.sides) > 1:
            aims = [
                ("a cold toggle in at most a tenth of the official controller's time",
                 self.value("cold toggle, wall", "ratio") >= 10),
                ("commissioning no slower than the official controller",
                 self.value("commission, wall", "ratio") >= 1),
            ] + aims
        for text, reached in aims:
            print(f"{'reached' if reached else 'MISSED '}  {text}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary")
    p.add_argument("--work", required=True)
    p.add_argument("--runs", type=int, default=7, help="of each whole process")
    p.add_argument("--count", type=int, default=200, help="toggles in one process")
    p.add_argument("--paa", type=pathlib.Path, default=pathlib.Path(os.environ.get("MATTERCTL_SHARED") or ROOT.parent / "shared") / "lab/paa")
    p.add_argument("--json", help="write the rows to this file as well")
    options = p.parse_args()
    bench = Bench(options)
    try:
        share = bench.run()
    finally:
        bench.light.process.terminate()
    bench.show(share)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(bench.rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
