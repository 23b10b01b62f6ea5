import MatterNetwork

/// Puts an error of the layers below into the terms of commissioning, as far as there is something to add.
struct CommissioningFailure {
    let error: any Error

    /// - Parameter wasPending: whether the device may have our certificate.
    init(_ error: any Error, stage: CommissioningStage, wasPending: Bool) {
        switch error {
        case let failure as SessionError where wasPending && failure.isUnknownToPeer:
            self.error = CommissioningError(
                .forgotten, stage: stage,
                "the device received its certificate and has forgotten this fabric: it was restarted, or its fail-safe "
                    + "expired (\(SessionAccount(failure)))",
                hint: "put it into pairing mode again if necessary, and run the same command again", underlying: failure
            )
        case let failure as SessionError where wasPending && failure.code == .refused:
            self.error = CommissioningError(
                .sessionRefused, stage: stage,
                "the device accepted its certificate and refused the session that it is for: \(SessionAccount(failure))",
                hint: "this is a fault of the device or of its clock; restart it and try again", underlying: failure)
        case let failure as SessionError where wasPending:
            self.error = Self.gone("was not found again: \(SessionAccount(failure))", stage: stage, failure)
        case let failure as TransportError where wasPending:
            let account = failure.report.map { "; \(ReportAccount($0))" } ?? ""
            self.error = Self.gone("then stopped answering: \(failure)\(account)", stage: stage, failure)
        case let failure as TransportError where failure.code == .linkLost || failure.code == .btp:
            self.error = CommissioningError(
                .noAnswer, stage: stage, "the device is gone: \(failure)", hint: .step("bluetooth.lost"),
                underlying: failure)
        case let failure as TransportError:
            self.error = CommissioningError(
                .noAnswer, stage: stage,
                "the device stopped answering: \(failure)" + (failure.report.map { "; \(ReportAccount($0))" } ?? ""),
                hint:
                    "check its power and its network, put it into pairing mode again if necessary, and run the same "
                    + "command again", underlying: failure)
        case let failure as InteractionError:
            self.error = CommissioningError(
                failure.code == .refused ? .commandFailed : .malformedAnswer, stage: stage, "\(failure)",
                status: failure.status.map { StatusIB($0) }, underlying: failure)
        case is CancellationError:
            self.error = CommissioningError(.interrupted, stage: stage, "interrupted")
        default:
            self.error = error
        }
    }

    /// A device that has left for a network, and was not found there: the reason is that network, or the way to it.
    static func away(_ error: any Error, from target: NetworkAttempt, hasJoined: Bool) -> any Error {
        guard let failure = error as? CommissioningError, failure.code == .goneAfterNOC else { return error }
        let network = "\(target.credential.kind.rawValue) '\(target.credential.name)'"
        let account = (failure.underlying as? SessionError).map { "\(SessionAccount($0))" } ?? failure.reason
        return CommissioningError(
            .notOnNetwork, stage: failure.stage,
            hasJoined
                ? "the device has joined \(network), and was not found there: \(account)"
                : "the device left to join \(network) without saying whether it has, and was not found there: \(account)",
            hint: .step(
                hasJoined
                    ? "network.unreachable"
                    : target.credential.kind == .wifi ? "network.silent-wifi" : "network.silent-thread"),
            underlying: failure.underlying)
    }

    /// A device that was not found again, and says that it knows no network: it was set up over an access point of its own.
    static func unconnected(_ error: any Error, _ kinds: Set<NetworkKind>) -> any Error {
        guard let failure = error as? CommissioningError, failure.code == .goneAfterNOC else { return error }
        return CommissioningError(
            .networkNeeded, stage: failure.stage,
            "\(failure.reason); it lists no \(NetworkPlan.words(kinds)) network, and none was named: without one it is only where "
                + "it was set up", hint: CommissioningFlow.networkHint(kinds), underlying: failure.underlying)
    }

    /// The device may have its certificate, and is silent.
    private static func gone(_ what: String, stage: CommissioningStage, _ cause: any Error) -> CommissioningError {
        CommissioningError(
            .goneAfterNOC, stage: stage, "the device was given its certificate and \(what)",
            hint: "check its network connection, and that mDNS reaches this host; then run the same command again",
            underlying: cause)
    }
}
