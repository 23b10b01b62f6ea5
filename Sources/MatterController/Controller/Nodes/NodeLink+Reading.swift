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

    /// Runs something that changes nothing: again on the same session if the answer got lost, on a new one if the peer
    /// fell silent.
    private func repeating<Transaction: InteractionTransaction>(
        _ transaction: Transaction, deadline: Instant
    ) async throws -> Transaction.Output {
        beginWait(until: deadline)
        defer { endWait() }
        while true {
            let session = try await connect(deadline: deadline)
            var attempt = transaction
            do {
                let output = try await client(session).run(
                    &attempt, deadline: deadline, processing: patience(on: session, usual: patience.usual))
                await prove(session)
                return output
            } catch let error as TransportError where time.now < deadline {
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
