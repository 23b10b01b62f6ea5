#!/usr/bin/env python3
"""Fuzzes every decoder of outside bytes with libFuzzer. `make fuzz` builds the program and calls this.

    fuzz.py [--only NAME[,NAME]] [--runs N] [--slice N] [--seed N] [--results FILE] [--keep]

A target counts only after a proof: from an empty corpus, or from the seeds, its edges must grow, and it must find a planted bug. Then it
runs in slices, which add lines to the file of results until the full count is reached; what it finds on the way stays
in the working corpus. A crash ends the target, and says how to play it again. --keep writes the small corpus that is
committed (Tests/Fuzz/corpus), from what the working corpus holds now.
"""
import argparse
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import time

from bench import ROOT, Results

FULL = 10_000_000
PROGRAM = os.environ.get("MATTERCTL_FUZZER") or str(ROOT / ".build-fuzz/release/matterctl-fuzz")
WORK = pathlib.Path(os.environ.get("MATTERCTL_FUZZ_WORK") or ROOT / ".build-fuzz/found")
KEPT = ROOT / "Tests/Fuzz/corpus"
# Inputs longer than these say nothing new.
LENGTHS = {"address": 64, "instance-name": 64, "path": 96, "typed-values": 160, "setup-payload": 256, "url": 160,
           "status-report": 64, "attestation": 3072, "pem": 2048, "definitions": 2048, "ledger-answer": 3072, "trust-set": 2048}
# What a commit has to hold of a target's corpus at most.
KEPT_INPUTS, KEPT_LENGTH = 40, 1024


def run(name, *words, corpus=None, planted=False, limit=None):
    environment = {**os.environ, "MATTERCTL_FUZZ_TARGET": name, "SWIFT_BACKTRACE": "enable=no"}
    if planted:
        environment["MATTERCTL_FUZZ_PLANTED"] = "1"
    artifacts = WORK / "artifacts" / name
    artifacts.mkdir(parents=True, exist_ok=True)
    ended = subprocess.run(
        [PROGRAM, "-timeout=60", "-rss_limit_mb=512", "-detect_leaks=0", f"-max_len={LENGTHS.get(name, 1024)}",
         f"-artifact_prefix={artifacts}/", "-print_final_stats=1", *words, *([str(corpus)] if corpus else [])],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
    return ended.returncode, ended.stdout.decode("utf-8", "replace")


def edges(text):
    """Edges at the beginning and at the end."""
    counts = [int(n) for n in re.findall(r"cov: (\d+)", text)]
    return (counts[0], counts[-1]) if counts else (0, 0)


def stat(text, name):
    found = re.search(rf"stat::{name}:\s+(\d+)", text)
    return int(found[1]) if found else 0


def targets():
    ended = subprocess.run([PROGRAM], capture_output=True, text=True, env={**os.environ, "MATTERCTL_FUZZ_TARGET": ""})
    return ended.stderr.strip().split(" is one of ")[-1].split()


def prepare(name):
    """The working corpus: seeds of our own encoders, what is committed, and what earlier runs found."""
    corpus = WORK / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    subprocess.run([PROGRAM], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "MATTERCTL_FUZZ_TARGET": name, "MATTERCTL_FUZZ_SEEDS": str(corpus)})
    kept = KEPT / f"{name}.hex"
    if kept.exists():
        for number, line in enumerate(kept.read_text().splitlines()):
            (corpus / f"kept-{number}").write_bytes(bytes.fromhex(line))
    return corpus


