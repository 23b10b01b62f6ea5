import MatterNetwork

/// Software updates from a provider (Matter core specification 11.20.3).
extension SimulatedDevice {
    /// How long a session may take to stand, and how long a command may take.
    private static let limit = Duration.seconds(30)

    /// The end of a talk with a provider.
    private enum Outcome {
        /// There is nothing to take.
        case nothing
        case askAgain(after: Duration)
        /// The image is there.
        case downloaded(UpdateOffer, UpdateImageHeader, OtaSoftwareUpdateProvider.ApplyUpdateResponse)
    }

    func carryOut(_ errand: UpdateErrand) {
        guard let behaviour = configuration.updates else { return }
        updating?.cancel()
        updating = time.start {
            do {
                switch errand {
                case .query(let provider): try await self.update(from: provider, behaviour)
                case .notify(let provider, let token, let version):
                    try await self.notify(provider, token, version)
                }
            } catch {
                await self.giveUp(error)
            }
        }
    }

    private func giveUp(_ error: any Error) {
        // A device that starts again, or stops, knows from its records what it was at.
        guard !isCutOff(by: error) else { return }
        report("update-failed", [("reason", .string("\(error)"))])
        let codes: Set<TransportError.Code> = [.noReply, .notAcknowledged]
        let isTimeout = (error as? TransportError).map { codes.contains($0.code) } ?? false
        try? tell(.moved(.idle, isTimeout ? .timeOut : .failure))
    }

    /// True if the device has lost its power, or stops.
    private func isCutOff(by error: any Error) -> Bool { error is CancellationError || Task.isCancelled }

    private func tell(_ news: SoftwareUpdateRequestorServer.News) throws {
        try Task.checkCancellation()
        node.turn(at: moment) { node.enqueue(news, endpoint: 0, cluster: OtaSoftwareUpdateRequestor.id) }
        afterTurn()
    }

    // MARK: The course of an update

    private func update(from provider: UpdateProvider, _ behaviour: UpdateBehaviour) async throws {
        while true {
            try tell(.querying(provider))
            let outcome = try await onSession(with: provider) { try await ask(provider, on: $0, behaviour) }
            switch outcome {
            case .nothing:
                return try tell(.moved(.idle, .success))
            case .askAgain(let delay):
                try tell(.moved(.delayedOnQuery, .delayByProvider))
                try await time.sleep(for: max(delay, behaviour.shortestDelay))
            case .downloaded(let offer, let header, let answer):
                return try await apply(offer, header, answer, of: provider, behaviour)
            }
        }
    }

    /// Asks for an update, and downloads it on the same session.
    private func ask(
        _ provider: UpdateProvider, on session: SecureSession, _ behaviour: UpdateBehaviour
    ) async throws -> Outcome {
        let running = runningVersion
        let query = OtaSoftwareUpdateProvider.QueryImage(
            vendorID: configuration.vendorID, productID: configuration.productID, softwareVersion: running,
            protocolsSupported: [.bdxSynchronous],
            hardwareVersion: node.stored(0, BasicInformation.id, BasicInformation.Attribute.hardwareVersion)?.integer(),
            requestorCanConsent: false)
        let answer = try await invoke(query, provider, on: session)
        report("update-queried", members(provider) + [("status", .string("\(answer.status)"))])
        switch answer.status {
        case .updateAvailable: break
        case .busy: return .askAgain(after: .seconds(answer.delayedActionTime ?? 0))
        default: return .nothing
        }
        let offer = try UpdateOffer(answer, from: provider, running: running)
        let header = try await download(offer, on: session, behaviour)
        let request = OtaSoftwareUpdateProvider.ApplyUpdateRequest(updateToken: offer.token, newVersion: offer.version)
        return .downloaded(offer, header, try await invoke(request, provider, on: session))
    }

    private func apply(
        _ offer: UpdateOffer, _ header: UpdateImageHeader, _ first: OtaSoftwareUpdateProvider.ApplyUpdateResponse,
        of provider: UpdateProvider, _ behaviour: UpdateBehaviour
    ) async throws {
        var answer = first
        while answer.action == .awaitNextAction {
            try tell(.moved(.delayedOnApply, .delayByProvider))
            try await time.sleep(for: max(.seconds(answer.delayedActionTime), behaviour.shortestDelay))
            let request = OtaSoftwareUpdateProvider.ApplyUpdateRequest(
                updateToken: offer.token, newVersion: offer.version)
            answer = try await onSession(with: provider) { try await invoke(request, provider, on: $0) }
        }
        guard answer.action == .proceed else {
            report("update-discontinued", members(provider))
            return try tell(.moved(.idle, .success))
        }
        try tell(.moved(.applying, .success, target: offer.version))
        try await time.sleep(for: .seconds(answer.delayedActionTime))
        report("update-applied", [("softwareVersion", .number(header.softwareVersion))])
        try tell(
            .installed(
                .notify(provider, token: offer.token, version: header.softwareVersion),
                BasicInformationServer.Installed(
                    softwareVersion: header.softwareVersion, softwareVersionString: header.softwareVersionString)))
    }

    /// After the restart: tells the provider that the new software runs.
    private func notify(_ provider: UpdateProvider, _ token: [UInt8], _ version: UInt32) async throws {
        let notice = OtaSoftwareUpdateProvider.NotifyUpdateApplied(updateToken: token, softwareVersion: version)
        let status = try await onSession(with: provider) {
            try await results(of: notice, provider, on: $0).first?.status
        }
        report("update-notified", members(provider) + [("status", .string(status?.description ?? "no answer"))])
        try tell(.finished)
    }

