import MatterState

/// The way to a node, and the node's own diagnostics.
struct NodeWayFacts: Sendable {
    /// The answer to a bare message, which opens no session.
    enum Echo: Sendable, Equatable {
        case answered(Duration)
        /// The kernel's refusal.
        case refused(Int32)
        case silent
    }

    /// The node, as its record has it.
    var node: NodeRecord
    /// Where it advertises itself; `nil` if it was not looked for.
    var advertised: [ResolvedAddress]?
    /// The same, from its record or the command line.
    var known: [PeerAddress] = []
    /// The answers, and the addresses that they came from.
    var echoes: [(address: PeerAddress, echo: Echo)] = []
    /// How long it took until the node answered in a session.
    var answerTime: Duration?
    /// Why there is no session.
    var failure: (any Error)?
    /// The diagnostics; `nil` if they could not be read.
    var read: ReadResult?
    /// Its log of Wi-Fi connections; `nil` if it is not on Wi-Fi, or the log could not be read.
    var wifiEvents: [EventReport]?
    /// The number of our fabric on the node, its fabrics, and its room.
    var fabrics: DeviceFabrics?
    /// This host's time when the diagnostics came, in microseconds since 1970.
    var readAt: UInt64 = 0
    /// The newest version of its software that the ledger is known to have, in words, and the day of that answer.
    var newest: (number: UInt32, text: String, day: String)?
    /// The end of our own certificate, in seconds since 1970; `nil` for none.
    var ownEnd: Int64?
    /// The time from which the identity protection key of the fabric is, in seconds since 1970; `nil` if that is not known.
    var identityKeySince: Int64?

    /// The diagnostics that are read, at the endpoints that have them.
    static let paths: [AttributePath] = {
        func paths(_ cluster: ClusterID, _ attributes: AttributeID...) -> [AttributePath] {
            attributes.map { AttributePath(cluster: cluster, attribute: $0) }
        }
        typealias General = GeneralDiagnostics.Attribute
        typealias Thread = ThreadNetworkDiagnostics.Attribute
        typealias WiFi = WiFiNetworkDiagnostics.Attribute
        return paths(
            GeneralDiagnostics.id, General.networkInterfaces, General.rebootCount, General.upTime, General.bootReason,
            General.activeHardwareFaults, General.activeRadioFaults, General.activeNetworkFaults,
            General.deviceLoadStatus)
            + paths(
                SoftwareDiagnostics.id, SoftwareDiagnostics.Attribute.currentHeapFree,
                SoftwareDiagnostics.Attribute.currentHeapUsed)
            + paths(
                ThreadNetworkDiagnostics.id, Thread.routingRole, Thread.neighborTable, Thread.parentChangeCount,
                Thread.txTotalCount, Thread.txRetryCount, Thread.txErrCcaCount, Thread.partitionId, Thread.rloc16)
            + paths(
                WiFiNetworkDiagnostics.id, WiFi.bssid, WiFi.rssi, WiFi.channelNumber, WiFi.beaconLostCount,
                WiFi.beaconRxCount)
            + paths(
                BasicInformation.id, BasicInformation.Attribute.capabilityMinima,
                BasicInformation.Attribute.softwareVersion, BasicInformation.Attribute.softwareVersionString)
            + paths(TimeSynchronization.id, TimeSynchronization.Attribute.utcTime)
            + paths(
                PowerSource.id, PowerSource.Attribute.batPercentRemaining, PowerSource.Attribute.batChargeLevel)
            + paths(NodeOperationalCredentials.id, NodeOperationalCredentials.Attribute.nocs)
    }()

    /// The events that are read of a node on Wi-Fi.
    static let wifiLog: [EventPath] = [
        WiFiNetworkDiagnostics.Event.disconnection, WiFiNetworkDiagnostics.Event.associationFailure,
    ].map { EventPath(cluster: WiFiNetworkDiagnostics.id, event: $0) }

    /// The first value of an attribute; `nil` if no endpoint tells it.
    func value<Value: AttributeValue>(_ attribute: TypedAttribute<Value>) -> Value? { read?.first(attribute) }

    /// The entries of a list, to be read field by field.
    func entries<Entry: ClusterStructure>(_ attribute: TypedAttribute<[Entry]>) -> [PartialStructure<Entry>]? {
        read?.entries(attribute)
    }
}
