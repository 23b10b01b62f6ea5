public import MatterState

/// A change of our entries in a node's access control list: what the list becomes, or why it may not (Matter core
/// specification, 9.10).
///
/// A list that it allows lets us administer the node, as a whole and in any part that comes first: it may be written in
/// several messages. No change makes an entry wider than was asked for; an entry that loses its last subject goes.
public struct AccessListEdit: Sendable {
    /// A change of a list.
    public enum Change: Sendable {
        /// Gives what each entry says, if it is not given already.
        case grant([AccessControlEntry])
        /// Takes what each entry says from entries that say so: the opposite of `grant`.
        case withdraw([AccessControlEntry])
        /// Takes away everything that is given to subjects by their own id.
        case revoke([AccessSubject])
        /// Takes away entries, by their place in the list that was seen: the first is 1. In another list it is refused.
        case remove([Int])
        /// Replaces all entries of the list that was seen. Another list may have entries that the user does not know of.
        case replace([AccessControlEntry])
    }

    /// The room of a node; by default what every node must have.
    public struct Limits: Sendable {
        package var entries = 4
        package var subjects = 4
        package var targets = 3

        /// The room that every node must have room for.
        public init() {}

        /// For a decision before the node's room is known.
        public static let unlimited: Limits = {
            var limits = Limits()
            (limits.entries, limits.subjects, limits.targets) = (.max, .max, .max)
            return limits
        }()
    }

    /// The list that the change is meant for; the one that it is applied to if `nil`.
    public var seen: [AccessControlEntry]?
    private let change: Change
    private let own: NodeIdentity
    private let node: NodeRecord

    /// - Parameters:
    ///   - own: who we are on the fabric.
    ///   - node: whose list it is, for messages.
    public init(_ change: Change, own: NodeIdentity, of node: NodeRecord) {
        self.change = change
        self.own = own
        self.node = node
    }

    /// The list that is to be written; the present one if there is nothing to change.
    ///
    /// - Throws: ``ControllerError``: `invalidAccessEntry`, `accessListFull`, `unknownAccessEntry` or `lockout`; `listChanged`
    ///   if the change depends on the list that was seen, and this is another one.
    public func applied(
        to entries: [AccessControlEntry], within limits: Limits = Limits()
    ) throws(ControllerError) -> [AccessControlEntry] {
        let result = try changed(entries, limits)
        guard !result.means(entries) else { return entries }
        // A group that the node already has is its own affair.
        for entry in result where !entries.contains(where: { $0.unplaced == entry.unplaced }) {
            try check(entry, limits)
        }
        guard result.count <= max(limits.entries, entries.count) else {
            throw full("it has room for \(limits.entries) entries of our fabric, not for \(result.count)")
        }
        guard result.contains(where: { $0.letsAdminister(own) }) else {
            throw ControllerError(
                .lockout,
                "this would lock us out of \(node.title): no entry would let our node \(own.nodeID.rawValue) administer it",
                hint: .step("acl.lockout", node.label))
        }
        return result.administratorsFirst(own)
    }

    private func check(_ entry: AccessControlEntry, _ limits: Limits) throws(ControllerError) {
        if let fault = entry.fault {
            throw ControllerError(.invalidAccessEntry, "an entry of the access control list is not valid: \(fault)")
        }
        guard entry.subjects.count <= limits.subjects else {
            throw full("an entry has room for \(limits.subjects) subjects, not for \(entry.subjects.count)")
        }
        guard entry.targets.count <= limits.targets else {
            throw full("an entry has room for \(limits.targets) targets, not for \(entry.targets.count)")
        }
    }

    private func full(_ reason: String) -> ControllerError {
        ControllerError(
            .accessListFull, "the access control list of \(node.title) is full: \(reason)",
            hint: .step("acl.full", node.label))
    }

    // MARK: Changes

