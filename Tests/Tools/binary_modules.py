#!/usr/bin/env python3
"""Lists how much of the program each module takes, from the map that the linker writes.

    Tests/Tools/binary_modules.py MAP [--least KB]

MAP is written with `-Xlinker -Map=FILE` (`make sizes` does so). Counted is what a stripped program has on disk: code and
data, without tables for the debugger and without memory that is only reserved. Modules of less than KB (default 100)
are put together. Code that the linker generated, for all modules at once, belongs to the module that its names begin with.
"""
import argparse
import collections
import re

# A line of lld's map: addresses, size, alignment, and then the output section, an input section or a symbol.
LINE = re.compile(r"^\s*([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+(\d+) (\s*)(.*)$")
INPUT = re.compile(r"^(.*):\((\.[^()]*|[A-Za-z_][^()]*)\)$")
NOT_IN_FILE = re.compile(r"^\.(t?bss|debug_|symtab|strtab|shstrtab|comment|note\.GNU-stack)|^\.(relro_padding)$")


# The mangled name of something that a module declares begins with the module's.
DECLARED = re.compile(r"^(?:symbolic _+)?\$s(\d+)(\w+)")


def declaring_module(name):
    """The module whose declaration, or whose use of another's, a symbol stands for."""
    match = DECLARED.match(name)
    if match and len(match.group(2)) >= int(match.group(1)):
        return match.group(2)[:int(match.group(1))]
    return "of several modules: generic code, texts and tables"


def module(path):
    """The module or library that an object file belongs to."""
    if path.startswith("<internal>"):
        return "made by the linker: relocations, common strings"
    archive = re.search(r"([^/]+)\.a\(", path)
    if archive:
        return archive.group(1)
    build = re.search(r"/([^/]+)\.build/", path)
    if build:
        return build.group(1)
    return "C start-up files"


def sizes(lines):
    """(bytes by module, bytes by output section)."""
    by_module, by_section = collections.Counter(), collections.Counter()
    section = None
    # What is left of the present section that the linker generated, and where its next symbol can be.
    left = position = 0
    for line in lines:
        match = LINE.match(line)
        if not match:
            continue
        start, size, indent, rest = (
            int(match.group(1), 16), int(match.group(3), 16), len(match.group(5)), match.group(6))
        if indent < 16 and left:
            by_module[declaring_module("")] += left
            left = 0
        if indent == 0:
            section = rest
            if not NOT_IN_FILE.match(section):
                by_section[section] += size
        elif indent == 8 and section and not NOT_IN_FILE.match(section):
            entry = INPUT.match(rest)
            if entry and entry.group(1).endswith(".lto.o"):
                left, position = size, start
            elif entry:
                by_module[module(entry.group(1))] += size
        elif indent == 16 and left and start >= position:
            size = min(size, left)
            by_module[declaring_module(rest)] += size
            left, position = left - size, start + size
    by_module[declaring_module("")] += left
    return by_module, by_section


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map")
    parser.add_argument("--least", type=int, default=100, metavar="KB")
    arguments = parser.parse_args()
    with open(arguments.map, encoding="utf-8", errors="replace") as lines:
        by_module, by_section = sizes(lines)
    total = sum(by_section.values())
    shown = 0
    for name, size in by_module.most_common():
        if size < arguments.least * 1024:
            break
        print(f"{size / 2**20:7.2f} MB  {name}")
        shown += size
    small = sum(by_module.values()) - shown
    print(f"{small / 2**20:7.2f} MB  modules of less than {arguments.least} KB")
    print(f"{(total - shown - small) / 2**20:7.2f} MB  gaps and tables without a module")
    print(f"{total / 2**20:7.2f} MB  in all")


if __name__ == "__main__":
    main()
