#!/usr/bin/env python3
"""Starts python-matter-server's own server, to compare ours with it.

    .peers/bin/python Tests/Lab/ha_server.py FOLDER [--port PORT] [--trust FILE.der|FOLDER ...]

Everything that it keeps is in FOLDER. It trusts the authorities given, and asks no ledger for others. Its log goes to stderr; it is
ready at `Matter Server successfully initialized`. It has the fabric 2 of the controller's Python, and listens on 127.0.0.1.
"""

import argparse
import os
import pathlib
import shutil
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--port", type=int, default=5580)
    parser.add_argument("--trust", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--log-level", default="info")
    options = parser.parse_args()
    folder = options.folder.resolve()
    trust, storage = folder / "paa", folder / "storage"
    for path in (trust, storage):
        path.mkdir(parents=True, exist_ok=True)
    files = [file for path in options.trust for file in (sorted(path.glob("*.der")) if path.is_dir() else [path])]
    for number, file in enumerate(files):
        shutil.copyfile(file, trust / f"{number}-{file.name}")
    # Without this file it takes the folder for an old one, and empties it.
    (trust / ".version").write_text("1")
    # It leaves files where it runs.
    os.chdir(storage)
    os.execv(sys.executable, [
        sys.executable, "-m", "matter_server.server", "--storage-path", str(storage), "--listen-address", "127.0.0.1",
        "--port", str(options.port), "--paa-root-cert-dir", str(trust), "--log-level", options.log_level])


if __name__ == "__main__":
    main()
