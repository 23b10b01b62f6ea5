import ArgumentParser
import MatterController

struct AccessGrant: AccessChange {
    enum Privilege: String, ExpressibleByArgument, CaseIterable {
        case view, operate, manage, administer

        var value: AccessControlEntry.Privilege {
            switch self {
            case .view: .view
            case .operate: .operate
            case .manage: .manage
            case .administer: .administer
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Let nodes, tags or groups do something on a device.",
        discussion: """
            A SUBJECT is a node (id or name), cat:TAG for all nodes whose certificate has that tag, or group:GROUP. A \
            TARGET is EP, EP/CLUSTER, */CLUSTER or DEVICE-TYPE; without one, the whole device is meant. What is given \
            already is left. With --all, no device is named: every node gets it, as a job (matterctl job ls).

            Example: matterctl acl grant light switch --target 1/on-off
            """)

    @Argument(help: "Node id or name of the device.", completion: .kind(.node)) var node: NodeArgument
    @Argument(help: "Who may: a node, cat:TAG or group:GROUP.", completion: .kind(.nodeOrGroup))
    var subjects: [String] = []
    @Flag(help: "On all nodes; the words are the subjects.") var all = false
    @Option(help: ArgumentHelp("What they may: view, operate, manage or administer.", valueName: "PRIVILEGE"))
    var privilege = Privilege.operate
    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("Where they may; may be repeated.", valueName: "TARGET"))
    var targets: [String] = []
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isForAll: Bool { all }

    private var allSubjects: [String] { (all ? [node.node] : []) + subjects }

    func validate() throws {
        try node.requireBare()
        guard !allSubjects.isEmpty else { throw ValidationError("name a subject: a node, cat:TAG or group:GROUP") }
        guard !all || options.address == nil else { throw ValidationError("--address is for one node") }
    }

    func change(_ words: AccessWords, _ console: Console) async throws -> AccessListEdit.Change {
        var targets: [AccessControlEntry.Target] = []
        for target in try self.targets.map(words.target) where !targets.contains(target) { targets.append(target) }
        var grants: [AccessControlEntry] = []
        for word in allSubjects {
            let subject = try await words.subject(word)
            if let position = grants.firstIndex(where: { $0.authMode == subject.authMode }) {
                if !grants[position].subjects.contains(subject.id) { grants[position].subjects.append(subject.id) }
            } else {
                grants.append(
                    AccessControlEntry(
                        privilege.value, authMode: subject.authMode, subjects: [subject.id], targets: targets))
            }
        }
        return .grant(grants)
    }
}
