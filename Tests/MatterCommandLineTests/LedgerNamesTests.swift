import Foundation
import JSON
import MatterTestKit
import TestSupport
import Testing

/// The ledger's entry on a product, where its device appears.
@Suite("Names of the ledger", .fewAtATime) struct LedgerNamesTests {
    private let shell: Shell
    private let device: Background
    private let server: StandInServer
    private let port: String
    private let words: String

    private static let model = "/dcl/model/models/65521/32769"
    private static let versions = "/dcl/model/versions/65521/32769"
    private static let compliance = "/dcl/compliance/compliance-info/65521/32769"
    /// A vendor that wants to write to the terminal.
    private static let hostile = #"Plug\u001b[31m\u202e\tX\n"#
    private static let shown = #"Plug\x1b[31m\u202e\x09X\x0a"#

    private static let answers = [
        model:
            #"""
        {"model":{"vid":65521,"pid":32769,"productName":"\#(hostile)","commissioningCustomFlow":2,
        "commissioningCustomFlowUrl":"https://e.example/begin","commissioningModeInitialStepsHint":16384,
        "commissioningModeSecondaryStepsHint":4,"factoryResetStepsHint":64,
        "factoryResetStepsInstruction":"red\u0007","userManualUrl":"https://e.example/manual"}}
        """#,
        "/dcl/vendorinfo/vendors/65521": #"{"vendorInfo":{"vendorID":65521,"vendorName":"Maker\u001b]0;"}}"#,
        versions: #"{"modelVersions":{"softwareVersions":[300,200,100]}}"#,
        compliance + "/200/matter":
            #"{"complianceInfo":{"vid":65521,"pid":32769,"softwareVersion":200,"date":"2026-03-01T00:00:00Z","softwareVersionCertificationStatus":2}}"#,
    ]

    init() async throws {
        let answers = LedgerScene.withRoot.merging(Self.answers) { $1 }
        server = try StandInServer { target in
            let path = String(target.prefix { $0 != "?" })
            return answers[path].map { .init($0) } ?? .init(LedgerScene.notFound, status: 404)
        }
        shell = try Shell(["MATTERCTL_LEDGER": server.url])
        let folder = shell.path("trust")
        device = try shell.start("simulate on-off-light --port 0 --mdns none --paa-out \(folder)/paa.der")
        port = try await device.line("ready")
        words =
            "commission \(try await device.line("qr")) --address 127.0.0.1:\(port) --allow-test-devices --trust \(folder) "
            + "--timeout 60s --progress none"
    }

    @Test(
        "trust update --models fetches what is on the fabrics, and node show has it, without what could harm a terminal"
    )
    func models() async throws {
        try await shell.succeed(words + " --name plug")
        #expect(server.requests.isEmpty, "commission asks no ledger")
        #expect(try await shell.succeed("node show plug --json").json()["ledger"] == nil)
        let update = try await shell.succeed("trust update --models --yes --json")
        #expect(try update.json()["models"] == 1)
        let asked = Set(server.requests)
        #expect(asked.isSuperset(of: [Self.model, Self.versions, Self.compliance + "/300/matter"]))
        #expect(!asked.contains(Self.compliance + "/100/matter"), "200 is known to be certified")
        let count = server.requests.count
        let ledger = try #require(try await shell.succeed("node show plug --json").json()["ledger"])
        #expect(ledger["productName"] == "Plug\u{1B}[31m\u{202E}\tX\n" && ledger["vendorName"] == "Maker\u{1B}]0;")
        #expect(ledger["commissioningFlow"] == "custom" && ledger["asOf"] != nil)
        #expect(ledger["certification"]?["version"] == 200 && ledger["certification"]?["status"] == "certified")
        let text = try await shell.succeed("node show plug").stdout
        let certified = #"\#(Self.shown) by Maker\x1b]0;, certified since 2026-03-01 (software version 200)"#
        for line in [
            "in the ledger\t\(certified), as of ", "commissioning page\thttps://e.example/begin",
            "to commission\tpress the setup button while powering on",
            #"to reset"# + "\tpress the reset button, instruction: red\\x07",
            "to add to another fabric\tuse the app that has set it up", "manual\thttps://e.example/manual",
        ] { #expect(text.contains("\n" + line), "\(line)\n\(text)") }
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        #expect(server.requests.count == count)
    }

    @Test("commission shows a known product, the page that it begins at, and how to open it where it is closed")
    func commission() async throws {
        for words in ["dcl model 65521 32769", "dcl certified 65521 32769"] { try await shell.succeed(words) }
        let count = server.requests.count
        let run = try await shell.succeed(words + " --name plug")
        #expect(run.messages.contains("note: this product's commissioning begins at https://e.example/begin"), "\(run)")
        #expect(
            run.messages.contains(
                #"\#(Self.shown) by Maker\x1b]0;, certified since 2026-03-01 (software version 200)"#
                    + "; commissioning begins at https://e.example/begin; manual: https://e.example/manual"), "\(run)")
        #expect(!run.stderr.contains("\u{1B}") && !run.stderr.contains("\u{202E}"))
        try await shell.succeed("fabric create other")
        let closed = try await shell.run(words + " --fabric other --timeout 5s --json")
        #expect(closed.status == 8, "\(closed)")
        #expect(try closed.error().text("id") == "pase.window-closed")
        let hint = try closed.error().text("hint") ?? ""
        for part in [
            "the manufacturer says: a new one: press the setup button while powering on",
            "one on another fabric: use the app that has set it up", "page: https://e.example/begin",
            "manual: https://e.example/manual",
        ] { #expect(hint.contains(part), "\(part)\n\(hint)") }
        try await shell.succeed("node remove plug --yes --fabric home --address 127.0.0.1:\(port)")
        let report = try await shell.succeed(words + " --fabric home --json").json()
        #expect(report["ledger"]?["certification"]?["status"] == "certified", "\(report)")
        #expect(server.requests.count == count)
    }

    @Test("models that cannot be fetched are an error, and the authorities are saved and printed all the same")
    func failingModels() async throws {
        try await shell.succeed(words + " --name plug")
        let answers = LedgerScene.withRoot
        let failing = try StandInServer { target in
            let path = String(target.prefix { $0 != "?" })
            if path.hasPrefix("/dcl/model") || path.hasPrefix("/dcl/vendorinfo") { return .init("{}", status: 500) }
            return answers[path].map { .init($0) } ?? .init(LedgerScene.notFound, status: 404)
        }
        let run = try await Shell(["MATTERCTL_LEDGER": failing.url])
            .run("trust update --models --yes --json --timeout 20s --home \(shell.home)")
        #expect(run.status == 9)
        #expect(try run.error().text("id") == "ledger.failing")
        #expect(try run.json()["authorities"] == 1 && run.json()["models"] == nil)
        let list = try await shell.succeed("trust ls --json").json().arrayValue
        #expect(list?.count { $0["origin"] == "ledger" && $0["state"] == "trusted" } == 1)
    }
}

extension LedgerScene {
    /// The answers of a ledger with one root.
    fileprivate static let withRoot: [String: String] = {
        var scene = LedgerScene()
        scene.roots = (try? LedgerScene.root("Root")).map { [$0] } ?? []
        return scene.answers
    }()
}
