import MatterCrypto
import MatterModel

/// What there is to do for the network of a device.
struct NetworkStep: Sendable {
    /// What is left to be tried, the next first.
    var attempts: [NetworkAttempt] = []
    /// The interface that looks around before there is a certificate.
    var searching: NetworkState.Commissioning?
    /// What waits for the answer of a person.
    var request: (csr: CertificateSigningRequest, context: NOCIssueContext)?
    /// What the device sees, each network once.
    var seen: [SeenNetwork] = []
    /// The failure that a person is asked about.
    var failure: NetworkFailure?
    /// How often the device was told to join once more what it could not join.
    var repetitions = 0
    /// Whether an entry of the device's table has given way.
    var hasMadeRoom = false
    /// The network that the device was told to join.
    var target: NetworkAttempt?
    /// Whether the device says that it has joined.
    var hasJoined = false
}

/// The network of the device (Matter core specification 11.9, and 5.5 for the order).
extension CommissioningFlow {
    /// A device that leaves before it answers is not waited for.
    private static let partingSeconds: UInt8 = 1
    /// How often a device tries once more: a radio that has just scanned, or an access point that is busy, may do then.
    private static let mostRepetitions = 1

    /// The network that the device was told to join; `nil` before that.
    var networkTarget: NetworkAttempt? { network.target }

    /// Whether the device has said that it is on the network.
    var hasJoinedNetwork: Bool { network.hasJoined }

    /// The kinds of network that the device could join, if it is reached over IP, lists none, is to be told none and has
    /// no wire that may be its network.
    var kindsWithoutNetwork: Set<NetworkKind>? {
        let interfaces = information.interfaces
        guard configuration.isOnNetwork, network.attempts.isEmpty, network.searching == nil, network.target == nil,
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
    /// - Returns: what the user should know.
    mutating func planNetwork() throws(CommissioningError) -> [String] {
        switch NetworkPlan(information.interfaces, configuration.network, isOnNetwork: configuration.isOnNetwork) {
        case .keep:
            return []
        case .join(let attempts):
            network.attempts = attempts
            return lastFailure(of: attempts)
        case .search(let interface):
            network.searching = interface
            return []
        case .missing(let kinds):
            throw missing(kinds)
        case .impossible(let wanted, let has):
            let has = has.isEmpty ? "no network interface that could be set up" : NetworkPlan.words(has)
            throw CommissioningError(
                .networkUnsuitable, stage: .network, "the device has no \(NetworkPlan.words(wanted)): it has \(has)")
        }
    }

    /// What the device remembers of an attempt that nobody was told the end of.
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

    /// Has the device look around, if there is something to choose.
    mutating func searchFirst(
        then csr: CertificateSigningRequest, _ context: NOCIssueContext
    ) -> [Action]? {
        guard let interface = network.searching else { return nil }
        network.request = (csr, context)
        return [
            .note("the device is looking for networks"),
            .invoke(
                .network(
                    .scan(ssid: nil), endpoint: interface.endpoint, breadcrumb: nextBreadcrumb(),
                    seconds: interface.scanTime ?? 30)),
        ]
    }

    /// What the device has seen decides, or a person does.
    private mutating func found(_ networks: [SeenNetwork]) throws(CommissioningError) -> [Action] {
        guard let interface = network.searching, let kind = interface.kind else { return [] }
        network.seen = SeenNetwork.merged(networks)
        let wish = configuration.network
        if !wish.wantsChoice, let known = NetworkPlan.choice(among: wish.known, of: kind, seen: network.seen) {
            return try [.note("the device sees \(kind.rawValue) '\(known.name)', which is known here")] + take(known)
        }
        guard wish.canAsk else { throw missing([kind]) }
        return [.choose(NetworkChoice(kind: kind, seen: network.seen))]
    }

    /// The answer of a person, or what stands for it.
    mutating func take(_ credential: NetworkCredential?) throws(CommissioningError) -> [Action] {
        if let request = network.request, let interface = network.searching {
            guard let credential else { throw missing(Set([interface.kind].compactMap { $0 })) }
            network.attempts = [NetworkAttempt(interface, credential)]
            (network.request, network.searching) = (nil, nil)
            return try enter(.issueNOC) + [.issue(request.csr, request.context)]
        }
        guard let failure = network.failure else {
            throw CommissioningError(.impossibleStep, stage: stage, "the choice of a network came unasked")
        }
        network.failure = nil
        guard let credential, !network.attempts.isEmpty else { return try giveUp(failure) }
        network.attempts[0].credential = credential
        network.repetitions = 0
        // The person may have taken any time, in which the fail-safe was kept short.
        return [.invoke(armFailSafe(operationalSeconds))]
    }

    // MARK: After it

    /// Tells the device of its network; one that needs none is looked for.
    mutating func joinOrConnect() throws(CommissioningError) -> [Action] {
        guard let attempt = network.attempts.first else { return try connect() }
        network.target = attempt
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
        guard let attempt = network.attempts.first else {
            throw CommissioningError(.impossibleStep, stage: stage, "an answer to \(command.name) came unasked")
        }
        let result = try answer.network(command)
        switch command {
        case .remove where network.failure != nil:
            // Whether the network of the first interface is forgotten does not matter to the second one.
            network.failure = nil
            network.attempts.removeFirst()
            network.hasMadeRoom = false
            network.repetitions = 0
            return [.invoke(armFailSafe(operationalSeconds))]
        case .remove where result.isSuccess:
            return [send(attempt.credential.adding, attempt)]
        case .addWiFi where result.isSuccess, .addThread where result.isSuccess:
            return [send(.connect(attempt.credential.id), attempt)]
        case .addWiFi where result.status == .boundsExceeded, .addThread where result.status == .boundsExceeded:
            guard !network.hasMadeRoom, let victim = attempt.interface.dispensable else { break }
            network.hasMadeRoom = true
            return [
                .note("the device has room for no further network; it forgets '\(NetworkName.text(victim))'"),
                send(.remove(victim), attempt),
            ]
        case .connect where !result.isSuccess && result.mayPass && network.repetitions < Self.mostRepetitions:
            network.repetitions += 1
            return [
                .note(
                    "the device could not join yet (\(result.status?.words ?? "\(result.code)")); it tries once more"),
                send(command, attempt),
            ]
        case .connect where result.isSuccess:
            // A device that cannot do both says yes before it tries.
            network.hasJoined = information.isConcurrent
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
        network.target = nil
        if configuration.network.canAsk, failure.maySucceedOtherwise, information.isConcurrent {
            network.failure = failure
            return [
                .choose(
                    NetworkChoice(
                        kind: attempt.credential.kind, seen: network.seen, failure: failure,
                        failed: attempt.credential))
            ]
        }
        return try giveUp(failure)
    }

    /// Goes on with the next interface, or with the next network.
    private mutating func giveUp(_ failure: NetworkFailure) throws(CommissioningError) -> [Action] {
        guard network.attempts.count > 1, let attempt = network.attempts.first else {
            var error = CommissioningError(
                .networkRefused, stage: .network, failure.sentence, hint: failure.hint)
            error.network = failure
            throw error
        }
        network.failure = failure
        return [.note(failure.sentence), send(.remove(attempt.credential.id), attempt)]
    }
}

extension NetworkState.Commissioning {
    /// An entry of a full table that a new network may replace: one that is not in use, if there is one.
    var dispensable: [UInt8]? { (networks.first { !$0.isConnected } ?? networks.first)?.id }
}
