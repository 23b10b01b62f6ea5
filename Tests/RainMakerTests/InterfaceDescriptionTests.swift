import Foundation
import JSON
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterModel
@testable import RainMaker
@testable import RainMakerEmulator

/// The script that checks exchanges against the interface description.
enum OpenAPICheck {
    static let missingTools: Int32 = 77

    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Tools/check_openapi.py").standardizedFileURL

    /// The Python that `make peers` equips; `nil` if it is not here.
    private static let equipped: URL? = {
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["MATTERCTL_PEERS"].map { URL(fileURLWithPath: $0) }
            ?? script.deletingLastPathComponent().appendingPathComponent("../../.peers")
        let python = folder.standardizedFileURL.appendingPathComponent("bin/python")
        return FileManager.default.isExecutableFile(atPath: python.path) ? python : nil
    }()

    static func run(_ mode: String, input: String = "") throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory
        let inputFile = folder.appendingPathComponent("openapi-\(UUID().uuidString).jsonl")
        let outputFile = inputFile.appendingPathExtension("out")
        try Data(input.utf8).write(to: inputFile)
        try Data().write(to: outputFile)
        defer {
            try? FileManager.default.removeItem(at: inputFile)
            try? FileManager.default.removeItem(at: outputFile)
        }
        let process = Process()
        process.executableURL = equipped ?? URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (equipped == nil ? ["python3"] : []) + [script.path, mode]
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: outputFile), as: UTF8.self))
    }

    /// Whether the check can be made. Where the peers are it must be: if their tools are missing it fails. Elsewhere it is
    /// skipped, loudly, unless Python happens to have them.
    static let isAvailable: Bool = {
        guard equipped == nil else { return true }
        let status = (try? run("examples"))?.status
        if status != 0 {
            FileHandle.standardError.write(
                Data(
                    "\nSKIPPED: the RainMaker interface is not checked; see: make peers (status \(status ?? -1)).\n\n"
                        .utf8))
        }
        return status == 0
    }()
}

