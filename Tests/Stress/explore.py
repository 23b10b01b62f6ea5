#!/usr/bin/env python3
"""Runs the explorer with more faults than `make test` has, and shows that it bites. `make stress` calls it.

    explore.py [--faults N] [--only STORY[,STORY]] [--results FILE] [--again]
    explore.py --mutants [NAME[,NAME]] [--faults N]
    explore.py --list | --check

The tests are built with optimisation, in a copy of the sources that has nothing else. Stories run side by side, one for each
processor. One that the results have at this commit, with as many faults, is not run again without --again. With --mutants, the copy has all
mutants of mutants.py, each behind a switch, and each has to be found; without one, nothing may be found. --check sees whether the places of all mutants are in the sources; `make check` calls it.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from mutants import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / ".build-explore"
# What the explorer does not need.
LEFT_OUT = """
package.products.removeAll { $0 is Product.Executable }
package.targets.removeAll { target in
    switch target.type {
    case .test: target.name != "MatterControllerTests"
    case .executable: true
    default: ["MatterCommandLine", "HouseServer", "RainMaker", "RainMakerCommandLine", "RainMakerEmulator", "SimulatorCommandLine",
              "CQREncode"].contains(target.name)
    }
}
"""
SWITCH = """import Glibc

/// Which mutant lives in this process.
package enum Mutant {
    private static let living = getenv("MATTERCTL_MUTANT").map { String(cString: $0) }

    package static func lives(_ name: String) -> Bool { living == name }
}
"""
# The tests that go through stories.
STORIES = "ExplorerTests/(commands|lists|joining|rotating|expelling|commissioning)"
EXPLORED = re.compile(r"^explored \[(.*)\]: (\d+) runs, (\d+) different, (\d+) messages", re.M)
FOUND = re.compile(r"^↳ (\[.*)$", re.M)


def copied(name, change):
    """A copy of the sources in which `change` has changed something; its time stamps are those of the changes."""
    place = PLACE / name
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "Package.swift", "Sources", "Tests/MatterControllerTests",
         "Tests/MatterTestKit", "Tests/TestSupport"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    tests = "Tests/MatterControllerTests/"
    texts = {f: (ROOT / f).read_text() for f in files if f and (ROOT / f).is_file()
             and (not f.startswith(tests) or f.removeprefix(tests).startswith(("Explorer", "Support/")))}
    texts["Package.swift"] += LEFT_OUT
    change(texts)
    for file in place.rglob("*"):
        if file.is_file() and ".build" not in file.parts and str(file.relative_to(place)) not in texts:
            file.unlink()
    for name, text in texts.items():
        file = place / name
        if not file.is_file() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return place


def build(place, *options):
    command = ["swift", "build", "--build-tests", "-debug-info-format", "none", *options]
    subprocess.run(command, cwd=place, check=True, env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})


def run(place, faults, options, story="", mutant=None, workers=2):
    """What the explorer prints: runs by story, and what it found."""
    command = ["swift", "test", "--skip-build", "--no-parallel", "-debug-info-format", "none", *options, "--filter", STORIES]
    variables = {**os.environ, "MATTERCTL_EXPLORE": str(faults), "MATTERCTL_STORY": story,
                 "MATTERCTL_WORKERS": str(workers)}
    if mutant:
        variables["MATTERCTL_MUTANT"] = mutant
    done = subprocess.run(command, cwd=place, env=variables, capture_output=True, text=True)
    runs = {m[1]: tuple(map(int, m.groups()[1:])) for m in EXPLORED.finditer(done.stdout)}
    found = FOUND.findall(done.stdout)
    if done.returncode and not found:
        sys.exit(f"explore.py: the tests failed in another way:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return runs, found


def mutate(texts):
    texts["Sources/MatterBase/Mutant.swift"] = SWITCH
    for mutant in MUTANTS:
        for file, before, after in mutant.edits:
            if texts.get(file, "").count(before) != 1:
                sys.exit(f"explore.py: the place of the mutant {mutant.name} is not in {file} once:\n{before}")
            # A mutant after it in the same file still finds its place.
            texts[file] = texts[file].replace(before, after.replace("MUTANT", f'Mutant.lives("{mutant.name}")'))
            if not re.search(r"^(package |public )?import MatterBase$", texts[file], re.M):
                texts[file] = "import MatterBase\n" + texts[file]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--faults", type=int)
    p.add_argument("--only", default="", help="beginnings of the names of stories")
    p.add_argument("--mutants", nargs="?", const="", help="names of mutants")
    p.add_argument("--results", default=str(ROOT / ".build-stress/results.jsonl"))
    p.add_argument("--again", action="store_true", help="stories too that have their results")
    p.add_argument("--list", action="store_true")
    p.add_argument("--check", action="store_true")
    options = p.parse_args()
    if options.list:
        for mutant in MUTANTS:
            print(f"{mutant.name}\t{mutant.what}")
        return 0
    if options.check:
        mutate({str(file.relative_to(ROOT)): file.read_text() for file in (ROOT / "Sources").rglob("*.swift")})
        return 0
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    results = pathlib.Path(options.results)
    results.parent.mkdir(parents=True, exist_ok=True)

    def note(**line):
        with results.open("a") as file:
            file.write(json.dumps({"date": str(datetime.date.today()), "commit": commit, **line}) + "\n")

    good = True
    if options.mutants is None:
        optimised = ["-c", "release", "-Xswiftc", "-enable-testing"]
        place = copied("plain", lambda texts: None)
        build(place, *optimised)
        faults = options.faults or 2
        # Without faults each story has one run: that gives their names.
        names = [name for name in run(place, 0, optimised)[0]
                 if any(name.startswith(story) for story in options.only.split(","))]
        if not options.again and results.is_file():
            lines = [json.loads(line) for line in results.read_text().splitlines()]
            known = {line["story"] for line in lines if line.get("test") == "explore" and line["commit"] == commit
                     and line["faults"] == faults and not line["failures"]}
            for name in known.intersection(names):
                print(f"{name}: has its result")
            names = [name for name in names if name not in known]

        def explore(name):
            runs, found = run(place, faults, optimised, story=name, workers=1)
            count, different, messages = runs[name]
            print(f"{name}: {count} runs, {different} different, {messages} messages", flush=True)
            note(test="explore", story=name, faults=faults, rounds=count, different=different, failures=len(found))
            return found

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as lanes:
            for found in lanes.map(explore, names):
                for line in found:
                    good = False
                    print(line)
        return 0 if good else 1
    place = copied("mutants", mutate)
    build(place)
    wanted = [m for m in MUTANTS if not options.mutants or m.name in options.mutants.split(",")]
    for mutant in wanted:
        faults = options.faults or mutant.faults
        _, found = run(place, faults, [], story=mutant.story, mutant=mutant.name)
        good = good and bool(found)
        print(f"{mutant.name}: {'found' if found else 'NOT FOUND'} with {faults} faults: {found[0] if found else ''}", flush=True)
        note(test="mutants", mutant=mutant.name, faults=faults, rounds=1, failures=0 if found else 1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
