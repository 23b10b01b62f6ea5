extension ClusterDefinition {
    /// The definition as `clusters NAME` prints it: one element per line, names as they can be typed.
    public var listing: [String] {
        let number = revision.map { ", revision \($0)" } ?? ""
        let title = label == name ? name : "\(name) (\(label))"
        var lines = ["\(title), \(hexadecimal(id))\(number)\(isProvisional ? ", provisional" : "")"]
        lines += notes.map { "  note: \($0)" }
        func section(_ title: String, _ entries: [String]) {
            guard !entries.isEmpty else { return }
            lines += [title] + entries.map { "  \($0)" }
        }
        section("features:", features.map { "\($0.bit) \($0.name)\($0.code.map { " (\($0))" } ?? "")" })
        section("attributes:", (attributes + globalAttributes).map(\.line))
        section("commands:", commands.map { $0.line(response(to: $0)) })
        section("events:", events.map(\.line))
        section("types:", enums.map(\.line) + bitmaps.map(\.line) + structs.map(\.line))
        return lines.map(TerminalText.escaped)
    }
}

/// The details after a name, without empty ones.
private func details(_ parts: [String?]) -> String {
    let known = parts.compactMap { $0 }.filter { !$0.isEmpty }
    return known.isEmpty ? "" : "  [\(known.joined(separator: ", "))]"
}

extension DataType {
    /// Unit and limits: `0.01 °C, 700…3000`, `≤ 32 bytes`.
    fileprivate var details: [String?] {
        func range<Number: BinaryInteger>(_ low: Number?, _ high: Number?, _ what: String) -> String? {
            switch (low, high) {
            case (nil, nil): nil
            case (let low?, nil): "≥ \(low)\(what)"
            case (nil, let high?): "≤ \(high)\(what)"
            case (let low?, let high?): low == high ? "\(low)\(what)" : "\(low)…\(high)\(what)"
            }
        }
        return [
            unit?.text, range(limits.minimum, limits.maximum, ""),
            range(limits.minimumLength, limits.maximumLength, " bytes"),
            range(limits.minimumItems, limits.maximumItems, " entries"),
        ]
    }
}

extension AttributeDefinition {
    fileprivate var line: String {
        let access = [
            isWritable ? (writePrivilege == .operate ? "writable" : "writable by \(writePrivilege.rawValue)") : nil,
            readPrivilege == .view ? nil : "readable by \(readPrivilege.rawValue)", isReadable ? nil : "unreadable",
            mustTimedWrite ? "timed" : nil, mustAtomicWrite ? "atomic" : nil, isOptional ? "optional" : nil,
            isFabricScoped ? "fabric-scoped" : nil, isProvisional ? "provisional" : nil,
            isDeprecated ? "deprecated" : nil,
        ]
        return "\(hexadecimal(id)) \(NameStyle.kebab(name))  \(type.text)\(details(type.details + access))"
    }
}

extension CommandDefinition {
    fileprivate func line(_ response: CommandDefinition?) -> String {
        let access = [
            isTimed ? "timed" : nil, invokePrivilege == .operate ? nil : invokePrivilege.rawValue,
            isOptional ? "optional" : nil, isFabricScoped ? "fabric-scoped" : nil, isProvisional ? "provisional" : nil,
            isDeprecated ? "deprecated" : nil,
        ]
        let words = ([NameStyle.kebab(name)] + fields.map(\.word)).joined(separator: " ")
        let answer =
            response.map { " → {\($0.fields.map { "\($0.key): \($0.type.text)" }.joined(separator: ", "))}" } ?? ""
        return "\(hexadecimal(id)) \(words)\(answer)\(details(access))"
    }
}

extension FieldDefinition {
    /// `transition-time=uint16?`, in brackets if it may be left out.
    fileprivate var word: String {
        let word = "\(NameStyle.kebab(name))=\(type.text)"
        return isOptional || substitute != nil ? "[\(word)]" : word
    }
}

extension EventDefinition {
    fileprivate var line: String {
        let contents = fields.map { "\($0.key): \($0.type.text)" }.joined(separator: ", ")
        return
            "\(hexadecimal(id)) \(NameStyle.kebab(name)) {\(contents)}\(details(["\(priority)", isOptional ? "optional" : nil]))"
    }
}

extension EnumDefinition {
    fileprivate var line: String {
        "\(name): \(values.map { "\($0.number) \($0.name)" }.joined(separator: ", "))"
    }
}

extension BitmapDefinition {
    fileprivate var line: String {
        "\(name): \(fields.map { "\($0.mask) \($0.name)" }.joined(separator: ", "))"
    }
}

extension StructDefinition {
    fileprivate var line: String {
        let contents = fields.map { "\($0.key)\($0.isOptional ? "?" : ""): \($0.type.text)" }.joined(separator: ", ")
        return "\(name) {\(contents)}"
    }
}
