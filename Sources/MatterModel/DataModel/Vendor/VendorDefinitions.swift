import JSON

/// Cluster definitions from a JSON file of the user's, in the schema of data-model.json, with `unit` for numbers whose
/// type does not say it (`"unit":"0.1 s"`).
///
/// The reader is strict: an unknown key, an unknown type, an id or a name used twice is an error that names the place.
/// `globalAttributes` and `statusCodes` are the standard's own and are skipped.
public struct VendorDefinitions: Sendable {
    /// The file, for messages.
    public let source: String
    /// In the order of the file.
    public let clusters: [ClusterDefinition]
    /// In the order of the file.
    public let deviceTypes: [DeviceTypeDefinition]
    /// Attributes that a vendor adds to clusters of others.
    let extensions: [(cluster: ClusterID, attributes: [AttributeDefinition])]

    /// Reads the contents of a file.
    ///
    /// - Throws: ``DataModelError`` `badDefinitions` that names the file and the place.
    public init(json: [UInt8], source: String) throws(DataModelError) {
        self.source = TerminalText.escaped(source)
        let parsed: JSONValue
        do {
            parsed = try JSONValue(parsing: json)
        } catch {
            throw DataModelError(
                .badDefinitions, "\(TerminalText.escaped(source)): not valid JSON: \(error)", place: source)
        }
        let root = try DefinitionNode(json: parsed, path: "", source: self.source).object(knowing: [
            "$schema", "version", "source", "clusters", "extensions", "globalAttributes", "globalTypes", "deviceTypes",
            "statusCodes",
        ])
        _ = try root.text("version")
        _ = try root.text("source")
        var outer: [TypeScope] = []
        if let global = root["globalTypes"] {
            outer = [
                try DefinitionTypes(
                    global.object(knowing: ["base", "semantic", "enums", "bitmaps", "structs"]), outer: []
                ).scope
            ]
        }
        _ = try root.required("clusters")
        var clusters: [ClusterDefinition] = []
        var unique = UniquenessCheck<ClusterID>()
        for node in try root.items("clusters") {
            let cluster = try ClusterDefinition(node, outer: outer)
            try unique.add(id: cluster.id, cluster.name, aliases: cluster.aliases, at: node)
            clusters.append(cluster)
        }
        self.clusters = clusters
        var extensions: [(cluster: ClusterID, attributes: [AttributeDefinition])] = []
        for node in try root.items("extensions") {
            let node = try node.object(knowing: [
                "cluster", "vendor", "notes", "attributes", "enums", "bitmaps", "structs",
            ])
            _ = try node.number("vendor", UInt16.self)
            _ = try node.strings("notes")
            extensions.append(
                (
                    ClusterID(try node.required("cluster").number()),
                    try ClusterDefinition.attributes(node, DefinitionTypes(node, outer: outer))
                ))
        }
        self.extensions = extensions
        var types: [DeviceTypeDefinition] = []
        var uniqueTypes = UniquenessCheck<DeviceTypeID>()
        for node in try root.items("deviceTypes") {
            let type = try DeviceTypeDefinition(node)
            try uniqueTypes.add(id: type.id, type.name, at: node)
            types.append(type)
        }
        deviceTypes = types
    }
}

extension ClusterDefinition {
    fileprivate init(_ node: DefinitionNode, outer: [TypeScope]) throws(DataModelError) {
        let node = try node.object(knowing: [
            "id", "name", "label", "aliases", "revision", "provisional", "deprecated", "internal", "origin", "vendor",
            "notes", "features", "attributes", "commands", "events", "enums", "bitmaps", "structs",
        ])
        let types = try DefinitionTypes(node, outer: outer)
        let name = try node.name("name")
        let features = try Self.features(node)
        self.init(
            id: ClusterID(try node.required("id").number()), name: name, label: try node.text("label") ?? name,
            aliases: try node.strings("aliases"), revision: try node.number("revision"),
            origin: try node.word("origin", ["standard": .standard, "test": .test, "vendor": .vendor]) ?? .standard,
            vendor: try node.number("vendor"), isProvisional: try node.flag("provisional"),
            isDeprecated: try node.flag("deprecated"), isInternal: try node.flag("internal"),
            notes: try node.strings("notes"), features: features, attributes: try Self.attributes(node, types),
            commands: [], responses: [], events: try Self.events(node, types), enums: types.enums,
            bitmaps: types.bitmaps, structs: types.structs)
        try addCommands(node, types)
    }

