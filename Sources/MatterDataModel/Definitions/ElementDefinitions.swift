/// An attribute of a cluster.
public struct AttributeDefinition: Sendable, Equatable {
    /// The first of the ids that every cluster has (Matter core specification, section 7.13).
    public static let firstGlobalID: UInt32 = 0xFFF8

    /// The number on the wire.
    public var id: UInt32
    /// `StartUpOnOff`.
    public var name: String
    /// Other names that lead to it.
    public var aliases: [String]
    /// The type of its value.
    public var type: DataType
    /// The value before anybody has set one, where the model says.
    public var defaultValue: DefaultValue?
    /// Not unconditionally mandatory; the device's AttributeList decides.
    public var isOptional: Bool
    /// Whether it can be written at all.
    public var isWritable: Bool
    /// Whether it can be read at all.
    public var isReadable: Bool
    /// What a session needs to read it.
    public var readPrivilege: AccessPrivilege
    /// What a session needs to write it.
    public var writePrivilege: AccessPrivilege
    /// Whether each entry belongs to a fabric.
    public var isFabricScoped: Bool
    /// Whether only the fabric it belongs to sees it.
    public var isFabricSensitive: Bool
    /// Whether a write needs a timed interaction.
    public var mustTimedWrite: Bool
    /// Whether a write needs an atomic request.
    public var mustAtomicWrite: Bool
    /// Whether a subscription does not report every change.
    public var changesOmitted: Bool
    /// Whether the specification has not settled it yet.
    public var isProvisional: Bool
    /// Whether new devices leave it out.
    public var isDeprecated: Bool
    /// The first cluster revision that has it, where a vendor says so.
    public var sinceRevision: UInt16?
    /// The last cluster revision that has it, where a vendor says so.
    public var untilRevision: UInt16?
    /// Remarks of whoever wrote the definition.
    public var notes: [String]

    /// Whether every cluster has it.
    public var isGlobal: Bool { Self.isGlobal(id) }
}

/// A command of a cluster: a request, or the response to one.
public struct CommandDefinition: Sendable, Equatable {
    /// The number on the wire.
    public var id: UInt32
    /// `MoveToLevel`.
    public var name: String
    /// Other names that lead to it.
    public var aliases: [String]
    /// Whether this goes from server to client.
    public var isResponse: Bool
    /// In the order of their tags.
    public var fields: [FieldDefinition]
    /// The name of the response command; `nil` if the answer is a plain status.
    public var response: String?
    /// Not unconditionally mandatory.
    public var isOptional: Bool
    /// Whether the invocation needs a timed interaction.
    public var isTimed: Bool
    /// What a session needs to invoke it.
    public var invokePrivilege: AccessPrivilege
    /// Whether it concerns the fabric of whoever invokes it, and needs one.
    public var isFabricScoped: Bool
    /// Whether it may need TCP.
    public var isLargeMessage: Bool
    /// Whether the device wants its only field bare, not inside a structure (RainMaker SignData, revision 2).
    public var bareFieldsOnWire: Bool
    /// Whether the specification has not settled it yet.
    public var isProvisional: Bool
    /// Whether new devices leave it out.
    public var isDeprecated: Bool
    /// The first cluster revision that has it, where a vendor says so.
    public var sinceRevision: UInt16?
    /// The last cluster revision that has it, where a vendor says so.
    public var untilRevision: UInt16?
    /// Remarks of whoever wrote the definition.
    public var notes: [String]
}

/// An event of a cluster.
public struct EventDefinition: Sendable, Equatable {
    /// How long a device keeps it (Matter core specification, section 7.14).
    public enum Priority: UInt8, Sendable, CaseIterable {
        case debug
        case info
        case critical
    }

    /// The number on the wire.
    public var id: UInt32
    /// `StateChanged`.
    public var name: String
    /// How long a device keeps it.
    public var priority: Priority
    /// Its fields in the order of their tags.
    public var fields: [FieldDefinition]
    /// What a session needs to read it.
    public var readPrivilege: AccessPrivilege
    /// Whether only the fabric it belongs to sees it.
    public var isFabricSensitive: Bool
    /// Not unconditionally mandatory.
    public var isOptional: Bool
    /// Whether the specification has not settled it yet.
    public var isProvisional: Bool
}

/// A feature of a cluster: one bit of its FeatureMap.
public struct FeatureDefinition: Sendable, Hashable {
    /// The bit of FeatureMap.
    public var bit: Int
    /// `Lighting`.
    public var name: String
    /// `LT`.
    public var code: String?
    /// Whether the base cluster defines it and this one forbids it.
    public var isDisallowed: Bool
    /// Whether the specification has not settled it yet.
    public var isProvisional: Bool
    /// Whether new devices leave it out.
    public var isDeprecated: Bool
}
