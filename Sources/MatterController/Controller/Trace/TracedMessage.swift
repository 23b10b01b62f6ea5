public import MatterNetwork

/// A message in words, as a trace and `decode` show it (own).
public struct TracedMessage: Sendable {
    /// The way that a message went.
    package enum Direction: String, Sendable {
        /// From us.
        case sent
        /// To us.
        case received
        /// Between others, or unknown.
        case seen

        fileprivate var arrow: String {
            switch self {
            case .sent: "->"
            case .received: "<-"
            case .seen: "--"
            }
        }
    }

    /// The message for people: a block of several lines. Text from devices is escaped.
    public let text: String
    /// The message for programs.
    public let json: JSONValue

    /// A defect of a capture, in the place of a message.
    init(fault: String) {
        text = "fault: \(TerminalText.escaped(fault))"
        json = ["fault": .string(fault)]
    }

    /// A message that is not Matter's own.
    ///
    /// - Parameters:
    ///   - time: microseconds since 1970.
    ///   - wait: microseconds since the message before.
    init(
        at time: Int64, wait: Int64?, from source: String, to destination: String, _ title: String,
        _ items: [MessageItem],
        fault: String?
    ) {
        let places = "\(source) -> \(destination)"
        let head = Self.head(time, wait) + "  \(TerminalText.escaped(places))"
        text = Self.block(head, [title], items, fault)
        var object: JSONObject = [
            "time": .string(Self.instant(time)), "direction": .string(Direction.seen.rawValue),
            "source": .string(source), "destination": .string(destination), "protocol": .string("mdns"),
            "message": .string(title),
        ]
        object["waitUs"] = wait.map { .int($0) }
        Self.add(items, fault, to: &object)
        json = .object(object)
    }

    /// - Parameters:
    ///   - time: microseconds since 1970.
    ///   - wait: microseconds since the message before.
    ///   - carrier: `nil` if it is unknown.
    ///   - size: the bytes of the datagram.
    ///   - name: the name of a node.
    init(
        _ message: DissectedMessage, _ direction: Direction, at time: Int64, wait: Int64?, from source: String,
        to destination: String, by carrier: CapturedDatagram.Carrier?, size: Int, name: (UInt64) -> String?
    ) {
        func node(_ id: UInt64?) -> String? {
            guard let id, message.kind != .unsecured, message.kind != .sealed else { return nil }
            return "node \(Self.nodeText(id))" + (name(id).map { " '\($0)'" } ?? "")
        }
        let peer: String
        switch direction {
        case .sent:
            peer = "-> \(destination)" + (node(message.destination) ?? message.group.map { "group \($0)" }).spaced
        case .received: peer = "<- \(source)" + node(message.source).spaced
        case .seen:
            peer =
                "\(source)" + node(message.source).spaced + " -> \(destination)"
                + (node(message.destination) ?? message.group.map { "group \($0)" }).spaced
        }
        text = Self.block(
            Self.head(time, wait) + "  \(TerminalText.escaped(peer))",
            Self.facts(message, size) + (carrier == .tcp ? ["TCP"] : []),
            message.items,
            message.fault)
        var object = Self.json(message, direction, at: time, wait: wait, from: source, to: destination, size: size)
        object["transport"] = carrier.map { .string($0.rawValue) }
        json = .object(object)
    }

    // MARK: Text

    private static func block(_ head: String, _ facts: [String], _ items: [MessageItem], _ fault: String?) -> String {
        var lines = [head, "    " + facts.joined(separator: ", ")]
        lines += items.map { "    " + $0.text }
        if let fault { lines.append("    fault: \(TerminalText.escaped(fault))") }
        return lines.joined(separator: "\n")
    }

