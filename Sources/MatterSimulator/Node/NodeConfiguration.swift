package import MatterNetwork

/// The properties of a virtual device.
package struct NodeConfiguration: Sendable {
    /// How the root endpoint reaches the network.
    package enum Network: String, Sendable, CaseIterable {
        case ethernet, wifi, thread
    }

    /// How a device with a radio comes to its network.
    package enum Onboarding: Sendable {
        /// It is on it from the start.
        case joined
        /// It takes commissioners over IP, and nodes once it has joined.
        case overIP
        /// It is silent over IP until it has joined; commissioners come by another link.
        case elsewhere
    }

    package var vendorID: UInt16
    package var vendorName: String
    package var productID: UInt16
    package var productName: String
    package var serialNumber: String
    /// Up to 32 characters, the same for ever.
    package var uniqueID: String
    package var discriminator: UInt16
    /// The passcode as the device keeps it.
    package var verifier: SPAKE2PlusVerifierData
    package var pbkdf: PBKDFParameters
    package var network: Network
    package var onboarding = Onboarding.joined
    /// False for a device that leaves the commissioner's link when it joins a network, and reports nothing.
    package var isConcurrent = true
    /// The networks that its radio can join; `nil` for the usual.
    package var networksInReach: [RadioNetwork]?
    package var attestation: DeviceAttestationCredentials
    package var limits: NodeLimits
    package var faults: FaultPlan
    /// The device type that is advertised.
    package var primaryDeviceType: DeviceTypeID
    package var hardwareAddress: [UInt8]
    /// Makes the servers that the root endpoint has beyond those of every node.
    var moreRootServers: @Sendable () -> [any ClusterServer] = { [] }
    /// Its place in a described network, of which it tells in its diagnostics.
    package var place: MeshPlace?
    /// The terms that have to be accepted, if there are any.
    package var terms: DemandedTerms?
    /// How it sleeps, if it does.
    package var sleep: SleepHabits?
    /// How it updates its software; `nil` for a device that cannot.
    package var updates: UpdateBehaviour?

    package init(
        vendorID: UInt16 = 0xFFF1, vendorName: String = "matterctl", productID: UInt16 = 0x8001,
        productName: String = "Virtual device", serialNumber: String = "SIM-0001", uniqueID: String,
        discriminator: UInt16, verifier: SPAKE2PlusVerifierData, pbkdf: PBKDFParameters,
        network: Network = .ethernet, attestation: DeviceAttestationCredentials, limits: NodeLimits = NodeLimits(),
        faults: FaultPlan = FaultPlan(), primaryDeviceType: DeviceTypeID = .onOffLight,
        hardwareAddress: [UInt8] = [0x02, 0, 0, 0, 0, 1]
    ) {
        self.vendorID = vendorID
        self.vendorName = vendorName
        self.productID = productID
        self.productName = productName
        self.serialNumber = serialNumber
        self.uniqueID = uniqueID
        self.discriminator = discriminator
        self.verifier = verifier
        self.pbkdf = pbkdf
        self.network = network
        self.attestation = attestation
        self.limits = limits
        self.faults = faults
        self.primaryDeviceType = primaryDeviceType
        self.hardwareAddress = hardwareAddress
    }
}

/// The manufacturer's terms that a virtual device wants accepted.
package struct DemandedTerms: Hashable, Sendable {
    /// The oldest version that counts.
    package var minimumVersion: UInt16
    /// A bit for each text that has to be accepted.
    package var required: UInt16

    // memberwise: package
}

/// How much a virtual device has room for.
package struct NodeLimits: Sendable {
    package var fabrics = 16
    /// Sessions that each fabric may count on, and has at most (CapabilityMinima).
    package var sessionsPerFabric = 3
    /// CASE handshakes at a time; further ones are answered BUSY. One that stays away halfway holds its place for a while.
    package var handshakes = 16
    /// Subscriptions that each fabric may count on.
    var subscriptionsPerFabric = 3
    var subscriptions = 48
    package var pathsPerRead = 64
    var pathsPerSubscription = 64
    var pathsPerInvoke = 10
    /// Key sets of a fabric, the identity protection key included.
    var keySetsPerFabric = 4
    var groupsPerFabric = 12
    /// Seconds.
    package var failSafe: UInt16 = 60
    var cumulativeFailSafe: UInt16 = 900

    package init() {}
}

/// The state left by an earlier run of the device.
package struct SavedNode: Sendable {
    package var fabrics: [FabricEntry] = []
    package var clusters: SavedClusters = SavedClusters()
    package var nextEventNumber: UInt64 = 0
    var bootCount: UInt16 = 0

    package init() {}
}
