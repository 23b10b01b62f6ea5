import JSON
package import MatterCredentials
package import MatterStore
package import MatterTransport
import Synchronization

/// The sessions of a fabric that are kept between processes, one for each node, in the ``RuntimeDirectory``.
///
/// Whoever takes one has the first session slot of the node: there is one user at a time.
package struct KeptSessionStore: Sendable {
    /// The message counters that are reserved for a process before it uses the first of them: none is ever used twice,
    /// however a process ends.
    package static let block: UInt32 = 256
    /// After this time from its set-up, a session is not used any more.
    package static let lifetime = Duration.seconds(3600)

    private let runtime: RuntimeDirectory
    private let prefix: String
    private let certificate: UInt32
    private let moment: @Sendable () -> MachineMoment?

    /// - Parameters:
    ///   - state: the state directory that the fabric is in; sessions of another one, be it a copy, are others.
    ///   - certificate: our operational certificate.
    /// - Returns: `nil` if there is no state directory.
    package init?(
        _ runtime: RuntimeDirectory, state: StateDirectory, fabric: CompressedFabricID, certificate: [UInt8],
        moment: @escaping @Sendable () -> MachineMoment? = MachineMoment.now
    ) {
        guard let folder = state.identity() else { return nil }
        self.runtime = runtime
        self.moment = moment
        self.certificate = CRC32.checksum(certificate[...])
        let numbers = [folder.device, folder.inode].map { String($0, radix: 16) }
        prefix = "session-\(numbers.joined(separator: "-"))-\(Hex.number(fabric.rawValue, digits: 16))-"
    }

    private func name(of node: NodeID) -> String { prefix + Hex.number(node.rawValue, digits: 16) }

    /// Takes the session with a node, and reserves a block of message counters.
    ///
    /// - Returns: `nil` if there is none that may be used; its record is gone then.
    package func take(_ node: NodeID, now: Instant) -> KeptLease? {
        let name = name(of: node)
        guard let record = try? runtime.open(name, creating: false), (try? record.lock()) ?? false else { return nil }
        let file = KeptSession.File(device: record.device, inode: record.inode)
        guard let moment = moment(),
            let session = try? record.withContents({ KeptSession($0, of: file, at: moment, now: now) }),
            session.snapshot.parameters.peerNodeID == node.rawValue
        else {
            runtime.remove(name)
            return nil
        }
        let lease = KeptLease(
            record, session, isOld: session.certificate != certificate || session.age(at: moment) > Self.lifetime,
            moment: self.moment)
        guard lease.reserve(now: now) != nil else {
            runtime.remove(name)
            return nil
        }
        return lease
    }

    /// Keeps a session for the next process.
    ///
    /// - Parameters:
    ///   - lease: where the session came from; `nil` for a new one.
    ///   - now: the time of `session.moment`, in the clock of the session.
    package func save(_ session: KeptSession, of node: NodeID, lease: KeptLease?, now: Instant) {
        var session = session
        session.certificate = certificate
        if let lease { return lease.save(session, now: now) }
        let name = name(of: node)
        do {
            guard let record = try runtime.open(name, creating: true), try record.lock() else { return }
            let file = KeptSession.File(device: record.device, inode: record.inode)
            try record.write(session.encoded(for: file, now: now))
        } catch {
            // What is half written has no valid checksum, but would stay.
            runtime.remove(name)
        }
    }

    /// Forgets the session with a node.
    package func remove(_ node: NodeID) { runtime.remove(name(of: node)) }

    /// The kept sessions that may still be used.
    package func list(now: Instant) -> [(node: NodeID, session: KeptSession)] {
        guard let moment = moment() else { return [] }
        return runtime.names(prefix: prefix).compactMap { name in
            guard let number = UInt64(name.dropFirst(prefix.count), radix: 16),
                let record = try? runtime.open(name, creating: false),
                let session = try? record.withContents({
                    KeptSession(
                        $0, of: KeptSession.File(device: record.device, inode: record.inode), at: moment, now: now)
                }), session.certificate == certificate, session.age(at: moment) <= Self.lifetime
            else { return nil }
            return (NodeID(number), session)
        }
    }

    /// This moment, for a session that is kept.
    package func now() -> MachineMoment? { moment() }
}

/// A kept session in use by this process, with message counters of its own.
package final class KeptLease: Sendable {
    private struct State: ~Copyable {
        let record: RuntimeRecord
        /// The session as the record has it: from its counter on, all are free.
        var session: KeptSession
    }

    /// The session as it was found: its counters, as many as a block has, are ours.
    package let session: KeptSession
    /// True if the session is too old to be used, or has the rights of an earlier certificate of ours: it is to be closed.
    package let isOld: Bool
    private let state: Mutex<State>
    private let moment: @Sendable () -> MachineMoment?

    fileprivate init(
        _ record: consuming RuntimeRecord, _ session: KeptSession, isOld: Bool,
        moment: @escaping @Sendable () -> MachineMoment?
    ) {
        self.session = session
        self.isOld = isOld
        self.moment = moment
        state = Mutex(State(record: record, session: session))
    }

    /// Reserves a further block of message counters, with as many exchange ids.
    ///
    /// - Returns: the end of the block; `nil` if the counters are used up, or the record cannot be written.
    package func reserve(now: Instant) -> UInt64? {
        state.withLock { state in
            var next = state.session
            next.snapshot.nextCounter += UInt64(KeptSessionStore.block)
            next.snapshot.nextExchangeID &+= UInt16(KeptSessionStore.block)
            guard next.snapshot.nextCounter <= 1 << 32, let moment = moment() else { return nil }
            next.moment = moment
            guard Self.write(next, to: state.record, now: now) else { return nil }
            state.session = next
            return next.snapshot.nextCounter
        }
    }

    fileprivate func save(_ session: KeptSession, now: Instant) {
        state.withLock { state in _ = Self.write(session, to: state.record, now: now) }
    }

    private static func write(_ session: KeptSession, to record: borrowing RuntimeRecord, now: Instant) -> Bool {
        let file = KeptSession.File(device: record.device, inode: record.inode)
        return (try? record.write(session.encoded(for: file, now: now))) != nil
    }
}
