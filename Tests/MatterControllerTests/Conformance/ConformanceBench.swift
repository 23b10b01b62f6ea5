import MatterBase
import TestSupport

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// A virtual device without sockets, whose servers can be broken, and its examination.
final class ConformanceBench {
    /// Data that is slow to make and the same for all.
    private struct Fixture: Sendable {
        static let now: UInt32 = 848_138_400
        static let shared = Result { try Fixture() }

        let attestation: DeviceAttestationCredentials
        let fabric: LocalFabric
        let verifier: SPAKE2PlusVerifierData
        let pbkdf: PBKDFParameters

        private init() throws {
            attestation = try DevelopmentAttestation.make(
                vendorID: VendorID(0xFFF1), productID: 0x8001, deviceTypeID: 0x0100, now: Self.now
            ).credentials
            fabric = try LocalFabric.create(
                nodeID: NodeID(ConformanceBench.nodeID), validity: CertificateValidity.tenYears(from: Self.now))
            pbkdf = PBKDFParameters(iterations: 1000, salt: [UInt8](repeating: 7, count: 16))
            verifier = try SPAKE2PlusVerifierData(
                passcode: 20_202_021, salt: pbkdf.salt, iterations: pbkdf.iterations)
        }
    }

    private static let nodeID: UInt64 = 0x1000
    private static let administrator: UInt64 = 0x2000
    private static let unix = (UInt64(Fixture.now) + 946_684_800) * 1_000_000

    let node: SimulatedNode
    /// The attributes that are reported otherwise than the server has them; `nil` for one that is not reported.
    var forged: [ConcreteAttributePath: TLVValue?] = [:]
    /// The attributes whose reading is refused.
    var refused: [ConcreteAttributePath: IMStatus] = [:]
    /// Reports of attributes that no server has.
    var added: [ConcreteAttributePath: TLVValue] = [:]
    /// Demands in place of the model's.
    var demands: [ClusterID: ClusterDemands] = [:]
    var hasEvents = true
    var unattributed: [String] = []

    /// - Parameters:
    ///   - change: what is special about the node.
    ///   - plan: makes its endpoints others.
    init(
        _ kinds: [String], changing change: (inout NodeConfiguration) -> Void = { _ in },
        planning plan: (inout [EndpointPlan]) throws -> Void = { _ in }
    ) throws {
        let fixture = try Fixture.shared.get()
        var state = SavedNode()
        state.fabrics = [
            FabricEntry(
                index: 1, operational: fixture.fabric.credentials, vendorID: 0xFFF1,
                access: [AccessControlEntry(.administer, .case, subjects: [Self.administrator])],
                keySets: [GroupKeySet(id: 0, keys: [.init(key: fixture.fabric.credentials.ipkEpochKey, start: 1)])])
        ]
        var configuration = NodeConfiguration(
            uniqueID: "0123456789abcdef0123456789abcdef", discriminator: 3840, verifier: fixture.verifier,
            pbkdf: fixture.pbkdf, attestation: fixture.attestation)
        change(&configuration)
        var plans = SimulatedType.plans(try kinds.map { try SimulatedType.named($0) })
        try plan(&plans)
        node = try SimulatedNode(
            configuration, endpoints: plans, saved: state, random: SystemRandom(),
            at: Moment(instant: .now, unixMicroseconds: Self.unix))
    }

    /// The answers to a reading of everything.
    func statement() throws -> NodeStatement {
        let caller = Caller(.case(NodeID(Self.administrator), tags: []), fabricIndex: 1)
        let request = ReadRequest(attributePaths: [AttributePath()], isFabricFiltered: false)
        let moment = Moment(instant: .now, unixMicroseconds: Self.unix)
        let answer = try node.turn(at: moment) { try node.read(request, caller: caller) }
        var reports: [AttributeReport] = answer.attributes.compactMap { report in
            guard case .data(let data) = report, let path = data.path.concrete else { return nil }
            return AttributeReport(path: path, dataVersion: data.dataVersion, outcome: .value(data.data))
        }
        reports = reports.compactMap { report in
            var report = report
            if let status = refused[report.path] {
                report.outcome = .failure(StatusIB(status))
            } else if let forgery = forged[report.path] {
                guard let forgery else { return nil }
                report.outcome = .value(forgery)
            }
            return report
        }
        reports += added.map { AttributeReport(path: $0.key, dataVersion: 1, outcome: .value($0.value)) }
        var result = ReadResult(attributes: reports, unattributed: unattributed)
        if hasEvents {
            result.events = [
                EventReport(
                    path: ConcreteEventPath(endpoint: 0, cluster: BasicInformation.id, event: 0),
                    outcome: .event(.init(number: 1, priority: .critical, timestamp: .epoch(1), data: nil)))
            ]
        }
        return NodeStatement(result, asksForEvents: true)
    }

    func report(isStrict: Bool) throws -> ConformanceReport {
        ConformanceExamination.report(on: try statement(), isStrict: isStrict, changed: demands)
    }

    /// The findings that are more than notes, in words.
    static func words(_ report: ConformanceReport, from least: ConformanceSeverity = .warning) -> [String] {
        report.findings.filter { $0.severity >= least }.map {
            "\($0.severity) \($0.place) \($0.rule): expected \($0.expected), found \($0.found)"
        }
    }
}
