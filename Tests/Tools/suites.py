#!/usr/bin/env python3
"""Says which test suites run together, from the traits beside them (Tests/TestSupport/RunGroup.swift).

    Tests/Tools/suites.py GROUP      the regular expression of a group's suites, for `swift test --filter`
    Tests/Tools/suites.py --rest     that of all suites in a group, for `swift test --skip`: what is left has no trait
    Tests/Tools/suites.py --list     each suite with its group
    Tests/Tools/suites.py --check    suites that do not say how they run; exits 1 if there is one

`swift test` can choose tests by name and not by trait.
"""
import argparse
import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
# The traits of the end-to-end tests also say how many run at a time.
TRAITS = {"timed", "oneByOne", "fewAtATime", "beside", "ownDaemons"}
END_TO_END = {"laboratorySlot", "waitingSlot"}
TOGETHER = "together"
# A suite that makes one of these waits in real time.
REAL = re.compile(r"\b(?:StandInServer|LocalListener|SocketLoop)\(")
# One that makes one of these has a whole device in its process. Beside suites that compute, the device answers late.
DEVICE = re.compile(r"\b(?:VirtualLight|SimulatedDevice)\(")
# A type or extension of the file's first level, up to the brace that closes it in the first column.
BLOCK = re.compile(
    r"^(?P<attributes>(?:@[\s\S]*?)??)(?:(?:package|public|final|private|fileprivate) )*"
    r"(?P<kind>struct|class|enum|actor|extension) (?P<name>\w+)(?P<body>[^\n]*\{(?:\}|[\s\S]*?^\}))", re.M)
FREE = re.compile(r"^@Test\b", re.M)

Suite = collections.namedtuple("Suite", "module name group path line says real device")


def blocks(text):
    """The types and extensions of a file: (attributes, name, body, line)."""
    for match in BLOCK.finditer(text):
        yield match["attributes"], match["kind"], match["name"], match["body"], text.count("\n", 0, match.start()) + 1


def read(path):
    text = path.read_text(encoding="utf-8")
    # Comments name traits too.
    return re.sub(r"^\s*//.*", "", text, flags=re.M)


def collect():
    """All suites, and what is wrong with them as (path, line, what)."""
    suites, errors = {}, []
    for folder in sorted(TESTS.iterdir()):
        if not folder.name.endswith("Tests") and folder.name != "Fuzz":
            continue
        module = "FuzzTests" if folder.name == "Fuzz" else folder.name
        parts = collections.defaultdict(list)
        for path in sorted(folder.rglob("*.swift")):
            text = read(path)
            for match in FREE.finditer(text):
                errors.append((path, text.count("\n", 0, match.start()) + 1, "a test outside of a suite"))
            for attributes, kind, name, body, line in blocks(text):
                parts[name].append((path, line, attributes, kind, body))
        for name, found in parts.items():
            if not any("@Test" in body or "@Suite" in attributes for _, _, attributes, _, body in found):
                continue
            first = next((part for part in found if part[3] != "extension"), found[0])
            words = set(re.findall(r"\.(\w+)", " ".join(part[2] for part in found)))
            groups = sorted(words & {*TRAITS, TOGETHER}) + (["endToEnd"] if words & END_TO_END else [])
            if len(groups) > 1:
                errors.append((first[0], first[1], f"{name} runs in two groups: {', '.join(groups)}"))
            real = any(REAL.search(part[4]) for part in found)
            device = "virtualTime" not in words and any(DEVICE.search(part[4]) for part in found)
            suites[module, name] = Suite(
                module, name, groups[0] if groups else TOGETHER, first[0], first[1], bool(groups), real, device)
    return list(suites.values()), errors


def check(suites, errors):
    yield from errors
    by_module = collections.defaultdict(list)
    for suite in suites:
        by_module[suite.module].append(suite)
    for suite in suites:
        others = by_module[suite.module]
        if suite.device and suite.group == TOGETHER:
            yield suite.path, suite.line, f"{suite.name} has a device in its process: add .fewAtATime or .virtualTime"
            continue
        if suite.says:
            continue
        if suite.real:
            yield suite.path, suite.line, f"{suite.name} waits in real time and does not say how it runs: add .timed"
        elif 2 * sum(other.says for other in others) >= len(others):
            yield (
                suite.path, suite.line,
                f"{suite.name} does not say how it runs, as the others of {suite.module} do: see RunGroup.swift")


def expression(suites):
    by_module = collections.defaultdict(list)
    for suite in suites:
        by_module[suite.module].append(suite.name)
    modules = (rf"{module}\.(?:{'|'.join(sorted(names))})" for module, names in sorted(by_module.items()))
    return f"^(?:{'|'.join(modules)})(?:/|$)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", nargs="?", choices=sorted(TRAITS))
    parser.add_argument("--rest", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    suites, errors = collect()
    if options.list:
        for suite in suites:
            print(f"{suite.group}\t{suite.module}.{suite.name}")
    if options.check:
        found = list(check(suites, errors))
        for path, line, what in found:
            print(f"{path.relative_to(TESTS.parent)}:{line}: {what}")
        sys.exit(1 if found else 0)
    chosen = [
        suite for suite in suites
        if suite.group == options.group or (options.rest and suite.group != TOGETHER)]
    if options.group or options.rest:
        if not chosen:
            sys.exit(f"suites.py: no suite is in the group {options.group}")
        print(expression(chosen))


if __name__ == "__main__":
    main()
