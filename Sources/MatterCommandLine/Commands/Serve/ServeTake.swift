import ArgumentParser
import HouseServer
import MatterController

/// A command that only the server of the house can carry out.
protocol ServerCommand: NetworkCommand {}

extension ServerCommand {
    var isServed: Bool { true }
    var isOfServer: Bool { true }

    /// The shares of the server that carries this out.
    ///
    /// - Throws: ``ServerError`` `serve.not-running` in a process of its own.
    func shares() throws -> HouseShares {
        guard let shares = CommandContext.servedShares else {
            throw ServerError(
                .notRunning, "no server of this version runs here for this user, state directory and fabric",
                hint: .step("serve.start"))
        }
        return shares
    }
}

extension ServeCommand {
    /// Takes a share over from another host.
    struct Take: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "take", abstract: "Let the server of this host follow a share, and the other host leave it.",
            discussion: """
                The other host gives the share up first; then the server that runs here follows its nodes. Run it on the \
                host that is to have the share.

                Example: matterctl serve take north
                """)

        @Argument(help: "The name of the share.") var share: String
        @Option(
            help: ArgumentHelp(
                "The server of the other host: wss://HOST/ws, unix:/PATH, or @FILE with the URL (default: that of --peer).",
                valueName: "URL"))
        var from: String?
        @Flag(help: "Take it also if the other host does not give it up, as it is dead: if it lives, both follow.")
        var force = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        /// The URL, which stands in a file of the shell, in its place.
        func handedOver(_ arguments: [String]) throws -> [String] {
            guard let from else { return arguments }
            let url = try PeerURL.text(from)
            return arguments.map { $0 == from ? url : $0 == "--from=\(from)" ? "--from=\(url)" : $0 }
        }

        func run(_ context: CommandContext) async throws {
            if CommandContext.servedShares == nil, let from { _ = try PeerURL.text(from) }
            let taking = try await shares().take(share, from: try from.map { try PeerURL.parse($0) }, isForced: force)
            if let failure = taking.failure {
                context.console.warning(
                    "the other host did not give '\(share)' up, and follows it, too, if it lives: \(failure)")
            }
            guard context.console.isJSON else {
                return context.console.message(
                    taking.isTaken
                        ? "'\(share)' is served here now; nodes: \(taking.nodeCount)"
                        : "'\(share)' is served here already")
            }
            context.console.object {
                Field("share", share)
                Field("result", taking.isTaken ? "taken" : "held")
                Field("nodeCount", taking.nodeCount)
                Field("from", taking.from)
                Field("givenUp", taking.isGivenUp)
            }
        }
    }

    /// The shares of this host.
    struct Shares: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "shares", abstract: "List the shares of the server that runs here, and who follows them.",
            discussion: "Example: matterctl serve shares")

        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var onlyReads: Bool { true }

        func run(_ context: CommandContext) async throws {
            context.console.result(try await shares().reports().map { Report($0) })
        }
    }
}

extension Report {
    fileprivate init(_ share: ShareReport) {
        self.init {
            Field("share", share.name, label: "share", column: "SHARE")
            Field(
                "state", share.state, label: "state", column: "STATE",
                text: share.isForced ? "\(share.state), forced" : share.state)
            Field("nodeCount", share.nodeCount, label: "nodes", column: "NODES")
            Field("upCount", share.upCount, label: "up", column: "UP")
            Field("since", DateText.time(share.since), label: "since", column: "SINCE")
            Field("host", share.host.map { JSONValue.id($0) }, label: "given up to node", column: "GIVEN UP TO")
            Field("forced", share.isForced)
            Field("peer", share.peer, label: "peer", column: "PEER")
        }
    }
}
