import Foundation
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// The judgement of devices, played by virtual ones.
@Suite("Attestation of a device", .virtualTime)
struct AttestationTests {
    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private func controller(_ light: VirtualLight) throws -> Controller {
        var options = Controller.Options(
            state: state.directory, addresses: [try PeerAddress(parsing: light.address)], logger: .silent)
        options.time = testTime
        options.links = TestNetwork.links()
        return Controller(options)
    }

    private func requests(_ light: VirtualLight) throws -> [CommissioningRequest] {
        try SetupPayload.parse(light.code).map { payload in
            var request = CommissioningRequest(payload)
            request.addresses = [try PeerAddress(parsing: light.address)]
            return request
        }
    }

    private func commission(
        _ light: VirtualLight, trust: TrustPolicy, ask: AskAboutDevice? = nil
    ) async throws -> AttestationSummary? {
        let controller = try controller(light)
        var options = CommissioningService.CommissionOptions(trust: trust)
        options.ask = ask
        do {
            let commissioned = try await controller.commissioning.commission(
                try requests(light), options, deadline: .testNow + .seconds(60))
            await controller.close()
            return commissioned.result.attestation
        } catch {
            await controller.close()
            throw error
        }
    }

    private func attest(_ light: VirtualLight, trust: TrustPolicy) async throws -> AttestedDevice {
        let controller = try controller(light)
        let device = try await controller.commissioning.attest(
            try requests(light), trust: trust, deadline: .testNow + .seconds(60))
        await controller.close()
        return device
    }

    // MARK: The shared cases

