import MatterNetwork

/// Messages to the groups that the device is in (Matter core specification 4.18). None of them is answered.
extension SimulatedDevice {
    /// Listens to the groups of all fabrics as they are now, and to no others.
    func followGroups() {
        let fabrics = node.fabrics.all
        let addresses = Set(fabrics.flatMap(\.groupAddresses))
        guard !addresses.isEmpty || followsGroups else { return }
        followsGroups = !addresses.isEmpty
        let receptions = fabrics.flatMap(\.groupReceptions)
        let earlier = joining
        joining = time.start { [manager] in
            await earlier?.value
            do {
                try await manager.setGroups(receptions, fabrics: Set(fabrics.map(\.index)), at: addresses)
            } catch {
                await self.report("group-not-joined", [("reason", .string("\(error)"))])
            }
        }
    }

    /// Waits until the device hears the groups that it was put into.
    func groupsFollowed() async { await joining?.value }

    func serve(_ message: GroupMessage) {
        report(
            "group-message",
            [
                ("fabricIndex", .uint(UInt64(message.fabricIndex))), ("group", .uint(UInt64(message.group))),
                ("peerNodeId", .uint(message.source)),
            ])
        guard message.protocolID == .interactionModel,
            let request = try? InteractionRequest(opcode: message.opcode, payload: message.payload),
            let members = node.fabrics[message.fabricIndex]?.groups.first(where: { $0.group == message.group })
        else { return }
        let caller = Caller(.group(message.group), fabricIndex: message.fabricIndex)
        for endpoint in members.endpoints {
            switch request {
            case .invoke(let request): invoke(request, caller, at: endpoint)
            case .write(let request): write(request, caller, at: endpoint)
            default: return
            }
            afterTurn()
        }
    }

    /// One command, not timed, whose endpoint does not count.
    private func invoke(_ request: InvokeRequest, _ caller: Caller, at endpoint: EndpointID) {
        guard request.commands.count == 1, !request.isTimed else { return }
        var request = request
        request.commands[0].path.endpoint = endpoint
        _ = try? node.turn(at: moment) { try node.invoke(request, caller: caller) }
        // Nothing is answered: neither later nor slowly.
        _ = node.takePendingCommands()
        _ = node.takeAnswerDelay()
    }

    private func write(_ request: WriteRequest, _ caller: Caller, at endpoint: EndpointID) {
        var receiver = WriteReceiver()
        guard var chunk = try? receiver.receive(request), chunk.isLast, !chunk.isTimed else { return }
        for index in chunk.operations.indices { chunk.operations[index].path.endpoint = endpoint }
        var progress = SimulatedNode.WriteProgress()
        _ = node.turn(at: moment) { node.write(chunk, progress: &progress, caller: caller) }
    }
}

extension FabricEntry {
    /// Where messages to the groups with members on this device arrive.
    fileprivate var groupAddresses: [PeerAddress] {
        groups.map { PeerAddress(group: $0.group, ofFabric: operational.fabric.fabricID.rawValue) }
    }

    /// Every key that a group is mapped to, whenever it begins to be used.
    fileprivate var groupReceptions: [GroupReception] {
        keySets.flatMap { set in
            let groups = Set(groupKeyMap.filter { $0.keySet == set.id }.map(\.group))
            guard !groups.isEmpty else { return [GroupReception]() }
            return set.keys.compactMap { epoch in
                guard
                    let key = try? GroupKey(
                        epochKey: epoch.key, compressedFabricID: operational.fabric.compressedFabricID),
                    let privacyKey = try? key.privacyKey()
                else { return nil }
                return GroupReception(
                    fabricIndex: index, groups: groups,
                    security: GroupMessageSecurity(
                        sessionID: key.sessionID, key: key.operationalKey, privacyKey: privacyKey))
            }
        }
    }
}
