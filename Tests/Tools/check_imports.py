#!/usr/bin/env python3
"""Compares what the sources import with Package.swift, and Package.swift with the table of docs/architecture.md.

    Tests/Tools/check_imports.py

Every edge of the package is used by an import, every import has its edge, and the table names the same edges of our own
modules. Prints what differs, and exits 1 if anything does.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORT = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |fileprivate |private )?import (?:\w+ )?(\w+)", re.M)
# What the toolchain brings.
SYSTEM = {
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl", "Observation",
    "Swift", "Synchronization", "Testing", "XCTest", "_Concurrency",
}


def package():
    """The targets: name -> (folder, dependencies)."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    text = re.sub(r"//.*", "", text)
    products = dict(re.findall(r'let (\w+): Target\.Dependency = \.product\(name: "(\w+)"', text))

    lists = dict(re.findall(r"let (\w+): \[Target\.Dependency\] = \[(.*?)\]", text, re.S))

    def names(part):
        found = re.findall(r'"(\w[\w-]*)"|\b(\w+)\b', part)
        more = set().union(*(names(lists[word]) for _, word in found if word in lists))
        return {quoted or products.get(word) for quoted, word in found} - {None} | more

    targets = {}
    for kind, name, rest in re.findall(r'\b(module|tests)\(\s*"([\w-]+)"(?:,\s*\[(.*?)\])?', text, re.S):
        folder = "Tests" if kind == "tests" else "Sources"
        targets[name] = (f"{folder}/{name}", names(rest) | ({"TestSupport"} if kind == "tests" else set()))
    for body in re.findall(r"\.(?:executableTarget|target|testTarget)\((.*?)\n?\s*\),?\n", text, re.S):
        name = re.search(r'name: "([\w-]+)"', body)
        if not name:
            continue
        depends = re.search(r"dependencies: (\[.*?\]|\w+)", body, re.S)
        path = re.search(r'path: "([\w/-]+)"', body)
        targets.setdefault(
            name[1], (path[1] if path else f"Sources/{name[1]}", names(depends[1]) if depends else set()))
    return targets


def imports(folder):
    found = {}
    for path in sorted((ROOT / folder).rglob("*.swift")):
        # What stands in an #if is indented.
        text = re.sub(r"^(#if .*\n)\s+(?=import )", r"\1", path.read_text(encoding="utf-8"), flags=re.M)
        for name in IMPORT.findall(text):
            found.setdefault(name, path.relative_to(ROOT))
    return found


def table():
    """The rows of the table: module -> its own modules that it imports."""
    rows = {}
    for line in (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            for name in re.findall(r"`([\w-]+)`", cells[0]):
                rows[name] = {word.strip(" `") for word in cells[2].split(",")}
    return rows


def differences():
    targets, rows = package(), table()
    for name, (folder, depends) in sorted(targets.items()):
        found = imports(folder)
        if not found and not list((ROOT / folder).rglob("*.swift")):
            continue
        depends = {one.replace("-", "_") for one in depends}
        for unused in sorted(depends - set(found) - {"TestSupport"}):
            yield f"Package.swift: {name} lists {unused}, and no source of it imports that"
        for missing in sorted(set(found) - depends - SYSTEM - {name.replace("-", "_")}):
            yield f"{found[missing]}: imports {missing}, which Package.swift does not list for {name}"
    for name, (folder, depends) in sorted(targets.items()):
        if not folder.startswith("Sources/"):
            continue
        if name not in rows:
            yield f"docs/architecture.md: the table has no row for {name}"
            continue
        ours = {one for one in depends if one in targets}
        named = {full for one in rows[name] for full in (one, "Matter" + one) if full in targets}
        if ours != named:
            more, less = sorted(ours - named), sorted(named - ours)
            yield f"docs/architecture.md: {name}: the table lacks {more} and has {less} too many"


def main():
    found = list(differences())
    for one in found:
        print(one)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
