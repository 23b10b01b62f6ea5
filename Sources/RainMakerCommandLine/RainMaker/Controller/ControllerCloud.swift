import MatterCommandLine
import RainMaker

/// The cloud that a controller shall use: that of the fabric, or one that the user names.
struct ControllerCloud {
    let membership: RainMakerMembership?
    private let account: CloudAccount?
    private let url: BaseURL?

    init(_ url: String?, _ context: CommandContext) async throws {
        let state = context.controller.options.state
        membership = try RainMakerStore(state, fabric: try context.controller.context.fabric().name).membership()
        account = try membership.map { membership throws in try CloudStore(state).select(membership.profile) }
        self.url = try url.map { text throws in try CloudAccount.url(parsing: text) } ?? account?.url
    }

    func requireURL() throws -> BaseURL {
        guard let url else {
            throw CommandLineError(
                .usageNoUrl, "this fabric belongs to no cloud, and nothing says which one the controller shall use")
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
