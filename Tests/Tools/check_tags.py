#!/usr/bin/env python3
"""Finds fields of clusters that are spelled by their number, where the generated types have names.

    Tests/Tools/check_tags.py

Numbers belong in the codecs of the protocol itself and of records (CODECS, RECORD), and in the generated types. Prints
each that stands elsewhere, and exits 1 if there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
# Messages, certificates, paths, records and the definitions themselves.
CODECS = [
    "MatterBase", "MatterCrypto", "MatterModel", "MatterNetwork", "MatterState", "MatterSimulator/Fabrics",
    "MatterSimulator/Device/DeviceStore.swift", "MatterSimulator/Updates/UpdateImageHeader.swift", "MatterSimulator/Node/SavedClusters.swift",
    "MatterController/Controller/Neighbours/NeighbourWriter.swift",
    "MatterSimulator/ApplicationClusters/DoorLock/LockDatabase+TLV.swift",
    "MatterSimulator/ApplicationClusters/Scenes/SceneTable+Saved.swift",
]
# What a cluster of the virtual device keeps is a record too.
RECORD = re.compile(r"(?:var savedState: TLVValue\?|func restore\(_ state: TLVValue\) throws\(TLVError\)) \{")
# What the definitions of a cluster or a command at hand say.
BY_DEFINITION = r"(?:field\.id|\$0\.id|number|tag)[,)]"
NUMBER = re.compile(
    # A constant of our own in the place of a number is one too.
    rf"\.field\((?!{BY_DEFINITION})|\bTLVElement\(\s*(?:Self|[A-Z]\w*)\.\w+\s*,"
    r"|\bTLVElement\(\s*\d+\s*,|\bTLVElement\(\.context\(|\.init\(\d+, \.|\.field\(\d+\)"
    r"|\.(?:unsigned|optionalUnsigned|signed|optionalSigned|octets|optionalOctets|string|optionalString|bool|optionalBool"
    r"|array|optionalArray|required|present|structure|fabric|integer|fields|optionalFields)\(\d+[,)]"
    r"|\b(?:fields|command|members)\??\[\d+\]|\(command, \d+[,)]")


def without_records(text):
    """The text with the bodies of what keeps records blanked, so that lines keep their numbers."""
    for match in reversed(list(RECORD.finditer(text))):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:match.end()] + "\n" * text.count("\n", match.end(), end) + text[end:]
    return text


def found():
    counts = {}
    for path in sorted(SOURCES.rglob("*.swift")):
        name = path.relative_to(SOURCES).as_posix()
        if "Generated" in path.parts or any(name == codec or name.startswith(f"{codec}/") for codec in CODECS):
            continue
        text = without_records(re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8")))
        lines = [text.count("\n", 0, match.start()) + 1 for match in NUMBER.finditer(text)]
        if lines:
            counts[name] = lines
    return counts


def main():
    faults = [f"Sources/{name}:{line}: a field by its number: use the generated type, or PartialStructure of it"
              for name, lines in found().items() for line in lines]
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
