import Foundation
import Testing

/// A tenth of all datagrams is lost, in each direction; which ones, the seeds say.
@Suite("On a bad network", .enabled(if: Laboratory.isHere), .laboratorySlot) struct LossTests {
    private static let tenth = ["--loss", "0.1"]

    @Test("twenty commissionings at 10 % loss all succeed, each once", arguments: 0..<4)
    func commissionings(group: Int) async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        for seed in (group * 5 + 1)...(group * 5 + 5) {
            let relay = try await Relay.start(to: light, seed: seed, Self.tenth)
            let matterctl = try MatterCtl()
            let before = light.fabrics
            let outcome = try await matterctl.commission(light, relay.address, ["--json"])
            #expect(try outcome.json()["node"]?.int == 1, "seed \(seed)")
            #expect(light.fabrics == before + 1, "seed \(seed): \(light.lines)")
            #expect(try await matterctl.nodes() == Nodes(commissioned: [1]), "seed \(seed)")
            let fate = await relay.stop()
            #expect(fate.contains(" lost"), "seed \(seed): \(fate)")
        }
        #expect(light.lines.count { $0 == "complete" } == 5, "\(light.lines)")
    }

    @Test("a hundred toggles at 10 % loss all succeed, none lost or doubled", arguments: 0..<4)
    func toggles(group: Int) async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        let matterctl = try MatterCtl(keepsSessions: false)
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        let relay = try await Relay.start(to: light, seed: 100 + group, Self.tenth)
        for number in 1...25 {
            let outcome = try await matterctl("toggle", "kitchen", "--address", relay.address)
            #expect(outcome.status == 0, "toggle \(number) of group \(group): \(outcome)")
            #expect(light.switchings == number, "toggle \(number) of group \(group)")
        }
        let fate = await relay.stop()
        let lost = fate.matches(of: /(\d+) lost/).compactMap { Int($0.1) }.reduce(0, +)
        #expect(lost > 10, "the network was bad: \(fate)")
    }

    @Test("on kept sessions each toggle at 10 % loss ran once, or its outcome is unknown")
    func keptToggles() async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        let relay = try await Relay.start(to: light, seed: 300, Self.tenth)
        var unknown = 0
        for number in 1...25 {
            let before = light.switchings
            let outcome = try await matterctl("toggle", "kitchen", "--address", relay.address)
            let runs = light.switchings - before
            #expect(outcome.status == 0 ? runs == 1 : outcome.status == 4 && runs <= 1, "toggle \(number): \(outcome)")
            if outcome.status != 0 { unknown += 1 }
        }
        #expect(unknown <= 3, "\(unknown) of 25")
        let fate = await relay.stop()
        #expect(fate.contains(" lost"), "\(fate)")
    }

    @Test("with duplicates and overtaking as well, and a large read in many messages")
    func everything() async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        let direct = try await matterctl.succeed("read", "kitchen", "*/*/*", "--json").json().elements.count
        let relay = try await Relay.start(
            to: light, seed: 7, ["--loss", "0.05", "--duplicate", "0.1", "--reorder", "0.1", "--delay", "3"])
        for number in 1...5 {
            try await matterctl.succeed("toggle", "kitchen", "--address", relay.address)
            #expect(light.switchings == number)
        }
        let read = try await matterctl.succeed("read", "kitchen", "*/*/*", "--json", "--address", relay.address)
        #expect(try read.json().elements.count == direct)
        _ = await relay.stop()
    }
}
