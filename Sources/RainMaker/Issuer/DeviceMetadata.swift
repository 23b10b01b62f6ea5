import MatterCrypto
import MatterModel

/// The cloud's metadata of a device, in the layouts of both apps (docs/rainmaker.md).
struct DeviceMetadata: Sendable {
    private typealias Basic = BasicInformation.Attribute

    private static let attributeList = GlobalAttribute.attributeList.rawValue
    /// Clusters whose attribute lists the apps show.
    private static let listedClusters: [ClusterID] = [
        BasicInformation.id, OnOff.id, LevelControl.id, ColorControl.id, Thermostat.id, TemperatureMeasurement.id,
    ]
    private static let ofDescriptor = [
        Descriptor.Attribute.deviceTypeList, Descriptor.Attribute.serverList, Descriptor.Attribute.clientList,
    ]
    private static let ofBasicInformation = [
        Basic.vendorName, Basic.vendorID, Basic.productName, Basic.productID, Basic.softwareVersion,
        Basic.softwareVersionString, Basic.serialNumber,
    ]

    /// Clusters and attributes to read, of all endpoints.
    static let wanted: [(cluster: UInt32, attribute: UInt32)] =
        ofDescriptor.map { (Descriptor.id.rawValue, $0.rawValue) }
        + ofBasicInformation.map { (BasicInformation.id.rawValue, $0.rawValue) }
        + listedClusters.map { ($0.rawValue, attributeList) }

    private let readings: [NOCIssueContext.AttributeReading]
    private let name: String?
    private let group: String

    init(_ readings: [NOCIssueContext.AttributeReading], name: String?, group: String) {
        self.readings = readings
        self.name = name
        self.group = group
    }

    /// `{"Matter": {…}}`.
    var json: JSONObject {
        let servers = lists(Descriptor.Attribute.serverList)
        let clients = lists(Descriptor.Attribute.clientList)
        var matter: JSONObject = [
            "group_id": .string(group),
            "isRainmaker": .bool(servers.contains { $0.ids.contains(UInt64(RainMakerCluster.id.rawValue)) }),
        ]
        matter["deviceName"] = (name ?? text(Basic.productName)).map { .string($0) }
        matter["deviceType"] = (deviceType(of: 1) ?? deviceType(of: nil)).map { .uint($0) }
        matter["endpointsData"] = .array(servers.map { .uint(UInt64($0.endpoint)) })
        matter["serversData"] = Self.flat(servers)
        matter["clientsData"] = Self.flat(clients.filter { !$0.ids.isEmpty })
        matter["attributesData"] = attributes
        matter["vendorId"] = number(Basic.vendorID).map { .uint($0) }
        matter["productId"] = number(Basic.productID).map { .uint($0) }
        matter["softwareVersion"] = number(Basic.softwareVersion).map { .uint($0) }
        matter["softwareVersionString"] = text(Basic.softwareVersionString).map { .string($0) }
        matter["serialNumber"] = text(Basic.serialNumber).map { .string($0) }
        matter["manufacturerName"] = text(Basic.vendorName).map { .string($0) }
        matter["productName"] = text(Basic.productName).map { .string($0) }
        matter["endpoints"] = nested(servers, clients)
        return ["Matter": .object(matter)]
    }

    private struct List {
        var endpoint: UInt16
        var ids: [UInt64]
    }

    private func lists(_ attribute: AttributeID) -> [List] {
        readings.filter { $0.isOf(Descriptor.id, attribute) }
            .map { List(endpoint: $0.endpoint, ids: $0.value.numbers) }
            .sorted { $0.endpoint < $1.endpoint }
    }

    /// The first device type of an endpoint, or of the first application endpoint.
    private func deviceType(of endpoint: UInt16?) -> UInt64? {
        let reading = readings.first {
            $0.isOf(Descriptor.id, Descriptor.Attribute.deviceTypeList)
                && (endpoint.map { $0 } ?? max(1, $0.endpoint)) == $0.endpoint
        }
        return (reading?.value.items?.first).flatMap { PartialStructure(tlv: $0) }?[
            Descriptor.DeviceType.Field.deviceType
        ]
        .map { UInt64($0.rawValue) }
    }

    private func basic(_ attribute: AttributeID) -> TLVValue? {
        readings.first { $0.isOf(BasicInformation.id, attribute) }?.value
    }

    private func text(_ attribute: AttributeID) -> String? {
        basic(attribute)?.text
    }

    private func number(_ attribute: AttributeID) -> UInt64? { basic(attribute)?.integer() }

    private static func flat(_ lists: [List]) -> JSONValue {
        var object = JSONObject()
        for list in lists { object["\(list.endpoint)"] = .array(list.ids.map { .uint($0) }) }
        return .object(object)
    }

    private var attributes: JSONValue {
        var object = JSONObject()
        for reading in readings where reading.attribute == Self.attributeList {
            guard object["\(reading.cluster)"] == nil else { continue }
            object["\(reading.cluster)"] = .array(reading.value.numbers.map { .uint($0) })
        }
        return .object(object)
    }

    /// The newer layout: hexadecimal names, attributes only where they are known.
    private func nested(_ servers: [List], _ clients: [List]) -> JSONValue {
        var endpoints = JSONObject()
        for list in servers {
            var clusters = JSONObject()
            for id in list.ids {
                let known = readings.first {
                    $0.endpoint == list.endpoint && UInt64($0.cluster) == id && $0.attribute == Self.attributeList
                }
                let attributes = known.map { JSONValue.array($0.value.numbers.map { .string(Self.hex($0)) }) }
                clusters[Self.hex(id)] = ["attributes": attributes ?? .null]
            }
            var uses = JSONObject()
            for id in clients.first(where: { $0.endpoint == list.endpoint })?.ids ?? [] {
                uses[Self.hex(id)] = ["attributes": .null]
            }
            endpoints[Self.hex(UInt64(list.endpoint))] = [
                "clusters": ["servers": .object(clusters), "clients": .object(uses)]
            ]
        }
        return .object(endpoints)
    }

    private static func hex(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }
}

extension NOCIssueContext.AttributeReading {
    fileprivate func isOf(_ cluster: ClusterID, _ attribute: AttributeID) -> Bool {
        self.cluster == cluster.rawValue && self.attribute == attribute.rawValue
    }
}
