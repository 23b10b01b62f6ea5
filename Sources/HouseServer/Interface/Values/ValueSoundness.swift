internal import MatterController

/// A check of values against the model, for devices that send others.
///
/// The clients of Home Assistant refuse a value of the wrong type while they build a node, and one refused value ends
/// the whole connection. So such a value is not passed on.
enum ValueSoundness {
    /// True if a client can read the value as one of this type. Null and unknown numbers and fields do no harm.
    static func isSound(_ value: TLVValue, as type: DataType) -> Bool {
        if case .null = value { return true }
        guard type.isList else { return isSound(single: value, as: type) }
        guard let items = value.items else { return false }
        let entry = type.entry
        return items.allSatisfy { isSound($0, as: entry) }
    }

    private static func isSound(single value: TLVValue, as type: DataType) -> Bool {
        switch (type.kind, value) {
        case (.boolean, .bool), (.string, .string), (.octets, .octets): true
        case (.signed, .int), (.signed, .uint): true
        case (.unsigned, .uint), (.enumeration, .uint), (.bitmap, .uint): true
        case (.unsigned, .int(let number)), (.enumeration, .int(let number)), (.bitmap, .int(let number)): number >= 0
        case (.single, .float), (.single, .double), (.single, .int), (.single, .uint): true
        case (.double, .float), (.double, .double), (.double, .int), (.double, .uint): true
        case (.structure(let definition), .structure(let members)):
            members.allSatisfy { member in
                guard case .context(let tag) = member.tag else { return true }
                guard let field = definition.fields.first(where: { $0.id == tag }) else { return true }
                return isSound(member.value, as: field.type)
            }
        default: false
        }
    }
}
