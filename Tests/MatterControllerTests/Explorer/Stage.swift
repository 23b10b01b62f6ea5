import Foundation
import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// Where one run takes place: processes of a user, a device, and a network between them on which everything goes by a
/// schedule.
///
/// The processes are the code that ships. The time is virtual, and all random numbers come from seeds.
final class Stage: Sendable {
    struct Report: Sendable {
        var steps: [Step] = []
        var trace: Trace
        var violations: [String] = []
        var messages = 0
    }

    /// A device, and what befalls it. Of several, it befalls the first.
    struct Device: Sendable {
        let address: PeerAddress
        /// Its node id, where there are several.
        var node: UInt64?
        var restart: @Sendable () async -> Void = {}
        var evict: @Sendable () async -> Void = {}
        var edit: @Sendable () async -> Void = {}
    }

    /// A message that is late comes when all is over, unless that takes very long.
    private static let lateness = Duration.seconds(3)
    private static let overtaking = Duration.milliseconds(5)
    /// So long that all transmissions of a message are held up, and what is tried next is not.
    private static let congestion = Duration.milliseconds(400)
    /// Nothing that is late comes after this.
    static let aftermath = Duration.seconds(30)
    /// A run that takes longer stands still.
    private static let standstill = Duration.seconds(900)

    private struct MessageKey: Hashable {
        let isToDevice: Bool
        let session: UInt16
        let counter: UInt32
    }

    private struct State {
        var report: Report
        var isFaulty = false
        /// Until then all messages come late.
        var heldUpUntil: Instant?
        var devices: [Device] = []
        /// The use of each message counter.
        var sent: [MessageKey: [UInt8]] = [:]
        var sessions: [UInt16: Int] = [:]
        var counters: [Int: [UInt32: Int]] = [:]
        /// The records of the kept session that processes left behind.
        var records: [Data] = []
        /// The process that can be killed.
        var process: Process?
        /// The process that opened a descriptor last, by number.
        var owners: [Int32: Int] = [:]
        var processes = 0
        var seed: UInt64 = 0
        /// Processes that were killed.
        var graves: [VirtualProcess] = []
    }

    private struct Process: Sendable {
        let number: Int
        let isAlone: Bool
        let time: VirtualProcess
        let kill: @Sendable () -> Void
    }

    let time: VirtualTime
    let runtime: RuntimeFolder
    private let folder: TemporaryState
    private let schedule: Schedule
    private let state: Mutex<State>
    private let began: Instant

    private init(_ schedule: Schedule, _ time: VirtualTime, isReadable: Bool) throws {
        self.schedule = schedule
        self.time = time
        began = time.now
        folder = try TemporaryState()
        runtime = try RuntimeFolder()
        state = Mutex(State(report: Report(trace: Trace(isReadable: isReadable))))
        time.network.treat { [weak self] message, from, to in
            self?.fate(of: message, from: from, to: to) ?? []
        }
    }

    /// Runs a play.
    ///
    /// - Parameter isReadable: whether the report says all that has happened.
    static func run(_ play: some Play, _ schedule: Schedule, isReadable: Bool = false) async throws -> Report {
        try await play.prepare()
        let time = VirtualTime()
        return try await VirtualTime.$current.withValue(time) {
            try await withTaskExecutorPreference(time.executor) {
                let stage = try Stage(schedule, time, isReadable: isReadable)
                await stage.watch { try await play.perform(on: stage) }
                // Whatever is left of a process that was killed may keep the stage for a while.
                stage.folder.remove()
                stage.runtime.remove()
                return stage.state.withLock { $0.report }
            }
        }
    }

    /// Ends a performance that stands still.
    private func watch(_ performance: @escaping @Sendable () async throws -> Void) async {
        let end = Latch<String?>()
        let alarm = time.eventLoop.schedule(in: Self.standstill) { end.set("it stands still") }
        time.start {
            do {
                try await performance()
                end.set(nil)
            } catch {
                end.set("\(error)")
            }
        }
        if let why = await end.value { complain(why) }
        alarm.cancel()
        for process in state.withLock({ $0.graves }) { process.bury() }
        // An event of a device may speak of the stage.
        state.withLock { $0.devices = [] }
        time.network.treat { _, _, _ in [] }
    }

    // MARK: What a play says

