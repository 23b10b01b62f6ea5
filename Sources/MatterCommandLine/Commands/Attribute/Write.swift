import ArgumentParser
import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterInteraction
import MatterRecords

struct Write: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write an attribute.",
        discussion: """
            VALUE follows the attribute's type: 50%, 21.5C, 2s, a name of an enum, null, hex:0A0B, JSON for lists and \
            structures; @FILE takes it from a file, @- from stdin.

            Example: matterctl write kitchen 0/basic-information/node-label Kitchen
            """)

    @Argument(help: "Node id or name.") var node: NodeArgument
    @Argument(help: "EP/CLUSTER/ATTRIBUTE.") var path: String
    @Argument(help: "The value.") var value: String
    @Flag(help: "As a timed interaction, even if nothing demands it.") var timed = false
    @Option(name: .long, help: ArgumentHelp("Only if the cluster has this data version.", valueName: "N"))
    var dataVersion: UInt32?
    @Flag(help: "Write an access control list even if it locks us out of the device.") var force = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
        let path = try ElementPath(path, .attribute) { () throws(DataModelError) in catalogue }
        guard let endpoint = path.endpoint, let cluster = path.cluster,
            let attribute = path.element.map({ AttributeID($0) })
        else {
            throw CommandLineError("usage.wildcard", "a write needs one attribute, without wildcards")
        }
        let definition = catalogue.attribute(cluster: cluster, attribute)
        let parsed = try parse(as: definition, catalogue)
        for warning in parsed.warnings { context.console.message("warning: \(warning); the device decides") }
        if !force, AccessGuard.concerns(cluster: cluster, attribute: attribute) {
            try AccessGuard(node: node.node).check(
                parsed.value, own: try await context.controller.credentials().identity)
        }
        let target = ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
        let record = try await context.controller.record(of: node.node)
        let link = try await context.controller.link(to: record)
        let results: [AttributeWriteResult]
        do {
            results = try await link.write(
                [AttributeWrite(target, value: parsed.value, dataVersion: dataVersion)],
                isTimed: timed || definition?.mustTimedWrite ?? false,
                catalogue.mayRepeat(writeOf: attribute, inCluster: cluster) ? .absolute : .atMostOnce,
                deadline: context.deadline(for: record))
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            error.state = await link.stateAfterwards(target)
            throw error
        }
        for result in results {
            context.console.object {
                Report(target, of: record.nodeID, in: catalogue)
                Report(result.status)
            }
        }
        guard let failed = results.first(where: { !$0.status.isSuccess }) else { return }
        let name = path.text(.attribute, in: catalogue)
        let whose = NodeTarget(node.node)
        // The device decides, as it may be newer than the catalogue; if it refuses, the catalogue can help.
        let isReadOnly = failed.status.status == .unsupportedWrite && definition?.isWritable == false
        throw ControllerError(
            .status, "\(whose.text) answered the write of \(name) with \(failed.status)",
            hint: isReadOnly
                ? definition.map { Hint(StatusAdvice.instead(ofWriting: $0, at: path, value, whose)) } : nil,
            status: failed.status)
    }

    private func parse(as definition: AttributeDefinition?, _ catalogue: Catalogue) throws -> ParsedValue {
        let parser = ValueParser(catalogue: catalogue)
        let place = definition.map { NameStyle.kebab($0.name) } ?? path
        guard let type = definition?.type else {
            let word = value.hasPrefix("@") ? String(decoding: try file(), as: UTF8.self) : value
            return ParsedValue(value: try parser.value(untyped: word, at: place))
        }
        if value.hasPrefix("@") { return try parser.value(file: try file(), as: type, at: place) }
        return try parser.value(word: value, as: type, at: place)
    }

    private func file() throws -> [UInt8] { try InputFile.contents(String(value.dropFirst())) }
}
