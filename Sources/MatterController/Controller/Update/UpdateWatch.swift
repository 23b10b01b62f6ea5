/// The course of an update, as seen by who has begun it: events in, an end out. The time is an argument.
struct UpdateWatch: Sendable {
    /// How long each part may take before the update counts as failed.
    struct Patience: Sendable {
        /// From the announcement until the node asks.
        var asking = Duration.seconds(180)
        /// Between two blocks, or between two attempts.
        var progress = Duration.seconds(900)
        /// After a transfer that was cut short: a node that begins again does so sooner.
        var retry = Duration.seconds(180)
        /// From its last word until the node is there with its new version.
        var restart = Duration.seconds(900)
    }

    enum Phase: Sendable, Equatable { case announced, asked, fetching, fetched, applying }

    private(set) var phase = Phase.announced
    /// The time at which the update counts as failed.
    private(set) var deadline: Instant
    /// The last thing that went wrong.
    private(set) var trouble: String?
    private let patience: Patience
    private let target: UInt32
    /// How many times the node was seen at rest with its old version, after it was allowed to use the new one.
    private var atRest = 0
    private static let mostAtRest = 6

    init(to target: UInt32, _ patience: Patience, now: Instant) {
        self.target = target
        self.patience = patience
        deadline = now + patience.asking
    }

    /// - Returns: the progress to tell of, if there is some.
    mutating func take(_ event: FirmwareProvider.Event, now: Instant, of size: UInt64) -> UpdateProgress? {
        switch event {
        case .offer(.asked):
            (phase, deadline) = (.asked, now + patience.progress)
            return .asked
        case .offer(.declined(let why)):
            trouble = why
            return nil
        case .sent(let count):
            (phase, deadline) = (.fetching, now + patience.progress)
            return .downloading(sent: count, of: size)
        case .fetched:
            (phase, deadline) = (.fetched, now + patience.progress)
            return nil
        case .broken(let why):
            trouble = why
            deadline = now + patience.retry
            return nil
        case .offer(.applying):
            (phase, deadline) = (.applying, now + patience.restart)
            return .applying
        case .offer(.applied(let version)):
            // The node's own attributes decide; a version that it names wrongly is no end.
            if version == target { deadline = max(deadline, now + patience.restart) }
            return nil
        }
    }

    /// Takes what the node says of itself, once it was allowed to use the new version.
    ///
    /// - Parameters:
    ///   - version: the one that it runs.
    ///   - isAtRest: whether it says that no update is under way.
    /// - Returns: true once it runs the new one.
    mutating func take(version: UInt32, isAtRest: Bool, before old: UInt32) throws(UpdateError) -> Bool {
        if version == target { return true }
        atRest = version == old && isAtRest ? atRest + 1 : 0
        guard atRest < Self.mostAtRest else {
            throw UpdateError(.rolledBack, "the node has everything and runs version \(version) still, not \(target)")
        }
        return false
    }

    /// The failure, once the deadline has passed.
    func failure(of title: String) -> UpdateError {
        let why = trouble.map { ": \($0)" } ?? ""
        return switch phase {
        case .announced: UpdateError(.notAsked, "\(title) was told of the firmware and has not asked for it\(why)")
        case .asked, .fetching, .fetched:
            UpdateError(.stalled, "\(title) has begun to fetch the firmware and was not heard for too long\(why)")
        case .applying: UpdateError(.stalled, "\(title) has the firmware and did not come back with it\(why)")
        }
    }
}

/// The progress of an update.
public enum UpdateProgress: Sendable, Equatable {
    /// The node was told that there is firmware for it.
    case announced
    /// The node has asked for it.
    case asked
    /// Octets that the node was sent.
    case downloading(sent: UInt64, of: UInt64)
    /// The node starts its new firmware.
    case applying
}
