#!/usr/bin/env python3
"""Compares what MatterController gives to programs with the list in docs/public-api.txt.

    Tests/Tools/public_api.py [--write]

The list comes from the symbol graph of the debug build: `swift build` first. Every symbol must have documentation. Prints
what differs, and exits 1 if anything does; --write makes the list again. A method or property that no program of
docs/Examples names is a fault too: programs outside of the package do not need it.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "public-api.txt"
EXAMPLES = ROOT / "docs" / "Examples"
MODULE = "MatterController"
# What a loop or a conformance calls.
BY_LANGUAGE = {"next", "makeAsyncIterator", "description"}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def graph():
    """The symbols of the module, and those that it adds to types of other modules."""
    target = json.loads(output("swiftc", "-print-target-info"))["target"]["unversionedTriple"]
    products = pathlib.Path(output("swift", "build", "--show-bin-path"))
    maps = [option for path in sorted(products.glob("*.build/module.modulemap"))
            for option in ("-Xcc", f"-fmodule-map-file={path}")]
    headers = sorted({path for path in (products.parent.parent / "checkouts").glob("*/Sources/*/include")}
                     | set((ROOT / "Sources").glob("*/include")) | {ROOT / "Sources" / "DynamicCrypto"})
    includes = [option for path in headers for option in ("-Xcc", f"-I{path}", "-I", str(path))]
    with tempfile.TemporaryDirectory() as folder:
        output("swift-symbolgraph-extract", "-module-name", MODULE, "-target", target, "-I", str(products / "Modules"),
               "-minimum-access-level", "public", "-skip-inherited-docs", "-skip-synthesized-members", "-output-dir", folder,
               *maps, *includes)
        for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
            # The module exports those with the names of clusters, which are generated.
            if "@" in path.name and not path.name.startswith(MODULE):
                continue
            yield from json.loads(path.read_text(encoding="utf-8"))["symbols"]


def unused(lines):
    """The members that no example names, but for those that the language calls."""
    sources = (path.read_text(encoding="utf-8") for path in EXAMPLES.rglob("*.swift") if ".build" not in path.parts)
    words = set(re.findall(r"\w+", " ".join(sources)))
    for line in lines:
        kind, _, name = line.partition(" ")
        member = name.split("(")[0].split(".")[-1]
        if kind in ("method", "property", "type.method", "type.property") and member not in words | BY_LANGUAGE:
            yield name


def main():
    lines, bare = set(), []
    for symbol in graph():
        # What the compiler makes of a conformance has no place in the sources.
        if "location" not in symbol:
            continue
        name = ".".join(symbol["pathComponents"])
        lines.add(f"{symbol['kind']['identifier'].removeprefix('swift.')} {name}")
        if not symbol.get("docComment", {}).get("lines"):
            bare.append(name)
    text = "".join(f"{line}\n" for line in sorted(lines))
    if sys.argv[1:] == ["--write"]:
        LIST.write_text(text, encoding="utf-8")
        return
    known = set(LIST.read_text(encoding="utf-8").splitlines())
    faults = [f"new, and not in {LIST.name}: {line}" for line in sorted(lines - known)]
    faults += [f"gone, and still in {LIST.name}: {line}" for line in sorted(known - lines)]
    faults += [f"without documentation: {name}" for name in bare]
    faults += [f"no program of docs/Examples names it: {name}" for name in sorted(unused(lines))]
    if not lines:
        faults.append("the symbol graph is empty")
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(1)


main()
