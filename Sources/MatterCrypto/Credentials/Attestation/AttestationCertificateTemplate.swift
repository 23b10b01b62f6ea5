import SwiftASN1

/// The contents of an attestation certificate before it is signed.
struct AttestationCertificateTemplate: Sendable {
    /// Octets of random serial numbers.
    private static let serialNumberCount = 8

    /// The contents bytes of the INTEGER.
    var serialNumber: [UInt8]
    var issuer: AttestationName
    var subject: AttestationName
    var validity: CertificateValidity
    var publicKey: P256PublicKey
    var extensions: [AttestationExtension]

    /// A certificate for a place in the chain, with the extensions that belong there and a random serial number.
    init(
        _ kind: AttestationCertificateKind, subject: AttestationName, publicKey: P256PublicKey, issuer: AttestationName,
        issuerKey: P256PublicKey, validity: CertificateValidity, random: any RandomSource
    ) throws(CredentialsError) {
        var serialNumber = try cryptographic { () throws(CryptoError) in try random.bytes(Self.serialNumberCount) }
        // A positive number in its shortest form.
        if let first = serialNumber.first { serialNumber[0] = first & 0x3F | 0x40 }
        self.serialNumber = serialNumber
        self.issuer = issuer
        self.subject = subject
        self.validity = validity
        self.publicKey = publicKey
        let constraints: BasicConstraints =
            switch kind {
            case .paa: BasicConstraints(isCA: true, pathLength: 1)
            case .pai: BasicConstraints(isCA: true, pathLength: 0)
            case .dac: BasicConstraints(isCA: false)
            }
        extensions = [
            .basicConstraints(constraints),
            .keyUsage(kind == .dac ? .digitalSignature : [.keyCertSign, .crlSign]),
            .subjectKeyIdentifier(publicKey.keyIdentifier),
            .authorityKeyIdentifier(issuerKey.keyIdentifier),
        ]
    }

    /// The certificate, signed with the issuer's key.
    func signed(with key: P256PrivateKey) throws(CredentialsError) -> [UInt8] {
        var contents = DER.Serializer()
        contents.sequence { tbs in
            tbs.sequence(.context(0)) { $0.primitive(.integer, [2]) }
            tbs.primitive(.integer, serialNumber)
            tbs.ecdsaWithSHA256()
            tbs.serializeRawBytes(issuer.der)
            tbs.sequence {
                CertificateTime.encode(validity.notBefore, into: &$0)
                CertificateTime.encode(validity.notAfter, into: &$0)
            }
            tbs.serializeRawBytes(subject.der)
            tbs.p256PublicKey(publicKey.x963)
            tbs.sequence(.context(3)) {
                $0.sequence { list in
                    for one in extensions { one.encode(into: &list) }
                }
            }
        }
        let signature = try cryptographic { () throws(CryptoError) in
            try ECDSASignature.rawToDER(key.sign(contents.serializedBytes))
        }
        var certificate = DER.Serializer()
        certificate.sequence {
            $0.serializeRawBytes(contents.serializedBytes)
            $0.ecdsaWithSHA256()
            $0.wholeOctetBits(signature)
        }
        return certificate.serializedBytes
    }
}
