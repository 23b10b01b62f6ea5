/// An enumeration: numbers with names (Matter core specification, chapter 7).
public struct EnumDefinition: Sendable, Equatable {
    /// One value.
    public struct Value: Sendable, Hashable {
        /// The number on the wire.
        public var number: UInt64
        /// `AccessControlEntryStruct`; of a value or bit, as the model spells it.
        public var name: String
        /// As printed in the specification, where that is no identifier (`GTIN-8`).
        public var label: String?
    }

    /// `StartUpOnOffEnum`; for a number that the model gives no names for, `enum8` or `enum16`.
    public var name: String
    /// The width, in bits.
    public var bits: Int
    /// Ascending by number.
    public var values: [Value]
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool

    /// The value with a number.
    public func value(_ number: UInt64) -> Value? {
        values.first { $0.number == number }
    }

    /// The value with a name; case, blanks, hyphens and underscores do not matter.
    public func value(named name: String) -> Value? {
        let key = NameKey(name)
        return values.first { key.matches($0.name) } ?? values.first { $0.label.map(key.matches) ?? false }
    }
}

/// A set of named bits (Matter core specification, chapter 7).
public struct BitmapDefinition: Sendable, Equatable {
    /// One bit, or several that belong together and hold a small number.
    public struct Field: Sendable, Hashable {
        /// The bits, neighbours if several.
        public var mask: UInt64
        /// `AccessControlEntryStruct`; of a value or bit, as the model spells it.
        public var name: String
        /// As printed in the specification; for FeatureMap the short code of the feature (`LT`).
        public var label: String?

        /// True if this is one plain bit.
        public var isFlag: Bool { mask.nonzeroBitCount == 1 }
    }

    /// `OptionsBitmap`; for bits that the model gives no names for, `bitmap8` and so on.
    public var name: String
    /// The width, in bits.
    public var bits: Int
    /// Its fields in the order of their tags.
    public var fields: [Field]
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool

    /// True if it is a type of plain bits, such as `bitmap8`: its values are numbers.
    var isNameless: Bool { fields.isEmpty && name.hasPrefix("bitmap") }

    /// The bit or bits with a name; case, blanks, hyphens and underscores do not matter.
    public func field(named name: String) -> Field? {
        let key = NameKey(name)
        return fields.first { key.matches($0.name) } ?? fields.first { $0.label.map(key.matches) ?? false }
    }
}

/// A structure: tagged fields (Matter core specification, chapter 7).
public struct StructDefinition: Sendable, Equatable {
    /// `AccessControlEntryStruct`; of a value or bit, as the model spells it.
    public var name: String
    /// In the order of their tags.
    public var fields: [FieldDefinition]
    /// True if each value belongs to a fabric and carries its index at tag 254.
    package var isFabricScoped: Bool
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool
}

extension TLVValue {
    /// The fabric that a fabric-scoped structure belongs to; `nil` for any other value.
    package var scopedFabricIndex: UInt8? { field(FieldDefinition.fabricIndexTag)?.integer() }
}

/// A field of a structure, a command or an event (Matter core specification, chapter 7).
public struct FieldDefinition: Sendable, Equatable {
    /// The tag of the FabricIndex field of every fabric-scoped structure.
    package static let fabricIndexTag: UInt8 = 254

    /// The number of the field: its context tag.
    public var id: UInt8
    /// `TransitionTime`.
    public var name: String
    /// The type of its value.
    public var type: DataType
    /// Not unconditionally mandatory.
    public var isOptional: Bool
    /// True if only the fabric it belongs to sees it.
    package var isFabricSensitive: Bool
    /// True if its value is a secret, which traces and reports leave out.
    package var isSecret = false
    /// True if the specification has not settled it yet.
    public var isProvisional: Bool
    /// The initial value, if the model has one.
    package var defaultValue: DefaultValue?
    /// The number for a mandatory field that the user leaves out (option masks: nothing overridden); `nil` if it must be given.
    public var substitute: UInt64?

    /// The key in JSON: `transitionTime`.
    public var key: String { NameStyle.camel(name) }
}

/// The model's initial value of an element.
public enum DefaultValue: Sendable, Hashable {
    /// Null.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A number with a fraction.
    case double(Double)
    /// A string.
    case string(String)
}

extension Sequence where Element == FieldDefinition {
    /// The field with a name; case, blanks, hyphens and underscores do not matter.
    public func named(_ name: String) -> FieldDefinition? {
        let key = NameKey(name)
        return first { key.matches($0.name) }
    }

    /// The field with a tag.
    package func tagged(_ id: UInt8) -> FieldDefinition? {
        first { $0.id == id }
    }
}
