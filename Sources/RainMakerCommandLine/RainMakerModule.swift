import ArgumentParser
package import MatterCommandLine
import RainMaker

extension VendorModule {
    /// RainMaker clouds as issuers of fabrics, and the clusters of their devices.
    package static let rainMaker = VendorModule(
        commands: CommandGroup(name: "Cloud", subcommands: [CloudCommand.self, RainMakerCommand.self]),
        oldSpellings: [
            ("acl refresh", "rainmaker access refresh"),
            ("cloud groups", "cloud group ls"),
            ("cloud create-fabric", "cloud group create"),
            ("cloud convert", "cloud group convert"),
            ("cloud delete", "cloud group delete"),
            ("cloud user-noc", "cloud group user-noc"),
            ("cloud nodes", "cloud node ls"),
            ("cloud node-metadata", "cloud node metadata"),
        ],
        hints: { RainMakerHints.words },
        service: RainMakerService { account, state, logger, deadline in
            try CloudSetup(state: state, logger: logger, deadline: deadline).client(account)
        },
        makeFabric: join, issueOptions: RainMakerIssueOptions.self,
        profiles: { (try? CloudStore($0).profiles()) ?? [] })

    /// Joins the fabric of a group in the cloud.
    private static func join(_ wanted: NewFabric) async throws -> FabricRecord {
        let setup = CloudSetup(state: wanted.state, logger: wanted.logger)
        let account = try CloudStore(setup.state).select(
            wanted.profile ?? Environment.variable("MATTERCTL_CLOUD"))
        let joined = try await setup.withClient(account) { client in
            let group = try await client.findGroup(wanted.group)
            if !group.isMatter {
                wanted.console.message(
                    "the group '\(TerminalText.escaped(group.name))' is no Matter fabric yet: it is made one in the cloud, "
                        + "for all its users, and stays one")
            }
            return try await setup.fabric(client).join(
                group: group.id, name: wanted.name, vendorID: wanted.vendorID ?? RainMakerFabric.vendorID)
        }
        if joined.fabric.lacksIPK {
            wanted.console.message(
                "warning: the cloud gives no identity protection key for this group; 16 zero bytes are used, as in the "
                    + "phone apps")
        }
        return joined.record
    }
}
