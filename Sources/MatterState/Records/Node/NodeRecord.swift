public import MatterNetwork

/// The record of a node: how to name it, where it was, and what it can do.
public struct NodeRecord: Equatable, Sendable {
    /// An endpoint as the Descriptor cluster describes it.
    public struct Endpoint: Equatable, Sendable {
        /// The number of the endpoint.
        public var number: UInt16
        /// The numbers of its device types.
        public var deviceTypes: [UInt32]
        /// The numbers of the clusters that it serves.
        public var serverClusters: [UInt32]
        /// AcceptedCommandList of each cluster that has commands.
        public var acceptedCommands: [UInt32: [UInt32]] = [:]
        /// The device behind it, if the node is a bridge and this is its end of it.
        public var bridged: BridgedDevice?

        package init(
            number: UInt16, deviceTypes: [UInt32], serverClusters: [UInt32], bridged: BridgedDevice? = nil
        ) {
            self.number = number
            self.deviceTypes = deviceTypes
            self.serverClusters = serverClusters
            self.bridged = bridged
        }
    }

    /// The id of the node on its fabric.
    public var nodeID: NodeID
    /// The name; `nil` if it has none.
    public var name: String?
    /// The room; `nil` if none is known.
    public var room: String?
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16?
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16?
    /// The name of the vendor; `nil` if the node does not say.
    public var vendorName: String?
    /// The name of the product; `nil` if the node does not say.
    public var productName: String?
    /// The serial number; `nil` if the node does not say.
    public var serialNumber: String?
    /// SoftwareVersionString.
    public var firmware: String?
    /// When its facts were last read, seconds since 1970.
    public var seenAt: Int64?
    /// Where the node was last reached: a hint, never the truth.
    public var addresses: [PeerAddress] = []
    /// Its endpoints, as they were read last.
    public var endpoints: [Endpoint] = []
    /// How it wanted to be treated when it was last reached; `nil` for the defaults.
    package var reliability: ReliabilityParameters?
    /// How many sessions it grants to a fabric (CapabilityMinima); `nil` if it has not said.
    package var sessionsPerFabric: UInt16?
    /// Long idle times: the node sleeps for minutes.
    public var isLongIdleTime = false
    /// When the commissioning window that we opened last ends, seconds since 1970.
    package var windowEnd: Int64?
    /// When it was commissioned, seconds since 1970.
    public var commissionedAt: Int64?
    /// When it got another certificate last, seconds since 1970; `nil` if it has the one that it was commissioned with.
    package var certifiedAt: Int64?
    /// A digest of the certificate that it was commissioned with; `nil` where release 0.1.0 did that.
    package var certificate: [UInt8]?
    /// The verdict on its attestation when it was commissioned: one that is not trusted was accepted by the user. `nil` if
    /// it is not known.
    public var attestation: AttestationVerdict?

    /// The longest that one reliable message to the node may take by its own parameters: what the patience of a command
    /// has to last for.
    package var deliveryBudget: Duration {
        let known = reliability ?? .standard
        return RetransmissionSchedule.longestTotal(interval: max(known.idleInterval, known.activeInterval))
    }

    package init(nodeID: NodeID, name: String? = nil) {
        self.nodeID = nodeID
        self.name = name
    }

