#!/usr/bin/env python3
"""Compares what the library gives to programs with the list in docs/public-api.txt.

    Tests/Tools/public_api.py [--write | --count]

The list has the names of MatterController and of the modules that it hands on, but for those of clusters, which are
generated. It comes from the symbol graph of what `make check` and `make test` build. Every symbol must have documentation, every
call that throws must say what, every number (a property or a parameter) what it counts and in which unit, and every method
and property must have a caller outside of the library: a program of docs/Examples, or the command line, which is compiled as
another package. A type says where it comes from: the specification with its section, an RFC, another project. One that is our
own is marked so in the list. Prints what differs, and exits 1 if anything does; --write makes the list again, --count says
how many names each module has.
"""
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "public-api.txt"
# Programs that see public names only.
CALLERS = [ROOT / "docs" / "Examples", ROOT / "Sources" / "HouseServer", ROOT / "Sources" / "MatterCommandLine"]
MODULES = [
    "JSON", "MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterState", "MatterLedger", "MatterController"]
CALLS = {"swift.func", "swift.init", "swift.method", "swift.type.method", "swift.subscript"}
TYPES = {"swift.struct", "swift.enum", "swift.class", "swift.protocol"}
OWN = " (own)"
# What the documentation of a type that is not our own names.
SOURCE = re.compile(r"specification|\bRFC\s\d|\bFIPS\s\d|\bX\.\d{3}|\bBlueZ\b|\bAvahi\b|\bXDG\b|\bPOSIX\b|\bledger\b|\bRainMaker\b", re.I)
NUMBER = re.compile(r": (?:U?Int(?:8|16|32|64)?|Double|Float)\??(?: |$)")
# What the documentation of a number says of it.
MEANING = re.compile(
    r"\b(?:(?:milli|micro)?seconds?|minutes?|hours?|days?|bytes?|octets|bits?|percent|degrees?|mireds?|kelvin|dBm|id|numbers?|"
    r"counter|index|counts?|how (?:many|often)|revision|version|code|length|size|mask|times|places?|room|ports?|levels?|"
    r"least|most|from \d|\d+ to \d+)\b|°|%", re.I)
# What the language calls, or a protocol of its library demands.
BY_LANGUAGE = {
    "==", "<", "advanced", "checkIsolated", "customMirror", "debugDescription", "description", "distance", "enqueue", "hash",
    "isIsolatingCurrentContext", "makeAsyncIterator", "next", "subscript",
    # Values that parameters have by default.
    "defaultPort", "noFiles"}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def graph(module):
    """The symbols of a module, and those that it adds to types of other modules."""
    target = json.loads(output("swiftc", "-print-target-info"))["target"]["unversionedTriple"]
    products = (ROOT / ".build/release").resolve()
    maps = [option for path in sorted(products.glob("*.build/module.modulemap"))
            for option in ("-Xcc", f"-fmodule-map-file={path}")]
    headers = sorted({path for path in (products.parent.parent / "checkouts").glob("*/Sources/*/include")}
                     | set((ROOT / "Sources").glob("*/include")) | {ROOT / "Sources" / "DynamicCrypto"})
    includes = [option for path in headers for option in ("-Xcc", f"-I{path}", "-I", str(path))]
    with tempfile.TemporaryDirectory() as folder:
        output("swift-symbolgraph-extract", "-module-name", module, "-target", target, "-I", str(products / "Modules"),
               "-minimum-access-level", "public", "-skip-inherited-docs", "-skip-synthesized-members", "-output-dir", folder,
               *maps, *includes)
        for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
            # A module also exports the names of others.
            if not path.name.startswith(f"{module}.symbols") and not path.name.startswith(f"{module}@"):
                continue
            yield from json.loads(path.read_text(encoding="utf-8"))["symbols"]


def unused(lines):
    """The members that no program names, but for those that the language calls."""
    sources = (path.read_text(encoding="utf-8") for folder in CALLERS for path in folder.rglob("*.swift")
               if ".build" not in path.parts)
    words = set(re.findall(r"\w+", " ".join(sources)))
    # What a protocol demands is there for those who implement it.
    protocols = {line.split(" ")[1] for line in lines if line.startswith("protocol ")}
    demanded = {name.split("(")[0].split(".")[-1] for name in (line.split(" ", 1)[1] for line in lines)
                if name.split("(")[0].rpartition(".")[0] in protocols}
    for line in lines:
        kind, _, name = line.partition(" ")
        member = name.split("(")[0].split(".")[-1]
        if kind in ("method", "property", "type.method", "type.property") and member not in words | demanded | BY_LANGUAGE:
            yield name


