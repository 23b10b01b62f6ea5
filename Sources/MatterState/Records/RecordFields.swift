public import JSON

/// Reads the members of a record.
public typealias RecordFields = JSONFields<RecordError>

extension JSONFields where Failure == RecordError {
    package init(_ contents: [UInt8], _ name: String) throws(RecordError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: contents)
        } catch {
            throw RecordError(.invalid, "\(name) is not valid JSON: \(error)")
        }
        try self.init(value, name)
    }
}

extension RecordError: JSONFieldFailure {
    /// An error about a member of a record.
    public init(_ fault: JSONFieldFault, in name: String) {
        let reason =
            switch fault {
            case .notAnObject: "\(name) is not a JSON object"
            case .missing(let key): "\(name) lacks '\(key)'"
            case .wrong(let key, let expected): "'\(key)' in \(name) is not \(expected)"
            }
        self.init(.invalid, reason)
    }
}
