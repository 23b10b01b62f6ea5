import ArgumentParser
import MatterCommandLine
import RainMaker

/// User name and password, as `cloud login` takes them.
struct LoginOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user name (env MATTERCTL_CLOUD_USER).", valueName: "NAME")) var user: String?
    @Option(
        name: .long, help: ArgumentHelp("The password is the first line of this file; - for stdin.", valueName: "FILE"),
        completion: .kind(.file))
    var passwordFile: String?

    private static let help = "see: matterctl cloud login --help"

    var isEmpty: Bool { user == nil && passwordFile == nil }

    /// - Parameter known: the user name if none is given.
    func userName(known: String? = nil) throws -> String {
        try user ?? Environment.variable("MATTERCTL_CLOUD_USER") ?? known
            ?? Prompt.line("user name", isSecret: false, hint: Self.help)
    }

    func password() throws -> SecretText {
        if let passwordFile { return try SecretText(InputFile.firstLine(passwordFile)) }
        if let password = Environment.variable("MATTERCTL_CLOUD_PASSWORD") { return SecretText(password) }
        return SecretText(try Prompt.line("password", isSecret: true, hint: Self.help))
    }
}
