import ArgumentParser
import MatterController

struct MapCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "map", abstract: "Draw the network of the house.",
        discussion: """
            Reads the nodes' own tables, a few nodes at a time, and joins them with what border routers advertise: the Thread \
            networks with their links, Wi-Fi access points, cables, bridges. Weak and one-sided links, nodes with a single way \
            out, and border routers that are alone are marked. It changes nothing, and works before a node is there.

            Example: matterctl map --svg house.svg
            """)
    static let defaultTimeout = Duration.seconds(15)

    @Option(
        help: ArgumentHelp("Also write a picture into this file.", valueName: "FILE"), completion: .kind(.file))
    var svg: String?
    @Flag(help: "Print a graph for Graphviz.") var dot = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    /// A file is written by the process that has the folder.
    var isServed: Bool { svg == nil }

    func validate() throws {
        guard options.address == nil else { throw ValidationError("--address is for one node") }
        guard !dot || !options.state.output.json else {
            throw ValidationError("--json and --dot contradict each other")
        }
    }

    func run(_ context: CommandContext) async throws {
        let map = try await context.controller.maps.map(budget: context.budget)
        let console = context.console
        if let svg { try OutputFile.write(Array(MapSVG(map).text.utf8), to: svg) }
        if dot {
            console.result(MapDOT(map).text)
        } else if console.isJSON {
            console.result(Report(map))
        } else {
            for line in MapTree(map).lines { console.result(line.styled(console.terminal.hasColors(.output))) }
            if map.isEmpty { console.message("no node answered, and no border router was found") }
        }
        if let obstacle = map.obstacle { console.warning("border routers were not looked for: \(obstacle)") }
    }
}

extension NetworkMap {
    /// Whether there is nothing to be drawn.
    var isEmpty: Bool {
        meshes.isEmpty && accessPoints.isEmpty && wired.isEmpty && elsewhere.isEmpty && silent.isEmpty
    }
}
