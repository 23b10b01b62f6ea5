import MatterState

/// A message by which a device that sleeps says that it is awake (Matter core specification, 9.16).
public struct CheckIn: Sendable, Hashable {
    /// The id of the node.
    public let nodeID: UInt64
    /// When it came, in seconds since 1970.
    public let time: Int64
    /// How long the device stays awake after activity; `nil` if it does not say.
    public let activeThreshold: Duration?
}

/// Devices that sleep for long times (Matter core specification 9.15).
extension Node {
    /// Whether the device sleeps for so long that commands reach it only after a check-in.
    public var sleepsForLong: Bool { record.isLongIdleTime }

    /// Lets the device check in with this machine. It has to be awake.
    ///
    /// - Throws: ``MatterError`` `unsupported` if it cannot.
    public func registerForCheckIns(within time: Duration? = nil) async throws {
        try await reportingErrors {
            _ = try await controller.sleepers.register(with: record, title: record.title, budget: Budget(time))
        }
    }

    /// Ends that, and forgets the key.
    ///
    /// - Throws: ``MatterError``.
    public func endCheckIns(within time: Duration? = nil) async throws {
        try await reportingErrors {
            try await controller.sleepers.unregister(
                from: record, isGone: false, title: record.title, budget: Budget(time))
        }
    }

    /// Asks the device, which has to be awake, to stay awake.
    ///
    /// - Returns: for how long it will.
    /// - Throws: ``MatterError``.
    public func keepAwake(for span: Duration, within time: Duration? = nil) async throws -> Duration {
        try await reportingErrors {
            try await controller.sleepers.keepAwake(record, for: span, title: record.title, budget: Budget(time))
        }
    }
}

extension Controller {
    /// Takes the check-ins of all devices that are registered here, until the loop ends.
    ///
    /// - Returns: the check-ins. They throw ``MatterError`` if another process takes them already.
    public nonisolated func checkIns() -> some AsyncSequence<CheckIn, any Error> & Sendable {
        AsyncThrowingStream { continuation in
            let task = options.time.start { [self] in
                do {
                    try await sleepers.listenForCheckIns(tell: { checkIn in
                        continuation.yield(
                            CheckIn(
                                nodeID: checkIn.node.rawValue, time: checkIn.at,
                                activeThreshold: checkIn.activeThreshold.map { .milliseconds(Int64($0)) }))
                    })
                    continuation.finish()
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: MatterError(error))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
