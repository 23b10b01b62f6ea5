import Logging
import MatterNetwork

/// Commands that the device sends to others, as a switch does to the lights it is bound to.
extension SimulatedDevice {
    /// How long a command may take, look-up and handshake included.
    private static let limit = Duration.seconds(20)

    /// Sends a command, one after the other, so that they arrive in the order in which they were given.
    func send(_ command: RemoteCommand) {
        let previous = sending
        sending = time.start {
            await previous?.value
            await self.deliver(command)
        }
    }

    /// Sends a command to the peer of a session, over that session, after those that were given before.
    func callBack(_ command: Command, over reference: SessionReference) {
        let previous = sending
        sending = time.start {
            await previous?.value
            await self.deliver(command, over: reference)
        }
    }

    private func deliver(_ command: Command, over reference: SessionReference) async {
        let members: [(key: String, value: TLVValue)] = [
            ("cluster", command.path.cluster.tlv), ("command", command.path.command.tlv),
        ]
        do {
            let run = InteractionRun(
                exchange: try await manager.openExchange(on: reference), deadline: time.now + Self.limit,
                processing: Self.limit, delivery: .zero)
            var transaction = InvokeTransaction([command])
            let status = try await run.play(&transaction).first?.status ?? StatusIB(.noCommandResponse)
            report("command-sent", members + [("status", .string(status.description))])
        } catch {
            report("command-failed", members + [("reason", .string("\(error)"))])
        }
    }

    private func deliver(_ command: RemoteCommand) async {
        var members: [(key: String, value: TLVValue)] = [
            ("cluster", command.cluster.tlv), ("command", command.command.tlv),
        ]
        guard case .node(let peer, let endpoint) = command.target else {
            members.append(("reason", .string("this device does not send to groups")))
            return report("command-not-sent", members)
        }
        members += [("peerNodeId", .uint(peer)), ("endpoint", endpoint.tlv)]
        do {
            let status = try await invoke(command, on: peer, endpoint: endpoint)
            report("command-sent", members + [("status", .string(status.description))])
        } catch {
            report("command-failed", members + [("reason", .string("\(error)"))])
        }
    }

    private func invoke(_ command: RemoteCommand, on peer: UInt64, endpoint: EndpointID) async throws -> StatusIB {
        let deadline = time.now + Self.limit
        let session = try await connect(to: NodeID(peer), of: command.fabricIndex, deadline: deadline)
        let outcome: Result<[CommandResult], any Error>
        do {
            var transaction = InvokeTransaction([
                Command(
                    endpoint: endpoint, cluster: command.cluster, command: command.command, fields: command.fields)
            ])
            outcome = .success(try await InteractionClient(session).run(&transaction, deadline: deadline))
        } catch {
            outcome = .failure(error)
        }
        await session.close()
        return try outcome.get().first?.status ?? StatusIB(.noCommandResponse)
    }

    /// Sets up a session with a node of a fabric.
    func connect(to peer: NodeID, of fabricIndex: UInt8, deadline: Instant) async throws -> SecureSession {
        guard let fabric = node.fabrics[fabricIndex] else {
            throw SecureChannelError(.noSharedTrustRoots, "this device is not on that fabric", reply: nil)
        }
        let quiet = Logger(label: "simulate", factory: { _ in SwiftLogNoOpLogHandler() })
        let connector = NodeConnector(
            connector: Connector(manager: manager, logger: quiet), credentials: fabric.operational,
            resumptions: InitiatedSessions(device: self, fabric: fabric.index), discovery: surroundings.discovery,
            time: validationTime, random: surroundings.random, logger: quiet)
        return try await connector.connect(to: peer, hints: [], deadline: deadline)
    }

    fileprivate func remembered(_ peer: NodeID, on fabric: UInt8) -> ResumptionRecord? {
        resumptions.initiated(fabric: fabric, peer: peer.rawValue)
    }

    fileprivate func remember(_ record: ResumptionRecord, on fabric: UInt8) {
        var record = record
        record.fabricIndex = fabric
        resumptions.addInitiated(record)
    }
}

/// The sessions that a device has begun with other nodes of a fabric; they last as long as it runs.
private struct InitiatedSessions: ResumptionMemory {
    let device: SimulatedDevice
    let fabric: UInt8

    func load(_ node: NodeID) async -> ResumptionRecord? { await device.remembered(node, on: fabric) }
    func save(_ record: ResumptionRecord, of node: NodeID) async { await device.remember(record, on: fabric) }
}
