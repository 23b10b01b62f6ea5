/// An attribute of a cluster (Matter core specification, chapter 7).
public struct AttributeDefinition: Sendable, Equatable {
    /// The first of the ids that every cluster has (Matter core specification, section 7.13).
    package static let firstGlobalID: AttributeID = 0xFFF8

    /// The number on the wire.
    public var id: AttributeID
    /// `StartUpOnOff`.
    public var name: String
    /// Other names that lead to it.
    public var aliases: [String]
    /// The type of its value.
    public var type: DataType
    /// The initial value, if the model has one.
    package var defaultValue: DefaultValue?
    /// Not unconditionally mandatory; the device's AttributeList decides.
    package var isOptional: Bool
    /// True if it can be written at all.
    public var isWritable: Bool
    /// True if it can be read at all.
    public var isReadable: Bool
    /// The privilege to read it.
    package var readPrivilege: AccessPrivilege
    /// The privilege to write it.
    package var writePrivilege: AccessPrivilege
    /// True if each entry belongs to a fabric.
    package var isFabricScoped: Bool
    /// True if only the fabric it belongs to sees it.
    package var isFabricSensitive: Bool
    /// True if its value is a secret, which traces and reports leave out.
    package var isSecret = false
    /// True if a write needs a timed interaction.
    public var mustTimedWrite: Bool
    /// True if a write needs an atomic request.
    package var mustAtomicWrite: Bool
    /// True if a subscription does not report every change.
    package var changesOmitted: Bool
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool
    /// True if new devices leave it out.
    package var isDeprecated: Bool
    /// The first cluster revision that has it, where a vendor says so.
    package var sinceRevision: UInt16?
    /// The last cluster revision that has it, where a vendor says so.
    package var untilRevision: UInt16?
    /// Remarks of the definition's author.
    public var notes: [String]

    /// True if every cluster has it.
    package var isGlobal: Bool { Self.isGlobal(id) }
}

/// A command of a cluster: a request, or the response to one (Matter core specification, chapter 7).
public struct CommandDefinition: Sendable, Equatable {
    /// The number on the wire.
    public var id: CommandID
    /// `MoveToLevel`.
    public var name: String
    /// Other names that lead to it.
    public var aliases: [String]
    /// True if this goes from server to client.
    package var isResponse: Bool
    /// In the order of their tags.
    public var fields: [FieldDefinition]
    /// The name of the response command; `nil` if the answer is a plain status.
    public var response: String?
    /// Not unconditionally mandatory.
    package var isOptional: Bool
    /// True if the invocation needs a timed interaction.
    public var isTimed: Bool
    /// The privilege to invoke it.
    package var invokePrivilege: AccessPrivilege
    /// True if it concerns the invoker's fabric, and needs one.
    package var isFabricScoped: Bool
    /// True if it may need TCP.
    package var isLargeMessage: Bool
    /// True if the device wants its only field bare, not inside a structure, as firmware of vendors may.
    package var bareFieldsOnWire: Bool
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool
    /// True if new devices leave it out.
    package var isDeprecated: Bool
    /// The first cluster revision that has it, where a vendor says so.
    package var sinceRevision: UInt16?
    /// The last cluster revision that has it, where a vendor says so.
    package var untilRevision: UInt16?
    /// Remarks of the definition's author.
    public var notes: [String]
}

/// An event of a cluster (Matter core specification, chapter 7).
public struct EventDefinition: Sendable, Equatable {
    /// How long a device keeps it (Matter core specification, section 7.14).
    public enum Priority: UInt8, Sendable, CaseIterable {
        /// How much an event matters (Matter core specification, 7.14.1.2).
        case debug
        /// How much an event matters (Matter core specification, 7.14.1.2).
        case info
        /// How much an event matters (Matter core specification, 7.14.1.2).
        case critical
    }

    /// The number on the wire.
    public var id: EventID
    /// `StateChanged`.
    public var name: String
    /// How long a device keeps it.
    public var priority: Priority
    /// Its fields in the order of their tags.
    public var fields: [FieldDefinition]
    /// The privilege to read it.
    package var readPrivilege: AccessPrivilege
    /// True if only the fabric it belongs to sees it.
    package var isFabricSensitive: Bool
    /// Not unconditionally mandatory.
    package var isOptional: Bool
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool
}

/// A feature of a cluster: one bit of its FeatureMap (Matter core specification, chapter 7).
public struct FeatureDefinition: Sendable, Hashable {
    /// The bit of FeatureMap.
    public var bit: Int
    /// `Lighting`.
    public var name: String
    /// `LT`.
    public var code: String?
    /// True if the base cluster defines it and this one forbids it.
    package var isDisallowed: Bool
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool
    /// True if new devices leave it out.
    package var isDeprecated: Bool
}
