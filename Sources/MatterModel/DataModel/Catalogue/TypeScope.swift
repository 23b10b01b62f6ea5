/// The types that a name can mean, innermost first: the cluster's own, then those of its file, then the global ones.
struct TypeScope: Sendable {
    /// A number or octet string with a meaning.
    struct Semantic: Sendable {
        var base: String
        var unit: ValueUnit?
    }

    var semantic: [String: Semantic] = [:]
    var enums: [String: EnumDefinition] = [:]
    var bitmaps: [String: BitmapDefinition] = [:]
    var structs: [String: StructDefinition] = [:]
    /// Scopes to ask next, nearest first. The last one is decoded only when it is needed.
    var outer: [TypeScope] = []
    var usesGlobalTypes = true

    /// The type with a name; `nil` if there is none.
    func resolve(
        _ name: String, isList: Bool = false, isNullable: Bool = false, unit: ValueUnit? = nil,
        limits: ValueLimits = ValueLimits()
    ) -> DataType? {
        func type(_ kind: DataType.Kind, _ ownUnit: ValueUnit? = nil) -> DataType {
            DataType(
                name: name, kind: kind, isList: isList, isNullable: isNullable, unit: unit ?? ownUnit,
                format: DataType.Format(rawValue: name), limits: limits)
        }
        if let kind = TypeScope.base(name) { return type(kind) }
        if let found = kind(name) { return type(found) }
        guard let semantic = semantic(name), let base = TypeScope.base(semantic.base) else { return nil }
        return type(base, semantic.unit)
    }

    private func kind(_ name: String) -> DataType.Kind? {
        if let found = enums[name] { return .enumeration(found) }
        if let found = structs[name] { return .structure(found) }
        if let found = bitmaps[name] { return .bitmap(found) }
        for scope in outer {
            if let found = scope.kind(name) { return found }
        }
        return usesGlobalTypes ? GlobalDefinitions.shared.scope.kind(name) : nil
    }

    private func semantic(_ name: String) -> Semantic? {
        semantic[name] ?? outer.lazy.compactMap { $0.semantic(name) }.first
            ?? (usesGlobalTypes ? GlobalDefinitions.shared.scope.semantic(name) : nil)
    }

    /// The names of the base types.
    static let baseNames: [String] =
        ["bool", "single", "double", "string", "octets"]
        + stride(from: 8, through: 64, by: 8).flatMap { ["int\($0)", "uint\($0)"] }
        + ["enum8", "enum16", "bitmap8", "bitmap16", "bitmap32", "bitmap64"]

    private static func base(_ name: String) -> DataType.Kind? {
        switch name {
        case "bool": return .boolean
        case "single": return .single
        case "double": return .double
        case "string": return .string
        case "octets": return .octets
        default: break
        }
        // Only names that end in a width are left; most names are those of structures and enums.
        guard let last = name.utf8.last, 0x30...0x39 ~= last,
            let digits = name.utf8.firstIndex(where: { 0x30...0x39 ~= $0 }), let bits = Int(name[digits...])
        else { return nil }
        switch name[..<digits] {
        case "uint" where isWidth(bits): return .unsigned(bits: bits)
        case "int" where isWidth(bits): return .signed(bits: bits)
        case "enum" where bits == 8 || bits == 16:
            return .enumeration(EnumDefinition(name: name, bits: bits, values: [], isProvisional: false))
        case "bitmap" where bits == 8 || bits == 16 || bits == 32 || bits == 64:
            return .bitmap(BitmapDefinition(name: name, bits: bits, fields: [], isProvisional: false))
        default: return nil
        }
    }

    private static func isWidth(_ bits: Int) -> Bool {
        bits >= 8 && bits <= 64 && bits.isMultiple(of: 8)
    }
}
