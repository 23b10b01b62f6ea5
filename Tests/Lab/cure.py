#!/usr/bin/env python3
"""Prints the commands that the cure of a check says to type, for a shell to run.

    cure.py CHECK < what `doctor --json` said

The laboratory is root, so `sudo` is left out; `matterctl` is the program under test, and DIR a folder of the test. A line
for a configuration file is written into it. Exits 1 if the cure has no command.
"""
import json
import re
import sys

STARTS = re.compile(r"\b(sudo |echo |export |ulimit |matterctl )")


def commands(cure):
    line = re.match(r"write (\S+) into (\S+),", cure)
    if line:
        key, path = line[1].split("=")[0], line[2]
        yield f"{{ grep -v '^{key}=' {path} || true; }} > \"$WORK/line\""
        yield f"echo '{line[1]}' >> \"$WORK/line\"; cat \"$WORK/line\" > {path}"
    denied = re.match(r"take (\S+) out of deny-interfaces in (\S+),", cure)
    if denied:
        yield f"sed 's/^\\(deny-interfaces=.*\\){denied[1]}/\\1/' {denied[2]} > \"$WORK/line\""
        yield f"cat \"$WORK/line\" > {denied[2]}"
    for part in cure.split("; "):
        start = STARTS.search(part)
        if not start or "apt install" in part:
            continue
        command = part[start.start():].split(" (")[0].replace("sudo ", "")
        yield re.sub(r"^matterctl ", '"$BINARY" ', command).replace(" DIR", ' "$WORK/copies" --plain --yes')


def main():
    checks = {check["check"]: check for check in json.load(sys.stdin)["checks"]}
    found = list(commands(checks[sys.argv[1]].get("cure", "")))
    print("\n".join(found))
    sys.exit(0 if found else 1)


if __name__ == "__main__":
    main()
