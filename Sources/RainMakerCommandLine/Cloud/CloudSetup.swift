import Logging
import MatterCommandLine
import RainMaker

/// Makes clients of accounts. The HTTP library starts with the first call and not before.
struct CloudSetup: Sendable {
    let state: StateDirectory
    let logger: Logger
    private let authorityFile: String?
    private let timeout: Duration
    /// The time for all calls of a client; `nil` if ``deadline`` says when it ends.
    private let budget: Duration?
    private let deadline: Instant?
    /// The end of the time that the user gives, for what is asked of devices.
    private let userDeadline: Instant?

    /// The time for all calls of a command where the user gives none.
    private static let standardBudget = Duration.seconds(120)
    /// The least time for the cloud after devices have used up the time: it has to be told what became of them.
    private static let grace = Duration.seconds(5)

    init(_ options: CloudOptions) throws {
        state = try options.state.state()
        logger = try options.state.output.logger()
        authorityFile = options.authorityFile
        timeout = options.timeout?.duration ?? CloudClient.standardTimeout
        budget = options.timeout?.duration ?? Self.standardBudget
        deadline = nil
        userDeadline = options.timeout.map { .now + $0.duration }
    }

    /// - Parameter deadline: the end of the time for all calls of a client.
    init(state: StateDirectory, logger: Logger, deadline: Instant? = nil) {
        self.state = state
        self.logger = logger
        authorityFile = nil
        timeout = CloudClient.standardTimeout
        budget = deadline == nil ? Self.standardBudget : nil
        self.deadline = deadline
        userDeadline = nil
    }

    /// For a command that talks to devices too: the cloud shares its time.
    init(_ context: CommandContext) {
        self.init(
            state: context.controller.options.state, logger: context.logger,
            deadline: max(context.deadline, .now + Self.grace))
    }

    func client(_ account: CloudAccount) throws -> CloudClient {
        var environment: [String: String] = [:]
        for name in ProxySettings.variables { environment[name] = Environment.variable(name) }
        let proxy = try ProxySettings.settings(for: account.url, environment: environment)
        let settings = HTTPSettings(
            proxy: proxy,
            authorityFile: authorityFile ?? Environment.variable("MATTERCTL_CA_FILE") ?? account.authorityFile,
            userAgent: "matterctl/\(Version.number)")
        return CloudClient(
            account: account, store: CloudStore(state),
            service: HTTPService(url: account.url, transport: CurlTransport(settings), logger: logger),
            logger: logger, timeout: timeout, budget: budget, deadline: deadline, unixTime: WallClock.unixTime)
    }

    /// Runs something with a client and ends its connections.
    func withClient<Result>(
        _ account: CloudAccount, _ body: (CloudClient) async throws -> Result
    ) async throws -> Result {
        let client = try client(account)
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    func fabric(_ client: CloudClient) -> RainMakerFabric {
        RainMakerFabric(client: client, state: state, time: Self.time)
    }

    /// Runs something with the link to a device, and ends the session.
    func withDevice<Result>(
        _ node: NodeRecord, fabric: String, _ body: (RainMakerDevice) async throws -> Result
    ) async throws -> Result {
        let controller = Controller(Controller.Options(state: state, fabric: fabric, logger: logger))
        do {
            let device = RainMakerDevice(
                link: try await controller.links.link(to: node), node: node,
                deadline: userDeadline ?? .now + max(Budget.standard, node.deliveryBudget))
            let result = try await body(device)
            await controller.close()
            return result
        } catch {
            await controller.close()
            throw error
        }
    }

    static let time: @Sendable () -> ValidationTime = {
        ValidationTime(unix: WallClock.unixTime())
    }

    /// The fabric here that belongs to a group.
    func localFabric(ofGroup group: CloudGroup) throws -> FabricRecord {
        let store = FabricStore(state)
        for name in try store.names() {
            guard let record = try store.fabric(named: name), record.issuer == .rainmaker,
                try RainMakerStore(state, fabric: name).membership()?.groupID == group.id
            else { continue }
            return record
        }
        throw RecordError(
            .unknownFabric, "no fabric belongs to the group '\(group.name)'",
            hint: .step("cloud.make-fabric", group.id))
    }

    /// The fabric here of a group that the user names by id or name, else the fabric in use.
    func localFabric(
        named group: String?, orFabric name: String?
    ) throws -> (fabric: FabricRecord, membership: RainMakerMembership) {
        let store = FabricStore(state)
        guard let group else {
            let record = try store.select(name)
            guard let membership = try RainMakerStore(state, fabric: record.name).membership() else {
                throw CommandLineError(
                    .usageIssuer, "the fabric '\(record.name)' does not belong to a RainMaker group")
            }
            return (record, membership)
        }
        var found: [(FabricRecord, RainMakerMembership)] = []
        for name in try store.names() {
            guard let record = try store.fabric(named: name),
                let membership = try RainMakerStore(state, fabric: name).membership(),
                membership.groupID == group || membership.groupName == group
            else { continue }
            found.append((record, membership))
        }
        guard let first = found.first else {
            throw RecordError(
                .unknownFabric, "no fabric belongs to the group '\(group)'",
                hint: .step("cloud.make-fabric", "GROUP"))
        }
        guard found.count == 1 else {
            throw CommandLineError(
                .usageGroup, "several fabrics belong to a group '\(group)'")
        }
        return first
    }

    /// Makes records of the group's nodes here, save for those that have left and that the cloud still lists.
    ///
    /// - Returns: the records that are new or have changed.
    func adopt(_ joined: RainMakerFabric.Joined, _ client: CloudClient) async throws -> [NodeRecord] {
        let leaving = Set(
            try RainMakerStore(state, fabric: joined.record.name).allRemovals().map(\.nodeID))
        let store = NodeStore(state, fabric: joined.record.name)
        let nodes = try await client.nodes(group: joined.group.id)
        let members = joined.group.nodes.filter { !($0.matterNodeID.map(leaving.contains) ?? false) }
        let adopted = GroupAdoption(members: members, nodes: nodes).records(known: try store.all())
        for node in adopted { try await store.save(node) }
        return adopted
    }
}