    private func changed(
        _ entries: [AccessControlEntry], _ limits: Limits
    ) throws(ControllerError) -> [AccessControlEntry] {
        let seen = seen ?? entries
        switch change {
        case .replace(let new):
            try requireUnchanged(entries)
            return new
        case .grant(let grants): return grants.reduce(entries) { $0.granting($1, limits) }
        case .withdraw(let grants): return grants.reduce(entries) { $0.withdrawing($1) }
        case .remove(let places):
            if let place = places.first(where: { !(1...max(seen.count, 1)).contains($0) || seen.isEmpty }) {
                throw unknown("has no entry \(place); it has \(seen.count)")
            }
            try requireUnchanged(entries)
            // The node may list the same entries in another order now.
            return seen.indices.filter { places.contains($0 + 1) }.reduce(into: entries) { rest, index in
                guard let place = rest.firstIndex(where: { $0.unplaced == seen[index].unplaced }) else { return }
                rest.remove(at: place)
            }
        case .revoke(let subjects):
            // An entry that another administrator has taken away since is gone, as it was meant to be.
            let known = seen + entries
            if let absent = subjects.first(where: { subject in !known.contains { subject.isNamed(by: $0) } }) {
                throw unknown("has no entry that names \(absent)")
            }
            return entries.compactMap { entry in
                let kept = entry.subjects.filter { id in
                    !subjects.contains(AccessSubject(id: id, authMode: entry.authMode))
                }
                guard kept.count < entry.subjects.count else { return entry }
                // Without subjects it would mean everyone.
                return kept.isEmpty ? nil : entry.with(subjects: kept)
            }
        }
    }

    private func requireUnchanged(_ entries: [AccessControlEntry]) throws(ControllerError) {
        guard let seen, !entries.means(seen) else { return }
        throw changed(entries, "since it was read")
    }

    /// Makes sure that numbers mean entries of the list that the user has seen, before anything is written.
    ///
    /// - Parameters:
    ///   - command: when it began.
    ///   - lists: those that were shown. Where there is none yet, this one is noted, for others that run at the same time.
    /// - Throws: ``ControllerError`` `listChanged` if the list that was shown last is another one, or was shown by another command
    ///   since this one began.
    public func requireSeen(_ entries: [AccessControlEntry], _ command: CommandStart, _ lists: NodeNoteStore<SeenList>)
        throws
    {
        let list = SeenList(entries, time: command.taken)
        let shown = lists.load(node.nodeID)
        guard list.isMeant(after: shown, by: command) else { throw changed(entries, "since it was shown") }
        if shown == nil { try? lists.note(list, of: node.nodeID) }
    }

    private func changed(_ entries: [AccessControlEntry], _ since: String) -> ControllerError {
        var error = ControllerError(
            .listChanged, "the access control list of \(node.title) has changed \(since); nothing was written",
            hint: .step("acl.changed", node.label))
        error.state = [(NodeLink.accessListPath, .array(of: entries.map(\.tlv)))]
        return error
    }

    private func unknown(_ reason: String) -> ControllerError {
        ControllerError(
            .unknownAccessEntry, "the access control list of \(node.title) \(reason)",
            hint: .step("acl.see", node.label))
    }
}

extension [AccessControlEntry] {
    /// The list in an order that keeps a node in charge also after the first of several messages.
    package func administratorsFirst(_ own: NodeIdentity) -> [AccessControlEntry] {
        filter { $0.letsAdminister(own) } + filter { !$0.letsAdminister(own) }
    }
}

/// A subject that an entry of an access control list names by its id (Matter core specification, 9.10).
public struct AccessSubject: Hashable, Sendable, CustomStringConvertible {
    /// A node id, a tag or a group id.
    public var id: NodeID
    /// How it proves who it is.
    public var authMode: AccessControlEntry.AuthMode

    // memberwise: public, authMode = .case

    func isNamed(by entry: AccessControlEntry) -> Bool { entry.authMode == authMode && entry.subjects.contains(id) }

    /// As it can be typed: `4242`, `cat:06D90001`, `group:258`.
    public var description: String {
        if authMode == .group { return "group:\(id.rawValue)" }
        return CASEAuthenticatedTag(subject: id).map { "cat:\($0)" } ?? "\(id.rawValue)"
    }
}
