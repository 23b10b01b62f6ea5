package import MatterBase
package import MatterController
import MatterCrypto
package import MatterModel
import MatterNetwork
import Synchronization

/// A device on the network of a test that can be commissioned: the fake device behind real sessions.
package final class Commissionee: Sendable {
    /// A test's answer to a command, after the device has done it; `nil` lets the device answer.
    package typealias Hook = @Sendable (DeviceModel.Context) async -> DeviceModel.Answer?

    private struct State {
        var log: [String] = []
        var device: FakeDevice
        var root: MatterCertificate?
        var pendingFabric: CASECredentials?
        var isComplete = false
        var failSafes: [UInt16] = []
        var hooks: [String: Hook] = [:]
        var garblesDescriptor = false

        /// The device's own membership of the fabric that AddNOC puts it on.
        func credentials(_ command: CommissioningCommand) throws -> CASECredentials? {
            guard case .addNOC(let noc, let icac, let ipk, _, _) = command, let root else { return nil }
            return CASECredentials(
                try OperationalCredentials(
                    chain: OperationalChain(noc: noc, icac: icac, root: root), key: device.key,
                    ipkEpochKey: ipk))
        }
    }

    package static let passcode: UInt32 = 20_202_021

    package let device: LoopbackDevice
    private let state: Shared

    /// The state that the model's closures and the tests share.
    private final class Shared: Sendable {
        let mutex: Mutex<State>
        init(_ state: State) { mutex = Mutex(state) }
    }

    /// - Parameter together: how many commands it says that it takes in one message.
    package init(
        passcode: UInt32? = passcode, together: UInt16 = 1, _ change: (inout FakeDevice) throws -> Void = { _ in }
    ) async throws {
        var fake = try FakeDevice()
        try change(&fake)
        let shared = Shared(State(device: fake))
        state = shared
        var plan = LoopbackDevice.Plan()
        plan.passcode = passcode
        plan.parameters.maxPathsPerInvoke = together
        plan.model.read = { path, _ in Self.read(path, shared) }
        plan.model.invoke = { command, _, context in await Self.invoke(command, context, shared) }
        device = try await .start(plan)
    }

    /// The commands that came, those over an operational session with a `*`.
    package var log: [String] { state.mutex.withLock { $0.log } }
    /// How many seconds each ArmFailSafe asked for.
    package var failSafes: [UInt16] { state.mutex.withLock { $0.failSafes } }
    /// Whether the device is a node for good.
    package var isComplete: Bool { state.mutex.withLock { $0.isComplete } }
    /// Whether it has a certificate that it would forget again.
    package var isPending: Bool { state.mutex.withLock { $0.pendingFabric != nil && !$0.isComplete } }

    package func on(_ command: String, _ hook: @escaping Hook) { state.mutex.withLock { $0.hooks[command] = hook } }

    /// From now on reads of the Descriptor cluster are answered with nonsense.
    package func garbleDescriptor() { state.mutex.withLock { $0.garblesDescriptor = true } }

    package func end() async { await device.shutDown() }

    // MARK: Reading

    private static func read(_ path: AttributePath, _ shared: Shared) -> [AttributeReportIB]? {
        if path.cluster == Descriptor.id {
            // A report about no endpoint in particular breaks the rules.
            if shared.mutex.withLock({ $0.garblesDescriptor }) { return [.value(path, .null)] }
            let concrete = AttributePath(
                endpoint: 1, cluster: Descriptor.id, attribute: path.attribute)
            let types: TLVValue = .array([
                TLVElement(.anonymous, .structure([TLVElement(0, .uint(0x101)), TLVElement(1, .uint(1))]))
            ])
            return [.value(concrete, path.attribute == 0 ? types : .array([TLVElement(.anonymous, .uint(6))]))]
        }
        guard path.concrete != nil else {
            let device = shared.mutex.withLock { $0.device }
            return device.concrete(path).compactMap { concrete in
                device.value(concrete).map { .value(AttributePath(concrete), $0) }
            }
        }
        let value = path.concrete.flatMap { concrete in shared.mutex.withLock { $0.device.value(concrete) } }
        guard let value else {
            return [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAttribute)))]
        }
        return [.value(path, value)]
    }

    // MARK: Commands

    private static func invoke(
        _ data: CommandDataIB, _ context: DeviceModel.Context, _ shared: Shared
    ) async -> DeviceModel.Answer {
        guard let command = try? CommissioningCommand(data) else { return .refusal(.unsupportedCommand) }
        let isOperational = context.established.kind == .case
        let challenge = context.established.keys.attestationChallenge.copyBytes()
        let (outcome, hook, fabric) = shared.mutex.withLock { state in
            if case .armFailSafe(let seconds, _) = command { state.failSafes.append(seconds) }
            if case .armFailSafe(0, _) = command {
                state.log.append("disarm")
                if !state.isComplete { state.pendingFabric = nil }
            } else {
                state.log.append((isOperational ? "*" : "") + command.name)
            }
            if !isOperational { state.device.challenge = challenge }
            let outcome = try? state.device.answer(command).outcome
            if case .addTrustedRoot(let root) = command { state.root = try? MatterCertificate(tlv: root) }
            if case .addNOC = command { state.pendingFabric = try? state.credentials(command) }
            if command == .commissioningComplete { state.isComplete = true }
            return (outcome, state.hooks[command.name], state.pendingFabric)
        }
        await context.device.change { $0.fabrics = fabric.map { [$0] } ?? [] }
        if let answer = await hook?(context) { return answer }
        return outcome.map { .outcome($0) } ?? .refusal(.failure)
    }
}

