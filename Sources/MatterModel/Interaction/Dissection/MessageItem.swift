import MatterBase

/// One thing that a message says: a path with its value, a status, or facts of the message itself.
package struct MessageItem: Equatable, Sendable {
    /// The place of the item in the message: `report`, `command`, `status`, `attribute`.
    package var kind: String
    /// With names where the data model has them: `1/on-off/toggle`.
    package var path: String?
    /// The value of an attribute, or the fields of a command or an event as an object.
    package var value: JSONValue?
    /// Everything else, by the specification's names in camel case.
    package var facts: JSONObject

    package init(_ kind: String, path: String? = nil, value: JSONValue? = nil, _ facts: JSONObject = JSONObject()) {
        self.kind = kind
        self.path = path
        self.value = value
        self.facts = facts
    }

    /// One line for people: `command 1/level-control/move-to-level level=127`. Text from outside is escaped.
    package var text: String {
        var words = [kind]
        if let path { words.append(TerminalText.escaped(path)) }
        if case .object(let object) = value, kind != "report", kind != "write" {
            words += Self.pairs(object)
        } else if let value {
            words += ["=", TerminalText.text(value)]
        }
        return (words + Self.pairs(facts)).joined(separator: " ")
    }

    private static func pairs(_ object: JSONObject) -> [String] {
        object.members.map { "\(TerminalText.escaped($0.key))=\(TerminalText.text($0.value))" }
    }

    package var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind)]
        object["path"] = path.map { .string($0) }
        object["value"] = value
        for member in facts.members { object[member.key] = member.value }
        return .object(object)
    }
}
