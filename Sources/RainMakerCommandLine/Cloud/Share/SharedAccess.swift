import ArgumentParser
import MatterCommandLine

/// The group, and the user whose access to it is meant.
struct SharedAccess: ParsableArguments {
    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String?
    @Argument(help: "The other user's name.") var user: String
    /// Earlier versions took the group and then the user.
    @Argument(help: .hidden) var oldUser: String?

    var groupName: String { group ?? user }
    var userName: String { oldUser ?? user }

    func validate() throws {
        guard group != nil || oldUser != nil else { throw ValidationError("say which group: --group GROUP") }
        guard group == nil || oldUser == nil else { throw ValidationError("only one group and one user can be given") }
    }
}
