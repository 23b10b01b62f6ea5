import ArgumentParser
import MatterController

/// How a judgement is printed.
enum ConformFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json, junit
}

struct Conform: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "conform", abstract: "Examine a node by the official data model.",
        discussion: """
            Reads all of the node, and compares it with Matter 1.6: clusters, features, attributes, commands, revisions and \
            values, the Descriptors, the device types. Nothing is changed. A device in use is judged mildly: what an older or \
            newer revision may explain is a note. --strict is for makers of devices.

            Example: matterctl conform kitchen
            """)
    static let defaultTimeout = Duration.seconds(60)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Flag(help: "By the rules for makers: revisions and unknown elements count.") var strict = false
    @Option(help: ArgumentHelp("text, json or junit (XML for CI).", valueName: "FORMAT")) var format: ConformFormat?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws {
        try node.requireBare()
        if options.state.output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other")
        }
    }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let report = try await context.controller.conformance.examine(
            record, isStrict: strict, deadline: context.deadline(for: record))
        let title = NodeTarget(node.node).text
        switch format ?? (context.console.isJSON ? .json : .text) {
        case .text: ConformText.print(report, of: title, context.console)
        case .json: context.console.result(Report(report, of: record).json)
        case .junit: context.console.result(ConformJUnit.text(report, of: node.node))
        }
        let failures = report.count(.failure)
        guard failures > 0 else { return }
        throw CommandLineError(
            .conformFailed, "\(title) breaks rules of Matter \(report.specification): \(ConformText.counts(report))")
    }
}

extension Report {
    fileprivate init(_ report: ConformanceReport, of node: NodeRecord) {
        self.init {
            Field("node", node.nodeID)
            Field("name", node.name)
            Field("specification", report.specification)
            Field("specificationVersion", report.specificationVersion.map(ConformText.version))
            Field("strict", report.isStrict)
            Field("endpoints", report.endpoints.count)
            Field("clusters", report.clusters.count)
            Field("attributes", report.attributes)
            Field("failures", report.count(.failure))
            Field("warnings", report.count(.warning))
            Field("notes", report.count(.note))
            Field("findings", report.findings.map(Report.init))
        }
    }

    fileprivate init(_ finding: ConformanceFinding) {
        self.init {
            Field("severity", finding.severity.rawValue)
            Field("rule", finding.rule)
            Field("text", finding.text)
            Field("place", finding.place)
            Field("endpoint", finding.endpoint)
            Field("cluster", finding.cluster)
            Field("clusterName", finding.clusterName)
            Field("element", finding.element)
            Field("expected", finding.expected)
            Field("found", finding.found)
        }
    }
}

/// A judgement for people.
enum ConformText {
    static func print(_ report: ConformanceReport, of title: String, _ console: Console) {
        if console.isTerminal {
            for finding in report.findings { blocks(finding, console) }
        } else {
            console.rows(
                ["SEVERITY", "PLACE", "RULE", "EXPECTED", "FOUND", "TEXT"],
                report.findings.map { finding in
                    [
                        finding.severity.rawValue, finding.place, finding.rule, finding.expected, finding.found,
                        finding.text,
                    ].map(TerminalText.escaped)
                })
        }
        console.message(
            "\(TerminalText.escaped(title)): \(number(report.endpoints.count, "endpoint")), "
                + "\(number(report.clusters.count, "cluster")), \(number(report.attributes, "attribute")) examined by Matter "
                + "\(report.specification)\(report.isStrict ? ", strictly" : ""): \(counts(report))")
    }

    private static func blocks(_ finding: ConformanceFinding, _ console: Console) {
        console.text("\(finding.severity.rawValue)  \(TerminalText.escaped(finding.place))  \(finding.rule)")
        console.text("    rule      \(finding.text)")
        console.text("    expected  \(TerminalText.escaped(finding.expected))")
        console.text("    found     \(TerminalText.escaped(finding.found))")
    }

    /// `1 failure, 2 warnings, 3 notes`.
    static func counts(_ report: ConformanceReport) -> String {
        ConformanceSeverity.allCases.sorted(by: >).map { number(report.count($0), $0.rawValue) }.joined(separator: ", ")
    }

    static func version(_ number: UInt32) -> String { hexadecimal(number) }

    private static func number(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
