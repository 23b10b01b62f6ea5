import MatterBase

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// A node that is on no fabric, on a clock that only tests move, and controllers that commission it.
final class NodeBench {
    static let now: UInt32 = 848_138_400
    static let passcode: UInt32 = 20_202_021

    /// Data that is slow to make and the same for all.
    struct Fixture: Sendable {
        let attestation: DeviceAttestationCredentials
        let verifier: SPAKE2PlusVerifierData
        let pbkdf = PBKDFParameters(iterations: 1000, salt: [UInt8](repeating: 7, count: 16))

        static let shared = Result { try Fixture() }

        private init() throws {
            attestation = try DevelopmentAttestation.make(
                vendorID: VendorID(0xFFF1), productID: 0x8001, deviceTypeID: 0x0100, now: NodeBench.now
            ).credentials
            verifier = try SPAKE2PlusVerifierData(
                passcode: NodeBench.passcode, salt: pbkdf.salt, iterations: pbkdf.iterations)
        }
    }

    /// An administrator with an authority of its own.
    struct Controller {
        let fabric: LocalFabric
        let nodeID: UInt64

        init(nodeID: UInt64 = 0x2000) throws {
            self.nodeID = nodeID
            fabric = try LocalFabric.create(
                nodeID: NodeID(nodeID), validity: CertificateValidity.tenYears(from: NodeBench.now))
        }

        func issuer() throws -> LocalCertificateAuthority {
            try fabric.issuer(adminVendorID: VendorID(0xFFF1)) { CertificateValidity.tenYears(from: NodeBench.now) }
        }

        func caller(_ index: UInt8, node: UInt64? = nil, tags: [CASEAuthenticatedTag] = []) -> Caller {
            Caller(
                .case(NodeID(node ?? nodeID), tags: tags), fabricIndex: index, session: .secure(100 + UInt16(index)),
                attestationChallenge: SecretBytes([UInt8](repeating: 3, count: 16)))
        }
    }

    static func configuration(_ change: (inout NodeConfiguration) -> Void = { _ in }) throws -> NodeConfiguration {
        let fixture = try Fixture.shared.get()
        var configuration = NodeConfiguration(
            uniqueID: "0123456789ABCDEF0123456789ABCDEF", discriminator: 3840, verifier: fixture.verifier,
            pbkdf: fixture.pbkdf, attestation: fixture.attestation)
        change(&configuration)
        return configuration
    }

    let configuration: NodeConfiguration
    private let kinds: [SimulatedType]
    private(set) var node: SimulatedNode
    private(set) var moment: Moment
    var pase = Caller(
        .pase, session: .secure(1), attestationChallenge: SecretBytes([UInt8](repeating: 9, count: 16)))

    init(_ kinds: [String] = ["dimmable-light"], _ change: (inout NodeConfiguration) -> Void = { _ in }) throws {
        configuration = try Self.configuration(change)
        self.kinds = try kinds.map { try SimulatedType.named($0) }
        moment = Moment(instant: .now, unixMicroseconds: (UInt64(Self.now) + 946_684_800) * 1_000_000)
        node = try SimulatedNode(
            configuration, endpoints: SimulatedType.plans(self.kinds), random: SystemRandom(), at: moment)
    }

    /// The device loses its power and starts again from what is saved.
    func restart() throws {
        var saved = SavedNode()
        saved.fabrics = try node.savedFabrics.map { try FabricEntry(saved: $0.saved) }
        saved.clusters = try SavedClusters(tlv: node.savedClusters.tlv)
        saved.nextEventNumber = node.reserveEventNumbers()
        node = try SimulatedNode(
            configuration, endpoints: SimulatedType.plans(kinds), saved: saved, random: SystemRandom(), at: moment)
    }

    /// Lets time go by, stopping wherever the node has something to do.
    func pass(_ duration: Duration) {
        let end = moment.advanced(by: duration)
        while let next = node.nextDeadline, next <= end.instant {
            moment = moment.advanced(by: max(.zero, next - moment.instant))
            node.tick(at: moment)
            // A report that is not fetched would be due for ever.
            for report in node.takeDueReports(at: moment) { node.reportDelivered(report.subscription) }
        }
        moment = end
        node.tick(at: moment)
    }

    /// Lets time go by without telling the node.
    func skip(_ duration: Duration) { moment = moment.advanced(by: duration) }

    func takeEffects() -> [NodeEffect] { node.takeEffects() }

    // MARK: Interactions

    @discardableResult
    func invoke(
        _ endpoint: EndpointID, _ cluster: ClusterID, _ command: CommandID, _ fields: [TLVElement] = [],
        by caller: Caller,
        timed: Bool = false
    ) throws -> CommandResult.Outcome {
        let request = InvokeRequest(
            isTimed: timed,
            commands: [
                CommandDataIB(
                    path: CommandPath(endpoint: endpoint, cluster: cluster, command: command),
                    fields: .structure(fields))
            ])
        let outcomes = try node.turn(at: moment) { try node.invoke(request, caller: caller) }
        for case .adoptFabric(let session, let index) in node.takeEffects() where session == pase.session {
            pase.fabricIndex = index
        }
        return outcomes[0]
    }

