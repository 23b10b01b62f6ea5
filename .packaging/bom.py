#!/usr/bin/env python3
"""Writes the bill of materials of a program (CycloneDX 1.6, JSON): what is linked into it, and the data that it carries.

    bom.py BINARY [VENDOR] > matterctl.cdx.json

BINARY says its own versions (`--version --json`). VENDOR is the folder with the libraries' sources, whose digests are recorded.
SOURCE_DATE_EPOCH is its time. MATTERCTL_SWIFT is the version of Swift's runtime, where another machine compiled the program.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent


def output(*words):
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def component(name, version, license, **more):
    kind = more.pop("type", "library")
    return {"type": kind, "bom-ref": f"{name}@{version}", "name": name, "version": version,
            "licenses": [{"expression": license} if " " in license else {"license": {"id": license}}], **more}


def needed(binary):
    """The shared libraries that the program asks the loader for."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-dW", binary))


def libraries(binary, says, vendor):
    digests = {}
    if vendor:
        digests = json.loads((pathlib.Path(vendor) / "digests.json").read_text(encoding="utf-8"))
    for name, pin in sorted(json.loads((HERE / "pins.json").read_text(encoding="utf-8")).items()):
        if not pin["linked"]:
            continue
        owner = pin["url"].split("/")[3]
        hashes = [{"alg": "SHA-256", "content": digests[name]}] if name in digests else None
        yield component(
            name, pin["version"], pin["license"], purl=f"pkg:swift/github.com/{owner}/{name}@{pin['version']}",
            **({"hashes": hashes} if hashes else {}),
            externalReferences=[{"type": "vcs", "url": pin["url"], "comment": f"commit {pin['revision']}"}])
    swift = os.environ.get("MATTERCTL_SWIFT") or re.search(r"Swift version ([0-9.]+)", output("swift", "--version"))[1]
    yield component(
        "swift-runtime", swift, "Apache-2.0 WITH Swift-exception", purl=f"pkg:generic/swift-runtime@{swift}",
        description="Swift's standard library, Concurrency, Synchronization and FoundationEssentials, linked statically")
    shared = needed(binary)
    if not any(name.startswith("libcrypto") for name in shared):
        yield component("openssl", says["openssl"], "Apache-2.0", purl=f"pkg:generic/openssl@{says['openssl']}",
                        description="libcrypto, linked statically")
    if not any(name.startswith("libstdc++") for name in shared):
        version = output("clang++", "-print-file-name=libstdc++.a").strip()
        package = output("dpkg-query", "-S", os.path.realpath(version)).split(":")[0]
        version = output("dpkg-query", "-W", "-f", "${source:Upstream-Version}", package)
        yield component("libstdc++", version, "GPL-3.0-only WITH GCC-exception-3.1", purl=f"pkg:generic/libstdc%2B%2B@{version}",
                        description="GNU's C++ library, for Swift's runtime, linked statically")


def data(says):
    yield component(
        "matter-data-model", says["specification"], "Apache-2.0", type="data",
        description=f"clusters, commands and device types of Matter {says['specification']}, as of {says['catalogueDate']}")
    yield component(
        "attestation-authorities", says["authoritiesDate"], "CC0-1.0", type="data",
        description=f"the production ledger's attestation authorities, as of {says['authoritiesDate']}")


def main():
    binary, vendor = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    says = json.loads(output(binary, "--version", "--json"))
    moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    commit = says.get("commit", "unknown")
    program = component("matterctl", says["version"], "Apache-2.0", type="application",
                        properties=[{"name": "commit", "value": commit}, {"name": "architecture", "value": says["architecture"]}])
    parts = [*libraries(binary, says, vendor), *data(says)]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([program, parts]))
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1,
        "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": program},
        "components": parts,
        "dependencies": [{"ref": program["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }, indent=2))


main()
