#!/usr/bin/env python3
"""Writes the memberwise initialisers that other modules call.

    Tests/Tools/generate_memberwise.py              writes Sources/<Module>/Generated/Memberwise.swift
    Tests/Tools/generate_memberwise.py --check      exits 1 if a file there is not what would be written

The compiler's own memberwise initialiser is internal. A struct whose values other modules make says so in a line of its
own, and gets one with the access that the line names and the defaults that it gives:

    // memberwise: package, node = nil

It takes the stored properties in their order: neither the private ones nor constants that have a value. An empty parameter
at the end, which no caller gives, tells it from the compiler's own: in an extension two of one signature are an error.
"""
import argparse
import collections
import functools
import pathlib
import re
import sys
import textwrap

import check_imports

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
LINE = 120
IMPORT = re.compile(r"^(?:(public|package) )?import (\w+)$", re.M)
TYPE = re.compile(
    r"^( *)(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|private|fileprivate|final|indirect) )*"
    r"(?:struct|enum|extension|class|actor) ([\w.]+)")
MARK = re.compile(r"^( *)// memberwise: (.*)$")
PROPERTY = re.compile(
    r"^ *(?:(?:public|package)(?:\(set\))? )*(let|var) (\w+): (.+)$")
LEVELS = ["", "package", "public"]
NUMBER = re.compile(r"(?:U?Int(?:8|16|32|64)?|Double|Float)\??$")


class Malformed(Exception):
    pass


