import MatterNetwork

/// A secure session with a peer.
struct DeviceSession: Sendable {
    let reference: SessionReference
    let isPASE: Bool
    var fabricIndex: UInt8
    let peerNodeID: UInt64
    let peerCATs: [CASEAuthenticatedTag]
    let attestationChallenge: SecretBytes
    var lastUsed: Instant
    /// Exchanges under way on it.
    var users = 0
    /// True if it goes as soon as its exchanges are through.
    var isClosing = false

    init(_ established: EstablishedSession, reference: SessionReference, now: Instant) {
        self.reference = reference
        isPASE = established.kind == .pase
        fabricIndex = established.fabricIndex ?? 0
        peerNodeID = established.peerNodeID
        peerCATs = established.peerCATs
        attestationChallenge = established.keys.attestationChallenge
        lastUsed = now
    }

    var caller: Caller {
        Caller(
            isPASE ? .pase : .case(NodeID(peerNodeID), tags: peerCATs), fabricIndex: fabricIndex, session: reference,
            attestationChallenge: attestationChallenge)
    }
}

/// The sessions of a device. Every fabric has its share; a new session takes the place of the one that was used least
/// recently.
struct DeviceSessions: Sendable {
    private(set) var all: [SessionReference: DeviceSession] = [:]

    subscript(_ reference: SessionReference) -> DeviceSession? {
        get { all[reference] }
        set { all[reference] = newValue }
    }

    /// The session to end so that another one of a fabric has room; `nil` while there is some.
    ///
    /// - Parameter share: how many sessions a fabric may have.
    func victim(for fabric: UInt8, share: Int) -> SessionReference? {
        let own = all.values.filter { !$0.isPASE && $0.fabricIndex == fabric }
        guard own.count >= share else { return nil }
        return own.min { $0.lastUsed < $1.lastUsed }?.reference
    }

    /// The newest session with a peer, other than one.
    func replacement(for session: DeviceSession) -> SessionReference? {
        all.values.filter {
            $0.reference != session.reference && !$0.isPASE && !$0.isClosing && $0.fabricIndex == session.fabricIndex
                && $0.peerNodeID == session.peerNodeID
        }.max { $0.lastUsed < $1.lastUsed }?.reference
    }
}

/// The tickets for resuming earlier sessions, newest last; each fabric keeps a few.
struct ResumptionTable: Sendable {
    static let perFabric = 8

    private(set) var records: [ResumptionRecord] = []
    /// Of sessions that this device began; kept in memory only.
    private var initiated: [ResumptionRecord] = []

    init(_ records: [ResumptionRecord] = []) { self.records = records }

    func find(_ id: [UInt8]) -> ResumptionRecord? { records.last { $0.resumptionID == id } }

    /// A peer has one record: the newest.
    mutating func add(_ record: ResumptionRecord) {
        records.removeAll { $0.fabricIndex == record.fabricIndex && $0.peerNodeID == record.peerNodeID }
        records.append(record)
        let own = records.indices.filter { records[$0].fabricIndex == record.fabricIndex }
        if own.count > Self.perFabric, let oldest = own.first { records.remove(at: oldest) }
    }

    func initiated(fabric: UInt8, peer: UInt64) -> ResumptionRecord? {
        initiated.first { $0.fabricIndex == fabric && $0.peerNodeID == peer }
    }

    mutating func addInitiated(_ record: ResumptionRecord) {
        initiated.removeAll { $0.fabricIndex == record.fabricIndex && $0.peerNodeID == record.peerNodeID }
        initiated.append(record)
    }

    /// Forgets what belongs to fabrics that are not there any more, before another one gets their index.
    mutating func keep(fabrics: [FabricEntry]) {
        let indices = Set(fabrics.map(\.index))
        func isKept(_ record: ResumptionRecord) -> Bool { record.fabricIndex.map(indices.contains) ?? false }
        records.removeAll { !isKept($0) }
        initiated.removeAll { !isKept($0) }
    }

    mutating func forget(fabric: UInt8) {
        records.removeAll { $0.fabricIndex == fabric }
        initiated.removeAll { $0.fabricIndex == fabric }
    }
}