    /// The folder of the user's program.
    var path: String { folder.directory.path }

    func set(_ devices: Device...) { set(devices) }

    func set(_ devices: [Device]) { state.withLock { $0.devices = devices } }

    /// From now on the schedule counts.
    func beginFaults() { state.withLock { $0.isFaulty = true } }

    func endFaults() { state.withLock { $0.isFaulty = false } }

    /// The faults of this run.
    var faults: [Schedule.Entry] { schedule.entries }

    func note(_ event: String) {
        let now = time.now
        state.withLock { $0.report.trace.add(event, "\(now - began)") }
    }

    func complain(_ what: String) { state.withLock { $0.report.violations.append(what) } }

    // MARK: The network

    private func fate(of message: [UInt8], from: PeerAddress, to: PeerAddress) -> [Duration] {
        let now = time.now
        let (faults, victim, label, device, isHeldUp) = state.withLock { state in
            state.report.messages += 1
            let label = take(message, isToDevice: state.devices.contains { $0.address == to }, in: &state)
            let isHeldUp = state.heldUpUntil.map { now < $0 } ?? false
            guard state.isFaulty else { return ([Fault](), Process?.none, label, state.devices.first, isHeldUp) }
            let faults = schedule.faults(at: state.report.steps.count)
            state.report.steps.append(.message(canKill: state.process != nil))
            return (faults, state.process, label, state.devices.first, isHeldUp)
        }
        var arrivals = [isHeldUp ? Self.lateness : TestNetwork.latency]
        for fault in faults {
            switch fault {
            case .lost: arrivals = []
            case .late: arrivals = [Self.lateness]
            case .doubled: arrivals = [TestNetwork.latency, Self.lateness]
            case .heldUp:
                arrivals = [Self.lateness]
                state.withLock { $0.heldUpUntil = time.now + Self.congestion }
            case .echoed: arrivals = [TestNetwork.latency, Self.overtaking]
            case .reordered: arrivals = [Self.overtaking]
            case .killed: if let victim { time.execute { self.kill(victim) } }
            case .restarted: happen("restart", device?.restart)
            case .evicted: happen("eviction", device?.evict)
            case .edited: happen("edit", device?.edit)
            case .takenBack: break
            }
        }
        for arrival in arrivals {
            _ = time.eventLoop.schedule(in: arrival) { [weak self] in self?.note("\(label) arrives") }
        }
        return arrivals
    }

    private func happen(_ event: String, _ what: (@Sendable () async -> Void)?) {
        note(event)
        if let what { time.start { await what() } }
    }

