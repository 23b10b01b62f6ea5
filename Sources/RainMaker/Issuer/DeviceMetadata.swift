import MatterCrypto
import MatterModel

/// The cloud's metadata of a device, in the layouts of both apps (docs/rainmaker.md).
struct DeviceMetadata: Sendable {
    private static let descriptor = Descriptor.id.rawValue
    private static let basicInformation = BasicInformation.id.rawValue
    private static let attributeList = GlobalAttribute.attributeList.rawValue
    /// Clusters whose attribute lists the apps show.
    private static let listedClusters: [UInt32] = [40, 6, 8, 768, 513, 1026]

    /// Clusters and attributes to read, of all endpoints.
    static let wanted: [(cluster: UInt32, attribute: UInt32)] =
        [(descriptor, 0), (descriptor, 1), (descriptor, 2)]
        + [0x0001, 0x0002, 0x0003, 0x0004, 0x0009, 0x000A, 0x000F].map { (basicInformation, $0) }
        + listedClusters.map { ($0, attributeList) }

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
        let servers = lists(1)
        let clients = lists(2)
        var matter: JSONObject = [
            "group_id": .string(group),
            "isRainmaker": .bool(servers.contains { $0.ids.contains(UInt64(RainMakerCluster.id.rawValue)) }),
        ]
        matter["deviceName"] = (name ?? text(0x0003)).map { .string($0) }
        matter["deviceType"] = (deviceType(of: 1) ?? deviceType(of: nil)).map { .uint($0) }
        matter["endpointsData"] = .array(servers.map { .uint(UInt64($0.endpoint)) })
        matter["serversData"] = Self.flat(servers)
        matter["clientsData"] = Self.flat(clients.filter { !$0.ids.isEmpty })
        matter["attributesData"] = attributes
        matter["vendorId"] = number(0x0002).map { .uint($0) }
        matter["productId"] = number(0x0004).map { .uint($0) }
        matter["softwareVersion"] = number(0x0009).map { .uint($0) }
        matter["softwareVersionString"] = text(0x000A).map { .string($0) }
        matter["serialNumber"] = text(0x000F).map { .string($0) }
        matter["manufacturerName"] = text(0x0001).map { .string($0) }
        matter["productName"] = text(0x0003).map { .string($0) }
        matter["endpoints"] = nested(servers, clients)
        return ["Matter": .object(matter)]
    }

    private struct List {
        var endpoint: UInt16
        var ids: [UInt64]
    }

    private func lists(_ attribute: UInt32) -> [List] {
        readings.filter { $0.cluster == Self.descriptor && $0.attribute == attribute }
            .map { List(endpoint: $0.endpoint, ids: $0.value.numbers) }
            .sorted { $0.endpoint < $1.endpoint }
    }

    /// The first device type of an endpoint, or of the first application endpoint.
    private func deviceType(of endpoint: UInt16?) -> UInt64? {
        let reading = readings.first {
            $0.cluster == Self.descriptor && $0.attribute == 0
                && (endpoint.map { $0 } ?? max(1, $0.endpoint)) == $0.endpoint
        }
        return (reading?.value.items?.first).flatMap { PartialStructure(tlv: $0) }?[
            Descriptor.DeviceType.Field.deviceType
        ]
        .map { UInt64($0.rawValue) }
    }

    private func basic(_ attribute: UInt32) -> TLVValue? {
        readings.first { $0.cluster == Self.basicInformation && $0.attribute == attribute }?.value
    }

    private func text(_ attribute: UInt32) -> String? {
        basic(attribute)?.text
    }

    private func number(_ attribute: UInt32) -> UInt64? { basic(attribute)?.integer() }

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