    private static func cases() throws -> [(name: String, path: String)] {
        let folder = try #require(Vectors.folder).appendingPathComponent("attestation")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            let file = folder.appendingPathComponent(name).appendingPathComponent("test_case_vector.json").path
            return FileManager.default.fileExists(atPath: file) ? (name, file) : nil
        }
    }

    @Test(
        "each shared case ends as it must, without a device, on a visit and in a commissioning; a refused one stays open",
        .vectors, .enabled(if: Vectors.available))
    func cases() async throws {
        let cases = try Self.cases()
        #expect(cases.count >= 80)
        for (name, path) in cases {
            let files = try AttestationFiles(reading: path)
            let product = try #require(files.reported?.productID)
            let light = try await VirtualLight(files.credentials(path), productID: product)
            let refusal = AttestationCases.refusal(name)
            let offline = try controller(light).trust.attest(files: path, trust: .testDevices).report
            let visited = try await attest(light, trust: .testDevices).report
            for report in [offline, visited] {
                #expect(report.verdict == (refusal == nil ? .test : .untrusted), "\(name): \(report.failure ?? "")")
                #expect(report.result?.rawValue == refusal?.code ?? 0, "\(name)")
                #expect(report.failedCheck?.step.rawValue == refusal?.step, "\(name)")
            }
            #expect(await light.isUntouched, "\(name)")
            do {
                let passed = try await commission(light, trust: .testDevices)
                #expect(refusal == nil && passed?.report.verdict == .test, "\(name)")
            } catch let error as CommissioningError {
                let number = refusal.map { "(\($0.code))" } ?? "none"
                #expect(error.code == .attestationRefused && error.reason.hasSuffix(number), "\(name): \(error)")
                #expect(error.stage == .attestation && error.aftermath == .rolledBack, "\(name)")
                #expect(await light.isUntouched, "\(name)")
            }
            await light.stop()
        }
    }

    @Test("a device that was refused can be commissioned at once by one who does not look")
    func again() async throws {
        let light = try await VirtualLight()
        await #expect(throws: CommissioningError.self) { try await commission(light, trust: .testDevices) }
        #expect(try await commission(light, trust: TrustPolicy(enforcement: .skip))?.report.verdict == .skipped)
        await light.stop()
    }

    // MARK: Asking

    @Test("a person is asked about an unknown authority, and only then; what they say counts")
    func asking() async throws {
        let light = try await VirtualLight()
        let asked = Mutex<[AttestationResult?]>([])
        func answer(_ answer: Bool) -> AskAboutDevice {
            { report in
                asked.withLock { $0.append(report.result) }
                return answer
            }
        }
        // The key of the declaration is not known either: that is more than an unknown authority.
        let strict = await #expect(throws: CommissioningError.self) {
            try await commission(light, trust: TrustPolicy(), ask: answer(true))
        }
        #expect(strict?.code == .attestationRefused && asked.withLock { $0.isEmpty })
        let refused = await #expect(throws: CommissioningError.self) {
            try await commission(light, trust: .testDevices, ask: answer(false))
        }
        #expect(refused?.code == .attestationRefused && refused?.aftermath == .rolledBack)
        #expect(await light.isUntouched)
        let accepted = try #require(try await commission(light, trust: .testDevices, ask: answer(true)))
        #expect(accepted.isAccepted && accepted.report.verdict == .untrusted)
        #expect(asked.withLock { $0 } == [.paaNotFound, .paaNotFound])
        await light.stop()
    }

    @Test("no question is asked about a device that is trusted")
    func trustedWithoutQuestion() async throws {
        let light = try await VirtualLight()
        let passed = try await commission(light, trust: .folder(light.trust, testDevices: true)) { _ in
            Issue.record("asked")
            return false
        }
        #expect(passed?.isAccepted == false && passed?.report.verdict == .test)
        await light.stop()
    }

    @Test("a person may take longer than the fail-safe of the device, but not longer than the command")
    func slowPerson() async throws {
        let light = try await VirtualLight()
        let late = await #expect(throws: CommissioningError.self) {
            try await commission(light, trust: .testDevices) { _ in
                try await testTime.sleep(for: .seconds(70))
                return true
            }
        }
        #expect(late?.code == .attestationRefused && late?.reason.contains("no answer") == true)
        #expect(late?.aftermath == .rolledBack)
        let controller = try controller(light)
        var options = CommissioningService.CommissionOptions(trust: .testDevices)
        options.ask = { _ in
            try await testTime.sleep(for: .seconds(150))
            return true
        }
        let commissioned = try await controller.commissioning.commission(
            try requests(light), options, deadline: .testNow + .seconds(180))
        #expect(commissioned.result.attestation?.isAccepted == true)
        await controller.close()
        await light.stop()
    }

    // MARK: Visits

    @Test("a node is judged again on the fabric, and what is saved of it is judged alike without it")
    func nodes() async throws {
        let light = try await VirtualLight()
        let trust = TrustPolicy.folder(light.trust, testDevices: true)
        _ = try await commission(light, trust: trust)
        let controller = try controller(light)
        let node = try controller.context.nodes().all()[0]
        let device = try await controller.trust.attest(node, trust: trust, deadline: .testNow + .seconds(30))
        #expect(device.report.verdict == .test && device.refusal == nil)
        #expect(device.report.checks.first { $0.step == .authority }?.origin?.description.hasPrefix("folder: ") == true)
        let folder = state.directory.path + "/saved"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for file in AttestationFiles.files(of: device.evidence) {
            try Data(file.contents).write(to: URL(fileURLWithPath: "\(folder)/\(file.name)"))
        }
        let again = try controller.trust.attest(files: folder, trust: trust)
        #expect(again.report.verdict == .test && again.report.notes.contains { $0.hasPrefix("no device was asked") })
        // The question comes from the same folder as the answer.
        let open: [AttestationStep] = [.attestationSignature, .nonce]
        for (saved, asked) in zip(again.report.checks, device.report.checks) {
            #expect(saved.outcome == (open.contains(asked.step) ? .notJudged : asked.outcome), "\(asked.step)")
        }
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: "\(folder)/nonce.bin"))
        #expect(try controller.trust.attest(files: folder, trust: trust).report.result == .nonceMismatch)
        let strict = try controller.trust.attest(files: folder, trust: TrustPolicy())
        #expect(strict.refusal?.code == .attestationRefused)
        await controller.close()
        await light.stop()
    }

    @Test("certificates alone are judged as far as they go, and their key is put to the test if it is there")
    func makersFiles() async throws {
        let light = try await VirtualLight()
        let controller = try controller(light)
        let trust = TrustPolicy.folder(light.trust, testDevices: true)
        let evidence = try await attest(light, trust: trust).evidence
        let folder = state.directory.path + "/maker"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ contents: [UInt8]) throws {
            try Data(contents).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        try write("dac.der", evidence.dac)
        try write("pai.der", evidence.pai)
        let chain = try controller.trust.attest(files: folder, trust: trust)
        #expect(chain.report.verdict == .incomplete && chain.refusal?.code == .attestationRefused)
        #expect(chain.refusal?.reason.contains("these steps were not judged: attestation-signature, ") == true)
        try write("cd.der", try AttestationElements(decoding: evidence.response.elements).certificationDeclaration)
        let bare = try controller.trust.attest(files: folder, trust: trust).report
        #expect(bare.verdict == .test && bare.notes.contains { $0.hasPrefix("no device was asked") })
        let open = bare.checks.filter { $0.outcome == .notJudged }.map(\.step)
        #expect(open.starts(with: [.attestationSignature, .elements, .nonce, .basicInformation]))
        try write("dac-key.bin", try P256PrivateKey.generate().scalar.copyBytes())
        let foreign = try controller.trust.attest(files: folder, trust: trust).report
        #expect(foreign.result == .attestationSignatureInvalid)
        await controller.close()
        await light.stop()
    }

    @Test("a wrong code, a closed device and silence keep a visit from an answer, each in its way")
    func unanswered() async throws {
        let light = try await VirtualLight()
        let controller = try controller(light)
        var wrong = try requests(light)
        wrong[0].code.passcode = try SetupPasscode(20_202_022)
        let rejected = await #expect(throws: CommissioningError.self) {
            try await controller.commissioning.attest(wrong, trust: .testDevices, deadline: .testNow + .seconds(20))
        }
        #expect(rejected?.code == .wrongPasscode)
        _ = try await commission(light, trust: TrustPolicy(enforcement: .skip))
        let closed = await #expect(throws: CommissioningError.self) {
            try await controller.commissioning.attest(
                try requests(light), trust: .testDevices, deadline: .testNow + .seconds(20))
        }
        #expect(closed?.code == .windowClosed)
        let node = try controller.context.nodes().all()[0]
        await light.stop()
        await #expect(throws: (any Error).self) {
            try await controller.trust.attest(node, trust: .testDevices, deadline: .testNow + .seconds(20))
        }
        await controller.close()
    }
}
