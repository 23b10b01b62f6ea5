import Foundation
import Testing

/// A state directory as the programs of an earlier commit wrote it (Tests/Fixtures), copied for one test.
private struct ReleasedState {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures/states").standardizedFileURL

    /// The commits whose states are kept.
    static let commits: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.isEmpty ? ["none: \(folder.path) is missing or empty"] : names.sorted()
    }()

    let matterctl: MatterCtl
    private let devices: URL
    /// The folder of the attestation authorities of its devices.
    let trust: URL

    init(of commit: String) throws {
        let matterctl = try MatterCtl()
        let kept = Self.folder.appendingPathComponent(commit)
        devices = matterctl.folder.file("devices")
        trust = matterctl.folder.file("trust")
        try FileManager.default.copyItem(at: kept.appendingPathComponent("home"), to: matterctl.home)
        try FileManager.default.copyItem(at: kept.appendingPathComponent("devices"), to: devices)
        try FileManager.default.copyItem(at: kept.appendingPathComponent("trust"), to: trust)
        let beside = matterctl.folder.file("xdg-state/matterctl")
        try FileManager.default.createDirectory(at: beside, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: kept.appendingPathComponent("generations"), to: beside.appendingPathComponent("generations"))
        self.matterctl = matterctl
    }

    /// Switches on one of the devices; they were made with these ports, codes and discriminators.
    func device(
        _ name: String, _ types: String, _ number: Int, _ options: String..., isAdvertised: Bool = false
    ) async throws -> VirtualDevice {
        try await VirtualDevice.resume(
            types, from: devices.appendingPathComponent(name), port: 9700 + number, passcode: 30_303_030 + number,
            discriminator: number << 8 | 1, options: options, isAdvertised: isAdvertised)
    }

    func kitchen() async throws -> VirtualDevice { try await device("kitchen", "dimmable-light", 1) }
    func hall() async throws -> VirtualDevice { try await device("hall", "on-off-light", 2) }
}

