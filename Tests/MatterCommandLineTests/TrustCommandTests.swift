import Foundation
import JSON
import MatterTestKit
import Synchronization
import TestSupport
import Testing

/// `trust` and `dcl` against a ledger on this machine.
@Suite("Trust and the ledger", .timed) struct TrustCommandTests {
    /// A ledger whose answers a test may change.
    private final class Ledger: Sendable {
        private let answers: Answers
        let server: StandInServer

        /// The answers by path, or by path and query.
        final class Answers: Sendable {
            private let table: Mutex<[String: StandInServer.Answer]>

            init(_ table: [String: StandInServer.Answer]) { self.table = Mutex(table) }

            subscript(target: String) -> StandInServer.Answer {
                let path = String(target.prefix { $0 != "?" })
                return table.withLock { $0[target] ?? $0[path] }
                    ?? StandInServer.Answer(LedgerScene.notFound, status: 404)
            }

            func change(_ body: (inout [String: StandInServer.Answer]) -> Void) { table.withLock { body(&$0) } }
        }

        init(_ scene: LedgerScene) throws {
            let answers = Answers(scene.answers.mapValues { StandInServer.Answer($0) })
            self.answers = answers
            server = try StandInServer { answers[$0] }
        }

        func hold(_ scene: LedgerScene) {
            answers.change { $0 = scene.answers.mapValues { StandInServer.Answer($0) } }
        }

        func change(_ path: String, _ body: (inout StandInServer.Answer) -> Void) {
            answers.change { table in
                var answer = table[path] ?? StandInServer.Answer("")
                body(&answer)
                table[path] = answer
            }
        }

        func shell(now: Int64? = nil) throws -> Shell { try Shell(["MATTERCTL_LEDGER": server.url], now: now) }
    }

    private static let roots = "/dcl/pki/root-certificates"
    private static let model = "/dcl/model/models/4660/32769"

