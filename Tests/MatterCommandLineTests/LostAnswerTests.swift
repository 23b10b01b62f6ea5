import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Changes of the lists of a device that lets each of its answers get lost, one after the other, as a virtual device in this
/// process.
@Suite("Lost answers to changes of lists", .fewAtATime) struct LostAnswerTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func device(_ port: String = "0", _ more: String = "") async throws -> (device: Background, port: String) {
        let device = try shell.start(
            "simulate on-off-light --port \(port) --mdns none --state \(shell.path("lamp")) \(more)")
        return (device, try await device.line("ready"))
    }

    private func commission(_ port: String, _ more: String = "") async throws {
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s \(more)")
    }

    @Test("a network is added and removed, whichever answer is lost", arguments: 1...4)
    func networks(lost: Int) async throws {
        let (new, port) = try await device("0", "--network wifi --setup-over-ip")
        let password = try shell.file("password", "simulated-password\n")
        try await commission(port, "--wifi simulated --wifi-password @\(password)")
        var running = new
        func networks() async throws -> Set<String> {
            let state = try await shell.succeed("net status lamp --json --address 127.0.0.1:\(port)").json()
            let networks = state["networking"]?.arrayValue?.first?["networks"]?.arrayValue ?? []
            #expect(Set(networks.compactMap { $0["network"]?.stringValue }).count == networks.count, "\(networks)")
            return Set(networks.compactMap { $0["network"]?.stringValue })
        }
        for (words, expected) in [
            ("net add lamp --wifi simulated-open --wifi-open", ["simulated", "simulated-open"]),
            ("net remove lamp simulated-open --yes", ["simulated"]),
        ] as [(String, Set<String>)] {
            _ = await running.stop()
            running = try await device(port, "--network wifi --setup-over-ip --fault mute:invoke:\(lost)").device
            try await shell.succeed("\(words) --address 127.0.0.1:\(port) --timeout 36s")
            #expect(try await networks() == expected)
        }
        _ = await running.stop()
    }

    /// The third command is CommissioningComplete; after it, a node whose fail-safe is gone says "OK" to its end, too.
    @Test(
        "a change that the node has kept is said to be made, though its last answer never came",
        arguments: ["mute:invoke:3", "garble:3"])
    func completed(fault: String) async throws {
        let (new, port) = try await device("0", "--network wifi --setup-over-ip")
        let password = try shell.file("password", "simulated-password\n")
        try await commission(port, "--wifi simulated --wifi-password @\(password)")
        let address = "--address 127.0.0.1:\(port)"
        try await shell.succeed("net add lamp --wifi simulated-open --wifi-open \(address)")
        _ = await new.stop()
        let silent = try await device(port, "--network wifi --setup-over-ip --fault \(fault)").device
        let removal = try await shell.run("net remove lamp simulated-open --yes \(address) --timeout 12s")
        #expect(!removal.stderr.contains("nothing has changed"), "\(removal.stderr)")
        #expect(removal.status == 0, "\(removal.stderr)")
        _ = await silent.stop()
    }

    @Test("the fabric of another administrator is removed, although the answer is lost", arguments: 1...2)
    func fabrics(lost: Int) async throws {
        let (new, port) = try await device()
        try await commission(port)
        try await shell.succeed("fabric create other")
        let code = try await shell.succeed("window open lamp --fabric home --json").json()
        let manual = try #require(code["manualCode"]?.stringValue)
        try await shell.succeed(
            "commission \(manual) --fabric other --address 127.0.0.1:\(port) --attestation skip --name guest --timeout 60s"
        )
        _ = await new.stop()
        let silent = try await device(port, "--fault mute:invoke:\(lost)").device
        try await shell.succeed("fabrics remove lamp 2 --yes --fabric home --timeout 30s")
        let left = try await shell.succeed("fabrics ls lamp --fabric home --json").json()["fabrics"]?.arrayValue ?? []
        #expect(left.count == 1, "\(left)")
        _ = await silent.stop()
    }
}