    private static let privileges: [String: AccessPrivilege] = [
        "view": .view, "operate": .operate, "manage": .manage, "administer": .administer,
    ]

    private static func features(_ node: DefinitionNode) throws(DataModelError) -> [FeatureDefinition] {
        var unique = UniquenessCheck<Int>()
        var features: [FeatureDefinition] = []
        for item in try node.items("features") {
            let feature = try item.object(knowing: ["bit", "code", "name", "disallowed", "provisional", "deprecated"])
            let bit: Int = try feature.required("bit").number()
            guard (0..<32).contains(bit) else { throw feature.fault("a feature is one of the bits 0 to 31") }
            let name = try feature.name("name", mayBeNumber: true)
            try unique.add(id: bit, name, at: feature)
            features.append(
                FeatureDefinition(
                    bit: bit, name: name, code: try feature.text("code"), isDisallowed: try feature.flag("disallowed"),
                    isProvisional: try feature.flag("provisional"), isDeprecated: try feature.flag("deprecated")))
        }
        return features.sorted { $0.bit < $1.bit }
    }

    fileprivate static func attributes(
        _ node: DefinitionNode, _ types: DefinitionTypes
    ) throws(DataModelError) -> [AttributeDefinition] {
        let keys = DefinitionTypes.typeKeys.union([
            "writable", "unreadable", "read", "write", "fabricScoped", "mustTimedWrite", "mustAtomicWrite",
            "changesOmitted", "deprecated", "aliases", "notes", "sinceRevision", "untilRevision",
        ])
        var unique = UniquenessCheck<AttributeID>()
        for global in GlobalDefinitions.shared.attributes { try unique.add(id: global.id, global.name, at: node) }
        var attributes: [AttributeDefinition] = []
        for item in try node.items("attributes") {
            let attribute = try item.object(knowing: keys)
            let found = AttributeDefinition(
                id: AttributeID(try attribute.required("id").number()), name: try attribute.name("name"),
                aliases: try attribute.strings("aliases"), type: try types.type(of: attribute),
                defaultValue: try DefinitionTypes.defaultValue(attribute), isOptional: try attribute.flag("optional"),
                isWritable: try attribute.flag("writable"), isReadable: try !attribute.flag("unreadable"),
                readPrivilege: try attribute.word("read", privileges) ?? .view,
                writePrivilege: try attribute.word("write", privileges) ?? .operate,
                isFabricScoped: try attribute.flag("fabricScoped"),
                isFabricSensitive: try attribute.flag("fabricSensitive"), isSecret: try attribute.flag("secret"),
                mustTimedWrite: try attribute.flag("mustTimedWrite"),
                mustAtomicWrite: try attribute.flag("mustAtomicWrite"),
                changesOmitted: try attribute.flag("changesOmitted"), isProvisional: try attribute.flag("provisional"),
                isDeprecated: try attribute.flag("deprecated"), sinceRevision: try attribute.number("sinceRevision"),
                untilRevision: try attribute.number("untilRevision"), notes: try attribute.strings("notes"))
            try unique.add(id: found.id, found.name, aliases: found.aliases, at: attribute)
            attributes.append(found)
        }
        return attributes
    }

