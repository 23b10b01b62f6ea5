import ArgumentParser
import MatterController

struct Status: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the house: each device by room.",
        discussion: """
            The nodes are asked, a few at a time. One that gives no answer is shown as unreachable. Where the server of the \
            house runs, it answers from memory, with the age of what it knows; --direct asks the nodes.

            Example: matterctl status --room Hall
            """)
    static let defaultTimeout = Duration.seconds(10)

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws {
        guard options.address == nil || selection.meansOne(nodes.map(\.node)) else {
            throw ValidationError("--address is for one node")
        }
    }

    func run(_ context: CommandContext) async throws {
        if nodes.isEmpty, !selection.isGiven, try context.controller.context.nodes().sound().nodes.isEmpty {
            return context.console.result([])
        }
        let targets = try await selection.targets(nodes, of: context.controller, in: .standard)
        var seen: Set<UInt64> = []
        let records = targets.map(\.node).filter { seen.insert($0.nodeID.rawValue).inserted }
        let preview = StatusPreview(records, context.console) { status in
            targets.contains { Self.isMeant(status, by: $0) }
        }
        if context.console.isTerminal { context.waits?.show { preview.lines } }
        defer { context.waits?.show(above: nil) }
        let answers = try await NodeAnswer.each(of: records) { node in
            let devices = try await context.controller.devices.status(
                of: node, among: records.count, budget: context.budget)
            preview.note(devices, of: node)
            return devices
        }
        let statuses = answers.flatMap { $0.value ?? [] }
        // Devices that a bridge has gained have their targets only now.
        let isOutdated = statuses.contains { status in
            let known = records.first { $0.nodeID == status.node.nodeID }
            return status.node.endpoints.map(\.number) != known?.endpoints.map(\.number)
        }
        let meant = isOutdated ? try await selection.targets(nodes, of: context.controller, in: .standard) : targets
        let devices = statuses.filter { status in meant.contains { Self.isMeant(status, by: $0) } }
        let isRemembered = devices.contains { $0.heard != nil }
        context.console.result(
            Self.byRoom(devices).map { Report(status: $0, context.console, showsAge: isRemembered) })
    }

    /// A node that is named means all that is behind it, too.
    private static func isMeant(_ status: DeviceStatus, by target: NodeSelection.Target) -> Bool {
        guard target.node.nodeID == status.node.nodeID else { return false }
        guard let device = target.device else { return status.device == nil || target.isNamed }
        return device.endpoint.number == status.device?.endpoint.number
    }

    /// Those in no room are the last; within a room they are by node.
    static func byRoom(_ devices: [DeviceStatus]) -> [DeviceStatus] {
        devices.enumerated().sorted { first, second in
            let (one, other) = (first.element.room?.lowercased(), second.element.room?.lowercased())
            guard one != other else { return first.offset < second.offset }
            guard let one, let other else { return one != nil }
            return one < other
        }.map(\.element)
    }
}

extension Report {
    /// - Parameter showsAge: whether the table has a column for how long ago the nodes were heard.
    init(status: DeviceStatus, _ console: Console, showsAge: Bool = false) {
        let (node, device) = (status.node, status.device)
        let text = status.text
        self.init {
            Field("room", status.room, column: "ROOM")
            Field("node", node.nodeID)
            Field("endpoint", device?.endpoint.number)
            Field(column: "NODE", ["\(node.nodeID.rawValue)" + (device.map { "/\($0.endpoint.number)" } ?? "")])
            Field("name", node.name)
            Field("label", device?.title)
            Field(column: "NAME", (device?.title ?? node.name).map { [$0] })
            Field("summary", text.isEmpty ? nil : text)
            Field(column: "STATE", (Self.silence(status) ?? (text.isEmpty ? nil : text)).map { [$0] })
            Report(health: status)
            Field("heardSeconds", status.heard.map { Self.seconds($0) })
            if showsAge {
                Field(column: "HEARD", status.heard.map { ["\(Self.seconds($0)) s ago"] })
            }
            Field(
                "values",
                status.readings.map { taken in
                    Report {
                        Field("quantity", taken.reading.name)
                        Field("unit", taken.reading.unit(measured: taken.measured))
                        Field(
                            "time", taken.age.map { DateText.time(Terminal.current.unixTime() - $0.components.seconds) }
                        )
                        Report(taken.report, of: NodeMark(id: node.nodeID), in: .standard, ValuePrinter())
                    }
                })
            Field("error", status.failure.map { NodeRound.error($0, of: node) })
        }
    }

    private static func seconds(_ duration: Duration) -> Int { Int(duration.components.seconds) }

    /// `no answer for 10 s`: a device of which nothing is heard may be on or off.
    static func silence(_ status: DeviceStatus) -> String? {
        status.silence.map { "no answer for \(max(1, Int(($0 / .seconds(1)).rounded()))) s" }
    }

    /// Whether it answers, its battery, when it was seen and its firmware.
    init(health status: DeviceStatus?, isWhole: Bool = false) {
        let percent: Int? = status?.battery?.report.value?.integer()
        let (isReachable, node) = (status?.isReachable, status?.device == nil ? status?.node : nil)
        self.init {
            Field("battery", percent.map { JSONValue.double(Double($0) / 2) })
            Field(column: "BATTERY", percent.map { ["\($0 / 2)%"] })
            Field("reachable", isReachable)
            Field(column: "REACHABLE", isReachable.map { [$0 ? "yes" : "no"] })
            if isWhole {
                Field(column: "SEEN", node?.seenAt.map { [DateText.time($0)] })
                Field(column: "FIRMWARE", node?.firmware.map { [$0] })
            } else {
                Field("lastSeen", node?.seenAt.map { DateText.time($0) })
                Field("firmware", node?.firmware)
            }
        }
    }
}
