import MatterCrypto
import MatterModel

/// The commands that the flow sends, with what the device and the user want in them.
extension CommissioningFlow {
    mutating func configurationCommands() -> [CommissioningCommand] {
        var commands = [regulation(country: configuration.country)]
        if let acknowledgement = state.known.acknowledgement {
            commands.append(.setTCAcknowledgements(acknowledgement))
        }
        guard let features = information.timeSynchronizationFeatures else { return commands }
        commands.append(.setUTCTime(microseconds: configuration.utcMicroseconds()))
        if features.contains(TimeSynchronization.Feature.timeZone) {
            commands.append(.setTimeZone(configuration.timeZone))
        }
        if let server = configuration.ntpServer, features.contains(TimeSynchronization.Feature.ntpClient) {
            commands.append(.setDefaultNTP(server))
        }
        return commands
    }

    /// ISO 3166-1 has no such country.
    static let unknownCountry = "XX"
    private static let bothLocations = GeneralCommissioning.RegulatoryLocationType.indoorOutdoor.rawValue

    mutating func regulation(country: String) -> CommissioningCommand {
        // A device that leaves no choice takes nothing else.
        let location =
            information.locationCapability < Self.bothLocations
            ? information.locationCapability
            : configuration.location ?? information.regulatoryConfig ?? Self.bothLocations
        return .setRegulatoryConfig(location: location, country: country, breadcrumb: nextBreadcrumb())
    }

    /// For a device that takes the time from a node of its fabric.
    var timeSourceCommand: CommissioningCommand? {
        guard let source = configuration.timeSource,
            information.timeSynchronizationFeatures?.contains(TimeSynchronization.Feature.timeSyncClient) ?? false
        else { return nil }
        return .setTrustedTimeSource(node: source.node, endpoint: source.endpoint)
    }

    func addNOC(_ issued: IssuedNOC) -> CommissioningCommand {
        .addNOC(
            noc: issued.noc.tlv, icac: issued.icac?.tlv, ipk: configuration.fabric.ipk,
            adminSubject: configuration.fabric.caseAdminSubject.rawValue,
            adminVendor: configuration.fabric.adminVendorID.rawValue)
    }

    /// How long the fail-safe may be at most once the device joins: the device decides in the end. Later there may be no
    /// link over which it could be armed again.
    var operationalSeconds: UInt16 {
        let joining = state.known.plan.attempts.map { UInt16($0.interface.joiningSeconds) }.max() ?? 0
        let (whole, isTooLong) = max(configuration.operationalSeconds, Self.failSafeSeconds)
            .addingReportingOverflow(joining)
        return min(isTooLong ? .max : whole, max(information.maxCumulativeFailSafe, 60))
    }

    mutating func armFailSafe(_ seconds: UInt16) -> CommissioningCommand {
        .armFailSafe(seconds: seconds, breadcrumb: nextBreadcrumb())
    }

    mutating func nextBreadcrumb() -> UInt64 {
        state.known.breadcrumb += 1
        return breadcrumb
    }
}
