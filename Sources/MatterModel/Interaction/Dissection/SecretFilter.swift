import MatterBase

/// Takes secrets out of values: PINs, passwords, datasets and keys, as the data model marks them.
package struct SecretFilter: Sendable {
    /// The text in the place of a secret. Its length stays out too: that of a PIN says much.
    package static let mark = "(secret)"

    /// Whether secrets stay, because the user wants to see them.
    package let showsSecrets: Bool

    package init(showsSecrets: Bool = false) { self.showsSecrets = showsSecrets }

    /// The fields of a command or an event without their secrets.
    ///
    /// - Parameter definitions: `nil` where the data model does not know them: what may be a secret goes then.
    package func clean(fields: TLVValue, of definitions: [FieldDefinition]?) -> TLVValue {
        guard !showsSecrets else { return fields }
        guard let definitions else { return unknown(fields) }
        // A value that is no structure has no place in the model.
        guard let members = fields.members else { return unknown(fields) }
        return fields.replacing(members: cleaned(members, definitions))
    }

    /// The value of an attribute without secrets.
    ///
    /// - Parameter definition: `nil` for an attribute that the data model does not know.
    package func clean(_ value: TLVValue, of definition: AttributeDefinition?) -> TLVValue {
        guard !showsSecrets else { return value }
        guard let definition else { return unknown(value) }
        return definition.isSecret ? .string(Self.mark) : clean(value, as: definition.type)
    }

    private func clean(_ value: TLVValue, as type: DataType) -> TLVValue {
        if type.isList, case .array(let items) = value {
            return .array(items.map { TLVElement($0.tag, clean($0.value, as: type.entry)) })
        }
        if case .structure(let definition) = type.kind, let members = value.members {
            return value.replacing(members: cleaned(members, definition.fields))
        }
        // A value of another shape than the model says may be anything.
        return value.fits(type) ? value : unknown(value)
    }

    private func cleaned(_ members: [TLVElement], _ definitions: [FieldDefinition]) -> [TLVElement] {
        members.map { member in
            guard case .context(let tag) = member.tag, let field = definitions.tagged(tag) else {
                return TLVElement(member.tag, unknown(member.value))
            }
            // An empty or absent secret is no secret, and says how the command is meant.
            if field.isSecret { return TLVElement(member.tag, member.value == .null ? .null : .string(Self.mark)) }
            return TLVElement(member.tag, clean(member.value, as: field.type))
        }
    }

    /// Numbers stay, texts and octet strings go.
    private func unknown(_ value: TLVValue) -> TLVValue {
        switch value {
        case .string, .octets: .string(Self.mark)
        case .structure(let members), .array(let members), .list(let members):
            value.replacing(members: members.map { TLVElement($0.tag, unknown($0.value)) })
        default: value
        }
    }
}

extension TLVValue {
    /// The same kind of container with other members.
    fileprivate func replacing(members: [TLVElement]) -> TLVValue {
        switch self {
        case .array: .array(members)
        case .list: .list(members)
        default: .structure(members)
        }
    }

    /// Whether a text or an octet string stands where the model has one; numbers may stand anywhere.
    fileprivate func fits(_ type: DataType) -> Bool {
        switch (self, type.kind) {
        case (.string, .string), (.octets, .octets): !type.isList
        case (.string, _), (.octets, _), (.structure, _), (.list, _), (.array, _): false
        default: true
        }
    }
}
