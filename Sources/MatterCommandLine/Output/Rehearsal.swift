import MatterController

/// The messages that a command would send, with `--dry-run`: decoded, and as the bytes of the messages before encryption.
struct Rehearsal {
    /// One thing that would be asked for: where, and what, for people and for programs.
    struct Element {
        let path: String
        let said: String
        let report: Report
    }

    /// The most that one message may hold, as for the device.
    static let maxPayload = LinkProperties.udp.largestPayload

    private var commands: [Element]?
    private var writes: [Element]?
    private let messages: [RehearsedMessage]

    func print(on console: Console) {
        guard !console.isJSON else { return console.result(report) }
        Self.print(rows, [], console)
    }

    /// - Parameter heading: of what stands before each row, if something does.
    static func print(_ rows: [[String]], _ heading: [String], _ console: Console) {
        console.rows(heading + ["WHAT", "SENT"], rows, isFolding: true)
    }

    var report: Report {
        Report {
            Field("dryRun", true)
            Field("commands", commands?.map(\.report))
            Field("writes", writes?.map(\.report))
            Field(
                "messages",
                messages.map { message in
                    Report {
                        Field("message", message.opcode.description)
                        Field("payload", JSONValue.octets(message.payload))
                    }
                })
        }
    }

    var rows: [[String]] {
        ((commands ?? []) + (writes ?? [])).map { [$0.path, $0.said] }
            + messages.map { [$0.opcode.description, Hex.encode($0.payload)] }
    }
}

extension Rehearsal {
    /// Of commands, in requests that each hold some of them.
    ///
    /// - Parameter batches: what goes into one request, with whether that is a timed one.
    init(
        _ batches: [(commands: [Command], isTimed: Bool)], of node: NodeMark?, in catalogue: Catalogue,
        _ printer: ValuePrinter
    ) throws {
        commands = batches.flatMap(\.commands).map { command in
            let fields = catalogue.cluster(command.path.cluster)?.command(command.path.command)?.fields ?? []
            let json = printer.json(fields: command.fields, of: fields)
            return Element(
                path: command.path.text(in: catalogue), said: TerminalText.text(json),
                report: Report {
                    Report(command.path, of: node, in: catalogue)
                    Field("fields", json)
                })
        }
        messages = try batches.flatMap { batch in
            try InvokeTransaction(
                batch.commands, timeout: batch.isTimed ? NodeLink.timedTimeout : nil,
                maxPathsPerInvoke: batch.commands.count
            ).rehearsed(maxPayload: Self.maxPayload)
        }
    }

    /// Of a command to a group.
    init(_ command: Command, to group: GroupRecord, in catalogue: Catalogue, _ printer: ValuePrinter) throws {
        let definition = catalogue.cluster(command.path.cluster)?.command(command.path.command)
        let json = printer.json(fields: command.fields, of: definition?.fields ?? [])
        commands = [
            Element(
                path: command.path.text(in: catalogue), said: TerminalText.text(json),
                report: Report {
                    Field("group", group.group)
                    Field("name", group.name)
                    Field("cluster", catalogue.clusterName(command.path.cluster))
                    Field("clusterId", command.path.cluster)
                    Field("command", definition?.name)
                    Field("commandId", command.path.command)
                    Field("fields", json)
                })
        ]
        messages = try InvokeTransaction([command], isGroup: true).rehearsed(maxPayload: Self.maxPayload)
    }

    /// Of writes.
    init(
        _ writes: [AttributeWrite], isTimed: Bool, of node: NodeMark?, in catalogue: Catalogue, _ printer: ValuePrinter
    ) throws {
        self.writes = writes.compactMap { write in
            guard let path = write.path.concrete else { return nil }
            let type = catalogue.type(of: path)
            return Element(
                path: path.text(in: catalogue), said: printer.text(write.value, as: type),
                report: Report {
                    Report(path, of: node, in: catalogue)
                    Field("value", printer.json(write.value, as: type))
                })
        }
        messages = try WriteTransaction(writes, timeout: isTimed ? NodeLink.timedTimeout : nil).rehearsed(
            maxPayload: Self.maxPayload)
    }
}

extension CommandPath {
    /// As it can be typed: `1/on-off/toggle`.
    func text(in catalogue: Catalogue) -> String {
        ElementPath(endpoint: endpoint, cluster: cluster, element: command.rawValue).text(.command, in: catalogue)
    }
}
