import Foundation
import JSON
import MatterCommandLine
import MatterTestKit
import TestSupport
import Testing

/// Commands and a virtual device, in this process and over its loopback interface.
@Suite("With a device", .fewAtATime) struct DeviceTests {
    private let shell: Shell
    private let device: Background
    private let port: String

    init() async throws {
        shell = try Shell()
        let folder = shell.path("trust")
        device = try shell.start("simulate dimmable-light --port 0 --mdns none --paa-out \(folder)/paa.der")
        port = try await device.line("ready")
    }

    private func commission(_ more: String = "") async throws -> CommandRun {
        try await shell.run(
            "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(shell.path("trust")) "
                + "--timeout 60s " + more)
    }

    @Test("simulate says its codes, and what happens to it; a commissioning is seen on both sides")
    func commissioning() async throws {
        #expect(try await device.line("manual") == "3497-011-2332")
        let refused = try await shell.run("commission 34970112332 --address 127.0.0.1:\(port) --progress none --json")
        #expect(refused.status == 7)
        let error = try refused.error()
        #expect(error.text("id") == "attestation.refused" && error.text("device") == "rolled-back")
        #expect(error["attestation"]?["checks"]?.arrayValue?.isEmpty == false)
        let report = try await commission("--name lamp --room Hall --json").json()
        #expect(report["name"] == "lamp" && report["attestation"]?["verdict"] == "test", "\(report)")
        let stages = try #require(report["stages"]?.arrayValue).compactMap { $0["stage"]?.stringValue }
        #expect(stages.starts(with: ["discover", "pase"]) && stages.last == "post")
        let again = try await commission("--name den --progress plain")
        #expect(again.status == 8 && again.messages.contains { $0.hasPrefix("discover: done in ") }, "\(again)")
        let wrong = try await shell.run(
            "commission --passcode 20202022 --address 127.0.0.1:\(port) --allow-test-devices --timeout 5s --json")
        #expect(wrong.status == 8, "\(wrong)")
        let run = await device.stop()
        #expect(run.status == 0 && run.stdout.contains("commissioning complete"), "\(run)")
    }

    @Test("an authority that was added or that a ledger brought lets a device in; a removed one does not")
    func storedTrust() async throws {
        let paa = shell.path("trust/paa.der")
        let words = "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --progress none --json"
        let added = try await shell.succeed("trust add \(paa) --json").json().arrayValue
        let key = try #require(added?.first?["keyId"]?.stringValue)
        try await shell.succeed("trust remove \(key) --yes")
        let refused = try await shell.run(words)
        #expect(refused.status == 7)
        #expect(try refused.error().text("hint")?.contains("matterctl trust update") == true, "\(refused)")
        var scene = LedgerScene()
        scene.roots = [try LedgerScene.Entry(Array(try Data(contentsOf: URL(fileURLWithPath: paa))))]
        let answers = scene.answers
        let server = try StandInServer { target in
            let path = String(target.prefix { $0 != "?" })
            return answers[path].map { .init($0) } ?? .init(LedgerScene.notFound, status: 404)
        }
        try await Shell(["MATTERCTL_LEDGER": server.url]).succeed("trust update --test-net --home \(shell.home)")
        let strict = try await shell.run(words.replacingOccurrences(of: "--allow-test-devices ", with: ""))
        #expect(strict.status == 7)
        let report = try await shell.succeed(words).json()
        #expect(report["attestation"]?["verdict"] == "test", "\(report)")
    }

