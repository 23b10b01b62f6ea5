public import MatterState

/// Work that has to reach every node of a fabric, with what came of it on each: it outlives the process that began it.
///
/// It is a value. ``JobStore`` keeps it, and ``JobService`` does the work.
public struct Job: Equatable, Sendable {
    /// The work that is done on each node.
    public enum Kind: String, Sendable, CaseIterable {
        /// Lets our node administer the nodes of another program's fabric, under the id of that program.
        case join
        /// Takes our entries out of the access control lists again, under our own id.
        case leave
        /// Exchanges the identity protection key.
        case identityKey = "identity-key"
        /// Gives each node, and then us, another certificate.
        case certificates
        /// Exchanges the key of a group.
        case groupKey = "group-key"
        /// Lets nodes admit the administrators' tag.
        case admit
        /// Lets nodes admit no older version of that tag, and searches them for what a member may have left.
        case expel
        /// Changes who may do what.
        case access

        /// Whether it acts under an id that is not ours: then it goes on only when it is told to.
        var borrowsIdentity: Bool { self == .join }
    }

    /// The process that began the work, or that did the last of it.
    public struct Owner: Equatable, Sendable {
        /// The name of the machine.
        public var host: String
        /// The number of the user, in digits.
        public var user: String
        /// The number of the process.
        public var process: Int32
        /// Which start of the machine it was; `nil` where the kernel does not say.
        var boot: String?

        // memberwise: package, boot = nil
    }

    /// Why a node is not done.
    public struct Reason: Equatable, Sendable {
        /// The id of the error, which is stable.
        public var id: String
        /// The event, in words for people. It may quote a device: escape it before it reaches a terminal.
        public var message: String
        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind

        // memberwise: package
    }

    /// The outcome on a node.
    public enum State: Equatable, Sendable {
        /// It is still to be done: since when, in seconds since 1970, and why it failed last; `nil` if it was never tried.
        case pending(since: Int64, Reason?)
        /// The node has it, since that second since 1970.
        case done(at: Int64)
        /// It cannot be done as things are: since when, in seconds since 1970, and why.
        case refused(at: Int64, Reason)
    }

    /// A node of the job.
    public struct Entry: Equatable, Sendable {
        /// The id of the node.
        public let node: NodeID
        /// The outcome there.
        public package(set) var state: State
    }

    /// Another controller's identity that we act under: its certificates. The key is a secret of its own.
    struct Borrowed: Equatable, Sendable {
        var nodeID: NodeID
        var noc: [UInt8]
        var intermediate: [UInt8]?
    }

    /// The number of the job on its fabric.
    public let id: UInt64
    /// The work.
    public let kind: Kind
    /// When it was made, in seconds since 1970.
    public let madeAt: Int64
    /// Who began it, or did the last of it.
    public private(set) var owner: Owner
    /// Its nodes, by id.
    public internal(set) var entries: [Entry] = []
    /// When it was cancelled, in seconds since 1970; `nil` if it was not.
    public private(set) var cancelledAt: Int64?
    /// The identity that it acts under as long as nodes are pending; `nil` for our own.
    private(set) var borrowed: Borrowed?
    /// How far a rotation of keys or certificates is; `nil` for other work.
    public internal(set) var rotation: Rotation?
    /// The change of the access control lists; `nil` for other work.
    let access: AccessWork?

    /// A job with all of its nodes pending.
    init(
        id: UInt64, kind: Kind, owner: Owner, nodes: [NodeID], borrowed: Borrowed? = nil, access: AccessWork? = nil,
        at now: Int64
    ) {
        self.id = id
        self.kind = kind
        self.owner = owner
        self.borrowed = borrowed
        self.access = access
        madeAt = now
        handle(.added(nodes), at: now)
    }

