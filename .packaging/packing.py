"""Archives and digests that depend on files alone: not on who packs them, when and where."""
import gzip
import hashlib
import io
import os
import pathlib
import stat
import tarfile

MOMENT = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def member(name, path):
    """The entry of a file in an archive: of root, readable by everyone, of the build's time."""
    status = path.lstat()
    info = tarfile.TarInfo(name)
    info.mtime = MOMENT
    if stat.S_ISLNK(status.st_mode):
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
    elif stat.S_ISDIR(status.st_mode):
        info.type, info.mode = tarfile.DIRTYPE, 0o1777 if status.st_mode & stat.S_ISVTX else 0o755
    else:
        info.mode = 0o755 if status.st_mode & 0o100 else 0o644
        info.size = status.st_size
    return info


def tar(folder, private=None):
    """All that is in a folder, sorted by name.

    private: folders that belong to a user alone, by name, with the number of the user.
    """
    folder = pathlib.Path(folder)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix().encode()):
            info = member(path.relative_to(folder).as_posix(), path)
            if info.name in (private or {}):
                info.uid = info.gid = private[info.name]
                info.mode = 0o700
            if info.isfile():
                with path.open("rb") as file:
                    archive.addfile(info, file)
            else:
                archive.addfile(info)
    return packed.getvalue()


def zipped(octets):
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0, compresslevel=9) as file:
        file.write(octets)
    return packed.getvalue()


def digest(octets):
    return hashlib.sha256(octets).hexdigest()
