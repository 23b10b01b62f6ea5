package import MatterNetwork
import Synchronization

/// A kept session in use by this process, with message counters of its own.
package final class KeptLease: Sendable {
    private struct State: ~Copyable {
        let record: RuntimeRecord
        /// The session as the record has it: from its counter on, all are free.
        var session: KeptSession
    }

    /// The session as it was found, with the first counter of ours: as many as a block has are.
    package let session: KeptSession
    /// True if the session is too old to be used, or has the rights of an earlier certificate of ours: it is to be closed.
    package let isOld: Bool
    private let state: Mutex<State>
    private let random: any RandomSource
    private let moment: @Sendable () -> MachineMoment?

    /// Reserves the first block.
    ///
    /// - Returns: `nil` if that cannot be done.
    init?(
        _ record: consuming RuntimeRecord, _ session: KeptSession, isOld: Bool, random: any RandomSource,
        moment: @escaping @Sendable () -> MachineMoment?, now: Instant
    ) {
        guard let next = Self.reserved(after: session, random, moment),
            Self.write(next, to: record, now: now)
        else { return nil }
        var found = session
        found.snapshot.nextCounter = next.snapshot.nextCounter - UInt64(KeptSessionStore.block)
        found.snapshot.nextExchangeID = next.snapshot.nextExchangeID &- UInt16(KeptSessionStore.block)
        self.session = found
        self.isOld = isOld
        self.random = random
        self.moment = moment
        state = Mutex(State(record: record, session: next))
    }

    /// Reserves a further block of message counters, with as many exchange ids.
    ///
    /// - Returns: the end of the block; `nil` if the counters are used up, or the record cannot be written.
    package func reserve(now: Instant) -> UInt64? {
        state.withLock { state in
            guard let next = Self.reserved(after: state.session, random, moment),
                Self.write(next, to: state.record, now: now)
            else { return nil }
            state.session = next
            return next.snapshot.nextCounter
        }
    }

    /// The session once a block is taken from it, at a distance that no other process finds. That goes for exchange ids,
    /// too: the node may still repeat an answer that a process before has heard, and this one not, if the record was
    /// taken back.
    ///
    /// The time is added to the random number, for a machine whose generator was taken back with its memory: two
    /// processes hardly read the clock in the same nanosecond.
    private static func reserved(
        after session: KeptSession, _ random: any RandomSource, _ moment: () -> MachineMoment?
    ) -> KeptSession? {
        guard let moment = moment(), let number = try? random.integer(UInt32.self) else { return nil }
        var next = session
        let distance = UInt64(number) &+ UInt64(bitPattern: moment.sinceBoot)
        next.snapshot.nextCounter += distance % UInt64(KeptSessionStore.leap) + UInt64(KeptSessionStore.block)
        // The highest bits of a product with the golden ratio: a nanosecond shows in all of them.
        let exchanges = UInt16(truncatingIfNeeded: distance &* 0x9E37_79B9_7F4A_7C15 >> 48)
        next.snapshot.nextExchangeID &+= exchanges &+ UInt16(KeptSessionStore.block)
        guard next.snapshot.nextCounter <= 1 << 32 else { return nil }
        next.moment = moment
        return next
    }

    func save(_ session: KeptSession, now: Instant) {
        state.withLock { state in _ = Self.write(session, to: state.record, now: now) }
    }

    private static func write(_ session: KeptSession, to record: borrowing RuntimeRecord, now: Instant) -> Bool {
        let file = KeptSession.File(device: record.device, inode: record.inode)
        guard let contents = session.encoded(for: file, now: now) else { return false }
        return (try? record.write(contents)) != nil
    }
}
