import ArgumentParser
import JSON
import Logging
import MatterController
import MatterHTTP
import MatterRecords
import MatterSession
import MatterTLV
import RainMaker

struct RainMakerController: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller", abstract: "Hand a RainMaker account to a controller device.",
        discussion: "Example: matterctl rainmaker controller setup hub --user me@example.com",
        subcommands: [
            Setup.self, Show.self, SetToken.self, ResetToken.self, Authorize.self, UpdateNOC.self, UpdateDevices.self,
        ])

    struct Setup: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "setup", abstract: "Do all that a controller needs: token, login, certificate, device list.",
            discussion: """
                The controller gets a session of its own: user name and password as for 'cloud login', or a refresh \
                token of such a session with --token-file. Nothing of it is kept here.

                Example: matterctl rainmaker controller setup hub --user me@example.com
                """)
        static let defaultTimeout = Duration.seconds(180)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup var login: LoginOptions
        @Option(
            name: .long,
            help: ArgumentHelp("A refresh token is the first line of this file; - for stdin.", valueName: "FILE"))
        var tokenFile: String?
        @Option(help: ArgumentHelp("The cloud that the controller uses; the fabric's if left out.", valueName: "URL"))
        var url: String?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func validate() throws {
            guard tokenFile == nil || login.isEmpty else {
                throw ValidationError("--token-file cannot be combined with a user name or password")
            }
        }

        func run(_ context: CommandContext) async throws {
            let record = try await context.controller.node(node.node)
            // The token first: without one nothing is changed at the controller.
            let cloud = try await ControllerAccount(url, context)
            let token =
                if let tokenFile { try SecretText(InputFile.firstLine(tokenFile)) } else {
                    try await cloud.newToken(login, context)
                }
            let device = try await device(context)
            try await device.setToken(token)
            try await device.authorize(try cloud.requireURL())
            try await device.updateNOC()
            let status = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
            try await self.device(context).updateDeviceList()
            if context.console.isJSON { ControllerReport(record, status).print(context.console) }
        }
    }

    struct Show: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show how far a controller is set up.",
            discussion: """
                A refresh token of the real cloud has some 1,700 bytes, which fit no message: with --secrets it is missed, \
                and the exit code is 5.

                Example: matterctl rainmaker controller show hub
                """)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Flag(help: "Also the refresh token, which is as good as the password.") var secrets = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let device = try await device(context)
            let record = try await context.controller.node(node.node)
            let status = try await device.status()
            let token: SecretText?
            do {
                token = secrets ? try await device.token() : nil
            } catch {
                // The rest is not lost for it.
                ControllerReport(record, status).print(context.console)
                throw error
            }
            ControllerReport(record, status, token: token).print(context.console)
        }
    }

    struct SetToken: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "set-token",
            abstract: "Give a controller a refresh token, in the place of the one that it has.",
            discussion: "Example: matterctl rainmaker controller set-token hub --token-file token")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Option(
            name: .long, help: ArgumentHelp("The token is the first line of this file; - for stdin.", valueName: "FILE")
        )
        var tokenFile: String
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let token = try SecretText(InputFile.firstLine(tokenFile))
            try await device(context).setToken(token)
        }
    }

    struct ResetToken: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-token", abstract: "Make a controller forget its refresh token.",
            discussion: "Example: matterctl rainmaker controller reset-token hub")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws { try await device(context).resetToken() }
    }

    struct Authorize: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "authorize", abstract: "Make a controller log in with its token.",
            discussion: "Example: matterctl rainmaker controller authorize hub")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Option(help: ArgumentHelp("The cloud that the controller uses; the fabric's if left out.", valueName: "URL"))
        var url: String?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let cloud = try await ControllerAccount(url, context)
            try await device(context).authorize(try cloud.requireURL())
        }
    }

    struct UpdateNOC: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "update-noc", abstract: "Make a controller get a certificate with the group's tag.",
            discussion: "Example: matterctl rainmaker controller update-noc hub")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let record = try await context.controller.node(node.node)
            let cloud = try await ControllerAccount(nil, context)
            try await device(context).updateNOC()
            _ = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
        }
    }

    struct UpdateDevices: ControllerSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "update-devices", abstract: "Make a controller read the group's list of devices.",
            discussion: """
                If it cannot, it is made to log in and to get its certificate again first.

                Example: matterctl rainmaker controller update-devices hub
                """)
        static let defaultTimeout = Duration.seconds(180)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let device = try await device(context)
            do {
                try await device.updateDeviceList()
            } catch let error as ControllerError where error.code == .status {
                context.logger.debug("the controller could not update its list; logging it in again: \(error)")
                let record = try await context.controller.node(node.node)
                let cloud = try await ControllerAccount(nil, context)
                let known = try await device.status().url
                guard let url = try? CloudAccount.url(parsing: known) else { throw error }
                try await device.authorize(url)
                try await device.updateNOC()
                _ = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
                try await self.device(context).updateDeviceList()
            }
        }
    }
}

