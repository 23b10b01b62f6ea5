import MatterController

/// Nodes in the form of the interface (reference: python-matter-server, MatterNodeData).
enum NodeEncoding {
    private static let aggregator: UInt32 = 14
    /// The version of the form.
    private static let interviewVersion = 6

    /// A node with all its attributes.
    static func object(_ node: HouseBoard.Node) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(200 + node.attributes.count * 32)
        let commissioned = node.record.commissionedAt.map { $0 * 1000 } ?? 0
        octets += "{\"node_id\":\(node.record.nodeID.rawValue)".utf8
        octets += ",\"date_commissioned\":\"\(date(commissioned))\"".utf8
        octets += ",\"last_interview\":\"\(date(node.interviewedAt ?? commissioned))\"".utf8
        octets += ",\"interview_version\":\(interviewVersion),\"available\":\(node.isAvailable)".utf8
        octets += ",\"is_bridge\":\(isBridge(node)),\"attributes\":{".utf8
        var isFirst = true
        for (path, value) in node.attributes.sorted(by: { $0.key < $1.key }) {
            octets += (isFirst ? "\"\(path)\":" : ",\"\(path)\":").utf8
            octets += value
            isFirst = false
        }
        octets += "},\"attribute_subscriptions\":[]}".utf8
        return octets
    }

    /// Whether endpoint 1 is an aggregator, as the other servers judge it.
    private static func isBridge(_ node: HouseBoard.Node) -> Bool {
        node.record.endpoints.contains { $0.number == 1 && $0.deviceTypes.contains(aggregator) }
            || node.attributes[NodeSeed.types(1)].map { String(decoding: $0, as: UTF8.self).contains("\"0\":14,") } ?? false
    }

    /// A time as Python reads it: UTC, without a zone.
    ///
    /// - Parameter unix: milliseconds since 1970.
    static func date(_ unix: Int64) -> String {
        let (days, rest) = (unix / 86_400_000, unix % 86_400_000)
        // Days since 1970 as a date of the Gregorian calendar, counted in years that begin in March.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthPart = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthPart + 2) / 5 + 1
        let month = monthPart < 10 ? monthPart + 3 : monthPart - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let seconds = rest / 1000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(seconds / 3600, 2)):"
            + "\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(rest % 1000 * 1000, 6))"
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The attributes of a node that its record implies, for the time until it has been heard.
enum NodeSeed {
    static func types(_ endpoint: UInt16) -> CachePath {
        CachePath(endpoint, Descriptor.id.rawValue, Descriptor.Attribute.deviceTypeList.rawValue)
    }

    static func parts(of record: NodeRecord) -> Set<UInt16> {
        Set(record.endpoints.map(\.number).filter { $0 != 0 })
    }

    static func attributes(of record: NodeRecord) -> [CachePath: [UInt8]] {
        guard !record.endpoints.isEmpty else { return [:] }
        var values: [CachePath: [UInt8]] = [:]
        let descriptor = Descriptor.id.rawValue
        for endpoint in record.endpoints {
            let types = endpoint.deviceTypes.map { "{\"0\":\($0),\"1\":1}" }.joined(separator: ",")
            values[self.types(endpoint.number)] = Array("[\(types)]".utf8)
            values[CachePath(endpoint.number, descriptor, Descriptor.Attribute.serverList.rawValue)] =
                list(endpoint.serverClusters.map { UInt64($0) })
        }
        values[.parts] = list(parts(of: record).sorted().map { UInt64($0) })
        func set(_ attribute: AttributeID, _ value: JSONValue?) {
            guard let value else { return }
            values[CachePath(0, BasicInformation.id.rawValue, attribute.rawValue)] = value.utf8()
        }
        set(BasicInformation.Attribute.vendorName, record.vendorName.map { .string($0) })
        set(BasicInformation.Attribute.vendorID, record.vendorID.map { .int(Int64($0)) })
        set(BasicInformation.Attribute.productName, record.productName.map { .string($0) })
        set(BasicInformation.Attribute.productID, record.productID.map { .int(Int64($0)) })
        set(BasicInformation.Attribute.serialNumber, record.serialNumber.map { .string($0) })
        set(BasicInformation.Attribute.softwareVersionString, record.firmware.map { .string($0) })
        return values
    }

    private static func list(_ numbers: [UInt64]) -> [UInt8] {
        Array("[\(numbers.map { "\($0)" }.joined(separator: ","))]".utf8)
    }
}