extension CommissioningCommand {
    /// Decodes a command as a device does.
    package init(_ data: CommandDataIB) throws(TLVError) {
        let fields = try TLVFields(data.fields ?? .structure([]), "the command")
        switch (data.path.cluster, data.path.command) {
        case (0x30, 0): self = .armFailSafe(seconds: try fields.unsigned(0), breadcrumb: try fields.unsigned(1))
        case (0x30, 2):
            self = .setRegulatoryConfig(
                location: try fields.unsigned(0), country: try fields.optionalString(1) ?? "",
                breadcrumb: try fields.unsigned(2))
        case (0x30, 4): self = .commissioningComplete
        case (0x30, 6):
            self = .setTCAcknowledgements(
                TermsAcknowledgement(version: try fields.unsigned(0), response: try fields.unsigned(1)))
        case (0x38, 0): self = .setUTCTime(microseconds: try fields.unsigned(0))
        case (0x38, 2): self = .setTimeZone(.utc)
        case (0x38, 4): self = .setDSTOffset([])
        case (0x38, 1):
            let source = try fields.fields(0, "the time source")
            self = .setTrustedTimeSource(node: try source.unsigned(0), endpoint: try source.unsigned(1))
        case (0x38, 5): self = .setDefaultNTP(try fields.string(0))
        case (0x31, let number):
            let endpoint = data.path.endpoint ?? 0
            func network(_ command: NetworkCommissioningCommand, _ tag: UInt8) throws(TLVError) -> CommissioningCommand
            {
                .network(
                    command, endpoint: endpoint, breadcrumb: try fields.optionalUnsigned(tag) ?? 0, seconds: 0)
            }
            switch number {
            case 0: self = try network(.scan(ssid: try fields.optionalOctets(0)), 1)
            case 2:
                self = try network(
                    .addWiFi(ssid: try fields.octets(0), credentials: SecretBytes(try fields.octets(1))), 2)
            case 3: self = try network(.addThread(dataset: SecretBytes(try fields.octets(0))), 1)
            case 4: self = try network(.remove(try fields.octets(0)), 1)
            case 6: self = try network(.connect(try fields.octets(0)), 1)
            case 8: self = try network(.reorder(try fields.octets(0), index: try fields.unsigned(1)), 2)
            default: throw TLVError(.malformed, "an unknown command")
            }
        case (0x3E, 0): self = .attestation(nonce: try fields.octets(0))
        case (0x3E, 2):
            self = .certificateChain(try fields.unsigned(0, as: UInt8.self) == 2 ? .paiCertificate : .dacCertificate)
        case (0x3E, 4): self = .csr(nonce: try fields.octets(0))
        case (0x3E, 0x0B): self = .addTrustedRoot(try fields.octets(0))
        case (0x3E, 6):
            self = .addNOC(
                noc: try fields.octets(0), icac: try fields.optionalOctets(1), ipk: SecretBytes(try fields.octets(2)),
                adminSubject: try fields.unsigned(3), adminVendor: try fields.unsigned(4))
        default: throw TLVError(.malformed, "an unknown command")
        }
    }
}
