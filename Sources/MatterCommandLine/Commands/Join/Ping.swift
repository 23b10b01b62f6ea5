import ArgumentParser
import MatterController

struct Ping: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "See whether a node answers, and how fast.",
        discussion: "Sets up a session and reads one attribute.\n\nExample: matterctl ping kitchen --count 3")

    /// Basic Information, DataModelRevision: mandatory on every node.
    private static let probe = ConcreteAttributePath(
        endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.dataModelRevision)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Option(help: ArgumentHelp("How many reads to time.", valueName: "N")) var count = 1
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws {
        try node.requireBare()
        guard (1...10_000).contains(count) else { throw ValidationError("--count takes 1 to 10000") }
    }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let link = try await context.controller.links.link(to: record)
        // That of a server.
        let isThere = await link.hasSession
        let start = Instant.now
        try await link.connectToRead(deadline: context.deadline(for: record))
        let setup = Instant.now - start
        var times: [Duration] = []
        for _ in 0..<count {
            let begin = Instant.now
            _ = try await link.read([AttributePath(Self.probe)], deadline: context.deadline(for: record))
            times.append(.now - begin)
        }
        // A kept session may have turned out to be lost.
        let session = try await link.connectToRead(deadline: context.deadline(for: record))
        let rung = isThere ? SessionRung.kept : session.rung
        let how = rung == .full ? "case" : rung.rawValue
        guard !context.console.isJSON else {
            return context.console.object {
                Field("node", record.nodeID)
                Field("name", record.name)
                Field("address", session.address.description)
                Field("session", how)
                Field("sessionMs", JSONValue.milliseconds(setup))
                Field("ms", times.map(JSONValue.milliseconds))
            }
        }
        context.console.rows(
            ["ADDRESS", "SESSION", "SESSION SET UP IN", "ANSWER IN"],
            times.map { [session.address.description, how, text(setup), text($0)] })
        guard context.console.isTerminal, let least = times.min(), let most = times.max(), count > 1 else { return }
        let mean = times.reduce(.zero, +) / count
        context.console.message(
            "\(count) answers: \(text(least)) at best, \(text(mean)) on average, \(text(most)) at worst")
    }

    private func text(_ duration: Duration) -> String {
        "\((duration / .milliseconds(1) * 10).rounded() / 10) ms"
    }
}
