#!/usr/bin/env python3
"""Compares what the sources import and mention with Package.swift and with the table of docs/architecture.md.

    Tests/Tools/check_imports.py

Every edge of the package is used by an import, and every import has its edge. Who imports a module sees what that one
hands on (its Exports.swift), so no file imports both. The table names, for each module or folder of a module, what it
uses: the edges of the package follow from it, and the sources of a folder mention no type or function of a folder that its
row does not name. (Members that an extension adds are not seen.) A second table names what each service of a controller stands on. Prints what differs, and exits 1 if anything does.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
IMPORT = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |fileprivate |private )?import (?:\w+ )?(\w+)", re.M)
EXPORT = re.compile(r"^@_exported public import (\w+)$", re.M)
# What stands in a module beside its folders, or apart from them.
LOOSE = {"Exports.swift", "Generated"}
# What the toolchain brings.
SYSTEM = {
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl", "Observation",
    "Swift", "Synchronization", "Testing", "XCTest", "_Concurrency",
}
# A declaration of the file's first level that other files see, and whether other modules do.
DECLARATION = re.compile(
    r"^(?:@[\w.]+(?:\([^)]*\))? )*(package |public )?(?:(?:final|indirect|nonisolated) )*"
    r"(?:struct|class|enum|actor|protocol|typealias|func|let|var) (\w+)", re.M)
NESTED = re.compile(
    r"\b(?:struct|class|enum|actor|protocol|typealias|associatedtype|case|func|let|var) (\w+)|<(\w+)[:,>]")
# What the command line may import of ours: the library, the virtual device that it plays, and its own tools.
FRONT = {
    "MatterCommandLine": {"HouseServer", "JSON", "MatterController"},
    "SimulatorCommandLine": {"JSON", "MatterCommandLine", "MatterController", "MatterSimulator"},
    "RainMakerCommandLine": {
        "JSON", "MatterCommandLine", "MatterController", "MatterSimulator", "RainMaker", "SimulatorCommandLine"},
}
# What is compiled as if it were another package: it sees public names only.
OUTSIDE = {"HouseServer", "MatterCommandLine"}
QUIET = re.compile(r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*[\s\S]*?\*/')
WORD = re.compile(r"(?<![.\w`])([A-Za-z_]\w*)")


def package():
    """The targets: name -> (folder, dependencies)."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    text = re.sub(r"//.*", "", text)
    # Products of SwiftNIO have a function of their own there.
    text = re.sub(r'\bnio\(("\w+")\)', r"\1", text)
    products = dict(re.findall(r'let (\w+): Target\.Dependency = \.product\(\s*name: "(\w+)"', text))

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


def exports():
    """module -> all that it hands on."""
    direct = {path.parent.name: set(EXPORT.findall(path.read_text(encoding="utf-8")))
              for path in SOURCES.glob("*/Exports.swift")}

    def closure(name):
        return set().union(*({one} | closure(one) for one in direct.get(name, ())))

    return {name: closure(name) for name in direct}


def doubled(handed):
    """(file, module, module that hands it on): imports that say nothing."""
    for path in sorted(SOURCES.rglob("*.swift")):
        seen = set(IMPORT.findall(path.read_text(encoding="utf-8")))
        for name in sorted(seen):
            for one in sorted(handed.get(name, set()) & seen):
                yield path.relative_to(ROOT), one, name


