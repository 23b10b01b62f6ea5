import ArgumentParser
import MatterCommandLine

/// The group that a command is about.
struct GroupOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String?
    /// As earlier versions took it.
    @Argument(help: .hidden) var oldGroup: String?

    var name: String { group ?? oldGroup ?? "" }

    func validate() throws {
        guard group != nil || oldGroup != nil else { throw ValidationError("say which group: --group GROUP") }
        guard group == nil || oldGroup == nil else { throw ValidationError("only one group can be given") }
    }
}