def names():
    """(line of the list, its documentation)."""
    sources = {}
    symbols = {module: list(graph(module)) for module in MODULES}
    # A property says of an initialiser's number what it counts.
    properties = collections.defaultdict(set)
    for symbol in itertools.chain(*symbols.values()):
        if symbol["kind"]["identifier"].endswith(".property"):
            *owner, name = symbol["pathComponents"]
            properties[tuple(owner)].add(name)
    for module in MODULES:
        # Types before what they hold.
        for symbol in sorted(symbols[module], key=lambda symbol: len(symbol["pathComponents"])):
            # What the compiler makes of a conformance has no place in the sources; clusters are generated.
            place = symbol.get("location", {}).get("uri", "")
            if not place or "/Generated/" in place and not place.endswith("/Memberwise.swift"):
                continue
            name = ".".join([module, *symbol["pathComponents"]])
            kind = symbol["kind"]["identifier"].removeprefix("swift.")
            text = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
            path = tuple(symbol["pathComponents"])
            sources[path] = bool(SOURCE.search(text)) or sources.get(path[:-1], False)
            is_own = symbol["kind"]["identifier"] in TYPES and not sources[path]
            yield f"{kind} {name}{OWN if is_own else ''}", Documentation(
                text, throws(symbol), counts(symbol, text), list(uncounted(symbol, text, properties[path[:-1]])))


def source(line):
    return ": say the source of the type, or --write that it is our own" if line.endswith(OWN) else ""


def declared(symbol):
    return "".join(part["spelling"] for part in symbol.get("declarationFragments", []))


def counts(symbol, text):
    """Whether a property is no number, or its documentation says what the number counts."""
    return (not symbol["kind"]["identifier"].endswith(".property") or not NUMBER.search(declared(symbol))
            or bool(MEANING.search(text)))


def uncounted(symbol, text, properties):
    """The parameters that are numbers, and of which neither the documentation, nor the property that they become, nor their own
    name says what they count."""
    for parameter in symbol.get("functionSignature", {}).get("parameters", []):
        spelled = "".join(part["spelling"] for part in parameter.get("declarationFragments", []))
        label, name = parameter["name"], parameter.get("internalName", parameter["name"])
        if not NUMBER.search(spelled) or MEANING.search(text):
            continue
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", f"{label} {name}")
        if not MEANING.search(words) and not {label, name} & properties:
            yield name


def throws(symbol):
    """Whether a call may throw: not a closure that is its parameter."""
    declaration = declared(symbol)
    depth, outside = 0, ""
    for letter in declaration:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        outside += letter if depth == 0 else ""
    return symbol["kind"]["identifier"] in CALLS and " throws" in outside


class Documentation(typing.NamedTuple):
    text: str
    throws: bool
    counts: bool
    uncounted: list


def main():
    found = dict(names())
    lines = set(found)
    if sys.argv[1:] == ["--count"]:
        counts = collections.Counter(line.split(" ")[1].split(".")[0] for line in lines)
        for module in MODULES:
            print(f"{module}: {counts[module]}")
        print(f"together: {len(lines)}")
        return
    if sys.argv[1:] == ["--write"]:
        LIST.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")
        return
    known = set(LIST.read_text(encoding="utf-8").splitlines())
    faults = [f"new, and not in {LIST.name}: {line}{source(line)}" for line in sorted(lines - known)]
    faults += [f"gone, and still in {LIST.name}: {line}" for line in sorted(known - lines)]
    faults += [f"without documentation: {line}" for line in sorted(lines) if not found[line].text]
    faults += [f"does not say what it throws: {line}" for line in sorted(lines)
               if found[line].throws and "hrows" not in found[line].text]
    faults += [f"does not say what the number counts, or in which unit: {line}" for line in sorted(lines) if not found[line].counts]
    faults += [f"does not say what the parameter '{parameter}' counts, or in which unit: {line}" for line in sorted(lines)
               for parameter in found[line].uncounted]
    faults += [f"no program outside of the library names it: {name}" for name in sorted(unused(lines))]
    if not lines:
        faults.append("the symbol graph is empty")
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(1)


main()
