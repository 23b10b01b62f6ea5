import Foundation
package import MatterCrypto

/// A list of revoked certificates (CRL) before it is signed, which a test may make wrong.
package struct RevocationListTemplate: Sendable {
    package struct Entry: Sendable {
        /// The contents bytes of the INTEGER.
        package var serialNumber: [UInt8]
        /// Seconds since 1970.
        package var date: Int64
        /// The issuer that an indirect list names.
        package var issuer: AttestationName?
        /// Further extensions, DER.
        package var extensions: [[UInt8]] = []

        package init(_ serialNumber: [UInt8], date: Int64 = 1_700_000_000, issuer: AttestationName? = nil) {
            self.serialNumber = serialNumber
            self.date = date
            self.issuer = issuer
        }

        package init(_ certificate: AttestationCertificate, date: Int64 = 1_700_000_000, issuer: AttestationName? = nil)
        {
            self.init(certificate.serialNumber, date: date, issuer: issuer)
        }
    }

    package var version: [UInt8]? = [1]
    package var issuer: AttestationName
    package var issued: Int64 = 1_790_000_000
    package var nextUpdate: Int64? = 1_890_000_000
    package var authorityKeyIdentifier: [UInt8]?
    package var number: [UInt8] = [1]
    /// Where it says it is published; `nil` for a list without scope.
    package var url: String?
    /// Further members of the scope, DER.
    package var scope: [UInt8] = []
    package var entries: [Entry]
    /// Further extensions, DER.
    package var extensions: [[UInt8]] = []

    package init(_ issuer: AttestationName, key: P256PublicKey, _ entries: [Entry] = []) {
        self.issuer = issuer
        authorityKeyIdentifier = key.keyIdentifier
        self.entries = entries
    }

    package static let indirect: [UInt8] = [0x84, 1, 0xFF]
    package static let devicesOnly: [UInt8] = [0x81, 1, 0xFF]
    package static let authoritiesOnly: [UInt8] = [0x82, 1, 0xFF]
    package static let someReasons: [UInt8] = [0x83, 2, 0, 0xFF]

    package static func tlv(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var count = contents.count
        while count > 0 {
            length.insert(UInt8(count & 0xFF), at: 0)
            count >>= 8
        }
        if contents.count < 0x80 { return [identifier, UInt8(contents.count)] + contents }
        return [identifier, 0x80 | UInt8(length.count)] + length + contents
    }

    /// An extension below 2.5.29.
    package static func `extension`(_ number: UInt8, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        tlv(0x30, [6, 3, 0x55, 0x1D, number] + (isCritical ? [1, 1, 0xFF] : []) + tlv(4, value))
    }

    private static func time(_ seconds: Int64) -> [UInt8] {
        tlv(0x17, Array(X509Time.text(seconds).filter { $0.isNumber }.dropFirst(2).utf8) + Array("Z".utf8))
    }

    private static let algorithm: [UInt8] = tlv(0x30, [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])

    private func encoded(_ entry: Entry) -> [UInt8] {
        var extensions = entry.extensions
        if let issuer = entry.issuer {
            extensions.append(Self.extension(29, isCritical: true, Self.tlv(0x30, Self.tlv(0xA4, issuer.der))))
        }
        return Self.tlv(
            0x30,
            Self.tlv(2, entry.serialNumber) + Self.time(entry.date)
                + (extensions.isEmpty ? [] : Self.tlv(0x30, extensions.flatMap { $0 })))
    }

    package func signed(with key: P256PrivateKey) throws -> [UInt8] {
        var all = [Self.extension(20, Self.tlv(2, number))]
        if let authorityKeyIdentifier {
            all.append(Self.extension(35, Self.tlv(0x30, Self.tlv(0x80, authorityKeyIdentifier))))
        }
        if url != nil || !scope.isEmpty {
            let point = url.map { Self.tlv(0xA0, Self.tlv(0xA0, Self.tlv(0x86, Array($0.utf8)))) } ?? []
            all.append(Self.extension(28, isCritical: true, Self.tlv(0x30, point + scope)))
        }
        all += extensions
        var contents = version.map { Self.tlv(2, $0) } ?? []
        contents += Self.algorithm + issuer.der + Self.time(issued)
        contents += nextUpdate.map { Self.time($0) } ?? []
        if !entries.isEmpty { contents += Self.tlv(0x30, entries.flatMap(encoded)) }
        contents += Self.tlv(0xA0, Self.tlv(0x30, all.flatMap { $0 }))
        let tbs = Self.tlv(0x30, contents)
        let signature = try ECDSASignature.rawToDER(key.sign(tbs))
        return Self.tlv(0x30, tbs + Self.algorithm + Self.tlv(3, [0] + signature))
    }
}
