import JSON

/// A status code of the Interaction Model (Matter core specification 8.10); codes of later revisions keep their number.
public struct IMStatus: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: UInt8

    /// The value with a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was done.
    public static let success = IMStatus(rawValue: 0x00)
    /// It was not done, and there is no better word.
    public static let failure = IMStatus(rawValue: 0x01)
    package static let invalidSubscription = IMStatus(rawValue: 0x7D)
    /// The caller has no right to it.
    public static let unsupportedAccess = IMStatus(rawValue: 0x7E)
    package static let unsupportedEndpoint = IMStatus(rawValue: 0x7F)
    /// It makes no sense, or not now.
    public static let invalidAction = IMStatus(rawValue: 0x80)
    package static let unsupportedCommand = IMStatus(rawValue: 0x81)
    package static let invalidCommand = IMStatus(rawValue: 0x85)
    package static let unsupportedAttribute = IMStatus(rawValue: 0x86)
    /// A value is out of its range.
    public static let constraintError = IMStatus(rawValue: 0x87)
    /// The attribute cannot be written.
    public static let unsupportedWrite = IMStatus(rawValue: 0x88)
    package static let resourceExhausted = IMStatus(rawValue: 0x89)
    package static let notFound = IMStatus(rawValue: 0x8B)
    static let unreportableAttribute = IMStatus(rawValue: 0x8C)
    package static let invalidDataType = IMStatus(rawValue: 0x8D)
    package static let unsupportedRead = IMStatus(rawValue: 0x8F)
    package static let dataVersionMismatch = IMStatus(rawValue: 0x92)
    package static let timeout = IMStatus(rawValue: 0x94)
    static let unsupportedNode = IMStatus(rawValue: 0x9B)
    package static let busy = IMStatus(rawValue: 0x9C)
    static let accessRestricted = IMStatus(rawValue: 0x9D)
    package static let unsupportedCluster = IMStatus(rawValue: 0xC3)
    static let noUpstreamSubscription = IMStatus(rawValue: 0xC5)
    package static let needsTimedInteraction = IMStatus(rawValue: 0xC6)
    package static let unsupportedEvent = IMStatus(rawValue: 0xC7)
    package static let pathsExhausted = IMStatus(rawValue: 0xC8)
    package static let timedRequestMismatch = IMStatus(rawValue: 0xC9)
    package static let failsafeRequired = IMStatus(rawValue: 0xCA)
    package static let invalidInState = IMStatus(rawValue: 0xCB)
    package static let noCommandResponse = IMStatus(rawValue: 0xCC)
    static let termsAndConditionsChanged = IMStatus(rawValue: 0xCD)
    static let maintenanceRequired = IMStatus(rawValue: 0xCE)
    package static let dynamicConstraintError = IMStatus(rawValue: 0xCF)
    package static let alreadyExists = IMStatus(rawValue: 0xD0)
    static let invalidTransportType = IMStatus(rawValue: 0xD1)

    /// Every code that has a name, with the specification's spelling of it, ascending.
    package static let named: [(status: IMStatus, name: String)] = [
        (.success, "SUCCESS"),
        (.failure, "FAILURE"),
        (.invalidSubscription, "INVALID_SUBSCRIPTION"),
        (.unsupportedAccess, "UNSUPPORTED_ACCESS"),
        (.unsupportedEndpoint, "UNSUPPORTED_ENDPOINT"),
        (.invalidAction, "INVALID_ACTION"),
        (.unsupportedCommand, "UNSUPPORTED_COMMAND"),
        (.invalidCommand, "INVALID_COMMAND"),
        (.unsupportedAttribute, "UNSUPPORTED_ATTRIBUTE"),
        (.constraintError, "CONSTRAINT_ERROR"),
        (.unsupportedWrite, "UNSUPPORTED_WRITE"),
        (.resourceExhausted, "RESOURCE_EXHAUSTED"),
        (.notFound, "NOT_FOUND"),
        (.unreportableAttribute, "UNREPORTABLE_ATTRIBUTE"),
        (.invalidDataType, "INVALID_DATA_TYPE"),
        (.unsupportedRead, "UNSUPPORTED_READ"),
        (.dataVersionMismatch, "DATA_VERSION_MISMATCH"),
        (.timeout, "TIMEOUT"),
        (.unsupportedNode, "UNSUPPORTED_NODE"),
        (.busy, "BUSY"),
        (.accessRestricted, "ACCESS_RESTRICTED"),
        (.unsupportedCluster, "UNSUPPORTED_CLUSTER"),
        (.noUpstreamSubscription, "NO_UPSTREAM_SUBSCRIPTION"),
        (.needsTimedInteraction, "NEEDS_TIMED_INTERACTION"),
        (.unsupportedEvent, "UNSUPPORTED_EVENT"),
        (.pathsExhausted, "PATHS_EXHAUSTED"),
        (.timedRequestMismatch, "TIMED_REQUEST_MISMATCH"),
        (.failsafeRequired, "FAILSAFE_REQUIRED"),
        (.invalidInState, "INVALID_IN_STATE"),
        (.noCommandResponse, "NO_COMMAND_RESPONSE"),
        (.termsAndConditionsChanged, "TERMS_AND_CONDITIONS_CHANGED"),
        (.maintenanceRequired, "MAINTENANCE_REQUIRED"),
        (.dynamicConstraintError, "DYNAMIC_CONSTRAINT_ERROR"),
        (.alreadyExists, "ALREADY_EXISTS"),
        (.invalidTransportType, "INVALID_TRANSPORT_TYPE"),
    ]

    /// The specification's name; `nil` for a code that this revision does not know.
    package var name: String? {
        Self.named.first { $0.status == self }?.name
    }
}

extension IMStatus: CustomStringConvertible {
    /// The name, or the number as `0xE5` where there is none.
    public var description: String {
        if let name { return name }
        return "0x" + Hex.number(rawValue, digits: 2, uppercase: true)
    }
}
