#!/usr/bin/env python3
"""complete_in_shell.py SHELL SCRIPT LINE...: types each line into an interactive shell that has loaded the completion
script, presses the tabulator, and prints what the line has become, one JSON string for each line. A line that ends in a
newline asks for what the shell lists instead: two tabulators, and all words on the screen. The shell runs in the folder of
the script."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

shell, script, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
DEADLINE = time.monotonic() + 80
TELL = b"\x14"
KILL_LINE = b"\x15"
# What a key tells is written in pieces, so that the echo of the set-up is not taken for it.
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "PS1='>'; set +o history; bind 'set bell-style none'; bind 'set enable-bracketed-paste off';"
             "bind 'set page-completions off'; bind 'set completion-query-items 0'; . %s;"
             """bind -x '"\\C-t": printf "\\nLI""NE<%%s>EN""IL\\n" "$READLINE_LINE"'\n"""),
    "zsh": (["zsh", "-f", "-i"],
            "PS1='>'; unsetopt beep prompt_cr prompt_sp; zle_bracketed_paste=(); LISTMAX=1000;"
            "autoload -U compinit; compinit -u -D; . %s;"
            "tell() { zle -I; print -r -- 'LI''NE<'\"$BUFFER\"'>EN''IL' }; zle -N tell; bindkey '^T' tell\n"),
    "fish": (["fish", "--no-config", "-i"],
             "set -g fish_greeting; source %s; function tell; printf '\\n%%s%%s>EN%%s\\n' 'LI''NE<' (commandline) IL; end;"
             "bind \\ct tell\n"),
}
arguments, setup = START[shell]
child, terminal = pty.fork()
if child == 0:
    os.chdir(os.path.dirname(script))
    environment = dict(os.environ, TERM="dumb" if shell != "fish" else "xterm", COLUMNS="200", LC_ALL="C.UTF-8")
    os.execvpe(arguments[0], arguments, environment)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
screen = ""


def told(patience):
    """What the key tells next, and the screen before it; None if it tells nothing for so many seconds."""
    global screen
    end = time.monotonic() + patience
    while True:
        found = re.search("LINE<(.*?)>ENIL", screen, re.S)
        if found:
            before, screen = screen[: found.start()], screen[found.end():]
            return found.group(1).replace("\r", ""), before
        if time.monotonic() > min(end, DEADLINE):
            return None
        if select.select([terminal], [], [], 0.2)[0]:
            screen += os.read(terminal, 65536).decode(errors="replace")


def wait(isEmpty):
    """The line, once it is empty or not, and the screen before that. A shell that was busy may lose the key."""
    seen = ""
    while True:
        answer = told(3)
        if answer:
            seen += answer[1]
            if (answer[0] == "") == isEmpty:
                return answer[0], seen
        elif time.monotonic() > DEADLINE:
            sys.exit(f"{shell} gave no answer; the screen: {seen + screen!r}")
        else:
            os.write(terminal, (KILL_LINE if isEmpty else b"") + TELL)


# Until it is ready, a shell may lose what is typed.
while True:
    os.write(terminal, KILL_LINE + (setup % script).encode() + TELL)
    answer = told(3)
    if answer:
        break
    if time.monotonic() > DEADLINE:
        sys.exit(f"{shell} is not ready; the screen: {screen!r}")
for line in lines:
    os.write(terminal, KILL_LINE + TELL)
    wait(isEmpty=True)
    isList = line.endswith("\n")
    os.write(terminal, (line.rstrip("\n") + ("\t\t" if isList else "\t")).encode() + TELL)
    became, seen = wait(isEmpty=False)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b.", " ", seen)
    print(json.dumps(plain.split() if isList else became), flush=True)
os.write(terminal, KILL_LINE + b"exit\n")
