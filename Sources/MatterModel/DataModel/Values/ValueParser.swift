public import MatterBase

/// A value ready to be sent, and what is odd about it.
public struct ParsedValue: Equatable, Sendable {
    /// The value.
    public var value: TLVValue
    /// Ranges and lengths that the model does not allow, names it does not know: the device decides.
    public var warnings: [ValueWarning]

    // memberwise: public, warnings = []
}

/// Something that the model does not expect, though it can be sent.
public struct ValueWarning: Equatable, Sendable, CustomStringConvertible {
    /// The field path: `transitions[2].heatSetpoint`.
    package var place: String
    package var reason: String

    /// The value as text, as messages and logs show it.
    public var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}

/// Turns shell words and JSON into TLV by data type.
///
/// | type | words, and strings in JSON |
/// | --- | --- |
/// | numbers | `127`, `0x7F`, `-5`, and with a unit that suits the type `50%`, `2s`, `1h30m`, `21.5C`, `70F`, `2700K`, `230V` |
/// | times | ISO 8601: `2026-11-21T09:30:00Z` |
/// | enums | a name or a number |
/// | bitmaps | names or numbers separated by `,` or `\|`; `Global=2` for several bits that hold a number |
/// | bytes | `hex:0A0B`, `text:abc`; addresses as they are written where the type is one |
/// | cluster and device type ids | names |
/// | structures, lists | JSON; a list of scalars also as `1,2,3` |
/// | everything nullable | `null` |
///
/// A bare number is one of steps, as is `raw:21`. A strict parser asks about one whose type has another unit than people use,
/// unless only one reading is possible: `21` may be 21 °C or 21 steps of 0.01 °C.
///
/// Numbers, names and lengths outside what the model knows become warnings. Errors are values of another type.
public struct ValueParser: Sendable {
    /// The names that are known.
    public let catalogue: Catalogue
    /// Whether a bare number that can be read in two ways is asked about; otherwise it is one of steps.
    let isStrict: Bool
    /// The cluster that the values are about, as it is typed.
    public var cluster: String?
    /// The answer to a question about a bare number; `nil` refuses it.
    let choose: @Sendable (BareNumber) -> BareNumber.Meaning?

    /// A parser; `choose` is asked where a number without a unit may mean two things.
    public init(
        catalogue: Catalogue = .standard, isStrict: Bool = false,
        choose: @escaping @Sendable (BareNumber) -> BareNumber.Meaning? = { _ in nil }
    ) {
        self.catalogue = catalogue
        self.isStrict = isStrict
        self.choose = choose
    }

    /// A value from one shell word.
    ///
    /// - Parameter place: the name of the attribute or field, for messages.
    /// - Throws: ``DataModelError`` that names the field and the form it wants.
    public func value(word: String, as type: DataType, at place: String) throws(DataModelError) -> ParsedValue {
        var conversion = ValueConversion(self)
        let value = try conversion.value(word: word, as: type, at: place)
        return ParsedValue(value: value, warnings: conversion.warnings)
    }

    /// A value from JSON.
    ///
    /// - Throws: ``DataModelError`` that names the field and the form it wants.
    package func value(json: JSONValue, as type: DataType, at place: String) throws(DataModelError) -> ParsedValue {
        var conversion = ValueConversion(self)
        let value = try conversion.value(json, as: type, at: place)
        return ParsedValue(value: value, warnings: conversion.warnings)
    }

    /// A value from the contents of a file: bytes as they are, everything else like a word without its last line end.
    ///
    /// - Throws: ``DataModelError``.
    public func value(file: [UInt8], as type: DataType, at place: String) throws(DataModelError) -> ParsedValue {
        if case .octets = type.kind, !type.isList, type.format == nil, !file.starts(with: "hex:".utf8) {
            var conversion = ValueConversion(self)
            conversion.checkLength(file.count, type, place)
            return ParsedValue(value: .octets(file), warnings: conversion.warnings)
        }
        guard var text = String(validating: file, as: UTF8.self) else {
            throw DataModelError(.malformedValue, "\(place): the file is not UTF-8 text", place: place)
        }
        if text.hasSuffix("\n") { text.removeLast() }
        return try value(word: text, as: type, at: place)
    }

    /// A value from a word when nothing is known about the type: JSON if it is, otherwise text. `hex:`, `text:`,
    /// `uint:`, `int:`, `single:` and `double:` in front say what is meant.
    ///
    /// - Throws: ``DataModelError``.
    public func value(untyped word: String, at place: String) throws(DataModelError) -> TLVValue {
        let conversion = ValueConversion(self)
        return try conversion.untyped(word: word, at: place)
    }
}

// MARK: - Commands

