import MatterState

extension Job {
    /// The exchange of keys or certificates on every node. Keys go in phases: each is done on all nodes before the next begins, so that
    /// there are never two nodes without a key that both take.
    public struct Rotation: Equatable, Sendable {
        /// A phase of a rotation.
        public enum Phase: String, Sendable, CaseIterable {
            /// Each node gets the new key beside the old one, which is used.
            case add
            /// Each node uses the new key, and still takes the old one.
            case prefer
            /// The old key is taken away: from here there is no way back.
            case remove
            /// On the way back: each node uses the old key, and still takes the new one.
            case restore
            /// On the way back: the new key is taken away.
            case withdraw
            /// Each node gets another certificate, and we get ours last.
            case certify
            /// Nothing is left to do.
            case finished
        }

        /// An epoch key in a set: which of both, and from when on it counts, in microseconds since 2000.
        struct Slot: Equatable, Sendable {
            var isNew: Bool
            var start: UInt64
        }

        /// The distance of a key that is only taken: the start times of a node that knows the time do not reach it (Matter core
        /// specification, 11.2.6.2.1).
        private static let century: UInt64 = 3_155_760_000_000_000

        /// The phase.
        public internal(set) var phase: Phase
        /// Whether it goes back, or went back, to the old key.
        public internal(set) var isBack = false
        /// The key set; 0 is the identity protection key.
        let keySet: UInt16
        /// The first start time: with it the sets of this rotation can be told from all others.
        let base: UInt64
        /// The start time of the set before; 0 if that does not matter.
        let origin: UInt64
        /// Administrators that are not ours, and of which the user knows that they cannot follow.
        var known: [NodeID] = []
        /// Digests of the certificates that the nodes had at first.
        var marks: [NodeID: [UInt8]] = [:]

        init(phase: Phase, keySet: UInt16 = 0, base: UInt64 = 0, origin: UInt64 = 0, known: [NodeID] = []) {
            self.phase = phase
            self.keySet = keySet
            self.base = base
            self.origin = origin
            self.known = known
        }

        /// The phase that follows once all nodes are done; `nil` at the end.
        var next: Phase? {
            switch phase {
            case .add: .prefer
            case .prefer: .remove
            case .restore: .withdraw
            case .remove, .withdraw, .certify: .finished
            case .finished: nil
            }
        }

        /// The first phase of the way back; `nil` if there is none, because a node may have lost the old key, or it is taken already.
        var back: Phase? {
            switch phase {
            case .add: .withdraw
            case .prefer: .restore
            case .remove, .restore, .withdraw, .certify, .finished: nil
            }
        }

        /// Whether we use the new key.
        var usesNew: Bool {
            switch phase {
            case .prefer, .remove: true
            case .add, .restore, .withdraw, .certify: false
            case .finished: !isBack
            }
        }

        /// Whether a device that is commissioned now may get the old key, or the new one.
        func isUsable(new isNew: Bool) -> Bool {
            switch phase {
            case .add, .withdraw: !isNew
            case .prefer, .restore: true
            case .remove: isNew
            case .certify, .finished: isNew == usesNew
            }
        }

        /// The keys of a node in this phase, in the order in which they lie there. By every rule of the specification the first one is the
        /// one that the node uses itself: it has begun, and the other one has not.
        var slots: [Slot] {
            let later = base + Self.century
            return switch phase {
            case .add: [Slot(isNew: false, start: base), Slot(isNew: true, start: later)]
            case .prefer: [Slot(isNew: true, start: base + 1), Slot(isNew: false, start: later + 1)]
            case .remove: [Slot(isNew: true, start: base + 2)]
            case .restore: [Slot(isNew: false, start: base + 3), Slot(isNew: true, start: later + 3)]
            case .withdraw: [Slot(isNew: false, start: base + 4)]
            case .certify, .finished: []
            }
        }

