import MatterCredentials
package import MatterTLV

/// A command that a client on this endpoint wants its bound servers to run.
package struct BoundCommand: ClusterSignal {
    package var cluster: UInt32
    package var command: UInt32
    package var fields: TLVValue

    package init(cluster: UInt32, command: UInt32, fields: TLVValue = .structure([])) {
        self.cluster = cluster
        self.command = command
        self.fields = fields
    }
}

/// Binding (Matter core specification 9.6): which servers the clients of this endpoint drive.
///
/// Commands come as ``BoundCommand`` from siblings, or from a person: `on`, `off`, `toggle`, `identify`. Each goes to every
/// binding that names its cluster or none: to one node over CASE, to a group, or straight to another endpoint of this device.
package struct BindingServer: ClusterServer {
    private static let binding: UInt32 = 0
    /// For each fabric.
    private static let capacity = 10
    /// How long bound devices show themselves.
    private static let identifySeconds: UInt16 = 10

    private enum Field {
        static let node: UInt8 = 1
        static let group: UInt8 = 2
        static let endpoint: UInt8 = 3
        static let cluster: UInt8 = 4
    }

    package let id = ClusterID.binding
    package let initialAttributes: [UInt32: TLVValue] = [BindingServer.binding: .array([])]
    package let persistentAttributes: Set<UInt32> = [BindingServer.binding]

    package init() {}

    package mutating func write(
        _ attribute: UInt32, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Self.binding, let entries = value.items else { throw .unsupportedWrite }
        let clients = context.node.endpoints[context.endpoint]?.clients ?? []
        var counts: [UInt8: Int] = [:]
        for entry in entries {
            let names = (entry.field(Field.node), entry.field(Field.endpoint), entry.field(Field.group))
            switch names {
            case (.some, .some, nil), (nil, nil, .some): break
            default: throw .constraintError
            }
            if names.2?.integer(as: UInt16.self) == 0 { throw .constraintError }
            if let cluster: UInt32 = entry.field(Field.cluster)?.integer(), !clients.contains(cluster) {
                throw .constraintError
            }
            counts[entry.fabricIndex ?? 0, default: 0] += 1
        }
        guard counts.values.allSatisfy({ $0 <= Self.capacity }) else { throw .resourceExhausted }
        context[Self.binding] = value
    }

    package mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let command = signal as? BoundCommand else { return }
        send(command, context)
    }

    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let word = words.first else { return false }
        let command: BoundCommand
        switch word {
        case "off": command = BoundCommand(cluster: ClusterID.onOff, command: 0)
        case "on": command = BoundCommand(cluster: ClusterID.onOff, command: 1)
        case "toggle": command = BoundCommand(cluster: ClusterID.onOff, command: 2)
        case "identify":
            command = BoundCommand(
                cluster: ClusterID.identify, command: 0,
                fields: .structure([TLVElement(0, .number(Self.identifySeconds))]))
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
        for entry in context[Self.binding]?.items ?? [] {
            guard let fabricIndex = entry.fabricIndex else { continue }
            if let cluster: UInt32 = entry.field(Field.cluster)?.integer(), cluster != command.cluster { continue }
            let target: RemoteCommand.Target
            if let group: UInt16 = entry.field(Field.group)?.integer() {
                count += 1
                target = .group(group)
            } else if let node: UInt64 = entry.field(Field.node)?.integer(),
                let endpoint: UInt16 = entry.field(Field.endpoint)?.integer()
            {
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