    private mutating func addCommands(_ node: DefinitionNode, _ types: DefinitionTypes) throws(DataModelError) {
        var requests = UniquenessCheck<CommandID>()
        var answers = UniquenessCheck<CommandID>()
        var wanted: [(name: String, node: DefinitionNode)] = []
        for item in try node.items("commands") {
            let command = try item.object(knowing: [
                "id", "name", "direction", "response", "timed", "invoke", "fabricScoped", "optional", "largeMessage",
                "fields", "provisional", "deprecated", "aliases", "notes", "sinceRevision", "untilRevision",
                "bareFieldsOnWire",
            ])
            let isResponse = try command.word("direction", ["request": false, "response": true]) ?? false
            let found = CommandDefinition(
                id: CommandID(try command.required("id").number()), name: try command.name("name"),
                aliases: try command.strings("aliases"), isResponse: isResponse, fields: try types.fields(of: command),
                response: try command.text("response"), isOptional: try command.flag("optional"),
                isTimed: try command.flag("timed"),
                invokePrivilege: try command.word("invoke", Self.privileges) ?? .operate,
                isFabricScoped: try command.flag("fabricScoped"), isLargeMessage: try command.flag("largeMessage"),
                bareFieldsOnWire: try command.flag("bareFieldsOnWire"), isProvisional: try command.flag("provisional"),
                isDeprecated: try command.flag("deprecated"), sinceRevision: try command.number("sinceRevision"),
                untilRevision: try command.number("untilRevision"), notes: try command.strings("notes"))
            guard !found.bareFieldsOnWire || found.fields.count == 1 else {
                throw command.fault("bareFieldsOnWire needs exactly one field")
            }
            if isResponse {
                try answers.add(id: found.id, found.name, aliases: found.aliases, at: command)
                responses.append(found)
            } else {
                try requests.add(id: found.id, found.name, aliases: found.aliases, at: command)
                commands.append(found)
            }
            if let response = found.response { wanted.append((response, command)) }
        }
        let names = Set(responses.map(\.name))
        for (name, node) in wanted where !names.contains(name) {
            throw node.fault(
                "no response command is called \(quoted(name))",
                suggestions: Suggestions.nearest(to: name, among: names.sorted()))
        }
    }

    private static func events(
        _ node: DefinitionNode, _ types: DefinitionTypes
    ) throws(DataModelError) -> [EventDefinition] {
        var unique = UniquenessCheck<EventID>()
        var events: [EventDefinition] = []
        for item in try node.items("events") {
            let event = try item.object(knowing: [
                "id", "name", "priority", "read", "fabricSensitive", "optional", "provisional", "fields",
            ])
            let found = EventDefinition(
                id: EventID(try event.required("id").number()), name: try event.name("name"),
                priority: try event.word("priority", ["debug": .debug, "info": .info, "critical": .critical]) ?? .info,
                fields: try types.fields(of: event), readPrivilege: try event.word("read", privileges) ?? .view,
                isFabricSensitive: try event.flag("fabricSensitive"), isOptional: try event.flag("optional"),
                isProvisional: try event.flag("provisional"))
            try unique.add(id: found.id, found.name, at: event)
            events.append(found)
        }
        return events
    }
}

extension DeviceTypeDefinition {
    fileprivate init(_ node: DefinitionNode) throws(DataModelError) {
        let node = try node.object(knowing: [
            "id", "name", "label", "revision", "class", "scope", "superset", "requiredServerClusters",
            "optionalServerClusters", "requiredClientClusters", "optionalClientClusters",
        ])
        let name = try node.name("name")
        self.init(
            id: DeviceTypeID(try node.required("id").number()), label: try node.text("label") ?? name, name: name,
            revision: try node.number("revision"), deviceClass: try node.text("class") ?? "Simple",
            scope: try node.text("scope") ?? "", superset: (try node.number("superset")).map { DeviceTypeID($0) },
            requiredServerClusters: try node.ids("requiredServerClusters"),
            optionalServerClusters: try node.ids("optionalServerClusters"),
            requiredClientClusters: try node.ids("requiredClientClusters"),
            optionalClientClusters: try node.ids("optionalClientClusters"))
    }
}
