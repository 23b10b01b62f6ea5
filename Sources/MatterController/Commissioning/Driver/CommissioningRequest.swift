public import MatterNetwork

/// The user's request for a commissioning (Matter core specification, 5.5).
public struct CommissioningRequest: Sendable {
    /// Without a discriminator: any device that has a window open.
    public var code: SetupCode
    /// From the code; a device that advertises others is not the one.
    public var vendorID: UInt16?
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16?
    /// How the code says that the device can be found.
    public var capabilities: SetupPayload.DiscoveryCapabilities?
    /// Where the device is, if that is known; skips discovery.
    public var addresses: [PeerAddress] = []
    /// The only way to look for it; `nil` for what its code says.
    public var via: CommissioningWay?
    /// The name; `nil` if it has none.
    public var name: String?
    /// The room; `nil` if none is known.
    public var room: String?
    /// The node id that was asked for; `nil` for the next one that is free.
    public var requestedNodeID: NodeID?
    /// The country in which the device is used, of two letters (ISO 3166-1); `XX` if it is not to be said.
    public var country = "XX"
    /// The number of a RegulatoryLocationTypeEnum, where the device leaves a choice; `nil` for what the device has.
    public var location: UInt8?
    /// The wish for the network of the device.
    public var network = NetworkPreference()
    /// Asks a person which network the device is to join; `nil` for none.
    public var choose: @Sendable (NetworkChoice) async throws -> NetworkCredential? = { _ in nil }
    /// The node, and its endpoint, that gives the device the time.
    public var timeSource: (node: UInt64, endpoint: UInt16)?
    /// The server that the device takes the time from.
    public var ntpServer: String?
    /// Whether the endpoints of the device are read and kept at the end.
    public var readsEndpoints = true
    /// The user's answer to a manufacturer's terms; `nil` if there is none yet.
    public var terms: @Sendable (TermsDemand) -> TermsAcknowledgement? = { _ in nil }
    /// The last stage; `nil` to go to the end.
    public var until: CommissioningStage?
    /// Whether the device keeps what it has after ``until``, for another machine to complete.
    public var handsOver = false
    /// Whether only a commissioning that is pending is completed.
    var onlyResumes = false
    /// Its place in a list; `nil` if it is alone, or may have an id already.
    var listPlace: ListPlace?
    /// How long to look for the device; half of the time if `nil`.
    var lookout: Duration?

    /// A request for a device with this code, with everything else as usual.
    public init(_ code: SetupCode) { self.code = code }

    /// A request for the device with this payload, with everything else as usual.
    public init(_ payload: SetupPayload) {
        self.init(payload.code)
        vendorID = payload.vendorID
        productID = payload.productID
        capabilities = payload.discoveryCapabilities
    }
}

extension CommissioningRequest {
    /// How its device is looked for.
    package var filter: CommissionableFilter {
        switch (code.discriminator?.long, code.discriminator?.short) {
        case (.some(let long), _): .longDiscriminator(long)
        case (nil, .some(let short)): .shortDiscriminator(short)
        case (nil, nil): .commissioningMode
        }
    }

    /// The ways to look for its device, the better one first. A manual code says nothing of the ways; without a
    /// discriminator any device would be as good over Bluetooth, so that this must be asked for.
    public func ways(hasBluetooth: Bool) -> [CommissioningWay] {
        if let via { return [via] }
        guard hasBluetooth, code.discriminator != nil, capabilities?.contains(.ble) ?? true else { return [.ip] }
        return [.ip, .ble]
    }

    /// The device in words: `with discriminator 3840`.
    var sought: String {
        switch filter {
        case .longDiscriminator(let value): "with discriminator \(value)"
        case .shortDiscriminator(let value): "with short discriminator \(value)"
        default: "that is open for commissioning"
        }
    }

    /// True if a device may be the one, by what it advertises over Bluetooth.
    func mayMean(_ device: BLEAdvertisement) -> Bool {
        (code.discriminator?.matches(advertised: device.longDiscriminator) ?? true)
            && agrees(vendorID, device.vendorID) && agrees(productID, device.productID)
    }

    /// True if a device may be the one, by what it advertises.
    func mayMean(_ device: CommissionableDevice) -> Bool {
        filter.matches(device.record, hasSubtype: false) && agrees(with: device)
    }

    /// The code may say which product it belongs to; a device that says otherwise is another one.
    func agrees(with device: CommissionableDevice) -> Bool {
        agrees(vendorID, device.record.vendorID) && agrees(productID, device.record.productID)
    }

    private func agrees(_ wanted: UInt16?, _ advertised: UInt16?) -> Bool {
        guard let wanted, wanted != 0, let advertised else { return true }
        return wanted == advertised
    }
}

/// A commissioned node (Matter core specification, 5.5).
public struct CommissionedNode: Sendable {
    package var nodeID: NodeID
    /// The address at which the device answered.
    public var address: PeerAddress
    /// How the node wants its messages repeated.
    package var reliability: ReliabilityParameters
    package var information: DeviceInformation
    /// Its endpoints, if they were read.
    public var endpoints: [EndpointDescription]
    var basics: DeviceDescription
    /// The outcome of the attestation; `nil` if it was not asked for.
    public var attestation: AttestationSummary?
    /// The stages in their order, with their times.
    public var stages: [StageTime]
    /// The time from the first stage to the last.
    public var total: Duration
    /// True if an interrupted commissioning was taken up again.
    public var wasPending: Bool
}

/// The judgement of a device's attestation that let it pass (Matter core specification, 6.2.3).
public struct AttestationSummary: Sendable, Equatable {
    /// The checks made, with their results.
    public var report: AttestationReport
    /// Whether the user lets the device in although it is not trusted.
    public var isAccepted: Bool

    package init(_ report: AttestationReport, isAccepted: Bool = false) {
        self.report = report
        self.isAccepted = isAccepted
    }
}
