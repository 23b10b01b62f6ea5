import ArgumentParser
import MatterController
import MatterCredentials
import MatterDataModel
import MatterRecords
import MatterSession
import MatterTransport
import RainMaker

/// What `--issuer` says: who gives devices their certificates.
enum IssuerArgument: ExpressibleByArgument, Equatable {
    case local
    case rainmaker
    case exec(String)

    init?(argument: String) {
        switch argument {
        case "local": self = .local
        case "rainmaker": self = .rainmaker
        case let text where text.hasPrefix("exec:") && text.count > 5: self = .exec(String(text.dropFirst(5)))
        default: return nil
        }
    }
}

/// When the cloud learns what a device is.
enum MetadataArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case withNOC = "with-noc"
    case withConfirm = "with-confirm"

    var mode: RainMakerIssuer.MetadataMode {
        switch self {
        case .none: .none
        case .withNOC: .withNOC
        case .withConfirm: .withConfirm
        }
    }
}

/// The issuer for one commissioning, if it is not the fabric's own authority, with what is to be done around it.
struct IssuerSetup: Sendable {
    let issuer: any NOCIssuer
    private let client: CloudClient?
    private let joined: RainMakerFabric.Joined?

    /// - Returns: `nil` where the fabric's own authority issues. The HTTP library is not touched then.
    static func make(
        _ argument: IssuerArgument?, metadata: RainMakerIssuer.MetadataMode, deviceName: String?,
        _ context: CommandContext
    ) async throws -> IssuerSetup? {
        let options = context.controller.options
        let store = FabricStore(options.state)
        let record: FabricRecord
        do {
            record = try store.select(options.fabric)
        } catch let error as RecordError where error.code == .noFabric && (argument == nil || argument == .local) {
            return nil
        }
        switch argument ?? (record.issuer == .rainmaker ? .rainmaker : .local) {
        case .local:
            guard record.issuer != .rainmaker else { throw mismatch(record, "the cloud issues its certificates") }
            return nil
        case .exec(let command):
            return IssuerSetup(
                issuer: ExecIssuer(
                    command: command, credentials: try store.credentials(of: record), adminVendorID: record.vendorID,
                    unixTime: options.unixTime), client: nil, joined: nil)
        case .rainmaker:
            guard record.issuer == .rainmaker else { throw mismatch(record, "it does not belong to a RainMaker group") }
            return try await cloud(record, metadata, deviceName, context)
        }
    }

    private static func mismatch(_ record: FabricRecord, _ reason: String) -> CommandLineError {
        CommandLineError(
            "usage.issuer", "the fabric '\(record.name)' has another issuer: \(reason)",
            hint: "name another fabric with --fabric, or create one: matterctl fabric create NAME --issuer …")
    }

    private static func cloud(
        _ record: FabricRecord, _ metadata: RainMakerIssuer.MetadataMode, _ deviceName: String?,
        _ context: CommandContext
    ) async throws -> IssuerSetup {
        let options = context.controller.options
        let setup = CloudSetup(context)
        let profile = try RainMakerStore(options.state, fabric: record.name).membership()?.profile
        let client = try setup.client(try CloudStore(options.state).select(profile))
        do {
            let joined = try await setup.fabric(client).refresh(record)
            let issuer = RainMakerIssuer(
                client: client, joined: joined, state: options.state, metadataMode: metadata, deviceName: deviceName,
                unixTime: options.unixTime
            ) { node, text in
                try await device(node, context).prove(as: text)
            }
            return IssuerSetup(issuer: issuer, client: client, joined: joined)
        } catch {
            await client.close()
            throw error
        }
    }

    private static func device(_ id: NodeID, _ context: CommandContext) async throws -> RainMakerDevice {
        let node = try await context.controller.nodes().node(id) ?? NodeRecord(nodeID: id)
        return RainMakerDevice(
            link: try await context.controller.link(to: node), node: node, deadline: context.deadline)
    }

    /// Lets the group's members operate a new device. A device that refuses is none the worse for it.
    func finish(_ node: NodeRecord, _ context: CommandContext) async {
        guard let joined else { return }
        do {
            let own = try await context.controller.credentials().identity
            _ = try await Self.device(node.nodeID, context).grant(
                admin: joined.fabric.adminCAT, operate: joined.fabric.operateCAT, own: own)
        } catch {
            context.console.message(
                "warning: other members of the group cannot operate the device yet: \(TerminalText.escaped("\(error)"))"
            )
        }
        await ControllerLists(context).update(except: node.nodeID)
    }

    func close() async { await client?.close() }
}
