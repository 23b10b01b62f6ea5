/// The remaining steps of a commissioning that was stopped.
public struct CommissioningRehearsal: Sendable {
    /// The device's description of itself.
    public var information: DeviceInformation
    /// The verdict on the attestation; `nil` if there was none yet.
    public var attestation: AttestationSummary?
    /// The number of a RegulatoryLocationTypeEnum.
    public var location: UInt8
    /// The country that it would be told.
    public var country: String
    /// The network that the device would join; `nil` if it stays where it is.
    public var network: NetworkAttempt?
    /// The names of the commands, in their order, if the device takes them all.
    public var commands: [String]
}

extension CommissioningFlow {
    /// The steps that would follow from here on.
    package func rehearsal(_ attestation: AttestationSummary?) -> CommissioningRehearsal {
        var copy = self
        let commands = copy.configurationCommands()
        var names = commands.map(\.name) + ["AddTrustedRootCertificate", "AddNOC"]
        if let source = copy.timeSourceCommand { names.append(source.name) }
        names.append("ArmFailSafe")
        if let attempt = state.known.plan.attempts.first {
            names += [attempt.credential.adding, .connect(attempt.credential.id)].map(\.name)
        }
        var rehearsal = CommissioningRehearsal(
            information: information, attestation: attestation, location: 0, country: configuration.country,
            network: state.known.plan.attempts.first, commands: names + ["CommissioningComplete"])
        for case .setRegulatoryConfig(let location, _, _) in commands { rehearsal.location = location }
        return rehearsal
    }
}
