package import JSON

/// A JSON Schema (draft 2020-12), as far as docs/schemas use it: a keyword that is not known here is a fault.
package struct JSONSchema {
    private let root: JSONValue
    /// Other files that a reference may name, by their names.
    private let others: [String: JSONValue]

    package init(_ root: JSONValue, others: [String: JSONValue] = [:]) {
        self.root = root
        self.others = others
    }

    /// The faults of a value, each with its place; empty if it is valid.
    package func faults(of value: JSONValue) -> [String] { faults(of: value, root, in: root, at: "$") }

    private func faults(of value: JSONValue, _ schema: JSONValue, in file: JSONValue, at place: String) -> [String] {
        if let isOpen = schema.boolValue { return isOpen ? [] : ["\(place): nothing may stand here"] }
        var faults: [String] = []
        for member in schema.objectValue?.members ?? [] {
            switch member.key {
            case "$schema", "$defs", "title", "description", "version", "additionalProperties": break
            case "$ref": faults += reference(value, member.value, in: file, at: place)
            case "type":
                let names = member.value.arrayValue ?? [member.value]
                if !names.contains(where: { Self.isOf($0.stringValue ?? "", value) }) {
                    faults.append("\(place): not of the type \(member.value.serialized()): \(value.serialized())")
                }
            case "enum":
                if !(member.value.arrayValue ?? []).contains(value) {
                    faults.append("\(place): none of \(member.value.serialized()): \(value.serialized())")
                }
            case "pattern":
                guard let text = value.stringValue, let pattern = try? Regex(member.value.stringValue ?? "") else {
                    break
                }
                if !text.contains(pattern) {
                    faults.append("\(place): not of the form \(member.value.serialized()): \(text)")
                }
            case "properties": faults += properties(of: value, schema, in: file, at: place)
            case "required":
                guard let object = value.objectValue else { break }
                for key in (member.value.arrayValue ?? []).compactMap(\.stringValue) where object[key] == nil {
                    faults.append("\(place): no member '\(key)'")
                }
            case "items":
                for (index, element) in (value.arrayValue ?? []).enumerated() {
                    faults += self.faults(of: element, member.value, in: file, at: "\(place)[\(index)]")
                }
            case "anyOf":
                let each = (member.value.arrayValue ?? []).map { self.faults(of: value, $0, in: file, at: place) }
                // The one that fits best has the fault to be mended.
                if !each.contains([]) { faults += each.min { $0.count < $1.count } ?? [] }
            default: faults.append("\(place): the schema has a keyword that is not known: \(member.key)")
            }
        }
        return faults
    }

    private func properties(
        of value: JSONValue, _ schema: JSONValue, in file: JSONValue, at place: String
    ) -> [String] {
        var faults: [String] = []
        for member in value.objectValue?.members ?? [] {
            let inside = "\(place).\(member.key)"
            if let known = schema["properties"]?[member.key] {
                faults += self.faults(of: member.value, known, in: file, at: inside)
            } else if schema["additionalProperties"]?.boolValue == false {
                faults.append("\(inside): a member that the schema does not have")
            }
        }
        return faults
    }

    /// `#/$defs/NAME` or `FILE#/$defs/NAME`.
    private func reference(
        _ value: JSONValue, _ reference: JSONValue, in file: JSONValue, at place: String
    ) -> [String] {
        let parts = (reference.stringValue ?? "").split(separator: "#", omittingEmptySubsequences: false).map(
            String.init)
        let target = parts.first == "" ? file : parts.first.flatMap { others[$0] }
        let name = parts.last?.split(separator: "/").last.map(String.init) ?? ""
        guard parts.count == 2, let target, let schema = target["$defs"]?[name] else {
            return ["\(place): the schema refers to what is not there: \(reference.serialized())"]
        }
        return faults(of: value, schema, in: target, at: place)
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch value {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .int, .uint: type == "integer" || type == "number"
        case .double: type == "number"
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
