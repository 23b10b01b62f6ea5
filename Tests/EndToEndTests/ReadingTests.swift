import Foundation
import Testing

/// Printed values: for programs, and on a terminal.
@Suite("Reading values", .enabled(if: Laboratory.isHere), .waitingSlot) struct ReadingTests {
    private static let onTerminal = "import pty, sys; pty.spawn(sys.argv[1:])"

    /// The lines that a command prints on a terminal.
    private func terminal(_ matterctl: MatterCtl, _ arguments: String...) async throws -> [String] {
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            Laboratory.python, ["-c", Self.onTerminal, Laboratory.binary.path] + arguments, environment: environment,
            folder: matterctl.folder)
        _ = await child.status()
        return child.stdout.split(separator: "\r\n").map(String.init)
    }

    @Test("answers come in the order of the request, as often as they were asked for")
    func order() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        try await matterctl.succeed("on", "lamp")
        let paths = ["1/OnOff/OnOff", "1/level-control/min-level", "1/6/0", "1/ON_OFF/0x0"]
        let outcome = try await matterctl.run(["read", "lamp"] + paths)
        #expect(
            outcome.result == """
                1/on-off/on-off\ttrue
                1/level-control/min-level\t1
                1/on-off/on-off\ttrue
                1/on-off/on-off\ttrue
                """, "\(outcome)")
        let objects = try await matterctl.run(["read", "lamp", "--json"] + paths).json().elements
        #expect(objects.map { $0["attribute"]?.string } == ["OnOff", "MinLevel", "OnOff", "OnOff"])
        let wild = try await matterctl.succeed("read", "lamp", "1/on-off/on-time", "1/on-off", "1/on-off/on-off")
        let names = wild.result.split(separator: "\n").map { $0.split(separator: "\t")[0] }
        #expect(names.first == "1/on-off/on-time" && names.last == "1/on-off/on-off", "\(wild)")
        #expect(names.count { $0 == "1/on-off/on-off" } == 2, "\(wild)")
    }

    @Test("the level of a light that is off is 0")
    func levelOfDarkness() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        #expect(try await matterctl.succeed("level", "lamp", "50%", "--verify").result == "127")
        #expect(try await matterctl.succeed("level", "lamp", "0", "--verify").result == "0")
        let object = try await matterctl.succeed("level", "lamp", "0", "--verify", "--json").json()
        #expect(object["on"]?.bool == false && object["attribute"]?.string == "CurrentLevel", "\(object)")
        let lit = try await matterctl.succeed("level", "lamp", "9", "--verify", "--json").json()
        #expect(lit["on"] == nil && lit["value"]?.int == 9, "\(lit)")
        // The level alone was asked for.
        try await matterctl.succeed("off", "lamp")
        let words = [
            "level", "lamp", "30", "--no-on-off", "--options-mask", "1", "--options-override", "1", "--verify",
        ]
        #expect(try await matterctl.run(words).result == "30")
    }

    @Test("a fabric id is the same text wherever it is printed; a bitmap is a list")
    func comparable() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device)
        let fabrics = try await matterctl.succeed("read", "1", "0/operational-credentials/fabrics", "--json").json()
        let mine = try await matterctl.succeed("fabric", "show", "--json").json()
        #expect(fabrics["value"]?.elements.first?["fabricID"]?.string == mine["fabricId"]?.string, "\(fabrics) \(mine)")
        let features = try await matterctl.succeed("read", "1", "*/descriptor/feature-map", "--json").json()
        #expect(
            features.elements.count == 2 && features.elements.allSatisfy { $0["value"]?.value == .array([]) },
            "\(features)")
    }

    @Test("on a terminal structures are laid out and numbers have names; in a pipe nothing changes")
    func onTerminal() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        let fabrics = try await terminal(matterctl, "read", "lamp", "0/operational-credentials/fabrics")
        #expect(fabrics.first?.hasPrefix("- rootPublicKey: hex:04") == true, "\(fabrics)")
        #expect(fabrics.contains("  nodeID: 1") && fabrics.contains("  label:"), "\(fabrics)")
        let lists = try await terminal(
            matterctl, "read", "lamp", "1/descriptor/device-type-list", "1/on-off/accepted-command-list",
            "0/basic-information/specification-version")
        #expect(
            lists == [
                "PATH                                       VALUE",
                "1/descriptor/device-type-list              - deviceType: Dimmable Light (0x0101)",
                "                                             revision: 3",
            ] + lists.dropFirst(3), "\(lists)")
        #expect(
            lists.contains {
                $0.contains("1/on-off/accepted-command-list") && $0.contains(" off (0x0000), on (0x0001)")
            })
        #expect(lists.last == "0/basic-information/specification-version  1.6", "\(lists)")
        let piped = try await matterctl.succeed(
            "read", "lamp", "1/descriptor/device-type-list", "1/on-off/accepted-command-list")
        #expect(
            piped.result.hasPrefix("1/descriptor/device-type-list\t[{\"deviceType\":257,\"revision\":3}]\n"), "\(piped)"
        )
        #expect(piped.result.hasSuffix("1/on-off/accepted-command-list\t[0,1,2,64,65,66]"), "\(piped)")

        let shown = try await terminal(matterctl, "node", "show", "lamp")
        #expect(shown.contains("name        lamp") && shown.allSatisfy { $0.count <= 80 }, "\(shown)")
        let endpoint = try #require(shown.firstIndex { $0.hasPrefix("endpoint 0  Root Node: ") }, "\(shown)")
        #expect(shown[endpoint + 1].hasPrefix("            "), "\(shown)")
        let raw = try await matterctl.succeed("node", "show", "lamp").result
        #expect(raw.contains("name\tlamp\n") && raw.contains("\nendpoint 0\tRoot Node: Descriptor, "), "\(raw)")
    }
}
