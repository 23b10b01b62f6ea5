import Foundation
import Glibc
import Synchronization
import TestSupport

/// A device of ours, `matterctl simulate`, with a state directory and an attestation authority of its own. It goes with
/// the value, or with ``stop()``.
final class VirtualDevice: Sendable {
    let port: Int
    let discriminator: Int
    let passcode: Int
    /// Where it is: on the near host, or on the far one.
    let host: String
    /// A pipe: each line in it is typed into the device, if it was started so.
    let keys: String
    private let folder: TemporaryFolder
    private let command: [String]
    private let environment: [String: String]
    private let state: Mutex<State>

    private struct State {
        var child: Child
        /// The output of earlier runs of the device.
        var past: [JSON] = []
    }

    private static let count = Atomic(0)

    /// Starts a device and waits until it listens.
    ///
    /// - Parameters:
    ///   - types: as the command takes them.
    ///   - faults: what it is to play.
    ///   - options: further options of `simulate`.
    ///   - isAdvertised: whether discovery finds it.
    ///   - input: what a person types into it at the start.
    ///   - hasKeys: whether it is typed into by ``keys`` instead.
    ///   - environment: that of the laboratory, if none is given.
    static func start(
        _ types: String = "dimmable-light", faults: [String] = [], options: [String] = [], isAdvertised: Bool = false,
        on place: FarHost? = nil, input: String = "", hasKeys: Bool = false, environment: [String: String]? = nil
    ) async throws -> VirtualDevice {
        let number = count.add(1, ordering: .relaxed).newValue
        let device = try VirtualDevice(
            number, types, faults, options, isAdvertised, place, input, hasKeys, environment)
        try await device.waitUntilReady()
        return device
    }

    /// Switches on a device that was commissioned by an earlier release, whose state it had written too.
    ///
    /// - Parameters:
    ///   - types: what it was.
    ///   - folder: its state, which changes.
    ///   - options: what it was made with: port, passcode and discriminator.
    static func resume(
        _ types: String, from folder: URL, port: Int, passcode: Int, discriminator: Int, options: [String] = [],
        isAdvertised: Bool = false
    ) async throws -> VirtualDevice {
        let device = try VirtualDevice(
            types, folder, port, passcode, discriminator, options + ["--mdns", isAdvertised ? "avahi" : "none"])
        try await device.waitUntilReady()
        return device
    }

    private init(
        _ types: String, _ state: URL, _ port: Int, _ passcode: Int, _ discriminator: Int, _ options: [String]
    ) throws {
        (self.port, self.passcode, self.discriminator, host) = (port, passcode, discriminator, Laboratory.nearAddress)
        folder = try TemporaryFolder()
        keys = folder.file("keys").path
        command =
            [
                Laboratory.binary.path, "simulate", types, "--json", "--port", "\(port)", "--passcode", "\(passcode)",
                "--discriminator", "\(discriminator)", "--state", state.path,
            ] + options
        environment = Laboratory.environment
        self.state = Mutex(State(child: try Self.run(command, environment, in: folder, input: "")))
    }

