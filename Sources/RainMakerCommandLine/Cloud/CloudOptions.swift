import ArgumentParser
import MatterCommandLine

/// Options of every command that talks to a cloud.
struct CloudOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The account: public, china or a name you choose (env MATTERCTL_CLOUD).", valueName: "NAME"),
        completion: .kind(.profile))
    var profile: String?

    @Option(
        name: .customLong("ca"),
        help: ArgumentHelp(
            "Also trust the certificate authorities in this PEM file (env MATTERCTL_CA_FILE).",
            valueName: "FILE"), completion: .kind(.file))
    var authorityFile: String?

    @Option(name: .long, help: ArgumentHelp("Time for the whole command, such as 10s.", valueName: "DURATION"))
    var timeout: TimeSpan?

    @OptionGroup(title: HelpPage.common) var state: StateOptions

    func validate() throws { try timeout?.requireSome() }

    var profileName: String? { profile ?? Environment.variable("MATTERCTL_CLOUD") }
}
