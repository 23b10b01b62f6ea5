public import MatterState

/// A line of a list whose turn it is.
public struct ListTurn: Sendable {
    /// The entry of the list.
    public let entry: SetupCodeList.Entry
    /// One for each device that the code is for.
    public var requests: [CommissioningRequest]
    /// A look-out that all of them share; `nil` for one of its own.
    public let discovery: (any Discovery)?
    /// When its turn ends.
    public let deadline: Instant
}

extension CommissioningService {
    /// A node that has been commissioned, with its record.
    public typealias Commissioned = (node: NodeRecord, result: CommissionedNode)

    /// Commissions the devices of a list, several at a time. The failure of one costs the others nothing.
    ///
    /// New nodes get their ids in the order of the list, where the fabric gives them out in order.
    ///
    /// - Parameters:
    ///   - time: for each device, from its turn on.
    ///   - deadline: the end of all of it; `nil` for none.
    ///   - each: commissions one device.
    ///   - report: gets the outcome of each line that had its turn, in the order in which they end.
    /// - Throws: what keeps all of them from beginning; `CancellationError` after the devices under way were undone.
    public func commission(
        _ list: SetupCodeList, time: Duration, deadline: Instant?,
        each: @escaping @Sendable (ListTurn) async throws -> Commissioned,
        report: @escaping @Sendable (SetupCodeList.Entry, Result<Commissioned, any Error>) async -> Void
    ) async throws {
        guard let discovery = context.discovery() else {
            throw CommissioningError(.nothingDiscovered, stage: .discover, "a list needs discovery")
        }
        try await discovery.check()
        let (browse, clock) = (SharedBrowse(discovery), options.time)
        var requests = list.entries.map { $0.payloads.map { CommissioningRequest($0) } }
        let known = try knownLines(of: requests)
        let ids = ListedNodeIDs(count: requests.count - known.count, time: clock)
        for (place, index) in requests.indices.filter({ !known.contains($0) }).enumerated() {
            for request in requests[index].indices {
                requests[index][request].listPlace = CommissioningRequest.ListPlace(ids: ids, place: place)
            }
        }
        var queue = CommissioningQueue(requests, known: known)
        let (events, send) = AsyncStream.makeStream(of: ListEvent.self)
        await withTaskGroup(of: Void.self) { group in
            func begin(_ queue: inout CommissioningQueue) {
                while let next = queue.next() {
                    var device = ListTurn(
                        entry: list.entries[next.index], requests: requests[next.index],
                        discovery: next.isExpected ? browse : nil,
                        deadline: min(deadline ?? clock.now + time, clock.now + time))
                    for index in device.requests.indices where !next.isExpected {
                        // It was looked for long enough, though not by its subtype.
                        device.requests[index].lookout = Self.lastLook
                    }
                    group.addTask { [device] in
                        let outcome: Result<Commissioned, any Error>
                        do {
                            guard clock.now < device.deadline else { throw Self.tooLate }
                            outcome = .success(try await each(device))
                        } catch {
                            outcome = .failure(error)
                        }
                        await report(device.entry, outcome)
                        send.yield(.ended)
                    }
                }
            }
            group.addTask { await Self.watch(browse, send) }
            group.addTask {
                try? await clock.sleep(for: min(time, deadline.map { $0 - clock.now } ?? time) / 2)
                send.yield(.lookoutEnded)
            }
            begin(&queue)
            for await event in events {
                switch event {
                case .seen(let device): queue.see(device)
                case .lookoutEnded: queue.stopWaiting()
                case .ended: queue.end()
                }
                begin(&queue)
                if queue.isDone { break }
            }
            group.cancelAll()
        }
        await ids.close()
        try Task.checkCancellation()
    }

    private enum ListEvent: Sendable {
        case seen(CommissionableDevice)
        case lookoutEnded
        case ended
    }

    /// How long a device is looked for whose turn comes although it was not seen.
    private static let lastLook = Duration.seconds(2)

    private static var tooLate: CommissioningError {
        CommissioningError(
            .nothingDiscovered, stage: .discover, "the time of the command was over before this device had its turn",
            hint: .step("command.more-time"))
    }

    private static func watch(_ browse: SharedBrowse, _ send: AsyncStream<ListEvent>.Continuation) async {
        do {
            for try await event in browse.browseCommissionable(.any) {
                if case .found(let device) = event { send.yield(.seen(device)) }
            }
        } catch {
            // Each line that was waiting says so itself.
            send.yield(.lookoutEnded)
        }
    }

    /// The lines whose setup codes were used before: their devices may be here as nodes, and not open any more.
    private func knownLines(of requests: [[CommissioningRequest]]) throws -> Set<Int> {
        guard let journal = try? context.journal() else { return [] }
        return Set(
            try requests.indices.filter { index in
                try requests[index].contains { request in
                    try !journal.pending(request.code).isEmpty
                        || !journal.commissioned(request.code).isEmpty
                }
            })
    }
}
