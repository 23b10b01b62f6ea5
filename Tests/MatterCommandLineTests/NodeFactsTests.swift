import JSON
import TestSupport
import Testing

/// The common questions about a node, by name, of a virtual device in this process.
@Suite("Facts of a node", .fewAtATime) struct NodeFactsTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func commission(_ types: String) async throws -> Background {
        let device = try shell.start("simulate \(types) --port 0 --mdns none --name Facts --serial S-1")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name node --timeout 60s")
        return device
    }

    @Test("basic information is read by name, whole or in part, and node show has it from the record")
    func basicInformation() async throws {
        let device = try await commission("dimmable-light")
        for (name, value) in [
            ("vendor-id", "65521"), ("product-id", "32769"), ("product-name", "Facts"), ("serial-number", "S-1"),
            ("software-version", "1"),
        ] {
            #expect(try await shell.succeed("read node 0/basic-information/\(name)").stdout == "\(value)\n")
        }
        let text = try await shell.succeed("read node 0/basic-information/software-version-string").stdout
        let whole = try await shell.succeed("read node 0/basic-information").stdout
        #expect(whole.contains("0/basic-information/software-version-string\t\(text)"), "\(whole)")
        let shown = try await shell.succeed("node show node --json").json()
        #expect(shown["vendorId"] == 65521 && shown["productId"] == 32769, "\(shown)")
        _ = await device.stop()
    }

    @Test("a switch shows the clusters that it uses on others")
    func clients() async throws {
        let device = try await commission("on-off-switch")
        let json = try await shell.succeed("describe node --json").json()
        let clients = json["endpoints"]?.arrayValue?.flatMap { $0["clients"]?.arrayValue ?? [] } ?? []
        #expect(clients.contains("OnOff"), "\(json)")
        _ = await device.stop()
    }

    @Test("a fan's mode and a lock's limit of wrong codes are written by name and value")
    func modes() async throws {
        let device = try await commission("fan,door-lock")
        try await shell.succeed("write node 1/fan-control/fan-mode low")
        #expect(try await shell.succeed("read node 1/fan-control/fan-mode").stdout == "Low\n")
        try await shell.succeed("write node 2/door-lock/wrong-code-entry-limit 3")
        #expect(try await shell.succeed("read node 2/door-lock/wrong-code-entry-limit").stdout == "3\n")
        _ = await device.stop()
    }
}
