import Logging
public import MatterNetwork

/// Reading, which may be repeated.
extension NodeLink {
    /// Reads paths in request order, in as many portions as it takes.
    ///
    /// - Parameters:
    ///   - events: also the log of these.
    ///   - versions: the clusters that are left out if they still have these data versions.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func read(
        _ paths: [AttributePath], events: [EventPath] = [], unlessAt versions: [DataVersionFilter] = [],
        isFabricFiltered: Bool = true, deadline: Instant
    ) async throws -> ReadResult {
        var result = ReadResult()
        for request in try ReadRequest(
            attributePaths: paths, eventPaths: events, isFabricFiltered: isFabricFiltered,
            dataVersionFilters: versions
        ).split(maxPayload: link.largestPayload) {
            result.merge(try await repeating(ReadTransaction(request), deadline: deadline))
        }
        return result
    }

    /// Reads the log of events, oldest first.
    ///
    /// - Parameter minimum: the first event number of interest; `nil` for all.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func readEvents(
        _ paths: [EventPath], from minimum: UInt64? = nil, deadline: Instant
    ) async throws -> [EventReport] {
        var result = ReadResult()
        for request in try ReadRequest(
            attributePaths: [], eventPaths: paths, eventFilters: minimum.map { [EventFilter(minimum: $0)] } ?? []
        ).split(maxPayload: link.largestPayload) {
            result.merge(try await repeating(ReadTransaction(request), deadline: deadline))
        }
        return result.events
    }

    /// A session, for what only reads.
    ///
    /// - Throws: ``SessionError`` if the node says nothing for as long as ``Controller/Options/silence`` allows.
    @discardableResult
    public func connectToRead(deadline: Instant) async throws -> SecureSession {
        try await connect(deadline: endOfSilence(deadline))
    }

    /// The time at which what only reads gives up on a node that says nothing; one that answers has the whole time.
    private func endOfSilence(_ deadline: Instant) -> Instant {
        patience.silence.map { min(deadline, time.now + $0) } ?? deadline
    }

    /// Runs something that changes nothing: again on the same session if the answer got lost, on a new one if the peer
    /// fell silent.
    private func repeating<Transaction: InteractionTransaction>(
        _ transaction: Transaction, deadline: Instant
    ) async throws -> Transaction.Output {
        let began = time.now
        var end = endOfSilence(deadline)
        beginWait(until: end)
        defer { endWait() }
        while true {
            let session = try await connect(deadline: end)
            var attempt = transaction
            do {
                let output = try await client(session).run(
                    &attempt, deadline: deadline, processing: patience(on: session, usual: patience.usual))
                await prove(session)
                return output
            } catch let error as TransportError {
                // A node that was heard since then has the whole time.
                let isHeard = error.report?.acknowledged ?? false || answeredAt.map { $0 > began } ?? false
                if error.code == .noReply || isHeard { end = deadline }
                guard time.now < end else {
                    await judge(session, by: error)
                    throw error
                }
                switch error.code {
                case .noReply:
                    logger.debug("no answer came; asking again")
                    await leaveIfUnanswered(session)
                case .notAcknowledged, .unreachable, .closed:
                    logger.debug("the session is lost; setting up another one")
                    await drop(session)
                default:
                    throw error
                }
            } catch {
                await judge(session, by: error)
                throw error
            }
        }
    }
}
