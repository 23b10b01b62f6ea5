#!/usr/bin/env python3
"""Writes the manual pages of matterctl from its own command definitions.

    manual_pages.py BINARY FOLDER        one page a command: matterctl.1, matterctl-node.1, matterctl-node-ls.1 …
                                         and for another name of a command one that stands for it

BINARY describes itself with --experimental-dump-help. It offers the verbs of a kind of device to shells (---complete). Beside the definitions the pages hold only what is the same for
every command: environment, files and exit codes of the command-line contract.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

EXIT_CODES = [
    ("0", "Done."),
    ("1", "A defect of matterctl."),
    ("3", "Not found: no such node or fabric here, or no device answered discovery."),
    ("4", "No answer: the device is unreachable or timed out, or the fate of a command is unknown."),
    ("5", "The device refused, with a status that the message names."),
    ("6", "The device has no such endpoint, cluster, attribute or command."),
    ("7", "The device's attestation failed."),
    ("8", "The device could not be commissioned: wrong passcode, window closed, already on this fabric, table full."),
    ("9", "The certificate issuer or the cloud failed."),
    ("10", "The state directory is busy, damaged or written by a newer version, or a name is taken."),
    ("11", "A local service or library is missing: Avahi, D-Bus, libcurl, a usable network interface."),
    ("64", "Wrong usage."),
    ("130", "Interrupted."),
]
ENVIRONMENT = [
    ("MATTERCTL_HOME", "The state directory, unless --home names one."),
    ("MATTERCTL_FABRIC", "The fabric to work with, unless --fabric names one."),
    ("XDG_DATA_HOME", "Without MATTERCTL_HOME, the state directory is its subdirectory matterctl."),
    ("XDG_STATE_HOME", "Its subdirectory matterctl shows that state directories are current; default ~/.local/state."),
]


def escaped(text):
    """Text as mdoc takes it, one line a sentence or part of a paragraph."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "\\[u2026]").replace("–", "\\[en]")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def word(text):
    """One argument of a macro."""
    return '"' + escaped(text).replace('"', "\\(dq") + '"'


def paragraphs(text):
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        example = re.match(r"Example: (.*)", paragraph, flags=re.S)
        if example:
            lines += [".Pp", "Example:", ".Dl " + word(example.group(1))]
        else:
            lines += [".Pp", escaped(paragraph)]
    return lines[1:] if lines[:1] == [".Pp"] else lines


