import ArgumentParser
import MatterController

extension ThreadCommand.Dataset {
    struct Show: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Check an operational dataset, and show what is in it without its keys.",
            discussion: """
                Hexadecimal digits or base64. A border router prints it with: ot-ctl dataset active -x

                Example: matterctl thread dataset show @dataset.hex
                """)

        @Argument(help: "The dataset: @FILE, or - for stdin.") var dataset: String
        @OptionGroup(title: HelpPage.common) var output: OutputOptions

        func execute() async throws {
            let dataset = try ThreadDataset(parsing: try SecretArgument.text(dataset, what: "a dataset"))
            console.result(Report(dataset))
            if !output.json { for warning in dataset.warnings { console.warning(warning) } }
        }
    }
}

/// Something secret that an argument names, and never is.
public enum SecretArgument {
    private static let largest = 65_536

    /// The text of the file in `@FILE`, or of stdin for `-`.
    ///
    /// - Parameter what: the secret in messages.
    public static func text(_ argument: String, what: String) throws -> String {
        guard argument == "-" || argument.hasPrefix("@") else {
            throw CommandLineError(
                .usageSecretArgument, "\(what) has keys in it, and other users could see it as an argument",
                hint: "put it into a file, and name the file: @FILE; or pipe it in, with - for stdin")
        }
        let contents = try InputFile.contents(argument == "-" ? "-" : String(argument.dropFirst()), largest: largest)
        return String(decoding: contents, as: UTF8.self)
    }

    /// - Throws: `ValidationError` for anything but `@FILE` and `@-`.
    public static func check(_ argument: String, _ option: String) throws {
        guard argument.hasPrefix("@"), argument.count > 1 else {
            throw ValidationError(
                "\(option) takes @FILE, or @- for stdin: other users can see the arguments of a command")
        }
    }

    /// The first line of the file in `@FILE`, or of stdin for `@-`.
    public static func line(_ argument: String) throws -> SecretBytes {
        SecretBytes(Array(try InputFile.firstLine(String(argument.dropFirst())).utf8))
    }
}
