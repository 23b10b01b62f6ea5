import MatterCommandLine
import MatterSimulator

/// One line for everything that happens to a virtual device; with `--json`, one object.
struct SimulationPrinter: Sendable {
    let console: Console
    let node: Int
    let isOneOfMany: Bool

    private let catalogue = Catalogue.standard
    private let printer = ValuePrinter()

    /// The device listens: its codes.
    func ready(port: UInt16, _ payload: SetupPayload) {
        guard let qrCode = try? payload.qrCode(), let manual = try? payload.manualCode(),
            let formatted = try? payload.formattedManualCode()
        else { return }
        let discriminator = payload.discriminator.long ?? 0
        if console.isJSON {
            emit(
                "ready",
                [
                    ("port", .uint(UInt64(port))), ("discriminator", .uint(UInt64(discriminator))),
                    ("passcode", .uint(UInt64(payload.passcode.value))), ("qrCode", .string(qrCode)),
                    ("manualCode", .string(manual)),
                ])
        } else if isOneOfMany {
            console.result("#\(node) port \(port) discriminator \(discriminator) \(qrCode) \(formatted)")
        } else {
            if console.isTerminal { for line in QRDrawing.lines(qrCode) ?? [] { console.result(line) } }
            console.result("qr \(qrCode)")
            console.result("manual \(formatted)")
            console.result("ready \(port)")
        }
    }

    func print(_ report: MatterSimulator.NodeReport) {
        switch report {
        case .attribute(let endpoint, let cluster, let attribute, let value):
            let definition = catalogue.cluster(cluster)?.attribute(attribute)
            let name = definition?.name ?? "\(attribute)"
            emit(
                "attribute",
                place(endpoint, cluster) + [
                    ("attribute", .string(name)), ("attributeId", .id(attribute)),
                    ("value", printer.json(value, as: definition?.type)),
                ],
                text: "\(path(endpoint, cluster))/\(NameStyle.kebab(name)) "
                    + printer.text(value, as: definition?.type))
        case .event(let endpoint, let cluster, let event, let number):
            let name = catalogue.cluster(cluster)?.event(event)?.name ?? "\(event)"
            emit(
                "event",
                place(endpoint, cluster) + [
                    ("name", .string(name)), ("eventId", .id(event)), ("number", .id(number)),
                ],
                text: "event \(path(endpoint, cluster))/\(NameStyle.kebab(name)) \(number)")
        case .command(let endpoint, let cluster, let command, let status):
            let name = catalogue.cluster(cluster)?.command(command)?.name ?? "\(command)"
            emit(
                "command",
                place(endpoint, cluster) + [
                    ("command", .string(name)), ("commandId", .id(command)), ("status", .string(status)),
                ],
                text: "command \(path(endpoint, cluster))/\(NameStyle.kebab(name)) \(status)")
        case .note(let endpoint, let cluster, let text, let members):
            emit(
                "note", place(endpoint, cluster) + [("text", .string(text))] + members.map(Self.member),
                text: "\(path(endpoint, cluster)) \(TerminalText.escaped(text))")
        case .commissioning(let step, let members): printStep("commissioning", step, members)
        case .session(let what, let members): printStep("session", what, members)
        case .fault(let what): emit("fault", [("fault", .string(what))], text: "fault \(what)")
        }
    }

    private func printStep(_ event: String, _ step: String, _ members: [ReportMember]) {
        let words = members.map { "\($0.key)=\(TerminalText.text(Self.member($0).1))" }
        emit(
            event, [("step", .string(step))] + members.map(Self.member),
            text: ([event, step] + words).joined(separator: " "))
    }

    private static func member(_ member: ReportMember) -> (String, JSONValue) {
        if let number: UInt64 = member.value.integer() { return (member.key, .id(number)) }
        return (member.key, JSONValue(member.value))
    }

    private func path(_ endpoint: EndpointID, _ cluster: ClusterID) -> String {
        "\(endpoint)/\(catalogue.clusterName(cluster).map(NameStyle.kebab) ?? "\(cluster)")"
    }

    private func place(_ endpoint: EndpointID, _ cluster: ClusterID) -> [(String, JSONValue)] {
        [
            ("endpoint", .id(endpoint)), ("cluster", .string(catalogue.clusterName(cluster) ?? "\(cluster)")),
            ("clusterId", .id(cluster)),
        ]
    }

    private func emit(_ event: String, _ members: [(String, JSONValue)], text: String = "") {
        guard console.isJSON else {
            return console.result(isOneOfMany ? "#\(node) \(text)" : text)
        }
        var object: JSONObject = ["event": .string(event), "simulatedNode": .uint(UInt64(node))]
        for (key, value) in members { object[key] = value }
        console.result(.object(object))
    }
}
