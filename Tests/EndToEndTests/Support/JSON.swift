import Foundation

/// A JSON value that tests can look into and print in one canonical form.
struct JSON: Equatable, Sendable, CustomStringConvertible {
    indirect enum Value: Equatable, Sendable {
        case null, bool(Bool), number(String), string(String), array([JSON]), object([String: JSON])
    }

    let value: Value

    init(_ value: Value) { self.value = value }

    init(parsing text: String) throws {
        do {
            self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
        } catch {
            throw LaboratoryError("not JSON (\(error)): \(text)")
        }
    }

    subscript(key: String) -> JSON? { if case .object(let members) = value { members[key] } else { nil } }

    subscript(index: Int) -> JSON? {
        guard case .array(let elements) = value, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    var elements: [JSON] { if case .array(let elements) = value { elements } else { [] } }
    var keys: [String] { if case .object(let members) = value { members.keys.sorted() } else { [] } }
    var string: String? { if case .string(let text) = value { text } else { nil } }
    var int: Int? { if case .number(let text) = value { Int(text) } else { nil } }
    var double: Double? { if case .number(let text) = value { Double(text) } else { nil } }
    var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }

    /// The same with the values of some members, at any depth, replaced by their kind: for snapshots of shapes.
    func masking(_ names: Set<String>) -> JSON {
        switch value {
        case .array(let elements): JSON(.array(elements.map { $0.masking(names) }))
        case .object(let members):
            JSON(
                .object(
                    Dictionary(
                        uniqueKeysWithValues: members.map { name, member in
                            (name, names.contains(name) ? JSON(.string("<\(member.kind)>")) : member.masking(names))
                        })))
        default: self
        }
    }

    private var kind: String {
        switch value {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// On one line, members in alphabetical order.
    var description: String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let text): text
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
        }
    }
}

extension JSON: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let number = try? container.decode(Int.self) {
            value = .number("\(number)")
        } else if let number = try? container.decode(Double.self) {
            value = .number("\(number)")
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let elements = try? container.decode([JSON].self) {
            value = .array(elements)
        } else {
            value = .object(try container.decode([String: JSON].self))
        }
    }
}
