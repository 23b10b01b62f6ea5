import MatterCrypto
import MatterModel

/// A command that a client on this endpoint wants its bound servers to run.
struct BoundCommand: ClusterSignal {
    var cluster: ClusterID
    var command: CommandID
    var fields: TLVValue = .structure([])
}

/// Binding (Matter core specification 9.6): which servers the clients of this endpoint drive.
///
/// Commands come as ``BoundCommand`` from siblings, or from a person: `on`, `off`, `toggle`, `identify`. Each goes to every
/// binding that names its cluster or none: to one node over CASE, to a group, or straight to another endpoint of this device.
struct BindingServer: ClusterServer {
    /// For each fabric.
    private static let capacity = 10
    /// How long bound devices show themselves.
    private static let identifySeconds: UInt16 = 10

    let id = Binding.id
    let initialAttributes: [AttributeID: TLVValue] = [Binding.Attribute.binding: .array([])]
    let persistentAttributes: Set<AttributeID> = [Binding.Attribute.binding]

    init() {}

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Binding.Attribute.binding, let entries = value.items else { throw .unsupportedWrite }
        let clients = context.node.endpoints[context.endpoint]?.clients ?? []
        var counts: [UInt8: Int] = [:]
        for entry in entries {
            guard let binding = Binding.Target(tlv: entry) else { throw .constraintError }
            switch (binding.node, binding.endpoint, binding.group) {
            case (.some, .some, nil): break
            case (nil, nil, .some(let group)) where group != 0: break
            default: throw .constraintError
            }
            if let cluster = binding.cluster, !clients.contains(cluster) { throw .constraintError }
            counts[binding.fabricIndex ?? 0, default: 0] += 1
        }
        guard counts.values.allSatisfy({ $0 <= Self.capacity }) else { throw .resourceExhausted }
        context[Binding.Attribute.binding] = value
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let command = signal as? BoundCommand else { return }
        send(command, context)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let word = words.first else { return false }
        let command: BoundCommand
        switch word {
        case "off": command = BoundCommand(cluster: OnOff.id, command: OnOff.Command.off)
        case "on": command = BoundCommand(cluster: OnOff.id, command: OnOff.Command.on)
        case "toggle": command = BoundCommand(cluster: OnOff.id, command: OnOff.Command.toggle)
        case "identify":
            command = BoundCommand(
                cluster: Identify.id, command: Identify.Command.identify,
                fields: Identify.Identify(identifyTime: Self.identifySeconds).tlv)
        default: return false
        }
        let clients = context.node.endpoints[context.endpoint]?.clients ?? []
        guard clients.contains(command.cluster) else { return false }
        if send(command, context) == 0 { context.report("nothing is bound") }
        return true
    }

    /// - Returns: to how many the command goes.
    @discardableResult
    private func send(_ command: BoundCommand, _ context: ClusterContext) -> Int {
        var count = 0
        let bindings = (context[Binding.Attribute.binding]?.items ?? []).compactMap { Binding.Target(tlv: $0) }
        for binding in bindings where binding.cluster == nil || binding.cluster == command.cluster {
            guard let fabricIndex = binding.fabricIndex else { continue }
            let target: RemoteCommand.Target
            if let group = binding.group {
                count += 1
                target = .group(group)
            } else if let node = binding.node, let endpoint = binding.endpoint {
                count += 1
                if node == context.node.fabrics[fabricIndex]?.operational.nodeID.rawValue {
                    // The light is in this very device: nothing to send.
                    context.node.invoke(
                        command.command, command.fields, endpoint: endpoint, cluster: command.cluster,
                        at: context.node.moment)
                    continue
                }
                target = .node(node, endpoint: endpoint)
            } else {
                continue
            }
            context.effect(
                .command(
                    RemoteCommand(
                        fabricIndex: fabricIndex, target: target, cluster: command.cluster, command: command.command,
                        fields: command.fields)))
        }
        return count
    }
}
