#!/usr/bin/env python3
"""Measures which lines of a module's files tests reach, without building everything again.

    coverage.py MODULE FILTER FOLDER [FILTER …]        e.g. coverage.py MatterNetwork 'ReplayTests|MatterDissectionTests' Dissection

After `swift build -debug-info-format none --build-tests`: only MODULE is compiled again, with counters, and the tests are linked with it. All of it lies in a folder of
its own, so that the build stays as it is. FILTER is that of `swift test`, FOLDER the part of the module that is told of. The totals of
several filters are printed one after the other: each runs alone.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build/debug"
WORK = ROOT / ".build-coverage"
TOOLS = pathlib.Path(shutil.which("swiftc") or "swiftc").resolve().parent
# Options that belong to the build's own files; those in the second set have a value.
DROPPED = {"-incremental", "-emit-dependencies", "-serialize-diagnostics", "-parseable-output", "-emit-objc-header",
           "-emit-module", "-enable-batch-mode", "-warnings-as-errors"}
DROPPED_WITH_VALUE = {"-index-store-path", "-emit-objc-header-path", "-emit-module-path", "-output-file-map"}


def command(text, name, kind):
    """The arguments by which the package manager builds a part."""
    found = re.search(rf'\n  "C\.{re.escape(name)}-[^"]*\.{kind}":\n.*?\n    args: (\[.*?\])\n', text, re.DOTALL)
    if not found:
        sys.exit(f"coverage.py: {name} is not in the debug build; build it with tests first")
    return json.loads(found[1])


def compiled(text, module):
    """The objects of a module with counters."""
    folder = WORK / module
    folder.mkdir(parents=True)
    words, result = command(text, module, "module"), []
    rest = iter(words)
    for word in rest:
        if word in DROPPED_WITH_VALUE:
            next(rest)
        elif word not in DROPPED:
            result.append(word)
    sources = (BUILD / f"{module}.build/sources").read_text().split()
    objects = {str(source).strip("'\""): {"object": str(folder / f"{number}.o")} for number, source in enumerate(sources)}
    outputs = folder / "outputs.json"
    outputs.write_text(json.dumps(objects))
    subprocess.run([*result, "-output-file-map", str(outputs), "-profile-generate", "-profile-coverage-mapping"], check=True,
                   stdout=subprocess.DEVNULL)
    return [one["object"] for one in objects.values()]


def linked(text, module, objects):
    """The program with all tests, in which the module has counters."""
    words = command(text, "matterctlPackageTests", "test")
    listed = next(word[1:] for word in words if word.startswith("@"))
    own = f"/{module}.build/"
    others = [line for line in pathlib.Path(listed).read_text().split("\n") if line and own not in line]
    files = WORK / "objects"
    files.write_text("\n".join(others + objects))
    program = WORK / "tests.xctest"
    words = [f"@{files}" if word.startswith("@") else word for word in words]
    words[words.index("-o") + 1] = str(program)
    subprocess.run([*words, "-profile-generate"], check=True)
    return program


def measured(program, pattern, sources):
    """Runs tests, and tells how many lines of each file they reached."""
    raw, profile = WORK / "raw", WORK / "profile"
    for old in WORK.glob("raw*"):
        old.unlink()
    environment = {**os.environ, "LLVM_PROFILE_FILE": f"{raw}-%p", "CI": "1"}
    ended = subprocess.run([program, "--testing-library", "swift-testing", "--filter", pattern], env=environment, cwd=ROOT,
                           capture_output=True, text=True)
    last = [line for line in (ended.stdout + ended.stderr).splitlines() if "Test run with" in line]
    print(f"\n{pattern}: {re.sub(r'^.*?Test run', 'test run', last[-1]) if last else 'no test ran'}")
    subprocess.run([TOOLS / "llvm-profdata", "merge", "-o", profile, *WORK.glob("raw-*")], check=True)
    told = subprocess.run([TOOLS / "llvm-cov", "export", "-summary-only", program, f"-instr-profile={profile}", *sources],
                          check=True, capture_output=True, text=True).stdout
    total = {"covered": 0, "count": 0}
    for one in sorted(json.loads(told)["data"][0]["files"], key=lambda one: one["filename"]):
        lines = one["summary"]["lines"]
        for key in total:
            total[key] += lines[key]
        print(f"  {pathlib.Path(one['filename']).name:32} {lines['covered']:5} of {lines['count']:5} lines {share(lines):6}")
    print(f"  {'all':32} {total['covered']:5} of {total['count']:5} lines {share(total):6}")
    if ended.returncode:
        print(ended.stdout[-2000:], ended.stderr[-2000:])
    return ended.returncode


def share(lines):
    return f"{100 * lines['covered'] / max(1, lines['count']):.1f} %"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    module, first, folder, *others = sys.argv[1:]
    text = (ROOT / ".build/debug.yaml").read_text()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir()
    program = linked(text, module, compiled(text, module))
    sources = sorted((ROOT / "Sources" / module / folder).rglob("*.swift"))
    sys.exit(max(measured(program, pattern, sources) for pattern in [first, *others]))


if __name__ == "__main__":
    main()
