#!/usr/bin/env python3
"""Asks a server of the house as another user, past the permissions of its sockets.

    foreign_user.py [--user N] FOLDER PROGRAM HOME NODE

FOLDER has the server's sockets. As root, the folder and the sockets are opened to everyone, so that only what the kernel says of
the peer (SO_PEERCRED) is left to protect them. Then, as the other user, or without --user as root itself: a shell's command at
`shell-*.sock`, which toggles a NODE, and a WebSocket at `serve-*.sock`. Both are asked as the PROGRAM with the state directory HOME
would ask. Prints a line of JSON: for each socket what came back, up to 200 bytes, or the name of the error.
"""
import argparse
import glob
import json
import os
import socket
import subprocess

WAIT = 10


def greeting(program, home):
    """What a shell says first: it has to be of the server's version and state."""
    version = json.loads(subprocess.run([program, "--version", "--json"], check=True, capture_output=True).stdout)
    status = os.stat(home)
    return json.dumps({"shell": 1, "program": f"{version['version']} {version.get('commit', '')}",
                       "state": f"{status.st_dev}:{status.st_ino}"}).encode() + b"\n"


def ask(name, lines):
    """Everything that comes back, each line being sent once something came; `refused` if the connection is reset."""
    answer = b""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.settimeout(WAIT)
        try:
            stream.connect(name)
        except OSError as error:
            # The permissions were to be out of the way.
            return f"not connected: {error}"
        try:
            for line in lines:
                stream.sendall(line)
                part = stream.recv(4096)
                answer += part
                if not part:
                    break
        except (ConnectionResetError, BrokenPipeError):
            pass
        except TimeoutError:
            return "silence"
    return answer[:200].decode("latin-1")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--user", type=int, default=0)
    for name in ("folder", "program", "home", "node"):
        p.add_argument(name)
    options = p.parse_args()
    shell_lines = [greeting(options.program, options.home),
                   json.dumps({"run": ["toggle", options.node], "environment": {"MATTERCTL_HOME": options.home},
                               "terminals": []}).encode() + b"\n"]
    web_lines = [b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"]
    # From here on, names are relative: the folders above stay closed.
    os.chdir(options.folder)
    shell, web = glob.glob("shell-*.sock"), glob.glob("serve-*.sock")
    os.chmod(".", 0o711)
    for name in shell + web:
        os.chmod(name, 0o666)
    if options.user:
        os.setgroups([])
        os.setgid(options.user)
        os.setuid(options.user)
    print(json.dumps({"user": os.getuid(), "shell": ask(shell[0], shell_lines), "web": ask(web[0], web_lines)}))


if __name__ == "__main__":
    main()
