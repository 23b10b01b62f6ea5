import Foundation
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterCrypto

extension SnapshotTests {
    /// Commands that show tables, lists and values, in a house with long names, a name in Chinese and two rooms.
    private static let shown = [
        "status", "node ls", "node ls --status", "node ls --wide", "node show lamp", "room ls", "group ls", "fabric ls",
        "fabric show home", "sensor --all", "energy", "battery", "motion", "lock", "cover", "fan", "color", "valve",
        "vacuum",
        "thermostat", "mode --all", "door-lock codes lamp", "door-lock config lamp", "scene ls lamp/4", "button lamp",
        "acl ls lamp",
        "node fabrics lamp", "who lamp", "who --all", "bind ls lamp", "net status lamp", "window status lamp", "icd ls",
        "describe lamp", "describe lamp --tree", "clusters", "clusters door-lock", "supports lamp 4/on-off/toggle",
        "read lamp 4/on-off/on-off", "read lamp 4/color-control/*", "read lamp 0/basic-information/*",
        "read lamp 0/descriptor/server-list 1/descriptor/device-type-list", "level lamp/4 30% --dry-run",
        "on lamp/4 --verify", "identify lamp/4", "on group:all", "payload parse 34970112332", "trust ls",
        "dcl model 0xFFF1 0x8001",
        "session ls", "ping lamp --count 2", "events lamp --count 2", "subscribe lamp 4/on-off --count 3",
        "fan --watch --count 1",
        "off lamp/4", "toggle lamp/4", "level lamp/4 30%", "level lamp/4 lamp/8 30%", "color lamp/4 red",
        "fan lamp 30%",
        "cover open lamp", "valve open lamp", "valve close lamp", "vacuum start lamp", "lock lamp", "unlock lamp",
        "media play lamp", "media", "mode lamp", "sensor lamp", "energy lamp", "turn on lamp/4",
        "identify lamp/4 --dry-run",
        "scene store lamp/4 1 --name Evening", "scene recall lamp/4 Evening", "scene remove lamp/4 1",
        "write lamp 0/basic-information/node-label Hall", "write lamp 0/40/5 Hall 4/level-control/on-level 50%",
        "invoke lamp 4/on-off/toggle", "invoke lamp 4/on-off/on 4/on-off/off",
        "invoke lamp 0/general-commissioning/arm-fail-safe expiry-length-seconds=0 breadcrumb=0",
        "acl grant lamp 5 --privilege view", "acl revoke lamp 5 --yes", "wait lamp 4/on-off/on-off=false --timeout 20s",
        "node rename lamp lamp", "node refresh lamp", "session drop lamp", "network credentials ls",
        "payload make --passcode 20202021 --discriminator 3840", "tlv 1524012A18", "share lamp", "window close lamp",
        "attest lamp",
        "time sync lamp", "commission --check",
        "door-lock show lamp", "door-lock lock lamp", "door-lock unlock lamp", "door-lock restrict lamp 1",
        "door-lock unrestrict lamp 1",
        "door-lock remove-code lamp 1", "smoke-alarm", "net scan lamp", "net connect lamp Hall",
        "net remove lamp Hall",
        "network credentials forget Hall",
        "node fabrics label lamp Ours", "node fabrics ls lamp", "node disconnect lamp", "node remove lamp",
        "node forget lamp",
        "node fabrics remove lamp 9 --yes", "room rename Nowhere Hall", "room add Cellar", "room rename Cellar Attic",
        "room rm Attic", "group create few", "group add few lamp/4", "group remove few lamp/4",
        "group delete few --yes",
        "fabric create second", "fabric use second", "fabric use home", "fabric remove second --yes",
        "fabric import second --root-cert /nonexistent", "icd register lamp", "icd stay-active lamp",
        "icd unregister lamp",
        "thread dataset show 0e080000000000010000", "trust show Unknown", "trust add /nonexistent", "trust remove 00",
        "trust update", "dcl certified 0xFFF1 0x8001 1", "dcl pki", "dcl vendor 0xFFF1", "dcl versions 0xFFF1 0x8001",
        "unbind lamp/4 lamp/8", "acl set lamp @/nonexistent", "session warm lamp", "window open lamp",
        "window close lamp",
        "cloud status", "cloud node ls", "rainmaker node-id lamp", "rainmaker controller show lamp",
        "rainmaker dataset show lamp", "rainmaker participant show lamp", "rainmaker access refresh",
        "on lmp", "read lamp 4/on-off/onof", "write lamp 4/on-off/on-off true", "status --room Nowhere",
    ]
    /// All that a terminal shows in some test here.
    static var shownLines: [String] { shown + ofCloud + ofDevices + ofShares + ofMaintenance }
    /// Requests that there are not.
    private static let ofShares = ["cloud share accept 1", "cloud share decline 1"]
    /// Commands whose output differs from run to run.
    private static let varying: Set<String> = [
        "session", "ping", "events", "subscribe", "who", "fabric", "node fabrics", "acl", "net", "trust", "dcl",
        "attest",
        "time", "share", "commission", "node refresh", "window open", "icd stay-active",
    ]
    static let looks: [(name: String, variables: [String: String])] = [
        ("40", ["COLUMNS": "40", "NO_COLOR": "1"]), ("80", ["COLUMNS": "80", "NO_COLOR": "1"]),
        ("160", ["COLUMNS": "160", "NO_COLOR": "1"]), ("80 colors", ["COLUMNS": "80", "NO_COLOR": ""]),
        ("80 C", ["COLUMNS": "80", "NO_COLOR": "1", "LC_ALL": "C"]),
    ]

