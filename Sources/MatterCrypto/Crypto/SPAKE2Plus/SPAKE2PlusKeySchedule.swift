/// The key schedule that both roles of SPAKE2+ share (CFRG draft 02, as the Matter specification 3.10 uses it).
enum SPAKE2Plus {
    /// The constant point M, which blinds the prover's share (RFC 9383, section 4).
    static let M: [UInt8] = [
        0x04, 0x88, 0x6E, 0x2F, 0x97, 0xAC, 0xE4, 0x6E, 0x55, 0xBA, 0x9D, 0xD7, 0x24, 0x25, 0x79, 0xF2, 0x99, 0x3B,
        0x64, 0xE1, 0x6E, 0xF3, 0xDC, 0xAB, 0x95, 0xAF, 0xD4, 0x97, 0x33, 0x3D, 0x8F, 0xA1, 0x2F, 0x5F, 0xF3, 0x55,
        0x16, 0x3E, 0x43, 0xCE, 0x22, 0x4E, 0x0B, 0x0E, 0x65, 0xFF, 0x02, 0xAC, 0x8E, 0x5C, 0x7B, 0xE0, 0x94, 0x19,
        0xC7, 0x85, 0xE0, 0xCA, 0x54, 0x7D, 0x55, 0xA1, 0x2E, 0x2D, 0x20,
    ]
    /// The constant point N, which blinds the verifier's share.
    static let N: [UInt8] = [
        0x04, 0xD8, 0xBB, 0xD6, 0xC6, 0x39, 0xC6, 0x29, 0x37, 0xB0, 0x4D, 0x99, 0x7F, 0x38, 0xC3, 0x77, 0x07, 0x19,
        0xC6, 0x29, 0xD7, 0x01, 0x4D, 0x49, 0xA2, 0x4B, 0x4F, 0x98, 0xBA, 0xA1, 0x29, 0x2B, 0x49, 0x07, 0xD6, 0x0A,
        0xA6, 0xBF, 0xAD, 0xE4, 0x50, 0x08, 0xA6, 0x36, 0x33, 0x7F, 0x51, 0x68, 0xC6, 0x4D, 0x9B, 0xD3, 0x60, 0x34,
        0x80, 0x8C, 0xD5, 0x64, 0x49, 0x0B, 0x1E, 0x65, 0x6E, 0xDB, 0xE7,
    ]

    /// A share: scalar · P + w0 · blind. The two products are computed apart, each in constant time.
    static func share(
        _ scalar: borrowing P256Scalar, w0: borrowing P256Scalar, blind: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let blinding = try P256Point.reading(x963: blind).multiplied(by: w0)
        return try P256Point.generator(times: scalar).adding(blinding).x963().copyBytes()
    }

    /// A peer's share with its blinding w0 · blind taken off.
    /// - Throws: `crypto.invalid-point` for a share that is not on the curve.
    static func unblind(
        _ share: [UInt8], w0: borrowing P256Scalar, blind: [UInt8]
    ) throws(CryptoError) -> P256Point {
        try P256Point.reading(x963: share).subtracting(P256Point.reading(x963: blind).multiplied(by: w0))
    }
}

/// The names of the two sides. Matter leaves both empty.
package struct SPAKE2PlusIdentities: Sendable {
    package var prover: [UInt8] = []
    package var verifier: [UInt8] = []
}

/// The keys that a run of the protocol gives, from all that both sides have seen and know.
struct SPAKE2PlusKeySchedule: Sendable {
    private static let keyCount = 16

    /// Ka, from which the confirmation keys come.
    let ka: SecretBytes
    /// Ke, the shared key that the run is for.
    let ke: SecretBytes
    /// cA, the prover's confirmation: a code over the verifier's share.
    let proverConfirmation: [UInt8]
    /// cB, the verifier's confirmation: a code over the prover's share.
    let verifierConfirmation: [UInt8]

    init(
        context: [UInt8], identities: SPAKE2PlusIdentities, proverShare: [UInt8], verifierShare: [UInt8],
        z: SecretBytes, v: SecretBytes, w0: SecretBytes
    ) throws(CryptoError) {
        let items: [Item] = [
            .open(context), .open(identities.prover), .open(identities.verifier), .open(SPAKE2Plus.M),
            .open(SPAKE2Plus.N), .open(proverShare), .open(verifierShare), .secret(z), .secret(v), .secret(w0),
        ]
        let keys = SHA256.hash(Self.transcript(items))
        ka = try keys.part(0..<Self.keyCount)
        ke = try keys.part(Self.keyCount..<2 * Self.keyCount)
        let confirmation = try HKDF.sha256(
            secret: ka, salt: [], info: Array("ConfirmationKeys".utf8), count: 2 * Self.keyCount)
        proverConfirmation = try HMACSHA256.authenticate(
            key: confirmation.part(0..<Self.keyCount), message: verifierShare)
        verifierConfirmation = try HMACSHA256.authenticate(
            key: confirmation.part(Self.keyCount..<2 * Self.keyCount), message: proverShare)
    }

    private enum Item {
        case open([UInt8])
        case secret(SecretBytes)

        var count: Int {
            switch self {
            case .open(let bytes): bytes.count
            case .secret(let bytes): bytes.count
            }
        }

        func copy(into buffer: UnsafeMutableRawBufferPointer) {
            switch self {
            case .open(let bytes): buffer.copyBytes(from: bytes)
            case .secret(let bytes): bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
            }
        }
    }

    /// TT: every item after its length in eight bytes, least significant first.
    private static func transcript(_ items: [Item]) -> SecretBytes {
        let lengthCount = MemoryLayout<UInt64>.size
        return SecretBytes(count: items.reduce(0) { $0 + lengthCount + $1.count }) { buffer in
            var rest = buffer[...]
            for item in items {
                withUnsafeBytes(of: UInt64(item.count).littleEndian) {
                    UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: $0)
                }
                rest = rest.dropFirst(lengthCount)
                item.copy(into: UnsafeMutableRawBufferPointer(rebasing: rest))
                rest = rest.dropFirst(item.count)
            }
        }
    }
}
