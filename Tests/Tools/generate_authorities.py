#!/usr/bin/env python3
"""Writes the table of the production attestation authorities (PAA) from a snapshot of the Alliance's ledger.

    Tests/Tools/generate_authorities.py INDEX            writes Sources/MatterCrypto/Credentials/Generated/ProductionAuthorityTable.swift
    Tests/Tools/generate_authorities.py INDEX --check    fails if the file is not what would be written

INDEX is `trust/index.json`: facts on each certificate, beside the certificates themselves. Only facts enter the table:
key identifier, public key, validity, subject. An authority that the last snapshot of the ledger lacks is left out.
"""
import base64
import datetime
import json
import pathlib
import sys

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Sources/MatterCrypto/Credentials/Generated/ProductionAuthorityTable.swift"

HEADER = '''// Written by Tests/Tools/generate_authorities.py; change that, not this.

/// The production attestation authorities (PAA) of the Alliance's ledger, as of a day.
///
/// A line for each: key identifier, public key (x963), begin and end of validity in seconds since 1970, and the subject in
/// DER; bytes in hexadecimal digits.
enum ProductionAuthorityTable {{
    /// The day of the snapshot.
    static let day = "{day}"
    /// The same in seconds since 1970.
    static let date: Int64 = {date}
    static let count = {count}
    static let text: StaticString = """
'''


def unix(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def line(entry):
    key = bytes.fromhex(entry["publicKey"])
    assert len(key) == 65 and key[0] == 4, entry["file"]
    identifier = bytes.fromhex(entry["subjectKeyId"].replace(":", ""))
    assert len(identifier) == 20, entry["file"]
    subject = base64.b64decode(entry["subjectDerBase64"], validate=True)
    return " ".join([
        identifier.hex(), key.hex(), str(unix(entry["notBefore"])), str(unix(entry["notAfter"])), subject.hex()])


def table(index):
    day = index["asOf"]
    entries = [entry for entry in index["certificates"] if entry["role"] == "paa" and "absent" not in entry["mainNet"]]
    lines = sorted(line(entry) for entry in entries)
    assert len(set(lines)) == len(lines)
    parts = []
    for text in lines:
        # A backslash at the end of a line of a literal joins it with the next.
        rows = [text[at:at + 110] for at in range(0, len(text), 110)]
        parts.append("\\\n".join("        " + row for row in rows))
    header = HEADER.format(day=day, date=unix(day + "T00:00:00+00:00"), count=len(lines))
    return header + "\n".join(parts) + '\n        """\n}\n'


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    text = table(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    if sys.argv[2:] == ["--check"]:
        if not OUTPUT.exists() or OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUTPUT.name} is not what {sys.argv[1]} gives: run {pathlib.Path(__file__).name}")
        return
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
