/// The two forms of a P-256 ECDSA signature: raw (r and s, 32 bytes each, big-endian), which Matter uses, and the DER
/// structure `SEQUENCE { INTEGER r, INTEGER s }` (RFC 3279, 2.2.3), which X.509 uses.
///
/// The conversion is about form only: whether r and s are in range is for the verification to say.
package enum ECDSASignature {
    /// The longest DER form.
    static let maximumDERCount = 72

    private static let sequence: UInt8 = 0x30
    private static let integer: UInt8 = 0x02

    /// The raw form of a DER signature.
    /// - Throws: `crypto.invalid-signature` for anything but strict DER of two non-negative numbers of at most 256 bits.
    package static func derToRaw(_ der: [UInt8]) throws(CryptoError) -> [UInt8] {
        var body = try value(of: sequence, from: der[...])
        guard body.rest.isEmpty else { throw malformed("bytes follow the signature") }
        body = try value(of: integer, from: body.value)
        let r = try coordinate(body.value)
        body = try value(of: integer, from: body.rest)
        let s = try coordinate(body.value)
        guard body.rest.isEmpty else { throw malformed("bytes follow the number s") }
        return r + s
    }

    /// The DER form of a raw signature.
    /// - Throws: `crypto.invalid-signature` unless there are 64 bytes.
    package static func rawToDER(_ raw: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard raw.count == P256.signatureCount else {
            throw malformed("a raw signature has 64 bytes, not \(raw.count)")
        }
        let body = number(raw.prefix(P256.scalarCount)) + number(raw.suffix(P256.scalarCount))
        return [sequence, UInt8(body.count)] + body
    }

    /// Splits off one element with a tag and a length in short form, the only form these lengths can have in DER.
    private static func value(
        of tag: UInt8, from bytes: ArraySlice<UInt8>
    ) throws(CryptoError) -> (value: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
        guard bytes.first == tag else { throw malformed("the element 0x\(String(tag, radix: 16)) is missing") }
        guard let length = bytes.dropFirst().first, length < 0x80 else { throw malformed("a length is malformed") }
        let content = bytes.dropFirst(2)
        guard content.count >= Int(length) else { throw malformed("it is cut short") }
        return (content.prefix(Int(length)), content.dropFirst(Int(length)))
    }

    /// The 32 bytes of a number that is encoded without needless leading bytes and is not negative.
    private static func coordinate(_ bytes: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let first = bytes.first else { throw malformed("a number is empty") }
        guard first < 0x80 else { throw malformed("a number is negative") }
        var digits = bytes
        if first == 0, let second = bytes.dropFirst().first {
            guard second >= 0x80 else { throw malformed("a number has a needless leading zero") }
            digits = bytes.dropFirst()
        }
        guard digits.count <= P256.scalarCount else { throw malformed("a number has more than 256 bits") }
        return [UInt8](repeating: 0, count: P256.scalarCount - digits.count) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> [UInt8] {
        var content = Array(digits.drop { $0 == 0 })
        if content.first.map({ $0 >= 0x80 }) ?? true { content.insert(0, at: 0) }
        return [integer, UInt8(content.count)] + content
    }

    private static func malformed(_ fault: String) -> CryptoError {
        CryptoError(.invalidSignature, "the ECDSA signature is malformed: \(fault)")
    }
}
