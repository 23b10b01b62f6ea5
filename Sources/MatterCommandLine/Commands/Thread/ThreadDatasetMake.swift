import ArgumentParser
import Glibc
import MatterController

extension ThreadCommand.Dataset {
    struct Make: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Make the operational dataset of a new Thread network.",
            discussion: """
                With a random key, in a new file that only you can read. The key is not shown.

                Example: matterctl thread dataset make --name MyHome --out dataset.hex
                """)

        @Option(help: ArgumentHelp("The network's name, at most 16 bytes.", valueName: "NAME")) var name = "matterctl"
        @Option(help: ArgumentHelp("The channel, 11–26; one of 15, 20 and 25 by default.", valueName: "N"))
        var channel: UInt16?
        @Option(
            help: ArgumentHelp(
                "The passphrase of the network is the first line of this file; - for stdin.", valueName: "@FILE"),
            completion: .kind(.contents))
        var passphrase: String?
        @Option(help: ArgumentHelp("The new file.", valueName: "FILE"), completion: .kind(.file)) var out: String
        @OptionGroup(title: HelpPage.common) var output: OutputOptions

        func validate() throws {
            guard channel.map(ThreadDataset.channels.contains) ?? true else {
                throw ValidationError("--channel is 11 to 26")
            }
            if let passphrase, passphrase != "-", !passphrase.hasPrefix("@") {
                throw ValidationError("--passphrase names a file: @FILE, or - for stdin")
            }
        }

        func execute() async throws {
            // A key that was overwritten is gone for all devices of its network.
            guard access(out, F_OK) != 0 else {
                throw CommandLineError(.usageFile, "\(out) is there already", hint: "name a new file with --out")
            }
            let secret = try passphrase.map { path in
                SecretBytes(try InputFile.firstLine(path == "-" ? "-" : String(path.dropFirst())).utf8)
            }
            let dataset = try ThreadDataset(
                name: name, channel: channel, passphrase: secret, random: SystemRandom())
            try OutputFile.write(Array(dataset.secretText.utf8) + [0x0A], to: out, isPrivate: true)
            console.result {
                Field("file", out, label: "file")
                Report(dataset)
            }
        }
    }
}
