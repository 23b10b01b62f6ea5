import ArgumentParser

struct FabricCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fabric", abstract: "The fabrics in the state directory.",
        discussion: "Example: matterctl fabric show",
        subcommands: [
            List.self, Create.self, Use.self, Show.self, Import.self, Export.self, Backup.self, Restore.self,
            Rotate.self, Remove.self, RequestToJoin.self, Member.self,
        ])
}
