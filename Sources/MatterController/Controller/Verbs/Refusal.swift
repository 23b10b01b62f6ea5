package import MatterModel

/// The word of a device, in the response to a command, that it did not carry the command out.
///
/// Responses of the standard clusters have it in a field of one of a few names, and 0 is success in all of them.
public struct Refusal: Sendable, Hashable {
    /// The status as the cluster numbers it.
    package let number: UInt64
    /// `Duplicate`; the number where the model has no name for it.
    public let name: String
    /// The reason in the device's own words.
    package let reason: String?

    private static let statuses: Set<String> = [
        "Status", "StatusCode", "ErrorCode", "NetworkingStatus", "ResultCode", "CommandResponseState",
    ]
    private static let reasons: Set<String> = ["DebugText", "StatusText"]
    /// A log that the response has whole is exhausted (Matter core specification 11.11.4.3).
    private static let successes: [ClusterID: Set<UInt64>] = [0x0032: [1]]
    /// The statuses that every cluster with modes has (Matter application cluster specification 1.10.7.2).
    private static let modeStatuses: [UInt64: String] = [
        1: "UnsupportedMode", 2: "GenericFailure", 3: "InvalidInMode",
    ]

    /// - Returns: `nil` for a success, and for a response that has no status.
    package init?(_ fields: TLVValue?, of response: CommandDefinition, in cluster: ClusterDefinition) {
        typealias Field = RvcOperationalState.ErrorStateStruct.Field
        guard cluster.origin == .standard, let fields,
            let field = response.fields.first(where: { Self.statuses.contains($0.name) }),
            let value = fields.field(field.id)
        else { return nil }
        var code: UInt64? = value.integer()
        var words = response.fields.first { Self.reasons.contains($0.name) }.flatMap { fields.field($0.id)?.text }
        if case .structure = field.type.kind {
            // ErrorStateStruct (Matter application cluster specification 1.14.4.4).
            let error = PartialStructure<RvcOperationalState.ErrorStateStruct>(tlv: value)
            code = error?[Field.errorStateID].map { UInt64($0) }
            words = error?[Field.errorStateDetails] ?? error?[Field.errorStateLabel]
        }
        guard let number = code, number != 0,
            Self.successes[cluster.id]?.contains(number) != true
        else { return nil }
        self.number = number
        name = Self.name(number, field, cluster) ?? "\(number)"
        reason = words.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func name(_ number: UInt64, _ field: FieldDefinition, _ cluster: ClusterDefinition) -> String? {
        if case .enumeration(let definition) = field.type.kind, let value = definition.value(number) {
            return value.name
        }
        let own = cluster.enums.first { ["StatusCode", "ErrorStateEnum"].contains($0.name) }
        if let value = own?.value(number) { return value.name }
        if cluster.isMode { return modeStatuses[number] }
        // Groups has the statuses of the Interaction Model in a plain number.
        guard cluster.id == Groups.id else { return nil }
        return UInt8(exactly: number).flatMap { Catalogue.standard.statusCode($0)?.specificationName }
    }
}

extension ClusterDefinition {
    /// True if it is derived from Mode Base (Matter application cluster specification 1.10), or is its forerunner.
    package var isMode: Bool { commands.contains { $0.name == "ChangeToMode" } }
}