    /// Takes note of a message, and sees to its counter.
    ///
    /// - Returns: what is said of it in the trace.
    private func take(_ message: [UInt8], isToDevice: Bool, in state: inout State) -> String {
        guard message.count >= 8 else { return "" }
        let session = UInt16(message[1]) | UInt16(message[2]) << 8
        let counter = message[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        let number = state.sessions[session] ?? state.sessions.count
        state.sessions[session] = number
        var counters = state.counters[number] ?? [:]
        let place = counters[counter] ?? counters.count
        counters[counter] = place
        state.counters[number] = counters
        let label = "\(isToDevice ? ">" : "<")\(session == 0 ? "-" : "\(number)").\(place)"
        state.report.trace.add(label, "\(time.now - began)")
        guard session != 0 else { return label }
        let key = MessageKey(isToDevice: isToDevice, session: session, counter: counter)
        if let known = state.sent[key], known != message {
            state.report.violations.append("a counter was used twice under one key")
        }
        state.sent[key] = message
        return label
    }

    // MARK: Processes

    /// The options of a process with a time of its own.
    ///
    /// - Parameter number: that of the process, by which its files are told apart.
    func options(_ time: any TimeSource, number: Int = 0) -> Controller.Options {
        let opened: @Sendable (Int32) -> Void = { [weak self] descriptor in
            self?.state.withLock { $0.owners[descriptor] = number }
        }
        // A process has opened no folder yet.
        var folder = StateDirectory(path: path)
        folder.time = time
        folder.atOpen = opened
        let (devices, seed) = state.withLock { state in
            state.seed += 1
            return (state.devices, state.seed)
        }
        var options = Controller.Options(
            state: folder, addresses: devices.count == 1 ? devices.map(\.address) : [], logger: .silent,
            random: SeededRandom(seed),
            unixTime: { TestFabric.unixTime })
        let places = devices.compactMap { device in device.node.map { ($0, device.address) } }
        options.discovery = Whereabouts(Dictionary(uniqueKeysWithValues: places))
        options.time = time
        options.links = self.time.network.links()
        var records = runtime.directory
        records.atOpen = opened
        options.runtime = records
        let (clock, began) = (self.time, began)
        options.moment = {
            let passed = (clock.now - began + .seconds(1 << 20)).components
            let nanoseconds = passed.seconds * 1_000_000_000 + passed.attoseconds / 1_000_000_000
            return MachineMoment(
                bootID: [UInt8](repeating: 1, count: 16), sinceBoot: nanoseconds, unix: nanoseconds + 1 << 60)
        }
        return options
    }

    /// Runs something in a process of its own, which closes its controller at the end.
    ///
    /// - Parameters:
    ///   - isAlone: whether no other runs beside it, so that what it leaves behind is its own.
    ///   - canBeKilled: one process at a time may be the victim.
    ///   - limit: how long it may take.
    /// - Returns: `nil` if it was killed.
    func process<Result: Sendable>(
        isAlone: Bool = true, canBeKilled: Bool = true, atMost limit: Duration,
        _ work: @escaping @Sendable (Controller, Instant) async -> Result
    ) async -> Result? {
        let time = time.process()
        let end = Latch<Result?>()
        takeBack()
        let number = state.withLock { state in
            state.processes += 1
            let number = state.processes
            if canBeKilled {
                state.process = Process(number: number, isAlone: isAlone, time: time) { end.set(nil) }
            }
            return number
        }
        let began = time.now
        let controller = Controller(options(time, number: number))
        time.start {
            let result = await work(controller, began)
            await controller.close()
            end.set(result)
        }
        let result = await end.value
        state.withLock { state in
            if state.process?.number == number { state.process = nil }
            state.report.trace.add(result.map { "\($0)" } ?? "killed")
        }
        guard result != nil else { return nil }
        if time.now - began > limit { complain("a process took \(time.now - began)") }
        if isAlone, let record { state.withLock { $0.records.append(record) } }
        return result
    }

    private func kill(_ process: Process) {
        guard state.withLock({ $0.process != nil }) else { return }
        process.time.kill()
        releaseFiles(of: process)
        state.withLock { state in
            state.process = nil
            state.graves.append(process.time)
        }
        process.kill()
    }

    /// The kernel's work when a process ends: its open files go, and with them its locks.
    ///
    /// Beside another process, only what has locks goes, as only that is known to be its own.
    private func releaseFiles(of process: Process) {
        let owners = state.withLock(\.owners)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let places = [process.isAlone ? path : path + "/locks/", runtime.directory.path]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let descriptor = Int32(name), process.isAlone || owners[descriptor] == process.number,
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
                places.contains(where: { file.hasPrefix($0) })
            else { continue }
            dup2(null, descriptor)
        }
    }

    // MARK: The kept session

    private var recordFile: String? {
        runtime.directory.names(prefix: "").first.map { runtime.directory.path + "/" + $0 }
    }

    private var record: Data? { recordFile.flatMap { FileManager.default.contents(atPath: $0) } }

    /// Where the schedule wants it, the next process finds what the one before has found.
    private func takeBack() {
        let older = state.withLock { state -> Data? in
            guard state.isFaulty else { return nil }
            let faults = schedule.faults(at: state.report.steps.count)
            state.report.steps.append(.start)
            return faults.contains(.takenBack) ? state.records.dropLast().last : nil
        }
        guard let older, let recordFile else { return }
        note("record taken back")
        try? FileHandle(forWritingAtPath: recordFile)?.write(contentsOf: older)
    }
}

/// A value that is set once, and waited for by one task.
private final class Latch<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    func set(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            return state.continuation
        }
        continuation?.resume(returning: value)
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.continuation = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

/// The actions of processes and a device on a stage, and the facts that must be true afterwards.
protocol Play: Sendable, CustomStringConvertible {
    /// The faults of it.
    var faults: Set<Fault> { get }
    /// Makes what all performances share; in real time.
    func prepare() async throws
    func perform(on stage: Stage) async throws
}

extension Play {
    func prepare() async throws {}
}
