import MatterController

/// Follows a search until it falls quiet: everything that answers at once has answered, and nothing new came after that.
struct QuietTime {
    private enum Item: Sendable {
        case event(CommissionableEvent)
        case quiet(after: Int)
    }

    let quiet: Duration

    /// - Returns: whether it fell quiet before the deadline.
    func follow(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>, until deadline: ContinuousClock.Instant,
        _ handle: (CommissionableEvent) -> Void
    ) async throws -> Bool {
        let (items, send) = AsyncThrowingStream.makeStream(of: Item.self)
        let reader = Task {
            do {
                for try await event in Timed(events, until: deadline).stream { send.yield(.event(event)) }
                send.finish()
            } catch {
                send.finish(throwing: error)
            }
        }
        var clock: Task<Void, Never>?
        defer {
            reader.cancel()
            clock?.cancel()
        }
        var count = 0
        var hasSettled = false
        for try await item in items {
            switch item {
            case .event(let event):
                handle(event)
                count += 1
                if event == .allForNow { hasSettled = true }
                guard hasSettled else { continue }
                clock?.cancel()
                clock = Task { [count] in
                    try? await Task.sleep(for: quiet)
                    send.yield(.quiet(after: count))
                }
            case .quiet(let last):
                if last == count { return true }
            }
        }
        return false
    }
}
