package import MatterCrypto
import MatterModel

/// Makes firmware images (Matter core specification 11.20.4), sound or wrong in one way.
package struct FirmwareImage: Sendable {
    package var vendorID: UInt16 = 0xFFF1
    package var productID: UInt16 = 0x8001
    package var version: UInt32 = 2
    package var text = "2.0"
    package var least: UInt32?
    package var most: UInt32?
    package var payload: [UInt8] = Array("firmware".utf8)
    package var digestType = ImageDigest.sha256
    /// In place of the right one.
    package var digest: [UInt8]?
    package var payloadSize: UInt64?
    package var magic: UInt32 = 0x1BEE_F11E
    /// Octets by which the file is longer than it says.
    package var surplus = 0

    package init() {}

    package var octets: [UInt8] {
        var fields: [TLVElement] = [
            TLVElement(.context(0), .uint(UInt64(vendorID))), TLVElement(.context(1), .uint(UInt64(productID))),
            TLVElement(.context(2), .uint(UInt64(version))), TLVElement(.context(3), .string(text)),
            TLVElement(.context(4), .uint(payloadSize ?? UInt64(payload.count))),
        ]
        if let least { fields.append(TLVElement(.context(5), .uint(UInt64(least)))) }
        if let most { fields.append(TLVElement(.context(6), .uint(UInt64(most)))) }
        fields.append(TLVElement(.context(8), .uint(UInt64(digestType.rawValue))))
        fields.append(TLVElement(.context(9), .octets(digest ?? digestType.digest(of: payload) ?? [])))
        let header = TLVElement(.anonymous, .structure(fields)).encoded()
        let total = 16 + header.count + payload.count
        func little(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        }
        return little(UInt64(magic), 4) + little(UInt64(total), 8) + little(UInt64(header.count), 4) + header + payload
            + [UInt8](repeating: 0, count: surplus)
    }
}
