#!/usr/bin/env python3
"""Makes a fabric whose controllers and nodes have their certificates from an intermediate authority, as the SDK's example issuer does.

    intermediate.py FOLDER FABRIC-ID NODE-ID

FOLDER gets root, icac and noc, each as .pem, .der and .key (the private key, PEM), and in ipk 16 bytes. The certificates are X.509
in the form of the Matter core specification, section 6.5.
"""
import datetime
import os
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, ObjectIdentifier

# 1.3.6.1.4.1.37244.1: NodeId, ICACId, RCACId and FabricId, each as 16 hexadecimal digits.
NODE, ICAC, RCAC, FABRIC = (ObjectIdentifier(f"1.3.6.1.4.1.37244.1.{number}") for number in (1, 3, 4, 5))
BEGIN, END = datetime.datetime(2024, 1, 1), datetime.datetime(2044, 1, 1)


def name(*parts):
    return x509.Name([x509.NameAttribute(kind, f"{number:016X}", x509.name._ASN1Type.UTF8String) for kind, number in parts])


def certificate(subject, key, issuer, issuer_key, is_authority, depth=None):
    usage = dict.fromkeys(
        ["content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"], False)
    made = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number() >> 96).not_valid_before(BEGIN).not_valid_after(END)
        .add_extension(x509.BasicConstraints(is_authority, depth), True)
        .add_extension(x509.KeyUsage(
            digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=is_authority, **usage), True))
    if not is_authority:
        made = made.add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]), True)
    made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False).add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), False)
    return made.sign(issuer_key, hashes.SHA256())


def main():
    folder, fabric, node = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True)
    keys = {kind: ec.generate_private_key(ec.SECP256R1()) for kind in ("root", "icac", "noc")}
    root, icac = name((RCAC, 1)), name((ICAC, 2), (FABRIC, fabric))
    made = {
        "root": certificate(root, keys["root"], root, keys["root"], True),
        "icac": certificate(icac, keys["icac"], root, keys["root"], True, 0),
        "noc": certificate(name((NODE, node), (FABRIC, fabric)), keys["noc"], icac, keys["icac"], False),
    }
    for kind, value in made.items():
        (folder / f"{kind}.pem").write_bytes(value.public_bytes(serialization.Encoding.PEM))
        (folder / f"{kind}.der").write_bytes(value.public_bytes(serialization.Encoding.DER))
        (folder / f"{kind}.key").write_bytes(keys[kind].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (folder / "ipk").write_bytes(os.urandom(16))


main()