    static func scene(_ count: Int = 12) throws -> LedgerScene {
        var scene = LedgerScene()
        scene.roots = try (0..<count).map { try LedgerScene.root("Root \($0)", vendorID: UInt16($0 + 1)) }
        scene.others = [
            model: #"""
            {"model":{"vid":4660,"pid":32769,"productName":"Plug\u001b[31m","commissioningModeInitialStepsHint":64,
            "supportUrl":"https://e.example"}}
            """#,
            "/dcl/vendorinfo/vendors/4660": #"{"vendorInfo":{"vendorID":4660,"vendorName":"Example"}}"#,
            "/dcl/model/versions/4660/32769": #"{"modelVersions":{"softwareVersions":[300,100]}}"#,
            "/dcl/model/versions/4660/32769/100":
                #"{"modelVersion":{"softwareVersion":100,"softwareVersionValid":true}}"#,
            "/dcl/model/versions/4660/32769/300":
                #"{"modelVersion":{"softwareVersion":300,"otaFileSize":"755976","otaUrl":"https://o.example"}}"#,
            "/dcl/compliance/compliance-info/4660/32769/300/matter":
                #"{"complianceInfo":{"vid":4660,"pid":32769,"softwareVersion":300,"softwareVersionCertificationStatus":2}}"#,
        ]
        return scene
    }

    @Test("a test ledger's roots are brought, listed, shown, distrusted, exported, and are new only once")
    func updateAndList() async throws {
        let scene = try Self.scene()
        let ledger = try Ledger(scene)
        let shell = try ledger.shell()
        let first = try await shell.run("trust update --test-net --json")
        #expect(first.status == 0, "\(first)")
        let report = try first.json()
        #expect(report["net"] == "test" && report["authorities"] == 12)
        #expect(report["added"]?.arrayValue?.count == 12 && report["refused"]?.arrayValue?.isEmpty == true)
        let again = try await shell.run("trust update --test-net --json").json()
        #expect(again["added"]?.arrayValue?.isEmpty == true)
        let list = try await shell.run("trust ls --json").json().arrayValue ?? []
        #expect(list.count == 90)
        #expect(list.count { $0["origin"] == "test ledger" } == 12)
        let key = scene.roots[4].keyText
        let shown = try await shell.run("trust show \(key) --json").json().arrayValue
        #expect(shown?.count == 1)
        #expect(shown?.first?["state"] == "trusted" && shown?.first?["vendorId"] == 5)
        #expect(try await shell.run("trust remove \(key)").status == 64)
        #expect(try await shell.run("trust remove \(key) --yes").status == 0)
        let removed = try await shell.run("trust show \(key) --json").json().arrayValue
        #expect(removed?.first?["state"] == "distrusted")
        #expect(try await shell.run("trust show nobody").status == 3)
        // The roots of the test ledger are not exported, and those of the program have no certificates.
        let export = try await shell.run("trust export \(shell.path("out")) --json")
        #expect(export.status == 3 && !FileManager.default.fileExists(atPath: shell.path("out")))
        #expect(try export.error().text("id") == "trust.nothing-to-export")
        #expect(try export.error().text("hint")?.contains("matterctl trust update") == true)
    }

    @Test("a ledger that drops the program's roots is refused without --yes, and the set stays as it was")
    func reservations() async throws {
        let ledger = try Ledger(Self.scene())
        let shell = try ledger.shell()
        let refused = try await shell.run("trust update --json")
        #expect(refused.status == 64)
        #expect(try refused.error().text("id") == "usage.confirmation-needed")
        #expect(refused.stderr.contains("it drops 73 authorities of this program"))
        #expect(try await shell.run("trust ls --json").json().arrayValue?.count == 73 + 5)
        let agreed = try await shell.run("trust update --yes --json")
        #expect(agreed.status == 0, "\(agreed)")
        #expect(try agreed.json()["removed"]?.arrayValue?.count == 73)
        let list = try await shell.run("trust ls --json").json().arrayValue ?? []
        #expect(list.count { $0["state"] == "unlisted" } == 73)
        let exported = try await shell.run("trust export \(shell.path("out")) --json").json()
        #expect(exported["certificates"] == 12)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shell.path("out")).count == 12)
    }

    @Test("a certificate that does not verify is refused by name, and the others are taken")
    func forgedCertificate() async throws {
        var scene = try Self.scene()
        scene.roots[0].pems = scene.roots[1].pems
        let ledger = try Ledger(scene)
        let report = try await ledger.shell().run("trust update --test-net --json").json()
        #expect(report["authorities"] == 11)
        let refused = report["refused"]?.arrayValue
        #expect(refused?.count == 1)
        #expect(refused?.first?["subject"]?.stringValue?.contains("Root 0") == true)
    }

    @Test("an update that fails in any way keeps the old set, and says why")
    func failures() async throws {
        let scene = try Self.scene()
        let ledger = try Ledger(scene)
        let shell = try ledger.shell()
        #expect(try await shell.run("trust update --test-net").status == 0)
        let faults: [(String, (inout StandInServer.Answer) -> Void)] = [
            ("ledger.malformed", { $0.body = "<html>welcome</html>" }),
            ("ledger.malformed", { $0.body = #"{"approvedRootCertificates":{"certs":{"a":1}}}"# }),
            ("ledger.malformed", { $0.body = #"{"approvedRootCertificates":{"certs":[1]}}"# }),
            ("ledger.empty", { $0.body = #"{"approvedRootCertificates":{"certs":[]}}"# }),
            ("ledger.failing", { $0.status = 500 }),
            ("ledger.not-found", { answer in (answer.status, answer.body) = (404, LedgerScene.notFound) }),
            ("ledger.unreachable", { $0.cut = 30 }),
            (
                "ledger.unreachable",
                { answer in
                    answer.status = 302
                    answer.headers["Location"] = "http://127.0.0.1:1/"
                }
            ),
            ("ledger.unreachable", { $0.delay = 3 }),
        ]
        for (id, fault) in faults {
            ledger.hold(scene)
            ledger.change(Self.roots, fault)
            let run = try await shell.run("trust update --test-net --timeout 1500ms --json")
            #expect(try run.error().text("id") == id, "\(run)")
            #expect(run.status == (id == "ledger.not-found" ? 3 : 9) && run.stdout.isEmpty)
            let list = try await shell.run("trust ls --json").json().arrayValue ?? []
            #expect(list.count { $0["origin"] == "test ledger" } == 12, "\(id)")
        }
    }

    @Test("what comes in pages is read to the last one, and a page that comes again is an error")
    func pages() async throws {
        let scene = try Self.scene()
        let ledger = try Ledger(scene)
        func point(_ label: Int) -> String {
            #"{"vid":4660,"label":"\#(label)","issuerSubjectKeyID":"0A0B","pid":0,"isPAA":true,"#
                + #""crlSignerCertificate":"x","dataURL":"http://127.0.0.1:9/a","revocationType":1}"#
        }
        func page(_ labels: [Int], next: String) -> StandInServer.Answer {
            StandInServer.Answer(
                #"{"PkiRevocationDistributionPoint":[\#(labels.map(point).joined(separator: ","))],"#
                    + #""pagination":{"next_key":\#(next),"total":"0"}}"#)
        }
        let path = "/dcl/pki/revocation-points?pagination.limit=500"
        ledger.change(path) { $0 = page([1, 2], next: "\"AA+=\"") }
        ledger.change(path + "&pagination.key=AA%2B%3D") { $0 = page([3], next: "null") }
        let shell = try ledger.shell()
        let report = try await shell.succeed("trust update --test-net --json").json()
        #expect(report["revocationPoints"] == 3, "\(report)")
        ledger.change(path + "&pagination.key=AA%2B%3D") { $0 = page([3], next: "\"AA+=\"") }
        let endless = try await shell.run("trust update --test-net --json")
        #expect(try endless.error().text("id") == "ledger.malformed", "\(endless)")
    }

    @Test("an update that was cut short asks only for what is missing")
    func resumption() async throws {
        let scene = try Self.scene(30)
        let ledger = try Ledger(scene)
        let shell = try ledger.shell()
        let last = try #require(scene.answers.keys.filter { $0.hasPrefix("/dcl/pki/certificates/") }.sorted().last)
        ledger.change(last) { $0.status = 500 }
        #expect(try await shell.run("trust update --test-net").status == 9)
        let before = ledger.server.requests.count
        ledger.hold(scene)
        let report = try await shell.run("trust update --test-net --json").json()
        #expect(report["authorities"] == 30)
        #expect(ledger.server.requests.count - before < 33)
    }

    @Test("a certificate of one's own is trusted until it is removed")
    func ownCertificate() async throws {
        let shell = try Ledger(LedgerScene()).shell()
        let root = try LedgerScene.root("Mine")
        let file = try shell.file("mine.pem", root.pems[0])
        let added = try await shell.run("trust add \(file) --json").json().arrayValue
        #expect(added?.count == 1 && added?.first?["kind"] == "authority")
        #expect(try await shell.run("trust show Mine --json").json().arrayValue?.count == 1)
        let key = root.keyText
        #expect(try await shell.run("trust remove \(key) --yes").status == 0)
        #expect(try await shell.run("trust show Mine").status == 3)
        let nothing = try shell.file("nothing.pem", "nothing")
        let refused = try await shell.run("trust add \(nothing) --json")
        #expect(refused.status == 64)
        #expect(try refused.error().text("id") == "trust.unusable")
    }

    @Test("models, vendors, versions and certifications are shown, and asked for once a day")
    func lookups() async throws {
        let ledger = try Ledger(Self.scene())
        let shell = try ledger.shell()
        let model = try await shell.succeed("dcl model 0x1234 0x8001 --json").json()
        #expect(model["vendorName"] == "Example" && model["supportUrl"] == "https://e.example")
        #expect(model["initialSteps"]?.arrayValue == ["press the reset button"])
        let shown = try await shell.succeed("dcl model 4660 32769")
        #expect(shown.stdout.contains("Plug\\x1b[31m"))
        let versions = try await shell.succeed("dcl versions 4660 32769 --json").json().arrayValue
        #expect(versions?.map { $0["version"] } == [100, 300])
        #expect(versions?.last?["updateSize"] == 755976)
        let certified = try await shell.succeed("dcl certified 4660 32769 --json").json().arrayValue
        #expect(certified?.map { $0["status"] } == ["none", "certified"])
        let one = try await shell.succeed("dcl certified 4660 32769 300 --json").json().arrayValue
        #expect(one?.count == 1)
        #expect(try await shell.succeed("dcl vendor 4660").stdout.contains("Example"))
        #expect(try await shell.succeed("dcl pki --json").json().arrayValue?.count == 12)
        let root = try await shell.succeed("dcl pki ROOT --json")
        #expect(try root.json().arrayValue?.count == 12)
        let missing = try await shell.run("dcl model 1 2 --json")
        #expect(missing.status == 3)
        #expect(try missing.error().text("id") == "ledger.not-found")
        let paths = ledger.server.requests.map { $0.prefix { $0 != "?" } }
        #expect(Set(paths).count == paths.count, "each was asked for once")
        _ = try await shell.succeed("dcl model 4660 32769 --refresh")
        #expect(ledger.server.requests.count == paths.count + 2)
    }

    /// 2026-07-15, when the table of the program was made.
    private static let tableDate: Int64 = 1_784_073_600
    private static let day: Int64 = 86_400

    @Test("authorities that are older than 180 days are a warning, those of the program and those of the ledger")
    func age() async throws {
        let ledger = try Ledger(Self.scene())
        let home = try ledger.shell().home
        func list(_ now: Int64) async throws -> String {
            try await ledger.shell(now: now).succeed("trust ls --home \(home)").messages.first ?? ""
        }
        #expect(try await list(Self.tableDate + 180 * Self.day) == "as of 2026-07-15, 180 days ago")
        let old =
            "warning: the authorities are as of 2026-07-15, 181 days ago; bring them up to date: matterctl trust update"
        #expect(try await list(Self.tableDate + 181 * Self.day) == old)
        let later = Self.tableDate + 181 * Self.day
        try await ledger.shell(now: later).succeed("trust update --yes --home \(home)")
        #expect(try await list(later + 180 * Self.day) == "as of 2027-01-12, 180 days ago")
        #expect(try await list(later + 181 * Self.day).hasPrefix("warning: the authorities are as of 2027-01-12"))
    }

    @Test(
        "a damaged set is replaced by its previous copy, with a warning; without one the rest is listed, with an error")
    func damage() async throws {
        let ledger = try Ledger(Self.scene())
        let shell = try ledger.shell()
        for _ in 0..<2 { try await shell.succeed("trust update --yes") }
        func damage(_ name: String) throws {
            try Data("x".utf8).write(to: URL(fileURLWithPath: shell.home + "/trust/" + name))
        }
        try damage("main.jsonl")
        let mended = try await shell.succeed("trust ls --json")
        #expect(try mended.json().arrayValue?.count { $0["state"] == "unlisted" } == 73)
        #expect(mended.stderr.contains("the previous list, of "), "\(mended)")
        try damage("main.jsonl.bak")
        let damaged = try await shell.run("trust ls --json")
        #expect(damaged.status == 10)
        #expect(try damaged.error().text("id") == "trust.damaged")
        #expect(try damaged.error().text("message")?.contains("only those of this program count") == true)
        #expect(try damaged.json().arrayValue?.count == 73 + 5)
        #expect(try await shell.run("trust export \(shell.path("out"))").status == 10)
        try await shell.succeed("trust update --yes")
        #expect(try await shell.succeed("trust ls --json").json().arrayValue?.count { $0["state"] == "unlisted" } == 73)
    }
}
