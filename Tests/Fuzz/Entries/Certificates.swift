@testable import MatterCrypto

extension FuzzEntry {
    /// Certificates in both forms, certification requests, key files.
    static let certificates = [
        FuzzEntry("matter-certificate") {
            try Seeds.certificates().map(\.tlv)
        } run: { bytes in
            guard let certificate = try? MatterCertificate(tlv: bytes) else { return .refused }
            guard let der = try? certificate.der() else { return .deep }
            if let again = try? MatterCertificate(der: der) {
                precondition(again.publicKey == certificate.publicKey)
            }
            _ = try? OperationalChain.validate(root: certificate, at: .now(Seeds.now))
            _ = try? OperationalChain(noc: certificate, icac: certificate, root: certificate)
                .validate(at: .now(Seeds.now))
            return .deep
        },
        FuzzEntry("x509") {
            try Seeds.x509()
        } run: { bytes in
            var depth = Depth.refused
            if let certificate = try? MatterCertificate(der: bytes) {
                depth = .deep
                precondition((try? MatterCertificate(tlv: certificate.tlv)) == certificate)
            }
            if let certificate = try? AttestationCertificate(der: bytes) {
                depth = .deep
                precondition(certificate.der == bytes)
            }
            return depth
        },
        FuzzEntry("pem") {
            try Seeds.pem()
        } run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let depth = accepts { _ = try PEM.decode(text) }
            _ = try? MatterCertificate(anyForm: bytes)
            _ = try? CertificateSigningRequest(pem: text)
            return depth | accepts { _ = try PrivateKeyFile.decode(bytes) }
        },
        FuzzEntry("csr") {
            try Seeds.requests()
        } run: { bytes in
            var depth = Depth.refused
            do throws(CredentialsError) {
                let request = try CertificateSigningRequest(der: bytes)
                precondition(request.der == bytes)
                depth = .deep
            } catch {
                // All of it was read but for the signature.
                if error.code == .invalidRequestSignature { depth = .deep }
            }
            do throws(CredentialsError) {
                _ = try NOCSRElements(decoding: bytes)
                depth = .deep
            } catch {
                if error.code == .invalidRequestSignature { depth = .deep }
            }
            return depth
        },
    ]
}
