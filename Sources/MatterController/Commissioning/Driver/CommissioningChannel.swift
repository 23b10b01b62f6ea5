import MatterNetwork

/// How long silence is borne while a device is commissioned, on top of what the retransmissions of a message take.
struct CommissioningPatience: Sendable {
    /// How long a message that was given up goes on being sent on its session.
    var rescue = Duration.seconds(10)
    /// How long another session may take when the one before has fallen silent.
    var anotherSession = Duration.seconds(20)
    /// The time to look for a pending node before it is commissioned again.
    var pendingNode = Duration.seconds(10)
    /// How long a device may take to store what it has been told, before it is asked on another session whether it has.
    var saving = Duration.seconds(5)

    init() {}
}

/// Reads and commands of the flow on one secure session.
struct CommissioningChannel: Sendable {
    /// The time for a commissioning command: slow ones sign and generate keys.
    private static let processing = Duration.seconds(15)
    /// How often the device is asked the same thing if it acknowledges and does not answer.
    private static let readAttempts = 6
    private static let commandAttempts = 2

    let session: SecureSession
    var patience = CommissioningPatience()
    let deadline: Instant

    private var client: InteractionClient {
        InteractionClient(session)
    }

    /// Reads in portions that every device accepts.
    func read(_ paths: [AttributePath]) async throws -> ReadResult {
        var result = ReadResult()
        for request in try ReadRequest(attributePaths: paths, isFabricFiltered: false).split(
            maxPayload: session.manager.link.largestPayload)
        {
            result.merge(
                try await repeating(Self.readAttempts) {
                    var transaction = ReadTransaction(request)
                    return try await client.runPersistently(
                        &transaction, deadline: deadline, processing: InteractionClient.standardProcessing,
                        rescue: patience.rescue)
                })
        }
        return result
    }

    /// Does what may be done twice once more if it was acknowledged and not answered.
    private func repeating<Output>(_ times: Int, _ attempt: () async throws -> Output) async throws -> Output {
        var left = times
        while true {
            left -= 1
            do {
                return try await attempt()
            } catch let error as TransportError
                where error.code == .noReply && left > 0 && session.manager.time.now < deadline
            {
                continue
            }
        }
    }

    /// - Parameter hasOtherWay: whether silence after the acknowledgement is better met on another session soon.
    func invoke(
        _ command: CommissioningCommand, deadline: Instant? = nil, hasOtherWay: Bool = false
    ) async throws -> CommandResult {
        let deadline = deadline ?? self.deadline
        let processing = hasOtherWay ? patience.saving : Self.processing + command.radioTime
        func attempt() async throws -> CommandResult {
            var transaction = InvokeTransaction([command.command])
            let results = try await client.runPersistently(
                &transaction, deadline: deadline, processing: processing, rescue: patience.rescue)
            guard let result = results.first else {
                throw InteractionError(.protocolViolation, "the answer to \(command.name) is empty")
            }
            return result
        }
        return command.mayRepeat && !hasOtherWay
            ? try await repeating(Self.commandAttempts, attempt) : try await attempt()
    }

    /// The first of some commands that go into one message: as many as the device takes.
    func batch(_ commands: [CommissioningCommand]) -> [CommissioningCommand] {
        let batches = InvokeTransaction.batches(
            of: commands.map(\.command), maxPathsPerInvoke: Int(session.established.peerParameters.maxPathsPerInvoke),
            maxPayload: session.manager.link.largestPayload)
        return Array(commands.prefix(batches.first?.count ?? 0))
    }

    /// Sends a batch.
    ///
    /// - Returns: the results of the first command, or of all; at least one.
    func invoke(_ batch: [CommissioningCommand]) async throws -> [CommandResult] {
        guard let first = batch.first else { return [] }
        guard batch.count > 1 else { return [try await invoke(first)] }
        var transaction = InvokeTransaction(batch.map(\.command), maxPathsPerInvoke: batch.count)
        do {
            return try await client.runPersistently(
                &transaction, deadline: deadline, processing: Self.processing, rescue: patience.rescue)
        } catch let error as InteractionError where error.code == .refused {
            // It takes no batches after all, and has done nothing.
            return [try await invoke(first)]
        }
    }
}

extension CommissioningCommand {
    /// True if doing it twice comes to the same.
    var mayRepeat: Bool {
        switch self {
        case .addTrustedRoot, .addNOC, .updateNOC: false
        // A device that does not answer has left for its network; one that is searching is busy.
        case .network: false
        default: true
        }
    }

    /// How long the radio of the device may take, on top of the usual.
    var radioTime: Duration {
        if case .network(_, _, _, let seconds) = self { .seconds(Int64(seconds)) } else { .zero }
    }
}

/// When the fail-safe of a device that is being commissioned has to be armed again
/// (ArmFailSafe, Matter core specification 11.10.7.2).
struct FailSafeTimer: Sendable {
    /// The least fail-safe of a commissioning.
    static let leastSeconds: UInt16 = 60
    /// An issuer that takes longer than the device's own time needs more.
    private static let mostSeconds: UInt16 = 900

    /// How long the fail-safe lasts each time it is armed.
    private(set) var seconds = leastSeconds
    private var ends: Instant?

    init() {}

    /// Takes note of the device's own wish, as far as the device grants it.
    mutating func adopt(_ information: DeviceInformation) {
        let granted = min(information.failSafeExpiry, information.maxCumulativeFailSafe, Self.mostSeconds)
        seconds = max(Self.leastSeconds, granted)
    }

    /// The device has been told to keep its fail-safe armed from now on.
    mutating func armed(for seconds: UInt16, at now: Instant) {
        ends = now + .seconds(Int64(seconds))
    }

    /// True if less than half of the time is left.
    func isDue(at now: Instant) -> Bool {
        guard let ends else { return false }
        return ends - now < .seconds(Int64(seconds)) / 2
    }
}