    func read(
        _ endpoint: EndpointID?, _ cluster: ClusterID?, _ attribute: AttributeID?, by caller: Caller,
        filtered: Bool = true
    ) throws -> [AttributeReportIB] {
        let request = ReadRequest(
            attributePaths: [AttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)],
            isFabricFiltered: filtered)
        return try node.turn(at: moment) { try node.read(request, caller: caller) }.attributes
    }

    func value(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID) -> TLVValue? {
        node.turn(at: moment) {
            node.read(ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute))
        }
    }

    func write(
        _ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue, by caller: Caller,
        dataVersion: UInt32? = nil, timed: Bool = false
    ) throws -> StatusIB {
        var receiver = WriteReceiver()
        let path = AttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
        let chunk = try receiver.receive(
            WriteRequest(
                isTimed: timed, writes: [AttributeDataIB(dataVersion: dataVersion, path: path, data: value)]))
        var progress = SimulatedNode.WriteProgress()
        return node.turn(at: moment) { node.write(chunk, progress: &progress, caller: caller) }[0]
    }

    // MARK: Commissioning

    static let general = GeneralCommissioning.id
    static let credentials = NodeOperationalCredentials.id

    func arm(_ seconds: UInt16 = 60, by caller: Caller? = nil) throws -> UInt8? {
        let outcome = try invoke(
            0, Self.general, 0, [TLVElement(0, .uint(UInt64(seconds))), TLVElement(1, .uint(1))], by: caller ?? pase)
        return outcome.response(1)?.field(0)?.integer()
    }

    func requestCSR(forUpdate: Bool = false, by caller: Caller? = nil) throws -> CertificateSigningRequest? {
        let nonce = [UInt8](repeating: 5, count: 32)
        var fields = [TLVElement(0, .octets(nonce))]
        if forUpdate { fields.append(TLVElement(1, .bool(true))) }
        let caller = caller ?? pase
        guard let answer = try invoke(0, Self.credentials, 4, fields, by: caller).response(5),
            let elements = answer.field(0)?.octetString, let signature = answer.field(1)?.octetString
        else { return nil }
        return try NOCSRElements(decoding: elements).verify(
            nonce: nonce, signature: signature, attestationKey: configuration.attestation.key.publicKey,
            attestationChallenge: caller.attestationChallenge?.copyBytes() ?? [])
    }

    func addRoot(_ controller: Controller, by caller: Caller? = nil) throws -> IMStatus {
        try invoke(
            0, Self.credentials, 0x0B, [TLVElement(0, .octets(controller.fabric.authority.root.tlv))],
            by: caller ?? pase
        ).status
    }

    func addNOC(
        _ controller: Controller, _ csr: CertificateSigningRequest, nodeID: UInt64 = 0x1000, by caller: Caller? = nil
    ) throws -> (status: UInt8?, index: UInt8?) {
        let issued = try controller.issuer().issue(csr, nodeID: NodeID(nodeID))
        let answer = try invoke(
            0, Self.credentials, 6,
            [
                TLVElement(0, .octets(issued.noc.tlv)),
                TLVElement(2, .octets(controller.fabric.credentials.ipkEpochKey.copyBytes())),
                TLVElement(3, .uint(controller.nodeID)), TLVElement(4, .uint(0xFFF1)),
            ], by: caller ?? pase
        ).response(8)
        return (answer?.field(0)?.integer(), answer?.field(1)?.integer())
    }

    func complete(by caller: Caller) throws -> UInt8? {
        try invoke(0, Self.general, 4, by: caller).response(5)?.field(0)?.integer()
    }

    /// The whole way, from the passcode to CommissioningComplete.
    ///
    /// - Returns: the administrator on its own session.
    @discardableResult
    func commission(_ controller: Controller, nodeID: UInt64 = 0x1000) throws -> Caller {
        pase.fabricIndex = 0
        node.noteCommissioner(at: moment)
        _ = try arm()
        guard let csr = try requestCSR() else { throw BenchError(step: "csr") }
        guard try addRoot(controller) == .success else { throw BenchError(step: "root") }
        let added = try addNOC(controller, csr, nodeID: nodeID)
        guard added.status == 0, let index = added.index else { throw BenchError(step: "noc \(added)") }
        let caller = controller.caller(index)
        guard try complete(by: caller) == 0 else { throw BenchError(step: "complete") }
        _ = takeEffects()
        return caller
    }

    func openWindow(_ seconds: UInt16 = 300, by caller: Caller) throws -> StatusIB {
        try invoke(
            0, AdministratorCommissioning.id, 1, [TLVElement(0, .uint(UInt64(seconds)))], by: caller,
            timed: true
        ).wholeStatus
    }
}

struct BenchError: Error {
    var step: String
}

extension CommandResult.Outcome {
    /// The fields of a response.
    func response(_ id: CommandID) -> TLVValue? {
        if case .response(id, let fields) = self { fields } else { nil }
    }

    var wholeStatus: StatusIB {
        if case .status(let status) = self { status } else { StatusIB(.success) }
    }

    var status: IMStatus { wholeStatus.status }
}

extension AttributeReportIB {
    var refusal: IMStatus? {
        if case .status(let status) = self { status.status.status } else { nil }
    }

    var value: TLVValue? {
        if case .data(let data) = self { data.data } else { nil }
    }
}