def split(text):
    """The parts between the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        if sign in "([{<":
            depth += 1
        elif sign in ")]}" or sign == ">" and text[place - 1] != "-":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in parts + [text[start:].strip()] if part]


def properties(lines, indent):
    """(name, type, documentation, whether callers see it) of the stored properties that stand at an indentation, up to the end
    of the struct."""
    words = []
    for line in lines:
        if line.startswith(indent[4:] + "}"):
            return
        comment = line.strip()
        if comment.startswith("/// "):
            words.append(comment.removeprefix("/// "))
            continue
        said, words = " ".join(words), []
        if not line.startswith(indent) or line[len(indent):len(indent) + 1] == " ":
            continue
        found = PROPERTY.match(line)
        if not found:
            continue
        kind, name, rest = found.groups()
        rest = re.sub(r"\s*//.*$", "", rest)
        if "{" in rest and not re.search(r"\{ (did|will)Set", rest):
            continue
        of_type, equals, _ = rest.split(" {")[0].partition(" = ")
        if equals and kind == "let":
            continue
        yield name, of_type.strip(), said, line.strip().startswith("public ")


def parameters_of(name, fields):
    """The lines that document the numbers among the parameters that are no public properties."""
    hidden = [(field, said) for field, of_type, said, is_public in fields if NUMBER.match(of_type) and not is_public]
    if hidden:
        yield "    ///\n"
    for field, said in hidden:
        if not said:
            raise Malformed(f"{name}: say what '{field}' counts, and in which unit")
        head = f"    /// - Parameter {field}: " if len(hidden) == 1 else f"    ///   - {field}: "
        if hidden[0][0] == field and len(hidden) > 1:
            yield "    /// - Parameters:\n"
        rows = textwrap.wrap(said[0].lower() + said[1:], LINE, initial_indent=head,
                             subsequent_indent="    ///   " if len(hidden) == 1 else "    ///     ")
        yield "\n".join(rows) + "\n"


def initialiser(name, fields, access, defaults):
    unknown = set(defaults) - {field for field, *_ in fields}
    if unknown:
        raise Malformed(f"{name}: no property {', '.join(sorted(unknown))}")
    parameters = []
    for field, of_type, *_ in fields:
        escaping = "@escaping " if "->" in of_type and not of_type.endswith("?") else ""
        ending = f" = {defaults[field]}" if field in defaults else ""
        parameters.append(f"{field}: {escaping}{of_type}{ending}")
    parameters.append("_: Void = ()")
    head = f"    {access} init({', '.join(parameters)}) {{"
    if len(head) > LINE:
        inner = " " * 8 + ", ".join(parameters)
        rows = [inner]
        if len(inner) > LINE:
            rows, row = [], " " * 8
            for number, part in enumerate(parameters):
                part += "," if number + 1 < len(parameters) else ""
                if row.strip() and len(row) + 1 + len(part) > LINE:
                    rows.append(row)
                    row = " " * 8
                row += (" " if row.strip() else "") + part
            rows.append(row)
        head = "\n".join([f"    {access} init(", *rows, "    ) {"])
    body = "\n".join(f"        self.{field} = {field}" for field, *_ in fields)
    text = f"extension {name} {{\n"
    if access == "public":
        text += "    /// Makes one of its parts.\n"
        # A number that callers do not see later says here what it counts.
        text += "".join(parameters_of(name, fields))
    return f"{text}{head}\n{body}\n    }}\n}}\n"


def marked(path):
    """The initialisers of a file: name of the type -> source."""
    lines = path.read_text(encoding="utf-8").splitlines()
    around, found = [], {}
    for number, line in enumerate(lines):
        opened = TYPE.match(line)
        if opened:
            around = [one for one in around if len(one[0]) < len(opened[1])] + [(opened[1], opened[2])]
        mark = MARK.match(line)
        if not mark:
            continue
        indent, text = mark.groups()
        following = number + 1
        while following < len(lines) and lines[following].startswith(f"{indent}//   "):
            text += " " + lines[following].strip(" /")
            following += 1
        access, *given = split(text)
        outer = [one for one in around if len(one[0]) < len(indent)]
        name = ".".join(one[1] for one in outer)
        start = max(place for place, one in enumerate(lines[:number]) if TYPE.match(one) and
                    TYPE.match(one)[1] == outer[-1][0])
        defaults = dict(re.split(r" = ", one, maxsplit=1) for one in given)
        fields = list(properties(lines[start + 1:], indent))
        if access not in LEVELS[1:] or not fields:
            raise Malformed(f"{path.relative_to(ROOT)}:{number + 1}: cannot make an initialiser of this line")
        found[name] = initialiser(name, fields, access, defaults)
    return found


@functools.cache
def names(module):
    """What a module declares on its first level."""
    texts = (path.read_text(encoding="utf-8") for path in (SOURCES / module).rglob("*.swift"))
    ours = {name for text in texts for _, name in check_imports.DECLARATION.findall(text)}
    return ours or {"Logging": {"Logger"}}.get(module, set())


def files():
    folders = collections.defaultdict(dict)
    needed = collections.defaultdict(dict)
    for path in sorted(SOURCES.rglob("*.swift")):
        if "Generated" in path.parts:
            continue
        made = marked(path)
        if not made:
            continue
        folder = SOURCES / path.relative_to(SOURCES).parts[0]
        folders[folder].update(made)
        for access, module in IMPORT.findall(path.read_text(encoding="utf-8")):
            level = max(LEVELS.index(access), LEVELS.index(needed[folder].get(module, "")))
            needed[folder][module] = LEVELS[level]
    handed = check_imports.exports()
    for folder, made in folders.items():
        mentioned = [("public" if "    public init(" in text else "package", set(re.findall(r"\w+", text)))
                     for text in made.values()]
        modules = {}
        for module, access in sorted(needed[folder].items()):
            # An import that no declaration needs, or not so widely, is an error.
            given = names(module).union(*map(names, handed.get(module, ())))
            wanted = [LEVELS.index(level) for level, words in mentioned if words & given]
            if wanted:
                modules[module] = LEVELS[min(LEVELS.index(access), max(wanted))]
        for module in list(modules):
            for more in handed.get(module, set()) & set(modules):
                level = max(LEVELS.index(modules.pop(more)), LEVELS.index(modules[module]))
                modules[module] = LEVELS[level]
        text = "// Generated by Tests/Tools/generate_memberwise.py. Do not edit: change the structs and run it again.\n\n"
        text += "".join(
            f"{access} import {module}".strip() + "\n" for module, access in sorted(modules.items()) if access)
        text = text.rstrip("\n") + "\n\n" + "\n".join(made[name] for name in sorted(made))
        yield folder / "Generated/Memberwise.swift", text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    try:
        wanted = dict(files())
    except Malformed as problem:
        sys.exit(str(problem))
    stale = [path for path in SOURCES.glob("*/Generated/Memberwise.swift") if path not in wanted]
    different = [path for path, text in wanted.items()
                 if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check:
        for path in stale + different:
            print(f"{path.relative_to(ROOT)}: run Tests/Tools/generate_memberwise.py")
        sys.exit(1 if stale or different else 0)
    for path in stale:
        path.unlink()
    for path in different:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")


if __name__ == "__main__":
    main()
