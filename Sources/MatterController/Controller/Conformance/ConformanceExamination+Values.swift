import MatterModel

/// The values of a cluster, by the types and the limits of the catalogue.
extension ConformanceExamination {
    mutating func examineValues(_ cluster: NodeStatement.Cluster, _ place: Place, _ tolerance: Tolerance) {
        guard let definition = catalogue.cluster(cluster.id) else { return }
        for (attribute, outcome) in cluster.outcomes.sorted(by: { $0.key < $1.key }) {
            guard case .value(let value) = outcome, let known = definition.attribute(attribute) else { continue }
            let isOpen = GlobalAttribute.all.contains(attribute) || Self.isOpenEnded(cluster.id, attribute)
            for fault in ValueExamination.faults(
                of: value, known.type, isShallow: isOpen, isSecret: known.isSecret)
            {
                // Of which type a value is does not change with the revision.
                let isForm = [.valueType, .valueNull, .valueField].contains(fault.rule)
                find(
                    fault.rule, place.naming(known.name + fault.place), expected: fault.expected, found: fault.found,
                    isForm ? Tolerance(isMilder: tolerance.isMilder) : tolerance)
            }
        }
    }

    /// Whether more bits may be set than have names: the lock sets those of modes that it does not support, also of modes that are not
    /// there yet (Matter application cluster specification 5.2.6.9).
    private static func isOpenEnded(_ cluster: ClusterID, _ attribute: AttributeID) -> Bool {
        cluster == DoorLock.id && attribute == DoorLock.Attribute.supportedOperatingModes
    }

    /// A value in words that fit a line.
    static func text(_ value: TLVValue) -> String { ValueExamination.text(value) }
}

/// The faults of one value against its type.
struct ValueExamination {
    struct Fault {
        var rule: ConformanceRule
        /// The place within the value: `[2].deviceType`.
        var place: String
        var expected: String
        var found: String
    }

    /// Of a long list that is wrong throughout, a few faults say enough.
    private static let mostFaults = 4
    private static let longestText = 60

    private var faults: [Fault] = []
    /// Whether only the form counts: what a FeatureMap may name is the matter of other rules.
    private let isShallow: Bool
    /// Whether the value in hand is a secret: then its type is told, and not what it is.
    private var isSecret: Bool

    private init(isShallow: Bool, isSecret: Bool) {
        self.isShallow = isShallow
        self.isSecret = isSecret
    }

    static func faults(of value: TLVValue, _ type: DataType, isShallow: Bool, isSecret: Bool) -> [Fault] {
        var examination = ValueExamination(isShallow: isShallow, isSecret: isSecret)
        examination.examine(value, type, "")
        return examination.faults
    }

    private mutating func find(_ rule: ConformanceRule, _ place: String, _ expected: String, _ found: String) {
        guard faults.count < Self.mostFaults else { return }
        faults.append(Fault(rule: rule, place: place, expected: expected, found: found))
    }

    private mutating func examine(_ value: TLVValue, _ type: DataType, _ place: String) {
        if value == .null {
            if !type.isNullable { find(.valueNull, place, type.text, "null") }
            return
        }
        guard type.isList else { return examineEntry(value, type, place) }
        guard let items = value.items else { return wrongType(value, type, place) }
        within(items.count, type.limits.minimumItems, type.limits.maximumItems, .valueCount, "entries", place)
        let entry = type.entry
        for (index, item) in items.enumerated() { examineEntry(item, entry, "\(place)[\(index)]") }
    }

    private mutating func examineEntry(_ value: TLVValue, _ type: DataType, _ place: String) {
        switch type.kind {
        case .boolean: if value.boolean == nil { wrongType(value, type, place) }
        case .signed(let bits):
            guard let number = value.integer(as: Int64.self), Self.fits(number, bits: bits) else {
                return wrongType(value, type, place)
            }
            range(number, type, place)
        case .unsigned(let bits):
            guard let number = unsigned(value, bits, type, place) else { return }
            if let number = Int64(exactly: number) { range(number, type, place) }
        case .enumeration(let definition):
            guard let number = unsigned(value, definition.bits, type, place) else { return }
            if !isShallow, !definition.values.isEmpty, definition.value(number) == nil {
                find(.valueEnumeration, place, "a value of \(definition.name)", shown("\(number)"))
            }
        case .bitmap(let definition):
            guard let number = unsigned(value, definition.bits, type, place) else { return }
            let known = definition.fields.reduce(0) { $0 | $1.mask }
            if !isShallow, known != 0, number & ~known != 0 {
                find(
                    .valueBits, place, "bits of \(definition.name)",
                    shown("0x" + String(number & ~known, radix: 16, uppercase: true) + " beside them"))
            }
        case .single, .double:
            switch value {
            case .float, .double: break
            default: wrongType(value, type, place)
            }
        case .string:
            guard let text = value.text else { return wrongType(value, type, place) }
            // Bytes that are not UTF-8 come as this character.
            if text.contains("\u{FFFD}") {
                find(.valueText, place, "UTF-8", "bytes that are not, or U+FFFD in their place")
            }
            length(text.utf8.count, type, place)
        case .octets:
            guard let octets = value.octetString else { return wrongType(value, type, place) }
            length(octets.count, type, place)
        case .structure(let definition): examine(value, definition, type, place)
        }
    }

