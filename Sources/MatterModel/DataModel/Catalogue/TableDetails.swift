/// The last field of an attribute or field line: limits, unit, format, revisions, substitute, default.
struct TableDetails {
    var limits = ValueLimits()
    var unit: ValueUnit?
    var format: DataType.Format?
    var sinceRevision: UInt16?
    var untilRevision: UInt16?
    var substitute: UInt64?
    var defaultValue: DefaultValue?

    init(_ text: Slice<TableText>) {
        var rest = text
        while let letter = rest.first {
            // The default may hold a comma and therefore comes last.
            let end =
                letter == UInt8(ascii: "d") ? rest.endIndex : rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            take(letter, String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self))
            rest = end < rest.endIndex ? rest[(end + 1)...] : rest[end...]
        }
    }

    private mutating func take(_ letter: UInt8, _ value: String) {
        switch letter {
        case UInt8(ascii: "m"): limits.minimum = Int64(value)
        case UInt8(ascii: "M"): limits.maximum = Int64(value)
        case UInt8(ascii: "b"): limits.minimumLength = Int(value)
        case UInt8(ascii: "B"): limits.maximumLength = Int(value)
        case UInt8(ascii: "i"): limits.minimumItems = Int(value)
        case UInt8(ascii: "I"): limits.maximumItems = Int(value)
        case UInt8(ascii: "r"): sinceRevision = UInt16(value)
        case UInt8(ascii: "R"): untilRevision = UInt16(value)
        case UInt8(ascii: "u"): unit = ValueUnit(rawValue: value)
        case UInt8(ascii: "k"): format = DataType.Format(rawValue: value)
        case UInt8(ascii: "o"): substitute = UInt64(value)
        case UInt8(ascii: "d"): defaultValue = DefaultValue(tableText: value)
        default: break
        }
    }
}

extension DefaultValue {
    fileprivate init(tableText: String) {
        self =
            switch tableText {
            case "null": .null
            case "true": .bool(true)
            case "false": .bool(false)
            default:
                if let number = Int64(tableText) {
                    .int(number)
                } else if let number = Double(tableText) {
                    .double(number)
                } else {
                    .string(tableText)
                }
            }
    }
}

// MARK: - Elements without a type of their own

extension FeatureDefinition {
    init(_ line: TableLine) {
        let flags = line.octets(3)
        let code = line.string(2)
        self.init(
            bit: Int(line.decimal(0) ?? 0), name: line.string(1), code: code.isEmpty ? nil : code,
            isDisallowed: flags.contains(UInt8(ascii: "x")), isProvisional: flags.contains(UInt8(ascii: "p")),
            isDeprecated: flags.contains(UInt8(ascii: "d")))
    }
}

extension EnumDefinition {
    init(_ line: TableLine) {
        self.init(
            name: line.string(0), bits: line.string(1) == "enum16" ? 16 : 8,
            values: line.namedNumbers(3).map { Value(number: $0.number, name: $0.name, label: $0.label) },
            isProvisional: line.octets(2).contains(UInt8(ascii: "p")))
    }
}

extension BitmapDefinition {
    init(_ line: TableLine) {
        self.init(
            name: line.string(0),
            bits: Int(TableLine.decimal(TableText(rebasing: line.octets(1).dropFirst("bitmap".utf8.count))) ?? 8),
            fields: line.namedNumbers(3).map { Field(mask: $0.number, name: $0.name, label: $0.label) },
            isProvisional: line.octets(2).contains(UInt8(ascii: "p")))
    }
}

extension StructDefinition {
    init(_ line: TableLine) {
        let flags = line.octets(1)
        self.init(
            name: line.string(0), fields: [], isFabricScoped: flags.contains(UInt8(ascii: "f")),
            isProvisional: flags.contains(UInt8(ascii: "p")))
    }
}

extension CommandDefinition {
    init(_ line: TableLine, isResponse: Bool) {
        let text = line.octets(2)
        let comma = text.firstIndex(of: UInt8(ascii: ",")) ?? text.endIndex
        let flags = text[..<comma]
        let details = TableDetails(text[comma...].dropFirst())
        let response = line.string(3)
        func has(_ flag: Unicode.Scalar) -> Bool { flags.contains(UInt8(ascii: flag)) }
        self.init(
            id: line.id(0), name: line.string(1), aliases: [], isResponse: isResponse, fields: [],
            response: response.isEmpty ? nil : response, isOptional: has("o"), isTimed: has("t"),
            invokePrivilege: has("M") ? .administer : has("m") ? .manage : .operate, isFabricScoped: has("f"),
            isLargeMessage: has("g"), bareFieldsOnWire: has("b"), isProvisional: has("p"), isDeprecated: has("d"),
            sinceRevision: details.sinceRevision, untilRevision: details.untilRevision, notes: [])
    }
}

extension EventDefinition {
    init(_ line: TableLine) {
        let flags = line.octets(2)
        func has(_ flag: Unicode.Scalar) -> Bool { flags.contains(UInt8(ascii: flag)) }
        self.init(
            id: line.id(0), name: line.string(1), priority: has("2") ? .critical : has("0") ? .debug : .info,
            fields: [], readPrivilege: has("M") ? .administer : has("m") ? .manage : .view,
            isFabricSensitive: has("s"), isOptional: has("o"), isProvisional: has("p"))
    }
}

extension DeviceTypeDefinition {
    init(_ line: TableLine) {
        self.init(
            id: line.id(0), label: line.string(1), name: line.string(2),
            revision: line.decimal(3).map { UInt16(truncatingIfNeeded: $0) }, deviceClass: line.string(4),
            scope: line.string(5), superset: line.octets(6).isEmpty ? nil : line.id(6),
            requiredServerClusters: line.ids(7), optionalServerClusters: line.ids(8),
            requiredClientClusters: line.ids(9), optionalClientClusters: line.ids(10))
    }
}

extension StatusCodeDefinition {
    init(_ line: TableLine) {
        self.init(
            code: UInt8(truncatingIfNeeded: line.decimal(0) ?? 0), name: line.string(1),
            specificationName: line.string(2))
    }
}

extension TableLine {
    /// `number:name[:label],…`
    fileprivate func namedNumbers(_ position: Int) -> [(number: UInt64, name: String, label: String?)] {
        octets(position).parts(UInt8(ascii: ",")).map { item in
            let parts = item.parts(UInt8(ascii: ":"))
            func text(_ index: Int) -> String? {
                index < parts.count ? String(decoding: parts[index], as: UTF8.self) : nil
            }
            return (parts.first.flatMap { TableLine.decimal($0) } ?? 0, text(1) ?? "", text(2))
        }
    }
}

extension AttributeDefinition {
    /// FeatureMap with the features of a cluster for names; every other attribute as it is.
    func naming(features: [FeatureDefinition]) -> AttributeDefinition {
        guard name == "FeatureMap" else { return self }
        var attribute = self
        attribute.type.kind = .bitmap(
            BitmapDefinition(
                name: "FeatureMap", bits: 32,
                fields: features.map { .init(mask: 1 << UInt64($0.bit), name: $0.name, label: $0.code) },
                isProvisional: false))
        return attribute
    }
}
