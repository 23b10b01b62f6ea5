internal import MatterController

/// The JSON of command responses and event data: structures are objects with the field names of the official controller's
/// Python (``FieldSpelling``).
///
/// As in its data classes, every field of the definition is there, null if the device left it out. Fields that the model does
/// not know have their decimal tags as keys.
enum NamedEncoding {
    /// The fields of a response or event.
    ///
    /// - Returns: an object; the form without names if the value is no structure.
    static func json(_ value: TLVValue, of fields: [FieldDefinition]) -> JSONValue {
        guard case .structure(let members) = value else { return ValueEncoding.json(value) }
        let known = Set(fields.map(\.id))
        var object = JSONObject()
        for field in fields {
            object[FieldSpelling.key(field.name)] =
                value.field(field.id).map { json($0, as: field.type) } ?? .null
        }
        for member in ValueEncoding.unique(members) {
            guard case .context(let tag) = member.tag else {
                object[member.tag.description] = ValueEncoding.json(member.value)
                continue
            }
            guard !known.contains(tag) else { continue }
            let key = tag == FieldSpelling.fabricIndex.tag ? FieldSpelling.fabricIndex.key : String(tag)
            object[key] = ValueEncoding.json(member.value)
        }
        return .object(object)
    }

    /// A value by its type: the names of structures, also in lists.
    ///
    /// - Returns: null for a value of another type than the model knows.
    static func json(_ value: TLVValue, as type: DataType) -> JSONValue {
        guard ValueSoundness.isSound(value, as: type) else { return .null }
        guard case .structure(let definition) = type.kind else { return ValueEncoding.json(value) }
        if type.isList, let items = value.items {
            return .array(items.map { json($0, of: definition.fields) })
        }
        return json(value, of: definition.fields)
    }

    /// The data of an event; by decimal tags if the model does not know the event.
    static func event(_ data: TLVValue, _ id: EventID, of cluster: ClusterID, in catalogue: Catalogue) -> JSONValue {
        guard let event = catalogue.cluster(cluster)?.event(id) else { return ValueEncoding.json(data) }
        return json(data, of: event.fields)
    }

    /// The fields of a response; by decimal tags if the model does not know it.
    static func response(_ fields: TLVValue, _ id: CommandID, of cluster: ClusterID, in catalogue: Catalogue)
        -> JSONValue
    {
        guard let response = catalogue.cluster(cluster)?.response(id) else { return ValueEncoding.json(fields) }
        return json(fields, of: response.fields)
    }
}
