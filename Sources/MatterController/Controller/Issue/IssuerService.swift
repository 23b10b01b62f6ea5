public import MatterState

/// A service beyond this machine that issues the certificates of fabrics, such as a vendor's cloud. A module registers its
/// own with ``Controller/Options/services``; fabrics name it in their records.
public protocol IssuerService: Sendable {
    /// The name of the service in the records of fabrics.
    var issuer: FabricRecord.Issuer { get }

    /// Makes the service ready to issue for one device.
    ///
    /// - Parameters:
    ///   - name: the name that the user gives to the device.
    ///   - settings: what the user chose for this service, by names of its own.
    /// - Throws: any error of the service; nothing is sent to the device then.
    func begin(
        _ fabric: ServedFabric, deviceName name: String?, settings: [String: String]
    ) async throws -> any IssuerWork

    /// The service's part in the removal of nodes; `nil` if it has none.
    ///
    /// - Throws: any error of the service; nothing is removed then.
    func removal(from fabric: ServedFabric) throws -> (any RemovalWork)?

    /// Forgets what is kept for the service of a node that has been forgotten here.
    ///
    /// - Throws: any error of the service.
    func forget(_ node: NodeID, on fabric: ServedFabric) throws

    /// Gives a node another name at the service.
    ///
    /// - Throws: any error of the service.
    func rename(_ node: NodeID, to name: String, on fabric: ServedFabric) async throws

    /// The next step if a device of the fabric refuses access that it granted before.
    ///
    /// - Throws: any error of the service; there is no hint then.
    func accessHint(on fabric: ServedFabric) throws -> Hint?
}

/// The fabric that a service works for, with the means to talk to its nodes.
public struct ServedFabric: Sendable {
    package let record: FabricRecord
    package let context: FabricContext
    package let links: NodeLinks
    /// The end of the time that the service has.
    package let deadline: Instant

    package init(_ record: FabricRecord, _ context: FabricContext, _ links: NodeLinks, deadline: Instant) {
        self.record = record
        self.context = context
        self.links = links
        self.deadline = deadline
    }
}

/// A service's work around one commissioning.
public protocol IssuerWork: Sendable {
    /// Who issues the certificate.
    var issuer: any NOCIssuer { get }

    /// Does the rest once the node is on the fabric and known here. Failures are warnings.
    func finish(_ node: NodeRecord) async

    /// Ends the connections; called in any case.
    func close() async
}

/// An issuer without more work.
struct BareIssuer: IssuerWork {
    let issuer: any NOCIssuer
    func finish(_ node: NodeRecord) async {}
    func close() async {}
}

/// A service's part in the removal of nodes.
public protocol RemovalWork: Sendable {
    /// Keeps, before the device is told, what the service has to hear: the process may end in between.
    ///
    /// - Throws: any error of the service; the node is not told then.
    func prepare(_ node: NodeRecord) throws

    /// The node did not leave.
    func cancel(_ node: NodeRecord)

    /// Tells the service that the node has left; what it could not be told is kept.
    ///
    /// - Throws: any error of the service.
    func complete(_ node: NodeRecord) async throws

    /// Repeats what the service could not be told of a node that has left.
    ///
    /// - Parameter text: the node's id, or the name that it had.
    /// - Returns: whether there was anything to repeat.
    /// - Throws: any error of the service; it is tried again later.
    func `repeat`(_ text: String) async throws -> Bool
}
