import Foundation
import JSON
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto

/// Lists of revoked certificates from a ledger on this machine to a device that they are about.
@Suite("Revocation", .timed) struct RevocationTests {
    /// A server's answers, by path.
    private final class Answers: Sendable {
        private let table = Mutex<[String: StandInServer.Answer]>([:])

        func hold(_ scene: LedgerScene, lists: [String: [UInt8]] = [:]) {
            var answers = scene.answers.mapValues { StandInServer.Answer($0) }
            for (path, list) in lists {
                answers[path] = StandInServer.Answer("")
                answers[path]?.octets = list
            }
            table.withLock { $0 = answers }
        }

        func change(_ path: String, _ body: (inout StandInServer.Answer) -> Void) {
            table.withLock { table in
                guard var answer = table[path] else { return }
                body(&answer)
                table[path] = answer
            }
        }

        func answer(_ target: String) -> StandInServer.Answer {
            table.withLock { $0[String(target.prefix { $0 != "?" })] } ?? .init(LedgerScene.notFound, status: 404)
        }
    }

    private static let deviceList = "/crl/device"
    private static let rootList = "/crl/root"

    private let attestation: DevelopmentAttestation
    private let dac: AttestationCertificate
    private let answers: Answers
    private let server: StandInServer
    private let shell: Shell
    private let signers: String

    init() throws {
        attestation = try .make(vendorID: VendorID(0xFFF1), productID: 0x8001, deviceTypeID: 257, now: 800_000_000)
        dac = try AttestationCertificate(der: attestation.credentials.dac)
        let answers = Answers()
        self.answers = answers
        server = try StandInServer { answers.answer($0) }
        shell = try Shell(["MATTERCTL_LEDGER": server.url])
        let signer = try AttestationAuthority.root(
            commonName: "Declarations", key: attestation.declarationKey, validity: .unlimited(from: 800_000_000))
        signers = shell.path("trust")
        try FileManager.default.createDirectory(
            atPath: "\(signers)/cd-signers", withIntermediateDirectories: true)
        try Data(signer.certificate.der).write(to: URL(fileURLWithPath: "\(signers)/cd-signers/signer.der"))
        hold()
    }

    private func scene() throws -> LedgerScene {
        var scene = LedgerScene()
        scene.roots = [try LedgerScene.Entry(attestation.paa.certificate.der), try LedgerScene.root("Other")]
        func point(_ authority: AttestationAuthority, isPAA: Bool, _ path: String) -> String {
            LedgerScene.point(
                issuerKey: authority.key.publicKey.keyIdentifier, signer: authority.certificate.der, isPAA: isPAA,
                vendorID: 0xFFF1, url: server.url + path)
        }
        scene.points = [
            point(attestation.pai, isPAA: false, Self.deviceList), point(attestation.paa, isPAA: true, Self.rootList),
        ]
        return scene
    }

    /// The answers of the ledger and of the servers of the lists from now on.
    private func hold(
        devices: [AttestationCertificate] = [], _ change: (inout RevocationListTemplate) -> Void = { _ in }
    ) {
        do {
            var list = RevocationListTemplate(
                attestation.pai.certificate.subject, key: attestation.pai.key.publicKey, devices.map { .init($0) })
            change(&list)
            let rootList = RevocationListTemplate(
                attestation.paa.certificate.subject, key: attestation.paa.key.publicKey)
            answers.hold(
                try scene(),
                lists: [
                    Self.deviceList: try list.signed(with: attestation.pai.key),
                    Self.rootList: try rootList.signed(with: attestation.paa.key),
                ])
        } catch { Issue.record(error) }
    }

    private func device() async throws -> (device: Background, port: String) {
        let credentials = attestation.credentials
        let file = try shell.file(
            "device.json",
            """
            {"dac_cert":"\(hexString(credentials.dac))","pai_cert":"\(hexString(credentials.pai))",
            "cd":"\(hexString(credentials.certificationDeclaration))",
            "dac_private_key":"\(hexString(credentials.key.scalar.copyBytes()))"}
            """)
        let device = try shell.start("simulate dimmable-light --port 0 --mdns none --attestation \(file)")
        return (device, try await device.line("ready"))
    }

    private func commission(_ port: String, _ more: String = "") async throws -> CommandRun {
        try await shell.run(
            "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(signers) "
                + "--timeout 60s --progress none --json \(more)")
    }

