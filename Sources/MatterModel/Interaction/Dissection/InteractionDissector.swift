import MatterBase

/// Says in words what a message of the Interaction Model holds (Matter core specification 10.7), however broken it is.
package struct InteractionDissector: Sendable {
    let catalogue: Catalogue
    let secrets: SecretFilter
    let printer = ValuePrinter()
    /// A description of a long octet string, such as a certificate.
    let describe: @Sendable ([UInt8]) -> String?

    package init(
        _ catalogue: Catalogue = .standard, secrets: SecretFilter = SecretFilter(),
        describe: @escaping @Sendable ([UInt8]) -> String? = { _ in nil }
    ) {
        self.catalogue = catalogue
        self.secrets = secrets
        self.describe = describe
    }

    /// - Returns: what the message says, and what is wrong with it.
    package func dissect(_ opcode: InteractionModelOpcode, _ payload: [UInt8]) -> (items: [MessageItem], fault: String?)
    {
        do throws(TLVError) {
            let element = try TLVElement(
                decoding: payload, limits: TLVLimits(elements: 8192), allowTrailing: true, text: .repaired,
                tags: .asWritten)
            guard case .structure(let members) = element.value else {
                return ([], "the message is not a structure")
            }
            let fault = element.value.tagFault.map(\.reason)
            return (items(opcode, Members(members)), fault)
        } catch {
            return ([], error.message)
        }
    }

    private func items(_ opcode: InteractionModelOpcode, _ message: Members) -> [MessageItem] {
        switch opcode {
        case .statusResponse: [status(message[0], "status", path: nil)]
        case .timedRequest: [MessageItem("timed", ["timeoutMs": number(message[0])])]
        case .readRequest: requested(message, filters: 4) + flag(message[3], "fabricFiltered")
        case .subscribeRequest: subscribed(message)
        case .subscribeResponse:
            [
                MessageItem(
                    "subscription", ["subscriptionId": number(message[0]), "maxIntervalSeconds": number(message[2])])
            ]
        case .reportData: reported(message)
        case .writeRequest:
            message.blocks(2).map { data("write", $0, path: 1, value: 2, version: 0) }
                + flag(message[1], "timedRequest")
                + flag(message[0], "suppressResponse") + flag(message[3], "moreChunkedMessages")
        case .writeResponse: message.blocks(0).map { status($0[1], "status", path: attributePath($0[0])) }
        case .invokeRequest:
            message.blocks(2).map { command("command", $0) } + flag(message[1], "timedRequest")
                + flag(message[0], "suppressResponse")
        case .invokeResponse: message.blocks(1).map(answered) + flag(message[2], "moreChunkedMessages")
        }
    }

    // MARK: Requests

    private func requested(_ message: Members, filters: UInt8) -> [MessageItem] {
        message.values(0).map { MessageItem("attribute", path: attributePath($0)) }
            + message.values(1).map { path in
                MessageItem(
                    "event", path: eventPath(path), path.field(4)?.boolean == true ? ["urgent": .bool(true)] : [:])
            }
            + message.blocks(2).map { MessageItem("events", ["from": number($0[1])]) }
            + message.blocks(filters).map { block in
                let path = ElementPath(
                    endpoint: block[0]?.field(1)?.integer(as: UInt16.self).map { EndpointID($0) },
                    cluster: block[0]?.field(2)?.integer(as: UInt32.self).map { ClusterID($0) }, element: nil)
                return MessageItem(
                    "unless", path: path.text(.attribute, in: catalogue), ["dataVersion": number(block[1])])
            }
    }

    private func subscribed(_ message: Members) -> [MessageItem] {
        [
            MessageItem(
                "subscribe",
                [
                    "minIntervalSeconds": number(message[1]), "maxIntervalSeconds": number(message[2]),
                    "keepSubscriptions": plain(message[0]),
                ])
        ] + requested(message, filters: 8) + flag(message[7], "fabricFiltered")
    }

    // MARK: Answers

    private func reported(_ message: Members) -> [MessageItem] {
        let attributes = message.blocks(1).map { block -> MessageItem in
            if let refused = block[0] {
                return status(refused.field(1), "status", path: attributePath(refused.field(0)))
            }
            return data("report", Members(block[1]?.members ?? []), path: 1, value: 2, version: 0)
        }
        let events = message.blocks(2).map { block -> MessageItem in
            if let refused = block[0] { return status(refused.field(1), "status", path: eventPath(refused.field(0))) }
            return event(Members(block[1]?.members ?? []))
        }
        var head: [MessageItem] = []
        if let id = message[0] { head.append(MessageItem("subscription", ["subscriptionId": plain(id)])) }
        return head + attributes + events + flag(message[3], "moreChunkedMessages")
            + flag(message[4], "suppressResponse")
    }

    private func answered(_ block: Members) -> MessageItem {
        if let answer = block[0]?.members { return command("response", Members(answer), isResponse: true) }
        let refused = Members(block[1]?.members ?? [])
        return status(refused[1], "status", path: commandPath(refused[0]))
    }

    // MARK: Parts

    private func data(_ kind: String, _ block: Members, path: UInt8, value: UInt8, version: UInt8) -> MessageItem {
        let place = block[path]
        let cluster = place?.field(3)?.integer(as: UInt32.self).flatMap { catalogue.cluster(ClusterID($0)) }
        let id = place?.field(4)?.integer(as: UInt32.self).map { AttributeID($0) }
        let definition = id.flatMap { id in
            cluster?.attribute(id) ?? catalogue.globalAttributes.first { $0.id == id }
        }
        let clean = block[value].map { secrets.clean($0, of: definition) }
        // An entry of a list is told from the list by its index.
        let isEntry = place?.field(5) != nil
        let type = isEntry && clean?.items == nil ? definition?.type.entry : definition?.type
        return MessageItem(
            kind, path: attributePath(place), value: clean.map { described(printer.json($0, as: type), $0) },
            block[version].map { ["dataVersion": plain($0)] } ?? [:])
    }

    private func command(_ kind: String, _ block: Members, isResponse: Bool = false) -> MessageItem {
        let place = block[0]
        let cluster = place?.field(1)?.integer(as: UInt32.self).flatMap { catalogue.cluster(ClusterID($0)) }
        let id = place?.field(2)?.integer(as: UInt32.self).map { CommandID($0) }
        let definition = id.flatMap { id in
            isResponse ? cluster?.responses.first { $0.id == id } : cluster?.command(id)
        }
        var facts = JSONObject()
        if let reference = block[2] { facts["commandRef"] = plain(reference) }
        return MessageItem(
            kind, path: commandPath(place, name: definition?.name), value: fields(block[1], definition?.fields), facts)
    }

    private func event(_ block: Members) -> MessageItem {
        let place = block[0]
        let cluster = place?.field(2)?.integer(as: UInt32.self).flatMap { catalogue.cluster(ClusterID($0)) }
        let definition = place?.field(3)?.integer(as: UInt32.self).flatMap { cluster?.event(EventID($0)) }
        var facts: JSONObject = ["eventNumber": number(block[1])]
        let times: [(UInt8, String)] = [
            (3, "epochTimestampMs"), (4, "systemTimestampMs"), (5, "deltaEpochMs"), (6, "deltaSystemMs"),
        ]
        for (tag, name) in times where block[tag] != nil { facts[name] = number(block[tag]) }
        return MessageItem("event", path: eventPath(place), value: fields(block[7], definition?.fields), facts)
    }

    private func fields(_ value: TLVValue?, _ definitions: [FieldDefinition]?) -> JSONValue? {
        guard let value else { return nil }
        let clean = secrets.clean(fields: value, of: definitions)
        return described(printer.json(fields: clean, of: definitions ?? []), clean, definitions)
    }

    private func status(_ value: TLVValue?, _ kind: String, path: String?) -> MessageItem {
        let code = (value?.field(0) ?? value)?.integer(as: UInt8.self)
        var facts: JSONObject = ["status": .string(code.map { IMStatus(rawValue: $0).description } ?? "none")]
        if let own = value?.field(1) { facts["clusterStatus"] = plain(own) }
        return MessageItem(kind, path: path, facts)
    }

    // MARK: Paths

    private func attributePath(_ value: TLVValue?) -> String {
        let path = ElementPath(
            endpoint: value?.field(2)?.integer(as: UInt16.self).map { EndpointID($0) },
            cluster: value?.field(3)?.integer(as: UInt32.self).map { ClusterID($0) },
            element: value?.field(4)?.integer(as: UInt32.self))
        let entry: String? = value?.field(5).map { index in
            index.integer(as: UInt16.self).map { "[\($0)]" } ?? "[+]"
        }
        return path.text(.attribute, in: catalogue) + (entry ?? "")
    }

    private func eventPath(_ value: TLVValue?) -> String {
        ElementPath(
            endpoint: value?.field(1)?.integer(as: UInt16.self).map { EndpointID($0) },
            cluster: value?.field(2)?.integer(as: UInt32.self).map { ClusterID($0) },
            element: value?.field(3)?.integer(as: UInt32.self)
        ).text(.event, in: catalogue)
    }

    /// - Parameter name: that of an answer, whose number is that of another command.
    private func commandPath(_ value: TLVValue?, name: String? = nil) -> String {
        let path = ElementPath(
            endpoint: value?.field(0)?.integer(as: UInt16.self).map { EndpointID($0) },
            cluster: value?.field(1)?.integer(as: UInt32.self).map { ClusterID($0) },
            element: value?.field(2)?.integer(as: UInt32.self))
        let text = path.text(.command, in: catalogue)
        guard let name, let end = text.lastIndex(of: "/") else { return text }
        return text[...end] + NameStyle.kebab(name)
    }

    // MARK: Values

    private func plain(_ value: TLVValue?) -> JSONValue { value.map { JSONValue($0) } ?? .null }

    private func number(_ value: TLVValue?) -> JSONValue { plain(value) }

    /// A flag that is set.
    private func flag(_ value: TLVValue?, _ name: String) -> [MessageItem] {
        value?.boolean == true ? [MessageItem("flag", [name: .bool(true)])] : []
    }

    /// The value with a word about the certificates in it.
    private func described(
        _ json: JSONValue, _ value: TLVValue, _ definitions: [FieldDefinition]? = nil
    ) -> JSONValue {
        if case .octets(let octets) = value, let text = describe(octets) { return .string(text) }
        guard case .object(var object) = json, let definitions, let members = value.members else { return json }
        for member in members {
            guard case .context(let tag) = member.tag, case .octets(let octets) = member.value,
                let field = definitions.tagged(tag), let text = describe(octets)
            else { continue }
            object[field.key] = .string(text)
        }
        return .object(object)
    }
}

/// The members of a structure by their tags.
struct Members {
    private let all: [TLVElement]

    init(_ all: [TLVElement]) { self.all = all }

    subscript(_ tag: UInt8) -> TLVValue? { all.first { $0.tag == .context(tag) }?.value }

    /// The entries of an array.
    func values(_ tag: UInt8) -> [TLVValue] {
        switch self[tag] {
        case .array(let items), .list(let items): items.map(\.value)
        default: []
        }
    }

    /// The structures in an array.
    func blocks(_ tag: UInt8) -> [Members] { values(tag).map { Members($0.members ?? []) } }
}
