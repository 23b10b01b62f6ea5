#!/usr/bin/env python3
"""Breaks matterctl on purpose, in the laboratory. `make stress` calls it; see docs/reliability.md.

    stress.py [--only NAME[,NAME]] [--rounds N] [--seed N] [--first N] [--ci] [--results FILE] [--list]

Every run adds lines to the file of results, so that long counts may be reached in several runs: a test without --rounds
plays what is still missing to its full count, for the commit that is checked out. A failure prints the command that
plays its round again.
"""
import argparse
import json
import os
import secrets
import sys
import time

import crowd
import hostile
import jobs
import kept
import kills
import lists
import losses
import members
import serve
from bench import BIN, ROOT, Results

# What CI has for all of them: the last rounds of a test may take longer.
CI_SECONDS = 100

TESTS = [*kills.TESTS, *crowd.TESTS, *kept.TESTS, *losses.TESTS, *lists.TESTS, *members.TESTS, *jobs.TESTS,
         *serve.TESTS, *hostile.TESTS]


def played(path, commit, name):
    """How many rounds of a test the file has for a commit, without failures."""
    try:
        lines = [json.loads(line) for line in open(path)]
    except OSError:
        return 0
    return sum(l["rounds"] for l in lines if l["test"] == name and l["commit"] == commit and not l["failures"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="", help="names of tests, or beginnings of them")
    p.add_argument("--rounds", type=int)
    p.add_argument("--seed", type=int)
    p.add_argument("--first", type=int, default=0, help="the number of the first round")
    p.add_argument("--ci", action="store_true", help="a little of everything, in two minutes")
    p.add_argument("--results", default=str(ROOT / ".build-stress/results.jsonl"))
    p.add_argument("--list", action="store_true")
    options = p.parse_args()
    if options.list:
        for test in TESTS:
            print(f"{test.name}\t{test.full}")
        return 0
    if os.environ.get("MATTERCTL_LAB") != "1":
        sys.exit("stress.py: only in a laboratory: Tests/Lab/lab.sh DIR Tests/Stress/stress.py")
    if not os.access(BIN, os.X_OK):
        sys.exit(f"stress.py: there is no {BIN}")
    if options.seed is None:
        options.seed = secrets.randbelow(1 << 31)
    print(f"seed {options.seed}", flush=True)
    options.results = Results(options.results, options.seed)
    wanted = [w for w in options.only.split(",") if w]
    tests = [t for t in TESTS if not wanted or any(t.name.startswith(w) for w in wanted)]
    if not tests:
        sys.exit(f"stress.py: no test is called {options.only}; see --list")
    begun, good = time.monotonic(), True
    for index, test in enumerate(tests):
        if options.ci:
            # What one test leaves of its share, the others have.
            rest = begun + CI_SECONDS - time.monotonic()
            rounds, until = test.short, time.monotonic() + rest / (len(tests) - index)
        else:
            until = None
            rounds = options.rounds or test.full - played(options.results.path, options.results.commit, test.name)
            if not options.rounds:
                options.first = test.full - rounds
        if rounds > 0:
            good = test(options).play(rounds, until) and good
    print(f"seed {options.seed}: {'everything held' if good else 'FAILED'}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
