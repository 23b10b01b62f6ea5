import Foundation
import MatterCrypto

/// The contents of a ledger, as answers in its own form by path.
package struct LedgerScene: Sendable {
    /// A certificate and what its entry says of it, which a test may make wrong.
    package struct Entry: Sendable {
        package var subject: [UInt8]
        package var keyIdentifier: [UInt8]
        package var pems: [String]
        package var vendorID: UInt16
        package var type = "DeviceAttestationPKI"

        package init(_ der: [UInt8], vendorID: UInt16 = 0) throws {
            let certificate = try AttestationCertificate(der: der)
            subject = certificate.subject.der
            keyIdentifier = certificate.subjectKeyIdentifier ?? []
            pems = [PEM.encode(der, label: PEM.certificate)]
            self.vendorID = vendorID
        }

        package var subjectText: String { Data(subject).base64EncodedString() }
        package var keyText: String { keyIdentifier.map { String(format: "%02X", $0) }.joined(separator: ":") }
    }

    package var roots: [Entry] = []
    package var revoked: [Entry] = []
    package var signers: [Entry] = []
    /// Objects of JSON.
    package var points: [String] = []
    /// Further answers by path.
    package var others: [String: String] = [:]

    package init() {}

    /// A root of our own making.
    package static func root(
        _ name: String, vendorID: UInt16? = nil, from notBefore: UInt32 = 700_000_000, entryVendor: UInt16? = nil
    ) throws -> Entry {
        let authority = try AttestationAuthority.root(
            commonName: name, vendorID: vendorID.map { VendorID($0) }, key: .generate(),
            validity: .unlimited(from: notBefore))
        return try Entry(authority.certificate.der, vendorID: entryVendor ?? vendorID ?? 0)
    }

    /// A point at which an authority publishes its list of revoked certificates.
    ///
    /// - Parameters:
    ///   - signer: DER.
    ///   - more: further members, each with a comma before it.
    package static func point(
        issuerKey: [UInt8], signer: [UInt8], delegator: [UInt8]? = nil, isPAA: Bool, vendorID: UInt16,
        productID: UInt16 = 0, label: String = "a", url: String, more: String = ""
    ) -> String {
        func pem(_ der: [UInt8]) -> String { quoted(PEM.encode(der, label: PEM.certificate)) }
        let key = issuerKey.map { String(format: "%02X", $0) }.joined()
        return #"{"vid":\#(vendorID),"pid":\#(productID),"label":"\#(label)","issuerSubjectKeyID":"\#(key)","#
            + #""isPAA":\#(isPAA),"crlSignerCertificate":"\#(pem(signer))","#
            + #""crlSignerDelegator":"\#(delegator.map(pem) ?? "")","dataURL":"\#(url)","revocationType":1\#(more)}"#
    }

    package static let notFound = #"{"code":5,"message":"not found","details":[]}"#

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(
                charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")) ?? ""
    }

    private static func list(_ entries: [Entry]) -> String {
        entries.map { #"{"subject":"\#($0.subjectText)","subjectKeyId":"\#($0.keyText)"}"# }.joined(separator: ",")
    }

    private static func quoted(_ text: String) -> String {
        text.replacingOccurrences(of: "\r", with: "\\r").replacingOccurrences(of: "\n", with: "\\n")
    }

    private static func answer(_ entry: Entry, isRoot: Bool) -> String {
        let identity = #""subject":"\#(entry.subjectText)","subjectKeyId":"\#(entry.keyText)""#
        let certificates = entry.pems.map { pem in
            #"{"pemCert":"\#(quoted(pem))","serialNumber":"527398103445512345678901234567890","isRoot":\#(isRoot),"#
                + #""approvals":[{"time":"1699000000000000000"}],\#(identity),"vid":\#(entry.vendorID),"#
                + #""certificateType":"\#(entry.type)","newKey":{"a":[1]}}"#
        }
        return #"{"approvedCertificates":{\#(identity),"certs":[\#(certificates.joined(separator: ","))]}}"#
    }

    /// The answers by path.
    package var answers: [String: String] {
        var answers = others
        answers["/dcl/pki/root-certificates"] =
            #"{"approvedRootCertificates":{"certs":[\#(Self.list(roots))],"schemaVersion":0}}"#
        answers["/dcl/pki/revoked-root-certificates"] =
            #"{"revokedRootCertificates":{"certs":[\#(Self.list(revoked))]}}"#
        if let root = WellKnownKeys.declarationAuthority {
            let key = root.keyIdentifier.map { String(format: "%02X", $0) }.joined(separator: ":")
            let path = "\(Self.escaped(Data(root.subject.der).base64EncodedString()))/\(Self.escaped(key))"
            answers["/dcl/pki/child-certificates/\(path)"] =
                #"{"childCertificates":{"certIds":[\#(Self.list(signers))]}}"#
        }
        answers["/dcl/pki/revocation-points"] =
            #"{"PkiRevocationDistributionPoint":[\#(points.joined(separator: ","))],"pagination":{"next_key":null}}"#
        for (entry, isRoot) in roots.map({ ($0, true) }) + signers.map({ ($0, false) }) {
            let path = "\(Self.escaped(entry.subjectText))/\(Self.escaped(entry.keyText))"
            answers["/dcl/pki/certificates/\(path)"] = Self.answer(entry, isRoot: isRoot)
        }
        return answers
    }
}
