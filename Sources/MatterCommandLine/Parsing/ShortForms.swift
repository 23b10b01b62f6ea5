import ArgumentParser
import MatterController

/// Commands whose usual subcommand need not be said: `cover bedroom 40%`.
enum ShortForms {
    /// A node whose name is a subcommand could not be meant by the short form.
    ///
    /// - Throws: ``CommandLineError`` `name.invalid`.
    static func check(_ name: String) throws(CommandLineError) {
        guard let command = command(with: name) else { return }
        throw CommandLineError(
            .nameInvalid, "not a valid node name: '\(command) \(name)' is a command",
            hint: "choose another name, such as '\(name) 1'")
    }

    /// The command with a short form that has a subcommand of a name.
    private static func command(with name: String) -> String? {
        let commands = MatterCtl.configuration.groupedSubcommands.flatMap(\.subcommands)
        let short = commands.filter { $0.configuration.defaultSubcommand != nil }
        let kind = DeviceKind.all.map { $0.kind }.first {
            ($0.usual != nil || $0.name == LockKind.name) && ($0.verb(name) != nil || $0.isShow(name))
        }
        return short.first { $0.configuration.subcommands.contains { $0.answers(to: name) } }?._commandName
            ?? kind?.name
    }
}