@Suite(.timed, .enabled(if: OpenAPICheck.isAvailable)) struct InterfaceDescriptionTests {
    @Test("a whole life with the emulator keeps to the interface description, on both sides")
    func wholeLife() async throws {
        try await withCloud({ $0.acceptsUnknownDevices = true }) { cloud in
            try await Self.live(cloud)
            let exchanges = cloud.transport.exchanges
            #expect(exchanges.count > 40)
            // 401 answers and refusals are among them.
            #expect(Set(exchanges.map(\.response.status)).isSuperset(of: [200, 201, 400, 401, 403, 404, 409]))
            let result = try OpenAPICheck.run(
                "validate", input: exchanges.map(\.line).joined(separator: "\n") + "\n")
            #expect(result.status == 0, "\(result.output)")
        }
    }

    /// Everything that the interface can do, once.
    private static func live(_ cloud: Cloud) async throws {
        let alice = try await cloud.loggedIn("alice")
        let bob = try await cloud.loggedIn("bob")
        _ = try? await alice.login(userName: "alice@example.com", password: SecretText("wrong"))
        _ = try await alice.call(.createUser(userName: "carol@example.com", password: "Correct-Horse-2"))
        _ = try? await alice.call(.createUser(userName: "carol@example.com", password: "Correct-Horse-2"))
        _ = try? await alice.call(.confirmUser(userName: "carol@example.com", code: "1"))
        _ = try await alice.user()
        let group = try await alice.createFabric(name: "Lake House")
        let plain = try await alice.call(
            CloudCall("createGroup", .post, "/user/node_group", body: ["group_name": "plain", "description": "d"]))
        let plainID = try #require(plain["group_id"]?.stringValue)
        _ = try await alice.call(.convert(plainID))
        _ = try? await alice.call(.convert(plainID))
        let joined = try await cloud.fabrics("alice", alice).join(group: group.id, name: "lake")
        let issuer = cloud.issuer("alice", alice, joined, .withNOC) { _, _ in
            RainMakerEvidence(nodeID: "k3vNodeIdExample000001", signature: "3045022100aa01")
        }
        let context = NOCIssueContext(readAttributes: { _, cluster, attribute in
            DeviceMetadataTests.readings.filter { $0.cluster == cluster && $0.attribute == attribute }
        })
        for _ in 0..<2 {
            let request = try CertificateSigningRequest(key: .generate())
            let issued = try await issuer.issue(request, context: context)
            try await issuer.confirm(issued.receipt, node: issued.nodeID)
        }
        let key = try P256PrivateKey.generate()
        let member = try #require(try await alice.group(group.id).nodes.first?.matterNodeID)
        for id in [member.description, "5AF0C0FFEE000001"] {
            let controller = CloudCall.controllerNOC(
                group: group.id, csr: try CertificateSigningRequest(key: key).pem, matterNodeID: id)
            // One that is no node of the group gets no certificate.
            do { _ = try await alice.call(controller) } catch { #expect(id != member.description, "\(error)") }
        }
        _ = try? await alice.call(.confirm(group: group.id, request: "unknown"))
        _ = try? await alice.call(.nodeNOC(group: group.id, csr: "-----BEGIN CERTIFICATE REQUEST-----"))
        let node = try #require(try await alice.nodes(group: group.id).first).id
        _ = try await alice.call(.updateMetadata(of: node, ["Matter": ["deviceName": "Porch 2"]]))
        _ = try? await alice.call(.updateMetadata(of: "nobody", ["Matter": ["deviceName": "x"]]))
        _ = try await alice.call(.status(of: node))
        _ = try await alice.call(.setParameters(of: node, ["MatterCTLSetup": ["MTCtlCMD": 2]]))
        #expect(try await alice.call(.parameters(of: node))["MatterCTLSetup"]?["MTCtlCMD"] == 2)
        _ = try await cloud.emulator.addController("ctl1", .single, owner: "alice@example.com")
        _ = try await alice.call(.registerController(node: "ctl1", group: group.id))
        _ = try await alice.call(.subscribe(controller: "ctl1", to: group.id))
        _ = try? await alice.call(.registerController(node: "nope", group: group.id))
        _ = try? await alice.call(.subscribe(controller: "nope", to: group.id))
        _ = try await alice.call(
            .update(group.id, name: "Lake", metadata: ["bindings": ["a": ["1": ["6": ["b"]]]]]))
        _ = try await alice.call(.share(group.id, with: "bob@example.com", primary: false))
        _ = try await alice.call(.share(plainID, with: "bob@example.com", primary: false))
        let offers = try await bob.sharingRequests(sent: false)
        _ = try await bob.call(.answer(offers[0].id, accept: true))
        _ = try await alice.call(.withdraw(offers[1].id))
        _ = try await alice.sharing()
        _ = try? await bob.call(.delete(group.id))
        _ = try? await bob.call(.update(group.id, name: "mine"))
        _ = try? await bob.call(.delete("nothing"))
        _ = try await alice.call(.revoke(group.id, from: "bob@example.com"))
        await cloud.emulator.inject(EmulatorFault(.unauthorized, on: .getUser, times: 1))
        _ = try await alice.user()
        await cloud.emulator.inject(EmulatorFault(.pageSize, value: "1"))
        _ = try await alice.nodes()
        _ = try await alice.groups(onlyMatter: true, withNodes: true)
        _ = try await alice.call(.change(group.id, adding: false, nodes: [node]))
        _ = try await alice.call(.removeMapping(of: "ctl1"))
        _ = try await alice.call(.delete(group.id))
        try await bob.logout(all: false)
        try await alice.logout(all: true)
    }

    @Test("every example of the description is understood")
    func examples() throws {
        let result = try OpenAPICheck.run("examples")
        let all = try #require(try JSONValue(parsing: result.output).arrayValue)
        var answers = 0
        for example in all {
            let operation = try #require(example["operation"]?.stringValue)
            let value = try #require(example["value"]?.objectValue)
            guard let part = example["part"]?.stringValue, let status = Int(part) else { continue }
            answers += 1
            let call = CloudCall(operation, .get, "/", success: .document)
            let response = HTTPResponse(status: status, body: JSONValue.object(value).utf8())
            guard status < 300 else {
                let error = #expect(throws: RainMakerError.self) { try CloudAnswer.body(of: response, to: call) }
                #expect(error?.httpStatus == status)
                continue
            }
            try understand(operation, try CloudAnswer.body(of: response, to: call))
        }
        #expect(answers > 40)
    }

    private func understand(_ operation: String, _ object: JSONObject) throws {
        let fields = CloudFields(object, operation)
        switch operation {
        case "login":
            #expect(try CloudTokens(object, refresh: nil, now: 0, operation).refresh.count > 0)
        case "getNodes":
            let node = try CloudNode(try #require(try fields.objects("node_details").first))
            #expect(node.name == "Porch" && node.type == "rainmaker_matter" && node.isConnected == true)
        case "getNodeGroups":
            // The certificate of the example is none; everything before it is read.
            let faults = try fields.objects("groups").map { try CloudGroup($0).fault?.code }
            #expect(!faults.isEmpty && faults.allSatisfy { $0 == .invalidCertificate })
        default:
            #expect(object["status"] == "success")
        }
    }
}
