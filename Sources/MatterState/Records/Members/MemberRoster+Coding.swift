import MatterCrypto

/// The members as they are kept.
extension MemberRoster {
    package init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        self.init(tag: CASEAuthenticatedTag(try fields.integer("tag")))
        for member in try fields.objects("members") { members.append(try Member(member)) }
        for former in try fields.objects("former") {
            self.former.append(
                Former(
                    name: try former.string("name"), nodeID: NodeID(try former.integer("nodeId")),
                    removedAt: try former.time("removedAt"), findings: try Self.findings(former)))
        }
        guard let removal = try fields.optionalObject("removal") else { return }
        var begun = Removal(
            name: try removal.string("name"), nodeID: NodeID(try removal.integer("nodeId")),
            version: try removal.integer("version"), beganAt: try removal.time("beganAt"))
        begun.leftBehind = try removal.strings("leftBehind")
        begun.raises = try removal.optionalBool("raises") ?? false
        begun.job = try removal.optionalInteger("job")
        begun.findings = try Self.findings(removal)
        self.removal = begun
    }

    private static func findings(_ fields: RecordFields) throws(RecordError) -> [Finding] {
        var findings: [Finding] = []
        for finding in try fields.objects("findings") {
            findings.append(
                Finding(
                    node: NodeID(try finding.integer("node")),
                    // A kind of a later version is for a person to look at.
                    kind: Finding.Kind(rawValue: try finding.string("kind")) ?? .unsearched,
                    text: try finding.string("text")))
        }
        return findings
    }

    package func encoded() -> [UInt8] {
        var object: JSONObject = [
            "tag": .uint(UInt64(tag.rawValue)), "members": .array(members.map(\.json)),
            "former": .array(
                former.map { former in
                    .object([
                        "name": .string(former.name), "nodeId": .id(former.nodeID.rawValue),
                        "removedAt": .int(former.removedAt), "findings": .array(former.findings.map(\.json)),
                    ])
                }),
        ]
        object["removal"] = removal.map { removal in
            var object: JSONObject = [
                "name": .string(removal.name), "nodeId": .id(removal.nodeID.rawValue),
                "version": .uint(UInt64(removal.version)), "beganAt": .int(removal.beganAt),
                "leftBehind": .array(removal.leftBehind.map { .string($0) }), "raises": .bool(removal.raises),
                "findings": .array(removal.findings.map(\.json)),
            ]
            object["job"] = removal.job.map { .id($0) }
            return .object(object)
        }
        return JSONValue.object(object).utf8()
    }
}

extension MemberRoster.Member {
    fileprivate init(_ fields: RecordFields) throws(RecordError) {
        name = try fields.string("name")
        nodeID = NodeID(try fields.integer("nodeId"))
        host = try fields.optionalString("host")
        addedAt = try fields.time("addedAt")
        version = try fields.integer("version")
        do {
            csr = try CertificateSigningRequest(der: try fields.octets("csr"))
            recipient = try AgeRecipient(try fields.string("recipient"))
        } catch let error as RecordError {
            throw error
        } catch {
            throw RecordError(.invalid, "the keys of the member '\(name)' cannot be read: \(error)")
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "name": .string(name), "nodeId": .id(nodeID.rawValue), "addedAt": .int(addedAt),
            "version": .uint(UInt64(version)), "csr": .string(Hex.encode(csr.der)),
            "recipient": .string("\(recipient)"),
        ]
        object["host"] = host.map { .string($0) }
        return .object(object)
    }
}

extension MemberRoster.Finding {
    fileprivate var json: JSONValue {
        .object(["node": .id(node.rawValue), "kind": .string(kind.rawValue), "text": .string(text)])
    }
}
