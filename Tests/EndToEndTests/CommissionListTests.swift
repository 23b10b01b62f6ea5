import Foundation
import Testing

/// `commission --from`: many devices in one process.
@Suite("Commissioning a list", .enabled(if: Laboratory.isHere), .waitingSlot) struct CommissionListTests {
    /// Virtual devices in one process, and their codes in order.
    private struct Devices {
        let devices: VirtualDevice
        var codes: [String] {
            devices.events.filter { $0["event"]?.string == "ready" }.compactMap { $0["qrCode"]?.string }
        }
        let matterctl: MatterCtl

        init(_ count: Int, port: Int, faults: [String] = []) async throws {
            devices = try await VirtualDevice.start(
                "on-off-light", faults: faults, options: ["--count", "\(count)", "--port", "\(port)"],
                isAdvertised: true)
            matterctl = try MatterCtl()
            let devices = devices
            try await devices.wait(for: "all codes") { $0.count { $0["event"]?.string == "ready" } == count }
        }

        var options: [String] { ["--trust", devices.trust, "--allow-test-devices"] }

        func commission(_ lines: [String], _ options: [String] = []) async throws -> MatterCtl.Outcome {
            try await matterctl.run(
                ["commission", "--from", "-"] + self.options + options, input: lines.joined(separator: "\n") + "\n")
        }
    }

    @Test(
        "ours and another maker's, one with a wrong code: a result for each line, the others are nodes with name and room"
    )
    func mixed() async throws {
        let (house, light) = (try await Devices(5, port: 9200), try await Light.start())
        defer {
            house.devices.stop()
            light.stop()
        }
        let matterctl = house.matterctl
        let wrong = try await matterctl.succeed(
            "payload", "make", "--passcode", "50505053", "--discriminator", "\(house.devices.discriminator + 4)",
            "--json"
        ).json()["qrCode"]?.string
        let codes = house.codes
        let outcome = try await house.commission(
            [
                "# the hall", "\(codes[0]) one Hall", "\(codes[1]) \"number two\" Hall", "", "\(codes[2])",
                "\(try #require(wrong)) stranger", "\(light.qrCode) foreign", "\(codes[3]) last",
            ], ["--json", "--room", "Attic", "--progress", "json"])
        #expect(outcome.status == 8, "\(outcome)")
        let results = try outcome.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(results.compactMap { $0["line"]?.int }.sorted() == [2, 3, 5, 6, 7, 8], "\(outcome)")
        let failed = try #require(results.first { $0["result"]?.string == "failed" })
        #expect(failed["line"]?.int == 6 && failed["name"]?.string == "stranger", "\(failed)")
        #expect(failed["error"]?["id"]?.string == "pase.wrong-passcode", "\(failed)")
        #expect(try outcome.error()["id"]?.string == "commission.incomplete", "\(outcome)")
        #expect(results.filter { $0["line"]?.int != 6 }.allSatisfy { $0["stages"]?.elements.isEmpty == false })
        let rooms = try await matterctl.succeed("node", "ls", "--json").json().elements.map {
            "\($0["name"]?.string ?? "-") \($0["room"]?.string ?? "-")"
        }
        #expect(
            rooms.sorted() == ["- Attic", "foreign Attic", "last Attic", "number two Hall", "one Hall"], "\(rooms)")
        let off = try await matterctl.succeed("on", "--all")
        #expect(off.stdout.split(separator: "\n").count == 5 && off.stdout.contains("\tdone"), "\(off)")
        #expect(house.devices.fabrics == 4 && light.fabrics == 1)
        let stages = try outcome.messages.map { try JSON(parsing: $0) }.compactMap { $0["progress"] }
        #expect(Set(stages.compactMap { $0["line"]?.int }) == [2, 3, 5, 6, 7, 8], "\(outcome.stderr)")
    }

    @Test("ids follow the list, though its first device is the slowest; at its end, what no device has got comes back")
    func ids() async throws {
        let slow = try await Devices(1, port: 9240, faults: ["slow-crypto:1500"])
        let quick = try await Devices(3, port: 9245)
        defer {
            slow.devices.stop()
            quick.devices.stop()
        }
        let stranger = try await quick.matterctl.succeed(
            "payload", "make", "--passcode", "50505053", "--discriminator", "\(quick.devices.discriminator)", "--json"
        ).json()["qrCode"]?.string
        let lines = [slow.codes[0], quick.codes[1], quick.codes[2], try #require(stranger)]
        let outcome = try await quick.matterctl.run(
            ["commission", "--from", "-", "--json", "--attestation", "skip"], input: lines.joined(separator: "\n"))
        #expect(outcome.status == 8, "\(outcome)")
        let results = try outcome.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(results.last { $0["result"]?.string == "done" }?["line"]?.int == 1, "\(outcome)")
        let nodes = results.filter { $0["result"]?.string == "done" }.map { ($0["line"]?.int, $0["node"]?.int) }
        #expect(nodes.count == 3 && nodes.allSatisfy { $0 == $1 }, "\(outcome)")
        let last = try await quick.commission([quick.codes[0]], ["--json"])
        #expect(try last.json()["node"]?.int == 4, "\(last)")
    }

    @Test("wrong lines: all of them are told, exit 64, and no device is spoken to")
    func wrongLines() async throws {
        let house = try await Devices(2, port: 9210)
        defer { house.devices.stop() }
        let codes = house.codes
        let lines = ["\(codes[0]) one", "34970112333 two", "\(codes[0])", "\(codes[1]) one"]
        let outcome = try await house.commission(lines, ["--json"])
        #expect(outcome.status == 64 && outcome.stdout.isEmpty, "\(outcome)")
        let error = try outcome.error()
        #expect(error["lines"]?.elements.compactMap { $0["line"]?.int } == [2, 3, 4], "\(error)")
        let text = try await house.commission(lines)
        #expect(text.messages.count { $0.hasPrefix("why: line ") } == 3, "\(text)")
        #expect(Set(house.devices.steps) == ["window-opened"], "\(house.devices.steps)")
        for words in [
            ["--name", "x"], ["--node-id", "5"], ["--passcode", "1"], ["--address", "[::1]:5540"], [codes[0]],
        ] {
            let refused = try await house.commission([codes[0]], words)
            #expect(refused.status == 64 && refused.stdout.isEmpty, "\(refused)")
        }
        #expect(Set(house.devices.steps) == ["window-opened"], "\(house.devices.steps)")
    }

    @Test("Ctrl-C: every device under way is told to forget, and nothing stays here")
    func interrupted() async throws {
        let house = try await Devices(3, port: 9220, faults: ["slow-crypto:1500"])
        defer { house.devices.stop() }
        let child = try house.matterctl.start(
            ["commission", "--from", "-", "--json"] + house.options, input: house.codes.joined(separator: "\n"))
        // Each is armed by PASE, and once more by the commissioner, which then waits for signatures.
        try await house.devices.wait(for: "three fail-safes that the commissioner armed") { events in
            let armed = events.filter { $0["step"]?.string == "fail-safe-armed" }
                .compactMap { $0["simulatedNode"]?.int }
            return (0..<3).allSatisfy { node in armed.count { $0 == node } > 1 }
        }
        child.signal(SIGINT)
        #expect(await child.status() == 130, "\(child.stdout)\(child.stderr)")
        let steps = house.devices.events.filter { $0["step"]?.string == "fail-safe-disarmed" }
        #expect(Set(steps.compactMap { $0["simulatedNode"]?.int }).count == 3, "\(house.devices.steps)")
        let results = try child.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(
            results.count == 3 && results.allSatisfy { $0["error"]?["device"]?.string == "rolled-back" },
            "\(child.stdout)")
        #expect(try await house.matterctl.nodes() == Nodes())
        #expect(house.devices.fabrics == 0)
    }

    @Test(
        "killed in the middle: each device is completed or begun again by the same list, with one node and one fabric")
    func killed() async throws {
        let house = try await Devices(6, port: 9230, faults: ["slow-crypto:100"])
        defer { house.devices.stop() }
        let lines = house.codes.enumerated().map { "\($1) lamp\($0)" }
        let child = try house.matterctl.start(
            ["commission", "--from", "-", "--json"] + house.options, input: lines.joined(separator: "\n"))
        try await house.devices.wait(for: "noc-added")
        child.signal(SIGKILL)
        _ = await child.status()
        let outcome = try await house.commission(lines, ["--json"])
        let nodes = try await house.matterctl.nodes()
        #expect(nodes.commissioned.count == 6 && nodes.pending.isEmpty, "\(nodes) \(outcome)")
        // A device that was complete before the kill says that it is a node already.
        let failed = try outcome.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
            .compactMap { $0["error"]?["id"]?.string }
        #expect(failed.allSatisfy { $0 == "commission.already-on-fabric" }, "\(outcome)")
        let on = try await house.matterctl.succeed("on", "--all")
        #expect(on.stdout.components(separatedBy: "\tdone").count == 7, "\(on)")
    }
}
