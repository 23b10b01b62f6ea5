import MatterBase

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// A node on a clock that only tests move, with one fabric whose administrator asks for everything.
final class ClusterBench {
    /// Data that is slow to make and the same for all.
    struct Fixture: Sendable {
        /// Matter seconds: Monday 2026-11-16 10:00 UTC.
        static let now: UInt32 = 848_138_400
        static let passcode: UInt32 = 20_202_021

        let attestation: DeviceAttestationCredentials
        let fabric: LocalFabric
        let verifier: SPAKE2PlusVerifierData
        let pbkdf: PBKDFParameters

        static let shared = Result { try Fixture() }

        private init() throws {
            attestation = try DevelopmentAttestation.make(
                vendorID: VendorID(0xFFF1), productID: 0x8001, deviceTypeID: 0x0100, now: Self.now
            ).credentials
            fabric = try LocalFabric.create(
                nodeID: NodeID(ClusterBench.nodeID), validity: CertificateValidity.tenYears(from: Self.now))
            pbkdf = PBKDFParameters(iterations: 1000, salt: [UInt8](repeating: 7, count: 16))
            verifier = try SPAKE2PlusVerifierData(
                passcode: Self.passcode, salt: pbkdf.salt, iterations: pbkdf.iterations)
        }
    }

    struct Event: Equatable {
        var id: EventID
        var data: TLVValue

        init(_ id: EventID, _ fields: [UInt8: TLVValue]) {
            self.id = id
            data = .structure(fields.sorted { $0.key < $1.key }.map { TLVElement($0.key, $0.value) })
        }

        init(_ record: EventRecord) {
            id = record.path.event
            data = record.data
        }
    }

    /// The device's own id on the fabric.
    static let nodeID: UInt64 = 0x1000
    static let administrator: UInt64 = 0x2000

    let plans: () -> [EndpointPlan]
    private let change: (inout NodeConfiguration) -> Void
    let node: SimulatedNode
    private(set) var moment: Moment
    private var seenEvents = 0
    let endpoint: EndpointID = 1

    convenience init(_ kinds: String...) throws {
        let kinds = try kinds.map { try SimulatedType.named($0) }
        try self.init { SimulatedType.plans(kinds) }
    }

    /// - Parameters:
    ///   - saved: what an earlier run left.
    ///   - change: what is special about the node.
    init(
        saved: SavedClusters = SavedClusters(), changing change: @escaping (inout NodeConfiguration) -> Void = { _ in },
        _ plans: @escaping () -> [EndpointPlan]
    ) throws {
        self.change = change
        let fixture = try Fixture.shared.get()
        self.plans = plans
        let unix = (UInt64(Fixture.now) + 946_684_800) * 1_000_000
        moment = Moment(instant: .now, unixMicroseconds: unix)
        var state = SavedNode()
        state.clusters = saved
        state.fabrics = [
            FabricEntry(
                index: 1, operational: fixture.fabric.credentials, vendorID: 0xFFF1,
                access: [AccessControlEntry(.administer, .case, subjects: [Self.administrator])],
                keySets: [
                    GroupKeySet(
                        id: 0, keys: [.init(key: fixture.fabric.credentials.ipkEpochKey, start: 1)])
                ])
        ]
        var configuration = NodeConfiguration(
            uniqueID: "0123456789abcdef0123456789abcdef", discriminator: 3840, verifier: fixture.verifier,
            pbkdf: fixture.pbkdf, attestation: fixture.attestation)
        change(&configuration)
        node = try SimulatedNode(
            configuration, endpoints: plans(), saved: state, random: SystemRandom(), at: moment)
        seenEvents = node.events.records.count
        _ = node.takeEffects()
    }

    /// The device after it was switched off and on.
    func restarted() throws -> ClusterBench {
        try ClusterBench(saved: try SavedClusters(tlv: node.savedClusters.tlv), changing: change, plans)
    }

    var caller = Caller(.case(NodeID(ClusterBench.administrator), tags: []), fabricIndex: 1)

    // MARK: Time

    /// Lets time pass, with everything that falls due on the way.
    func wait(_ duration: Duration) {
        let end = moment.advanced(by: duration)
        while let deadline = node.nextDeadline, deadline <= end.instant {
            moment = moment.advanced(by: max(.zero, deadline - moment.instant))
            node.tick(at: moment)
            _ = node.takeDueReports(at: moment)
        }
        moment = end
        node.tick(at: moment)
    }

    // MARK: Interactions

    func invoke(
        _ cluster: ClusterID, _ command: CommandID, _ fields: TLVValue, endpoint: EndpointID? = nil, timed: Bool = true
    ) throws -> CommandResult.Outcome {
        let path = CommandPath(endpoint: endpoint ?? self.endpoint, cluster: cluster, command: command)
        let request = InvokeRequest(isTimed: timed, commands: [CommandDataIB(path: path, fields: fields)])
        let outcomes = try node.turn(at: moment) { try node.invoke(request, caller: caller) }
        return outcomes[0]
    }

    /// - Returns: the status; SUCCESS for a response.
    @discardableResult
    func status(
        _ cluster: ClusterID, _ command: CommandID, _ fields: [UInt8: TLVValue] = [:], endpoint: EndpointID? = nil,
        timed: Bool = true
    ) throws -> StatusIB {
        let outcome = try invoke(cluster, command, Self.structure(fields), endpoint: endpoint, timed: timed)
        if case .status(let status) = outcome { return status }
        return StatusIB(.success)
    }

    /// - Returns: the fields of the response.
    func response(
        _ cluster: ClusterID, _ command: CommandID, _ fields: [UInt8: TLVValue] = [:], endpoint: EndpointID? = nil
    ) throws -> TLVValue {
        switch try invoke(cluster, command, Self.structure(fields), endpoint: endpoint) {
        case .response(_, let fields): return fields ?? .null
        case .status(let status): throw ClusterFailure(status.status)
        }
    }

    @discardableResult
    func write(_ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue, endpoint: EndpointID? = nil)
        -> StatusIB
    {
        let path = ConcreteAttributePath(endpoint: endpoint ?? self.endpoint, cluster: cluster, attribute: attribute)
        let chunk = WriteChunk(
            operations: [
                WriteOperation(path: AttributePath(path), dataVersion: nil, change: .replace(value), blockCount: 1)
            ], isTimed: false, isLast: true, suppressesResponse: false)
        var progress = SimulatedNode.WriteProgress()
        return node.turn(at: moment) { node.write(chunk, progress: &progress, caller: caller) }[0]
    }

    func read(_ cluster: ClusterID, _ attribute: AttributeID, endpoint: EndpointID? = nil) -> TLVValue? {
        node.turn(at: moment) {
            node.read(
                ConcreteAttributePath(endpoint: endpoint ?? self.endpoint, cluster: cluster, attribute: attribute))
        }
    }

    func number(_ cluster: ClusterID, _ attribute: AttributeID, endpoint: EndpointID? = nil) -> Int? {
        read(cluster, attribute, endpoint: endpoint)?.integer()
    }

    /// Something happens to the device.
    @discardableResult
    func type(_ line: String) -> Bool { node.input(line, at: moment) }

    /// The events of a cluster since the last call.
    func events(_ cluster: ClusterID) -> [Event] {
        let new = node.events.records.dropFirst(seenEvents)
        seenEvents = node.events.records.count
        return new.filter { $0.path.cluster == cluster }.map(Event.init)
    }

    static func structure(_ fields: [UInt8: TLVValue]) -> TLVValue {
        .structure(fields.sorted { $0.key < $1.key }.map { TLVElement($0.key, $0.value) })
    }
}
