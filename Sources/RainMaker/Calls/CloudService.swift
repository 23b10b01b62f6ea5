import JSON

/// A service of a node's RainMaker firmware, as the node's configuration describes it (docs/rainmaker.md).
///
/// Services and parameters are known by their types. The names, which values are sent under, are the firmware's own.
package struct CloudService: Sendable, Equatable {
    package var type: String
    package var name: String
    /// The names of the parameters, by type.
    package var parameters: [String: String]
}

extension CloudService {
    /// - Returns: `nil` for what is no service that values can be sent to.
    init?(_ value: JSONValue) {
        guard let type = value["type"]?.stringValue, let name = value["name"]?.stringValue, !name.isEmpty else {
            return nil
        }
        self.type = type
        self.name = name
        parameters = [:]
        for parameter in value["params"]?.arrayValue ?? [] {
            guard let type = parameter["type"]?.stringValue, let name = parameter["name"]?.stringValue, !name.isEmpty
            else { continue }
            parameters[type] = name
        }
    }
}
