import ArgumentParser
import MatterController

/// The root of the command line.
struct MatterCtl: AsyncParsableCommand {
    static var configuration: CommandConfiguration { configuration(VendorModule.all) }

    private static var testBench: [any ParsableCommand.Type] {
        (SimulateCommandChoice.current.map { [$0] } ?? []) + [BenchCommand.self]
    }

    /// Those of kinds of devices, and what is short for a verb of one.
    private static let kinds: [any ParsableCommand.Type] = DeviceKind.all.flatMap(commands)

    private static func commands(of declaration: any DeviceKindDeclaration.Type) -> [any ParsableCommand.Type] {
        declaration == LockKind.self ? [DoorLockCommand.self, LockDoor.self, Unlock.self] : [command(of: declaration)]
    }

    private static func command(of declaration: any DeviceKindDeclaration.Type) -> any KindLineCommand.Type {
        func command<Declaration: DeviceKindDeclaration>(_: Declaration.Type) -> any KindLineCommand.Type {
            KindCommand<Declaration>.self
        }
        // These show more than values.
        if declaration == ModeKind.self { return ModeCommand.self }
        if declaration == SceneKind.self { return SceneCommand.self }
        return command(declaration)
    }

    /// The command of a kind of device, by its name; `nil` if there is none.
    static func kind(_ name: String) -> (any KindLineCommand.Type)? {
        DeviceKind.all.first { $0.name == name }.map(command)
    }

    /// The commands of verbs that have one of their own.
    static func ownCommands(of kind: DeviceKind) -> [any ParsableCommand.Type] {
        kind.name == LockKind.name ? DoorLockCommand.own : []
    }

    private static func commission(_ modules: [VendorModule]) -> any ParsableCommand.Type {
        func command<Vendor: VendorIssueOptions>(_: Vendor.Type) -> any ParsableCommand.Type { Commission<Vendor>.self }
        return command(modules.issueOptions)
    }

    private static func configuration(_ modules: [VendorModule]) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "matterctl",
            abstract: "Commission and control Matter devices from the shell.",
            discussion: """
                Example: matterctl commission MT:Y.K9042C00KA0648G00 --name kitchen && matterctl toggle kitchen
                """,
            version: Version.text,
            groupedSubcommands: [
                CommandGroup(
                    name: "Join and leave",
                    subcommands: [
                        commission(modules), Attest.self, Discover.self, WindowCommand.self, Share.self,
                        NodeCommand.self,
                        Ping.self, Doctor.self, MapCommand.self,
                    ]),
                CommandGroup(
                    name: "Everyday control",
                    subcommands: [Status.self, On.self, Off.self, Toggle.self, Level.self, IdentifyCommand.self]),
                CommandGroup(name: "Kinds of devices", subcommands: kinds),
                CommandGroup(
                    name: "Any cluster",
                    subcommands: [
                        Read.self, Write.self, Invoke.self, Subscribe.self, Events.self, Wait.self, Describe.self,
                        Supports.self, Clusters.self,
                    ]),
                CommandGroup(
                    name: "Administration",
                    subcommands: [
                        FabricCommand.self, AccessCommand.self, Who.self, Bind.self, Unbind.self,
                        GroupCommand.self, RoomCommand.self, SessionCommand.self, JobCommand.self,
                        NetCommand.self, NetworkCredentialsCommand.self, ThreadCommand.self, ICDCommand.self,
                        TimeCommand.self, Conform.self, CheckDevice.self,
                    ]),
                CommandGroup(name: "Server", subcommands: [ServeCommand.self]),
                CommandGroup(name: "Trust", subcommands: [TrustCommand.self, DCLCommand.self]),
            ] + modules.map(\.commands) + [
                CommandGroup(name: "Offline tools", subcommands: [PayloadCommand.self, TLVCommand.self, Decode.self]),
                CommandGroup(name: "Test bench", subcommands: testBench),
            ])
    }
}
