import MatterCrypto
import MatterModel

/// The network of the device (Matter core specification 11.9, and 5.5 for the order).
extension CommissioningFlow {
    /// A device that leaves before it answers is not waited for.
    private static let partingSeconds: UInt8 = 1
    /// How often a device tries once more: a radio that has just scanned, or an access point that is busy, may do then.
    private static let mostRepetitions = 1

    /// The network that the device was told to join; `nil` before that.
    var networkTarget: NetworkAttempt? { state.known.target?.attempt }

    /// Whether the device has said that it is on the network.
    var hasJoinedNetwork: Bool { state.known.target?.hasJoined ?? false }

    /// The kinds of network that the device could join, if it is reached over IP, lists none, is to be told none and has
    /// no wire that may be its network.
    var kindsWithoutNetwork: Set<NetworkKind>? {
        let interfaces = information.interfaces
        guard configuration.isOnNetwork, case .nothing = state.known.plan,
            interfaces.allSatisfy({ $0.networks.isEmpty && $0.kind != .ethernet })
        else { return nil }
        let kinds = Set(interfaces.filter(\.isRadio).compactMap(\.kind))
        return kinds.isEmpty ? nil : kinds
    }

    static func networkHint(_ kinds: Set<NetworkKind>) -> Hint {
        .step(kinds.contains(.wifi) ? "network.name-wifi" : "network.name-thread")
    }

    // MARK: Before the certificate

    /// Decides what is to be done.
    ///
    /// - Returns: that, and what the user should know.
    func planNetwork(_ information: DeviceInformation) throws(CommissioningError) -> (Plan, [String]) {
        switch NetworkPlan(information.interfaces, configuration.network, isOnNetwork: configuration.isOnNetwork) {
        case .keep:
            return (.nothing, [])
        case .join(let attempts):
            return (.join(attempts, seen: []), lastFailure(of: attempts))
        case .search(let interface):
            return (.search(interface), [])
        case .missing(let kinds):
            throw missing(kinds)
        case .impossible(let wanted, let has):
            let has = has.isEmpty ? "no network interface that could be set up" : NetworkPlan.words(has)
            throw CommissioningError(
                .networkUnsuitable, stage: .network, "the device has no \(NetworkPlan.words(wanted)): it has \(has)")
        }
    }

    /// The status that the device keeps of an attempt whose end was not told.
    private func lastFailure(of attempts: [NetworkAttempt]) -> [String] {
        attempts.compactMap { attempt in
            let interface = attempt.interface
            guard let status = interface.lastStatus, status != .success, interface.lastNetwork == attempt.credential.id
            else { return nil }
            let number = interface.lastError.map { ", error value \($0)" } ?? ""
            return "the device's last attempt to join '\(attempt.credential.name)' failed: \(status.words)\(number)"
        }
    }

    private func missing(_ kinds: Set<NetworkKind>) -> CommissioningError {
        CommissioningError(
            .networkNeeded, stage: .network,
            "the device needs a \(NetworkPlan.words(kinds)) network, and none was named",
            hint: Self.networkHint(kinds))
    }

    /// Has the device look around, since there is something to choose.
    mutating func search(
        _ interface: NetworkState.Commissioning, then csr: CertificateSigningRequest, _ context: NOCIssueContext
    ) -> [Action] {
        state = .choosing(state.known, interface, [], csr, context)
        return [
            .note("the device is looking for networks"),
            .invoke(
                .network(
                    .scan(ssid: nil), endpoint: interface.endpoint, breadcrumb: nextBreadcrumb(),
                    seconds: interface.scanTime ?? 30)),
        ]
    }

    /// The device's own observation decides, or a person does.
    private mutating func found(_ networks: [SeenNetwork]) throws(CommissioningError) -> [Action] {
        guard case .choosing(let known, let interface, _, let csr, let context) = state, let kind = interface.kind
        else { return [] }
        let seen = SeenNetwork.merged(networks)
        state = .choosing(known, interface, seen, csr, context)
        let wish = configuration.network
        if !wish.wantsChoice, let known = NetworkPlan.choice(among: wish.known, of: kind, seen: seen) {
            return try [.note("the device sees \(kind.rawValue) '\(known.name)', which is known here")] + take(known)
        }
        guard wish.canAsk else { throw missing([kind]) }
        return [.choose(NetworkChoice(kind: kind, seen: seen))]
    }

    /// The answer of a person, or what stands for it.
    mutating func take(_ credential: NetworkCredential?) throws(CommissioningError) -> [Action] {
        switch state {
        case .choosing(var known, let interface, let seen, let csr, let context):
            guard let credential else { throw missing(Set([interface.kind].compactMap { $0 })) }
            known.plan = .join([NetworkAttempt(interface, credential)], seen: seen)
            return try enter(.requested(known, csr)) + [.issue(csr, context)]
        case .joining(var known, let issued, var joining):
            guard case .asking(let failure) = joining.phase else { break }
            var attempts = known.plan.attempts
            guard let credential, !attempts.isEmpty else { return try giveUp(failure) }
            attempts[0].credential = credential
            known.plan = .join(attempts, seen: known.plan.seen)
            (joining.phase, joining.repetitions) = (.trying, 0)
            state = .joining(known, issued, joining)
            // The person may have taken any time, in which the fail-safe was kept short.
            return [.invoke(armFailSafe(operationalSeconds))]
        default: break
        }
        throw CommissioningError(.impossibleStep, stage: stage, "the choice of a network came unasked")
    }

