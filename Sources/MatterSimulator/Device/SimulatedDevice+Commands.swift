import MatterCredentials
import MatterDiscovery
import MatterInteraction
import MatterSecureChannel
import MatterSession
import MatterTLV
import MatterTransport

/// Commands that the device sends to others, as a switch does to the lights it is bound to.
extension SimulatedDevice {
    /// How long a command may take, look-up and handshake included.
    private static let limit = Duration.seconds(20)

    /// Sends a command, one after the other, so that they arrive in the order in which they were given.
    func send(_ command: RemoteCommand) {
        let previous = sending
        sending = Task {
            await previous?.value
            await deliver(command)
        }
    }

    private func deliver(_ command: RemoteCommand) async {
        var members: [(key: String, value: TLVValue)] = [
            ("cluster", .uint(UInt64(command.cluster))), ("command", .uint(UInt64(command.command))),
        ]
        guard case .node(let peer, let endpoint) = command.target else {
            members.append(("reason", .string("this device sends nothing to groups")))
            return report("command-not-sent", members)
        }
        members += [("peerNodeId", .uint(peer)), ("endpoint", .uint(UInt64(endpoint)))]
        do {
            let status = try await invoke(command, on: peer, endpoint: endpoint)
            report("command-sent", members + [("status", .string(status.description))])
        } catch {
            report("command-failed", members + [("reason", .string("\(error)"))])
        }
    }

    private func invoke(_ command: RemoteCommand, on peer: UInt64, endpoint: UInt16) async throws -> StatusIB {
        guard let fabric = node.fabrics[command.fabricIndex] else {
            throw SecureChannelError(.noSharedTrustRoots, "this device has no such fabric", reply: nil)
        }
        let deadline = Instant.now + Self.limit
        let addresses = try await addresses(of: peer, fabric, until: deadline)
        let reference = try await connect(to: peer, fabric, at: addresses, until: deadline)
        let manager = manager
        let client = InteractionClient(
            openExchange: { try await manager.openExchange(on: reference) },
            deliveryAllowance: { await manager.longestDelivery(on: reference) })
        let outcome: Result<[CommandResult], any Error>
        do {
            var transaction = InvokeTransaction([
                Command(
                    endpoint: endpoint, cluster: command.cluster, command: command.command, fields: command.fields)
            ])
            outcome = .success(try await client.run(&transaction, deadline: deadline))
        } catch {
            outcome = .failure(error)
        }
        await disconnect(reference)
        return try outcome.get().first?.status ?? StatusIB(.noCommandResponse)
    }

    /// Where a node of the fabric is.
    private func addresses(of peer: UInt64, _ fabric: FabricEntry, until deadline: Instant) async throws
        -> [PeerAddress]
    {
        guard let discovery = surroundings.discovery else {
            throw TransportError(.unreachable, "without mDNS this device finds no others")
        }
        let updates = discovery.resolveOperational(
            compressedFabricID: fabric.operational.fabric.compressedFabricID.rawValue, nodeID: peer)
        return try await withThrowingTaskGroup(of: [PeerAddress].self) { group in
            group.addTask {
                for try await update in updates {
                    guard case .found(let node) = update else { continue }
                    let addresses = node.addresses.compactMap {
                        PeerAddress(octets: $0.octets, scope: $0.scope?.index ?? 0, port: $0.port)
                    }
                    if !addresses.isEmpty { return addresses }
                }
                return []
            }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                return []
            }
            let first = try await group.next() ?? []
            group.cancelAll()
            guard !first.isEmpty else {
                throw TransportError(.unreachable, "the bound node is not advertised on this network")
            }
            return first
        }
    }

    /// A CASE session that this device begins.
    private func connect(
        to peer: UInt64, _ fabric: FabricEntry, at addresses: [PeerAddress], until deadline: Instant
    ) async throws -> SessionReference {
        let id = try await manager.reserveSessionID()
        do {
            let unsecured = try await manager.openUnsecuredSession(to: addresses, presumedActive: false)
            let exchange = try await manager.openExchange(on: unsecured)
            let time = node.epochMicroseconds.map { ValidationTime.now(UInt32(clamping: $0 / 1_000_000)) } ?? .none
            let initiator = CASEInitiator(
                credentials: fabric.credentials, peer: NodeID(peer), localSessionID: id,
                resumption: resumptions.initiated(fabric: fabric.index, peer: peer), time: time,
                random: surroundings.random)
            let established: EstablishedSession
            do {
                established = try await play(initiator, exchange, until: deadline)
            } catch {
                await exchange.close()
                throw error
            }
            let address = await manager.address(of: unsecured) ?? addresses[0]
            await exchange.close()
            if var record = established.resumption {
                record.fabricIndex = fabric.index
                resumptions.addInitiated(record)
            }
            return try await manager.install(
                SecureSessionParameters(
                    localSessionID: established.localSessionID, peerSessionID: established.peerSessionID,
                    role: established.role, keys: established.keys, localNodeID: established.localNodeID,
                    peerNodeID: established.peerNodeID, reliability: established.peerParameters.reliability,
                    address: address))
        } catch {
            await manager.releaseSessionID(id)
            throw error
        }
    }

    private func play(
        _ handshake: any Handshake, _ exchange: Exchange, until deadline: Instant
    ) async throws -> EstablishedSession {
        var machine = handshake
        var step = try machine.start()
        while true {
            if let message = step.send {
                try await exchange.send(message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel)
            }
            if let established = step.established { return established }
            let answer = try await exchange.receive(until: deadline)
            guard answer.protocolID == .secureChannel, let opcode = SecureChannelOpcode(rawValue: answer.opcode) else {
                throw SecureChannelError(.malformed, "a message of another protocol in a handshake", reply: nil)
            }
            step = try machine.handle(HandshakeMessage(opcode, answer.payload))
        }
    }

    private func disconnect(_ reference: SessionReference) async {
        if let exchange = try? await manager.openExchange(on: reference) {
            try? await exchange.send(
                StatusReport.closeSession.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue,
                protocolID: .secureChannel, reliable: false)
        }
        await manager.remove(reference)
    }
}