    private static func facts(_ message: DissectedMessage, _ size: Int) -> [String] {
        var facts: [String] = []
        if let opcode = message.opcode { facts.append(opcode) }
        switch message.kind {
        case .unsecured: facts.append("unsecured")
        case .pase, .case: facts.append("\(message.kind.rawValue) session \(hexadecimal(UInt32(message.sessionID)))")
        case .group: facts.append("group session \(hexadecimal(UInt32(message.sessionID)))")
        case .sealed: facts.append("session \(hexadecimal(UInt32(message.sessionID)))")
        }
        if let exchange = message.exchangeID {
            facts.append(
                "exchange \(hexadecimal(UInt32(exchange))) (\(message.isFromInitiator ? "initiator" : "responder"))")
        }
        facts.append("counter \(message.counter)")
        if message.isControl { facts.append("control") }
        if message.hasPrivacy { facts.append("privacy") }
        if message.needsAck { facts.append("wants acknowledgement") }
        if let acknowledged = message.acknowledged {
            facts.append(
                "acknowledges \(acknowledged)" + (message.acknowledgedAfter.map { " after \(milliseconds($0))" } ?? ""))
        }
        if message.retransmission > 0 { facts.append("retransmission \(message.retransmission)") }
        facts.append("\(size) bytes")
        return facts
    }

    private static func head(_ time: Int64, _ wait: Int64?) -> String {
        let instant = instant(time)
        let clock = instant.split(separator: "T").last.map { String($0.dropLast()) } ?? instant
        return clock + "  " + (wait.map { "+\(milliseconds($0))" } ?? "+0.0 ms")
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        "\(microseconds / 1000).\((microseconds % 1000) / 100) ms"
    }

    private static func nodeText(_ id: UInt64) -> String {
        id <= 0xFFFF_FFFF ? "\(id)" : "0x" + Hex.number(id, digits: 16)
    }

    /// RFC 3339, UTC, with microseconds.
    static func instant(_ microseconds: Int64) -> String {
        let seconds = microseconds >= 0 ? microseconds / 1_000_000 : 0
        let fraction = microseconds >= 0 ? microseconds % 1_000_000 : 0
        // Days since 0000-03-01 to a date, by the eras of 400 years.
        let days = seconds / 86_400 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date =
            "\(year + era * 400 + (month <= 2 ? 1 : 0))-\(two(month))-\(two(dayOfYear - (153 * shifted + 2) / 5 + 1))"
        let clock = "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        let digits = "\(fraction)"
        return "\(date)T\(clock).\(String(repeating: "0", count: 6 - digits.utf8.count))\(digits)Z"
    }

    // MARK: JSON

    private static func json(
        _ message: DissectedMessage, _ direction: Direction, at time: Int64, wait: Int64?, from source: String,
        to destination: String, size: Int
    ) -> JSONObject {
        var object: JSONObject = [
            "time": .string(instant(time)), "direction": .string(direction.rawValue), "source": .string(source),
            "destination": .string(destination), "protocol": .string("matter"),
        ]
        object["message"] = message.opcode.map { .string($0) }
        object["waitUs"] = wait.map { .int($0) }
        object["session"] = .string(message.kind.rawValue)
        object["sessionId"] = .uint(UInt64(message.sessionID))
        object["counter"] = .uint(UInt64(message.counter))
        object["sourceNode"] = message.source.map { .id($0) }
        object["destinationNode"] = message.destination.map { .id($0) }
        object["group"] = message.group.map { .uint(UInt64($0)) }
        object["exchange"] = message.exchangeID.map { .uint(UInt64($0)) }
        if message.exchangeID != nil {
            object["fromInitiator"] = .bool(message.isFromInitiator)
            object["needsAck"] = .bool(message.needsAck)
        }
        object["acknowledges"] = message.acknowledged.map { .uint(UInt64($0)) }
        object["acknowledgedAfterUs"] = message.acknowledgedAfter.map { .int($0) }
        object["retransmission"] = .uint(UInt64(message.retransmission))
        object["bytes"] = .uint(UInt64(size))
        add(message.items, message.fault, to: &object)
        return object
    }

    private static func add(_ items: [MessageItem], _ fault: String?, to object: inout JSONObject) {
        object["items"] = .array(items.map(\.json))
        object["fault"] = fault.map { .string($0) }
    }
}

extension String? {
    /// With a blank before it; nothing for `nil`.
    fileprivate var spaced: String { map { " " + $0 } ?? "" }
}
