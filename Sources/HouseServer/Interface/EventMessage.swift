import MatterController

/// Messages of the server that are no answers.
enum EventMessage {
    static func whole(_ name: String, _ data: [UInt8]) -> [[UInt8]] {
        var octets = Array("{\"event\":\"\(name)\",\"data\":".utf8)
        octets += data
        octets.append(UInt8(ascii: "}"))
        return [octets]
    }

    static func endpoint(_ name: String, _ node: NodeID, _ endpoint: UInt16) -> [[UInt8]] {
        whole(name, Array("{\"node_id\":\(node.rawValue),\"endpoint_id\":\(endpoint)}".utf8))
    }

    static func attribute(_ node: NodeID, _ path: CachePath, _ value: [UInt8]) -> [[UInt8]] {
        var data = Array("[\(node.rawValue),\"\(path)\",".utf8)
        data += value
        data.append(UInt8(ascii: "]"))
        return whole("attribute_updated", data)
    }
}

/// Answers to requests.
enum AnswerMessage {
    /// - Parameters:
    ///   - id: as the client sent it.
    ///   - result: JSON.
    static func success(_ id: String, _ result: [[UInt8]]) -> [[UInt8]] {
        var head = Array("{\"message_id\":".utf8)
        head += JSONValue.string(id).utf8()
        head += Array(",\"result\":".utf8)
        return [head] + result + [[UInt8(ascii: "}")]]
    }

    static func list(_ items: [[UInt8]]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[UInt8(ascii: "[")]]
        for (index, item) in items.enumerated() {
            parts.append(index == 0 ? item : [UInt8(ascii: ",")] + item)
        }
        parts.append([UInt8(ascii: "]")])
        return parts
    }

    /// - Parameter isNew: whether the client knows of statuses.
    static func failure(_ id: String, _ error: InterfaceError) -> [[UInt8]] {
        var object: JSONObject = [
            "message_id": .string(id), "error_code": .int(Int64(error.code.rawValue)),
            "details": .string(error.details),
        ]
        if let status = error.status {
            object["status"] = .int(Int64(status.status))
            object["cluster_status"] = status.cluster.map { .int(Int64($0)) }
        }
        return [JSONValue.object(object).utf8()]
    }
}
