/// The part of one host in a share of the house: who follows its nodes. Pure: what is asked and answered goes in, what is to be
/// written down and done comes out.
///
/// A host takes a share in three steps: it notes that it takes it, asks the other host to give it up, and notes that it
/// has it. The other host notes that it has given it up before it stops, and answers after that. So no two hosts follow a share, whatever
/// is lost or killed meanwhile, unless one was told to go on without an answer. What is
/// written down is written in the order in which it comes from here.
struct ShareHolding: Sendable, Hashable {
    /// The part of a host as it is known from one run to the next.
    enum State: String, Sendable, CaseIterable {
        /// It follows the nodes.
        case held
        /// It does not, and never did.
        case standingBy = "stand-by"
        /// It does not any more: another host has asked for it.
        case givenUp = "given-up"
        /// It does not: it has begun to take the share, and how that ended is not known.
        case taking
    }

    /// The state as it is written down.
    struct Entry: Sendable, Hashable {
        var state: State
        /// The node id of the host that it was given up to.
        var host: UInt64?
        /// When it came to be so, in seconds since 1970.
        var since: Int64
        /// Whether it was taken without an answer of the other host, which may follow the nodes, too.
        var isForced = false
    }

    /// The step that is under way in this process.
    private enum Activity: Sendable, Hashable {
        case none
        /// The other host is asked; before, the entry was another one.
        case taking(id: UInt64, before: Entry)
        /// The next entry is being written, and what follows from it done.
        case settling
    }

    /// The consequences of a host that asks for the share.
    struct Gift: Sendable, Equatable {
        /// To be written down first; `nil` if nothing changes.
        var entry: Entry?
        /// Whether the nodes were followed until now.
        var wasHeld: Bool
        /// A take of our own that gives way.
        var conceded: UInt64?
    }

    /// Why a share is not given up, or not taken.
    enum Refusal: Error, Sendable, Equatable {
        /// A take or a handover is under way here.
        case busy
        /// The host that asks has our own node id.
        case ourselves
        /// It was given up to another host already.
        case givenTo(UInt64)
        /// Another take has won.
        case overtaken
    }

    /// The node id of this host on the fabric.
    let host: UInt64
    private(set) var entry: Entry
    private var activity = Activity.none
    /// Takes of other hosts that have given way to one of ours: such a request may still be on its way.
    private var conceded: Set<UInt64> = []

    init(host: UInt64, _ entry: Entry) {
        self.host = host
        self.entry = entry
    }

    /// Whether the nodes are to be followed here.
    var isHeld: Bool { entry.state == .held }

    // MARK: Taking

    /// Begins a take.
    ///
    /// - Parameter asksAgain: whether the other host is asked although this one has the share.
    /// - Returns: what is to be written down before the other host is asked; `nil` if the share is here already.
    mutating func begin(take id: UInt64, asksAgain: Bool, now: Int64) throws(Refusal) -> Entry? {
        guard activity == .none else { throw .busy }
        if isHeld {
            guard asksAgain || entry.isForced else { return nil }
            activity = .taking(id: id, before: entry)
            return entry
        }
        activity = .taking(id: id, before: entry)
        return Entry(state: .taking, host: entry.host, since: now)
    }

    /// Takes notice that the beginning of a take is written down.
    mutating func begun(take id: UInt64, _ begun: Entry) {
        if case .taking(id: id, _) = activity { entry = begun }
    }

    /// Takes the answer that the other host does not follow the nodes any more.
    ///
    /// - Parameters:
    ///   - conceded: the other host's own take that gave way.
    ///   - isForced: whether there was no such answer, and the share is taken all the same.
    /// - Returns: what is to be written down; then ``settle(_:)``.
    mutating func answered(
        take id: UInt64, conceded other: UInt64?, isForced: Bool, now: Int64
    ) throws(Refusal) -> Entry {
        guard case .taking(id: id, let before) = activity else { throw .overtaken }
        if let other { conceded.insert(other) }
        activity = .settling
        return Entry(state: .held, since: before.state == .held ? before.since : now, isForced: isForced)
    }

    /// Ends a take that failed.
    ///
    /// - Parameter isKnown: whether it is certain that the other host has not given the share up to us.
    /// - Returns: what is to be written down; `nil` if that is there.
    mutating func failed(take id: UInt64, isKnown: Bool) -> Entry? {
        guard case .taking(id: id, let before) = activity else { return nil }
        activity = .none
        guard isKnown, before != entry else { return nil }
        entry = before
        return before
    }

    // MARK: Giving up

    /// Takes the request of another host for the share.
    ///
    /// - Parameter take: the number of its take.
    /// - Returns: what is to be done; then ``settle(_:)`` if something is to be written down.
    mutating func give(to other: UInt64, take: UInt64, now: Int64) throws(Refusal) -> Gift {
        guard other != host else { throw .ourselves }
        guard !conceded.contains(take) else { throw .overtaken }
        var gift = Gift(entry: nil, wasHeld: isHeld, conceded: nil)
        var known = entry
        switch activity {
        case .none: break
        case .settling: throw .busy
        case .taking(let own, let before):
            // Both take it at once: the lesser node id wins.
            guard other < host else { throw .busy }
            gift.conceded = own
            known = before
            gift.entry = before
        }
        if known.state != .held, let holder = known.host, holder != other { throw .givenTo(holder) }
        if known.state == .held || known.state == .taking {
            gift.entry = Entry(state: .givenUp, host: other, since: now)
        }
        activity = gift.entry == nil ? .none : .settling
        return gift
    }

    // MARK: The record

    /// Takes notice that an entry is written down.
    mutating func settle(_ written: Entry) {
        entry = written
        activity = .none
    }

    /// Takes notice that an entry could not be written: the last one stays.
    mutating func unsettle() { activity = .none }
}
