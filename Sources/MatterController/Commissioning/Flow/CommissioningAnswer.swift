import MatterCrypto
import MatterModel

/// A device's answer to a commissioning command, with the ways it may say no.
struct CommissioningAnswer {
    private let command: CommissioningCommand
    private let stage: CommissioningStage
    private let outcome: CommandResult.Outcome
    /// The fields of a response; `nil` for a status.
    private let fields: TLVValue?

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
            fields = value ?? .structure([])
            guard fields?.members != nil else {
                throw CommissioningError(
                    .malformedAnswer, stage: stage, "the answer to \(command.name) is not a structure")
            }
        }
    }

    /// A certificate that begins in another year than the device's is the commonest one that devices refuse.
    private static let certificateHint = Hint.step("certificate.rejected")

    /// A field that the response has to have.
    ///
    /// - Throws: ``CommissioningError`` `malformedAnswer` if it is missing, or of another type.
    func required<Response, Value>(
        _ field: StructureField<Response, Value>
    ) throws(CommissioningError) -> Value {
        try decode { answer throws(TLVError) in try answer.required(field, in: name) }
    }

    /// A device's proof of what it is.
    func attestation() throws(CommissioningError) -> AttestationResponse {
        typealias Field = NodeOperationalCredentials.AttestationResponse.Field
        return AttestationResponse(
            elements: try required(Field.attestationElements), signature: try required(Field.attestationSignature))
    }

    /// The answer of Network Commissioning to a command.
    func network(_ command: NetworkCommissioningCommand) throws(CommissioningError) -> NetworkAnswer {
        try decode { answer throws(TLVError) in try NetworkAnswer(answer, to: command, in: name) }
    }

    /// The networks that a device has found; none if it could not search.
    var networks: [SeenNetwork] { PartialStructure(fields).map(SeenNetwork.all) ?? [] }

    private var name: String { "the answer to \(command.name)" }

    /// The status with which the device left the command undone; `nil` if it did it.
    var refusal: String? {
        guard case .status(let status) = outcome, !status.isSuccess else { return nil }
        return "\(status)"
    }

    /// ErrorCode OK in an answer of General Commissioning.
    ///
    /// - Parameter tolerating: another code that is as good here.
    func requireOK(tolerating tolerated: GeneralCommissioning.CommissioningError = .ok) throws(CommissioningError) {
        try requireOK(toleratingAll: [tolerated])
    }

    /// - Parameter tolerated: other codes that are as good here.
    func requireOK(toleratingAll tolerated: [GeneralCommissioning.CommissioningError]) throws(CommissioningError) {
        // All responses of the cluster have the same fields.
        typealias Field = GeneralCommissioning.ArmFailSafeResponse.Field
        let (code, text) = try decode { answer throws(TLVError) in
            (try answer.required(Field.errorCode, in: name), try answer.optional(Field.debugText, in: name) ?? "")
        }
        guard code != .ok, !tolerated.contains(code) else { return }
        let said = code.isKnown ? "\(code)" : "error \(code.rawValue)"
        if code == .busyWithOtherAdmin {
            throw CommissioningError(
                .failSafeBusy, stage: stage, "the device is being commissioned by another administrator",
                hint: "wait a minute until that ends, then try again")
        }
        throw CommissioningError(
            .deviceRefused, stage: stage,
            "the device refused \(command.name): \(said)\(text.isEmpty ? "" : " (\(text))")",
            hint: Self.termsErrors.contains(code) ? .step("terms.refused") : nil)
    }

    /// True if a value is outside of what the device takes.
    var isValueOutsideRange: Bool {
        typealias Response = GeneralCommissioning.SetRegulatoryConfigResponse
        return PartialStructure<Response>(fields)?[Response.Field.errorCode] == .valueOutsideRange
    }

    /// The codes of a device whose manufacturer's terms were not accepted as it wants.
    private static let termsErrors: Set<GeneralCommissioning.CommissioningError> = [
        .requiredTCNotAccepted, .tcAcknowledgementsNotReceived, .tcMinVersionNotMet,
    ]

    /// StatusCode OK in a NOCResponse.
    func requireNOCAccepted() throws(CommissioningError) {
        typealias Field = NodeOperationalCredentials.NOCResponse.Field
        let (status, text) = try decode { answer throws(TLVError) in
            (try answer.required(Field.statusCode, in: name), try answer.optional(Field.debugText, in: name) ?? "")
        }
        let said = (status.name ?? "status \(status.rawValue)") + (text.isEmpty ? "" : " (\(text))")
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

    private func decode<Response, T>(
        _ body: (PartialStructure<Response>) throws(TLVError) -> T
    ) throws(CommissioningError) -> T {
        guard let answer = PartialStructure<Response>(fields) else {
            throw CommissioningError(
                .malformedAnswer, stage: stage, "the device answered \(command.name) with only a status")
        }
        do {
            return try body(answer)
        } catch {
            throw CommissioningError(.malformedAnswer, stage: stage, "\(error)", underlying: error)
        }
    }
}

extension NodeOperationalCredentials.NodeOperationalCertStatus {
    /// The name in the specification; `nil` for one that is not known.
    var name: String? { isKnown ? description.prefix(1).uppercased() + description.dropFirst() : nil }
}

extension CommissioningCommand {
    /// True if the device checks the validity of what it gets.
    var carriesCertificate: Bool {
        switch self {
        case .addTrustedRoot, .addNOC, .updateNOC: true
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
