import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// A device that one machine commissions and another one completes.
@Suite("Handover of a commissioning", .fewAtATime) struct HandoverTests {
    private let (first, second): (Shell, Shell)

    init() throws { (first, second) = (try Shell(), try Shell()) }

    private func begin(_ port: String, _ more: String) -> String {
        "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(first.path("trust")) "
            + "--handover \(first.path("lamp.handover")) \(more)"
    }

    private func device(_ more: String = "") throws -> Background {
        try first.start(
            "simulate on-off-light --port 0 --mdns none \(more) --paa-out \(first.path("trust"))/paa.der")
    }

    @Test("another machine completes the node, has the fabric then, and controls it; the first one learns of it")
    func completed() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let run = try await first.succeed(begin(port, "--until add-noc --json"))
        guard case .int(let left)? = try run.json()["expiresInSeconds"] else {
            Issue.record("\(run)")
            return
        }
        #expect((600...900).contains(left))
        let file = first.path("lamp.handover")
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let there = "--address 127.0.0.1:\(port)"
        let done = try await second.succeed("commission --complete \(file) --name lamp --json \(there)").json()
        #expect(done["name"] == "lamp" && done["resumed"] == true)
        try await second.succeed("toggle lamp \(there)")
        #expect(try await second.succeed("fabric ls --json").json().arrayValue?.count == 1)
        // Once more changes nothing.
        try await second.succeed("commission --complete \(file) \(there)")
        try await first.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(first.path("trust")) "
                + "--name here")
        try await first.succeed("toggle here \(there)")
    }

    @Test("a device that joins its network for the first machine is completed by the second one")
    func network() async throws {
        let device = try device("--network wifi --setup-over-ip")
        let port = try await device.line("ready")
        let run = try await first.succeed(begin(port, "--until network --wifi simulated-open --wifi-open"))
        #expect(run.stderr.contains("matterctl commission --complete "), "\(run)")
        try await second.succeed(
            "commission --complete \(first.path("lamp.handover")) --name lamp --address 127.0.0.1:\(port)")
        try await second.succeed("toggle lamp --address 127.0.0.1:\(port)")
    }

    @Test("a file that is none, a device that has forgotten, and options that do not go together are errors")
    func failures() async throws {
        let bad = try await second.run("commission --complete \(try second.file("bad", "{}")) --json")
        #expect(bad.status == 64)
        #expect(try bad.error().text("id") == "usage.handover")
        let device = try device()
        let port = try await device.line("ready")
        try await first.succeed(begin(port, "--until add-noc"))
        let late = try Shell(now: Int64(Date().timeIntervalSince1970) + 2000)
        let expired = try await late.run("commission --complete \(first.path("lamp.handover")) --json")
        #expect(expired.status == 8)
        #expect(try expired.error().text("id") == "commission.handover-expired")
        for words in ["--until csr", "", "--until add-noc --complete x"] {
            #expect(try await first.run(begin("1", words)).status == 64)
        }
    }
}
