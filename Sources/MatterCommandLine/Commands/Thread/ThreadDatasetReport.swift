import MatterController

extension Report {
    /// A dataset without its keys.
    init(_ dataset: ThreadDataset) {
        let secrets = [dataset.hasPSKc ? "PSKc" : nil, "network key"].compactMap { $0 }
        let prefix = dataset.meshLocalPrefix.flatMap { NetworkAddress.text([64] + $0, as: .ipv6Prefix) }
        self.init {
            Field("networkName", dataset.networkName, label: "network")
            Field("channel", dataset.channel, label: "channel")
            Field("channelPage", dataset.channelPage)
            Field("channels", dataset.channelMask, label: "channels", text: dataset.channelMask.map(Self.ranges))
            Field("panId", Hex.number(dataset.panID, digits: 4, uppercase: true), label: "PAN id")
            Field("extendedPanId", Hex.encode(dataset.extendedPANID, uppercase: true), label: "extended PAN id")
            Field("meshLocalPrefix", prefix, label: "mesh-local prefix")
            Field("activeTimestamp", dataset.activeTimestamp, label: "active timestamp")
            Field(
                "keyRotationHours", dataset.keyRotation, label: "key rotation",
                text: dataset.keyRotation.map { "\($0) hours" })
            Field(
                "securityFlags", dataset.securityFlags.map { Hex.encode($0, uppercase: true) }, label: "security flags")
            Field("hidden", secrets, label: "hidden", text: secrets.joined(separator: ", "))
            Field(
                "otherEntries", dataset.otherTypes.isEmpty ? nil : dataset.otherTypes.map { UInt64($0) },
                label: "other entries")
            Field("warnings", dataset.warnings.isEmpty ? nil : dataset.warnings)
        }
    }

    /// Channels in ascending order, such as `11–14, 20`.
    private static func ranges(_ channels: [UInt16]) -> String {
        var ranges: [ClosedRange<UInt16>] = []
        for channel in channels {
            if let last = ranges.last, last.upperBound + 1 == channel {
                ranges[ranges.count - 1] = last.lowerBound...channel
            } else {
                ranges.append(channel...channel)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }
}
