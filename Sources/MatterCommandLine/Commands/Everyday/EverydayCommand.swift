import ArgumentParser
import MatterController
import MatterDataModel
import MatterInteraction
import MatterRecords
import MatterTLV

/// Options of commands that do one thing.
struct EverydayOptions: ParsableArguments {
    @Flag(help: "Read the state back and print it.") var verify = false
    @Flag(name: .long, help: "Send nothing; show what would be sent.") var dryRun = false

    func check(_ options: NetworkOptions) throws { if dryRun { try options.requireOffline() } }
}

/// A command that does one thing to one cluster of a node and prints nothing when it worked.
protocol EverydayCommand: NodeSubject {
    var everyday: EverydayOptions { get }
    var verb: Verb { get }
}

extension EverydayCommand {
    func run(_ context: CommandContext) async throws {
        let (controller, target) = (context.controller, NodeTarget(node.node))
        let verb = verb
        if let group = GroupTarget(node) {
            let record = try await group.record(node, context)
            if everyday.dryRun {
                return try Rehearsal(verb.command(at: nil), to: record, in: .standard, ValuePrinter())
                    .print(on: context.console)
            }
            return try await GroupTarget.perform(verb, on: record, verifying: everyday.verify, context)
        }
        if everyday.dryRun { return try await rehearse(verb, context) }
        let place = try await controller.perform(
            verb, on: try await controller.record(of: node.node), endpoint: node.endpoint, title: target.text,
            budget: context.budget)
        guard everyday.verify else { return }
        let path = ConcreteAttributePath(endpoint: place.endpoint, cluster: verb.cluster, attribute: verb.attribute)
        let light = ConcreteAttributePath(
            endpoint: place.endpoint, cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
        let state = try await place.link.read(
            [AttributePath(path)] + (verb.dependsOnLight ? [AttributePath(light)] : []),
            deadline: context.deadline(for: place.node))
        let isLit = state.attributes.first { $0.path == light }?.value == .bool(false) ? false : nil
        try AttributeOutput(context, place.node, target).print(
            state.attributes.filter { $0.path == path }, requested: [AttributePath(path)],
            isLit: isLit)
    }

    func validate() throws { try everyday.check(options) }

    /// At an endpoint that is known already.
    private func rehearse(_ verb: Verb, _ context: CommandContext) async throws {
        let record = try await context.controller.record(of: node.node)
        let endpoint = try record.endpoint(
            serving: verb.cluster, named: node.endpoint,
            clusterName: Catalogue.standard.clusterName(verb.cluster) ?? "\(verb.cluster)")
        try Rehearsal(
            [([verb.command(at: endpoint)], isTimed: false)], of: record.nodeID, in: .standard, ValuePrinter()
        ).print(on: context.console)
    }
}
