import JSON
import MatterCommandLine
import TestSupport
import Testing

@testable import MatterSimulator

/// A virtual switch and virtual lights in this process, bound and unbound.
@Suite("Binding commands", .fewAtATime) struct BindingCommandTests {
    private let shell: Shell
    private let devices: [Background]
    private let ports: [String]

    init() async throws {
        shell = try Shell()
        try await shell.succeed("fabric create home")
        var devices: [Background] = []
        var ports: [String] = []
        for (name, type) in [("light", "dimmable-light,on-off-light"), ("wall", "on-off-switch")] {
            let device = try shell.start("simulate \(type) --port 0 --mdns none --state \(shell.path(name))")
            let port = try await device.line("ready")
            try await shell.succeed(
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name \(name) --timeout 60s")
            devices.append(device)
            ports.append(port)
        }
        (self.devices, self.ports) = (devices, ports)
    }

    private func bindings() async throws -> String { try await shell.succeed("read wall 1/binding/binding").stdout }

    private func access() async throws -> [String] {
        try await shell.succeed("acl ls light").stdout.split(separator: "\n").dropFirst().map(String.init)
    }

    private func id(_ words: String) async throws -> String? {
        try await shell.run(words + " --json").error().text("id")
    }

    @Test("bind makes the binding and the right that it needs, once; unbind takes both away")
    func both() async throws {
        #expect(
            try await shell.succeed("bind wall light/1 --cluster on-off").stdout == "wall/1\tlight/1\ton-off\tadded\n")
        #expect(try await access() == ["operate\tcase\t2 (wall)\t1/on-off\t2"])
        let again = try await shell.succeed("bind wall/1 light/1 --cluster 6 --json").json()
        #expect(again["access"] == "unchanged" && again["bindings"]?.arrayValue?.first?["result"] == "present")
        try await shell.succeed("bind wall light/2 --cluster on-off")
        #expect(try await access() == ["operate\tcase\t2 (wall)\t1/on-off, 2/on-off\t2"])
        let json = try await shell.succeed("unbind wall light/1 --json").json()
        #expect(json["access"] == "withdrawn" && json["node"] == 2 && json["endpoint"] == 1, "\(json)")
        let gone = try #require(json["bindings"]?.arrayValue?.first)
        #expect(gone["result"] == "removed" && gone["name"] == "light" && gone["cluster"] == "OnOff")
        #expect(try await access() == ["operate\tcase\t2 (wall)\t2/on-off\t2"])
        try await shell.succeed("unbind wall light")
        let left = try await (access(), bindings())
        #expect(left.0.isEmpty && left.1 == "[]\n", "\(left)")
        #expect(try await id("unbind wall light") == "binding.unknown")
    }

    @Test("the endpoint of the target is found, or has to be named; a group needs no right")
    func targets() async throws {
        let several = try await shell.run("bind wall light --json")
        #expect(try several.status == 64 && several.error().text("id") == "node.ambiguous-endpoint", "\(several)")
        #expect(try await id("bind light wall/1") == "node.unsupported-cluster")
        #expect(try await id("bind wall hall") == "node.unknown")
        #expect(try await id("bind wall group:0") == "usage.subject")
        #expect(try await id("bind wall light/x") == "usage.subject")
        let group = try await shell.succeed("bind wall group:258 --json").json()
        #expect(group["access"] == nil && group["bindings"]?.arrayValue?.first?["group"] == 258)
        #expect(try await shell.succeed("unbind wall group:0x102").stdout == "wall/1\tgroup:258\tall\tremoved\n")
        try await shell.succeed("group create hall --id 258")
        #expect(try await shell.succeed("bind wall group:hall --json").json()["bindings"] == group["bindings"])
        #expect(try await id("bind wall group:attic") == "group.unknown")
        #expect(try await shell.succeed("acl grant light group:hall").stdout.contains("\tgroup 258 (hall)\t"))
        try await shell.succeed("acl revoke light group:hall")
        try await shell.succeed("unbind wall group:hall")
        #expect(try await shell.succeed("bind wall light/2 --no-access").stdout == "wall/1\tlight/2\tall\tadded\n")
        let left = try await access()
        #expect(left.isEmpty, "\(left)")
    }

    @Test("a right that the source has otherwise stays; what another binding needs stays")
    func otherRights() async throws {
        try await shell.succeed("acl grant light wall --privilege manage")
        #expect(try await shell.succeed("bind wall light/1 --json").json()["access"] == "unchanged")
        #expect(try await shell.succeed("unbind wall light/1 --json").json()["access"] == "unchanged")
        #expect(try await access() == ["manage\tcase\t2 (wall)\tall\t2"])
    }

    @Test("if the binding is refused, the right is taken back; what was there before stays")
    func undone() async throws {
        try await shell.succeed("acl grant light wall --target 2/on-off")
        let before = try await access()
        // The switch is no client of the cluster.
        #expect(try await id("bind wall light/2 --cluster on-off --cluster door-lock") == "im.status")
        #expect(try await access() == before)
        #expect(try await bindings() == "[]\n")
    }

    @Test("if the right cannot be taken away, the binding stays; a target that is gone for good costs only that")
    func targetAway() async throws {
        try await shell.succeed("bind wall light/1")
        _ = await devices[0].stop()
        let run = try await shell.run("unbind wall light --timeout 8s --json")
        #expect(run.status == 4 && run.stderr.contains("node 'light'"), "\(run)")
        #expect(try await bindings().contains("\"node\":1"))
        try await shell.succeed("node forget light --yes")
        let json = try await shell.succeed("unbind wall 1 --json").json()
        #expect(json["access"] == nil && json["bindings"]?.arrayValue?.count == 1)
        #expect(try await bindings() == "[]\n")
    }

    @Test("a device of all types is given, bound and shown as any other")
    func everyType() async throws {
        let types = SimulatedType.all.map(\.name).joined(separator: ",")
        let device = try shell.start("simulate \(types) --port 0 --mdns none --state \(shell.path("all"))")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name all --timeout 60s")
        let endpoints = try #require(
            try await shell.succeed("describe all --json").json()["endpoints"]?.arrayValue)
        #expect(endpoints.count > SimulatedType.all.count)
        let lights = endpoints.filter { endpoint in
            endpoint["clusters"]?.arrayValue?.contains { $0["cluster"] == "OnOff" } == true
        }.compactMap { $0["endpoint"]?.serialized() }
        #expect(lights.count > 3)
        for light in lights {
            let run = try await shell.run("bind wall all/\(light) --cluster on-off --json")
            // Entries have room for three targets, and the list for three more of them; the switch for ten bindings.
            if run.status != 0 { #expect(try ["acl.full", "im.status"].contains(run.error().text("id")), "\(run)") }
        }
        let who = try await shell.succeed("who all --json").json()
        let entries = try #require(who["entries"]?.arrayValue)
        let granted = entries.dropFirst().flatMap { $0["targets"]?.arrayValue ?? [] }.count
        let bound = try await shell.succeed("read wall 1/binding/binding --json").json()["value"]?.arrayValue?.count
        #expect(granted == bound && granted >= 3, "\(entries)")
        #expect(try await shell.succeed("unbind wall all --json").json()["access"] == "withdrawn")
        #expect(try await shell.succeed("acl ls all").stdout.split(separator: "\n").count == 1)
    }
}
