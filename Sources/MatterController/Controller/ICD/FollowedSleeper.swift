import Logging
public import MatterState

/// A node that is followed, sleeps for long times, and checks in here: its subscription is set up when it wakes up.
struct FollowedSleeper: Sendable {
    let sleepers: SleeperService
    let node: NodeRecord
    /// The longest time that a subscription is to be silent: while the node keeps one of ours it does not check in.
    let ceiling: Duration
    /// Whether the first check-in is waited for as long as it takes.
    let isPatient: Bool
    /// Whether the user has said how long the first set-up may take.
    let isBounded: Bool

    /// Before the first set-up.
    ///
    /// - Throws: ``ControllerError`` `noCheckIn`.
    func meet() async throws {
        guard isPatient else { return try await sleepers.wake(node, longer: ceiling) }
        try await awaken()
    }

    /// Waits for the next check-in, as long as it takes.
    func awaken() async throws {
        while true {
            do {
                return try await sleepers.wake(node, longer: ceiling)
            } catch let error as ControllerError where error.code == .noCheckIn {
                continue
            }
        }
    }

    /// How long its next check-in may take.
    func longestSleep() async -> Duration { (try? sleepers.expectedSleep(of: node))?.longest ?? ceiling }

    /// Notes that the node has reported, and is awake for a moment: other commands need not wait for a check-in, which does
    /// not come while there is a subscription.
    ///
    /// - Parameter next: when it reports again at the latest. Should this process be killed, the next one knows by that when
    ///   the node is awake.
    func noteReport(next: Duration) async { await sleepers.noteReport(of: node, next: next) }
}

extension SleeperService {
    /// A node whose check-ins a subscription waits for; `nil` for one that is not registered with.
    nonisolated func sleeper(_ node: NodeRecord, ceiling: Duration, isPatient: Bool) throws -> FollowedSleeper? {
        guard node.isLongIdleTime, try context.registrations().registration(of: node.nodeID) != nil else { return nil }
        return FollowedSleeper(
            sleepers: self, node: node, ceiling: ceiling, isPatient: isPatient,
            isBounded: options.checkInPatience != nil)
    }

    nonisolated fileprivate func expectedSleep(of node: NodeRecord) throws -> SleepExpectation? {
        try context.registrations().registration(of: node.nodeID).map { SleepExpectation($0, now: options.unixTime()) }
    }

    /// Waits until a node is awake, for all that is known.
    fileprivate func wake(_ node: NodeRecord, longer: Duration) async throws {
        guard let registration = try context.registrations().registration(of: node.nodeID) else {
            throw Self.notRegistered(node, node.title)
        }
        let expected = SleepExpectation(registration, now: options.unixTime())
        guard !expected.isAwake else { return }
        try await awaitCheckIn(of: node, registration, expected, for: .long, longer: longer)
    }

    fileprivate func noteReport(of node: NodeRecord, next: Duration) async {
        let now = options.unixTime()
        do {
            _ = try await context.registrations().update(node.nodeID) {
                $0.noteHeard(at: now, reportWithin: next.components.seconds)
            }
        } catch {
            options.logger.warning("the sleep of node \(node.nodeID) could not be noted: \(error)")
        }
    }

    /// The longest silence to ask nodes for whose check-ins are waited for: as long as the longest of them sleeps, so that
    /// reports come as often as check-ins did; `nil` if there is none of them.
    nonisolated public func silence(of nodes: [NodeRecord]) -> Duration? {
        nodes.compactMap { node -> Duration? in
            guard node.isLongIdleTime, let registration = try? context.registrations().registration(of: node.nodeID)
            else {
                return nil
            }
            return .seconds(Int64(registration.sleep.idle))
        }.max()
    }

    /// The time until the subscriptions of nodes are set up: those that sleep are waited for.
    ///
    /// - Parameters:
    ///   - most: the longest time that a subscription is to be silent.
    ///   - usual: the time for nodes that are awake.
    nonisolated public func setUpTime(for nodes: [NodeRecord], most: Duration, usual: Duration) -> Duration {
        guard options.checkInPatience == nil else { return usual }
        let naps = nodes.compactMap { node -> Duration? in
            guard node.isLongIdleTime, let expected = try? expectedSleep(of: node), !expected.isAwake else {
                return nil
            }
            return expected.longest + most
        }
        return usual + (naps.max() ?? .zero)
    }
}
