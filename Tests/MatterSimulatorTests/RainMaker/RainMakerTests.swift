import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("RainMaker cluster", .beside)
struct RainMakerTests {
    static let cluster = RainMakerCluster.id
    static let nodeID = "N4bHxYzKq7sWcVtRm2pLdE"
    /// The device's id on the fabric, as revision 3 signs it.
    static let operational = "0000000000001000"

    static func bench(revision: UInt16) throws -> (ClusterBench, P256PublicKey) {
        let key = try ClusterBench.Fixture.shared.get().attestation.key
        let bench = try ClusterBench {
            [
                EndpointPlan(
                    deviceTypes: [SimulatedType.revision(0x0100)],
                    servers: [RainMakerServer(RainMakerOptions(revision: revision, nodeID: nodeID), key: key)])
            ]
        }
        return (bench, key.publicKey)
    }

    /// Whether ChallengeResponse is the signature of a text: lower-case digits of DER, at most 144.
    static func isSigned(_ text: String, _ bench: ClusterBench, _ key: P256PublicKey) throws -> Bool {
        let response = bench.read(cluster, 2)?.text ?? ""
        guard !response.isEmpty, response.count <= 144, response == response.lowercased() else { return false }
        return key.isValidSignature(try ECDSASignature.derToRaw(hex(response)), for: Array(text.utf8))
    }

    static func signData(_ bench: ClusterBench, _ fields: TLVValue) throws -> IMStatus {
        guard case .status(let status) = try bench.invoke(cluster, 1, fields) else { return .failure }
        return status.status
    }

    @Test("what each revision has", arguments: [2, 3] as [UInt16])
    func elements(_ revision: UInt16) throws {
        let (bench, _) = try Self.bench(revision: revision)
        #expect(bench.number(Self.cluster, 0xFFFD) == Int(revision))
        let attributes = bench.read(Self.cluster, 0xFFFB)?.items?.compactMap { $0.id(as: AttributeID.self) } ?? []
        #expect(bench.read(Self.cluster, 0xFFFC) == (revision == 2 ? nil : .uint(0)))
        #expect(attributes.contains(0xFFFC) == (revision == 3))
        #expect(attributes.allSatisfy { bench.read(Self.cluster, $0) != nil })
        #expect(bench.read(Self.cluster, 0xFFF9)?.items?.count == (revision == 2 ? 2 : 0))
        #expect(bench.read(Self.cluster, 0) == .bool(false))
        #expect(bench.read(Self.cluster, 1) == .string(Self.nodeID))
        #expect(bench.read(Self.cluster, 2) == .string(""))
        #expect(bench.read(Self.cluster, 3) == .string(""))
    }

    @Test("the root endpoint of a node has it where it is asked for, and signs with the attestation key")
    func rootEndpoint() throws {
        let bench = try NodeBench { $0.add(RainMakerOptions(revision: 2, nodeID: Self.nodeID)) }
        let caller = try bench.commission(NodeBench.Controller())
        #expect(bench.value(0, Self.cluster, 1) == .string(Self.nodeID))
        let featureMap = try bench.read(0, Self.cluster, 0xFFFC, by: caller)
        #expect(featureMap.map(\.refusal) == [.unsupportedAttribute])
        #expect(try bench.write(0, Self.cluster, 3, .string(Self.operational), by: caller).isSuccess)
        let response = hex(bench.value(0, Self.cluster, 2)?.text ?? "")
        let key = bench.configuration.attestation.key.publicKey
        #expect(key.isValidSignature(try ECDSASignature.derToRaw(response), for: Array(Self.operational.utf8)))
        #expect(try NodeBench().value(0, Self.cluster, 1) == nil)
    }

    @Test("revision 3 signs its own node id, whatever is written, and stores nothing")
    func ownID() throws {
        let (bench, key) = try Self.bench(revision: 3)
        #expect(bench.write(Self.cluster, 3, .string("anything")).isSuccess)
        #expect(try Self.isSigned(Self.operational, bench, key))
        #expect(bench.read(Self.cluster, 3) == .string(""))
    }