    private mutating func examine(
        _ value: TLVValue, _ definition: StructDefinition, _ type: DataType, _ place: String
    ) {
        guard case .structure(let members) = value else { return wrongType(value, type, place) }
        for field in definition.fields where field.id != FieldDefinition.fabricIndexTag {
            guard let member = members.first(where: { $0.tag == .context(field.id) }) else {
                // Of other fabrics' entries a node leaves out what is sensitive.
                if !field.isOptional, !field.isProvisional, !field.isFabricSensitive {
                    find(.valueField, "\(place).\(field.key)", field.type.text, "not there")
                }
                continue
            }
            let isWithinSecret = isSecret
            isSecret = isWithinSecret || field.isSecret
            examine(member.value, field.type, "\(place).\(field.key)")
            isSecret = isWithinSecret
        }
    }

    // MARK: Faults

    private mutating func wrongType(_ value: TLVValue, _ type: DataType, _ place: String) {
        // A value that has the form of something else may hold a secret of any kind.
        find(.valueType, place, type.text, isSecret || Self.hasSecret(type) ? Self.kind(value) : Self.text(value))
    }

    private func shown(_ text: String) -> String { isSecret ? SecretFilter.mark : text }

    /// Whether a field of a structure, or of one in it, is a secret.
    private static func hasSecret(_ type: DataType, depth: Int = 0) -> Bool {
        let deepest = 8
        guard case .structure(let definition) = type.kind, depth < deepest else { return false }
        return definition.fields.contains { $0.isSecret || hasSecret($0.type, depth: depth + 1) }
    }

    private mutating func unsigned(_ value: TLVValue, _ bits: Int, _ type: DataType, _ place: String) -> UInt64? {
        guard let number = value.integer(as: UInt64.self), bits >= 64 || number >> UInt64(bits) == 0 else {
            wrongType(value, type, place)
            return nil
        }
        return number
    }

    private static func fits(_ number: Int64, bits: Int) -> Bool {
        bits >= 64 || (number >= -(1 << (bits - 1)) && number < 1 << (bits - 1))
    }

    private mutating func range(_ number: Int64, _ type: DataType, _ place: String) {
        let (least, most) = (type.limits.minimum, type.limits.maximum)
        guard least.map({ number < $0 }) ?? false || most.map({ number > $0 }) ?? false else { return }
        find(.valueRange, place, Self.bounds(least, most), shown("\(number)"))
    }

    private mutating func length(_ count: Int, _ type: DataType, _ place: String) {
        within(count, type.limits.minimumLength, type.limits.maximumLength, .valueLength, "bytes", place)
    }

    private mutating func within(
        _ count: Int, _ least: Int?, _ most: Int?, _ rule: ConformanceRule, _ unit: String, _ place: String
    ) {
        guard !isShallow, least.map({ count < $0 }) ?? false || most.map({ count > $0 }) ?? false else { return }
        find(rule, place, "\(Self.bounds(least, most)) \(unit)", "\(count)")
    }

    private static func bounds<Number: BinaryInteger>(_ least: Number?, _ most: Number?) -> String {
        switch (least, most) {
        case (let least?, let most?): "\(least) to \(most)"
        case (let least?, nil): "\(least) or more"
        case (nil, let most?): "\(most) or less"
        case (nil, nil): "any"
        }
    }

    /// The name of the TLV type of a value.
    private static func kind(_ value: TLVValue) -> String {
        switch value {
        case .int: "signed integer"
        case .uint: "unsigned integer"
        case .bool: "boolean"
        case .float, .double: "floating point"
        case .string: "string"
        case .octets: "octets"
        case .null: "null"
        case .structure: "structure"
        case .array: "array"
        case .list: "list"
        }
    }

    /// A value with the name of its TLV type, cut to what fits a line.
    static func text(_ value: TLVValue) -> String {
        let kind = kind(value)
        guard value != .null else { return kind }
        let text = JSONValue(value).serialized()
        return "\(kind) " + (text.count > longestText ? text.prefix(longestText) + "…" : text)
    }
}
