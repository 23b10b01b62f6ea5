package import MatterNetwork
import Synchronization

/// The sessions of a fabric that are kept between processes, one for each node, in the ``RuntimeDirectory``.
///
/// The process that takes one has the first session slot of the node: there is one user at a time.
package struct KeptSessionStore: Sendable {
    /// The message counters that are reserved for a process before it uses the first of them: none is ever used twice,
    /// however a process ends.
    package static let block: UInt32 = 256
    /// Below this is the random number of counters that are left out before each block. So processes that find the same
    /// record, because the memory of the machine was taken back, do not begin at the same place.
    package static let leap: UInt32 = 1 << 20
    /// From this counter on, a session is only good for being closed: there is room for that, but not for much more.
    static let lastCounter: UInt64 = 1 << 32 - 2 * UInt64(leap + block)
    /// After this time from its set-up, a session is not used any more.
    static let lifetime = Duration.seconds(3600)

    private let runtime: RuntimeDirectory
    private let prefix: String
    private let certificate: UInt32
    private let random: any RandomSource
    private let moment: @Sendable () -> MachineMoment?
    /// How the names of all records begin.
    private static let kind = "session-"

    /// - Parameters:
    ///   - state: the state directory that the fabric is in; sessions of another one, be it a copy, are others.
    ///   - certificate: our operational certificate.
    ///   - random: says how many counters are left out before each block.
    /// - Returns: `nil` if there is no state directory.
    package init?(
        _ runtime: RuntimeDirectory, state: StateDirectory, fabric: CompressedFabricID, certificate: [UInt8],
        random: any RandomSource = SystemRandom(),
        moment: @escaping @Sendable () -> MachineMoment? = MachineMoment.now
    ) {
        guard let prefix = Self.prefix(state) else { return nil }
        self.runtime = runtime
        self.random = random
        self.moment = moment
        self.certificate = CRC32.checksum(certificate[...])
        self.prefix = prefix + Self.part(fabric)
    }

    /// How the names of the records of a state directory begin.
    private static func prefix(_ state: StateDirectory) -> String? {
        state.identity().map { folder in
            "\(kind)\(String(folder.device, radix: 16))-\(String(folder.inode, radix: 16))-"
        }
    }

    private static func part(_ fabric: CompressedFabricID) -> String { Hex.number(fabric.rawValue, digits: 16) + "-" }

    private func name(of node: NodeID) -> String { prefix + Hex.number(node.rawValue, digits: 16) }

    /// Takes the session with a node, and reserves a block of message counters.
    ///
    /// - Returns: `nil` if there is none that may be used; its record is gone then.
    package func take(_ node: NodeID, now: Instant) -> KeptLease? {
        let name = name(of: node)
        let moment = moment()
        let sweep = moment.map { Self.sweep(at: $0, sparing: name, now: now) }
        guard var record = try? runtime.open(name, creating: false, sweep: sweep), (try? record.lock()) ?? false
        else { return nil }
        let file = KeptSession.File(device: record.device, inode: record.inode)
        guard let moment,
            let session = try? record.withContents({ KeptSession($0, of: file, at: moment, now: now) }),
            session.snapshot.parameters.peerNodeID == node.rawValue,
            let lease = KeptLease(
                record, session, isOld: session.certificate != certificate || session.isWornOut(at: moment),
                random: random, moment: self.moment, now: now)
        else {
            runtime.remove(name)
            return nil
        }
        return lease
    }

    /// Removes the records of all fabrics and state directories whose sessions are not used any more: no command for
    /// their nodes need ever come.
    private static func sweep(at moment: MachineMoment, sparing name: String, now: Instant) -> RuntimeSweep {
        RuntimeSweep(prefix: kind, exception: name, unix: moment.unix) { record in
            let file = KeptSession.File(device: record.device, inode: record.inode)
            do {
                return try record.withContents { contents in
                    KeptSession(contents, of: file, at: moment, now: now)?.isWornOut(at: moment) ?? true
                }
            } catch {
                return false
            }
        }
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
            guard var record = try runtime.open(name, creating: true), try record.lock() else { return }
            let file = KeptSession.File(device: record.device, inode: record.inode)
            guard let contents = session.encoded(for: file, now: now) else { return runtime.remove(name) }
            try record.write(contents)
        } catch {
            // A half-written record has no valid checksum, but would stay.
            runtime.remove(name)
        }
    }

    /// True if there is a record of a session with a node.
    package func has(_ node: NodeID) -> Bool { (try? runtime.open(name(of: node), creating: false)) != nil }

    /// Forgets the session with a node.
    package func remove(_ node: NodeID) { runtime.remove(name(of: node)) }

    /// Forgets the sessions of a fabric.
    ///
    /// - Parameter fabric: `nil` for all of the state directory, where its record cannot be read.
    package static func removeAll(
        of fabric: CompressedFabricID?, _ runtime: RuntimeDirectory, state: StateDirectory
    ) {
        guard let prefix = prefix(state) else { return }
        for name in runtime.names(prefix: prefix + (fabric.map(part) ?? "")) { runtime.remove(name) }
    }

    /// The kept sessions that may still be used.
    package func list(now: Instant) -> [(node: NodeID, session: KeptSession)] {
        guard let moment = moment() else { return [] }
        return runtime.names(prefix: prefix).compactMap { name in
            guard let number = UInt64(name.dropFirst(prefix.count), radix: 16),
                let record = try? runtime.open(name, creating: false),
                let session = try? record.withContents({
                    KeptSession(
                        $0, of: KeptSession.File(device: record.device, inode: record.inode), at: moment, now: now)
                }), session.certificate == certificate, !session.isWornOut(at: moment)
            else { return nil }
            return (NodeID(number), session)
        }
    }

    /// This moment, for a session that is kept.
    package func now() -> MachineMoment? { moment() }
}

extension KeptSession {
    /// True if the session is too old to be used, or has used almost all of its counters.
    fileprivate func isWornOut(at moment: MachineMoment) -> Bool {
        age(at: moment) > KeptSessionStore.lifetime || snapshot.nextCounter > KeptSessionStore.lastCounter
    }
}
