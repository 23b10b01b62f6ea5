#!/usr/bin/env python3
"""Gives a program a build id that follows from what is loaded of it, and from nothing else.

    build_id.py PROGRAM

The linker's own covers all of its output, also the names of temporary objects, which are stripped afterwards: two builds of one
commit would differ in it. The new id is a digest of the sections that are loaded; the names for debuggers follow from it later.
"""
import hashlib
import pathlib
import struct
import sys

ALLOCATED, NO_BITS = 2, 8


def sections(program):
    """Name, kind, flags, offset and size of each section of an ELF file of 64 bits, little-endian."""
    if program[:6] != b"\x7fELF\x02\x01":
        sys.exit("build_id.py: not an ELF program of 64 bits, little-endian")
    start, = struct.unpack_from("<Q", program, 0x28)
    size, count, names = struct.unpack_from("<HHH", program, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", program, start + index * size) for index in range(count)]
    text = headers[names][4]
    for name, kind, flags, _, offset, length in headers:
        end = program.index(b"\0", text + name)
        yield program[text + name:end].decode(), kind, flags, offset, length


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    path = pathlib.Path(sys.argv[1])
    program = bytearray(path.read_bytes())
    digest, place = hashlib.sha1(), None
    for name, kind, flags, offset, length in list(sections(program)):
        if name == ".note.gnu.build-id":
            # A header of 12 bytes, and "GNU" with its end.
            place = offset + 16, length - 16
        elif flags & ALLOCATED and kind != NO_BITS:
            digest.update(f"{name} {length}\n".encode() + program[offset:offset + length])
    if place is None or place[1] != digest.digest_size:
        sys.exit(f"build_id.py: {path} has no build id of {digest.digest_size} bytes")
    program[place[0]:place[0] + place[1]] = digest.digest()
    path.write_bytes(program)
    print(f"build id {digest.hexdigest()}")


main()
