import ArgumentParser

/// The root of the command line.
struct MatterCtl: AsyncParsableCommand {
    static var configuration: CommandConfiguration { configuration(VendorModule.all) }

    private static var testBench: [any ParsableCommand.Type] {
        (SimulateCommandChoice.current.map { [$0] } ?? []) + [BenchCommand.self]
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
                        Ping.self,
                    ]),
                CommandGroup(
                    name: "Everyday control",
                    subcommands: [Status.self, On.self, Off.self, Toggle.self, Level.self, IdentifyCommand.self]),
                CommandGroup(
                    name: "Kinds of devices",
                    subcommands: [
                        DoorLockCommand.self, Unlock.self, ThermostatCommand.self, FanCommand.self, CoverCommand.self,
                        ColorCommand.self, ValveCommand.self, VacuumCommand.self, ModeCommand.self, MediaCommand.self,
                        SceneCommand.self, Sensor.self, Motion.self, Energy.self, Button.self, Battery.self,
                    ]),
                CommandGroup(
                    name: "Any cluster",
                    subcommands: [
                        Read.self, Write.self, Invoke.self, Subscribe.self, Events.self, Wait.self, Describe.self,
                        Supports.self, Clusters.self,
                    ]),
                CommandGroup(
                    name: "Administration",
                    subcommands: [
                        FabricCommand.self, FabricsCommand.self, AccessCommand.self, Who.self, Bind.self, Unbind.self,
                        GroupCommand.self, RoomCommand.self, SessionCommand.self,
                        NetCommand.self, NetworkCredentialsCommand.self, ThreadCommand.self, ICDCommand.self,
                        TimeCommand.self,
                    ]),
                CommandGroup(name: "Trust", subcommands: [TrustCommand.self, DCLCommand.self]),
            ] + modules.map(\.commands) + [
                CommandGroup(name: "Offline tools", subcommands: [PayloadCommand.self, TLVCommand.self]),
                CommandGroup(name: "Test bench", subcommands: testBench),
            ])
    }
}