    private init(
        _ number: Int, _ types: String, _ faults: [String], _ options: [String], _ isAdvertised: Bool,
        _ place: FarHost?, _ input: String, _ hasKeys: Bool, _ given: [String: String]?
    ) throws {
        (port, passcode) = (7600 + number, 30_303_031 + 7 * number)
        discriminator = (number % 16) << 8 | (number / 16 * 16 + 10) % 256
        host = place == nil ? Laboratory.nearAddress : FarHost.address
        folder = try TemporaryFolder()
        keys = folder.file("keys").path
        try FileManager.default.createDirectory(at: folder.file("trust"), withIntermediateDirectories: true)
        var words = place == nil ? [] : Laboratory.far
        if hasKeys {
            guard mkfifo(keys, 0o600) == 0 else { throw LaboratoryError("no pipe") }
            // Open for writing too, it never ends.
            words += ["KEYS=\(keys)", "sh", "-c", #"exec "$0" "$@" <>"$KEYS""#]
        }
        words += [
            Laboratory.binary.path, "simulate", types, "--json", "--port", "\(port)", "--passcode", "\(passcode)",
            "--discriminator", "\(discriminator)", "--state", folder.file("device").path, "--paa-out",
            folder.file("trust/paa.der").path, "--mdns", isAdvertised ? "avahi" : "none",
        ]
        command = words + options + faults.flatMap { ["--fault", $0] }
        environment = given ?? place?.environment ?? Laboratory.environment
        state = Mutex(State(child: try Self.run(command, environment, in: folder, input: input)))
    }

    deinit { stop() }

    private static func run(
        _ command: [String], _ environment: [String: String], in folder: TemporaryFolder, input: String
    ) throws -> Child {
        try Child(
            URL(fileURLWithPath: "/usr/bin/env"), command, environment: environment, input: input, folder: folder)
    }

    /// For `--address`.
    var address: String { "[\(host)]:\(port)" }

    /// For `--trust`.
    var trust: String { folder.file("trust").path }

    var qrCode: String { value("qrCode") }
    var manualCode: String { value("manualCode") }

    private func value(_ key: String) -> String {
        events.first { $0["event"]?.string == "ready" }?[key]?.string ?? ""
    }

    // MARK: What it says

    /// Everything that it has printed since it was first started.
    var events: [JSON] { state.withLock { $0.past + Self.events(of: $0.child) } }

    private static func events(of child: Child) -> [JSON] {
        // The last line may not be complete yet.
        child.stdout.split(separator: "\n").compactMap { try? JSON(parsing: String($0)) }
    }

    /// The steps of commissionings and sessions, in order.
    var steps: [String] { events.compactMap { $0["step"]?.string } }

    /// The values that an attribute has taken on.
    func values(_ cluster: String, _ attribute: String) -> [JSON] {
        events.filter { $0["cluster"]?.string == cluster && $0["attribute"]?.string == attribute }
            .compactMap { $0["value"] }
    }

    /// How often it was switched.
    var switchings: Int { values("OnOff", "OnOff").count }

    /// How often it carried out a command.
    func count(ofCommand name: String) -> Int { events.count { $0["command"]?.string == name } }

    /// How many fabrics it is on.
    var fabrics: Int {
        steps.reduce(0) { count, step in
            step == "noc-added" ? count + 1 : step == "fabric-removed" ? count - 1 : count
        }
    }

    /// The fault of it.
    var errors: String { state.withLock { $0.child.stderr } }

    func wait(
        for what: String, within limit: Duration = patience, _ condition: ([JSON]) -> Bool
    ) async throws {
        try await eventually("the device to print \(what); it printed \(events) \(errors)", within: limit) {
            condition(events)
        }
    }

    /// Waits for a step of a commissioning or session.
    func wait(for step: String, within limit: Duration = patience) async throws {
        try await wait(for: step, within: limit) { _ in steps.contains(step) }
    }

    /// Waits until it has played a fault.
    func waitForFault(_ fault: String, within limit: Duration = patience) async throws {
        try await wait(for: fault, within: limit) { $0.contains { $0["fault"]?.string == fault } }
    }

    // MARK: Power

    func signal(_ number: Int32) { state.withLock { $0.child.signal(number) } }

    func stop() { signal(SIGTERM) }

    /// Ends it, and waits for its end.
    func end(_ number: Int32 = SIGTERM) async {
        let child = state.withLock { $0.child }
        child.signal(number)
        _ = await child.status()
    }

    /// Switches it off and on again; what it had stored, it still has, and it is without faults.
    ///
    /// - Parameters:
    ///   - number: how it ends: SIGKILL is a power cut.
    ///   - options: of `simulate`, from now on.
    func restart(
        _ number: Int32 = SIGTERM, faults: [String] = [], options: [String] = [], input: String = ""
    ) async throws {
        await end(number)
        var words = command
        while let position = words.firstIndex(of: "--fault") { words.removeSubrange(position...(position + 1)) }
        let new = try Self.run(
            words + options + faults.flatMap { ["--fault", $0] }, environment, in: folder, input: input)
        state.withLock { $0 = State(child: new, past: $0.past + Self.events(of: $0.child)) }
        try await waitUntilReady()
    }

    /// Makes it forget the sessions that could be resumed; while it is off.
    func forgetResumptions() throws {
        let nodes = folder.file("device/nodes/0")
        let records = try FileManager.default.contentsOfDirectory(at: nodes, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("resumptions") }
        guard !records.isEmpty else { throw LaboratoryError("the device has no sessions to resume") }
        for record in records { try FileManager.default.removeItem(at: record) }
    }

    private func waitUntilReady() async throws {
        try await eventually("the device to start: \(errors)") {
            let child = state.withLock { $0.child }
            guard child.isRunning else { throw LaboratoryError("the device did not start: \(child.stderr)") }
            return Self.events(of: child).contains { $0["event"]?.string == "ready" }
        }
    }
}

/// The far host of the laboratory with a D-Bus and an avahi-daemon of its own.
struct FarHost: Sendable {
    static let address = "fd77::2"

    /// For programs that run there.
    let environment: [String: String]

    private static let starting = Task { try await FarHost() }

    /// The one that there is; its daemons end with the laboratory.
    static func shared() async throws -> FarHost { try await starting.value }

    private init() async throws {
        let folder = URL(fileURLWithPath: Laboratory.environment["MATTERCTL_LAB_DIR"] ?? "/tmp")
            .appendingPathComponent("far")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let logs = try TemporaryFolder()
        let avahi = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            Laboratory.far + [Laboratory.scripts.appendingPathComponent("avahi.sh").path, folder.path, "mt0"],
            folder: logs)
        guard await avahi.status() == 0 else {
            throw LaboratoryError("no Avahi on the far host: \(avahi.stdout) \(avahi.stderr)")
        }
        var environment = Laboratory.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(folder.path)/bus"
        self.environment = environment
    }
}