    @Test("revision 3 signs five times between two starts")
    func budget() throws {
        let (bench, _) = try Self.bench(revision: 3)
        for _ in 0..<5 { #expect(bench.write(Self.cluster, 3, .string("x")).isSuccess) }
        #expect(bench.write(Self.cluster, 3, .string("x")).status == .failure)
        #expect(try bench.restarted().write(Self.cluster, 3, .string("x")).isSuccess)
    }

    @Test("revision 3 has no node id to sign before it is on a fabric")
    func noFabric() throws {
        let (bench, _) = try Self.bench(revision: 3)
        bench.caller = Caller(.pase)
        #expect(bench.write(Self.cluster, 3, .string("x")).status == .failure)
        #expect(bench.read(Self.cluster, 2) == .string(""))
    }

    @Test("revision 3 takes no commands")
    func noCommands() throws {
        let (bench, _) = try Self.bench(revision: 3)
        #expect(try Self.signData(bench, .string("x")) == .unsupportedCommand)
    }

    @Test("revision 2 signs what is written, as often as one likes")
    func legacyWrite() throws {
        let (bench, key) = try Self.bench(revision: 2)
        for number in 0..<8 {
            #expect(bench.write(Self.cluster, 3, .string("text \(number)")).isSuccess)
            #expect(try Self.isSigned("text \(number)", bench, key))
        }
    }

    @Test(
        "SignData takes a bare string and the proper structure",
        arguments: [TLVValue.string("0123456789ABCDEF"), .structure([TLVElement(0, .string("0123456789ABCDEF"))])])
    func signData(_ fields: TLVValue) throws {
        let (bench, key) = try Self.bench(revision: 2)
        #expect(try Self.signData(bench, fields) == .success)
        #expect(try Self.isSigned("0123456789ABCDEF", bench, key))
    }

    @Test("SignData works five times between two starts")
    func signDataBudget() throws {
        let (bench, _) = try Self.bench(revision: 2)
        for _ in 0..<5 { #expect(try Self.signData(bench, .string("x")) == .success) }
        #expect(try Self.signData(bench, .string("x")) == .failure)
        #expect(bench.write(Self.cluster, 3, .string("x")).isSuccess)
    }

    @Test(
        "SignData refuses what is no text",
        arguments: [
            (TLVValue.uint(1), IMStatus.invalidCommand), (.structure([]), .invalidCommand),
            (.octets([1]), .invalidCommand), (.string(String(repeating: "x", count: 40)), .constraintError),
        ])
    func refuses(_ fields: TLVValue, _ status: IMStatus) throws {
        let (bench, _) = try Self.bench(revision: 2)
        #expect(try Self.signData(bench, fields) == status)
        #expect(bench.read(Self.cluster, 2) == .string(""))
    }

    @Test(
        "Configuration wants user and secret, five times at most",
        arguments: [
            ("user::secret", true), ("user:secret", false), ("::secret", false), ("user::", false),
            (String(repeating: "u", count: 39) + "::s", true), (String(repeating: "u", count: 40) + "::s", false),
        ])
    func configuration(_ text: String, _ isTaken: Bool) throws {
        let (bench, _) = try Self.bench(revision: 2)
        let status = try bench.status(Self.cluster, 0, [0: .string(text)])
        #expect(status.status == (isTaken ? .success : .invalidCommand))
        #expect(bench.read(Self.cluster, 0) == .bool(isTaken))
        for _ in 0..<4 { try bench.status(Self.cluster, 0, [0: .string("a::b")]) }
        #expect(try bench.status(Self.cluster, 0, [0: .string("a::b")]).status == .failure)
    }
}

@Suite("RainMaker controller cluster", .beside)
struct RainMakerControllerTests {
    static let cluster = RainMakerController.id

    static func append(_ bench: ClusterBench, _ text: String) throws -> IMStatus {
        try bench.status(cluster, 0, [0: .string(text)]).status
    }

    @Test("a token is put together from pieces, up to 2047 octets")
    func token() throws {
        let bench = try ClusterBench("rainmaker-controller")
        let piece = String(repeating: "t", count: 1000)
        #expect(try Self.append(bench, piece) == .success)
        #expect(try Self.append(bench, piece) == .success)
        #expect(try Self.append(bench, piece) == .resourceExhausted)
        #expect(bench.read(Self.cluster, 0)?.text?.count == 2000)
        #expect(try Self.append(bench, "") == .constraintError)
        #expect(try Self.append(bench, String(repeating: "t", count: 1025)) == .constraintError)
        #expect(try bench.restarted().read(Self.cluster, 0)?.text?.count == 2000)
        #expect(try bench.status(Self.cluster, 1).isSuccess)
        #expect(bench.read(Self.cluster, 0) == .string(""))
    }

    @Test("without a cloud the address is kept and nothing is authorized")
    func noCloud() throws {
        let bench = try ClusterBench("rainmaker-controller")
        #expect(try Self.append(bench, "token") == .success)
        #expect(try bench.status(Self.cluster, 2, [0: .string("https://example.com")]).status == .failure)
        #expect(bench.read(Self.cluster, 4) == .string("https://example.com"))
        #expect(bench.read(Self.cluster, 2) == .bool(false))
        for command: CommandID in [3, 4] { #expect(try bench.status(Self.cluster, command).status == .failure) }
    }

    @Test("with a cloud the whole set-up works, and authorization lasts an hour")
    func cloud() throws {
        let bench = try ClusterBench("rainmaker-controller")
        #expect(bench.type("1 matter-controller cloud on"))
        #expect(try bench.status(Self.cluster, 2, [0: .string("https://example.com")]).status == .failure)
        #expect(try Self.append(bench, "token") == .success)
        #expect(try bench.status(Self.cluster, 3).status == .failure)
        #expect(try bench.status(Self.cluster, 2, [0: .string("https://example.com")]).isSuccess)
        #expect(bench.read(Self.cluster, 1) == .bool(true))
        #expect(bench.read(Self.cluster, 2) == .bool(true))
        #expect(try bench.status(Self.cluster, 4).status == .failure)
        #expect(try bench.status(Self.cluster, 3).isSuccess)
        #expect(bench.read(Self.cluster, 3) == .bool(true))
        #expect(bench.number(Self.cluster, 6) == 1)
        #expect(try bench.status(Self.cluster, 4).isSuccess)
        bench.wait(.seconds(3600))
        #expect(bench.read(Self.cluster, 2) == .bool(false))
        #expect(try bench.status(Self.cluster, 4).status == .failure)
    }

    private struct FakeCloud: HubCloud {
        var accessToken: String?

        func call(
            _ method: String, _ url: String, _ target: String, token: String?, body: JSONValue?
        ) async -> JSONValue? {
            guard method == "POST", url == "http://127.0.0.1:9/v1", target == "/login2", token == nil,
                body?["refreshtoken"]?.stringValue == "token"
            else { return nil }
            return accessToken.map { ["accesstoken": .string($0)] }
        }
    }

    @Test("a command is answered when the cloud has answered, and others go on meanwhile", arguments: ["t", nil])
    func later(accessToken: String?) async throws {
        let bench = try ClusterBench {
            SimulatedType.plans(
                (try? [SimulatedType.named("rainmaker-controller")]) ?? [],
                options: DeviceOptions(cloud: FakeCloud(accessToken: accessToken)))
        }
        #expect(try Self.append(bench, "token") == .success)
        _ = bench.node.takeReports()
        #expect(try bench.status(Self.cluster, 2, [0: .string("http://127.0.0.1:9")]).status == .busy)
        let pending = try #require(bench.node.takePendingCommands().first)
        #expect(bench.node.takePendingCommands().isEmpty)
        #expect(try Self.append(bench, "-and-more") == .success)
        #expect(bench.read(Self.cluster, 2) == .bool(false))
        let commands = { (reports: [NodeReport]) in
            reports.compactMap { if case .command(_, _, let id, let status) = $0 { "\(id) \(status)" } else { nil } }
        }
        #expect(commands(bench.node.takeReports()) == ["0 SUCCESS"])
        let outcome = bench.node.finish(pending, with: await pending.work(), at: bench.moment)
        let expected: IMStatus = accessToken == nil ? .failure : .success
        guard case .status(let status) = outcome else { throw ClusterFailure.failure }
        #expect(status.status == expected)
        #expect(bench.read(Self.cluster, 2) == .bool(accessToken != nil))
        #expect(commands(bench.node.takeReports()) == ["2 \(StatusIB(expected))"])
    }

    @Test("only administrators may")
    func privilege() throws {
        let bench = try ClusterBench("rainmaker-controller")
        bench.caller = Caller(.case(.init(0x3000), tags: []), fabricIndex: 1)
        #expect(try Self.append(bench, "token") == .unsupportedAccess)
    }
}

@Suite("RainMaker's small clusters", .beside)
struct RainMakerSmallClusterTests {
    static let router = RainMakerThreadBorderRouter.id
    static let badge = RainMakerParticipantData.id

    @Test("a border router keeps a dataset, and starts no network without one")
    func borderRouter() throws {
        let bench = try ClusterBench("rainmaker-border-router")
        #expect(bench.read(Self.router, 0) == .octets([]))
        let agent = bench.read(Self.router, 2)?.octetString
        #expect(agent?.count == 16)
        #expect(try bench.status(Self.router, 1).status == .failure)
        #expect(try bench.status(Self.router, 0, [0: .string("0e08Ff")]).isSuccess)
        #expect(bench.read(Self.router, 0) == .octets([0x0E, 0x08, 0xFF]))
        #expect(try bench.status(Self.router, 1).isSuccess)
        #expect(try bench.status(Self.router, 2).isSuccess)
        let after = try bench.restarted()
        #expect(after.read(Self.router, 0) == .octets([0x0E, 0x08, 0xFF]))
        #expect(after.read(Self.router, 2)?.octetString == agent)
        for wrong in ["", "0e0", "xy", String(repeating: "00", count: 255)] {
            #expect(try bench.status(Self.router, 0, [0: .string(wrong)]).status == .constraintError, "\(wrong)")
        }
        #expect(try bench.status(Self.router, 0).status == .invalidCommand)
        #expect(bench.read(Self.router, 0) == .octets([0x0E, 0x08, 0xFF]))
    }

    @Test("the key of a network is printed nowhere")
    func quiet() throws {
        let bench = try ClusterBench("rainmaker-border-router")
        _ = bench.node.takeReports()
        #expect(try bench.status(Self.router, 0, [0: .string("0e08c0ffee")]).isSuccess)
        let printed = bench.node.takeReports().map { "\($0)" }.joined()
        #expect(printed.contains("dataset of 5 bytes"))
        #expect(!printed.lowercased().contains("c0ffee") && !printed.contains("192, 255, 238"), "\(printed)")
    }

    @Test("a badge takes what it is given and keeps the rest")
    func participant() throws {
        let bench = try ClusterBench("rainmaker-badge")
        let given: [UInt8: TLVValue] = [0: .string("Ada"), 4: .string("Open Day")]
        #expect(try bench.status(Self.badge, 0, given).isSuccess)
        #expect(try bench.status(Self.badge, 0, [1: .string("Engines")]).isSuccess)
        #expect(try bench.status(Self.badge, 0, [1: .uint(7)]).status == .invalidCommand)
        let after = try bench.restarted()
        let texts = (UInt32(0)...4).map { after.read(Self.badge, AttributeID($0))?.text }
        #expect(texts == ["Ada", "Engines", "", "", "Open Day"])
    }
}
