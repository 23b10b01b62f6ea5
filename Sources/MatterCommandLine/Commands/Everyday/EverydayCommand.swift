import MatterController
import MatterDataModel
import MatterInteraction
import MatterTLV

/// A command that does one thing to one cluster of a node and prints nothing when it worked.
protocol EverydayCommand: NodeSubject {
    var verify: Bool { get }
    var verb: Verb { get }
}

extension EverydayCommand {
    func run(_ context: CommandContext) async throws {
        let (controller, target) = (context.controller, NodeTarget(node.node))
        let verb = verb
        if let group = GroupTarget(node) {
            return try await GroupTarget.perform(
                verb, on: try await group.record(node, context), verifying: verify, context)
        }
        let place = try await controller.perform(
            verb, on: try await controller.record(of: node.node), endpoint: node.endpoint, title: target.text,
            budget: context.budget)
        guard verify else { return }
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
}
