#!/usr/bin/env python3
"""record_demo.py BINARY FOLDER: plays the demo and the first hour of a new user, each in a terminal of its own, and writes what
they showed: FOLDER/demo.cast and FOLDER/first-hour.cast (asciicast, version 2), FOLDER/demo.svg, in which the lines appear in the
time that they took, and FOLDER/first-hour.txt."""

import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios
import time
from html import escape

# Each with the size of its terminal.
SCRIPTS = {"demo": (112, 60), "first-hour": (100, 40)}
ROW, COLUMN, MARGIN = 18, 8.1, 16
COLORS = {"31": "#f47067", "32": "#8ddb8c", "33": "#f69d50", "90": "#768390"}
PLAIN = ("", False)


def play(name, binary):
    """The output of a script, with the seconds from its start."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Lab", f"{name}.sh")
    width, height = SCRIPTS[name]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(script, [script, os.path.abspath(binary)], dict(os.environ, TERM="xterm-256color"))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    start, events, rest = time.monotonic(), [], b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        # A character may be cut in two.
        data, rest = rest + data, b""
        while data:
            try:
                text = data.decode()
                break
            except UnicodeDecodeError as error:
                if error.reason != "unexpected end of data" or len(data) - error.start > 3:
                    raise
                data, rest = data[: error.start], data[error.start:] + rest
        if data:
            events.append((round(time.monotonic() - start, 3), text))
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit(f"{name}.sh failed:\n" + "".join(text for _, text in events))
    return events


class Screen:
    """The lines of a terminal that never scrolls: cells with their style, and when each line was last written."""

    def __init__(self):
        self.lines, self.times, self.row, self.column, self.style = [[]], [0.0], 0, 0, PLAIN

    def write(self, now, text):
        for token in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|.", text, re.S):
            if token == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append([])
                    self.times.append(now)
            elif token == "\r":
                self.column = 0
            elif token.startswith("\x1b"):
                self.control(token)
            elif token >= " ":
                line = self.lines[self.row]
                line.extend([(" ", PLAIN)] * (self.column + 1 - len(line)))
                line[self.column] = (token, self.style)
                self.column, self.times[self.row] = self.column + 1, now

    def control(self, token):
        numbers = [number for number in token[2:-1].strip("?").split(";") if number]
        if token[-1] == "m":
            for number in numbers or ["0"]:
                color, isBold = self.style
                self.style = (
                    PLAIN if number == "0" else (color, True) if number == "1" else
                    (COLORS.get(number, color), isBold))
        elif token[-1] == "J":
            del self.lines[self.row][self.column:]
            del self.lines[self.row + 1:], self.times[self.row + 1:]
        elif token[-1] == "K":
            del self.lines[self.row][0 if numbers == ["2"] else self.column:]
        elif token[-1] == "A":
            self.row = max(0, self.row - int(numbers[0] if numbers else 1))


def shown(events):
    screen = Screen()
    for now, text in events:
        screen.write(now, text)
    while screen.lines and not any(cell != " " for cell, _ in screen.lines[-1]):
        screen.lines.pop()
    return screen


def drawing(events):
    screen = shown(events)
    longest = max(map(len, screen.lines))
    width, height = int(longest * COLUMN) + 2 * MARGIN, len(screen.lines) * ROW + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.3">',
        "<title>matterctl finds, commissions and switches a light</title>",
        "<style>text{white-space:pre;fill:#cdd9e5;animation:come .01s both}"
        "@keyframes come{from{visibility:hidden}to{visibility:visible}}"
        "@media (prefers-reduced-motion){text{animation:none}}</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#1c2128"/>',
    ]
    for row, cells in enumerate(screen.lines):
        runs = []
        for cell, style in cells:
            if runs and runs[-1][1] == style:
                runs[-1][0] += cell
            else:
                runs.append([cell, style])
        spans = []
        for text, (color, isBold) in runs:
            style = (f' fill="{color}"' if color else "") + (' font-weight="bold"' if isBold else "")
            spans.append(f"<tspan{style}>{escape(text)}</tspan>" if style else escape(text))
        if spans:
            y = MARGIN + (row + 1) * ROW - 5
            parts.append(
                f'<text x="{MARGIN}" y="{y}" style="animation-delay:{screen.times[row]:.2f}s">{"".join(spans)}</text>')
    return "\n".join(parts + ["</svg>", ""])


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


binary, folder = sys.argv[1:]
for name, (width, height) in SCRIPTS.items():
    events = play(name, binary)
    header = {"version": 2, "width": width, "height": height, "title": name, "env": {"TERM": "xterm-256color"}}
    lines = [json.dumps(header)] + [json.dumps([now, "o", text], ensure_ascii=False) for now, text in events]
    write(folder, f"{name}.cast", "\n".join(lines) + "\n")
    if name == "demo":
        write(folder, "demo.svg", drawing(events))
    else:
        rows = ("".join(cell for cell, _ in line).rstrip() for line in shown(events).lines)
        write(folder, f"{name}.txt", "\n".join(rows) + "\n")
