import ArgumentParser
import MatterController

struct NetStatus: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how a node is connected.",
        discussion: """
            The networks that it knows, the end of the last attempt to change them, and its interfaces with their addresses.

            Example: matterctl net status kitchen
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let state = try await context.controller.administration.networkState(
            of: record, title: NodeTarget(node.node).text, budget: context.budget)
        context.console.result {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("networking", state.commissioning.map(Report.init))
            Field("interfaces", state.interfaces.map(Report.init))
            for entry in state.commissioning { Report.lines(entry) }
            for interface in state.interfaces { Field(label: "interface", interface.words) }
        }
    }
}

extension Report {
    init(_ entry: NetworkState.Commissioning) {
        self.init {
            Field("endpoint", entry.endpoint)
            Field("kind", entry.kind?.rawValue)
            Field("enabled", entry.isEnabled)
            Field("maxNetworks", entry.maxNetworks)
            Field(
                "networks",
                entry.networks.map { network in
                    Report {
                        Field("network", NetworkName.text(network.id))
                        Field("connected", network.isConnected)
                    }
                })
            Field("lastStatus", entry.lastStatus?.words)
            Field("lastStatusCode", entry.lastStatus?.rawValue)
            Field("lastNetwork", entry.lastNetwork.map(NetworkName.text))
            Field("lastError", entry.lastError.map { JSONValue.int(Int64($0)) })
        }
    }

    fileprivate init(_ interface: NetworkState.Interface) {
        self.init {
            Field("interface", interface.name)
            Field("type", interface.typeName)
            Field("up", interface.isUp)
            Field("hardwareAddress", NetworkAddress.text(interface.hardwareAddress, as: .hardwareAddress))
            Field("addresses", interface.texts)
        }
    }

    fileprivate static func lines(_ entry: NetworkState.Commissioning) -> Report {
        Report {
            Field(
                label: "endpoint \(entry.endpoint)",
                [entry.kind?.rawValue ?? "unknown kind", entry.isEnabled == false ? "disabled" : nil].compactMap { $0 })
            for network in entry.networks {
                Field(
                    label: "network",
                    [NetworkName.text(network.id), network.isConnected ? "connected" : "not connected"])
            }
            Field(
                label: "last status",
                entry.lastStatus.map { status in
                    [
                        status.words, entry.lastNetwork.map { "network \(NetworkName.text($0))" },
                        entry.lastError.map { "error \($0)" },
                    ].compactMap { $0 }
                })
        }
    }
}

extension NetworkState.Interface {
    fileprivate var typeName: String? {
        switch type {
        case .wiFi: NetworkKind.wifi.rawValue
        case .ethernet: NetworkKind.ethernet.rawValue
        case .thread: NetworkKind.thread.rawValue
        case .cellular: "cellular"
        default: nil
        }
    }

    fileprivate var texts: [String] { addresses.compactMap { NetworkAddress.text($0, as: .ipAddress) } }

    fileprivate var words: [String] {
        [name, typeName, isUp ? "up" : "down", NetworkAddress.text(hardwareAddress, as: .hardwareAddress)]
            .compactMap { $0 } + texts
    }
}
