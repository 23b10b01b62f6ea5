import Glibc
import Logging
import MatterCrypto
import MatterNetwork
import MatterState

/// Where fabrics and nodes are kept; `matterctl` uses the same folder.
public enum Home: Sendable, Hashable {
    /// The folder of `matterctl`: `$MATTERCTL_HOME`, `$XDG_DATA_HOME/matterctl` or `~/.local/share/matterctl`.
    case `default`
    /// Another folder.
    case folder(String)

    func state() throws(StoreError) -> StateDirectory {
        var environment: [String: String] = [:]
        for name in ["MATTERCTL_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        let path =
            switch self {
            case .default: try StateDirectory.defaultPath(environment: environment)
            case .folder(let path): path
            }
        return StateDirectory(path: path, witness: StateDirectory.witnessPath(environment: environment))
    }
}

extension Controller {
    /// How long a commissioning may take where the caller does not say.
    static let commissioningTime = Duration.seconds(120)

    /// Opens a fabric; nothing is read or made before it is needed.
    ///
    /// - Parameters:
    ///   - home: where fabrics and nodes are kept.
    ///   - fabric: the fabric to work with, which the first commissioning makes; by default the only one, or the one
    ///     chosen with `matterctl fabric use`.
    /// - Throws: ``MatterError`` `localState` if the environment does not say where fabrics are kept.
    public init(home: Home = .default, fabric: String? = nil) throws {
        do {
            var options = Options(
                state: try home.state(), fabric: fabric,
                logger: Logger(label: "matter", factory: { _ in SwiftLogNoOpLogHandler() }))
            options.makesFabric = true
            self.init(options)
        } catch {
            throw MatterError(error)
        }
    }

    /// Commissions a device onto the fabric and keeps it as a node.
    ///
    /// - Parameters:
    ///   - code: the QR payload (`MT:…`) or the manual pairing code that the device shows.
    ///   - name: a name for the node.
    ///   - room: the room that it is in.
    ///   - trust: which devices to accept; by default those that prove their origin.
    ///   - terms: the manufacturer's terms that are accepted; a device that asks for others is refused.
    ///   - issuer: who issues the certificate; by default the fabric's own authority.
    ///   - address: where the device is, such as `lamp.lan:5540`; by default it is discovered.
    ///   - time: the time for all of it, 120 s by default.
    /// - Throws: ``MatterError``; the code says who refused. An interrupted commissioning is taken up when it is repeated.
    @discardableResult
    public func commission(
        _ code: String, name: String? = nil, room: String? = nil, trust: TrustPolicy = TrustPolicy(),
        terms: AcceptedTerms? = nil, issuer: IssuerChoice = .ofFabric, address: String? = nil,
        within time: Duration? = nil
    ) async throws -> Node {
        try await reportingErrors {
            let deadline = Instant.now + (time ?? Self.commissioningTime)
            var addresses = options.addresses
            if let address { addresses = try await PeerAddress.lookup(address, deadline: deadline) }
            let requests = try SetupPayload.parse(code).map { payload in
                var request = CommissioningRequest(payload)
                (request.name, request.room, request.addresses) = (name, room, addresses)
                request.terms = { _ in terms?.acknowledgement }
                return request
            }
            let (record, _) = try await commission(
                requests, CommissionOptions(trust: trust, issuer: issuer), deadline: deadline)
            return Node(record, self)
        }
    }

    /// A node of the fabric, by its id or name.
    ///
    /// - Throws: ``MatterError`` `notFound`.
    public func node(_ name: String) throws -> Node {
        do { return Node(try record(of: name), self) } catch { throw MatterError(error) }
    }

    /// All nodes of the fabric, by id.
    public func allNodes() throws -> [Node] {
        do { return try nodes().all().map { Node($0, self) } } catch { throw MatterError(error) }
    }
}