    // MARK: The image

    private func download(
        _ offer: UpdateOffer, on session: SecureSession, _ behaviour: UpdateBehaviour
    ) async throws -> UpdateImageHeader {
        try tell(.moved(.downloading, .success, target: offer.version))
        var file: [UInt8] = []
        do {
            try await fetch(offer.designator, into: &file, on: session, behaviour)
            let header = try UpdateImageHeader(checking: file)
            guard header.vendorID == configuration.vendorID, header.productID == configuration.productID,
                header.softwareVersion == offer.version, header.isApplicable(to: runningVersion)
            else { throw UpdateFailure("the image is for another device, or another version than was offered") }
            report("update-downloaded", [("octets", .number(UInt64(file.count)))])
            return header
        } catch {
            if !isCutOff(by: error) {
                try tell(.downloadFailed(version: offer.version, received: UInt64(file.count)))
            }
            throw error
        }
    }

    private func fetch(
        _ designator: [UInt8], into file: inout [UInt8], on session: SecureSession, _ behaviour: UpdateBehaviour
    ) async throws {
        var receiver = BDXReceiver(designator: designator, blockSize: behaviour.blockSize)
        let exchange = try await session.openExchange()
        do {
            try await exchange.send(receiver.start())
            var isFinished = false
            while !isFinished {
                let message = try await exchange.receive(until: time.now + behaviour.blockPatience)
                for action in try receiver.handle(try BDXMessage(message)) {
                    switch action {
                    case .send(let next): try await exchange.send(next)
                    case .store(let octets):
                        file += octets
                        try noteProgress(file, behaviour)
                    case .finish: isFinished = true
                    }
                }
            }
            // The session may end before the last word is sent again.
            await exchange.drain(until: time.now + Self.limit)
            await exchange.close()
        } catch {
            if isCutOff(by: error) {
                await exchange.abandon()
            } else {
                if let reply = (error as? BDXError)?.reply { try? await exchange.send(StatusReport(reply)) }
                await exchange.drain(until: time.now + Self.limit)
                await exchange.close()
            }
            throw error
        }
    }

    /// Looks at the part of the image that has come.
    private func noteProgress(_ file: [UInt8], _ behaviour: UpdateBehaviour) throws {
        if behaviour.refusesDownload { throw BDXError(.transferFailed, "this device refuses the download") }
        if let limit = behaviour.powerLossAfter, file.count >= limit, !hasLostPower {
            hasLostPower = true
            startAgain()
            throw CancellationError()
        }
        let count = UInt64(file.count)
        let total: UInt64?
        do throws(UpdateFailure) { total = try UpdateImageHeader.totalSize(file) } catch {
            throw BDXError(.transferFailed, error.description)
        }
        guard max(count, total ?? 0) <= behaviour.largestImage, count <= total ?? .max else {
            throw BDXError(.lengthTooLarge, "an image of \(max(count, total ?? 0)) octets")
        }
        if let total, total > 0 { try tell(.progress(UInt8(clamping: count * 100 / total))) }
    }

    // MARK: Sessions

    private func onSession<Result: Sendable>(
        with provider: UpdateProvider, _ work: (SecureSession) async throws -> Result
    ) async throws -> Result {
        let session = try await connect(
            to: provider.node, of: provider.fabricIndex, deadline: time.now + Self.limit)
        do {
            let result = try await work(session)
            await session.close()
            return result
        } catch {
            // Without power there is no goodbye.
            if isCutOff(by: error) { await manager.remove(session.reference) } else { await session.close() }
            throw error
        }
    }

    private func invoke<Command: AnsweredCommand>(
        _ command: Command, _ provider: UpdateProvider, on session: SecureSession
    ) async throws -> Command.Response {
        let result = try await results(of: command, provider, on: session).first
        guard case .response(Command.Response.id, let fields?) = result?.outcome,
            let response = Command.Response(tlv: fields)
        else {
            let status = result?.status.description ?? "nothing"
            throw UpdateFailure("the provider answers \(Command.self) with \(status)")
        }
        return response
    }

    private func results(
        of command: some ClusterCommand, _ provider: UpdateProvider, on session: SecureSession
    ) async throws -> [CommandResult] {
        var transaction = InvokeTransaction([Command(command, at: provider.endpoint)])
        return try await InteractionClient(session).run(&transaction, deadline: time.now + Self.limit)
    }

    private var runningVersion: UInt32 {
        node.stored(0, BasicInformation.id, BasicInformation.Attribute.softwareVersion)?.integer() ?? 0
    }

    private func members(_ provider: UpdateProvider) -> [(key: String, value: TLVValue)] {
        [("peerNodeId", .uint(provider.node.rawValue)), ("endpoint", provider.endpoint.tlv)]
    }
}

extension Exchange {
    fileprivate func send(_ message: BDXMessage) async throws {
        try await send(message.encoded(), opcode: message.opcode, protocolID: .bulkDataExchange)
    }
}

extension BDXMessage {
    /// The message as it came in.
    ///
    /// - Throws: ``BDXError``, also for a status report, which ends a transfer.
    fileprivate init(_ message: ReceivedMessage) throws {
        if message.protocolID == .secureChannel, message.opcode == SecureChannelOpcode.statusReport.rawValue {
            throw BDXError(reported: try StatusReport(decoding: message.payload))
        }
        guard message.protocolID == .bulkDataExchange else {
            throw BDXError(.unexpectedMessage, "a message of another protocol in a transfer")
        }
        try self.init(opcode: message.opcode, payload: message.payload)
    }
}