    @Test("a revoked device is refused, with the date, and stays open; without the check it is commissioned")
    func revokedDevice() async throws {
        hold(devices: [dac])
        let update = try await shell.succeed("trust update --test-net --json").json()
        #expect(update["revocationLists"]?.arrayValue?.map { $0["revoked"] } == [1, 0], "\(update)")
        let asked = server.requests.count
        let (device, port) = try await device()
        let refused = try await commission(port)
        #expect(refused.status == 7, "\(refused)")
        let error = try refused.error()
        #expect(error.text("id") == "attestation.refused" && error.text("device") == "rolled-back")
        #expect(error.text("message")?.contains("DAC is revoked since 2023-11-14T22:13:20Z (302)") == true, "\(error)")
        let revocation = error["attestation"]?["revocation"]
        #expect(revocation?["status"] == "revoked" && revocation?["pai"]?["status"] == "good")
        #expect(
            revocation?["since"] == "2023-11-14T22:13:20Z"
                && revocation?["dac"]?["list"] == .string(server.url + Self.deviceList))
        let checks = error["attestation"]?["checks"]?.arrayValue ?? []
        #expect(
            checks.first { $0["step"] == "revocation" }?["found"]?.stringValue?.hasPrefix(
                "DAC revoked since 2023-11-14T22:13:20Z (\(server.url)\(Self.deviceList), issued 2026-09-21, fetched ")
                == true)
        let strict = try await commission(port, "--revocation strict")
        #expect(strict.status == 7)
        let report = try await commission(port, "--revocation off")
        #expect(report.status == 0, "\(report)")
        #expect(try report.json()["attestation"]?["revocation"] == nil)
        #expect(server.requests.count == asked, "commission asks no server")
        _ = await device.stop()
    }

    @Test("a device whose revocation is not known is refused by strict only; with lists that do not name it it is good")
    func unknownDevice() async throws {
        let (device, port) = try await device()
        answers.change(Self.deviceList) { $0.status = 404 }
        let update = try await shell.succeed("trust update --test-net")
        #expect(update.stdout.contains("list not fetched\t\(server.url)/crl/device: there is no list (HTTP 404)"))
        let strict = try await commission(port, "--revocation strict")
        #expect(strict.status == 7)
        let message = try strict.error().text("message") ?? ""
        #expect(
            message.contains(
                "it is not known whether the certificates are revoked: the list of its issuer was not fetched"))
        #expect(try strict.error().text("hint")?.contains("matterctl trust update") == true)
        #expect(try strict.error()["attestation"]?["code"] == 1001)
        hold()
        try await shell.succeed("trust update --test-net")
        let good = try await commission(port, "--revocation strict")
        #expect(good.status == 0, "\(good)")
        let revocation = try good.json()["attestation"]?["revocation"]
        #expect(revocation?["status"] == "good" && revocation?["dac"]?["fetched"]?.stringValue != nil)
        #expect(!good.stderr.contains("revocation"))
        _ = await device.stop()
    }

    @Test("a new installation says that revocation is not known, and commissions")
    func newInstallation() async throws {
        let (device, port) = try await device()
        try Data(attestation.paa.certificate.der).write(to: URL(fileURLWithPath: "\(signers)/paa.der"))
        let run = try await commission(port)
        #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        let revocation = try run.json()["attestation"]?["revocation"]
        #expect(revocation?["status"] == "not-known")
        #expect(revocation?["reason"] == "no list of revoked certificates is at hand")
        try await shell.succeed("node remove 1 --yes --address 127.0.0.1:\(port)")
        let text = try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(signers) --timeout 60s")
        #expect(text.messages.last == "revocation: not known (no list of revoked certificates is at hand)", "\(text)")
        #expect(server.requests.isEmpty)
        _ = await device.stop()
    }

    @Test("a root that the ledger lists as revoked is named as such")
    func revokedRoot() async throws {
        let (device, port) = try await device()
        try await shell.succeed("trust update --test-net")
        var scene = try scene()
        scene.revoked = [scene.roots.removeFirst()]
        answers.hold(scene)
        try await shell.succeed("trust update --test-net --yes")
        let refused = try await commission(port)
        #expect(refused.status == 7)
        let error = try refused.error()
        #expect(error.text("message")?.contains("PAA is revoked since 20") == true, "\(error)")
        #expect(error["attestation"]?["code"] == 104)
        _ = await device.stop()
    }

    @Test("a set in the form of the reference implementation counts besides, and a file that is none is an error")
    func revocationSet() async throws {
        let (device, port) = try await device()
        try Data(attestation.paa.certificate.der).write(to: URL(fileURLWithPath: "\(signers)/paa.der"))
        func base64(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }
        let file = try shell.file(
            "set.json",
            """
            [{"type":"revocation_set","issuer_subject_key_id":"\(hexString(attestation.pai.key.publicKey.keyIdentifier))",
            "issuer_name":"\(base64(dac.issuer.der))","revoked_serial_numbers":["\(hexString(dac.serialNumberDigits))"],
            "crl_signer_cert":"\(base64(attestation.credentials.pai))"}]
            """)
        let refused = try await commission(port, "--revocation-set \(file)")
        #expect(refused.status == 7)
        #expect(try refused.error().text("message")?.contains("DAC is revoked (302)") == true, "\(refused)")
        let nothing = try await commission(port, "--revocation-set \(shell.file("x.json", "x"))")
        #expect(try nothing.error().text("id") == "attestation.malformed-revocation-set")
        let absent = try await commission(port, "--revocation-set /nowhere")
        #expect(try absent.error().text("id") == "attestation.unreadable-trust" && absent.status == 64)
        _ = await device.stop()
    }

    @Test("points and lists are listed and shown, with their state, age and the fault of the last attempt")
    func listing() async throws {
        hold(devices: [dac]) { $0.nextUpdate = 1_790_000_001 }
        answers.change(Self.rootList) { $0.octets = [1, 2, 3] }
        try await shell.succeed("trust update --test-net")
        let list = try await shell.succeed("trust ls --json")
        let lists = try list.json().arrayValue?.filter { $0["kind"] == "revocation-list" } ?? []
        #expect(lists.map { $0["state"] } == ["stale", "missing"], "\(lists)")
        #expect(lists.first?["revoked"] == 1 && lists.first?["issued"] == "2026-09-21T14:13:20Z")
        #expect(list.stderr.contains("revocation lists: 2, not fetched: 1, out of date: 1, oldest fetched 0 days ago"))
        let key = hexString(attestation.paa.key.publicKey.keyIdentifier).uppercased()
        let shown = try await shell.succeed("trust show \(key)").stdout
        #expect(shown.contains("last attempt\tthe file is not a revocation list: neither DER nor PEM"), "\(shown)")
        #expect(shown.contains("state\tmissing") && shown.contains("state\ttrusted"))
        let named = try await shell.run(["trust", "show", "Development PAI", "--json"]).json().arrayValue
        #expect(named?.count == 1 && named?.first?["kind"] == "revocation-list")
        #expect(try await Shell().run("trust ls").stderr.contains("revocation: not known"))
    }

    @Test(
        "no list is fetched from a private network, whether the ledger or a server names the place",
        arguments: [
            "10.77.0.1", "192.168.77.1:8080", "[fd77::1]", "169.254.169.254", "[::ffff:10.0.0.1]",
        ])
    func privateNetwork(_ host: String) async throws {
        func fault() async throws -> String {
            let run = try await shell.succeed("trust update --test-net --json --timeout 20s")
            let lists = try run.json()["revocationLists"]?.arrayValue ?? []
            #expect(lists.count == 2 && lists.contains { $0["fault"] == nil }, "the other list is fetched: \(lists)")
            return lists.compactMap { $0["fault"]?.stringValue }.joined()
        }
        let reason = "is in a private network, where no URL of the ledger may lead"
        hold()
        answers.change(Self.deviceList) { answer in
            answer.status = 302
            answer.headers["Location"] = "http://\(host)/list.crl"
        }
        let moved = try await fault()
        #expect(moved.contains(reason), "\(moved)")
        var scene = try scene()
        scene.points[0] = LedgerScene.point(
            issuerKey: attestation.pai.key.publicKey.keyIdentifier, signer: attestation.pai.certificate.der,
            isPAA: false,
            vendorID: 0xFFF1, url: "http://\(host)/list.crl")
        let rootList = RevocationListTemplate(attestation.paa.certificate.subject, key: attestation.paa.key.publicKey)
        answers.hold(scene, lists: [Self.rootList: try rootList.signed(with: attestation.paa.key)])
        let named = try await fault()
        #expect(named.contains(reason), "\(named)")
    }

    @Test("whatever a list's server does costs that list only, and the stored one stays")
    func faults() async throws {
        hold(devices: [dac])
        try await shell.succeed("trust update --test-net")
        let forged = try RevocationListTemplate(
            attestation.pai.certificate.subject, key: attestation.pai.key.publicKey
        ).signed(with: .generate())
        let faults: [(String, (inout StandInServer.Answer) -> Void)] = [
            ("HTTP 500", { $0.status = 500 }),
            ("the signature of the list is wrong", { $0.octets = forged }),
            ("is not a DER encoding", { $0.octets?.removeLast(10) }),
            ("connection", { $0.cut = 20 }),
            ("bytes", { $0.octets = [UInt8](repeating: 0x30, count: 3_000_001) }),
            ("time", { $0.delay = 30 }),
            (
                "redirected too often",
                { answer in
                    answer.status = 302
                    answer.headers["Location"] = Self.deviceList
                }
            ),
        ]
        for (reason, fault) in faults {
            hold()
            answers.change(Self.deviceList, fault)
            // Time runs out for the slow one only; the ledger itself answers at once.
            let time = reason == "time" ? "--timeout 8s" : ""
            let run = try await shell.succeed("trust update --test-net --json \(time)")
            let lists = try run.json()["revocationLists"]?.arrayValue ?? []
            #expect(lists.first?["fault"]?.stringValue?.contains(reason) == true, "\(reason): \(lists)")
            #expect(lists.first?["revoked"] == 1 && lists.last?["fault"] == nil, "\(lists)")
        }
    }
}
