#!/usr/bin/env python3
"""Makes the source tree of a package: what is committed, the pinned libraries, and the folder debian.

    sources.py FOLDER        FOLDER/matterctl-VERSION/ and FOLDER/matterctl_VERSION.orig.tar.xz

A build of the tree needs no network: the libraries lie in vendor/, and its Package.swift looks for them there. What the package
manager resolves is compared with pins.json.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PINS = json.loads((HERE / "pins.json").read_text(encoding="utf-8"))
DEPENDENCY = re.compile(r'\.package\(url: "(?P<url>[^"]+)", from: "(?P<least>[^"]+)"\)')


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, **options).stdout.strip()


def fail(text):
    sys.exit(f"sources.py: {text}")


def version():
    source = (ROOT / "Sources/MatterCommandLine/Version.swift").read_text(encoding="utf-8")
    number = re.search(r'number = "([0-9.]+)"', source)[1]
    first = (HERE / "debian/changelog").read_text(encoding="utf-8").splitlines()[0]
    packaged = re.match(r"matterctl \(([0-9.]+)-[0-9]+\)", first)
    if not packaged or packaged[1] != number:
        fail(f"the program is {number}, but debian/changelog begins with {first!r}")
    return number


def resolved(tree, work):
    """The checkouts of the libraries, by name, of the commits that pins.json says."""
    pins = [
        {"identity": name.lower(), "kind": "remoteSourceControl", "location": pin["url"],
         "state": {"revision": pin["revision"], "version": pin["version"]}}
        for name, pin in sorted(PINS.items())]
    (tree / "Package.resolved").write_text(json.dumps({"pins": pins, "version": 2}), encoding="utf-8")
    run("swift", "package", "--package-path", str(tree), "--scratch-path", str(work), "--force-resolved-versions", "resolve")
    got = json.loads((tree / "Package.resolved").read_text(encoding="utf-8"))["pins"]
    (tree / "Package.resolved").unlink()
    if {pin["identity"] for pin in got} != {name.lower() for name in PINS}:
        fail(f"the package needs {sorted(pin['identity'] for pin in got)}, but pins.json has {sorted(PINS)}")
    checkouts = {}
    for name, pin in PINS.items():
        checkout = work / "checkouts" / name
        commit = run("git", "-C", str(checkout), "rev-parse", "HEAD")
        if commit != pin["revision"]:
            fail(f"{name} {pin['version']} was resolved to {commit}, but pins.json has {pin['revision']}")
        checkouts[name] = checkout
    return checkouts


def vendored(tree):
    """Points Package.swift at vendor/."""
    manifest = tree / "Package.swift"
    text = manifest.read_text(encoding="utf-8")
    found = {match["url"]: match["least"] for match in DEPENDENCY.finditer(text)}
    for name, pin in PINS.items():
        if "through" in pin:
            continue
        least = found.pop(pin["url"], None) or fail(f"Package.swift has no dependency on {pin['url']}")
        if [*map(int, pin["version"].split("."))] < [*map(int, least.split("."))]:
            fail(f"pins.json has {name} {pin['version']}, but Package.swift wants {least} at least")
    if found:
        fail(f"pins.json lacks {', '.join(found)}")
    manifest.write_text(DEPENDENCY.sub(lambda match: f'.package(path: "vendor/{match["url"].rsplit("/", 1)[1]}")', text), encoding="utf-8")


def vendored_inside(tree):
    """Points the manifests of the libraries at their neighbours in vendor/."""
    names = {pin["url"].removesuffix(".git").rsplit("/", 1)[1]: name for name, pin in PINS.items()}

    def neighbour(match):
        name = names.get(match["url"].removesuffix(".git").rsplit("/", 1)[1])
        return f'.package(path: "../{name}")' if name else match[0]

    for name in {pin["through"] for pin in PINS.values() if "through" in pin}:
        for manifest in (tree / "vendor" / name).glob("Package*.swift"):
            text = manifest.read_text(encoding="utf-8")
            manifest.write_text(re.sub(DEPENDENCY.pattern, neighbour, text), encoding="utf-8")


def digest(folder):
    """A digest of the names and contents of all files in a folder."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        whole.update(f"{path.relative_to(folder)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def archive(tree, target, moment):
    """Packs a folder, so that the same files make the same archive wherever, whenever and by whomever they are packed."""
    run("tar", "--sort=name", "--format=posix", "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
        f"--mtime=@{moment}", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go=rX,go-w", "--exclude=./debian",
        "--transform", f"s,^\\.,{tree.name},", "-cf", str(target.with_suffix("")), "-C", str(tree), ".",
        env={**os.environ, "LC_ALL": "C"})
    run("xz", "-9", "--threads=1", "--force", str(target.with_suffix("")))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    os.umask(0o022)
    folder = pathlib.Path(sys.argv[1]).resolve()
    number = version()
    commit = run("git", "-C", str(ROOT), "rev-parse", "HEAD")
    moment = run("git", "-C", str(ROOT), "log", "-1", "--format=%ct")
    tree = folder / f"matterctl-{number}"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", str(tree)], input=packed, check=True)
    with tempfile.TemporaryDirectory(prefix="matterctl-sources.") as work:
        for name, checkout in resolved(tree, pathlib.Path(work)).items():
            shutil.copytree(checkout, tree / "vendor" / name, symlinks=True, ignore=shutil.ignore_patterns(".git", ".build"))
            # A checkout cannot be written, which only root does not notice.
            for path in (tree / "vendor" / name).rglob("*"):
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | stat.S_IWUSR)
    vendored(tree)
    (tree / "commit").write_text(commit + "\n", encoding="utf-8")
    vendored_inside(tree)
    digests = {name: digest(tree / "vendor" / name) for name in PINS}
    (tree / "vendor/digests.json").write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")
    archive(tree, folder / f"matterctl_{number}.orig.tar.xz", moment)
    shutil.copytree(tree / ".packaging/debian", tree / "debian")
    print(tree)


main()
