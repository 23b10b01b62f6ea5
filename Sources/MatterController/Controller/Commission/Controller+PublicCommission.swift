import MatterState

extension Controller {
    /// Commissions a device onto the fabric and keeps it as a node.
    ///
    /// - Parameters:
    ///   - code: the QR payload (`MT:…`) or the manual pairing code that the device shows.
    ///   - name: a name for the node.
    ///   - room: the room that it is in.
    ///   - network: the network that the device is to join, if it is on none.
    ///   - trust: which devices to accept; by default those that prove their origin.
    ///   - terms: the manufacturer's terms that are accepted; a device that asks for others is refused.
    ///   - issuer: who issues the certificate; by default the fabric's own authority.
    ///   - address: where the device is, such as `lamp.lan:5540`; by default it is discovered.
    ///   - time: the time for all of it, 120 s by default.
    /// - Throws: ``MatterError``; the code says who refused. An interrupted commissioning is taken up when it is repeated.
    @discardableResult
    public func commission(
        _ code: String, name: String? = nil, room: String? = nil, network: NetworkAccess? = nil,
        trust: TrustPolicy = TrustPolicy(), terms: AcceptedTerms? = nil, issuer: IssuerChoice = .ofFabric,
        address: String? = nil, within time: Duration? = nil
    ) async throws -> Node {
        var settings = CommissioningSettings(name: name, room: room)
        settings.networks = network.map { [$0] } ?? []
        (settings.trust, settings.terms, settings.issuer, settings.address) = (trust, terms, issuer, address)
        if let time { settings.time = time }
        return try await commission(code, settings)
    }

    /// Commissions a device onto the fabric and keeps it as a node.
    ///
    /// - Parameters:
    ///   - code: the QR payload (`MT:…`) or the manual pairing code that the device shows.
    ///   - settings: how.
    ///   - progress: told of every stage; it must not wait for anything.
    /// - Throws: ``MatterError``; the code says who refused. An interrupted commissioning is taken up when it is repeated.
    @discardableResult
    public func commission(
        _ code: String, _ settings: CommissioningSettings,
        progress: @escaping @Sendable (CommissioningUpdate) -> Void = { _ in }
    ) async throws -> Node {
        try await reportingErrors {
            let deadline = Instant.now + settings.time
            let requests = try await requests(for: code, settings, deadline: deadline)
            let options = settings.options { progress(CommissioningUpdate($0)) }
            return Node(try await commissioning.commission(requests, options, deadline: deadline).node, self)
        }
    }

    /// Commissions a device and tells of every stage. The last update is the node; cancelling the loop stops it, and the device
    /// is left as it was.
    ///
    /// - Parameters:
    ///   - code: the QR payload (`MT:…`) or the manual pairing code that the device shows.
    ///   - settings: how.
    /// - Returns: the updates. They throw ``MatterError``.
    public nonisolated func commissioning(
        _ code: String, _ settings: CommissioningSettings = CommissioningSettings()
    ) -> some AsyncSequence<CommissioningUpdate, any Error> & Sendable {
        AsyncThrowingStream { continuation in
            let task = options.time.start { [self] in
                do {
                    let node = try await commission(code, settings) { continuation.yield($0) }
                    continuation.yield(.commissioned(node))
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Looks at a device and tells what a commissioning would do with it. It gets no fabric, and stays as it was.
    ///
    /// - Throws: ``MatterError``, also for what would stop the commissioning so far.
    public func forecast(
        _ code: String, _ settings: CommissioningSettings = CommissioningSettings()
    ) async throws -> CommissioningForecast {
        try await reportingErrors {
            let deadline = Instant.now + settings.time
            let requests = try await requests(for: code, settings, deadline: deadline).map { request in
                var request = request
                request.until = .csr
                return request
            }
            do {
                _ = try await commissioning.commission(requests, settings.options { _ in }, deadline: deadline)
            } catch let error as CommissioningError where error.code == .stopped {
                if let rehearsal = error.rehearsal { return CommissioningForecast(rehearsal) }
                throw error
            }
            throw ControllerError(.status, "the device was commissioned instead of looked at")
        }
    }

    /// Obstacles to a commissioning, as far as that can be known without a device. Nothing is changed.
    ///
    /// - Returns: every check, in the order in which a commissioning comes to them.
    /// - Throws: `CancellationError`.
    public func check(_ settings: CommissioningSettings = CommissioningSettings()) async throws -> [CommissioningCheck]
    {
        let ways = settings.way.map { [$0.commissioningWay] } ?? CommissioningWay.allCases
        return try await commissioning.readiness(
            for: settings.options { _ in }, name: settings.name, room: settings.room, ways: ways,
            deadline: .now + settings.time
        ).map { CommissioningCheck($0) }
    }

    private func requests(
        for code: String, _ settings: CommissioningSettings, deadline: Instant
    ) async throws -> [CommissioningRequest] {
        var addresses = options.addresses
        if let address = settings.address { addresses = try await PeerAddress.lookup(address, deadline: deadline) }
        let given = try settings.networks.map { network throws in try network.credential }
        let known = given.isEmpty ? try NetworkStore(options.state).credentials() : []
        return try SetupPayload.parse(code).map { payload in
            var request = CommissioningRequest(payload)
            (request.name, request.room, request.addresses) = (settings.name, settings.room, addresses)
            request.requestedNodeID = settings.nodeID.map { NodeID($0) }
            request.via = settings.way?.commissioningWay
            request.country = settings.country
            request.network = NetworkPreference(given: given, known: known)
            request.terms = { _ in settings.terms?.acknowledgement }
            return request
        }
    }
}

extension CommissioningSettings {
    fileprivate func options(
        progress: @escaping @Sendable (CommissioningProgress) -> Void
    ) -> CommissioningService.CommissionOptions {
        var options = CommissioningService.CommissionOptions(trust: trust, issuer: issuer, progress: progress)
        if let decide { options.ask = { report in try await decide(UnknownAuthority(report)) } }
        return options
    }
}

extension DiscoveryWay {
    fileprivate var commissioningWay: CommissioningWay {
        switch self {
        case .network: .ip
        case .bluetooth: .ble
        }
    }
}