def table():
    """The rows of the table: module, or module/folder -> what it uses, as it is written."""
    rows = {}
    for line in (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            for name in re.findall(r"`([\w/-]+)`", cells[0]):
                rows[name] = {word.strip(" `") for word in cells[2].split(",")}
    return rows


def resolver(rows):
    """A function from a word of the table to the row that it means, or None."""
    short = {}
    for row in rows:
        last = row.split("/")[-1]
        short[last] = row
        short[last.removeprefix("Matter")] = row
    return short.get


def mentions(rows, handed):
    """(row, other row, file, word): a source of a row mentions what only one other row declares."""
    owners, texts, inner = collections.defaultdict(set), {}, collections.defaultdict(set)
    shared = set()
    for row in rows:
        for path in sorted((SOURCES / row).rglob("*.swift")):
            text = QUIET.sub(" ", path.read_text(encoding="utf-8"))
            texts[row, path] = text
            for access, name in DECLARATION.findall(text):
                owners[name].add(row)
                if access:
                    shared.add((row, name))
            inner[row].update(one for pair in NESTED.findall(text) for one in pair if one)
    for (row, path), text in texts.items():
        seen = {row.split("/")[0], *IMPORT.findall(text)}
        if row not in FRONT:
            seen |= set().union(*(handed.get(name, set()) for name in seen))
        for word in sorted(set(WORD.findall(text)) - inner[row]):
            if len(owners[word]) != 1 or row in owners[word]:
                continue
            owner = next(iter(owners[word]))
            module = owner.split("/")[0]
            if module in seen and (module == row.split("/")[0] or (owner, word) in shared):
                yield row, owner, path.relative_to(ROOT), word


def differences():
    targets, rows, handed = package(), table(), exports()
    resolve = resolver(rows)
    for name, (folder, depends) in sorted(targets.items()):
        found = imports(folder)
        if not found and not list((ROOT / folder).rglob("*.swift")):
            continue
        depends = {one.replace("-", "_") for one in depends}
        for unused in sorted(depends - set(found) - {"TestSupport"}):
            yield f"Package.swift: {name} lists {unused}, and no source of it imports that"
        for missing in sorted(set(found) - depends - SYSTEM - {name.replace("-", "_")}):
            yield f"{found[missing]}: imports {missing}, which Package.swift does not list for {name}"
    uses = {row: {resolve(word) for word in words} - {None} for row, words in rows.items()}
    for name, (folder, depends) in sorted(targets.items()):
        if not folder.startswith("Sources/"):
            continue
        own = {row for row in rows if row.split("/")[0] == name}
        if not own:
            yield f"docs/architecture.md: the table has no row for {name}"
            continue
        ours = {one for one in depends if one in targets}
        named = {used.split("/")[0] for row in own for used in uses[row]} & set(targets) - {name}
        more = sorted(one for one in ours - named if not handed.get(one, set()) & named)
        less = sorted(named - ours - set().union(*(handed.get(one, set()) for one in ours)))
        if more or less:
            yield f"docs/architecture.md: {name}: the table lacks {more} and has {less} too many"
        for path in sorted((ROOT / folder).iterdir()):
            if own != {name} and f"{name}/{path.name}" not in own and path.suffix != ".docc" \
                    and path.name not in LOOSE:
                yield f"docs/architecture.md: the table has no row for {name}/{path.name}"
    for row in rows:
        if row in uses[row]:
            yield f"docs/architecture.md: {row} uses itself"
        for used in uses[row]:
            if row in uses[used]:
                yield f"docs/architecture.md: {row} and {used} use each other"
    for path, one, name in doubled(handed):
        yield f"{path}: imports {one}, which {name} hands on"
    seen = set()
    for row, used, path, word in mentions(rows, handed):
        if used not in uses[row] and (row, used) not in seen:
            seen.add((row, used))
            yield f"{path}: mentions {word} of {used}, which the row of {row} in docs/architecture.md does not name"


def front():
    """Imports by which the command line goes past the library."""
    for name, allowed in FRONT.items():
        for module, path in sorted(imports(f"Sources/{name}").items()):
            if module in rows_of_ours() - allowed - {name}:
                yield f"{path}: imports {module}; the command line sees the library (MatterController) only"


def inside():
    """Modules that stopped being compiled as another package."""
    text = (ROOT / "Package.swift").read_text(encoding="utf-8")
    for name in sorted(OUTSIDE):
        target = re.search(rf'\.target\(\s*name: "{name}",(.*?)\n        (?:\.|module)', text, re.S)
        if not target or "packageAccess: false" not in target[1]:
            yield f"Package.swift: {name} is not compiled as another package (packageAccess: false)"


def services():
    """What the services of a controller hold of each other, and what the table of the architecture page says of it."""
    held = {}
    for path in sorted((SOURCES / "MatterController").rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        for name, body in re.findall(
                r"^public (?:struct|actor|final class) (\w+): FabricService\b[^{]*\{\n(.*?)^\}", text, re.M | re.S):
            held[name] = {of_type for of_type in re.findall(r"^    (?:\w+ )?let \w+: (?:\(?any )?(\w+)", body, re.M)}
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", (ROOT / "docs" / "architecture.md").read_text(
        encoding="utf-8").partition("### The services of a controller")[2].partition("\n##")[0], re.M))
    for name in sorted(held.keys() ^ rows.keys()):
        yield f"{name} is a service in {'the sources' if name in held else 'the table'} only"
    for name in sorted(held.keys() & rows.keys()):
        said = set(re.findall(r"`(\w+)`", rows[name])) | {"FabricContext"}
        for other in sorted(held[name] - said):
            yield f"{name} holds {other}, which its row in docs/architecture.md does not name"
        for other in sorted(said - held[name]):
            yield f"{name} does not hold {other}, which its row in docs/architecture.md names"


def rows_of_ours():
    return {path.name for path in SOURCES.iterdir() if path.name[0] != "C"}


def main():
    found = list(differences()) + list(front()) + list(inside()) + list(services())
    for one in found:
        print(one)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
