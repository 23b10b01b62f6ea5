import Glibc
public import Logging
public import MatterState

/// Where fabrics and nodes are kept; `matterctl` uses the same folder.
public enum Home: Sendable, Hashable {
    /// The folder of `matterctl`: `$MATTERCTL_HOME`, `$XDG_DATA_HOME/matterctl` or `~/.local/share/matterctl`.
    case `default`
    /// Another folder.
    case folder(String)

    static var environment: [String: String] {
        var environment: [String: String] = [:]
        for name in ["MATTERCTL_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return environment
    }

    func state() throws(StoreError) -> StateDirectory {
        let environment = Self.environment
        let path =
            switch self {
            case .default: try StateDirectory.defaultPath(environment: environment)
            case .folder(let path): path
            }
        return StateDirectory(path: path, witness: StateDirectory.witnessPath(environment: environment))
    }
}

/// The Bluetooth adapters of this machine with which devices are looked for.
public struct BluetoothAdapters: Sendable, Hashable {
    let choice: AdapterChoice?

    /// None: devices are looked for on the network only.
    public static let none = BluetoothAdapters(choice: nil)
    /// The first one that can connect to devices.
    public static let standard = BluetoothAdapters(choice: .standard)
    /// All of them.
    public static let all = BluetoothAdapters(choice: .all)

    /// Some, by their names (`hci1`) or addresses.
    public static func named(_ names: String...) -> BluetoothAdapters { BluetoothAdapters(choice: .named(names)) }
}

/// How a controller works.
public struct ControllerSettings: Sendable {
    /// Told of everything that the controller does; nothing is logged by default. What devices say is quoted.
    public var logger = Logger(label: "matter", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Told, as a sentence, of what is wrong and stops nothing; the log by default.
    public var warn: (@Sendable (String) -> Void)?
    /// The Bluetooth adapters for the commissioning of devices that are on no network yet.
    public var bluetooth = BluetoothAdapters.standard
    /// Whether sessions with nodes are kept for the next process, `matterctl` included, in the runtime folder of the user
    /// (`$XDG_RUNTIME_DIR`). The first command of a process then needs no handshake.
    public var keepsSessions = false
    /// Whether a node that sleeps for long times, and checks in here, is waited for before anything is sent to it.
    public var waitsForCheckIn = false
    /// How long a device may take to do what it is told.
    public var processing = Duration.seconds(10)

    /// The usual settings.
    public init() {}
}

extension Controller {
    /// Opens a fabric; nothing is read or made before it is needed.
    ///
    /// - Parameters:
    ///   - home: where fabrics and nodes are kept.
    ///   - fabric: the fabric to work with, which the first commissioning makes; by default the only one, or the one
    ///     chosen with `matterctl fabric use`.
    ///   - settings: how it works.
    /// - Throws: ``MatterError`` `localState` if the environment does not say where fabrics are kept.
    public convenience init(
        home: Home = .default, fabric: String? = nil, settings: ControllerSettings = ControllerSettings()
    ) throws {
        do {
            var options = Options(state: try home.state(), fabric: fabric, logger: settings.logger)
            options.makesFabric = true
            options.processing = settings.processing
            options.waitsForCheckIn = settings.waitsForCheckIn
            if settings.keepsSessions { options.runtime = RuntimeDirectory(environment: Home.environment) }
            if let choice = settings.bluetooth.choice { options.bluetooth = { BlueZCentral(choice) } }
            if let warn = settings.warn { options.warn = { text, _ in warn(text) } }
            self.init(options)
        } catch {
            throw MatterError(error)
        }
    }

    // MARK: Nodes

    /// A node of the fabric, by its name, or its id in digits.
    ///
    /// - Throws: ``MatterError`` `notFound`.
    public func node(_ name: String) throws -> Node {
        do { return Node(try nodes.record(of: name), self) } catch { throw MatterError(error) }
    }

    /// A node of the fabric, by its id.
    ///
    /// - Throws: ``MatterError`` `notFound`.
    public func node(_ id: UInt64) throws -> Node { try node("\(id)") }

    /// All nodes of the fabric, by id.
    ///
    /// - Throws: ``MatterError``.
    public func allNodes() throws -> [Node] {
        do { return try context.nodes().all().map { Node($0, self) } } catch { throw MatterError(error) }
    }

    /// The nodes in a room, by id. Upper and lower case do not matter.
    ///
    /// - Throws: ``MatterError``.
    public func nodes(inRoom room: String) throws -> [Node] {
        try allNodes().filter { $0.record.isIn(room) }
    }

    /// The nodes with an endpoint of a device type, by id, as far as their endpoints are known.
    ///
    /// - Throws: ``MatterError``.
    public func nodes(ofType type: DeviceTypeID) throws -> [Node] {
        try allNodes().filter { node in node.endpoints.contains { $0.deviceTypes.contains(type) } }
    }

    /// The nodes with an endpoint that has a cluster, by id, as far as their endpoints are known.
    ///
    /// - Throws: ``MatterError``.
    public func nodes(serving cluster: ClusterID) throws -> [Node] {
        try allNodes().filter { node in node.endpoints.contains { $0.clusters.contains(cluster) } }
    }

    /// The nodes, and the devices behind bridges, that a label stands for: what their user wrote on them.
    ///
    /// - Throws: ``MatterError``.
    public func nodes(labelled label: String) throws -> [Node] {
        try allNodes().filter { node in node.name == label || node.endpoints.contains { $0.label == label } }
    }
}
