import ArgumentParser
import JSON
import MatterController
import MatterDataModel
import MatterErrors
import MatterHTTP
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
        help: ArgumentHelp("A refresh token is the first line of this file; - for stdin.", valueName: "FILE"))
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
        if output.json {
            output.console.result(.object(["profile": .string(profile), "url": .string(account.url.description)]))
        }
    }

    private func serviceURL(_ profile: String, _ known: CloudAccount?) throws -> BaseURL {
        if let url { return try CloudAccount.url(parsing: url) }
        // Before the standard: the password of a private service is no business of the public one.
        if let known { return known.url }
        if let standard = CloudAccount.wellKnown[profile] { return try CloudAccount.url(parsing: standard) }
        throw CommandLineError(
            "usage.no-url", "the profile '\(profile)' is new, and its service has no URL",
            hint: "add --url https://HOST")
    }
}

struct CloudLogout: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End the session and forget the tokens.",
        discussion: "Example: matterctl cloud logout")

    @Flag(help: "Also end the user's other sessions.") var all = false
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        try await client.logout(all: all)
    }
}

struct CloudStatus: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show who is logged in where.", discussion: "Example: matterctl cloud status")

    @Flag(help: "Do not ask the cloud whether the session is still valid.") var offline = false
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        guard try await client.session() != nil else {
            throw RainMakerError(
                .notLoggedIn, "you are not logged in to the cloud (profile '\(client.account.profile)')",
                hint: "log in first: matterctl cloud login")
        }
        let name = offline ? client.account.userName : try await client.user().userName
        var object: JSONObject = [
            "profile": .string(client.account.profile), "url": .string(client.account.url.description),
        ]
        object["user"] = name.map { .string($0) }
        object["tokenExpires"] = try await client.session()?.expires.map { .int($0) }
        if output.json {
            console.result(.object(object))
        } else {
            for member in object.members {
                let text = member.value.stringValue ?? member.value.serialized()
                console.result("\(member.key)\t\(TerminalText.escaped(text))")
            }
        }
    }
}
