import ArgumentParser
import MatterController

/// The root of the command line.
struct MatterCtl: AsyncParsableCommand {
    static var configuration: CommandConfiguration { configuration(VendorModule.all) }

    private static var testBench: [any ParsableCommand.Type] {
        (SimulateCommandChoice.current.map { [$0] } ?? []) + [BenchCommand.self]
    }

    /// Those of kinds of devices, but of locks, whose verbs take PIN codes.
    private static let kinds: [any ParsableCommand.Type] =
        DeviceKind.all.filter { $0 != LockKind.self }.map { command(of: $0) }

    private static func command<Declaration: DeviceKindDeclaration>(of _: Declaration.Type) -> any PlainCommand.Type {
        KindCommand<Declaration>.self
    }

    /// The command of a kind of device, by its name; `nil` if there is none.
    static func plainKind(_ name: String) -> (any PlainCommand.Type)? {
        DeviceKind.all.first { $0 != LockKind.self && $0.kind.name == name }.map { command(of: $0) }
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
                CommandGroup(
                    name: "Kinds of devices",
                    subcommands: [DoorLockCommand.self, Unlock.self] + kinds + [ModeCommand.self, SceneCommand.self]),
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
