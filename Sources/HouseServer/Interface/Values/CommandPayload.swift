internal import MatterController

/// A command of a client: which one it means, and the fields for it.
enum CommandPayload {
    /// Names of the official controller's Python that the model spells in another way: the cluster's number, the name there, and ours.
    static let renamed: [(cluster: ClusterID, name: String, ours: String)] = [
        (0x0801, "TLSClientCSR", "ClientCSR")
    ]

    /// The request command with a name, whatever the case of its letters.
    ///
    /// - Throws: `invalidArguments` for a cluster or command that the model does not know; responses are no commands.
    static func command(_ name: String, of cluster: ClusterID, in catalogue: Catalogue) throws(InterfaceError)
        -> CommandDefinition
    {
        guard let definition = catalogue.cluster(cluster) else {
            throw InterfaceError(.invalidArguments, "cluster \(cluster) is not known, so its commands have no names")
        }
        let wanted = renamed.first { $0.cluster == cluster && FieldSpelling.isSame($0.name, name) }?.ours ?? name
        let found =
            definition.commands.first { FieldSpelling.isSame($0.name, wanted) }
            ?? definition.commands.first { $0.aliases.contains { FieldSpelling.isSame($0, wanted) } }
        guard let found else {
            throw InterfaceError(.invalidArguments, "\(definition.name) has no command '\(name)'")
        }
        return found
    }

    /// The fields of a command from a payload.
    ///
    /// - Throws: `invalidArguments` that names the field.
    static func fields(_ payload: JSONObject, of command: CommandDefinition) throws(InterfaceError) -> TLVValue {
        try ValueDecoding.fields(payload, of: command.fields, named: command.name, at: "")
    }

    /// The value to write into an attribute; structures by decimal tags or by names.
    ///
    /// - Throws: `invalidArguments` for an attribute that the model does not know, and for a value of another type.
    static func value(_ json: JSONValue, for path: ConcreteAttributePath, in catalogue: Catalogue)
        throws(InterfaceError) -> TLVValue
    {
        guard let attribute = catalogue.attribute(cluster: path.cluster, path.attribute) else {
            throw InterfaceError(.invalidArguments, "attribute \(path) is not known, so its type is not known either")
        }
        return try ValueDecoding.value(json, as: attribute.type, at: FieldSpelling.key(attribute.name))
    }
}
