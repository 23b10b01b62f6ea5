/// Finds Matter devices and nodes on the local network (Matter core specification 4.3).
///
/// Every stream reports as soon as something is known, goes on until it is cancelled, and waits for nothing: deadlines
/// are the caller's. A stream that cannot go on throws a ``DiscoveryError``.
public protocol Discovery: Sendable {
    /// Looks for devices that can be commissioned.
    ///
    /// - Parameter includingClosed: whether devices that say they have no window open (`CM=0`) are reported too.
    func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error>

    /// Looks for one node of a fabric, asking again as long as it is silent.
    ///
    /// Each update is complete in itself; a slow reader sees the latest only.
    func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error>

    /// Lists the nodes that are advertised, of one fabric or of all, without looking up where they are.
    func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error>

    /// Looks for Thread border routers.
    func browseBorderRouters() -> AsyncThrowingStream<BorderRouterEvent, any Error>

    /// True if there is a network to search.
    var hasNetwork: Bool { get }

    /// Waits until what the searches need has answered. Nothing is looked for.
    ///
    /// - Throws: what keeps it from answering.
    func check() async throws(DiscoveryError)
}

extension Discovery {
    /// Most kinds of discovery do not know.
    public var hasNetwork: Bool { true }

    /// Most kinds of discovery know none.
    public func browseBorderRouters() -> AsyncThrowingStream<BorderRouterEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }

    /// For a search that has found nothing: there may be nowhere to find it.
    ///
    /// - Throws: ``DiscoveryError``.
    public func checkNetwork() throws(DiscoveryError) {
        guard !hasNetwork else { return }
        throw DiscoveryError(
            .noNetwork, "there is no network to search: only the loopback interface is up and has an address")
    }

    /// Looks for devices that can be commissioned now.
    public func browseCommissionable(
        _ filter: CommissionableFilter
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
        browseCommissionable(filter, includingClosed: false)
    }
}

/// Which commissionable devices are wanted (Matter core specification, 4.3).
public enum CommissionableFilter: Hashable, Sendable {
    /// The 12 bits of a QR code.
    case longDiscriminator(UInt16)
    /// The upper four of them, from a manual pairing code.
    case shortDiscriminator(UInt8)
    /// Devices of a vendor.
    case vendor(UInt16)
    /// Every device that has a window open.
    case commissioningMode
    /// All devices.
    case any

    /// The subtype that such devices advertise.
    var subtype: String? {
        switch self {
        case .longDiscriminator(let value): "_L\(value)"
        case .shortDiscriminator(let value): "_S\(value)"
        case .vendor(let value): "_V\(value)"
        case .commissioningMode: "_CM"
        case .any: nil
        }
    }

    /// True if a device is wanted.
    ///
    /// - Parameter hasSubtype: whether it was found under ``subtype``, which decides where its record is silent.
    package func matches(_ record: CommissionableRecord, hasSubtype: Bool) -> Bool {
        switch self {
        case .longDiscriminator(let value): record.longDiscriminator.map { $0 == value } ?? hasSubtype
        case .shortDiscriminator(let value): record.shortDiscriminator.map { $0 == value } ?? hasSubtype
        case .vendor(let value): record.vendorID.map { $0 == value } ?? hasSubtype
        case .commissioningMode: record.commissioningMode != .closed
        case .any: true
        }
    }
}

/// A change of the commissionable devices (Matter core specification, 4.3).
public enum CommissionableEvent: Hashable, Sendable {
    /// A device is there, or something about it changed: more addresses, another record.
    case found(CommissionableDevice)
    /// The device with that instance name is gone, no longer matches, or has closed its window.
    case lost(instance: String)
    /// Whatever answers at once has answered. More may follow.
    case allForNow
}

/// The known location of a node (Matter core specification, 4.3).
public enum OperationalUpdate: Hashable, Sendable {
    /// The node is there; again whenever an address is added or removed, or its record changes.
    case found(OperationalNode)
    /// It said goodbye, or no longer answers.
    case lost
}

/// A change of the list of nodes (Matter core specification, 4.3).
public enum OperationalEvent: Hashable, Sendable {
    /// A node was found.
    case found(OperationalInstance)
    /// A node has gone.
    case lost(OperationalInstance)
    /// Whatever answers at once has answered. More may follow.
    case allForNow
}

/// A device that advertises itself for commissioning (Matter core specification, 4.3).
public struct CommissionableDevice: Hashable, Sendable {
    /// 16 hexadecimal digits, new for every window (untrusted text: escape it before printing).
    public let instance: String
    /// The name of the host.
    public let host: String
    /// The port, of UDP.
    public let port: UInt16
    /// At least one, best first.
    public let addresses: [ResolvedAddress]
    /// Its description of itself.
    public let record: CommissionableRecord
}

/// Where a node of a fabric is (Matter core specification, 4.3).
public struct OperationalNode: Hashable, Sendable {
    package let instance: OperationalInstance
    package let host: String
    package let port: UInt16
    /// At least one, best first.
    package let addresses: [ResolvedAddress]
    package let record: OperationalRecord
}
