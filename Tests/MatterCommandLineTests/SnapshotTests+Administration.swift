import Foundation
import JSON
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterCrypto

extension SnapshotTests {
    /// Commands to a light and to a wall switch with a speaker, about who may do what.
    private static let access = [
        "attest it --trust {TRUST} --allow-test-devices", "acl grant it 5 --privilege view", "acl revoke it 5",
        "acl set it @{LIST} --yes", "media volume wall 30% --verify", "bind wall it/1 --cluster on-off",
        "unbind wall it/1", "node fabrics label it Home",
        "bench toggle it --count 2", "conform it", "fabric rotate identity-key", "fabric rotate certificates", "job ls",
        "job show 1", "share it",
    ]

    /// Commands to the light, which is on a second fabric, and about our own.
    private static let fabrics = [
        "fabric join-request --name guest --output {REQUEST}",
        "fabric member add anna --csr {REQUEST} --output {ANSWER} --yes", "fabric member ls", "fabric import {ANSWER}",
        "fabric member renew anna --output {ANSWER} --force", "fabric member receipt --output {RECEIPT} --fabric guest",
        "fabric member confirm {RECEIPT}", "fabric member remove anna --yes", "fabric remove guest --yes",
        "node fabrics it", "who it", "node fabrics remove it 2 --yes", "node remove it --yes", "fabric create den",
        "fabric use den", "fabric import old --rcac {RCAC} --noc {NOC} --key @{KEY} --ipk @{IPK}",
        "fabric remove old --yes", "fabric export {EXPORT} --plain --yes", "fabric restore {EXPORT} --as again",
        "fabric backup --to {BACKUPS} --plain --yes", "room add Attic",
        "serve token add panel --role read --role control", "serve token ls", "serve token rm panel",
        "network credentials add --wifi home --wifi-open",
        "network credentials ls", "network credentials forget home", "thread dataset make --out {NEW}",
        "thread dataset show @{NEW}", "tlv 1524012A18", "simulate on-off-light --port 0 --mdns none --for 100ms",
    ]

    /// Commands to a light without a network that sleeps.
    private static let radio = [
        "net status it --address {PLACE}", "net scan it --address {PLACE}",
        "net add it --wifi simulated-open --wifi-open --address {PLACE}",
        "net connect it simulated-open --address {PLACE}", "net remove it simulated --yes --address {PLACE}",
    ]

    private static let sleep = ["icd register it", "icd ls", "icd stay-active it --for 10s", "icd unregister it"]

    /// Commands about a ledger.
    private static let ledger = [
        "trust update --test-net", "trust show {ROOT}", "trust add {PEM}", "trust remove {ROOT} --yes",
        "trust update --yes", "trust export {FOLDER}", "trust ls", "dcl model 0x1234 0x8001", "dcl vendor 0x1234",
        "dcl versions 0x1234 0x8001", "dcl certified 0x1234 0x8001", "dcl pki",
    ]

    private static func commission(
        _ device: Background, _ code: String = "34970112332", as name: String, in shell: Shell, _ more: String = ""
    ) async throws {
        try await shell.succeed(
            "commission \(code) --address 127.0.0.1:\(try await device.line("ready")) --attestation skip "
                + "--name \(name) --timeout 60s \(more)")
    }

    @Test("the shapes of results about fabrics, access, bindings and networks")
    func administration() async throws {
        let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let light = try shell.start(
            "simulate on-off-light --port 0 --mdns none --state \(shell.path("light")) "
                + "--paa-out \(shell.path("trust"))/paa.der")
        let wall = try shell.start("simulate on-off-switch,speaker --port 0 --mdns none --state \(shell.path("wall"))")
        try await Self.commission(light, as: "it", in: shell)
        try await Self.commission(wall, as: "wall", in: shell)
        // A fabric that was made elsewhere, in files.
        let made = try LocalFabric.create(validity: .unlimited(from: 700_000_000))
        let own = made.credentials
        func file(_ name: String, _ octets: [UInt8]) throws -> String {
            try Data(octets).write(to: URL(fileURLWithPath: shell.path(name)))
            return shell.path(name)
        }
        let list = try await shell.succeed("read it 0/access-control/acl --json").json()
        let places = [
            "EXPORT": shell.path("house.json"), "BACKUPS": shell.path("backups"),
            "REQUEST": shell.path("request"), "ANSWER": shell.path("answer"), "RECEIPT": shell.path("receipt"),
            "TRUST": shell.path("trust"), "NEW": shell.path("dataset.hex"),
            "LIST": try shell.file("list", try #require(list["value"]).serialized()),
            "RCAC": try file("rcac", own.chain.root.der()), "NOC": try file("noc", own.chain.noc.der()),
            "KEY": try file("key", own.key.scalar.copyBytes()), "IPK": try file("ipk", own.ipkEpochKey.copyBytes()),
        ]
        var text = ""
        for words in Self.access { text += try await Self.shape(of: words, in: shell, places) }
        try await shell.succeed("window close it")
        let code = try #require(try await shell.succeed("window open it --json").json()["manualCode"]?.stringValue)
        try await Self.commission(light, code, as: "it", in: try Shell())
        for words in Self.fabrics { text += try await Self.shape(of: words, in: shell, places) }
        _ = await light.stop()
        _ = await wall.stop()
        try Snapshot.compare(text, "shapes-of-administration.txt")
    }

    @Test("the shapes of results about the networks of a device and its sleep")
    func radios() async throws {
        let shell = try Shell()
        let light = try shell.start(
            "simulate on-off-light --port 0 --mdns none --network wifi --setup-over-ip --state \(shell.path("light"))")
        let password = try shell.file("password", "simulated-password\n")
        try await Self.commission(light, as: "it", in: shell, "--wifi simulated --wifi-password @\(password)")
        let places = ["PLACE": "127.0.0.1:\(try await light.line("ready"))"]
        var text = ""
        for words in Self.radio { text += try await Self.shape(of: words, in: shell, places) }
        _ = await light.stop()
        let other = try Shell()
        let sleeper = try other.start("simulate on-off-light --port 0 --mdns none --icd 1s")
        try await Self.commission(sleeper, as: "it", in: other)
        for words in Self.sleep { text += try await Self.shape(of: words, in: other) }
        _ = await sleeper.stop()
        try Snapshot.compare(text, "shapes-of-radios.txt")
    }

    @Test("the shapes of results about trust and the ledger")
    func ledger() async throws {
        let scene = try TrustCommandTests.scene()
        let answers = scene.answers
        let server = try StandInServer { target in
            (answers[target] ?? answers[String(target.prefix { $0 != "?" })]).map { StandInServer.Answer($0) }
                ?? StandInServer.Answer(LedgerScene.notFound, status: 404)
        }
        let shell = try Shell(["MATTERCTL_LEDGER": server.url])
        let own = try LedgerScene.root("Our own")
        let places = [
            "ROOT": scene.roots[4].keyText, "PEM": try shell.file("own.pem", try #require(own.pems.first)),
            "FOLDER": shell.path("out"),
        ]
        var text = ""
        for words in Self.ledger { text += try await Self.shape(of: words, in: shell, places) }
        try Snapshot.compare(text, "shapes-of-trust.txt")
    }
}
