import MatterState

/// A job as it is kept.
extension Job {
    /// The version of the form.
    static let version = 1

    init(decoding contents: [UInt8], id: UInt64, _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        let word = try fields.string("kind")
        guard let kind = Kind(rawValue: word) else {
            throw RecordError(.invalid, "'kind' in \(file) is '\(word)', which this version does not know")
        }
        guard let owner = try fields.optionalObject("owner") else {
            throw RecordError(.invalid, "\(file) lacks 'owner'")
        }
        var entries: [Entry] = []
        for node in try fields.objects("nodes") { entries.append(try Entry(node, file)) }
        self.init(
            id: id, kind: kind, madeAt: try fields.time("madeAt"), owner: try Owner(owner), entries: entries,
            cancelledAt: try fields.optionalTime("cancelledAt"),
            borrowed: try fields.optionalObject("borrowed").map { (value) throws(RecordError) in try Borrowed(value) },
            rotation: try fields.optionalObject("rotation").map { (value) throws(RecordError) in
                try Rotation(value, file)
            },
            access: kind == .access ? try AccessWork(fields, file) : nil)
    }

    func encoded() -> [UInt8] {
        var object: JSONObject = [
            "kind": .string(kind.rawValue), "madeAt": .int(madeAt), "owner": owner.json,
            "nodes": .array(entries.map(\.json)),
        ]
        object["cancelledAt"] = cancelledAt.map { .int($0) }
        object["borrowed"] = borrowed?.json
        object["rotation"] = rotation?.json
        access?.add(to: &object)
        return JSONValue.object(object).utf8()
    }
}

extension Job.Owner {
    fileprivate init(_ fields: RecordFields) throws(RecordError) {
        host = try fields.string("host")
        user = try fields.string("user")
        process = try fields.integer("process")
        boot = try fields.optionalString("boot")
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "host": .string(host), "user": .string(user), "process": .int(Int64(process)),
        ]
        object["boot"] = boot.map { .string($0) }
        return .object(object)
    }
}

extension Job.Borrowed {
    fileprivate init(_ fields: RecordFields) throws(RecordError) {
        nodeID = NodeID(try fields.integer("nodeId"))
        noc = try fields.octets("noc")
        intermediate = try fields.optionalOctets("intermediate")
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["nodeId": .id(nodeID.rawValue), "noc": .string(Hex.encode(noc))]
        object["intermediate"] = intermediate.map { .string(Hex.encode($0)) }
        return .object(object)
    }
}

extension Job.Reason {
    fileprivate init(_ fields: RecordFields) throws(RecordError) {
        id = try fields.string("id")
        message = try fields.string("message")
        // A kind of a later version is one of ours at least: the node was not reached.
        kind = FailureKind(rawValue: try fields.string("kind")) ?? .noAnswer
    }

    fileprivate var json: JSONValue {
        .object(["id": .string(id), "message": .string(message), "kind": .string(kind.rawValue)])
    }
}

extension Job.Entry {
    fileprivate init(_ fields: RecordFields, _ file: String) throws(RecordError) {
        node = NodeID(try fields.integer("node"))
        let time = try fields.time("since")
        let reason = try fields.optionalObject("reason").map { (value) throws(RecordError) in try Job.Reason(value) }
        switch (try fields.string("state"), reason) {
        case ("done", _): state = .done(at: time)
        case ("pending", _): state = .pending(since: time, reason)
        case ("refused", .some(let reason)): state = .refused(at: time, reason)
        case (let word, _): throw RecordError(.invalid, "a node of \(file) is '\(word)', without what belongs to it")
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["node": .id(node.rawValue)]
        switch state {
        case .done(let time):
            object["state"] = .string("done")
            object["since"] = .int(time)
        case .pending(let since, let reason):
            object["state"] = .string("pending")
            object["since"] = .int(since)
            object["reason"] = reason?.json
        case .refused(let time, let reason):
            object["state"] = .string("refused")
            object["since"] = .int(time)
            object["reason"] = reason.json
        }
        return .object(object)
    }
}
