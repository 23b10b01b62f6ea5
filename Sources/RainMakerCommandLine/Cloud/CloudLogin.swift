import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudLogin: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in to a RainMaker cloud and keep the tokens.",
        discussion: """
            The password comes from --password-file, from the environment (MATTERCTL_CLOUD_PASSWORD) or from a prompt. \
            Users of social accounts give a refresh token instead: --token-file.

            Example: matterctl cloud login --user me@example.com
            """)

    @OptionGroup var login: LoginOptions
    @Option(
        name: .long,
        help: ArgumentHelp("A refresh token is the first line of this file; - for stdin.", valueName: "FILE"),
        completion: .kind(.file))
    var tokenFile: String?
    @Option(help: ArgumentHelp("The service, without a version: https://HOST[:PORT].", valueName: "URL")) var url:
        String?
    @OptionGroup var options: CloudOptions
    var output: OutputOptions { options.state.output }

    func validate() throws {
        guard tokenFile == nil || login.isEmpty else {
            throw ValidationError("--token-file cannot be combined with a user name or password")
        }
    }

    func execute() async throws {
        let setup = try CloudSetup(options)
        let profile = options.profileName ?? CloudAccount.standardProfile
        let known = try CloudStore(setup.state).account(profile)
        let account = CloudAccount(
            profile: profile, url: try serviceURL(profile, known), userName: known?.userName,
            authorityFile: options.authorityFile ?? known?.authorityFile)
        try await setup.withClient(account) { client in
            if let tokenFile {
                try await client.login(refreshToken: try SecretText(InputFile.firstLine(tokenFile)))
            } else {
                try await client.login(userName: try login.userName(), password: try login.password())
            }
        }
        console.object {
            Field("profile", profile)
            Field("url", account.url.description)
        }
    }

    private func serviceURL(_ profile: String, _ known: CloudAccount?) throws -> BaseURL {
        if let url { return try CloudAccount.url(parsing: url) }
        // Before the standard: the password of a private service is no business of the public one.
        if let known { return known.url }
        if let standard = CloudAccount.wellKnown[profile] { return try CloudAccount.url(parsing: standard) }
        throw CommandLineError(
            .usageNoUrl, "the profile '\(profile)' is new, and its service has no URL")
    }
}
