#!/usr/bin/env python3
"""Runs the explorer with more faults than `make test` has, and shows that it bites. `make stress` calls it.

    explore.py [--faults N] [--only STORY[,STORY]] [--results FILE]
    explore.py --mutants [NAME[,NAME]] [--faults N]
    explore.py --list

The tests are built with optimisation, in a copy of the sources that has nothing else. With --mutants, the copy has all
mutants of mutants.py, each behind a switch, and each has to be found; without one, nothing may be found.
"""
import argparse
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
EXPLORED = re.compile(r"^explored \[(.*)\]: (\d+) runs, (\d+) different, (\d+) messages", re.M)
FOUND = re.compile(r"^↳ (\[.*)$", re.M)


def copied(name, change):
    """A copy of the sources in which `change` has changed something; its time stamps are those of the changes."""
    place = PLACE / name
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "Package.swift", "Sources", "Tests/MatterControllerTests",
         "Tests/MatterTestKit", "Tests/TestSupport"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    texts = {f: (ROOT / f).read_text() for f in files if f and (ROOT / f).is_file()}
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


def run(place, faults, options, filter="ExplorerTests", mutant=None):
    """What the explorer prints: runs by story, and what it found."""
    command = ["swift", "test", "--skip-build", "--no-parallel", "-debug-info-format", "none", *options, "--filter", filter]
    variables = {**os.environ, "MATTERCTL_EXPLORE": str(faults)}
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
    p.add_argument("--list", action="store_true")
    options = p.parse_args()
    if options.list:
        for mutant in MUTANTS:
            print(f"{mutant.name}\t{mutant.what}")
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
        for story in options.only.split(",") if options.only else [""]:
            os.environ["MATTERCTL_STORY"] = story
            runs, found = run(place, options.faults or 2, optimised)
            for name, (count, different, messages) in runs.items():
                print(f"{name}: {count} runs, {different} different, {messages} messages")
                note(test="explore", story=name, faults=options.faults or 2, rounds=count, different=different,
                     failures=sum(f.startswith(f"[{name}]") for f in found))
            for line in found:
                good = False
                print(line)
        return 0 if good else 1
    place = copied("mutants", mutate)
    build(place)
    wanted = [m for m in MUTANTS if not options.mutants or m.name in options.mutants.split(",")]
    for mutant in wanted:
        os.environ["MATTERCTL_STORY"] = mutant.story
        faults = options.faults or mutant.faults
        _, found = run(place, faults, [], mutant=mutant.name)
        good = good and bool(found)
        print(f"{mutant.name}: {'found' if found else 'NOT FOUND'} with {faults} faults: {found[0] if found else ''}", flush=True)
        note(test="mutants", mutant=mutant.name, faults=faults, rounds=1, failures=0 if found else 1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
