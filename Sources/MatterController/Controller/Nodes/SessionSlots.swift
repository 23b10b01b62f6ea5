import Logging
import MatterState
import Synchronization

/// The session slots that the processes of a state directory share, for the nodes of one fabric.
///
/// A node grants few sessions to a fabric, and evicts the one used least recently without a word. So no more processes than
/// that have sessions with it at a time; see docs/decisions/0009.
final class SessionSlots: Sendable {
    /// Matter's minimum (core specification 11.1, CapabilityMinima), for a node without a number.
    private static let leastSessions: UInt16 = 3
    /// Who gets a slot has this long left at least, or a quarter of the time, to use it: a command that is sent at the very
    /// end of its time would only have an unknown outcome.
    private static let shortestTurn = Duration.seconds(1)

    private let state: StateDirectory
    private let name: String
    private let kind: SlotKind
    private let logger: Logger
    private let file = Mutex<Result<SlotFile, StoreError>?>(nil)

    /// - Parameter kind: what this process is.
    init(_ state: StateDirectory, fabric: String, kind: SlotKind, logger: Logger) {
        self.state = state
        name = "\(FabricStore.folder(of: fabric))/slots"
        self.kind = kind
        self.logger = logger
    }

    /// How many slots the short commands of all processes have together. One session of those that the node grants is left:
    /// for the long slot, and otherwise for one whose end the node has missed.
    static func count(sessionsPerFabric: UInt16?) -> Int {
        max(1, Int(sessionsPerFabric ?? leastSessions) - 1)
    }

    /// Waits for a slot of a node in the order of arrival.
    ///
    /// - Returns: `nil` where the state directory allows no lock. Evictions are survived, and a light must not stay dark
    ///   over a full disk.
    /// - Throws: ``ControllerError`` with code `sessionsInUse` at the deadline, `CancellationError`.
    func take(for node: NodeRecord, deadline: Instant) async throws -> SlotLease? {
        let time = state.time
        let began = time.now
        let last = deadline - min(Self.shortestTurn, max(.zero, (deadline - began) / 4))
        do {
            let count = Self.count(sessionsPerFabric: node.sessionsPerFabric)
            if kind == .long, let lease = try await long(for: node, of: count) { return lease }
            let lease = try await opened().take(node: node.nodeID.rawValue, kind, of: count, until: last)
            let waited = time.now - began
            if waited > .milliseconds(1) {
                logger.debug("waited \(Spelled.seconds(waited)) until other commands had ended their sessions")
            }
            return lease
        } catch let error as StoreError {
            logger.info("no session slot could be taken: \(error)")
            return nil
        } catch let error as SlotsTaken {
            throw ControllerError.sessionsInUse(of: node, by: error.holders, waited: error.waited)
        }
    }

    /// A slot for a process that stays: the long one or, beside another such process, the last of those of short
    /// commands, which have one left.
    ///
    /// - Returns: the long slot if it is free; `nil` if neither is to be had at once.
    private func long(for node: NodeRecord, of count: Int) async throws -> SlotLease? {
        let (slots, id) = (try opened(), node.nodeID.rawValue)
        do {
            return try await slots.take(node: id, .long, of: 1, until: state.time.now)
        } catch is SlotsTaken {
            guard count > 1 else { return nil }
            return try? await slots.take(node: id, .short, from: count - 1, of: count, until: state.time.now)
        }
    }

    private func opened() throws(StoreError) -> SlotFile {
        let result = file.withLock { file in
            if let file { return file }
            let opened = Result { () throws(StoreError) in try state.slots(name) }
            file = opened
            return opened
        }
        return try result.get()
    }
}

extension ControllerError {
    /// Nothing was sent: the time was over before other processes of this machine had ended their sessions.
    static func sessionsInUse(of node: NodeRecord, by holders: [Int32], waited: Duration) -> ControllerError {
        let label = node.name ?? "node \(node.nodeID.rawValue)"
        let numbers = holders.map(String.init)
        let who =
            switch numbers.count {
            case 0: "other commands were first"
            case 1: "process \(numbers[0]) uses its session"
            default: "processes \(numbers.joined(separator: ", ")) use its sessions"
            }
        var error = ControllerError(
            .sessionsInUse, "waited \(Spelled.seconds(waited)) for \(label), and nothing was sent: \(who)",
            hint: numbers.isEmpty
                ? .step("command.more-time")
                : "see what they do: ps -o pid,etime,args -p \(numbers.joined(separator: ","))")
        error.holders = holders
        return error
    }
}
