#!/usr/bin/env python3
"""Finds what does not belong into the sources. Prints PATH:LINE: what, and exits 1 if there is anything.

    Tests/Tools/check_sources.py

Swift sources: no way to crash on what comes from outside, no full Foundation, nothing unsafe without a reason beside it,
no public declaration without a doc comment, no vendor in a generic module.
Every file: nothing left to do, no path or host of one machine, no invisible control characters.
Scripts: that they parse. Pages: that their links to each other lead somewhere, and that the files they name exist.
"""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# (pattern, what is wrong with it) for the program's own Swift sources; comments and strings are left out.
PROGRAM = [
    (r"\btry!", "try! crashes"),
    (r"\bas!", "as! crashes"),
    (r"\b(fatalError|preconditionFailure|assertionFailure)\b", "ends the process"),
    (r"^\s*(package |public |internal |private )?import Foundation$", "use FoundationEssentials, or neither"),
    (r"\bUnsafeMutablePointer<\w+>\.allocate", "memory that is never freed"),
    (r"\b(?:mmap|getpagesize|_SC_PAGE_?SIZE)\b", "depends on the size of pages, which is 4, 16 or 64 KiB on arm64"),
]
# Allowed with a reason in a comment on the same line or on one of the lines above.
WITH_REASON = [
    (r"@unchecked Sendable", "@unchecked Sendable"),
    (r"\bnonisolated\(unsafe\)", "nonisolated(unsafe)"),
    (r"\bunsafeBitCast\b", "unsafeBitCast"),
]
# In tests: the load of the machine decides none.
REAL_SLEEP = re.compile(r"\b(?:Task|Thread)\.sleep\(|\busleep\(")
# An upper bound on a time that has passed; on virtual time it is exact.
DURATION = re.compile(r"(?:\b(?:duration|elapsed|waited|took)|[nN]ow - \w+\)?) <=? ?[.(]?(?:\w*econds|minutes|\w+ ==)")
# For every text file of the repository.
TEXT = [
    (r"\b(TODO|FIXME|XXX|HACK)\b", "nothing is left to do later: write an issue"),
    (r"(?<![\w.])/(?:work|root)/\w", "a path of one machine"),
    (r"\b(?:pypi\.org|pythonhosted\.org|deb\.debian\.org)\b", "the host of a package registry"),
    (r"\(reference,? [\dG]|\(design/", "a paper that is not in the repository"),
    (r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]", "a bidirectional control character"),
    (r"[ \t]+$", "blanks at the end of the line"),
]
# What people read, in plain English: whom a sentence is about is said (docs/contributing.md, "Words").
WORDS = [
    (re.compile(r"\b(somebody|nobody|whoever|anew|thereby)\b", re.I), "say who or what it is, or 'again'"),
    (re.compile(r'"[^"]*(?<!there) (?:is|are) no (?!longer)[a-z]+[^"]*"'), "say that it is not a …"),
]
# A comment that begins so wants a noun.
OPENING = re.compile(r"\s*///? What ")
# Files that people read; in tests, the words of what is tested stand.
READ = re.compile(r"Sources/(?!.*Generated/).*\.swift|docs/(?!contributing).*\.md|README\.md|Makefile")
# Without its name the parser makes one from the type, and looks through all conformances of the program for it.
NAMELESS_COMMAND = re.compile(r"\bCommandConfiguration\((?!\s*commandName:)")
# What an outside program sees; extensions and imports are not declarations.
PUBLIC = re.compile(r"\s*public (?!import\b|extension\b)")
# A library speaks for any program: names of ours stand in files and on the network, and nowhere else.
COMMAND_LINE = {"MatterCommandLine", "RainMakerCommandLine", "SimulatorCommandLine", "matterctl", "rainmaker-emulator"}
STRING = re.compile(r'"""(.*?)"""|"((?:\\.|[^"\\\n])*)"', re.S)
PROGRAM_NAME = re.compile(r"matterctl [a-z]|'matterctl|(?<![\w-])--[a-z]")
COMMENT_OR_STRING = re.compile(r'//.*|"(?:\\.|[^"\\])*"')


# What is generic does not know a vendor; what it plays or names as data is listed here.
VENDOR = re.compile(r"rainmaker", re.I)
VENDOR_MODULES = {"RainMaker", "RainMakerCommandLine", "RainMakerEmulator", "rainmaker-emulator", "matterctl"}
VENDOR_DATA = (
    "MatterClusters/Generated/", "MatterSimulator/Generated/",
    "MatterModel/DataModel/Generated/", "MatterController/Controller/Verbs/RepeatableCommands.swift",
    # The virtual device has the vendor's clusters, and lists what kinds of devices have them.
    "MatterSimulator/ApplicationClusters/RainMaker/", "MatterSimulator/DeviceTypes/SimulatedType+Table.swift",
)


def tracked():
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
        text=True).stdout.splitlines()
    # What releases wrote is not ours to change.
    return [path for name in names if not name.startswith("Tests/Fixtures/states/") and (path := ROOT / name).is_file()]


SWIFT_FILES = {path.name for path in tracked() if path.suffix == ".swift"}


def has_reason(lines, number):
    """Whether a comment stands on the line or above it."""
    if "//" in lines[number]:
        return True
    above = number - 1
    # Attributes and the declaration that it belongs to may stand in between.
    while above >= 0 and above >= number - 4:
        if "//" in lines[above]:
            return True
        above -= 1
    return False


