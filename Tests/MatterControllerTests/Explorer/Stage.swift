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
    /// The result of a run.
    struct Outcome: Hashable, Sendable {
        var done: [String] = []
        /// The answers that the users got.
        var heard: [String] = []
    }

    struct Report: Sendable {
        var steps: [Step] = []
        var trace: Trace
        var violations: [String] = []
        var outcome = Outcome()
        var messages = 0
        /// Whether the receiver of the message with the last fault was gone when a late copy would have come.
        var lastIsGone = false
    }

    /// A device, and what befalls it. Of several, it befalls the first.
    struct Device: Sendable {
        let address: PeerAddress
        /// Its node id, where there are several.
        var node: UInt64?
        var restart: @Sendable () async -> Void = {}
        var evict: @Sendable () async -> Void = {}
        var edit: @Sendable () async -> Void = {}
        /// Where the stage may look into it.
        var inside: Inside?

        struct Inside: Sendable {
            /// Its own time.
            let life: VirtualProcess
            let manager: ExchangeManager
        }
    }

    /// A link of a process.
    private struct Place {
        let process: VirtualProcess
        var isClosed = false
        var isGone: Bool { isClosed || process.isKilled }
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

    /// The findings of a stage about the faults that need not be tried.
    enum Attention: Sendable {
        case nothing
        /// Who is gone when a late message comes.
        case lateness
        /// That, and what every fault would change.
        case steps
    }

    private struct MessageKey: Hashable {
        let isToDevice: Bool
        let session: UInt16
        let counter: UInt32
    }

    private struct Situation: Equatable {
        /// The process that can be killed, and a digest of all files.
        var victim: Int?
        var files: Int
        /// The jobs that the other processes and the device have done.
        var others: Int
        var device: Int
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
        /// The processes of the user so far.
        var lives: [VirtualProcess] = []
        var places: [PeerAddress: Place] = [:]
        /// The numbers of those that are under way.
        var living: Set<Int> = []
        /// The sessions that the device has had.
        var known: Set<UInt16> = []
        /// The steps at which the process that can be killed has written nothing since the one before.
        var unwritten: Set<Int> = []
        /// Messages that reached the device and changed nothing there.
        var ignored = 0
        /// How things stood at the last step.
        var lastSituation: Situation?
    }

    private struct Process: Sendable {
        let number: Int
        let isAlone: Bool
        /// Whether none begins when it ends.
        let isLast: Bool
        let time: VirtualProcess
        let kill: @Sendable () -> Void
    }

    let time: VirtualTime
    let runtime: RuntimeFolder
    private let folder: TemporaryState
    private let schedule: Schedule
    private let attention: Attention
    private let state: Mutex<State>
    private let began: Instant

    private init(_ schedule: Schedule, _ time: VirtualTime, isReadable: Bool, attention: Attention) throws {
        self.schedule = schedule
        self.attention = attention
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
    /// - Parameters:
    ///   - isReadable: whether the report says all that has happened.
    ///   - attention: what the stage finds out on the way.
    static func run(
        _ play: some Play, _ schedule: Schedule, isReadable: Bool = false, attention: Attention = .steps
    ) async throws -> Report {
        try await play.prepare()
        let time = VirtualTime()
        return try await VirtualTime.$current.withValue(time) {
            try await withTaskExecutorPreference(time.executor) {
                let stage = try Stage(schedule, time, isReadable: isReadable, attention: attention)
                await stage.watch { try await play.perform(on: stage) }
                // Whatever is left of a process that was killed may keep the stage for a while.
                stage.folder.remove()
                stage.runtime.remove()
                return stage.state.withLock { state in
                    if let last = schedule.entries.last, state.report.steps.indices.contains(last.step) {
                        state.report.lastIsGone = state.report.steps[last.step].isGoneLater
                    }
                    return state.report
                }
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
    func beginFaults() {
        let sessions = state.withLock { $0.devices.first?.inside?.manager }.map { manager in
            manager.assumeIsolated { $0.secureSessions }
        }
        state.withLock { state in
            state.isFaulty = true
            state.known = sessions ?? []
        }
    }

    func endFaults() { state.withLock { $0.isFaulty = false } }

    /// The faults of this run.
    var faults: [Schedule.Entry] { schedule.entries }

    /// Notes what the device has done for a user.
    func tell(_ event: String) {
        note(event)
        state.withLock { $0.report.outcome.done.append(event) }
    }

    func note(_ event: String) {
        let now = time.now
        state.withLock { $0.report.trace.add(event, "\(now - began)") }
    }

    func complain(_ what: String) { state.withLock { $0.report.violations.append(what) } }

    // MARK: The network

    private func fate(of message: [UInt8], from: PeerAddress, to: PeerAddress) -> [Duration] {
        let now = time.now
        let (faults, victim, label, device, isHeldUp, step) = state.withLock { state in
            state.report.messages += 1
            let label = take(message, isToDevice: state.devices.contains { $0.address == to }, in: &state)
            let isHeldUp = state.heldUpUntil.map { now < $0 } ?? false
            guard state.isFaulty else {
                return ([Fault](), Process?.none, label, state.devices.first, isHeldUp, Int?.none)
            }
            let step = state.report.steps.count
            state.report.steps.append(Step(kind: .message(canKill: state.process != nil)))
            return (schedule.faults(at: step), state.process, label, state.devices.first, isHeldUp, step)
        }
        if let step, let device, attention != .nothing {
            observe(step, message, to: to, sent: now, isHeldUp: isHeldUp, device)
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

    // MARK: Steps that need no fault

    /// Finds out which faults of a message need not be tried.
    private func observe(
        _ step: Int, _ message: [UInt8], to receiver: PeerAddress, sent: Instant, isHeldUp: Bool, _ device: Device
    ) {
        guard let inside = device.inside, message.count >= 8 else { return }
        let (session, counter) = (message.session, message.counter)
        let isToDevice = receiver == device.address
        if attention == .steps {
            // This is the moment at which the process would be killed.
            time.execute { [self] in compare(step, isToDevice: isToDevice, inside) }
            // It arrives in a moment, if nothing befalls it.
            _ = time.eventLoop.schedule(in: TestNetwork.latency) { [self] in
                // Two timers are those of the message itself: nothing would overtake it.
                let isAlone = time.timers(until: sent + Self.overtaking) <= 2
                let known = inside.manager.assumeIsolated { $0.secureSessions }
                state.withLock { state in
                    if isAlone { state.report.steps[step].idle.append(.reordered) }
                    if isToDevice {
                        guard state.known.contains(session), !known.contains(session) else { return }
                        // A session that was removed does not come back.
                        state.report.steps[step].idle += [.lost, .late, .doubled, .echoed, .reordered]
                        if state.unwritten.contains(step) { state.report.steps[step].asBefore.append(.killed) }
                        if !isHeldUp, schedule.faults(at: step).allSatisfy({ !$0.isOfMessage }) { state.ignored += 1 }
                    } else if state.places[receiver]?.isGone ?? false {
                        state.report.steps[step].idle.append(.lost)
                    }
                }
            }
        }
        _ = time.eventLoop.schedule(in: Self.lateness) { [self] in
            // A message that the device has already, or has no session for, is acknowledged at most. A handshake may begin again.
            let isNews =
                isToDevice && (session == 0 || inside.manager.assumeIsolated { $0.wouldTakeIn(counter, session) })
            state.withLock { state in
                let isGone = isToDevice ? state.living.isEmpty : state.places[receiver]?.isGone ?? false
                if isGone, !isNews { state.report.steps[step].isGoneLater = true }
            }
        }
    }

    /// Compares how things stand with the step before.
    private func compare(_ step: Int, isToDevice: Bool, _ inside: Device.Inside) {
        let known = inside.manager.assumeIsolated { $0.secureSessions }
        let files = digest
        state.withLock { state in
            state.known.formUnion(known)
            let victim = state.process
            let now = Situation(
                victim: victim?.number, files: files,
                others: state.lives.reduce(0) { $0 + ($1 === victim?.time ? 0 : $1.work) },
                device: inside.life.work - state.ignored)
            if let last = state.lastSituation {
                // After it nothing happens soon, so the moment makes no difference. Its memory goes in any case, and the
                // message of this step is all that it can have sent.
                if let victim, victim.isLast, state.living == [victim.number], last.victim == now.victim,
                    last.files == now.files, last.others == now.others
                {
                    if isToDevice {
                        state.unwritten.insert(step)
                    } else {
                        state.report.steps[step].asBefore.append(.killed)
                    }
                }
                if last.device == now.device { state.report.steps[step].asBefore.append(.evicted) }
            }
            if known.isEmpty { state.report.steps[step].idle.append(.evicted) }
            state.lastSituation = now
        }
    }

    /// All that the processes have written.
    private var digest: Int {
        var hasher = Hasher()
        for folder in [path, runtime.directory.path] { hasher.combine(contentsOf: folder) }
        return hasher.finalize()
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
        let (session, counter) = (message.session, message.counter)
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
        if let process = time as? VirtualProcess {
            options.links = WatchedLinks(
                of: self.time.network.links(),
                opened: { [weak self] address in
                    self?.state.withLock { $0.places[address] = Place(process: process) }
                }, closed: { [weak self] address in self?.state.withLock { $0.places[address]?.isClosed = true } })
        }
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
    ///   - isLast: whether none begins when it ends.
    ///   - limit: how long it may take.
    /// - Returns: `nil` if it was killed.
    func process<Result: Sendable>(
        isAlone: Bool = true, canBeKilled: Bool = true, isLast: Bool = false, atMost limit: Duration,
        _ work: @escaping @Sendable (Controller, Instant) async -> Result
    ) async -> Result? {
        let time = time.process()
        let end = Latch<Result?>()
        takeBack()
        let number = state.withLock { state in
            state.processes += 1
            state.lives.append(time)
            let number = state.processes
            state.living.insert(number)
            if canBeKilled {
                state.process = Process(number: number, isAlone: isAlone, isLast: isLast, time: time) { end.set(nil) }
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
            state.living.remove(number)
            let end = result.map { "\($0)" } ?? "killed"
            state.report.trace.add(end)
            state.report.outcome.heard.append(end)
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
            state.living.remove(process.number)
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
            state.report.steps.append(Step(kind: .start))
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

extension [UInt8] {
    /// The number of the session in the header of a message; 0 if it has none.
    fileprivate var session: UInt16 { UInt16(self[1]) | UInt16(self[2]) << 8 }
    /// Its message counter.
    fileprivate var counter: UInt32 { self[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}

extension ExchangeManager {
    /// The numbers of its secure sessions.
    fileprivate var secureSessions: Set<UInt16> {
        Set(engine.sessions.keys.compactMap { if case .secure(let number) = $0 { number } else { nil } })
    }

    /// Whether a message of a session would do something here.
    fileprivate func wouldTakeIn(_ counter: UInt32, _ session: UInt16) -> Bool {
        engine.sessions[.secure(session)].map { !$0.window.isDuplicate(counter) } ?? false
    }
}
