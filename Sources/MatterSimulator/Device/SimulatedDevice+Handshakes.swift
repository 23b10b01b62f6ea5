import MatterNetwork

/// PASE and CASE from the device's side.
extension SimulatedDevice {
    /// How long a handshake may take.
    private static let limit = Duration.seconds(60)
    private static let busyWait = Duration.seconds(1)

    private var ownParameters: SessionParameters {
        SessionParameters(
            dataModelRevision: 19, interactionModelRevision: 12, specificationVersion: 0x0104_0200,
            maxPathsPerInvoke: UInt16(clamping: configuration.limits.pathsPerInvoke))
    }

    /// The time by the device's own clock, for certificates of others. A handshake is no turn of the node, and an idle
    /// device takes none.
    var validationTime: ValidationTime {
        node.epochMicroseconds(at: moment).map { .now(UInt32(clamping: $0 / 1_000_000)) } ?? .none
    }

    func serve(_ incoming: ExchangeManager.Incoming) async {
        let exchange = incoming.exchange
        noteActivity()
        guard case .unsecured = exchange.session else {
            return await interact(exchange, incoming.message)
        }
        let isForNode = incoming.message.opcode == SecureChannelOpcode.sigma1.rawValue
        // Nodes do not find a device that is not on its network.
        if faults.ignores(incoming.message) || isForNode && !node.isOnNetwork {
            surroundings.report(.fault("ignore"))
            return await exchange.close()
        }
        if incoming.message.opcode == SecureChannelOpcode.pbkdfParamRequest.rawValue {
            await admitCommissioner(exchange, incoming.message)
        } else {
            await admitNode(exchange, incoming.message)
        }
        await exchange.close()
    }

    private func refuse(_ exchange: Exchange, _ report: StatusReport) async {
        // Whether the peer hears it is its own affair.
        try? await exchange.send(report)
    }

    // MARK: PASE

    private func admitCommissioner(_ exchange: Exchange, _ message: ReceivedMessage) async {
        guard node.isCommissionable, let verifier = node.window.verifier, let pbkdf = node.window.pbkdf else {
            return await refuse(exchange, .invalidParameter)
        }
        guard !isInPASE else { return await refuse(exchange, .busy(wait: Self.busyWait)) }
        isInPASE = true
        defer { isInPASE = false }
        do {
            let id = try await manager.reserveSessionID()
            do {
                let responder = PASEResponder(
                    verifier: verifier, pbkdf: pbkdf, localSessionID: id, parameters: ownParameters,
                    random: surroundings.random)
                _ = try await play(responder, exchange, message)
            } catch {
                await manager.releaseSessionID(id)
                throw error
            }
        } catch {
            report("pase-failed", [("reason", .string("\(error)"))])
            node.noteFailedAttempt(at: moment)
            afterTurn()
        }
    }

    // MARK: CASE

    private func admitNode(_ exchange: Exchange, _ message: ReceivedMessage) async {
        if let wait = faults.busyOnSigma1() {
            surroundings.report(.fault("busy"))
            return await refuse(exchange, .busy(wait: wait))
        }
        guard handshakes < configuration.limits.handshakes else {
            surroundings.report(.fault("busy"))
            return await refuse(exchange, .busy(wait: Self.busyWait))
        }
        handshakes += 1
        defer { handshakes -= 1 }
        do {
            let id = try await manager.reserveSessionID()
            do {
                let table = resumptions
                let responder = CASEResponder(
                    fabrics: node.fabrics.all.map(\.credentials), localSessionID: id, parameters: ownParameters,
                    findResumption: { table.find($0) }, time: validationTime,
                    random: surroundings.random)
                let session = try await play(responder, exchange, message)
                if let record = session.resumption, node.fabrics[record.fabricIndex ?? 0] != nil {
                    resumptions.add(record)
                    saveResumptions()
                }
            } catch {
                await manager.releaseSessionID(id)
                throw error
            }
        } catch {
            report("case-failed", [("reason", .string("\(error)"))])
        }
    }

    // MARK: Both

    private func play(
        _ handshake: any Handshake, _ exchange: Exchange, _ first: ReceivedMessage
    ) async throws -> EstablishedSession {
        var machine = handshake
        var message = first
        let deadline = time.now + Self.limit
        do {
            return try await exchange.playHandshake(
                from: try await handle(first, in: &machine, exchange),
                willSend: { step in
                    // The peer may use the session as soon as it has our last word.
                    if let established = step.established { try await install(established, at: message.from) }
                    guard step.send != nil, faults.mutes(message) else { return true }
                    surroundings.report(.fault("mute"))
                    return false
                },
                next: {
                    message = try await exchange.receive(until: deadline)
                    if faults.ignores(message) {
                        surroundings.report(.fault("ignore"))
                        message = try await exchange.receive(until: deadline)
                    }
                    return try await handle(message, in: &machine, exchange)
                })
        } catch let error as SecureChannelError {
            if let reply = error.reply { await refuse(exchange, reply) }
            throw error
        }
    }

    private func handle(
        _ message: ReceivedMessage, in machine: inout any Handshake, _ exchange: Exchange
    ) async throws -> HandshakeStep {
        let content = try HandshakeMessage(message)
        if let delay = configuration.faults.slowCrypto { try await time.sleep(for: delay) }
        let step = try machine.handle(content)
        if let parameters = machine.peerParameters {
            await manager.setReliability(parameters.reliability, of: exchange.session)
        }
        return step
    }

    private func install(_ established: EstablishedSession, at address: PeerAddress) async throws {
        if established.kind == .case, let fabric = established.fabricIndex,
            let victim = sessions.victim(for: fabric, share: configuration.limits.sessionsPerFabric)
        {
            // The peer is not told: devices evict silently.
            forget(victim, as: "evicted")
            await manager.remove(victim)
        }
        if let secrets = established.handshakeSecrets { manager.observer?.agreed(on: secrets) }
        let reference = try await manager.install(SecureSessionParameters(established, address: address))
        // The fabric may have gone while the handshake was under way.
        if established.kind == .case, node.fabrics[established.fabricIndex ?? 0] == nil {
            await manager.remove(reference)
            throw SecureChannelError(.noSharedTrustRoots, "the fabric was removed", reply: .noSharedTrustRoots)
        }
        #if MATTERCTL_FUZZ
            KeyLog.add(established, port: surroundings.port, peer: address)
        #endif
        sessions[reference] = DeviceSession(established, reference: reference, now: time.now)
        if established.kind == .pase {
            report("pase-established", [("peer", .string("\(address)"))])
            node.noteCommissioner(at: moment)
        } else {
            report(
                established.isResumed ? "case-resumed" : "case-established",
                [
                    ("fabricIndex", .uint(UInt64(established.fabricIndex ?? 0))),
                    ("peerNodeId", .uint(established.peerNodeID)), ("peer", .string("\(address)")),
                ])
        }
        afterTurn()
    }

    func report(_ what: String, _ members: [(key: String, value: TLVValue)]) {
        surroundings.report(.session(what: what, members: members.map(ReportMember.init)))
        if faults.rebootsAt(what) { startAgain() }
    }
}