def prove(name, corpus, seed):
    """Whether the fuzzer sees the decoder."""
    empty = WORK / "empty" / name
    for begin in ("nothing", "the seeds"):
        shutil.rmtree(empty, ignore_errors=True)
        empty.mkdir(parents=True)
        # A checksum, or a parser that is not ours, stands before some decoders.
        if begin == "the seeds":
            for seed_file in corpus.glob("seed-*"):
                shutil.copy(seed_file, empty)
        code, text = run(name, "-runs=40000", f"-seed={seed}", corpus=empty)
        first, last = edges(text)
        if code == 0 and last >= first + 5:
            break
    else:
        return f"edges {first} to {last} from {begin}, exit {code}:\n{text[-800:]}"
    copy = WORK / "planted" / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(corpus, copy)
    code, text = run(name, "-runs=400000", f"-seed={seed}", corpus=copy, planted=True)
    shutil.rmtree(copy, ignore_errors=True)
    if code == 0 or "the planted bug" not in text:
        return f"the planted bug was not found, exit {code}:\n{text[-800:]}"
    print(f"{name}: edges {first} to {last} from {begin}, planted bug found after "
          f"{stat(text, 'number_of_executed_units')} runs", flush=True)
    return None


def keep(name, corpus):
    """Writes the smallest inputs that bring something, a line of hexadecimal digits each."""
    merged = WORK / "merged" / name
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir(parents=True)
    run(name, "-merge=1", str(merged), corpus=corpus)
    seeds = [p.read_bytes() for p in corpus.glob("seed-*")]
    found = sorted((p.read_bytes() for p in merged.iterdir()), key=lambda b: (len(b), b))
    found = [b for b in found if len(b) <= KEPT_LENGTH and b not in seeds]
    step = max(1, len(found) // KEPT_INPUTS)
    chosen = [b for b in seeds if len(b) <= 4 * KEPT_LENGTH] + found[::step][:KEPT_INPUTS]
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.hex").write_text("".join(b.hex() + "\n" for b in chosen if b))


def played(path, commit, name):
    try:
        lines = [json.loads(line) for line in open(path)]
    except OSError:
        return 0
    return sum(l["rounds"] for l in lines if l["test"] == f"fuzz/{name}" and l["commit"] == commit and not l["failures"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", default="")
    p.add_argument("--runs", type=int, help="of each target; default: what is missing to 10,000,000")
    p.add_argument("--slice", type=int, default=1_000_000)
    p.add_argument("--seed", type=int)
    p.add_argument("--results", default=str(ROOT / ".build-stress/results.jsonl"))
    p.add_argument("--keep", action="store_true")
    options = p.parse_args()
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"fuzz.py: there is no {PROGRAM}; make fuzz builds it")
    seed = options.seed or secrets.randbelow(1 << 31) + 1
    print(f"seed {seed}", flush=True)
    results = Results(options.results, seed)
    wanted = [w for w in options.only.split(",") if w]
    good = True
    for name in [t for t in targets() if not wanted or t in wanted]:
        corpus = prepare(name)
        if options.keep:
            keep(name, corpus)
            continue
        missing = options.runs or FULL - played(results.path, results.commit, name)
        if missing <= 0:
            continue
        fault = prove(name, corpus, seed)
        number = 0
        while not fault and missing > 0:
            begun = time.monotonic()
            # A seed of its own for each slice, or it would play the same again.
            seed_here = seed + number
            code, text = run(name, f"-runs={min(options.slice, missing)}", f"-seed={seed_here}", corpus=corpus)
            runs = stat(text, "number_of_executed_units")
            if code and "libFuzzer: timeout" in text and (artifact := re.search(r"written to (\S+)", text)):
                # On a loaded machine a second may pass without a core: only what is slow again counts.
                again = time.monotonic()
                run(name, artifact[1])
                if time.monotonic() - again < 1:
                    code = 0
            if code:
                fault = f"seed {seed_here}, exit {code}\n{text[-3000:]}"
            results.seed = seed_here
            results.add(f"fuzz/{name}", runs, int(bool(code)), time.monotonic() - begun,
                        edges=edges(text)[1], mb=stat(text, "peak_rss_mb"))
            missing -= max(runs, 1)
            number += 1
        if fault:
            good = False
            print(f"FAILED fuzz/{name}: {fault}\n  again: make fuzz ONLY={name} SEED={seed}", file=sys.stderr, flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
