import ArgumentParser
import RainMaker

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
