import JSON
import MatterCredentials
import MatterDataModel
import MatterRecords
import MatterTransport

/// What is printed of a node.
struct NodeReport {
    private let node: NodeRecord

    init(_ node: NodeRecord) { self.node = node }

    var json: JSONValue {
        var object: JSONObject = ["node": .id(node.nodeID.rawValue)]
        object["name"] = node.name.map { .string($0) }
        object["room"] = node.room.map { .string($0) }
        object["vendorId"] = node.vendorID.map { .uint(UInt64($0)) }
        object["productId"] = node.productID.map { .uint(UInt64($0)) }
        object["vendorName"] = node.vendorName.map { .string($0) }
        object["productName"] = node.productName.map { .string($0) }
        object["serialNumber"] = node.serialNumber.map { .string($0) }
        object["addresses"] = .array(node.addresses.map { .string($0.description) })
        object["endpoints"] = .array(node.endpoints.map { EndpointReport($0).json })
        object["state"] = "commissioned"
        return .object(object)
    }

    static func pending(_ node: PendingNode) -> JSONValue {
        var object: JSONObject = ["node": .id(node.nodeID.rawValue)]
        object["name"] = node.name.map { .string($0) }
        object["vendorId"] = node.vendorID.map { .uint(UInt64($0)) }
        object["productId"] = node.productID.map { .uint(UInt64($0)) }
        object["state"] = "pending"
        return .object(object)
    }

    static func row(_ node: NodeRecord) -> [String] {
        [
            "\(node.nodeID.rawValue)", TerminalText.escaped(node.name ?? "-"),
            TerminalText.escaped(node.productName ?? "-"), node.addresses.first?.description ?? "-", "commissioned",
        ]
    }

    /// Each key with its value, or with the parts of a list.
    var lines: [(key: String, values: [String])] {
        var lines = [("node", ["\(node.nodeID.rawValue)"])]
        func line(_ key: String, _ value: String?) {
            if let value { lines.append((key, [TerminalText.escaped(value)])) }
        }
        line("name", node.name)
        line("room", node.room)
        line("vendor", Self.label(node.vendorName, node.vendorID))
        line("product", Self.label(node.productName, node.productID))
        line("serial", node.serialNumber)
        for address in node.addresses { line("address", address.description) }
        for endpoint in node.endpoints {
            let report = EndpointReport(endpoint)
            var parts = report.clusters
            let types = report.deviceTypes.joined(separator: ", ") + ":"
            parts = parts.isEmpty ? [types] : ["\(types) \(parts[0])"] + parts.dropFirst()
            lines.append(("endpoint \(endpoint.number)", parts.map(TerminalText.escaped)))
        }
        return lines
    }

    private static func label(_ name: String?, _ id: UInt16?) -> String? {
        guard let id else { return name }
        return [name, hexadecimal(UInt32(id))].compactMap { $0 }.joined(separator: " ")
    }
}