    // MARK: After it

    /// Has the device keep what it was told, for as long as joining may take.
    mutating func beginJoining() throws(CommissioningError) -> [Action] {
        guard let issued = state.issued else {
            throw CommissioningError(.impossibleStep, stage: stage, "there is no certificate to join with")
        }
        return try enter(.joining(state.known, issued, Joining())) + [.invoke(armFailSafe(operationalSeconds))]
    }

    /// Tells the device of its network; one that needs none is looked for.
    mutating func joinOrConnect() throws(CommissioningError) -> [Action] {
        guard let attempt = state.known.plan.attempts.first else { return try connect() }
        state.known.target = Target(attempt: attempt)
        return [
            .note("the device is to join \(attempt.credential.kind.rawValue) '\(attempt.credential.name)'"),
            send(attempt.credential.adding, attempt),
        ]
    }

    private mutating func send(_ command: NetworkCommissioningCommand, _ attempt: NetworkAttempt) -> Action {
        var seconds: UInt8 = 0
        if case .connect = command {
            seconds = information.isConcurrent ? attempt.interface.joiningSeconds : Self.partingSeconds
        }
        return .invoke(
            .network(
                command, endpoint: attempt.interface.endpoint, breadcrumb: nextBreadcrumb(), seconds: seconds))
    }

    /// An answer to a command of a network.
    mutating func answered(
        _ command: NetworkCommissioningCommand, _ answer: CommissioningAnswer
    ) throws(CommissioningError) -> [Action] {
        if case .scan = command { return try found(answer.networks) }
        guard case .joining(var known, let issued, var joining) = state, let attempt = known.plan.attempts.first else {
            throw CommissioningError(.impossibleStep, stage: stage, "an answer to \(command.name) came unasked")
        }
        let result = try answer.network(command)
        switch command {
        case .remove where joining.isLeaving:
            // Whether the network of the first interface is forgotten does not matter to the second one.
            known.plan = .join(Array(known.plan.attempts.dropFirst()), seen: known.plan.seen)
            state = .joining(known, issued, Joining())
            return [.invoke(armFailSafe(operationalSeconds))]
        case .remove where result.isSuccess:
            return [send(attempt.credential.adding, attempt)]
        case .addWiFi where result.isSuccess, .addThread where result.isSuccess:
            return [send(.connect(attempt.credential.id), attempt)]
        case .addWiFi where result.status == .boundsExceeded, .addThread where result.status == .boundsExceeded:
            guard !joining.hasMadeRoom, let victim = attempt.interface.dispensable else { break }
            joining.hasMadeRoom = true
            state = .joining(known, issued, joining)
            return [
                .note("the device has room for no further network; it forgets '\(NetworkName.text(victim))'"),
                send(.remove(victim), attempt),
            ]
        case .connect where !result.isSuccess && result.mayPass && joining.repetitions < Self.mostRepetitions:
            joining.repetitions += 1
            state = .joining(known, issued, joining)
            return [
                .note(
                    "the device could not join yet (\(result.status?.words ?? "\(result.code)")); it tries once more"),
                send(command, attempt),
            ]
        case .connect where result.isSuccess:
            // A device that cannot do both says yes before it tries.
            known.target?.hasJoined = information.isConcurrent
            state = .joining(known, issued, joining)
            return try connect()
        default:
            break
        }
        return try failed(
            NetworkFailure(
                command, kind: attempt.credential.kind, network: attempt.credential.name, answer: result,
                country: configuration.country, bands: attempt.interface.bands), attempt)
    }

    private mutating func failed(
        _ failure: NetworkFailure, _ attempt: NetworkAttempt
    ) throws(CommissioningError) -> [Action] {
        state.known.target = nil
        if configuration.network.canAsk, failure.maySucceedOtherwise, information.isConcurrent {
            enter(.asking(failure))
            return [
                .choose(
                    NetworkChoice(
                        kind: attempt.credential.kind, seen: state.known.plan.seen, failure: failure,
                        failed: attempt.credential))
            ]
        }
        return try giveUp(failure)
    }

    private mutating func enter(_ phase: Joining.Phase) {
        guard case .joining(let known, let issued, var joining) = state else { return }
        joining.phase = phase
        state = .joining(known, issued, joining)
    }

    /// Goes on with the next interface, or with the next network.
    private mutating func giveUp(_ failure: NetworkFailure) throws(CommissioningError) -> [Action] {
        let attempts = state.known.plan.attempts
        guard attempts.count > 1, let attempt = attempts.first else {
            var error = CommissioningError(
                .networkRefused, stage: .network, failure.sentence, hint: failure.hint)
            error.network = failure
            throw error
        }
        enter(.leaving(failure))
        return [.note(failure.sentence), send(.remove(attempt.credential.id), attempt)]
    }
}

extension NetworkState.Commissioning {
    /// An entry of a full table that a new network may replace: one that is not in use, if there is one.
    var dispensable: [UInt8]? { (networks.first { !$0.isConnected } ?? networks.first)?.id }
}