        /// Whether a node's set is one that this rotation has written, by the start time of its first key.
        func wrote(_ start: UInt64) -> Bool {
            base > 0 && (base...base + 4).contains(start) || origin == start && origin > 0
        }

        /// The same rotation in another phase.
        func at(_ phase: Phase) -> Rotation {
            var other = self
            other.phase = phase
            return other
        }
    }

    /// Something that happened to a rotation.
    enum RotationStep: Equatable, Sendable {
        /// All nodes are done: the next phase begins.
        case advanced
        /// The user wants the old key back.
        case turnedBack
        /// The user knows of administrators that cannot follow.
        case known([NodeID])
        /// Nodes have left the fabric.
        case dropped([NodeID])
        /// The certificate that a node had at first, as a digest.
        case marked(NodeID, [UInt8])
    }

    /// Whether a rotation is under way.
    package var isRotating: Bool { rotation.map { $0.phase != .finished && cancelledAt == nil } ?? false }

    /// The nodes that can be worked on now: our own certificate comes last.
    func workable(own: NodeID) -> [NodeID] {
        guard rotation?.phase == .certify else { return pending }
        return pending.filter { $0 != own }
    }

    mutating func rotate(_ step: RotationStep, at now: Int64) {
        guard var rotation, isRotating else { return }
        switch step {
        case .advanced:
            guard entries.allSatisfy(\.isDone), let next = rotation.next else { return }
            rotation.phase = next
            if next != .finished { beginAgain(at: now) }
        case .turnedBack:
            guard let back = rotation.back else { return }
            rotation.phase = back
            rotation.isBack = true
            beginAgain(at: now)
        case .known(let nodes): rotation.known = Set(rotation.known).union(nodes).sorted()
        case .dropped(let nodes): entries.removeAll { nodes.contains($0.node) }
        case .marked(let node, let digest): rotation.marks[node] = rotation.marks[node] ?? digest
        }
        self.rotation = rotation
    }

    private mutating func beginAgain(at now: Int64) {
        for place in entries.indices { entries[place].state = .pending(since: now, nil) }
    }
}

extension Job.Entry {
    var isDone: Bool { if case .done = state { true } else { false } }
}

extension Job.Kind {
    /// Whether it exchanges keys or certificates.
    var isRotation: Bool { turnsKeys || self == .certificates }

    /// Whether it changes a key set on the nodes.
    var turnsKeys: Bool {
        switch self {
        case .identityKey, .groupKey: true
        case .join, .leave, .certificates, .admit, .expel, .access: false
        }
    }
}

// MARK: As it is kept

extension Job.Rotation {
    init(_ fields: RecordFields, _ file: String) throws(RecordError) {
        let word = try fields.string("phase")
        guard let phase = Phase(rawValue: word) else {
            throw RecordError(.invalid, "'phase' in \(file) is '\(word)', which this version does not know")
        }
        self.init(
            phase: phase, keySet: try fields.integer("keySet"), base: try fields.integer("base"),
            origin: try fields.integer("origin"),
            known: try fields.array("known").compactMap { $0.id(as: UInt64.self).map { NodeID($0) } })
        isBack = try fields.optionalBool("back") ?? false
        for mark in try fields.objects("marks") {
            marks[NodeID(try mark.integer("node"))] = try mark.octets("digest")
        }
        guard base < .max - 2 * Self.century else { throw RecordError(.invalid, "'base' in \(file) is too large") }
    }

    var json: JSONValue {
        var object: JSONObject = [
            "phase": .string(phase.rawValue), "keySet": .uint(UInt64(keySet)), "base": .id(base), "origin": .id(origin),
            "known": .array(known.map { .id($0.rawValue) }),
            "marks": .array(
                marks.sorted { $0.key < $1.key }.map { node, digest in
                    .object(["node": .id(node.rawValue), "digest": .string(Hex.encode(digest))])
                }),
        ]
        if isBack { object["back"] = .bool(true) }
        return .object(object)
    }
}