/// The devices have the ports that their nodes were last seen at, so only one test can have them.
@Suite("The states that releases have written", .enabled(if: Laboratory.isHere), .laboratorySlot, .serialized)
struct ReleasedStateTests {
    @Test("nodes, rooms, groups, networks, sleepers and fabrics are listed", arguments: ReleasedState.commits)
    func lists(commit: String) async throws {
        let matterctl = try ReleasedState(of: commit).matterctl
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1, 2, 3], pending: [4]))
        let nodes = try await matterctl.succeed("node", "ls", "--json").json().elements
        #expect(nodes.compactMap { $0["name"]?.string } == ["kitchen", "hall", "sleeper", "cut"])
        #expect(nodes.compactMap { $0["room"]?.string } == ["Kitchen", "Hall"])
        let rooms = try await matterctl.succeed("room", "ls").stdout
        #expect(["Cellar", "Hall", "Kitchen"].allSatisfy { rooms.contains($0) }, "\(rooms)")
        #expect(try await matterctl.succeed("group", "ls").stdout == "1\tlamps\tkitchen/1, hall/1\n")
        #expect(try await matterctl.succeed("network", "credentials", "ls").stdout.contains("Guests"))
        let sleepers = try await matterctl.succeed("icd", "ls", "--json").json().elements
        #expect(sleepers.compactMap { $0["name"]?.string } == ["sleeper"])
        let fabrics = try await matterctl.succeed("fabric", "ls", "--json").json().elements
        #expect(fabrics.compactMap { $0["name"]?.string } == ["home", "lake"])
        let lake = try await matterctl.succeed("node", "ls", "--fabric", "lake", "--json").json().elements
        #expect(lake.compactMap { $0["name"]?.string } == ["porch"])
    }

    @Test("a session is resumed with the secret that was kept", arguments: ReleasedState.commits)
    func resumes(commit: String) async throws {
        let state = try ReleasedState(of: commit)
        let kitchen = try await state.kitchen()
        defer { kitchen.stop() }
        let ping = try await state.matterctl.succeed("ping", "kitchen", "--json").json()
        #expect(ping["session"]?.string == "resumed" || ping[0]?["session"]?.string == "resumed", "\(ping)")
        try await state.matterctl.succeed("toggle", "kitchen")
        #expect(kitchen.switchings == 1, "\(kitchen.events)")
    }

    @Test("a group's members take a message with its key and the next counter", arguments: ReleasedState.commits)
    func groups(commit: String) async throws {
        let state = try ReleasedState(of: commit)
        let (kitchen, hall) = (try await state.kitchen(), try await state.hall())
        defer {
            kitchen.stop()
            hall.stop()
        }
        try await state.matterctl.succeed("on", "group:lamps", "--verify")
        try await state.matterctl.succeed("off", "group:lamps", "--verify")
        #expect(try await state.matterctl.succeed("read", "hall", "1/on-off/on-off").result == "false")
    }

    @Test("a sleeper's check-in is understood", arguments: ReleasedState.commits)
    func sleepers(commit: String) async throws {
        let state = try ReleasedState(of: commit)
        let listener = try state.matterctl.start(["icd", "listen", "--json", "--count", "1", "--for", "60s"])
        try await eventually("the listener to listen: \(listener.stderr)") { listener.stderr.contains("listening") }
        let sleeper = try await state.device("sleeper", "contact-sensor", 3, "--icd", "2s", isAdvertised: true)
        defer { sleeper.stop() }
        #expect(await listener.status() == 0)
        #expect(
            try JSON(parsing: listener.stdout)["name"]?.string == "sleeper", "\(listener.stdout) \(listener.stderr)")
    }

    @Test("a node with a certificate from the cloud is switched", arguments: ReleasedState.commits)
    func cloud(commit: String) async throws {
        let state = try ReleasedState(of: commit)
        let porch = try await state.device(
            "porch", "dimmable-light", 4, "--rainmaker", "--rainmaker-node-id", "keptLight01")
        defer { porch.stop() }
        try await state.matterctl.succeed("toggle", "porch", "--fabric", "lake")
        #expect(porch.switchings == 1, "\(porch.events)")
    }

    @Test(
        "a commissioning that was cut off is begun again and completed, and its id is given to no other node",
        arguments: ReleasedState.commits)
    func cutOff(commit: String) async throws {
        let state = try ReleasedState(of: commit)
        let matterctl = state.matterctl
        let cut = try await state.device("cut", "dimmable-light", 5)
        defer { cut.stop() }
        func join(_ device: VirtualDevice, _ trust: String, _ name: String) async throws {
            try await matterctl.succeed(
                "commission", device.qrCode, "--address", device.address, "--trust", trust, "--allow-test-devices",
                "--name", name)
        }
        let other = try await VirtualDevice.start()
        defer { other.stop() }
        try await join(other, other.trust, "other")
        let nodes = try await matterctl.nodes()
        #expect(nodes.commissioned.count == 4 && !nodes.commissioned.contains(4), "\(nodes)")
        try await join(cut, state.trust.path, "cut")
        try await matterctl.succeed("on", "cut")
        let after = try await matterctl.nodes()
        #expect(after.commissioned.count == 5 && after.pending.isEmpty, "\(after)")
    }

    @Test("what is changed is written, and still there for the next command", arguments: ReleasedState.commits)
    func upgrades(commit: String) async throws {
        let state = try ReleasedState(of: commit)
        let matterctl = state.matterctl
        let hall = try await state.hall()
        defer { hall.stop() }
        try await matterctl.succeed("node", "rename", "hall", "Corridor")
        try await matterctl.succeed("room", "rename", "Kitchen", "Galley")
        try await matterctl.succeed("group", "remove", "lamps", "Corridor")
        #expect(try await matterctl.succeed("group", "ls").stdout == "1\tlamps\tkitchen/1\n")
        let names = try await matterctl.succeed("node", "ls", "--json").json().elements
        #expect(names.compactMap { $0["name"]?.string } == ["kitchen", "Corridor", "sleeper", "cut"])
        #expect(names.first?["room"]?.string == "Galley", "\(names)")
        try await matterctl.succeed("node", "remove", "Corridor", "--yes")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1, 3], pending: [4]))
    }
}
