import MatterController

/// A command with its fields, as they are typed.
struct InvokedCommand {
    let command: Command
    let definition: CommandDefinition?
    let warnings: [String]

    /// The commands with the words of their fields. A field has a `=`, and a path has a `/` and none.
    static func split(_ path: String, _ words: [String]) -> [(path: String, fields: [String])] {
        var commands = [(path: path, fields: [String]())]
        for word in words {
            if word.contains("/"), !word.contains("=") {
                commands.append((word, []))
            } else {
                commands[commands.count - 1].fields.append(word)
            }
        }
        return commands
    }

    /// - Parameter jsonFields: a file with all fields.
    init(_ word: (path: String, fields: [String]), jsonFields: String?, with parser: ValueParser) throws {
        let catalogue = parser.catalogue
        let path = try ElementPath(word.path, .command) { () throws(DataModelError) in catalogue }
        guard let endpoint = path.endpoint, let cluster = path.cluster, let number = path.element.map({ CommandID($0) })
        else {
            throw CommandLineError(
                .usageWildcard, "a command needs an endpoint, a cluster and a command, without wildcards")
        }
        definition = catalogue.cluster(cluster)?.command(number)
        var parser = parser
        parser.cluster = catalogue.clusterName(cluster).map(NameStyle.kebab)
        let parsed = try Self.parse(word.fields, jsonFields, definition, parser)
        warnings = parsed.warnings.map { "\($0)" }
        command = Command(endpoint: endpoint, cluster: cluster, command: number, fields: parsed.value)
    }

    static func parse(
        _ fields: [String], _ jsonFields: String?, _ definition: CommandDefinition?, _ parser: ValueParser
    ) throws -> ParsedValue {
        if let jsonFields {
            let json = try json(jsonFields)
            guard let definition else { return ParsedValue(value: try TLVValue(json: json)) }
            return try parser.fields(json: json, of: definition)
        }
        func file(_ name: String) throws(DataModelError) -> [UInt8] {
            do {
                return try InputFile.contents(name)
            } catch {
                throw DataModelError(.malformedValue, "\(error)", place: name)
            }
        }
        guard let definition else {
            return ParsedValue(value: try parser.untypedFields(words: fields, file: file))
        }
        return try parser.fields(words: fields, of: definition, file: file)
    }

    private static func json(_ file: String) throws -> JSONValue {
        let contents = try InputFile.contents(file)
        do {
            return try JSONValue(parsing: contents)
        } catch {
            throw CommandLineError(.usageFile, "\(file == "-" ? "stdin" : file): \(error)", id: error.id)
        }
    }
}

extension [InvokedCommand] {
    /// Runs of commands that are all timed, or all not: one request is the one or the other.
    ///
    /// - Parameter timed: whether all are.
    func runs(timed: Bool) -> [(commands: [Command], isTimed: Bool)] {
        reduce(into: []) { runs, invoked in
            let isTimed = timed || invoked.definition?.isTimed ?? false
            if runs.last?.isTimed == isTimed {
                runs[runs.count - 1].commands.append(invoked.command)
            } else {
                runs.append(([invoked.command], isTimed))
            }
        }
    }
}
