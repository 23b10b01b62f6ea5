#!/usr/bin/env python3
"""Packs the installed program for systems without dpkg: unpack it into a prefix, and it runs.

    tarball.py BINARY FOLDER        FOLDER/matterctl-VERSION-linux-ARCHITECTURE.tar.gz

The archive has bin/ and share/, as below /usr/local: program, completion scripts, manual pages, documents, licences and the bill of
materials. SOURCE_DATE_EPOCH is the time of its files.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import packing

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAMES = {"x86_64": "amd64", "aarch64": "arm64"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    binary, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    says = json.loads(subprocess.run([binary, "--version", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    name = f"matterctl-{says['version']}-linux-{NAMES.get(says['architecture'], says['architecture'])}"
    with tempfile.TemporaryDirectory(prefix="matterctl-tarball.") as work:
        prefix = pathlib.Path(work)
        subprocess.run([ROOT / "Tests/Tools/install.sh", binary, prefix], check=True, stdout=sys.stderr)
        # The symbols are a file of their own, as large as the program.
        shutil.rmtree(prefix / "lib")
        documents = prefix / "share/doc/matterctl"
        documents.mkdir(parents=True)
        for file in ("README.md", "LICENSE"):
            shutil.copy(ROOT / file, documents)
        shutil.copytree(ROOT / "docs", documents / "docs")
        shutil.copy(HERE / "debian/copyright", documents / "copyright")
        bom = subprocess.run([HERE / "bom.py", binary], check=True, stdout=subprocess.PIPE).stdout
        (documents / "matterctl.cdx.json").write_bytes(bom)
        folder.mkdir(parents=True, exist_ok=True)
        packed = packing.zipped(packing.tar(prefix))
        (folder / f"{name}.tar.gz").write_bytes(packed)
        print(f"{packing.digest(packed)}  {name}.tar.gz ({len(packed) / 1e6:.1f} MB)")


main()
