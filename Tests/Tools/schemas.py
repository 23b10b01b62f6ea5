#!/usr/bin/env python3
"""The JSON Schemas of docs/schemas: closed, with the keywords that the tests know, and with a version that changes with them.

    schemas.py                  checks them; `make check` calls it
    schemas.py --release        gives a new version to each one that has changed, and writes docs/schemas/versions.txt

A schema has changed if it means something else: a change of a part in common.json is one of each schema that refers to it.
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/schemas"
VERSIONS = FOLDER / "versions.txt"
COMMON = "common.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
# JSONSchema in Tests/TestSupport reads these and no others.
KEYWORDS = {"$schema", "$defs", "$ref", "title", "description", "version", "type", "enum", "pattern", "properties",
            "required", "additionalProperties", "items", "anyOf"}
TYPES = {"null", "boolean", "integer", "number", "string", "array", "object"}
# Where results are put together: a member that stands there is described somewhere. `bench` is for developers.
REPORTS = ["Sources/MatterCommandLine", "Sources/RainMakerCommandLine"]
MEMBER = re.compile(r'\bField\(\s*"([A-Za-z]+)"')
UNDESCRIBED = {"minMs", "maxMs"}
# Objects whose members the device, the cloud or a definition file names.
OPEN = {"free"}


def load():
    return {file.name: json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))}


def faults(name, schema, files, place="", open_here=False):
    """What is wrong with a schema."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{name}{place}: not a schema"
        return
    for key in schema.keys() - KEYWORDS:
        yield f"{name}{place}: the keyword '{key}' is not known to the tests"
    if "$ref" in schema:
        file, _, part = schema["$ref"].partition("#/$defs/")
        if part not in files.get(file or name, {}).get("$defs", {}):
            yield f"{name}{place}: {schema['$ref']} is not there"
    types = schema.get("type", [])
    types = {types} if isinstance(types, str) else set(types)
    for type in types - TYPES:
        yield f"{name}{place}: '{type}' is not a type"
    if "object" in types and not open_here and schema.get("additionalProperties") is not False:
        yield f"{name}{place}: the object is not closed"
    for key in set(schema.get("required", [])) - schema.get("properties", {}).keys():
        yield f"{name}{place}: '{key}' is required and not described"
    for key, value in schema.get("properties", {}).items():
        yield from faults(name, value, files, f"{place}.{key}")
    for key, value in schema.get("$defs", {}).items():
        yield from faults(name, value, files, f"{place}#{key}", key in OPEN)
    if "items" in schema:
        yield from faults(name, schema["items"], files, f"{place}[]")
    for value in schema.get("anyOf", []):
        yield from faults(name, value, files, place)


def described(schema):
    """All members that a schema names."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []:
        yield from described(value)


def undescribed(files):
    known = {key for schema in files.values() for key in described(schema)} | UNDESCRIBED
    for folder in REPORTS:
        for file in sorted((ROOT / folder).rglob("*.swift")):
            for key in MEMBER.findall(file.read_text()):
                if key not in known:
                    yield f"{file.relative_to(ROOT)}: no schema describes '{key}'"


def meaning(schema, files, name, seen=()):
    """The schema with all parts that it refers to, without what changes nothing."""
    if isinstance(schema, list):
        return [meaning(value, files, name, seen) for value in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        file, _, part = reference.partition("#/$defs/")
        file = file or name
        if (file, part) in seen:
            return part
        return meaning(files[file]["$defs"][part], files, file, (*seen, (file, part)))
    found = {}
    for key, value in sorted(schema.items()):
        if key in ("$schema", "title", "description", "version", "$defs"):
            continue
        if key == "properties":
            found[key] = {member: meaning(part, files, name, seen) for member, part in sorted(value.items())}
        elif key in ("items", "anyOf"):
            found[key] = meaning(value, files, name, seen)
        else:
            found[key] = sorted(value) if key == "required" else value
    return found


def digest(name, files):
    text = json.dumps(meaning(files[name], files, name), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def released():
    """The last version of each schema with its digest."""
    last = {}
    for line in VERSIONS.read_text().splitlines() if VERSIONS.is_file() else []:
        if line and not line.startswith("#"):
            name, version, mark = line.split()
            last[name] = (int(version), mark)
    return last


def check(files):
    found = []
    for name, schema in files.items():
        found += faults(name, schema, files)
        if schema.get("$schema") != DRAFT:
            found.append(f"{name}: $schema is not {DRAFT}")
    found += undescribed(files)
    if found:
        return found
    last = released()
    for name in files.keys() - {COMMON}:
        version, mark = last.get(name, (0, ""))
        if files[name].get("version") != version or digest(name, files) != mark:
            found.append(f"{name}: it has changed since version {version}; run Tests/Tools/schemas.py --release, and tell "
                         "the change in docs/json.md and docs/CHANGELOG.md")
    found += [f"{name}: it is gone; take it out of versions.txt" for name in last.keys() - files.keys()]
    return sorted(found)


def release(files):
    last = released()
    lines = VERSIONS.read_text().splitlines() if VERSIONS.is_file() else [
        "# Every version that a schema has had, and a digest of its meaning. Written by Tests/Tools/schemas.py --release."]
    for name in sorted(files.keys() - {COMMON}):
        version, mark = last.get(name, (0, ""))
        if digest(name, files) == mark:
            continue
        text = (FOLDER / name).read_text()
        text, count = re.subn(r'^  "version": \d+', f'  "version": {version + 1}', text, count=1, flags=re.M)
        if not count:
            sys.exit(f"schemas.py: {name} has no version")
        (FOLDER / name).write_text(text)
        lines.append(f"{name} {version + 1} {digest(name, files)}")
        print(f"{name}: version {version + 1}")
    VERSIONS.write_text("\n".join(lines) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--release", action="store_true")
    options = p.parse_args()
    files = load()
    if options.release:
        found = [fault for name, schema in files.items() for fault in faults(name, schema, files)]
        if not found:
            release(files)
    else:
        found = check(files)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
