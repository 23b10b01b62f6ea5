/// The namespaces of the tags that tell endpoints apart (Matter standard namespaces of 1.6), as the official SDK and matter.js
/// list them.
package enum SemanticNamespace: UInt8, Sendable, CaseIterable {
    case commonClosure = 0x01
    case compassDirection = 0x02
    case compassLocation = 0x03
    case direction = 0x04
    case level = 0x05
    case location = 0x06
    case number = 0x07
    case position = 0x08
    case electricalMeasurement = 0x0A
    case commodityTariffChronology = 0x0B
    case commodityTariffCommodity = 0x0D
    case laundry = 0x0E
    case powerSource = 0x0F
    case area = 0x10
    case landmark = 0x11
    case relativePosition = 0x12
    case commodityTariffFlow = 0x13
    case refrigerator = 0x41
    case roomAirConditioner = 0x42
    case switches = 0x43
    case closure = 0x44
    case closurePanel = 0x45
    case closureCovering = 0x46
    case closureWindow = 0x47
    case closureCabinet = 0x48
    case identifiedObject = 0x49
    case identifiedSound = 0x4A
    case identifiedHumanActivity = 0x4B

    /// The numbers of its tags. Three of ``area`` (0x28, 0x30, 0x49) were taken out after 1.4; devices may have them.
    package var tags: ClosedRange<UInt8> {
        switch self {
        case .commodityTariffCommodity: 0...0
        case .refrigerator, .roomAirConditioner, .commodityTariffFlow, .closureWindow: 0...1
        case .commonClosure, .level, .commodityTariffChronology, .closureCabinet: 0...2
        case .location, .laundry, .closurePanel: 0...3
        case .electricalMeasurement, .powerSource, .closureCovering: 0...4
        case .direction: 0...5
        case .position, .relativePosition, .closure: 0...6
        case .compassDirection, .compassLocation: 0...7
        case .identifiedHumanActivity: 0...9
        case .number: 0...10
        case .switches: 0...11
        case .identifiedObject: 0...12
        case .identifiedSound: 0...21
        case .landmark: 0...50
        case .area: 0...95
        }
    }
}
