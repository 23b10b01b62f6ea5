import ArgumentParser
import MatterController

/// Locks: what their kind declares, and the commands that are about one user, or about settings.
struct DoorLockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: LockKind.kind.name, abstract: LockKind.kind.summary,
        discussion: "Example: matterctl door-lock show door",
        subcommands: [KindCommand<LockKind>.self] + own, defaultSubcommand: KindCommand<LockKind>.self)

    /// Those of their own, in the order of the declaration.
    static let own: [any ParsableCommand.Type] = [
        LockCodes.self, LockAddCode.self, LockRemoveCode.self, LockRestrict.self, LockUnrestrict.self, LockConfig.self,
    ]
}

/// A command about the users of one lock.
protocol DoorLockUsersCommand: NodeSubject {
    func run(_ lock: DoorLockUsers, _ context: CommandContext) async throws
}

extension DoorLockUsersCommand {
    func run(_ context: CommandContext) async throws {
        let (record, endpoint) = try context.controller.nodes.place(of: node.node, endpoint: node.endpoint)
        let device = try await context.controller.devices.device(
            DoorLock.id, of: record, endpoint: endpoint, title: NodeTarget(node.node).text, budget: context.budget)
        try await run(DoorLockUsers(device), context)
    }
}

struct LockConfig: NodesCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show or change the settings of a lock.",
        discussion: """
            Without an option, the settings are shown.

            Example: matterctl door-lock config door --wrong-code-limit 3 --auto-relock 30s
            """)

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @Option(name: .line(.wrongCodeLimit), help: ArgumentHelp("How many wrong codes lock the keypad.", valueName: "N"))
    var wrongCodeLimit: String?
    @Option(name: .line(.lockout), help: ArgumentHelp("How long it stays locked.", valueName: "DURATION"))
    var lockout: String?
    @Option(
        name: .line(.autoRelock),
        help: ArgumentHelp("Lock again by itself after this time; or never.", valueName: "DURATION"),
        completion: .list(LockSetting.autoRelock.offers))
    var autoRelock: String?
    @Option(
        name: .line(.mode),
        help: ArgumentHelp("normal, vacation, privacy, no-remote-lock-unlock or passage.", valueName: "MODE"),
        completion: .list(LockSetting.mode.offers))
    var mode: String?
    @Option(
        name: .line(.pinForRemote),
        help: ArgumentHelp("Whether commands over the network need a PIN code: yes or no.", valueName: "YES|NO"),
        completion: .list(LockSetting.pinForRemote.offers))
    var pinForRemote: String?
    @Option(
        name: .line(.volume),
        help: ArgumentHelp("silent, low, medium or high.", valueName: "VOLUME"),
        completion: .list(LockSetting.volume.offers))
    var volume: String?
    @Option(
        name: .line(.language), help: ArgumentHelp("The language that it speaks, such as en.", valueName: "LANGUAGE"))
    var language: String?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    private var words: [(LockSetting, String)] {
        LockSetting.allCases.compactMap { setting in
            let word =
                switch setting {
                case .wrongCodeLimit: wrongCodeLimit
                case .lockout: lockout
                case .autoRelock: autoRelock
                case .mode: mode
                case .pinForRemote: pinForRemote
                case .volume: volume
                case .language: language
                }
            return word.map { (setting, $0) }
        }
    }

    private func verbs() throws -> [LockSettingVerb] { try words.map { try LockSettingVerb($0, $1) } }

    func validate() throws { try everyday.check(nodes, options, shows: words.isEmpty) }

    func verb() throws -> any DeviceVerb { try LockSettingVerb(.mode, mode ?? "") }

    func run(_ context: CommandContext) async throws {
        // A mistake in one of them is found before any is sent.
        let verbs = try verbs()
        guard !verbs.isEmpty else {
            return try await ReadingRound(
                LockSetting.allCases.map(\.reading), trait: "has lock settings", nodes, everyday.selection
            ).run(context)
        }
        for verb in verbs { try await carryOut(verb, context) }
    }
}
