#!/usr/bin/env python3
"""Makes an OCI image of the program, without a container engine and without network names of our own.

    image.py DEB FOLDER [SUITE]        FOLDER/matterctl-VERSION-ARCHITECTURE.oci.tar, and its unpacked root in FOLDER/rootfs

The root has the package's program, what it is linked with, the libraries that it opens, the authorities of TLS, and time zones;
no shell, no package manager. They come from Debian SUITE (default trixie) by apt, which checks their signatures. The process is user
65532; its state directory is the volume /state. SOURCE_DATE_EPOCH is the time of all files.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import packing

USER = 65532
# Opened when they are needed. Those that the program is linked with are what the package depends on.
LIBRARIES = ["libavahi-client3", "libavahi-common-data", "libcurl4t64", "libdbus-1-3", "libqrencode4"]
DATA = ["ca-certificates", "tzdata", "base-files", "netbase"]
# What a program never opens.
DROPPED = ["usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/bash-completion", "usr/share/zsh",
           "usr/share/fish", "usr/share/bug", "usr/share/doc/matterctl/docs", "etc/init.d", "etc/update-motd.d", "usr/share/base-files",
           "usr/lib/systemd", "usr/sbin", "usr/share/matterctl", "usr/lib/*/gconv", "etc/skel", "root", "home", "boot", "media", "mnt",
           "opt", "srv", "var/backups", "var/spool", "var/local", "usr/games", "usr/local"]


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


class Suite:
    """Packages of a Debian suite, by an apt of its own, which leaves that of the system alone."""

    def __init__(self, name, folder, architecture):
        self.architecture = architecture
        for part in ("state/lists/partial", "cache/archives/partial", "etc"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "state/status").touch()
        (folder / "etc/sources.list").write_text(
            f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror()} {name} main\n")
        self.words = [
            "-o", f"Dir::State={folder}/state", "-o", f"Dir::State::status={folder}/state/status", "-o", f"Dir::Cache={folder}/cache",
            "-o", f"Dir::Etc::sourcelist={folder}/etc/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null",
            "-o", f"APT::Architecture={architecture}", "-o", f"APT::Architectures={architecture}", "-o", "APT::Sandbox::User=root",
            "-o", "Acquire::Check-Valid-Until=false"]
        run("apt-get", *self.words, "update", "-qq")
        self.folder = folder

    def closure(self, packages):
        """The libraries with all that they depend on, by name; tools of maintainers' scripts are left out."""
        text = run("apt-get", *self.words, "install", "--simulate", "--no-install-recommends", *packages)
        return sorted(set(re.findall(r"^Inst (\S+)", text, flags=re.M)))

    def fetch(self, packages, target):
        target.mkdir(parents=True, exist_ok=True)
        run("apt-get", *self.words, "download", "-qq", *packages, cwd=target)
        return sorted(target.glob("*.deb"))


def mirror():
    """The mirror that this machine is set up with."""
    text = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    found = [line.rstrip("/") for line in text.splitlines() if re.search(r"/debian/?$", line)]
    return found[0] if found else sys.exit("image.py: apt knows no mirror of Debian")


def filled(root, deb, suite, work):
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for folder in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / folder).mkdir(parents=True, exist_ok=True)
        (root / folder).symlink_to(f"usr/{folder}")
    depends = re.findall(r"(?:^|, )([a-z0-9.+-]+)", run("dpkg-deb", "-f", str(deb), "Depends"))
    wanted = [name for name in suite.closure([*depends, *LIBRARIES]) if re.match(r"lib|zlib|gcc-\d+-base", name)] + DATA
    packages = suite.fetch(wanted, work / "archives")
    for package in [*packages, deb]:
        # Through tar, which keeps the links of a merged /usr.
        contents = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", root], input=contents, check=True)
    for pattern in DROPPED:
        for path in root.glob(pattern):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    bundle = b"".join(path.read_bytes() for path in sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt")))
    (root / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
    (root / "etc/ssl/certs/ca-certificates.crt").write_bytes(bundle)
    (root / "etc/passwd").write_text(f"root:x:0:0:root:/:/nonexistent\nmatterctl:x:{USER}:{USER}::/state:/nonexistent\n")
    (root / "etc/group").write_text(f"root:x:0:\nmatterctl:x:{USER}:\n")
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")
    for folder, mode in (("tmp", 0o1777), ("run/dbus", 0o755), ("state", 0o755)):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder).chmod(mode)
    return [path.name for path in packages]


def image(root, version, architecture, packages):
    """The files of an OCI layout."""
    blobs = {}

    def blob(octets):
        blobs[packing.digest(octets)] = octets
        return {"digest": f"sha256:{packing.digest(octets)}", "size": len(octets)}

    # The state directory belongs to the process; everything else to root.
    layer = packing.tar(root, private={"state": USER})
    packed = packing.zipped(layer)
    created = run("date", "-u", "-d", f"@{packing.MOMENT}", "+%Y-%m-%dT%H:%M:%SZ").strip()
    config = {
        "created": created, "architecture": architecture, "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/matterctl"], "WorkingDir": "/state", "Volumes": {"/state": {}},
            "Env": ["PATH=/usr/bin", "LANG=C.UTF-8", "MATTERCTL_HOME=/state", "XDG_STATE_HOME=/state/.witness"],
            "Labels": {"org.opencontainers.image.title": "matterctl", "org.opencontainers.image.version": version,
                       "org.opencontainers.image.licenses": "Apache-2.0"}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{packing.digest(layer)}"]},
        "history": [{"created": created, "created_by": "matterctl .packaging/image.py", "comment": " ".join(packages)}]}
    manifest = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **blob(json.dumps(config).encode())},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **blob(packed)}]}
    index = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{
            "mediaType": manifest["mediaType"], **blob(json.dumps(manifest).encode()),
            "platform": {"architecture": architecture, "os": "linux"},
            "annotations": {"org.opencontainers.image.ref.name": version}}]}
    return {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}', "index.json": json.dumps(index).encode(),
            **{f"blobs/sha256/{name}": octets for name, octets in blobs.items()}}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    os.umask(0o022)
    deb, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    version, architecture = run("dpkg-deb", "-W", "--showformat=${Version}\t${Architecture}", deb).split("\t")
    work = folder / "image"
    suite = Suite(sys.argv[3] if len(sys.argv) > 3 else "trixie", work / "apt", architecture)
    packages = filled(folder / "rootfs", deb, suite, work)
    layout = work / "layout"
    shutil.rmtree(layout, ignore_errors=True)
    for name, octets in image(folder / "rootfs", version, architecture, packages).items():
        (layout / name).parent.mkdir(parents=True, exist_ok=True)
        (layout / name).write_bytes(octets)
    packed = packing.tar(layout)
    target = folder / f"matterctl-{version}-{architecture}.oci.tar"
    target.write_bytes(packed)
    print(f"{packing.digest(packed)}  {target.name} ({len(packed) / 1e6:.1f} MB, {len(packages)} packages)")


main()
