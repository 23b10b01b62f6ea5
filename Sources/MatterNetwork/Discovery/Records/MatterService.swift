import JSON

/// The DNS-SD service types and instance names of Matter (Matter core specification 4.3).
enum MatterService {
    /// Devices that can be commissioned.
    static let commissionable = "_matterc._udp"
    /// Nodes of a fabric; `_tcp` also where they are reached over UDP.
    static let operational = "_matter._tcp"

    /// The type under which the instances with a subtype are found.
    static func subtype(_ subtype: String, of type: String) -> String { "\(subtype)._sub.\(type)" }

    /// The subtype of all nodes of a fabric.
    static func fabricSubtype(_ compressedFabricID: UInt64) -> String { "_I\(hexadecimal(compressedFabricID))" }

    /// Upper-case digits, as many as the type can need.
    static func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        Hex.number(number, digits: Number.bitWidth / 4, uppercase: true)
    }
}

/// Which node of which fabric an operational instance is: the two halves of its name (Matter core specification,
/// 4.3).
public struct OperationalInstance: Hashable, Sendable, CustomStringConvertible {
    package let compressedFabricID: UInt64
    package let nodeID: UInt64

    // memberwise: package

    /// Reads `<compressed fabric id>-<node id>`, 16 hexadecimal digits each, in either case.
    ///
    /// - Throws: `malformedRecord` for anything else.
    package init(name: String) throws(DiscoveryError) {
        let halves = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard halves.count == 2, let fabric = Self.number(halves[0]), let node = Self.number(halves[1]) else {
            throw DiscoveryError(.malformedRecord, "'\(name)' is not the name of a Matter node")
        }
        self.init(compressedFabricID: fabric, nodeID: node)
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        guard digits.count == 16, digits.first != UInt8(ascii: "+") else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// The name of the instance.
    package var name: String {
        "\(MatterService.hexadecimal(compressedFabricID))-\(MatterService.hexadecimal(nodeID))"
    }

    /// The value as text, as messages and logs show it.
    public var description: String { name }
}
