import Synchronization

/// One look-out for commissionable devices in which many take part, or that has begun before it is needed: a look-out for each
/// would follow every device of the network once more. It ends when it is no longer referred to.
package final class SharedBrowse: Discovery {
    private typealias Reader = AsyncThrowingStream<CommissionableEvent, any Error>.Continuation

    private struct State {
        var devices: [String: CommissionableDevice] = [:]
        var readers: [Int: (filter: CommissionableFilter, continuation: Reader)] = [:]
        var last = 0
        /// The end of the look-out; `nil` while it goes on.
        var end: Result<Void, any Error>?
    }

    private let base: any Discovery
    private let filter: CommissionableFilter
    private let state = Mutex(State())
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins to look.
    ///
    /// - Parameter filter: the devices that anyone may ask for.
    package init(_ base: any Discovery, for filter: CommissionableFilter = .any) {
        self.base = base
        self.filter = filter
        let events = base.browseCommissionable(filter)
        let task = Task { [weak self] in
            do {
                for try await event in events { self?.pass(event) }
                self?.end(.success(()))
            } catch {
                self?.end(.failure(error))
            }
        }
        self.task.withLock { $0 = task }
    }

    deinit { task.withLock { $0 }?.cancel() }

    package var hasNetwork: Bool { base.hasNetwork }

    package func check() async throws(DiscoveryError) { try await base.check() }

    private func pass(_ event: CommissionableEvent) {
        state.withLock { state in
            switch event {
            case .found(let device): state.devices[device.instance] = device
            case .lost(let instance): state.devices[instance] = nil
            case .allForNow: break
            }
            for reader in state.readers.values where isWanted(event, reader.filter) { reader.continuation.yield(event) }
        }
    }

    /// Whether a device has a subtype only the search for that subtype knows.
    private func isWanted(_ event: CommissionableEvent, _ filter: CommissionableFilter) -> Bool {
        guard filter != self.filter, case .found(let device) = event else { return true }
        return filter.matches(device.record, hasSubtype: false)
    }

    private func end(_ end: Result<Void, any Error>) {
        let readers = state.withLock { state in
            state.end = end
            return Array(state.readers.values)
        }
        for reader in readers { reader.continuation.finish(end) }
    }

    package func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
        guard !includingClosed else { return base.browseCommissionable(filter, includingClosed: true) }
        return AsyncThrowingStream { continuation in
            let (id, end) = state.withLock { state in
                state.last += 1
                state.readers[state.last] = (filter, continuation)
                for device in state.devices.values {
                    let event = CommissionableEvent.found(device)
                    if isWanted(event, filter) { continuation.yield(event) }
                }
                return (state.last, state.end)
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
            }
            if let end { continuation.finish(end) }
        }
    }

    package func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
        base.resolveOperational(compressedFabricID: compressedFabricID, nodeID: nodeID)
    }

    package func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
        base.browseOperational(compressedFabricID: compressedFabricID)
    }
}

extension AsyncThrowingStream.Continuation where Failure == any Error {
    fileprivate func finish(_ end: Result<Void, any Error>) {
        switch end {
        case .success: finish()
        case .failure(let error): finish(throwing: error)
        }
    }
}
