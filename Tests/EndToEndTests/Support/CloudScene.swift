import Foundation
import Synchronization
import Testing

/// A RainMaker-style cloud of our own, the built `rainmaker-emulator`, with users that all have one password.
final class CloudEmulator: Sendable {
    static let password = "Correct-Horse-1"
    static let users = ["alice@example.com", "bob@example.com", "carol@example.com"]

    private static let binary = Laboratory.product("rainmaker-emulator")

    let folder: TemporaryFolder
    private let child: Mutex<Child>
    private let base: Mutex<String>

    private init(folder: TemporaryFolder, child: Child) {
        self.folder = folder
        self.child = Mutex(child)
        base = Mutex("")
    }

    deinit { stop() }

    /// Starts a cloud and waits until it listens.
    ///
    /// - Parameters:
    ///   - devices: RainMaker devices that it knows.
    ///   - options: of the program.
    static func start(knowing devices: [CloudDevice] = [], _ options: String...) async throws -> CloudEmulator {
        let folder = try TemporaryFolder()
        let cloud = CloudEmulator(folder: folder, child: try run(folder, 0, devices, options))
        try await cloud.wait()
        return cloud
    }

    private static func run(
        _ folder: TemporaryFolder, _ port: Int, _ devices: [CloudDevice], _ options: [String]
    ) throws -> Child {
        var environment = Laboratory.environment
        environment["RAINMAKER_EMULATOR_PASSWORD"] = password
        var arguments = ["--state", folder.file("cloud").path, "--port", "\(port)", "--verbose"]
        for user in users {
            arguments += ["--user", user]
        }
        for device in devices {
            guard let node = device.rainmakerID else { continue }
            arguments += ["--device", "\(node)=\(device.certificate)"]
        }
        return try Child(binary, arguments + options, environment: environment, folder: folder)
    }

    private func wait() async throws {
        try await eventually("the cloud to start: \(errors)") {
            let child = child.withLock { $0 }
            guard child.isRunning else { throw LaboratoryError("the cloud did not start: \(child.stderr)") }
            guard child.stdout.hasSuffix("\n") else { return false }
            base.withLock { $0 = child.stdout.trimmingCharacters(in: .newlines) }
            return true
        }
    }

    /// The same cloud, with other faults: its state and its address stay.
    func restart(_ options: String...) async throws { try await restart(options) }

    func restart(_ options: [String]) async throws {
        let port = try #require(Int(url.split(separator: ":").last ?? ""))
        await end()
        let new = try Self.run(folder, port, [], options)
        child.withLock { $0 = new }
        try await wait()
    }

    /// Restarts it with faults.
    func play(_ faults: String...) async throws { try await restart(faults.flatMap { ["--fault", $0] }) }

    func end() async {
        let old = child.withLock { $0 }
        old.signal(SIGTERM)
        _ = await old.status()
    }

    func stop() { child.withLock { $0.signal(SIGTERM) } }

    /// `http://127.0.0.1:PORT`.
    var url: String { base.withLock { $0 } }

    /// The requests since its last start, and its errors.
    var errors: String { child.withLock { $0.stderr } }

    // MARK: Users

    /// A user with a state directory of his own, logged in.
    func user(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> MatterCtl {
        var matterctl = try MatterCtl(keepsSessions: false)
        matterctl.environment["MATTERCTL_CLOUD_PASSWORD"] = Self.password
        try await matterctl.succeed(
            "cloud", "login", "--user", "\(name)@example.com", "--url", url, sourceLocation: sourceLocation)
        matterctl.environment["MATTERCTL_CLOUD_PASSWORD"] = nil
        return matterctl
    }
}

/// A virtual device, perhaps with the RainMaker cluster. It goes with the value.
final class CloudDevice: Sendable {
    let port: Int
    /// `nil` without the RainMaker cluster.
    let rainmakerID: String?
    private let folder: TemporaryFolder
    private let command: [String]
    private let state: Mutex<State>

    private struct State {
        var child: Child
        /// The output of earlier runs of the device.
        var past: [String] = []
    }

    private static let count = Atomic(0)

    private init(port: Int, rainmakerID: String?, folder: TemporaryFolder, command: [String], input: String) throws {
        (self.port, self.rainmakerID, self.folder, self.command) = (port, rainmakerID, folder, command)
        state = Mutex(State(child: try Child(Laboratory.binary, command, input: input, folder: folder)))
    }

    deinit { stop() }

    /// Starts a device and waits until it listens.
    ///
    /// - Parameters:
    ///   - revision: of the RainMaker cluster; `nil` for none.
    ///   - input: what happens to it at once.
    static func start(
        _ type: String = "dimmable-light", revision: Int? = nil, _ options: String..., input: String = ""
    ) async throws -> CloudDevice {
        let number = count.add(1, ordering: .relaxed).newValue
        let port = 8600 + number
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.file("trust"), withIntermediateDirectories: true)
        let id = revision.map { "rmNode\($0)x\(number)" }
        var words = [
            "simulate", type, "--port", "\(port)", "--passcode", "\(20_303_031 + 7 * number)", "--discriminator",
            "\((number % 16) << 8 | (number / 16 * 16 + 9) % 256)", "--state", folder.file("device").path, "--paa-out",
            folder.file("trust/paa.der").path, "--dac-out", folder.file("dac.der").path,
        ]
        if let revision, let id { words += ["--rainmaker-revision", "\(revision)", "--rainmaker-node-id", id] }
        let device = try CloudDevice(
            port: port, rainmakerID: id, folder: folder, command: words + options, input: input)
        try await device.wait()
        return device
    }

