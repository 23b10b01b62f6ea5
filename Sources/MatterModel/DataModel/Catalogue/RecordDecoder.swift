/// Turns the lines of one record of the generated table into definitions. The generator describes the lines.
struct RecordDecoder {
    var scope: TypeScope
    private(set) var cluster = ClusterDefinition(
        id: 0, name: "", label: "", aliases: [], revision: nil, origin: .standard, vendor: nil, isProvisional: false,
        isDeprecated: false, isInternal: false, notes: [], features: [], attributes: [],
        commands: [], responses: [], events: [], enums: [], bitmaps: [], structs: [])
    private var open = Open.none

    /// The element that following lines belong to.
    private enum Open {
        case none
        case structure(StructDefinition)
        case attribute(AttributeDefinition)
        case command(CommandDefinition)
        case event(EventDefinition)
    }

    init(scope: TypeScope) {
        self.scope = scope
    }

    /// A whole cluster.
    static func cluster(_ lines: TableReader) -> ClusterDefinition {
        var decoder = RecordDecoder(scope: TypeScope())
        for line in lines { decoder.take(line) }
        decoder.finish()
        decoder.cluster.features.sort { $0.bit < $1.bit }
        return decoder.cluster
    }

    mutating func take(_ line: TableLine) {
        switch line.kind {
        case UInt8(ascii: "f"): add(field(line))
        case UInt8(ascii: "+"): add(aliases: line.string(0).split(separator: ",").map(String.init))
        case UInt8(ascii: "!"): add(note: line.string(0))
        default:
            finish()
            begin(line)
        }
    }

    private mutating func begin(_ line: TableLine) {
        switch line.kind {
        case UInt8(ascii: "C"): header(line)
        case UInt8(ascii: "F"): cluster.features.append(FeatureDefinition(line))
        case UInt8(ascii: "N"):
            let found = EnumDefinition(line)
            scope.enums[found.name] = found
            cluster.enums.append(found)
        case UInt8(ascii: "B"):
            let found = BitmapDefinition(line)
            scope.bitmaps[found.name] = found
            cluster.bitmaps.append(found)
        case UInt8(ascii: "S"): open = .structure(StructDefinition(line))
        case UInt8(ascii: "A"): open = .attribute(attribute(line))
        case UInt8(ascii: "Q"): open = .command(CommandDefinition(line, isResponse: false))
        case UInt8(ascii: "R"): open = .command(CommandDefinition(line, isResponse: true))
        case UInt8(ascii: "E"): open = .event(EventDefinition(line))
        default: break
        }
    }

    /// Files the open element away.
    mutating func finish() {
        switch open {
        case .none: break
        case .structure(let found):
            scope.structs[found.name] = found
            cluster.structs.append(found)
        case .attribute(let found): cluster.attributes.append(found)
        case .command(let found) where found.isResponse: cluster.responses.append(found)
        case .command(let found): cluster.commands.append(found)
        case .event(let found): cluster.events.append(found)
        }
        open = .none
    }

    private mutating func header(_ line: TableLine) {
        let flags = line.octets(4)
        cluster.id = line.id(0)
        cluster.name = line.string(1)
        cluster.label = line.string(2)
        cluster.revision = line.decimal(3).map { UInt16(truncatingIfNeeded: $0) }
        cluster.isProvisional = flags.contains(UInt8(ascii: "p"))
        cluster.isDeprecated = flags.contains(UInt8(ascii: "d"))
        cluster.isInternal = flags.contains(UInt8(ascii: "i"))
        cluster.vendor = line.decimal(5).map { UInt16(truncatingIfNeeded: $0) }
        if flags.contains(UInt8(ascii: "T")) { cluster.origin = .test }
        if flags.contains(UInt8(ascii: "V")) { cluster.origin = .vendor }
    }

    private mutating func add(_ field: FieldDefinition) {
        switch open {
        case .structure(var found):
            found.fields.append(field)
            open = .structure(found)
        case .command(var found):
            found.fields.append(field)
            open = .command(found)
        case .event(var found):
            found.fields.append(field)
            open = .event(found)
        case .none, .attribute: break
        }
    }

    private mutating func add(aliases: [String]) {
        switch open {
        case .attribute(var found):
            found.aliases += aliases
            open = .attribute(found)
        case .command(var found):
            found.aliases += aliases
            open = .command(found)
        case .none: cluster.aliases += aliases
        case .structure, .event: break
        }
    }

    private mutating func add(note: String) {
        switch open {
        case .attribute(var found):
            found.notes.append(note)
            open = .attribute(found)
        case .command(var found):
            found.notes.append(note)
            open = .command(found)
        case .none: cluster.notes.append(note)
        case .structure, .event: break
        }
    }

    private func attribute(_ line: TableLine) -> AttributeDefinition {
        let flags = line.octets(3)
        let details = TableDetails(line.octets(4)[...])
        func has(_ flag: Unicode.Scalar) -> Bool { flags.contains(UInt8(ascii: flag)) }
        return AttributeDefinition(
            id: line.id(0), name: line.string(1), aliases: [], type: type(line.string(2), flags, details),
            defaultValue: details.defaultValue, isOptional: has("o"), isWritable: has("w"), isReadable: !has("u"),
            readPrivilege: has("M") ? .administer : has("m") ? .manage : .view,
            writePrivilege: has("Y") ? .administer : has("y") ? .manage : .operate,
            isFabricScoped: has("f"), isFabricSensitive: has("s"), isSecret: has("S"), mustTimedWrite: has("t"),
            mustAtomicWrite: has("a"),
            changesOmitted: has("c"), isProvisional: has("p"), isDeprecated: has("d"),
            sinceRevision: details.sinceRevision, untilRevision: details.untilRevision, notes: [])
    }

    private func field(_ line: TableLine) -> FieldDefinition {
        let flags = line.octets(3)
        let details = TableDetails(line.octets(4)[...])
        return FieldDefinition(
            id: UInt8(truncatingIfNeeded: line.decimal(0) ?? 0), name: line.string(1),
            type: type(line.string(2), flags, details), isOptional: flags.contains(UInt8(ascii: "o")),
            isFabricSensitive: flags.contains(UInt8(ascii: "s")), isSecret: flags.contains(UInt8(ascii: "S")),
            isProvisional: flags.contains(UInt8(ascii: "p")),
            defaultValue: details.defaultValue, substitute: details.substitute)
    }

    private func type(_ name: String, _ flags: TableText, _ details: TableDetails) -> DataType {
        let isList = flags.contains(UInt8(ascii: "l"))
        let isNullable = flags.contains(UInt8(ascii: "n"))
        // The generator lets no unknown name through.
        var type =
            scope.resolve(name, isList: isList, isNullable: isNullable, unit: details.unit, limits: details.limits)
            ?? DataType(name: name, kind: .octets, isList: isList, isNullable: isNullable)
        if let format = details.format { type.format = format }
        return type
    }
}
