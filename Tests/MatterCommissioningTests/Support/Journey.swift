import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

/// Walks a flow through all of its stages, with a device and an issuer that answer at once.
struct Journey {
    /// When the verdict on the attestation comes.
    enum Verdict: Sendable { case atOnce, afterEverythingElse, never }

    static let attestationNonce = [UInt8](repeating: 0xA1, count: 32)
    static let timeZone = TimeZoneRules(
        name: "Europe/Berlin", standardOffset: 3600,
        periods: [
            .init(offset: 3600, starts: nil, ends: 1_792_890_000),
            .init(offset: 0, starts: 1_792_890_000, ends: 1_806_195_600),
            .init(offset: 3600, starts: 1_806_195_600, ends: 1_824_944_400),
        ])
    static let csrNonce = [UInt8](repeating: 0xC5, count: 32)
    /// Made once; keys take their time.
    private static let sample = Result { try TestFabric() }

    let fabric: TestFabric
    var configuration: CommissioningFlow.Configuration
    var device: FakeDevice
    var verdict = Verdict.atOnce
    /// The certificate of the issuer; by default the one that the local authority issues for the node id 7.
    var issue: (CertificateSigningRequest, NOCIssueContext, TestFabric) throws -> IssuedNOC = { csr, _, fabric in
        try fabric.issuer().issue(csr, nodeID: NodeID(7))
    }
    var requestedNodeID: NodeID? = NodeID(7)
    /// The answer of a person who is asked for a network.
    var choose: (NetworkChoice) -> NetworkCredential? = { _ in nil }
    private(set) var choices: [NetworkChoice] = []
    /// Commands to which nothing comes back once the pending node is recorded.
    var silentCommands: Set<String> = []

    /// Everything that the flow wanted, in order.
    private(set) var log: [String] = []
    private(set) var commands: [CommissioningCommand] = []
    private(set) var evidence: AttestationEvidence?
    private(set) var context: NOCIssueContext?
    private(set) var issued: IssuedNOC?
    private(set) var result: CommissioningFlow.Result?
    private(set) var error: CommissioningError?
    /// The steps to undo after each event.
    private(set) var undos: [String] = []
    private(set) var undo = CommissioningFlow.Undo.nothing
    /// The flow's outcome at its end.
    private(set) var kindsWithoutNetwork: Set<NetworkKind>?

    init(_ change: (inout Journey) throws -> Void = { _ in }) throws {
        fabric = try Self.sample.get()
        device = try FakeDevice()
        configuration = CommissioningFlow.Configuration(
            fabric: try fabric.issuer().parameters, fabricID: fabric.local.fabricID,
            attestationNonce: Self.attestationNonce, csrNonce: Self.csrNonce, attestationChallenge: device.challenge,
            utcMicroseconds: { 838_857_600_000_000 }, timeZone: Self.timeZone, operationalSeconds: 120,
            validationTime: .now(TestFabric.now))
        try change(&self)
    }

    /// A journey that has come to its end, good or bad.
    static func run(_ change: (inout Journey) throws -> Void = { _ in }) throws -> Journey {
        var journey = try Journey(change)
        try journey.run()
        return journey
    }

    mutating func run() throws {
        var flow = CommissioningFlow(configuration)
        var queue: [CommissioningFlow.Event] = [.began]
        var late: [CommissioningFlow.Event] = []
        defer { kindsWithoutNetwork = flow.kindsWithoutNetwork }
        while result == nil, let event = queue.isEmpty ? late.popLast() : queue.removeFirst() {
            do throws(CommissioningError) {
                let actions = try flow.handle(event)
                note(event, flow.undo)
                for action in actions.flatMap(Self.single) {
                    guard let next = perform(action) else { continue }
                    if case .verify = action, verdict != .atOnce {
                        if verdict == .afterEverythingElse { late.append(next) }
                    } else {
                        // The address of PASE is tried while the node is looked for.
                        if case .connect = action { queue.append(.connecting) }
                        queue.append(next)
                    }
                }
            } catch {
                self.error = error
                note(event, flow.undo)
                return
            }
        }
    }

    /// The device takes all commands in one message.
    static func single(_ action: CommissioningFlow.Action) -> [CommissioningFlow.Action] {
        if case .invokeAll(let commands) = action { commands.map { .invoke($0) } } else { [action] }
    }

    private mutating func note(_ event: CommissioningFlow.Event, _ undo: CommissioningFlow.Undo) {
        if undo != self.undo { undos.append("\(Self.name(event)): \(undo)") }
        self.undo = undo
    }

    private mutating func perform(_ action: CommissioningFlow.Action) -> CommissioningFlow.Event? {
        switch action {
        case .enter(let stage):
            log.append("[\(stage.rawValue)]")
            return nil
        case .read(let paths):
            log.append("read")
            return .read(device.read(paths))
        case .invoke(let command):
            log.append(command.name)
            commands.append(command)
            if log.contains("record"), silentCommands.contains(command.name) { return .unanswered(command) }
            return attempt { .answered(command, try device.answer(command)) }
        case .invokeAll:
            return nil
        case .verify(let evidence):
            log.append("verify")
            self.evidence = evidence
            return .verified
        case .issue(let csr, let context):
            log.append("issue")
            self.context = context
            issued = attempt { try issue(csr, context, fabric) }
            return issued.map { .issued($0, requested: requestedNodeID) }
        case .record:
            log.append("record")
            return .recorded
        case .choose(let choice):
            log.append("choose")
            choices.append(choice)
            return .chosen(choose(choice))
        case .connect(let node):
            log.append("connect \(node.rawValue)")
            return .connected
        case .readEndpoints:
            log.append("read endpoints")
            return .endpoints(ReadResult())
        case .note(let text):
            log.append("note: \(text)")
            return nil
        case .finish(let result):
            log.append("finish")
            self.result = result
            return nil
        }
    }

    private func attempt<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch {
            Issue.record("the test device failed: \(error)")
            return nil
        }
    }

    private static func name(_ event: CommissioningFlow.Event) -> String {
        switch event {
        case .answered(let command, _), .unanswered(let command): command.name
        case .began: "began"
        case .read: "read"
        case .verified: "verified"
        case .issued: "issued"
        case .recorded: "recorded"
        case .chosen: "chosen"
        case .connecting: "connecting"
        case .connected: "connected"
        case .endpoints: "endpoints"
        }
    }

    /// The names of the commands, in order.
    var names: [String] { commands.map(\.name) }
}
