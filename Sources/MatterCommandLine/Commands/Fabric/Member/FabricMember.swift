import ArgumentParser
import MatterController

extension FabricCommand {
    struct Member: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "member", abstract: "Administrators of the fabric with keys of their own.",
            discussion: """
                Each member has a node id of its own, and devices admit it by the administrators' tag in its certificate. Only the \
                holder of the authority's key adds and removes members, and commissions devices.

                Example: matterctl fabric member ls
                """, subcommands: [List.self, Add.self, Renew.self, Receipt.self, Confirm.self, Remove.self])
    }
}

extension FabricCommand.Member {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the members of the fabric.",
            discussion: "Example: matterctl fabric member ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let roster = try state.controller().members.roster()
            console.result((roster?.members ?? []).map { Report($0, in: roster) })
            guard !console.isJSON, let removal = roster?.removal else { return }
            let waiting = roster?.waitedFor.map(\.name) ?? []
            console.message(
                "the removal of '\(removal.name)' goes on with: matterctl fabric member remove \(removal.name)"
                    + (waiting.isEmpty ? "" : "; it waits for \(waiting.joined(separator: ", "))"))
        }
    }

    struct Receipt: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "receipt", abstract: "Print the receipt for our certificate, for the holder.",
            discussion: """
                On a member's machine. Nothing in it is secret. The holder takes it with 'fabric member confirm'.

                Example: matterctl fabric member receipt --output receipt.json
                """)

        @Option(
            help: ArgumentHelp("Write it into a file; stdout by default.", valueName: "FILE"), completion: .kind(.file))
        var output: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let receipt = try state.controller().members.receipt()
            guard let output, output != "-" else {
                return console.result(String(decoding: receipt.dropLast(), as: UTF8.self))
            }
            try OutputFile.write(receipt, to: output)
            console.object { Field("file", output) }
        }
    }

    struct Confirm: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm", abstract: "Note that a member has its new certificate, by its receipt.",
            discussion: "Example: matterctl fabric member confirm receipt.json")

        @Argument(help: "The receipt; - is stdin.", completion: .kind(.file)) var file: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let members = try state.controller().members
            let member = try await members.confirm(try InputFile.contents(file))
            console.result(Report(member, in: try members.roster()))
        }
    }
}

/// The file of an answer, which a command writes.
struct AnswerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file of the answer; NAME.answer by default, - is stdout.", valueName: "FILE"),
        completion: .kind(.file))
    var output: String?
    @Flag(help: "Replace the file if it is there.") var force = false

    func path(for name: String) -> String { output ?? "\(name).answer" }

    /// Looks before anything is done.
    func check(for name: String) throws {
        let path = path(for: name)
        guard !force, path != "-", OutputFile.exists(path) else { return }
        throw CommandLineError(
            .usageFile, "\(path) is there already", hint: "choose another name, or replace it with --force")
    }

    func write(_ answer: [UInt8], for name: String, _ console: Console) throws {
        let path = path(for: name)
        guard path != "-" else { return console.result(String(decoding: answer.dropLast(), as: UTF8.self)) }
        try OutputFile.replace(answer, at: path)
    }
}

extension Report {
    /// A member; no secret is among it.
    init(_ member: MemberRoster.Member, in roster: MemberRoster?) {
        let state =
            if roster?.removal?.name == member.name {
                "removing"
            } else if roster?.waitedFor.contains(where: { $0.name == member.name }) ?? false {
                "waited for"
            } else {
                roster?.isBehind(member) ?? false ? "left behind" : "member"
            }
        self.init {
            Field("name", member.name, label: "name", column: "NAME")
            Field("nodeId", member.nodeID, label: "node id", column: "NODE ID", text: "\(member.nodeID.rawValue)")
            Field("state", state, label: "state", column: "STATE")
            Field("host", member.host, label: "host", column: "HOST")
            Field("addedAt", DateText.time(member.addedAt), label: "added at", column: "ADDED AT")
            Field("version", member.version, label: "version of the tag", column: "TAG VERSION")
        }
    }

    /// Something that was found on a node.
    init(_ finding: MemberRoster.Finding, _ names: NodeTitles) {
        self.init {
            Field("node", finding.node, column: "NODE")
            Field("name", names[finding.node], column: "NAME")
            Field("kind", finding.kind.rawValue, column: "FOUND")
            Field("removed", finding.isRemoved, column: "RESULT", text: finding.isRemoved ? "removed" : "listed")
            Field("text", finding.text, column: "DETAILS")
        }
    }
}
