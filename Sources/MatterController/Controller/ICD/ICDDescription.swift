import MatterState

/// A device's description of its sleep (Matter core specification 9.16).
struct ICDDescription: Sendable {
    private typealias Attribute = IcdManagement.Attribute

    private(set) var features: FeatureMap = []
    private(set) var sleep = ICDRegistration.Sleep(idle: 1, active: 300, threshold: 300, isLong: false)

    static let paths = [
        GlobalAttribute.featureMap, Attribute.idleModeDuration, Attribute.activeModeDuration,
        Attribute.activeModeThreshold, Attribute.userActiveModeTriggerHint, Attribute.userActiveModeTriggerInstruction,
        Attribute.operatingMode, Attribute.maximumCheckInBackOff,
    ].map { AttributePath(endpoint: 0, cluster: IcdManagement.id, attribute: $0) }

    /// - Returns: `nil` for a device that does not sleep.
    init?(_ result: ReadResult) {
        var isThere = false
        var mode: IcdManagement.OperatingMode?
        for report in result.attributes where report.path.cluster == IcdManagement.id {
            guard let value = report.value else { continue }
            isThere = true
            switch report.path.attribute {
            case GlobalAttribute.featureMap: features = FeatureMap(tlv: value) ?? []
            case Attribute.idleModeDuration: sleep.idle = value.integer() ?? sleep.idle
            case Attribute.activeModeDuration: sleep.active = value.integer() ?? sleep.active
            case Attribute.activeModeThreshold: sleep.threshold = value.integer() ?? sleep.threshold
            case Attribute.userActiveModeTriggerHint: sleep.triggers = value.integer() ?? 0
            case Attribute.userActiveModeTriggerInstruction: sleep.triggerInstruction = value.text
            case Attribute.operatingMode: mode = IcdManagement.OperatingMode(tlv: value)
            case Attribute.maximumCheckInBackOff: sleep.mostBackOff = value.integer()
            default: break
            }
        }
        guard isThere else { return nil }
        // One that can change sleeps for long from its first registration on.
        sleep.isLong = mode == .lit || features.contains(IcdManagement.Feature.longIdleTimeSupport)
    }

    /// True if it can check in.
    var checksIn: Bool { features.contains(IcdManagement.Feature.checkInProtocolSupport) }

    /// True if a client is expected to register: it sleeps for long times, and does not choose by itself when.
    var wantsClients: Bool {
        checksIn && features.contains(IcdManagement.Feature.longIdleTimeSupport)
            && !features.contains(IcdManagement.Feature.dynamicSitLitSupport)
    }
}