/// A command about the Matter Controller cluster.
protocol ControllerSubcommand: CustomClusterCommand {}

extension ControllerSubcommand {
    static var processing: Duration? { ControllerDevice.processing }
    static var defaultTimeout: Duration { .seconds(90) }

    func device(_ context: CommandContext) async throws -> ControllerDevice {
        ControllerDevice(try await cluster(ControllerDevice.cluster, ControllerDevice.name, context))
    }

    /// The controller has another certificate now, which a new session proves.
    func checkNOC(
        of record: NodeRecord, group: String?, _ context: CommandContext
    ) async throws -> ControllerDevice.Status {
        try await context.controller.endSession(with: record.nodeID)
        return try await device(context).checkNOC(group: group)
    }
}

/// User name and password, as `cloud login` takes them.
struct LoginOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user name (env MATTERCTL_CLOUD_USER).", valueName: "NAME")) var user: String?
    @Option(
        name: .long, help: ArgumentHelp("The password is the first line of this file; - for stdin.", valueName: "FILE"))
    var passwordFile: String?

    var isEmpty: Bool { user == nil && passwordFile == nil }

    /// - Parameter known: the user name if none is given.
    func userName(known: String? = nil) throws -> String {
        try user ?? Environment.variable("MATTERCTL_CLOUD_USER") ?? known ?? Prompt.line("user name", isSecret: false)
    }

    func password() throws -> SecretText {
        if let passwordFile { return try SecretText(InputFile.firstLine(passwordFile)) }
        if let password = Environment.variable("MATTERCTL_CLOUD_PASSWORD") { return SecretText(password) }
        return SecretText(try Prompt.line("password", isSecret: true))
    }
}

/// The cloud that a controller shall use: that of the fabric, or one that the user names.
struct ControllerAccount {
    let membership: RainMakerMembership?
    private let account: CloudAccount?
    private let url: BaseURL?

    init(_ url: String?, _ context: CommandContext) async throws {
        let state = context.controller.options.state
        membership = try RainMakerStore(state, fabric: try await context.controller.fabric().name).membership()
        account = try membership.map { membership throws in try CloudStore(state).select(membership.profile) }
        self.url = try url.map { text throws in try CloudAccount.url(parsing: text) } ?? account?.url
    }

    func requireURL() throws -> BaseURL {
        guard let url else {
            throw CommandLineError(
                "usage.no-url", "this fabric belongs to no cloud, and nothing says which one the controller shall use",
                hint: "add --url https://HOST")
        }
        return url
    }

    /// The refresh token of a new session for the controller.
    func newToken(_ login: LoginOptions, _ context: CommandContext) async throws -> SecretText {
        let url = try requireURL()
        let account = CloudAccount(
            profile: account?.profile ?? CloudAccount.standardProfile, url: url, userName: account?.userName,
            authorityFile: account?.authorityFile)
        let userName = try login.userName(known: account.userName)
        let password = try login.password()
        let setup = CloudSetup(context)
        return try await setup.withClient(account) { client in
            try await client.refreshTokenForOther(userName: userName, password: password)
        }
    }
}

/// What is printed of a controller.
struct ControllerReport {
    private var list: ValueList

    init(_ node: NodeRecord, _ status: ControllerDevice.Status, token: SecretText? = nil) {
        list = ValueList(node: node)
        list.add("url", "url", .string(status.url))
        list.add("tokenVerified", "token verified", .bool(status.isTokenVerified))
        list.add("authorized", "authorized", .bool(status.isAuthorized))
        list.add("nocInstalled", "certificate installed", .bool(status.isNOCInstalled))
        list.add("group", "group", .string(status.groupID))
        list.add("fabricIndex", "fabric index", .uint(UInt64(status.fabricIndex)))
        if let token { list.add("refreshToken", "refresh token", .string(token.revealed)) }
    }

    func print(_ console: Console) { list.print(console) }
}
