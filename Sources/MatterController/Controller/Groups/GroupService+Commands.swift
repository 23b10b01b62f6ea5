public import MatterState

/// A message to a group that has left this host (Matter core specification 4.16). No member answers it.
public struct GroupDelivery: Sendable {
    /// The multicast address of the group.
    public let address: PeerAddress
    /// The network interfaces that it was sent on.
    public let interfaces: [String]
    /// Its message counter.
    public let counter: UInt32
}

/// The commands that a verb sends to a group.
public struct GroupRequest: Sendable {
    /// The command, without an endpoint: each member has its own.
    public let command: Command
    /// Its effect, for reading back.
    public let whole: DeviceRequest
}

extension GroupRecord {
    /// The commands that a verb sends to the group. Members are not asked what they have.
    ///
    /// - Throws: ``ControllerError`` `groupTarget` for a verb that writes attributes, which no group takes (Matter core
    ///   specification 8.3.3.2), or what the verb says of its own bounds.
    public func request(_ verb: any DeviceVerb) throws -> GroupRequest {
        let whole = try verb.request(DeviceFacts(unasked: "group '\(name)'", label: "group:\(name)"))
        guard let command = whole.command(at: nil, of: verb.cluster) else {
            throw ControllerError(.groupTarget, "groups take commands, and this sets an attribute: name the nodes")
        }
        return GroupRequest(command: command, whole: whole)
    }
}

extension GroupService {
    /// Sends a command to all members of a group. It is sent once, and is not answered.
    ///
    /// - Parameters:
    ///   - command: without an endpoint.
    ///   - catalogue: says which commands have to be timed.
    /// - Throws: ``ControllerError`` `groupTarget` for a command that has to be timed; `TransportError` `noInterface`;
    ///   `StoreError` if no counter can be reserved, since a counter that is used twice would give the key away.
    public func send(
        _ command: Command, to group: GroupRecord, in catalogue: Catalogue = .standard
    ) async throws -> GroupDelivery {
        if catalogue.isTimed(command) {
            throw ControllerError(.groupTarget, "this command has to be timed, which commands to groups are not")
        }
        // A copy of the state directory must not use the counters of the original.
        try await context.settled()
        let credentials = try context.credentials()
        let key = try GroupKey(
            epochKey: try context.groups().key(of: group), compressedFabricID: credentials.fabric.compressedFabricID)
        var transaction = InvokeTransaction([command], isGroup: true)
        guard
            case .send(let opcode, let payload, _) = try transaction.start(
                maxPayload: options.links.properties.largestPayload)
        else { throw InteractionError(.invalidRequest, "an invoke that sends nothing") }
        let manager = try context.manager()
        // One for each message, and just before it: other processes send too, and members take no counter that is far behind.
        var block = try await CounterBlock.reserve(FabricStore.groupCounter, count: 1, in: options.state)
        guard let counter = block.next() else { throw StoreError(.system, "no message counter could be reserved") }
        let address = PeerAddress(group: group.group, ofFabric: credentials.fabric.fabricID.rawValue)
        let interfaces = try await manager.multicast(
            OutgoingGroupMessage(
                payload, opcode: opcode.rawValue, protocolID: .interactionModel, group: group.group,
                source: credentials.nodeID.rawValue, counter: counter,
                security: GroupMessageSecurity(
                    sessionID: key.sessionID, key: key.operationalKey, privacyKey: try key.privacyKey()),
                address: address))
        return GroupDelivery(address: address, interfaces: interfaces, counter: counter)
    }
}
