/// The demands of a cluster on the nodes that have it (Matter core specification 7.3).
package struct ClusterDemands: Sendable {
    /// A feature, an attribute or a command.
    package struct Element<ID: Sendable>: Sendable {
        package var id: ID
        package var name: String
        package var conformance: Conformance
    }

    package var id: ClusterID
    package var name: String
    package var revision: UInt16
    /// True if nothing of it is settled yet.
    package var isProvisional: Bool
    /// By the bit of FeatureMap; the name is the code.
    package var features: [Element<Int>] = []
    /// Without those that every cluster has.
    package var attributes: [Element<AttributeID>] = []
    package var requests: [Element<CommandID>] = []
    package var responses: [Element<CommandID>] = []
}

/// The demands of a device type on an endpoint that has it (Matter device library specification, chapter 3).
package struct DeviceTypeDemands: Sendable {
    /// The kinds of device types.
    package enum Class: String, Sendable {
        case simple, utility, node, base
    }

    /// A cluster of the endpoint.
    package struct Cluster: Sendable {
        package var id: ClusterID
        package var conformance: Conformance
        /// True if the node has it on this endpoint only.
        package var isSingleton: Bool
        package var features: [Element<String>] = []
        package var attributes: [Element<AttributeID>] = []
        package var requests: [Element<CommandID>] = []
    }

    /// An element of such a cluster.
    package struct Element<ID: Sendable>: Sendable {
        package var id: ID
        /// `nil` if it demands no more than the cluster does.
        package var conformance: Conformance?
        /// The values that it may have: `254`, `1 to 254`; `nil` for all.
        package var values: ClosedRange<Int64>?
    }

    /// A device type on another endpoint of the node.
    package struct Part: Sendable {
        package var deviceType: DeviceTypeID
        package var conformance: Conformance
    }

    /// A condition that it makes true for a device type.
    package struct Gift: Sendable {
        package var deviceType: DeviceTypeID
        package var condition: String
        package var conformance: Conformance
    }

    package var id: DeviceTypeID
    package var name: String
    package var revision: UInt16?
    package var deviceClass: Class
    /// The device type that it contains.
    package var superset: DeviceTypeID?
    package var servers: [Cluster] = []
    package var clients: [Cluster] = []
    package var parts: [Part] = []
    package var gifts: [Gift] = []

    /// The pseudo device type whose demands hold for every endpoint.
    package static let base: DeviceTypeID = 0xFFFF_FFFF
}

/// The demands of the data model, compiled in. Nothing is decoded before it is asked for, and then only that one record.
package enum ConformanceModel {
    /// The specification that the demands follow: `1.6.0`.
    package static let version = ConformanceTable.version

    /// The value of SpecificationVersion that says the same.
    package static let versionNumber: UInt32 = 0x0106_0000

    /// - Returns: `nil` for a cluster that the table lacks.
    package static func cluster(_ id: ClusterID) -> ClusterDemands? {
        range(of: id.rawValue, in: ConformanceTable.clusterIndex).flatMap {
            ConformanceDecoder.cluster(reader(ConformanceTable.clusters, $0))
        }
    }

    /// - Returns: `nil` for a device type that the table lacks.
    package static func deviceType(_ id: DeviceTypeID) -> DeviceTypeDemands? {
        range(of: id.rawValue, in: ConformanceTable.deviceTypeIndex).flatMap {
            ConformanceDecoder.deviceType(reader(ConformanceTable.deviceTypes, $0))
        }
    }

    /// The ids of all clusters, ascending.
    package static var clusterIDs: [ClusterID] { reader(ConformanceTable.clusterIndex).map { $0.id(0) } }

    /// The ids of all device types, ascending, the base last.
    package static var deviceTypeIDs: [DeviceTypeID] { reader(ConformanceTable.deviceTypeIndex).map { $0.id(0) } }

    /// The revision of a cluster, without what else it demands.
    package static func revision(of cluster: ClusterID) -> UInt16? {
        range(of: cluster.rawValue, in: ConformanceTable.clusterIndex).flatMap {
            revision(reader(ConformanceTable.clusters, $0))
        }
    }

    /// The revision of a device type, without what else it demands.
    package static func revision(of deviceType: DeviceTypeID) -> UInt16? {
        range(of: deviceType.rawValue, in: ConformanceTable.deviceTypeIndex).flatMap {
            revision(reader(ConformanceTable.deviceTypes, $0))
        }
    }

    private static func revision(_ record: TableReader) -> UInt16? {
        var record = record
        return record.next()?.decimal(2).flatMap { UInt16(exactly: $0) }
    }

    private static func range(of id: UInt32, in index: StaticString) -> Range<Int>? {
        for line in reader(index) {
            let found: ClusterID = line.id(0)
            guard found.rawValue >= id else { continue }
            guard found.rawValue == id else { return nil }
            let start = Int(line.decimal(1) ?? 0)
            return start..<(start + Int(line.decimal(2) ?? 0))
        }
        return nil
    }

    private static func reader(_ section: StaticString, _ range: Range<Int>? = nil) -> TableReader {
        TableReader(section, range, separator: UInt8(ascii: ";"))
    }
}
