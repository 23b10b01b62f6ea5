public import MatterModel

/// The modes that a cluster of a device has: one that is derived from Mode Base (Matter application cluster specification
/// 1.10), or Mode Select (1.9).
public struct DeviceModes: Sendable, Hashable {
    /// A mode of a device.
    public struct Mode: Sendable, Hashable {
        /// The number by which it is chosen.
        public let number: UInt8
        /// The words of the device for it.
        public let label: String
        /// The purpose of the mode, by the names of the cluster: `Cleaning`.
        public let tags: [String]
    }

    package let cluster: ClusterID
    /// The modes, in the order of the device.
    public let modes: [Mode]
    /// The number of the mode that the device is in; `nil` if it does not say.
    public let current: UInt8?

    /// Whether a cluster is one with modes.
    public static func isMode(_ cluster: ClusterID) -> Bool { Catalogue.standard.cluster(cluster)?.isMode ?? false }

    /// The purposes of a cluster's modes, by the names that it has for that: `Quick`, `DeepClean`. A device has some of them, with
    /// labels of its own.
    public static func purposes(of cluster: ClusterID) -> [String] {
        guard isMode(cluster) else { return [] }
        let tags = Catalogue.standard.cluster(cluster)?.enums.first { $0.name == "ModeTag" }
        return tags?.values.map(\.name) ?? []
    }

    /// CurrentMode and SupportedModes.
    static func attributes(of cluster: ClusterID) -> (current: AttributeID, supported: AttributeID) {
        cluster == ModeSelect.id
            ? (ModeSelect.Attribute.currentMode, ModeSelect.Attribute.supportedModes)
            : (RvcRunMode.Attribute.currentMode, RvcRunMode.Attribute.supportedModes)
    }

    /// The label of a value of CurrentMode; `nil` if the device has none for it.
    ///
    /// - Parameter modes: the value of SupportedModes.
    static func label(of value: TLVValue, in cluster: ClusterID, modes: TLVValue) -> String? {
        let attributes = attributes(of: cluster)
        let facts = DeviceFacts(title: "", label: "", values: [attributes.current: value, attributes.supported: modes])
        return DeviceModes(cluster, facts).currentMode?.label
    }

    /// The modes of a cluster, from what a device told.
    public init(_ cluster: ClusterID, _ facts: DeviceFacts) {
        self.cluster = cluster
        let attributes = Self.attributes(of: cluster)
        let names = Catalogue.standard.cluster(cluster)?.enums.first { $0.name == "ModeTag" }
        current = facts[attributes.current]?.integer()
        modes = (facts[attributes.supported]?.items ?? []).compactMap {
            PartialStructure(tlv: $0).flatMap { Mode($0, tags: names) }
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

extension DeviceModes.Mode {
    /// - Parameter names: the tags that the cluster has.
    fileprivate init?(_ option: PartialStructure<RvcRunMode.ModeOption>, tags names: EnumDefinition?) {
        typealias Field = RvcRunMode.ModeOption.Field
        typealias Tag = RvcRunMode.ModeTagStruct.Field
        guard let number = option[Field.mode] else { return nil }
        self.number = number
        label = option[Field.label] ?? ""
        tags = option.partialMembers(Field.modeTags).filter { !$0.has(Tag.mfgCode) }
            .compactMap { $0[Tag.value].flatMap { names?.value(UInt64($0))?.name } }
    }
}

/// Changes the mode of a device (Matter application cluster specification 1.10).
public struct ModeVerb: DeviceVerb {
    /// The cluster.
    public let cluster: ClusterID
    private let word: String

    /// - Parameter word: the label, a tag or the number of a mode.
    public init(_ cluster: ClusterID, _ word: String) {
        self.cluster = cluster
        self.word = word
    }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
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