    private func wait() async throws {
        try await eventually("the device to start: \(errors)") {
            let child = state.withLock { $0.child }
            guard child.isRunning else { throw LaboratoryError("the device did not start: \(child.stderr)") }
            return child.stdout.contains("\nready \(port)\n")
        }
    }

    /// Switches it off and on again; what it had stored, it still has.
    ///
    /// - Parameter types: its endpoints from then on, as another firmware would have them; those that it had if `nil`.
    func restart(as types: String? = nil) async throws {
        let old = state.withLock { $0.child }
        old.signal(SIGTERM)
        _ = await old.status()
        let words = types.map { ["simulate", $0] + command.dropFirst(2) } ?? command
        let new = try Child(Laboratory.binary, words, folder: folder)
        state.withLock { $0 = State(child: new, past: $0.past + Self.lines(of: $0.child)) }
        try await wait()
    }

    var qrCode: String { value("qr ") }
    var address: String { "[\(Laboratory.nearAddress)]:\(port)" }
    var trust: String { folder.file("trust").path }
    /// A file with its attestation certificate, whose key signs what the RainMaker cluster is asked to sign.
    var certificate: String { folder.file("dac.der").path }

    private func value(_ prefix: String) -> String {
        lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) } ?? ""
    }

    /// Everything that it has printed.
    var lines: [String] { state.withLock { $0.past + Self.lines(of: $0.child) } }
    var errors: String { state.withLock { $0.child.stderr } }

    private static func lines(of child: Child) -> [String] { child.stdout.split(separator: "\n").map(String.init) }

    /// Whether a certificate has ever reached it.
    var hasSeenCertificates: Bool {
        lines.contains { $0.contains("add-trusted-root-certificate") || $0.contains("/add-noc") }
    }

    /// How often the light was switched.
    var switchings: Int { lines.count { $0.hasPrefix("1/on-off/on-off ") } }

    /// For the commands that commission it.
    func words(_ options: String...) -> [String] {
        ["commission", qrCode, "--address", address, "--trust", trust, "--allow-test-devices"] + options
    }

    func stop() { state.withLock { $0.child.signal(SIGTERM) } }

    /// Switches it off, and waits until it answers no more.
    func end() async {
        let child = state.withLock { $0.child }
        child.signal(SIGTERM)
        _ = await child.status()
    }
}

/// A cloud, Alice, who has a group and its fabric, and a device that is on no fabric.
struct CloudScene: Sendable {
    let cloud: CloudEmulator
    let alice: MatterCtl
    let device: CloudDevice
    let group: String

    static let groupName = "Lake House"

    /// - Parameter revision: of the RainMaker cluster; `nil` for a device without it.
    static func fresh(
        _ type: String = "dimmable-light", revision: Int? = nil, _ options: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CloudScene {
        let device = try await CloudDevice.start(type, revision: revision)
        let cloud = try await CloudEmulator.start(knowing: [device])
        let alice = try await cloud.user("alice", sourceLocation: sourceLocation)
        let group = try await alice.succeed(
            "cloud", "create-fabric", groupName, sourceLocation: sourceLocation
        ).result
        try await alice.succeed(
            "fabric", "create", "lake", "--issuer", "rainmaker", "--group", group, sourceLocation: sourceLocation)
        return CloudScene(cloud: cloud, alice: alice, device: device, group: group)
    }

    /// The same with the device commissioned as `Porch`.
    static func commissioned(
        _ type: String = "dimmable-light", revision: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CloudScene {
        let scene = try await fresh(type, revision: revision, sourceLocation: sourceLocation)
        try await scene.commission(sourceLocation: sourceLocation)
        return scene
    }

    @discardableResult
    func commission(sourceLocation: SourceLocation = #_sourceLocation) async throws -> MatterCtl.Outcome {
        let outcome = try await alice.run(device.words("--name", "Porch"))
        try #require(
            outcome.status == 0, "\(outcome)\n\(device.lines)\n\(cloud.errors)", sourceLocation: sourceLocation)
        return outcome
    }

    /// Shares the group, and lets the other user accept and join.
    func member(
        _ name: String, primary: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> MatterCtl {
        let other = try await cloud.user(name, sourceLocation: sourceLocation)
        let words = ["cloud", "share", "add", group, "\(name)@example.com"] + (primary ? ["--primary"] : [])
        let offer = try await alice.run(words)
        try #require(offer.status == 0, "\(offer)", sourceLocation: sourceLocation)
        let waiting = try await other.succeed("cloud", "share", "requests", "--json").json()
        #expect(waiting[0]?["request"]?.string == offer.result, "\(waiting)", sourceLocation: sourceLocation)
        try await other.succeed("cloud", "share", "accept", offer.result, sourceLocation: sourceLocation)
        try await other.succeed(
            "fabric", "create", "lake", "--issuer", "rainmaker", "--group", group, sourceLocation: sourceLocation)
        return other
    }

    /// The nodes that the cloud lists for Alice.
    func listed() async throws -> [JSON] {
        try await alice.succeed("cloud", "nodes", "--group", group, "--json").json().elements
    }

    func end() {
        device.stop()
        cloud.stop()
    }
}