    /// As it was kept.
    init(
        id: UInt64, kind: Kind, madeAt: Int64, owner: Owner, entries: [Entry], cancelledAt: Int64?, borrowed: Borrowed?,
        rotation: Rotation? = nil, access: AccessWork? = nil
    ) {
        self.id = id
        self.kind = kind
        self.madeAt = madeAt
        self.owner = owner
        self.entries = entries.sorted { $0.node < $1.node }
        self.cancelledAt = cancelledAt
        self.borrowed = borrowed
        self.rotation = rotation
        self.access = access
    }

    // MARK: How far it is

    /// The nodes that are still to be done; none of a job that was cancelled.
    public var pending: [NodeID] {
        guard cancelledAt == nil else { return [] }
        return entries.filter { if case .pending = $0.state { true } else { false } }.map(\.node)
    }

    /// How many nodes have it.
    public var doneCount: Int { entries.count { if case .done = $0.state { true } else { false } } }

    /// How many nodes cannot have it as things are.
    public var refusedCount: Int { entries.count { if case .refused = $0.state { true } else { false } } }

    /// Whether every node has it.
    public var isDone: Bool { doneCount == entries.count && !isRotating }

    /// Whether something is left to do: a node, an identity to be put away, or a fabric to be forgotten.
    public var isOpen: Bool { !pending.isEmpty || borrowed != nil || leavesFabric || isRotating }

    /// Whether nothing of ours is left on any node, so that the fabric is forgotten here.
    public var leavesFabric: Bool { kind == .leave && isDone && cancelledAt == nil }

    /// Why the first node that is not done is not done; `nil` if all are, or none was tried.
    public var firstReason: Reason? {
        entries.lazy.compactMap { entry in
            switch entry.state {
            case .pending(_, let reason): reason
            case .refused(_, let reason): reason
            case .done: nil
            }
        }.first
    }

    // MARK: Steps

    /// Something that happened to the job.
    enum Event: Equatable, Sendable {
        /// A process goes on with it.
        case began(Owner)
        /// Nodes are to be done as well. Those that were refused are tried once more.
        case added([NodeID])
        /// A node has it.
        case done(NodeID)
        /// A node does not have it yet.
        case failed(NodeID, Reason)
        /// A node cannot have it as things are.
        case refused(NodeID, Reason)
        /// It is not to go on.
        case cancelled
        /// It acts under this identity from now on; under none but our own if `nil`.
        case borrowed(Borrowed?)
        /// Something happened to a rotation.
        case rotated(RotationStep)
    }

    /// Notes something that happened. A node that is done stays so, whatever is heard of it later.
    mutating func handle(_ event: Event, at now: Int64) {
        switch event {
        case .began(let owner): self.owner = owner
        case .added(let nodes):
            for node in Set(nodes) {
                guard let place = entries.firstIndex(where: { $0.node == node }) else {
                    entries.append(Entry(node: node, state: .pending(since: now, nil)))
                    continue
                }
                if case .refused(let since, let reason) = entries[place].state {
                    entries[place].state = .pending(since: since, reason)
                }
            }
            entries.sort { $0.node < $1.node }
        case .done(let node): set(node) { _ in .done(at: now) }
        case .failed(let node, let reason): set(node) { since in .pending(since: since ?? now, reason) }
        case .refused(let node, let reason): set(node) { _ in .refused(at: now, reason) }
        case .cancelled: cancelledAt = cancelledAt ?? now
        case .borrowed(let identity): borrowed = identity
        case .rotated(let step): rotate(step, at: now)
        }
    }

    /// - Parameter state: gets the second since which the node is pending.
    private mutating func set(_ node: NodeID, _ state: (Int64?) -> State) {
        guard let place = entries.firstIndex(where: { $0.node == node }) else { return }
        switch entries[place].state {
        case .done: return
        case .pending(let since, _): entries[place].state = state(since)
        case .refused: entries[place].state = state(nil)
        }
    }
}

extension Job.Reason {
    init(_ error: any Error) {
        let coded = error as? any CodedError
        self.init(
            id: coded?.id ?? "internal", message: coded?.message ?? "\(error)", kind: FailureKind(error))
    }
}
