import MatterCrypto

/// A certificate in the middle of a message, in a few words.
enum CertificateText {
    /// - Returns: `nil` for octets that are no certificate.
    static func describe(_ octets: [UInt8]) -> String? {
        guard octets.count >= 100, octets.count <= 2048 else { return nil }
        if octets.first == 0x15, let certificate = try? MatterCertificate(tlv: octets) {
            return
                "Matter certificate of \(octets.count) bytes, subject \(certificate.subject), issuer \(certificate.issuer)"
        }
        if octets.first == 0x30, let certificate = try? AttestationCertificate(der: octets) {
            return
                "X.509 certificate of \(octets.count) bytes, subject \(certificate.subject), issuer \(certificate.issuer)"
        }
        return nil
    }
}