    /// Commands that print a certificate or a document, whose lines stay as they are.
    private static let documents = ["cloud issue-noc", "cloud node metadata", "serve token add"]

    /// No line on stdout is wider than the terminal, and all is ASCII in the locale C.
    static func check(_ run: CommandRun, _ words: String, at look: (name: String, variables: [String: String])) {
        let columns = Int(look.variables["COLUMNS"] ?? "") ?? 0
        let isWide = words.contains("--wide") || documents.contains { words.hasPrefix($0) }
        for line in run.stdout.split(separator: "\n") where !isWide {
            let plain = Self.uncolored(String(line))
            #expect(TableLayout.width(of: plain) <= columns, "\(look.name), \(words): \(plain)")
        }
        #expect(!look.name.hasSuffix("C") || run.stdout.utf8.allSatisfy { $0 < 0x80 }, "\(words): \(run)")
    }

    @Test(
        "what a person sees at 40, 80 and 160 columns, with colours and in ASCII: no table is wider than the terminal")
    func terminals() async throws {
        let house = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let device = try house.start(
            "simulate door-lock,fan,window-covering,color-light,occupancy-sensor,energy-plug,water-valve,robot-vacuum,"
                + "video-player,button,battery,temperature-sensor,aggregator --port 0 --mdns none")
        let port = try await device.line("ready")
        for words in [
            [
                "commission", "34970112332", "--address", "127.0.0.1:\(port)", "--attestation", "skip", "--name",
                "lamp", "--room",
                "The room below the roof", "--timeout", "60s",
            ],
            ["group", "create", "all"], ["group", "add", "all", "lamp/4"], ["room", "add", "客厅"],
            ["node", "rename", "lamp/14", "Lamp behind the wardrobe in the hall"],
        ] {
            let run = try await house.run(words)
            try #require(run.status == 0, "\(run)")
        }
        for look in Self.looks {
            let variables = ["MATTERCTL_HOME": house.home, "MATTERCTL_LEDGER": "http://127.0.0.1:9"]
            let person = try Shell(variables.merging(look.variables) { $1 }, terminals: [.output])
            var text = ""
            for words in Self.shown {
                let run = try await person.run(words)
                Self.check(run, words, at: look)
                guard !Self.varying.contains(where: { "\(words) ".hasPrefix("\($0) ") }) else { continue }
                text += "$ matterctl \(words)\n" + Self.steady(run, port: port)
            }
            try Snapshot.compare(text, "terminal/\(Snapshot.name(look.name)).txt")
        }
        _ = await device.stop()
    }

    @Test("what a person sees of a cloud fits the terminal, too, in every look")
    func terminalsOfCloud() async throws {
        for look in Self.looks {
            let person = try Shell(look.variables, terminals: [.output])
            let cloud = try await Cloud(in: person)
            let device = try person.start(
                "simulate dimmable-light,rainmaker-controller,rainmaker-border-router,rainmaker-badge --port 0 --mdns none "
                    + "--rainmaker-node-id rmNode1 --online --state \(person.path("device")) --dac-out \(person.path("dac"))"
            )
            let port = try await device.line("ready")
            try await cloud.register("rmNode1", certificate: person.path("dac"))
            let csr = try CertificateSigningRequest(key: .generate()).der
            try Data(csr).write(to: URL(fileURLWithPath: person.path("csr")))
            let places = [
                "URL": cloud.url, "FILE": try person.file("password", Cloud.password + "\n"), "CSR": person.path("csr"),
                "TOKEN": try person.file("token", "not-a-real-token\n"),
                "DATASET": try person.file("dataset", "0e080000000000010000\n"),
            ]
            func show(_ words: [String]) async throws {
                for words in words {
                    let line = places.reduce(words) { $0.replacing("{\($1.key)}", with: $1.value) }
                    Self.check(try await person.run(line), words, at: look)
                }
            }
            try await show(Self.ofCloud)
            try await show(["cloud login --url {URL} --user alice@example.com --password-file {FILE}"])
            try await person.succeed("cloud group create Lake")
            try await person.succeed("fabric create lake --issuer rainmaker --group Lake")
            try await person.succeed(
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --room Hall --timeout 60s"
            )
            try await show(Self.ofDevices)
            try await show(Self.ofShares)
            _ = await device.stop()
            await cloud.stop()
        }
    }

    private static func uncolored(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

    /// With what differs from run to run in its place, as wide as it was.
    static func steady(_ run: CommandRun, port: String) -> String {
        (run.stdout + run.stderr).replacing(":\(port)", with: ":" + String(repeating: "5", count: port.count))
            .replacing(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?/) { match in
                String(match.output.0.map { $0.isNumber ? "0" : $0 })
            }
            .replacing(/[0-9A-F]{12,}/) { String(repeating: "X", count: $0.output.count) }
            .replacing("\u{1B}", with: "ESC")
    }
}