def spelled(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def line(command):
    """Of a group, what it does with words that are no command of its own; else the command itself."""
    return next((c for c in command.get("subcommands", []) if c["commandName"].startswith(":")), command)


def shown(command):
    return [a for a in line(command).get("arguments", []) if a.get("shouldDisplay", True)]


def value(argument):
    return argument.get("valueName", "value")


def synopsis(argument):
    if argument["kind"] == "positional":
        text = f".Ar {word(value(argument))}" + (" ..." if argument.get("isRepeating") else "")
        return f".Op {text[1:]}" if argument["isOptional"] else text
    # The macro puts the first of the two dashes itself.
    text = f".Fl {word(spelled(argument['preferredName'])[1:])}"
    if argument["kind"] == "option":
        text += f" Ar {word(value(argument))}"
    return f".Op {text[1:]}" if argument["isOptional"] else text


def item(argument):
    if argument["kind"] == "positional":
        head = f".It Ar {word(value(argument))}"
    else:
        head = ".It " + " , ".join(f"Fl {word(spelled(n)[1:])}" for n in argument.get("names", []))
        if argument["kind"] == "option":
            head += f" Ar {word(value(argument))}"
    body = [escaped(argument.get("abstract", ""))]
    if argument.get("discussion"):
        body.append(escaped(argument["discussion"]))
    if argument.get("allValues"):
        body.append("One of " + escaped(", ".join(argument["allValues"])) + ".")
    if argument.get("defaultValue") is not None:
        body.append("Default: " + escaped(str(argument["defaultValue"])) + ".")
    return [head, *[line for line in body if line]]


def children(command):
    return [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]


def verbs(command, path):
    """The verbs of a kind of device, each with what it does."""
    kinds = [a.get("completionKind", {}).get("shellCommand", {}).get("command") for a in line(command).get("arguments", [])]
    if "deviceWords" not in kinds:
        return []
    # In a house without nodes nothing else is offered.
    offered = subprocess.run(
        [BINARY, "---complete", "fish", *path[1:], ""], check=True, capture_output=True, text=True,
        env={**os.environ, "MATTERCTL_HOME": "/nonexistent"}).stdout
    found = [entry.split("\t") for entry in offered.splitlines()[1:]]
    lines = [".Sh VERBS", ".Bl -tag -width Ds"]
    for verb, text in found:
        lines += [f".It Cm {word(verb)}", escaped(text)]
    return lines + [".El"]


def page(command, path, version):
    name = "-".join(path)
    lines = [
        f".\\\" Generated from the command definitions by {pathlib.Path(__file__).name}; do not edit.",
        ".Dd $Mdocdate$", f".Dt {word(name.upper())} 1", f".Os {word(version)}",
        # One word, by which apropos finds the page.
        ".Sh NAME", f".Nm {escaped(name)}", f".Nd {escaped(command.get('abstract', '').rstrip('.'))}",
        ".Sh SYNOPSIS", f".Nm {word(' '.join(path))}",
    ]
    if line(command) is not command:
        lines += [synopsis(a) for a in shown(command)] + [f".Nm {word(' '.join(path))}"]
    if children(command):
        lines += [".Ar command", ".Op Ar arguments ..."]
    else:
        lines += [synopsis(a) for a in shown(command)]
    lines += [".Sh DESCRIPTION", escaped(command.get("abstract", ""))]
    discussion = line(command).get("discussion")
    if discussion:
        lines += [".Pp", *paragraphs(discussion)]
    if children(command):
        lines += [".Bl -tag -width Ds"]
        for child in children(command):
            lines += [f".It Xr {word('-'.join([*path, child['commandName']]))} 1", escaped(child.get("abstract", ""))]
        lines += [".El"]
    lines += verbs(command, path)
    if shown(command):
        lines += [".Sh OPTIONS", ".Bl -tag -width Ds"]
        for argument in shown(command):
            lines += item(argument)
        lines += [".El"]
    lines += [".Sh ENVIRONMENT", ".Bl -tag -width Ds"]
    for variable, meaning in ENVIRONMENT:
        lines += [f".It Ev {variable}", escaped(meaning)]
    lines += [".El", ".Sh FILES", ".Bl -tag -width Ds", ".It Pa ~/.local/share/matterctl", "The state directory.", ".El"]
    lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for code, meaning in EXIT_CODES:
        lines += [f".It {code}", escaped(meaning)]
    lines += [".El"]
    if len(path) > 1:
        lines += [".Sh SEE ALSO", f".Xr {word('-'.join(path[:-1]))} 1"]
    return name, "\n".join(lines) + "\n"


def pages(command, path, version):
    yield page(command, path, version)
    for child in children(command):
        yield from pages(child, [*path, child["commandName"]], version)
        for alias in child.get("aliases") or []:
            yield "-".join([*path, alias]), f".so man1/{'-'.join([*path, child['commandName']])}.1\n"


def main():
    global BINARY
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    BINARY, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])

    def ask(option):
        return subprocess.run([BINARY, option], check=True, capture_output=True, text=True).stdout

    root = json.loads(ask("--experimental-dump-help"))["command"]
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, text in pages(root, [root["commandName"]], ask("--version").strip()):
        (folder / f"{name}.1").write_text(text.replace("$Mdocdate$", "\\&"), encoding="utf-8")
        count += 1
    print(f"{count} manual pages in {folder}")


if __name__ == "__main__":
    main()