    @Test("a device whose authority is unknown, or is known from the ledger, shows that the authorities are old")
    func oldTrust() async throws {
        let words = "commission 34970112332 --address 127.0.0.1:\(port) --progress none --home \(shell.home)"
        let warning = "warning: the known authorities are of "
        let day: Int64 = 86_400
        let table: Int64 = 1_784_073_600
        for (days, isOld) in [(180, false), (181, true)] as [(Int64, Bool)] {
            let unknown = try await Shell(now: table + days * day).run(words)
            #expect(unknown.status == 7, "\(unknown)")
            #expect(unknown.stderr.contains(warning + "2026-07-15, 181 days ago") == isOld, "\(unknown)")
        }
        let paa = try Data(contentsOf: URL(fileURLWithPath: shell.path("trust/paa.der")))
        var scene = LedgerScene()
        scene.roots = [try LedgerScene.Entry(Array(paa))]
        let answers = scene.answers
        let server = try StandInServer { target in
            let path = String(target.prefix { $0 != "?" })
            return answers[path].map { .init($0) } ?? .init(LedgerScene.notFound, status: 404)
        }
        let now = table + 200 * day
        try await Shell(["MATTERCTL_LEDGER": server.url], now: now)
            .succeed("trust update --yes --home \(shell.home)")
        let requests = server.requests.count
        let known = words + " --allow-test-devices"
        let fresh = try await Shell(now: now + 180 * day).succeed(known + " --name lamp")
        #expect(!fresh.stderr.contains(warning), "\(fresh)")
        try await Shell(now: now).succeed("node remove lamp --yes --address 127.0.0.1:\(port) --home \(shell.home)")
        let old = try await Shell(now: now + 181 * day).succeed(known)
        #expect(old.stderr.contains(warning + "2027-01-31, 181 days ago"), "\(old)")
        #expect(server.requests.count == requests, "commission asks no ledger")
        // Without the set that vouched for it, and without an earlier one, the table of the program is left.
        try Data("x".utf8).write(to: URL(fileURLWithPath: shell.home + "/trust/main.jsonl"))
        let damaged = try await Shell(now: now).run(words)
        #expect(damaged.status == 7 || damaged.status == 8, "\(damaged)")
        #expect(
            damaged.stderr.contains(
                "warning: the stored authorities of the ledger are damaged; only those of this program count; bring them up "
                    + "to date: matterctl trust update"), "\(damaged)")
    }

    @Test("on a terminal, commission asks about a device whose authority is not known; anywhere else it refuses it")
    func asking() async throws {
        let words = "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --progress none"
        let person = try Shell(terminals: [.input, .error])
        func asks(_ run: CommandRun) -> Bool { run.stderr.contains("accept this device") }
        for input in ["n\n", "", "\n"] {
            let refused = try await person.run(words, input: input)
            #expect(refused.status == 7 && asks(refused), "\(refused)")
            #expect(refused.stderr.contains("attestation: untrusted") && refused.stderr.contains("\nwhy: expected "))
        }
        let others = [
            try await person.run(words + " --json", input: "y\n"),
            try await person.run(words + " --attestation enforce", input: "y\n"),
            try await Shell(terminals: [.input]).run(words + " --attestation ask", input: "y\n"),
            try await Shell().run(words, input: "y\n"),
            // More is wrong than the authority: the declaration's key is not known either.
            try await person.run(words.replacingOccurrences(of: "--allow-test-devices ", with: ""), input: "y\n"),
        ]
        for run in others { #expect(run.status == 7 && !asks(run), "\(run)") }
        let accepted = try await person.run(words, input: "yes\n")
        #expect(accepted.status == 0 && asks(accepted) && accepted.stdout == "1\n", "\(accepted)")
        let node = try await person.succeed("node show 1 --json").json()
        #expect(node["attestation"]?["verdict"] == "untrusted" && node["attestation"]?["accepted"] == true)
        #expect(try await person.succeed("node show 1").stdout.contains("\nattestation\tuntrusted, accepted by you\n"))
    }

    @Test("a device that is let in although it is not trusted says so")
    func accepted() async throws {
        let run = try await shell.run(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation warn --progress none --evidence --json")
        let attestation = try #require(try run.json()["attestation"])
        #expect(attestation["verdict"] == "untrusted" && attestation["accepted"] == true)
        let failed = attestation["checks"]?.arrayValue?.first { $0["outcome"] == "failed" }
        #expect(failed?["step"] == "authority" && failed?["code"] == .int(101) && failed?["found"] == "none")
    }

    @Test("attest judges a device and leaves it open, saves what it judged, and judges a node and the house")
    func attesting() async throws {
        let at = " --address 127.0.0.1:\(port)"
        let trust = " --allow-test-devices --trust \(shell.path("trust"))"
        let saved = shell.path("saved")
        let refused = try await shell.run("attest 34970112332 --json --progress none" + at)
        #expect(refused.status == 7)
        #expect(try refused.json()["code"] == .int(101) && refused.json()["verdict"] == "untrusted")
        #expect(try refused.error().text("id") == "attestation.refused")
        let plain = try await shell.run(
            "attest - --progress plain --save \(saved)" + at + trust, input: "34970112332\n")
        #expect(plain.status == 0 && plain.stdout.hasPrefix("verdict\ttest\n"), "\(plain)")
        #expect(plain.stdout.contains("\nauthority\tpassed, expected ") && plain.stdout.contains(", key: folder: "))
        #expect(plain.messages.contains { $0.hasPrefix("attestation: done in ") })
        let files = try FileManager.default.contentsOfDirectory(atPath: saved).sorted()
        #expect(
            files == [
                "challenge.bin", "claims.json", "dac.der", "declaration.der", "elements.tlv", "nonce.bin", "pai.der",
                "report.json", "signature.bin",
            ])
        for path in [saved] + files.map({ "\(saved)/\($0)" }) {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == (path == saved ? 0o700 : 0o600), "\(path)")
        }
        let offline = try await shell.succeed("attest --json --from \(saved)" + trust).json()
        #expect(offline["verdict"] == "test")
        let written = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: "\(saved)/report.json"))))
        func outcomes(_ report: JSONValue) -> [JSONValue?] {
            (report["checks"]?.arrayValue ?? []).filter { check in
                check["step"] != "nonce" && check["step"] != "attestation-signature"
            }.map { $0["outcome"] }
        }
        #expect(outcomes(offline) == outcomes(written) && outcomes(written).count > 18)
        let recorded = try await shell.succeed("attest --from \(saved)" + trust).stdout
        for step in ["nonce", "attestation-signature"] { #expect(recorded.contains("\n\(step)\tnot-judged: ")) }
        #expect(recorded.contains("\nnote\tno device was asked: a recording of its answer proves nothing"))
        let chain = shell.path("chain")
        try FileManager.default.createDirectory(atPath: chain, withIntermediateDirectories: true)
        for name in ["dac.der", "pai.der"] {
            try FileManager.default.copyItem(atPath: "\(saved)/\(name)", toPath: "\(chain)/\(name)")
        }
        let bare = try await shell.run("attest --from \(chain)" + trust)
        #expect(bare.status == 7 && bare.stdout.hasPrefix("verdict\tincomplete\n"), "\(bare)")
        #expect(bare.stdout.contains("\nnote\tnot judged: attestation-signature, elements, nonce, "), "\(bare)")
        #expect(bare.stdout.contains("\nchain\tpassed, "), "\(bare)")
        #expect(try await shell.run("attest --from \(saved)").status == 7)
        #expect(
            try await shell.run("attest --from /nowhere --json").error().text("id") == "attestation.unreadable-files")
        #expect(try await commission("--name lamp --progress none").status == 0)
        let node = try await shell.succeed("attest lamp --json" + at + trust).json()
        #expect(node["name"] == "lamp" && node["verdict"] == "test")
        let house = try await shell.succeed("attest --all" + at + trust)
        #expect(house.stdout.hasPrefix("1\tlamp\ttest\t"), "\(house)")
        let doubtful = try await shell.run("attest --all --json" + at)
        #expect(doubtful.status == 7)
        #expect(try doubtful.error().text("id") == "attest.untrusted")
        #expect(try doubtful.json().arrayValue?.first?["attestation"]?["code"] == .int(101))
        let silent = try await shell.run("attest --all --json --address 127.0.0.1:9 --timeout 2s")
        #expect(silent.status == 4)
        #expect(try silent.error().text("id") == "attest.incomplete")
        #expect(try silent.json().arrayValue?.first?["error"]?["message"] != nil)
        let closed = try await shell.run("attest 34970112332 --progress none --json" + at)
        #expect(closed.status == 8)
        #expect(try closed.error().text("id") == "pase.window-closed")
    }

    @Test("simulate ends after the time of --for")
    func timedSimulation() async throws {
        let run = try await Shell().run("simulate on-off-light --port 0 --mdns none --for 200ms --json")
        #expect(run.status == 0 && run.stdout.contains(#"{"event":"ready""#), "\(run)")
    }

    @Test("a level with a sign is a step, which stops at the ends of the device; down there the light goes off")
    func levelSteps() async throws {
        #expect(try await commission("--name lamp --progress none").stdout == "1\n")
        let at = " --verify --address 127.0.0.1:\(port)"
        #expect(try await shell.succeed("level lamp 50%" + at).stdout == "127\n")
        #expect(try await shell.succeed("level lamp +10%" + at).stdout == "152\n")
        #expect(try await shell.succeed("level lamp -20%" + at).stdout == "101\n")
        #expect(try await shell.succeed("level lamp -1" + at).stdout == "100\n")
        #expect(try await shell.succeed("level --no-on-off lamp -100%" + at).stdout == "1\n")
        #expect(try await shell.succeed("level lamp +100%" + at).stdout == "254\n")
        #expect(try await shell.succeed("level lamp -100%" + at).stdout == "0\n")
        #expect(try await shell.succeed("level lamp +10%" + at).stdout == "26\n")
        let dry = try await shell.succeed("level lamp -10% --dry-run").stdout
        #expect(dry.contains("step-with-on-off"), "\(dry)")
    }

    @Test("everyday verbs, read, write, invoke, ping and acl against a node, in text and as JSON")
    func control() async throws {
        #expect(try await commission("--name lamp --progress none").stdout == "1\n")
        let at = " --address 127.0.0.1:\(port)"
        #expect(try await shell.succeed("on lamp" + at).stdout.isEmpty)
        #expect(try await shell.succeed("toggle lamp" + at).stdout.isEmpty)
        #expect(try await shell.succeed("level lamp 50% --verify" + at).stdout == "127\n")
        #expect(try await shell.succeed("off lamp --effect dying-light" + at).stdout.isEmpty)
        #expect(try await shell.succeed("on lamp --verify" + at).stdout == "true\n")
        let level = try await shell.succeed("level lamp 0 --verify --json" + at).json()
        #expect(level["on"] == false && level["attribute"] == "CurrentLevel", "\(level)")
        #expect(try await shell.succeed("read lamp 1/6/0" + at).stdout == "false\n")
        let both = try await shell.succeed("read lamp 1/6/0 1/8/0 9/6/0" + at)
        #expect(both.stdout.hasPrefix("1/on-off/on-off\tfalse\n1/level-control/current-level\t"), "\(both)")
        #expect(both.messages == ["warning: 9/on-off/on-off: UNSUPPORTED_ENDPOINT"], "\(both)")
        #expect(try await shell.run("read lamp 1/6/0 9/6/0 --strict" + at).status == 6)
        let absent = try await shell.run("read lamp 1/6/0x77 --json" + at)
        #expect(absent.status == 6)
        #expect(try absent.json()["status"] == "UNSUPPORTED_ATTRIBUTE")
        #expect(try absent.error().text("id") == "im.status")
        #expect(try absent.error()["statusCode"] == .uint(0x86))
        #expect(try await shell.succeed("write lamp 0/basic-information/node-label Kitchen" + at).stdout.isEmpty)
        let wrote = try await shell.succeed("write lamp 0/basic-information/node-label Kitchen --json" + at).json()
        #expect(wrote["status"] == "SUCCESS" && wrote["attribute"] == "NodeLabel")
        let readOnly = try await shell.run("write lamp 1/on-off/on-off true" + at)
        #expect(readOnly.status == 5)
        #expect(readOnly.messages.last == "hint: on-off is read-only; use: matterctl on lamp/1", "\(readOnly)")
        let armed = try await shell.succeed(
            "invoke lamp 0/general-commissioning/arm-fail-safe expiry-length-seconds=0 breadcrumb=0" + at)
        #expect(armed.stdout.hasPrefix("errorCode\t"), "\(armed)")
        let timed = try await shell.succeed("invoke lamp 1/6/1 --timed --json" + at).json()
        #expect(timed["command"] == "On" && timed["status"] == "SUCCESS")
        let ping = try await shell.succeed("ping lamp --count 2 --json" + at).json()
        #expect(ping["ms"]?.arrayValue?.count == 2 && ping["node"] == .uint(1))
        let entries = try await shell.succeed("acl ls lamp --json" + at).json()["entries"]?.arrayValue
        #expect(entries?.first?["privilege"] == "administer" && entries?.first?["us"] == true)
        #expect(try await shell.succeed("acl ls lamp" + at).stdout.hasPrefix("administer\tcase\t"))
        #expect(try await shell.run("on lamp/9" + at).status == 6)
        #expect(try await shell.succeed("bench toggle lamp --count 3 --json" + at).json()["count"] == .int(3))
    }

    @Test("a node is listed, shown, renamed, forgotten and removed")
    func nodes() async throws {
        #expect(try await commission("--name lamp --no-post --progress none").status == 0)
        let at = " --address 127.0.0.1:\(port)"
        try await shell.succeed("on lamp" + at)
        let shown = try await shell.succeed("node show lamp --json").json()
        #expect(shown["state"] == "commissioned" && shown["vendorId"] == .uint(0xFFF1), "\(shown)")
        #expect(shown["endpoints"]?.arrayValue?.count == 2)
        let lines = try await shell.succeed("node show lamp").stdout
        #expect(
            lines.hasPrefix("node\t1\nname\tlamp\nvendor\tmatterctl 0xFFF1\nproduct\tDimmable light 0x8001\n"),
            "\(lines)")
        try await shell.succeed("node rename lamp kitchen")
        #expect(try await shell.succeed("node ls").stdout.hasPrefix("1\tkitchen\t"))
        #expect(try await Shell().run("node rename 1 a").status == 3)
        let taken = try await shell.run("node rename kitchen 12 --json")
        #expect(taken.status == 64)
        #expect(try taken.error().text("id") == "name.invalid")
        let silent = try await shell.run("node remove kitchen --yes --address 127.0.0.1:9 --timeout 2s --json")
        #expect(silent.status == 4, "\(silent)")
        #expect(
            try silent.error().text("hint")?.hasSuffix("matterctl node remove --offline kitchen") == true, "\(silent)")
        try await shell.succeed("node remove kitchen --yes" + at)
        #expect(try await shell.succeed("node ls").stdout.isEmpty)
        #expect(try await commission("--name lamp --progress none").status == 0)
        try await shell.succeed("node forget lamp --yes")
        #expect(try await shell.succeed("node ls").stdout.isEmpty)
    }
}