    package init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        nodeID = NodeID(try fields.integer("nodeId"))
        name = try fields.optionalString("name")
        room = try fields.optionalString("room")
        vendorID = try fields.optionalInteger("vendorId")
        productID = try fields.optionalInteger("productId")
        vendorName = try fields.optionalString("vendorName")
        productName = try fields.optionalString("productName")
        serialNumber = try fields.optionalString("serialNumber")
        firmware = try fields.optionalString("firmware")
        seenAt = try fields.optionalInteger("seenAt").flatMap(UnixTime.plausible)
        sessionsPerFabric = try fields.optionalInteger("sessionsPerFabric")
        isLongIdleTime = try fields.optionalBool("longIdleTime") ?? false
        windowEnd = try fields.optionalInteger("windowEnd").flatMap(UnixTime.plausible)
        commissionedAt = try fields.optionalInteger("commissionedAt").flatMap(UnixTime.plausible)
        certifiedAt = try fields.optionalInteger("certifiedAt").flatMap(UnixTime.plausible)
        certificate = try fields.optionalOctets("certificate")
        attestation = try fields.optionalString("attestation").flatMap { AttestationVerdict(rawValue: $0) }
        // An interface that is gone makes an address useless, not the record.
        addresses = try fields.array("addresses").compactMap { value in
            value.stringValue.flatMap { try? PeerAddress(parsing: $0) }
        }
        endpoints = try Self.endpoints(try fields.array("endpoints"), file)
        reliability = try Self.reliability(fields)
    }

    private static func reliability(_ fields: RecordFields) throws(RecordError) -> ReliabilityParameters? {
        guard let idle: UInt32 = try fields.optionalInteger("idleIntervalMs"),
            let active: UInt32 = try fields.optionalInteger("activeIntervalMs"),
            let threshold: UInt16 = try fields.optionalInteger("activeThresholdMs")
        else { return nil }
        let longest = ReliabilityParameters.maximumInterval
        return ReliabilityParameters(
            idleInterval: min(.milliseconds(Int64(idle)), longest),
            activeInterval: min(.milliseconds(Int64(active)), longest),
            activeThreshold: .milliseconds(Int64(threshold)))
    }

    private static func endpoints(_ values: [JSONValue], _ file: String) throws(RecordError) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        for value in values {
            let fields = try RecordFields(value, file)
            var endpoint = Endpoint(
                number: try fields.integer("endpoint"),
                deviceTypes: try fields.array("deviceTypes").compactMap { $0.integer() },
                serverClusters: try fields.array("serverClusters").compactMap { $0.integer() },
                bridged: try fields.optionalObject("bridged").map(BridgedDevice.init))
            // Each member has the cluster, and then its commands.
            for member in try fields.array("acceptedCommands") {
                guard let numbers = member.arrayValue?.compactMap({ $0.integer(as: UInt32.self) }),
                    let cluster = numbers.first
                else { continue }
                endpoint.acceptedCommands[cluster] = Array(numbers.dropFirst())
            }
            endpoints.append(endpoint)
        }
        return endpoints
    }

    package func encoded() -> [UInt8] {
        var object: JSONObject = ["nodeId": .id(nodeID.rawValue)]
        object["name"] = name.map { .string($0) }
        object["room"] = room.map { .string($0) }
        object["vendorId"] = vendorID.map { .uint(UInt64($0)) }
        object["productId"] = productID.map { .uint(UInt64($0)) }
        object["vendorName"] = vendorName.map { .string($0) }
        object["productName"] = productName.map { .string($0) }
        object["serialNumber"] = serialNumber.map { .string($0) }
        object["firmware"] = firmware.map { .string($0) }
        object["seenAt"] = seenAt.map { .int($0) }
        object["sessionsPerFabric"] = sessionsPerFabric.map { .uint(UInt64($0)) }
        object["longIdleTime"] = isLongIdleTime ? .bool(true) : nil
        object["windowEnd"] = windowEnd.map { .int($0) }
        object["commissionedAt"] = commissionedAt.map { .int($0) }
        object["certifiedAt"] = certifiedAt.map { .int($0) }
        object["certificate"] = certificate.map { .string(Hex.encode($0)) }
        object["attestation"] = attestation.map { .string($0.rawValue) }
        if let reliability, reliability != .standard {
            func milliseconds(_ duration: Duration) -> JSONValue { .int(Int64(duration / .milliseconds(1))) }
            object["idleIntervalMs"] = milliseconds(reliability.idleInterval)
            object["activeIntervalMs"] = milliseconds(reliability.activeInterval)
            object["activeThresholdMs"] = milliseconds(reliability.activeThreshold)
        }
        object["addresses"] = .array(addresses.map { .string($0.description) })
        object["endpoints"] = .array(
            endpoints.map { endpoint in
                func numbers(_ list: [UInt32]) -> JSONValue { .array(list.map { .uint(UInt64($0)) }) }
                var object: JSONObject = [
                    "endpoint": .uint(UInt64(endpoint.number)), "deviceTypes": numbers(endpoint.deviceTypes),
                    "serverClusters": numbers(endpoint.serverClusters),
                ]
                if !endpoint.acceptedCommands.isEmpty {
                    object["acceptedCommands"] = .array(
                        endpoint.acceptedCommands.sorted { $0.key < $1.key }.map { numbers([$0.key] + $0.value) })
                }
                object["bridged"] = endpoint.bridged?.json
                return .object(object)
            })
        return JSONValue.object(object).utf8()
    }
}
