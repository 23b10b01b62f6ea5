import MatterBase

/// Reads the types of a file of definitions: enums, bitmaps, semantic types, structures.
struct DefinitionTypes {
    /// How deep structures may contain structures.
    private static let depthLimit = 16

    private(set) var scope: TypeScope
    private(set) var enums: [EnumDefinition] = []
    private(set) var bitmaps: [BitmapDefinition] = []
    private(set) var structs: [StructDefinition] = []
    private var pending: [String: DefinitionNode] = [:]
    private var busy: [String] = []

    /// - Parameters:
    ///   - node: a cluster or `globalTypes`.
    ///   - outer: scopes in which names may be found as well.
    init(_ node: DefinitionNode, outer: [TypeScope]) throws(DataModelError) {
        scope = TypeScope(outer: outer)
        var names: Set<String> = []
        func claim(_ name: String, _ node: DefinitionNode) throws(DataModelError) {
            guard try node.isTypeName(name) else { throw node.fault("\(quoted(name)) cannot be the name of a type") }
            guard names.insert(name).inserted else { throw node.fault("two types are called \(quoted(name))") }
        }
        for (name, node) in try node["semantic"]?.members() ?? [] {
            try claim(name, node)
            scope.semantic[name] = try Self.semantic(node)
        }
        for (name, node) in try node["enums"]?.members() ?? [] {
            try claim(name, node)
            let found = try EnumDefinition(name, node)
            scope.enums[name] = found
            enums.append(found)
        }
        for (name, node) in try node["bitmaps"]?.members() ?? [] {
            try claim(name, node)
            let found = try BitmapDefinition(name, node)
            scope.bitmaps[name] = found
            bitmaps.append(found)
        }
        let members = try node["structs"]?.members() ?? []
        for (name, node) in members {
            try claim(name, node)
            pending[name] = node
        }
        for (name, _) in members { try resolve(name) }
    }

    private static func semantic(_ node: DefinitionNode) throws(DataModelError) -> TypeScope.Semantic {
        let node = try node.object(knowing: ["base", "unit"])
        let base = try node.required("base")
        let name = try base.text()
        guard TypeScope.baseNames.contains(name) else {
            throw base.fault(
                "no base type is called \(quoted(name))",
                suggestions: Suggestions.nearest(to: name, among: TypeScope.baseNames))
        }
        return TypeScope.Semantic(base: name, unit: try node.text("unit").flatMap(ValueUnit.init(modelText:)))
    }

    /// Reads a structure, and before it those that it contains.
    private mutating func resolve(_ name: String) throws(DataModelError) {
        guard let node = pending[name] else { return }
        guard !busy.contains(name) else { throw node.fault("this structure contains itself") }
        guard busy.count < Self.depthLimit else {
            throw node.fault("structures are nested deeper than \(Self.depthLimit)")
        }
        busy.append(name)
        let known = try node.object(knowing: ["fields", "fabricScoped", "provisional"])
        for field in try known.items("fields") {
            if let type = field["type"]?.json.stringValue, pending[type] != nil { try resolve(type) }
        }
        let found = StructDefinition(
            name: name, fields: try fields(of: known), isFabricScoped: try known.flag("fabricScoped"),
            isProvisional: try known.flag("provisional"))
        scope.structs[name] = found
        structs.append(found)
        pending[name] = nil
        busy.removeLast()
    }

    // MARK: Fields and what they hold

    private static let limitKeys: Set<String> = [
        "min", "max", "minLength", "maxLength", "minItems", "maxItems", "default",
    ]

    /// The keys that an attribute and a field share.
    static let typeKeys: Set<String> = limitKeys.union([
        "id", "name", "type", "list", "nullable", "optional", "fabricSensitive", "provisional", "unit", "secret",
    ])

    /// The `fields` of a structure, command or event.
    func fields(of node: DefinitionNode) throws(DataModelError) -> [FieldDefinition] {
        var unique = UniquenessCheck<UInt8>()
        var fields: [FieldDefinition] = []
        for item in try node.items("fields") {
            let field = try item.object(knowing: Self.typeKeys)
            let id: UInt8 = try field.required("id").number()
            let name = try field.name("name")
            try unique.add(id: id, name, at: field)
            fields.append(
                FieldDefinition(
                    id: id, name: name, type: try type(of: field), isOptional: try field.flag("optional"),
                    isFabricSensitive: try field.flag("fabricSensitive"), isSecret: try field.flag("secret"),
                    isProvisional: try field.flag("provisional"),
                    defaultValue: try Self.defaultValue(field), substitute: nil))
        }
        return fields.sorted { $0.id < $1.id }
    }

