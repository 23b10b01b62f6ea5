/// The central's half of the BTP handshake (Matter core specification 4.20.3.3).
struct BTPHandshakeRequest: Hashable, Sendable {
    static let length = 9
    private static let mostVersions = 8

    /// The versions that the central supports, the best first; 1 to 8 of them, each of 1 to 15.
    var versions: [UInt8] = [BTP.version]
    /// The ATT MTU as the central sees it; `nil` if it is not known.
    var attMTU: UInt16?
    /// The segments that the central can take without an acknowledgement.
    var window: UInt8

    func encoded() -> [UInt8] {
        let nibbles = versions.prefix(Self.mostVersions).map { $0 & 0x0F }
        let list = stride(from: 0, to: Self.mostVersions, by: 2).map { index in
            let pair = nibbles.dropFirst(index).prefix(2)
            return (pair.first ?? 0) | (pair.count > 1 ? pair.last ?? 0 : 0) << 4
        }
        let mtu = attMTU ?? 0
        return BTPSegment.handshakePrefix + list
            + [UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8), window]
    }
}

extension BTPHandshakeRequest {
    /// - Throws: ``TransportError`` with code `btp`.
    init(decoding bytes: [UInt8]) throws(TransportError) {
        guard bytes.count == Self.length, Array(bytes.prefix(2)) == BTPSegment.handshakePrefix else {
            throw TransportError(.btp, "a handshake request of BTP cannot be decoded")
        }
        let nibbles = bytes[2...5].flatMap { [$0 & 0x0F, $0 >> 4] }
        versions = Array(nibbles.prefix { $0 != 0 })
        guard !versions.isEmpty else { throw TransportError(.btp, "a handshake request of BTP names no version") }
        let mtu = UInt16(bytes[6]) | UInt16(bytes[7]) << 8
        attMTU = mtu == 0 ? nil : mtu
        window = bytes[8]
    }
}

/// The peripheral's half of the BTP handshake (Matter core specification 4.20.3.4).
struct BTPHandshakeResponse: Hashable, Sendable {
    static let length = 6

    /// The version that was chosen; 0 if there is none in common.
    var version: UInt8 = BTP.version
    /// The most bytes of a segment.
    var segmentSize: UInt16
    /// The segments that either side can take without an acknowledgement.
    var window: UInt8

    func encoded() -> [UInt8] {
        BTPSegment.handshakePrefix + [
            version & 0x0F, UInt8(truncatingIfNeeded: segmentSize), UInt8(truncatingIfNeeded: segmentSize >> 8), window,
        ]
    }
}

extension BTPHandshakeResponse {
    /// - Throws: ``TransportError`` with code `btp`.
    init(decoding bytes: [UInt8]) throws(TransportError) {
        guard bytes.count == Self.length, Array(bytes.prefix(2)) == BTPSegment.handshakePrefix else {
            throw TransportError(.btp, "a handshake response of BTP cannot be decoded")
        }
        version = bytes[2] & 0x0F
        segmentSize = UInt16(bytes[3]) | UInt16(bytes[4]) << 8
        window = bytes[5]
    }
}
