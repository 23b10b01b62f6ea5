import MatterController

/// The paths, fields and values that make sense for a node, as its record has it.
struct PathWords {
    /// Nothing is known of the endpoints of a node that is not known.
    let endpoints: [NodeRecord.Endpoint]
    let catalogue: Catalogue
    let purpose: ParameterKind.PathUse

    /// The next part of a path that has been begun.
    ///
    /// - Parameter suffix: what follows a path that is complete.
    func paths(_ word: String, suffix: String = "") -> [Candidate] {
        let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: return endpointWords
        case 2:
            return clusters(at: parts[0]).map { id in
                Candidate(
                    word: "\(parts[0])/\(name(id))/", note: catalogue.clusterName(id) ?? hexadecimal(id),
                    isFinished: false)
            }
        case 3:
            guard let cluster = cluster(parts[1], at: parts[0]) else { return [] }
            return elements(of: cluster, at: parts[0]).map { element in
                Candidate(
                    word: "\(parts[0])/\(parts[1])/\(element.name)\(suffix)", note: element.note,
                    isFinished: suffix.isEmpty)
            }
        default: return []
        }
    }

    private var endpointWords: [Candidate] {
        let words = endpoints.map { endpoint in
            Candidate(
                word: "\(endpoint.number)/",
                note: endpoint.deviceTypes.compactMap { catalogue.deviceType(DeviceTypeID($0))?.label }
                    .joined(separator: ", "), isFinished: false)
        }
        return words + (purpose == .read || purpose == .event ? [Candidate(word: "*/", isFinished: false)] : [])
    }

    private func endpoints(_ word: String) -> [NodeRecord.Endpoint] {
        word == "*" ? endpoints : endpoints.filter { "\($0.number)" == word }
    }

    private func clusters(at endpoint: String) -> [ClusterID] {
        let ids = Set(endpoints(endpoint).flatMap(\.serverClusters)).sorted().map { ClusterID($0) }
        guard purpose == .invoke else { return ids }
        // A cluster without commands has nothing to invoke.
        return ids.filter { id in !commands(of: id, at: endpoint).isEmpty || catalogue.cluster(id) == nil }
    }

    private func name(_ cluster: ClusterID) -> String {
        catalogue.clusterName(cluster).map(NameStyle.kebab) ?? hexadecimal(cluster)
    }

    private func cluster(_ word: String, at endpoint: String) -> ClusterID? {
        if let number = NameRule.parseNumber(word) { return UInt32(exactly: number).map { ClusterID($0) } }
        return try? catalogue.cluster(named: word).id
    }

    private func commands(of cluster: ClusterID, at endpoint: String) -> [CommandDefinition] {
        let all = catalogue.cluster(cluster)?.commands ?? []
        let here = endpoints(endpoint).filter { $0.serverClusters.contains(cluster.rawValue) }
        let accepted = here.flatMap { $0.acceptedCommands[cluster.rawValue] ?? [] }
        // A record of an earlier version knows no commands at all.
        guard here.contains(where: { !$0.acceptedCommands.isEmpty }) else { return all }
        return all.filter { accepted.contains($0.id.rawValue) }
    }

    private func elements(of cluster: ClusterID, at endpoint: String) -> [(name: String, note: String)] {
        let definition = catalogue.cluster(cluster)
        let attributes = (definition?.attributes ?? []) + (definition?.globalAttributes ?? catalogue.globalAttributes)
        func named(_ attributes: [AttributeDefinition]) -> [(name: String, note: String)] {
            attributes.map { (NameStyle.kebab($0.name), $0.type.text) }
        }
        let commands = commands(of: cluster, at: endpoint).map { (name: NameStyle.kebab($0.name), note: "command") }
        switch purpose {
        case .read: return named(attributes.filter(\.isReadable))
        case .write: return named(attributes.filter(\.isWritable))
        case .invoke: return commands
        case .event: return (definition?.events ?? []).map { (NameStyle.kebab($0.name), "\($0.priority)") }
        case .any: return named(attributes) + commands
        }
    }

    // MARK: Values

    /// The fields that a command can still be given, or the values of the field that was begun.
    func fields(of path: String, given: [String], _ word: String) -> [Candidate] {
        guard let path = try? ElementPath(path, .command, in: { () throws(DataModelError) in catalogue }),
            let cluster = path.cluster.flatMap({ catalogue.cluster($0) }),
            let command = path.element.flatMap({ cluster.command(CommandID($0)) })
        else { return [] }
        if let equals = word.firstIndex(of: "=") {
            guard let field = command.fields.named(String(word[..<equals])) else { return [] }
            return values(of: field.type, after: String(word[...equals]), word)
        }
        let used = given.compactMap { word in command.fields.named(String(word.prefix { $0 != "=" }))?.id }
        return command.fields.filter { !used.contains($0.id) }.map { field in
            Candidate(word: NameStyle.kebab(field.name) + "=", note: field.type.text, isFinished: false)
        }
    }

    /// The values of an attribute.
    func values(of path: String, after lead: String, _ word: String) -> [Candidate] {
        guard let path = try? ElementPath(path, .attribute, in: { () throws(DataModelError) in catalogue }),
            let cluster = path.cluster, let attribute = path.element.map({ AttributeID($0) }),
            let type = catalogue.attribute(cluster: cluster, attribute)?.type
        else { return [] }
        return values(of: type, after: lead, word)
    }

    /// The names of values; files, where the value begins with an `@`.
    private func values(of type: DataType, after lead: String, _ word: String) -> [Candidate] {
        var names: [String] = []
        var before = lead
        switch type.kind {
        case _ where type.isList: break
        case .boolean: names = ["true", "false"]
        case .enumeration(let definition): names = definition.values.map { NameStyle.kebab($0.name) }
        case .bitmap(let definition):
            // Several bits are separated by commas.
            let bits = word.dropFirst(lead.count)
            if let comma = bits.lastIndex(of: ",") { before += bits[...comma] }
            names = definition.fields.filter(\.isFlag).map { NameStyle.kebab($0.name) }
        default: break
        }
        if type.isNullable, before == lead { names.append("null") }
        return names.map { Candidate(word: before + $0) }
    }
}