    /// The data type from `type`, `list`, `nullable` and the limits of an attribute or field.
    func type(of node: DefinitionNode) throws(DataModelError) -> DataType {
        let reference = try node.required("type")
        let name = try reference.text()
        var limits = ValueLimits()
        limits.minimum = try node.number("min")
        limits.maximum = try node.number("max")
        limits.minimumLength = try node.number("minLength")
        limits.maximumLength = try node.number("maxLength")
        limits.minimumItems = try node.number("minItems")
        limits.maximumItems = try node.number("maxItems")
        var unit: ValueUnit?
        if let node = node["unit"] {
            let text = try node.text()
            guard let known = ValueUnit(modelText: text) else {
                throw node.fault(
                    "no unit is called \(quoted(text)): it is one of \(ValueUnit.allCases.map(\.text).joined(separator: "; "))"
                )
            }
            unit = known
        }
        guard
            let type = scope.resolve(
                name, isList: try node.flag("list"), isNullable: try node.flag("nullable"), unit: unit, limits: limits)
        else {
            throw reference.fault(
                "no type is called \(quoted(name))",
                suggestions: Suggestions.nearest(
                    to: name,
                    among: TypeScope.baseNames + scope.enums.keys.sorted() + scope.bitmaps.keys.sorted()
                        + scope.structs.keys.sorted()))
        }
        return type
    }

    static func defaultValue(_ node: DefinitionNode) throws(DataModelError) -> DefaultValue? {
        guard let value = node["default"] else { return nil }
        switch value.json {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .string(let text): return text.isEmpty ? nil : .string(text)
        case .double(let number): return .double(number)
        case .int(let number): return .int(number)
        default: throw value.fault("null, true, false, a number or a string is needed here")
        }
    }
}

extension DefinitionNode {
    /// True if types may be called so: a name that no base type has.
    fileprivate func isTypeName(_ name: String) throws(DataModelError) -> Bool {
        (1...64).contains(name.utf8.count) && !TypeScope.baseNames.contains(name)
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The `values` or `masks` of an enum or bitmap, with their labels, ascending.
    fileprivate func namedNumbers(
        _ key: String, fitting bits: Int
    ) throws(DataModelError) -> [(number: UInt64, name: String, label: String?)] {
        var unique = UniquenessCheck<UInt64>()
        var found: [(number: UInt64, name: String, label: String?)] = []
        let labels = self["labels"]
        for (digits, node) in try required(key).members() {
            guard let number = UInt64(digits), String(number) == digits, bits == 64 || number >> UInt64(bits) == 0
            else {
                throw node.fault("a key here is a decimal number of at most \(bits) bits")
            }
            let name = try node.name(mayBeNumber: true)
            try unique.add(id: number, name, at: node)
            found.append((number, name, try labels?[digits]?.text()))
        }
        for (digits, node) in try labels?.members() ?? [] where self[key]?[digits] == nil {
            throw node.fault("a label of a missing value")
        }
        return found.sorted { $0.number < $1.number }
    }
}

extension EnumDefinition {
    fileprivate init(_ name: String, _ node: DefinitionNode) throws(DataModelError) {
        let node = try node.object(knowing: ["type", "values", "labels", "provisional"])
        guard let bits = try node.word("type", ["enum8": 8, "enum16": 16]) else {
            throw node.fault("the key 'type' is missing")
        }
        self.init(
            name: name, bits: bits,
            values: try node.namedNumbers("values", fitting: bits).map {
                .init(number: $0.number, name: $0.name, label: $0.label)
            },
            isProvisional: try node.flag("provisional"))
    }
}

extension BitmapDefinition {
    fileprivate init(_ name: String, _ node: DefinitionNode) throws(DataModelError) {
        let node = try node.object(knowing: ["type", "masks", "labels", "provisional"])
        guard let bits = try node.word("type", ["bitmap8": 8, "bitmap16": 16, "bitmap32": 32, "bitmap64": 64]) else {
            throw node.fault("the key 'type' is missing")
        }
        let masks = try node.namedNumbers("masks", fitting: bits)
        var used: UInt64 = 0
        for (mask, name, _) in masks {
            // Bits that hold a number must be neighbours.
            let low = mask.trailingZeroBitCount
            guard mask != 0,
                mask >> UInt64(low) == (mask.nonzeroBitCount == 64 ? .max : (1 << UInt64(mask.nonzeroBitCount)) - 1)
            else {
                throw node.fault("the mask \(mask) of \(name) is not one bit or several neighbours")
            }
            guard used & mask == 0 else { throw node.fault("the mask \(mask) of \(name) overlaps another one") }
            used |= mask
        }
        self.init(
            name: name, bits: bits, fields: masks.map { .init(mask: $0.number, name: $0.name, label: $0.label) },
            isProvisional: try node.flag("provisional"))
    }
}
