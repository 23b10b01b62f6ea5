import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterInteraction
import MatterRecords
import MatterTLV

struct Invoke: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "invoke", abstract: "Send a command.",
        discussion: """
            Fields are name=value words; nested values are JSON, name=@FILE takes the value from a file. Unknown fields are \
            an error before anything is sent. A command to a group names no endpoint: matterctl invoke group:lights \
            on-off/toggle.

            Example: matterctl invoke kitchen 1/level-control/move-to-level level=127 transition-time=10
            """)

    @Argument(help: "Node id or name.") var node: NodeArgument
    @Argument(help: "EP/CLUSTER/COMMAND.") var path: String
    @Argument(help: "Fields, as name=value.") var fields: [String] = []
    @Option(name: .long, help: ArgumentHelp("All fields as a JSON object.", valueName: "FILE")) var jsonFields: String?
    @Flag(help: "As a timed interaction, even if nothing demands it.") var timed = false
    @Flag(help: "Enums and bitmaps as numbers.") var numeric = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try node.requireBare()
        if jsonFields != nil, !fields.isEmpty { throw ValidationError("give either fields or --json-fields") }
    }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
        if let group = GroupTarget(node) { return try await send(to: group, catalogue, context) }
        let path = try ElementPath(path, .command) { () throws(DataModelError) in catalogue }
        guard let endpoint = path.endpoint, let cluster = path.cluster, let number = path.element.map({ CommandID($0) })
        else {
            throw CommandLineError(
                "usage.wildcard", "a command needs an endpoint, a cluster and a command, without wildcards")
        }
        let definition = catalogue.cluster(cluster)?.command(number)
        let parsed = try parse(definition, catalogue)
        for warning in parsed.warnings { context.console.message("warning: \(warning); the device decides") }
        let record = try await context.controller.record(of: node.node)
        let link = try await context.controller.link(to: record)
        let command = Command(endpoint: endpoint, cluster: cluster, command: number, fields: parsed.value)
        let work = catalogue.expectedWork(ofCommand: number, inCluster: cluster)
        let result: CommandResult
        do {
            result = try await link.invoke(
                command, isTimed: timed || definition?.isTimed ?? false,
                NodeLink.Repeatability(of: command, in: catalogue), work: work,
                deadline: context.deadline(for: record, work: work))
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            error.state = await link.stateAfterwards(endpoint: endpoint, cluster: cluster)
            throw error
        }
        try show(result, command, record.nodeID, catalogue, context)
    }

    func parse(_ definition: CommandDefinition?, _ catalogue: Catalogue) throws -> ParsedValue {
        let parser = ValueParser(catalogue: catalogue)
        if let jsonFields {
            let json = try Self.json(jsonFields)
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
            throw CommandLineError(.init(rawValue: error.code.rawValue), "\(file == "-" ? "stdin" : file): \(error)")
        }
    }

    private func show(
        _ result: CommandResult, _ command: Command, _ node: NodeID, _ catalogue: Catalogue, _ context: CommandContext
    ) throws {
        let place = Report(command.path, of: node, in: catalogue)
        switch result.outcome {
        case .response(let number, let fields):
            let definitions = catalogue.cluster(command.path.cluster)?.response(number)?.fields ?? []
            let response = ValuePrinter(numeric: numeric).json(fields: fields, of: definitions)
            guard !context.console.isJSON else {
                return context.console.object {
                    place
                    Field("response", response)
                }
            }
            let members = response.objectValue?.members ?? []
            context.console.rows(
                ["FIELD", "VALUE"], members.map { [TerminalText.escaped($0.key), TerminalText.text($0.value)] })
        case .status(let status):
            context.console.object {
                place
                Report(status)
            }
            try Outcome.check(result, of: NodeTarget(self.node.node).text)
        }
    }
}
