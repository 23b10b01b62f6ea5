internal import MatterController

/// A node as clients get it, in parts of JSON text. Values are encoded already (``ValueEncoding``).
struct NodeObject: Sendable {
    /// The number of the form that the attributes have, as python-matter-server counts it.
    static let interviewVersion = 6
    /// The attribute by which a bridge is known: DeviceTypeList of the Descriptor cluster of endpoint 1. Both of Home
    /// Assistant's servers look at this endpoint only.
    static let bridgePath = ConcreteAttributePath(endpoint: 1, cluster: 0x001D, attribute: 0)
    /// A part has about so many bytes, or a few more than the largest value.
    private static let partSize = 60_000

    /// The id of the node.
    var node: UInt64
    /// The time of commissioning, in milliseconds since 1970.
    var commissioned: UInt64
    /// The time of the last interview, in milliseconds since 1970.
    var interviewed: UInt64
    /// True if its values are kept up to date now.
    var isAvailable: Bool

    /// The parts of the object, whose concatenation is the JSON text.
    ///
    /// - Parameter attributes: every attribute that is known, each path once, with its value as JSON text.
    func parts(_ attributes: some Sequence<(path: ConcreteAttributePath, value: [UInt8])>) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var part: [UInt8] = []
        part.reserveCapacity(Self.partSize + 4096)
        func add(_ text: String) { ValueEncoding.append(ascii: text, to: &part) }
        // `is_bridge` follows the attributes, as only they tell.
        add("{\"node_id\":\(node)")
        add(",\"date_commissioned\":\"\(Self.date(commissioned))\",\"last_interview\":\"\(Self.date(interviewed))\"")
        add(",\"interview_version\":\(Self.interviewVersion),\"available\":\(isAvailable),\"attributes\":{")
        var isBridge = false
        var isFirst = true
        for (path, value) in attributes {
            if part.count >= Self.partSize {
                parts.append(part)
                part.removeAll(keepingCapacity: true)
            }
            if !isFirst { part.append(UInt8(ascii: ",")) }
            isFirst = false
            part.append(UInt8(ascii: "\""))
            AttributePathText.append(path, to: &part)
            part.append(UInt8(ascii: "\""))
            part.append(UInt8(ascii: ":"))
            part.append(contentsOf: value)
            if path == Self.bridgePath { isBridge = Self.hasAggregator(value) }
        }
        add("},\"is_bridge\":\(isBridge),\"attribute_subscriptions\":[]}")
        parts.append(part)
        return parts
    }

    /// True if an encoded DeviceTypeList names the device type Aggregator.
    static func hasAggregator(_ list: [UInt8]) -> Bool {
        guard case .array(let types)? = try? JSONValue(parsing: String(decoding: list, as: UTF8.self)) else {
            return false
        }
        return types.contains { $0.objectValue?["0"] == .int(14) }
    }

    /// A time as both clients read it: in UTC, with microseconds and without a zone.
    static func date(_ milliseconds: UInt64) -> String {
        guard let text = PointInTime.text(milliseconds, as: .posixMilliseconds) else { return date(0) }
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        let rest = milliseconds % 1000
        return "\(whole).\(String(1000 + rest).dropFirst())000"
    }
}
