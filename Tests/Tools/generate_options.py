#!/usr/bin/env python3
"""Writes how the commands of `PlainLine` get their options, from the declarations that the argument parser reads.

    Tests/Tools/generate_options.py              writes Sources/MatterCommandLine/Parsing/Generated/PlainOptions.swift
    Tests/Tools/generate_options.py --check      exits 1 if that file is not what would be written

A command of `PlainLine` declares its options for the parser, with names of `LineOption`. The parser finds the declarations by
reflection, at run time, which takes longer than all the rest of a command. This program finds them in the source text.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Sources/MatterCommandLine"
TARGET = FOLDER / "Parsing/Generated/PlainOptions.swift"
LINE = 120
# The protocols by which a command says which words it takes.
FORMS = {"NodesCommand", "NodesAndValueCommand", "OneNodeCommand", "NodeAndUserCommand", "KindLineCommand"}
STRUCT = re.compile(r"^(?:public |private |fileprivate )?struct (\w+)(?:<[^>{]*>)?(?:: ([^{]+?))? \{\n(.*?)^\}$", re.M | re.S)
OPTION = re.compile(
    r"@(Option|Flag)\(\s*name: \.line\(\.(\w+)\).*?\)\s+((?:public |private )*)var\s+(\w+)(?::\s*([\w.]+\??))?(?: = (\S+))?", re.S)
GROUP = re.compile(r"@OptionGroup(?:\([^)]*\))? ((?:public |private )*)var (\w+): (\w+)")
VALIDATE = re.compile(r"^    (?:public )?func validate\(\) throws", re.M)
ANY = re.compile(r"^    @(?:Option|Flag|OptionGroup)\b", re.M)


class Malformed(Exception):
    pass


class Option:
    def __init__(self, owner, found):
        kind, self.option, access, self.property, self.type, self.value = found.groups()
        place = f"{owner}.{self.property}"
        self.is_flag = kind == "Flag"
        if "private" in access:
            raise Malformed(f"{place} is private")
        if self.is_flag and self.value == "false":
            self.absent, self.taken = "false", f"{self.property} = true"
        elif self.is_flag and self.type == "Int" and self.value is None:
            self.absent, self.taken = "0", f"{self.property} += 1"
        elif not self.is_flag and (self.type or "").endswith("?") and self.value is None:
            self.absent, self.taken = "nil", f"return given.become(&{self.property})"
        elif not self.is_flag and self.type is None and (self.value or "").endswith(".usual"):
            self.absent, self.taken = ".usual", f"return given.replace(&{self.property})"
        else:
            raise Malformed(f"{place} is neither an optional value nor a flag that is false, nor of a type with a usual value")


class Struct:
    def __init__(self, name, inherited, body):
        self.name = name
        self.inherited = {word.strip() for word in (inherited or "").split(",")}
        self.body = body

    def read(self, structs):
        self.options = [Option(self.name, found) for found in OPTION.finditer(self.body)]
        groups = [(found[2], found[3], "private" in found[1]) for found in GROUP.finditer(self.body)]
        if len(ANY.findall(self.body)) != len(self.options) + len(groups):
            raise Malformed(f"{self.name} has an option that is not of the form '@Option(name: .line(.NAME), …) var …'")
        self.groups = [(name, structs[type]) for name, type, _ in groups if type in structs and ANY.search(structs[type].body)]
        if any(name for name, type, private in groups if private and name in dict(self.groups)):
            raise Malformed(f"{self.name} has a private group of options")

    @property
    def is_command(self):
        return bool(self.inherited & FORMS)

    def swift(self):
        absent = [f"{option.property} = {option.absent}" for option in self.options]
        absent += [f"{name} = .none" for name, _ in self.groups]
        others = " ?? ".join(f"{name}.take(given)" for name, _ in self.groups) or "nil"
        yield f"extension {self.name} {{" if self.is_command else f"extension {self.name}: PlainOptions {{"
        yield "    mutating func leaveOutOptions() {"
        yield from (f"        {line}" for line in absent)
        yield "    }"
        yield ""
        yield "    mutating func take(_ given: LineOption.Given) -> Bool? {"
        if self.options:
            yield "        switch given.option {"
            for option in self.options:
                yield f"        case .{option.option}: {option.taken}"
            yield f"        default: return {others}"
            yield "        }"
            if any(not option.taken.startswith("return") for option in self.options):
                yield "        return true"
        else:
            yield f"        {others}"
        yield "    }"
        checks = [check for name, group in self.groups for check in group.checks(name)]
        if checks:
            yield ""
            yield "    func validateGroups() throws {"
            yield from (f"        {check}" for check in checks)
            yield "    }"
        yield "}"

    def checks(self, name):
        """The calls that check it as a group of that name, from the inside outwards, as the parser does."""
        if any(list(inner.checks("")) for _, inner in self.groups):
            yield f"try {name}.validateGroups()"
        if VALIDATE.search(self.body):
            yield f"try {name}.validate()"


def written():
    structs = {}
    for file in sorted(FOLDER.rglob("*.swift")):
        for found in STRUCT.finditer(file.read_text()):
            structs[found[1]] = Struct(*found.groups())
    wanted, waiting = {}, [struct for struct in structs.values() if struct.is_command]
    while waiting:
        struct = waiting.pop()
        if struct.name not in wanted:
            struct.read(structs)
            wanted[struct.name] = struct
            waiting += [group for _, group in struct.groups]
    flags, valued = {}, {}
    for struct in wanted.values():
        for option in struct.options:
            (flags if option.is_flag else valued)[option.option] = f"{struct.name}.{option.property}"
    for name in flags.keys() & valued.keys():
        raise Malformed(f"{flags[name]} is a flag, and {valued[name]}, of the same name, takes a value")
    lines = ["// Written by Tests/Tools/generate_options.py from the declarations of the commands' options.", ""]
    cases = ", ".join(f".{name}" for name in sorted(flags))
    lines += ["extension LineOption {", "    /// Whether the next word is its value.", "    var takesValue: Bool {", "        switch self {"]
    lines += textwrap.wrap(
        f"case {cases}:", LINE, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)
    lines += ["            false", "        default: true", "        }", "    }", "}"]
    for name in sorted(wanted):
        lines += ["", *wanted[name].swift()]
    return "\n".join(lines) + "\n"


def main():
    try:
        text = written()
    except Malformed as error:
        sys.exit(f"generate_options.py: {error}")
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is not what the declarations say: run Tests/Tools/generate_options.py")
    else:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(text)


if __name__ == "__main__":
    main()