def headings(path):
    """The anchors of a page: its headings as links spell them; a repeated one has a number."""
    found, in_code = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        in_code ^= line.startswith("```")
        if not in_code and (match := re.match(r"#+ (.*)", line)):
            name = anchor = re.sub(r"[^\w -]", "", match[1].lower()).replace(" ", "-")
            number = 0
            while anchor in found:
                number += 1
                anchor = f"{name}-{number}"
            found.add(anchor)
    return found


def broken_links(path, lines):
    for number, line in enumerate(lines):
        for file, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", line):
            target = path.parent / file if file else path
            if not target.exists():
                yield number, f"a link to {file}, which is not there"
            elif anchor and anchor not in headings(target):
                yield number, f"a link to {file}#{anchor}, which is no heading"


def missing_files(lines, known):
    """Files that a page names in code spans and that the repository lacks; `…` and `<…>` stand for any name."""
    for number, line in enumerate(lines):
        for span in re.findall(r"`([\w./+-]+)`", line):
            is_path = re.match(r"(?:Sources|Tests|docs|\.ci)/", span)
            if is_path and not (ROOT / span.rstrip("/")).exists():
                yield number, f"{span} is not in the repository"
            elif not is_path and span.endswith(".swift") and span.rsplit("/")[-1] not in known:
                yield number, f"no file is called {span}"


def is_documented(lines, number):
    """Whether a doc comment stands above a declaration, or above its attributes."""
    above = number - 1
    while above >= 0 and re.match(r"\s*@", lines[above]):
        above -= 1
    return above >= 0 and lines[above].lstrip().startswith("///")


def findings(path):
    name = path.relative_to(ROOT)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    lines = text.splitlines()
    is_program = name.parts[0] == "Sources" and path.suffix == ".swift"
    for number, line in enumerate(lines):
        if path != pathlib.Path(__file__).resolve():
            for pattern, what in TEXT:
                # Output that ends with a tab is shown as it is.
                if re.search(pattern, line) and not (path.suffix == ".md" and what.startswith("blanks")):
                    yield number, what
        if READ.fullmatch(str(name)):
            yield from ((number, what) for pattern, what in WORDS if pattern.search(line))
        if path.suffix != ".swift":
            continue
        if OPENING.match(line):
            yield number, "begin a comment with a noun: 'The state of …'"
        code = COMMENT_OR_STRING.sub("", line)
        if is_program and "Generated" not in name.parts and PUBLIC.match(line) and not is_documented(lines, number):
            yield number, "a public declaration without a doc comment"
        if is_program:
            for pattern, what in PROGRAM:
                if re.search(pattern, code):
                    yield number, what
        for pattern, what in WITH_REASON:
            if re.search(pattern, code) and not has_reason(lines, number):
                yield number, f"{what} without a reason beside it"
        if name.parts[0] == "Tests" and "Bench" not in name.parts:
            if REAL_SLEEP.search(code) and not has_reason(lines, number):
                yield number, "a real sleep without a reason beside it: wait for an event (awaitEvent)"
            if DURATION.search(code) and ".virtualTime" not in text:
                yield number, "an upper bound on a duration, which the load of the machine decides"
    # The declaration of a kind of device has the words of its command (docs/decisions/0029-declaration.md).
    is_kind = name.parts[:4] == ("Sources", "MatterController", "Controller", "Kinds")
    # A page is for people, who start the program.
    is_page = name.parts[:3] == ("Sources", "HouseServer", "Web")
    if is_program and name.parts[1] not in COMMAND_LINE and not is_kind and not is_page:
        code = re.sub(r"^\s*//.*", "", text, flags=re.M)
        for match in STRING.finditer(code):
            if PROGRAM_NAME.search(match[1] or match[2] or ""):
                yield code.count("\n", 0, match.start()), "a library names the command line: give the hint as a step"
    if is_program and name.parts[1] not in VENDOR_MODULES:
        if not str(name).removeprefix("Sources/").startswith(VENDOR_DATA):
            for number, line in enumerate(lines):
                if VENDOR.search(line):
                    yield number, "a vendor's name in a generic module: let the vendor's module register it"
    if is_program:
        for match in NAMELESS_COMMAND.finditer(text):
            yield text.count("\n", 0, match.start()), "a command without commandName, which is slow"
    if path.suffix == ".md":
        yield from broken_links(path, lines)
        # What a decision says of files was true on its day.
        if "decisions" not in name.parts:
            yield from missing_files(lines, SWIFT_FILES)
    if text and not text.endswith("\n"):
        yield len(lines) - 1, "no line end at the end of the file"
    if path.suffix == ".py":
        try:
            ast.parse(text)
        except SyntaxError as error:
            yield (error.lineno or 1) - 1, f"does not parse: {error.msg}"
    if lines and lines[0].startswith("#!") and lines[0].endswith("sh"):
        shell = subprocess.run([lines[0][2:].split()[-1], "-n", str(path)], capture_output=True, text=True)
        if shell.returncode:
            yield 0, f"does not parse: {shell.stderr.strip()}"


def main():
    count = 0
    for path in tracked():
        for number, what in findings(path):
            count += 1
            print(f"{path.relative_to(ROOT)}:{number + 1}: {what}")
    if count:
        print(f"{count} finding{'s' if count != 1 else ''}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
