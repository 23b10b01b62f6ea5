package import MatterModel

/// The modes that a cluster of a device has: one that is derived from Mode Base (Matter application cluster specification
/// 1.10), or Mode Select (1.9).
package struct DeviceModes: Sendable, Hashable {
    package struct Mode: Sendable, Hashable {
        package let number: UInt8
        package let label: String
        /// What the mode is for, by the names of the cluster: `Cleaning`.
        package let tags: [String]
    }

    package let cluster: ClusterID
    package let modes: [Mode]
    package let current: UInt8?

    /// Whether a cluster is one with modes.
    package static func isMode(_ cluster: ClusterID) -> Bool { Catalogue.standard.cluster(cluster)?.isMode ?? false }

    /// CurrentMode and SupportedModes.
    static func attributes(of cluster: ClusterID) -> (current: AttributeID, supported: AttributeID) {
        cluster == ModeSelect.id
            ? (ModeSelect.Attribute.currentMode, ModeSelect.Attribute.supportedModes)
            : (RvcRunMode.Attribute.currentMode, RvcRunMode.Attribute.supportedModes)
    }

    package init(_ cluster: ClusterID, _ facts: DeviceFacts) {
        typealias Field = RvcRunMode.ModeOption.Field
        self.cluster = cluster
        let attributes = Self.attributes(of: cluster)
        let names = Catalogue.standard.cluster(cluster)?.enums.first { $0.name == "ModeTag" }
        current = facts[attributes.current]?.integer()
        modes = (facts[attributes.supported]?.items ?? []).compactMap { item in
            guard let number: UInt8 = item.field(Field.mode)?.integer() else { return nil }
            let tags = (item.field(Field.modeTags)?.items ?? []).filter {
                $0.field(RvcRunMode.ModeTagStruct.Field.mfgCode) == nil
            }.compactMap { tag in
                tag.field(RvcRunMode.ModeTagStruct.Field.value)?.integer().flatMap { names?.value($0)?.name }
            }
            return Mode(number: number, label: item.field(Field.label)?.text ?? "", tags: tags)
        }
    }

    /// The mode of a label, a tag or a number.
    package func mode(_ word: String) -> Mode? {
        let key = NameKey(word)
        return modes.first { key.matches($0.label) } ?? modes.first { $0.tags.contains(where: key.matches) }
            ?? modes.first { "\($0.number)" == word }
    }

    /// The present mode; `nil` if the device does not say.
    package var currentMode: Mode? { modes.first { $0.number == current } }
}

/// Changes the mode of a device.
package struct ModeVerb: DeviceVerb {
    package let cluster: ClusterID
    private let word: String

    /// - Parameter word: the label, a tag or the number of a mode.
    package init(_ cluster: ClusterID, _ word: String) {
        self.cluster = cluster
        self.word = word
    }

    package func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        let modes = DeviceModes(cluster, facts)
        let attributes = DeviceModes.attributes(of: cluster)
        guard facts[attributes.supported] != nil else {
            guard let number = UInt8(word) else {
                throw ControllerError(
                    .outOfLimits, "what '\(word)' is, only \(facts.title) knows: give the number of the mode",
                    hint: .step("mode.see", facts.label))
            }
            return request(number, attributes.current)
        }
        guard let mode = modes.mode(word) else {
            throw ControllerError(
                .outOfLimits,
                "\(facts.title) has no mode '\(word)', only \(modes.modes.map(\.label).joined(separator: ", "))",
                hint: .step("mode.see", facts.label))
        }
        return request(mode.number, attributes.current, mode.label)
    }

    private func request(_ mode: UInt8, _ current: AttributeID, _ label: String? = nil) -> DeviceRequest {
        var request = DeviceRequest(
            RvcRunMode.ChangeToMode(newMode: mode), attribute: current, goal: mode.tlv)
        request.goalName = label
        return request
    }
}

/// Tells a vacuum cleaner what to do (Matter application cluster specification 7.2 and 7.4).
package enum VacuumVerb: DeviceVerb {
    case start, stop, pause, resume, home

    package var cluster: ClusterID {
        switch self {
        case .start, .stop: RvcRunMode.id
        case .pause, .resume, .home: RvcOperationalState.id
        }
    }

    package func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        typealias Command = RvcOperationalState.Command
        let state = RvcOperationalState.Attribute.operationalState
        switch self {
        case .start: return try ModeVerb(cluster, "Cleaning").request(facts)
        case .stop: return try ModeVerb(cluster, "Idle").request(facts)
        case .pause:
            try facts.require(Command.pause, "pause")
            return DeviceRequest(RvcOperationalState.Pause(), attribute: state)
        case .resume:
            try facts.require(Command.resume, "resume")
            return DeviceRequest(RvcOperationalState.Resume(), attribute: state)
        case .home:
            try facts.require(Command.goHome, "go home")
            return DeviceRequest(RvcOperationalState.GoHome(), attribute: state)
        }
    }
}
