import MatterNetwork

/// The sleep of the device, and the messages with which it says that it is awake.
extension SimulatedDevice {
    /// How long a client is looked up.
    private static let lookUp = Duration.seconds(5)

    /// A message has been sent or received: the device does not fall asleep over it.
    func noteActivity() {
        guard configuration.sleep != nil else { return }
        node.noteActivity(at: moment)
        afterTurn()
    }

    func checkIn(_ client: NodeID, of fabric: UInt8, _ payload: [UInt8]) async {
        var members: [(key: String, value: TLVValue)] = [
            ("fabricIndex", .uint(UInt64(fabric))), ("peerNodeId", .uint(client.rawValue)),
        ]
        do {
            let addresses = await addresses(of: client, fabric)
            guard !addresses.isEmpty else {
                return report("check-in-failed", members + [("reason", .string("the client was not found"))])
            }
            noteActivity()
            let session = try await manager.openUnsecuredSession(to: addresses, presumedActive: true)
            let exchange = try await manager.openExchange(on: session)
            try await exchange.send(
                payload, opcode: SecureChannelOpcode.checkIn.rawValue, protocolID: .secureChannel, reliable: false)
            await manager.remove(session)
            members.append(("peer", .string(addresses.map(\.description).joined(separator: " "))))
            report("checked-in", members)
        } catch {
            report("check-in-failed", members + [("reason", .string("\(error)"))])
        }
    }

    /// Where a client is: the first answer counts.
    private func addresses(of client: NodeID, _ fabric: UInt8) async -> [PeerAddress] {
        guard let discovery = surroundings.discovery, let entry = node.fabrics[fabric] else { return [] }
        let updates = discovery.resolveOperational(
            compressedFabricID: entry.operational.fabric.compressedFabricID.rawValue, nodeID: client.rawValue)
        let limit = time.start { [time] in try? await time.sleep(for: Self.lookUp) }
        let search = time.start { () -> [PeerAddress] in
            do {
                for try await case .found(let node) in updates { return node.addresses.compactMap { PeerAddress($0) } }
            } catch {}
            return []
        }
        let end = time.start {
            await limit.value
            search.cancel()
        }
        let found = await search.value
        limit.cancel()
        end.cancel()
        return found
    }
}
