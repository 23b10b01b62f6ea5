import MatterCrypto
import MatterModel

/// A device's answer to a commissioning command, with the ways it may say no.
struct CommissioningAnswer {
    private let command: CommissioningCommand
    private let stage: CommissioningStage
    private let outcome: CommandResult.Outcome
    private let fields: TLVFields?

    init(
        _ result: CommandResult, to command: CommissioningCommand, stage: CommissioningStage
    ) throws(CommissioningError) {
        self.command = command
        self.stage = stage
        outcome = result.outcome
        switch result.outcome {
        case .status(let status):
            fields = nil
            guard status.isSuccess || command.toleratesFailure else {
                throw CommissioningError(
                    .commandFailed, stage: stage, "the device answered \(command.name) with \(status)",
                    hint: command.carriesCertificate ? Self.certificateHint : nil, status: status)
            }
        case .response(_, let value):
            do {
                fields = try TLVFields(value ?? .structure([]), "the answer to \(command.name)")
            } catch {
                throw CommissioningError(.malformedAnswer, stage: stage, "\(error)", underlying: error)
            }
        }
    }

    /// A certificate that begins in another year than the device's is the commonest one that devices refuse.
    private static let certificateHint = Hint.step("certificate.rejected")

    func octets(_ tag: UInt8) throws(CommissioningError) -> [UInt8] {
        try decode { fields throws(TLVError) in try fields.octets(tag) }
    }

    func bool(_ tag: UInt8) throws(CommissioningError) -> Bool {
        try decode { fields throws(TLVError) in try fields.bool(tag) }
    }

    /// The answer of Network Commissioning to a command.
    func network(_ command: NetworkCommissioningCommand) throws(CommissioningError) -> NetworkAnswer {
        try decode { fields throws(TLVError) in try NetworkAnswer(fields, to: command) }
    }

    /// The networks that a device has found; none if it could not search.
    var networks: [SeenNetwork] { fields.map { SeenNetwork.all(in: $0) } ?? [] }

    /// The status with which the device left the command undone; `nil` if it did it.
    var refusal: String? {
        guard case .status(let status) = outcome, !status.isSuccess else { return nil }
        return "\(status)"
    }

    /// ErrorCode OK in an answer of General Commissioning.
    ///
    /// - Parameter tolerating: another code that is as good here.
    func requireOK(tolerating tolerated: GeneralCommissioning.CommissioningError = .ok) throws(CommissioningError) {
        let (number, text): (UInt8, String) = try decode { fields throws(TLVError) in
            (
                try fields.unsigned(GeneralCommissioning.ArmFailSafeResponse.Field.errorCode),
                try fields.optionalString(GeneralCommissioning.ArmFailSafeResponse.Field.debugText) ?? ""
            )
        }
        guard number != GeneralCommissioning.CommissioningError.ok.rawValue, number != tolerated.rawValue else {
            return
        }
        let code = GeneralCommissioning.CommissioningError(rawValue: number)
        let name = code.isKnown ? "\(code)" : "error \(number)"
        if code == .busyWithOtherAdmin {
            throw CommissioningError(
                .failSafeBusy, stage: stage, "the device is being commissioned by another administrator",
                hint: "wait a minute until that ends, then try again")
        }
        throw CommissioningError(
            .deviceRefused, stage: stage,
            "the device refused \(command.name): \(name)\(text.isEmpty ? "" : " (\(text))")",
            hint: Self.termsErrors.contains(code) ? .step("terms.refused") : nil)
    }

    /// True if a value is outside of what the device takes.
    var isValueOutsideRange: Bool {
        guard let fields,
            let number: UInt8 = try? fields.unsigned(GeneralCommissioning.SetRegulatoryConfigResponse.Field.errorCode)
        else { return false }
        return number == GeneralCommissioning.CommissioningError.valueOutsideRange.rawValue
    }

    /// The codes of a device whose manufacturer's terms were not accepted as it wants.
    private static let termsErrors: Set<GeneralCommissioning.CommissioningError> = [
        .requiredTCNotAccepted, .tcAcknowledgementsNotReceived, .tcMinVersionNotMet,
    ]

    /// StatusCode OK in a NOCResponse.
    func requireNOCAccepted() throws(CommissioningError) {
        let (number, text): (UInt8, String) = try decode { fields throws(TLVError) in
            (
                try fields.unsigned(NodeOperationalCredentials.NOCResponse.Field.statusCode),
                try fields.optionalString(NodeOperationalCredentials.NOCResponse.Field.debugText) ?? ""
            )
        }
        let status = NodeOperationalCertStatus(rawValue: number)
        let said = (status?.name ?? "status \(number)") + (text.isEmpty ? "" : " (\(text))")
        switch status {
        case .ok:
            return
        case .tableFull:
            throw CommissioningError(
                .fabricTableFull, stage: stage, "the device has no room for another fabric: \(said)",
                hint: "remove it from one of the apps or hubs that have it, or reset it")
        case .fabricConflict:
            throw CommissioningError(
                .alreadyOnFabric, stage: stage, "the device is already on this fabric: \(said)",
                hint: .step("fabric.conflict"))
        default:
            throw CommissioningError(
                .nocRejected, stage: stage, "the device rejected the node certificate: \(said)",
                hint: Self.certificateHint)
        }
    }

    private func decode<T>(
        _ body: (TLVFields) throws(TLVError) -> T
    ) throws(CommissioningError) -> T {
        guard let fields else {
            throw CommissioningError(
                .malformedAnswer, stage: stage, "the device answered \(command.name) with only a status")
        }
        do {
            return try body(fields)
        } catch {
            throw CommissioningError(.malformedAnswer, stage: stage, "\(error)", underlying: error)
        }
    }
}

extension CommissioningCommand {
    /// True if the device checks the validity of what it gets.
    var carriesCertificate: Bool {
        switch self {
        case .addTrustedRoot, .addNOC: true
        default: false
        }
    }

    /// Time synchronisation helps the device, but is no reason to refuse it; nor is a search with a radio that is busy.
    var toleratesFailure: Bool {
        switch self {
        case .setUTCTime, .setTimeZone, .setDSTOffset, .setTrustedTimeSource, .setDefaultNTP: true
        case .network(.scan, _, _, _): true
        default: false
        }
    }
}