extension ValueParser {
    /// The fields of a command from `name=value` words, ready for CommandFields.
    ///
    /// Names match loosely; a field's number does as well. Option masks may be left out.
    ///
    /// - Parameter file: gives the contents for `name=@FILE`.
    /// - Throws: ``DataModelError``: an unknown name with the nearest spellings, a missing field, a bad value.
    public func fields(
        words: [String], of command: CommandDefinition,
        file: (String) throws(DataModelError) -> [UInt8] = ValueParser.noFiles
    ) throws(DataModelError) -> ParsedValue {
        var warnings: [ValueWarning] = []
        var members: [TLVElement] = []
        // A person is told all that is wrong at once.
        var faults: [DataModelError] = []
        for word in words {
            do {
                try take(word)
            } catch {
                faults.append(error)
            }
        }
        func take(_ word: String) throws(DataModelError) {
            let (name, text) = try Self.split(word)
            let (tag, field) = try Self.field(name, of: command)
            guard !members.contains(where: { $0.tag == .context(tag) }) else {
                throw DataModelError(.duplicateField, "field \(quoted(name)) is given twice", place: name)
            }
            let place = field.map { NameStyle.kebab($0.name) } ?? name
            let contents = text.hasPrefix("@") ? try file(String(text.dropFirst())) : nil
            guard let field else {
                warnings.append(ValueWarning(place: place, reason: "\(command.name) has no field \(tag) in the model"))
                if let contents {
                    members.append(TLVElement(tag, .octets(contents)))
                } else {
                    members.append(TLVElement(tag, try value(untyped: text, at: place)))
                }
                return
            }
            let parsed =
                if let contents {
                    try value(file: contents, as: field.type, at: place)
                } else {
                    try value(word: text, as: field.type, at: place)
                }
            warnings += parsed.warnings
            members.append(TLVElement(tag, parsed.value))
        }
        do {
            let whole = try finish(members, of: FieldOwner(command, isTyped: true), command, warnings)
            if faults.isEmpty { return whole }
        } catch {
            // A misspelled name is what is missing.
            if faults.isEmpty || !faults.contains(where: { $0.code == .unknownField }) { faults.append(error) }
        }
        throw DataModelError(faults)
    }

    /// The fields of a command from a JSON object, ready for CommandFields.
    ///
    /// - Throws: ``DataModelError``.
    public func fields(json: JSONValue, of command: CommandDefinition) throws(DataModelError) -> ParsedValue {
        guard let object = json.objectValue else {
            throw DataModelError(.wrongType, "the fields of \(command.name) are a JSON object")
        }
        var conversion = ValueConversion(self)
        let members = try conversion.members(object, of: FieldOwner(command), at: "")
        return try finish(members, of: FieldOwner(command), command, conversion.warnings)
    }

    /// The fields of a command that the catalogue does not know, from `NUMBER=value` words.
    ///
    /// - Throws: ``DataModelError``.
    public func untypedFields(
        words: [String], file: (String) throws(DataModelError) -> [UInt8] = ValueParser.noFiles
    ) throws(DataModelError) -> TLVValue {
        var members: [TLVElement] = []
        // A person is told all that is wrong at once.
        var faults: [DataModelError] = []
        for word in words {
            do {
                try take(word)
            } catch {
                faults.append(error)
            }
        }
        func take(_ word: String) throws(DataModelError) {
            let (name, text) = try Self.split(word)
            guard let tag = NumberText.unsigned(name).flatMap({ UInt8(exactly: $0) }) else {
                throw DataModelError(
                    .unknownField,
                    "field \(quoted(name)): without a definition of the command, fields are NUMBER=VALUE",
                    place: name)
            }
            guard !members.contains(where: { $0.tag == .context(tag) }) else {
                throw DataModelError(.duplicateField, "field \(tag) is given twice", place: name)
            }
            let value: TLVValue =
                text.hasPrefix("@") ? .octets(try file(String(text.dropFirst()))) : try value(untyped: text, at: name)
            members.append(TLVElement(tag, value))
        }
        guard faults.isEmpty else { throw DataModelError(faults) }
        return .structure(members.sortedByTag())
    }

    /// Refuses `@FILE`.
    ///
    /// - Throws: ``DataModelError``.
    public static func noFiles(_ name: String) throws(DataModelError) -> [UInt8] {
        throw DataModelError(.malformedValue, "@FILE cannot be used here: \(quoted(name))", place: name)
    }

    private static func split(_ word: String) throws(DataModelError) -> (name: String, value: String) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw DataModelError(.malformedValue, "\(quoted(word)) is not NAME=VALUE", place: word)
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private static func field(
        _ name: String, of command: CommandDefinition
    ) throws(DataModelError) -> (tag: UInt8, field: FieldDefinition?) {
        if let field = command.fields.named(name) { return (field.id, field) }
        if let tag = NumberText.unsigned(name).flatMap({ UInt8(exactly: $0) }) {
            return (tag, command.fields.tagged(tag))
        }
        throw DataModelError(
            .unknownField,
            command.fields.isEmpty
                ? "the command \(command.name) takes no fields; remove \(quoted(name))"
                : "\(command.name) has no field \(quoted(name))", place: name,
            suggestions: Suggestions.nearest(to: name, among: command.fields.map(\.name)).map(NameStyle.kebab),
            advice: command.fields.advice(NameStyle.kebab))
    }

    private func finish(
        _ members: [TLVElement], of owner: FieldOwner, _ command: CommandDefinition, _ warnings: [ValueWarning]
    ) throws(DataModelError) -> ParsedValue {
        let complete = try ValueConversion(self).completed(members, of: owner, at: "")
        if command.bareFieldsOnWire, complete.count == 1 {
            return ParsedValue(value: complete[0].value, warnings: warnings)
        }
        return ParsedValue(value: .structure(complete), warnings: warnings)
    }
}

extension FieldOwner {
    fileprivate init(_ command: CommandDefinition, isTyped: Bool = false) {
        self.init(
            name: "command \(command.name)", fields: command.fields, isProvisional: command.isProvisional,
            isTyped: isTyped)
    }
}

extension [TLVElement] {
    /// Structure members in ascending order of their context tags, as they are sent.
    func sortedByTag() -> [TLVElement] {
        func key(_ element: TLVElement) -> Int {
            if case .context(let number) = element.tag { Int(number) } else { 256 }
        }
        return sorted { key($0) < key($1) }
    }
}

extension [FieldDefinition] {
    /// The names of the fields, for an error message; `nil` if there are none.
    func advice(_ style: (String) -> String) -> Hint? {
        isEmpty ? nil : "its fields are \(map { style($0.name) }.joined(separator: ", "))"
    }
}
