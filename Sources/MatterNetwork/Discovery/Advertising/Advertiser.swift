/// Makes services of this host known to the local network, on all its interfaces.
package protocol Advertiser: Sendable {
    /// Publishes a service.
    ///
    /// Returns when the daemon has it; probing for its name and announcing it take it most of a second more, see
    /// ``PublishedService/established()``.
    ///
    /// - Throws: `collision` where this host publishes that instance already.
    func publish(_ service: ServicePublication) async throws(DiscoveryError) -> any PublishedService
}

/// A service that is being published. Dropping the last reference withdraws it.
package protocol PublishedService: Sendable {
    /// The name of the instance, which changes after a collision if it was not given; `nil` once it is withdrawn.
    var instance: String? { get async }

    /// Waits until the name is known to be ours and the service is announced.
    ///
    /// - Throws: `collision` where another host has that instance.
    func established() async throws

    /// Changes the record and, unless `nil`, the subtypes.
    func update(txt: TXTRecord, subtypes: [String]?) async throws(DiscoveryError)

    /// Takes the service back and says goodbye for it.
    func withdraw() async
}

/// The service to publish.
package struct ServicePublication: Hashable, Sendable {
    /// E.g. `_matterc._udp`.
    package var type: String
    /// `nil` for 16 random hexadecimal digits, drawn again should they be taken.
    package var instance: String?
    /// E.g. `_L3840`.
    var subtypes: [String] = []
    package var port: UInt16
    var txt: TXTRecord = .empty

    /// A device that can be commissioned, under a fresh random name.
    package static func commissionable(
        _ record: CommissionableRecord, port: UInt16
    ) throws(DiscoveryError) -> ServicePublication {
        ServicePublication(
            type: MatterService.commissionable, instance: nil, subtypes: record.subtypes, port: port,
            txt: try record.txt())
    }

    /// A node of a fabric.
    package static func operational(
        _ instance: OperationalInstance, _ record: OperationalRecord, port: UInt16
    ) throws(DiscoveryError) -> ServicePublication {
        ServicePublication(
            type: MatterService.operational, instance: instance.name,
            subtypes: [MatterService.fabricSubtype(instance.compressedFabricID)], port: port, txt: try record.txt())
    }
}
