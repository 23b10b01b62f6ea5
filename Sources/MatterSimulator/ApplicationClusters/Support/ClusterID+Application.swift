/// The numbers of the application clusters.
extension ClusterID {
    package static let bridgedDeviceBasicInformation: UInt32 = 0x0039
    package static let booleanState: UInt32 = 0x0045
    package static let doorLock: UInt32 = 0x0101
    package static let windowCovering: UInt32 = 0x0102
    package static let thermostat: UInt32 = 0x0201
    package static let fanControl: UInt32 = 0x0202
    package static let temperatureMeasurement: UInt32 = 0x0402
    package static let relativeHumidityMeasurement: UInt32 = 0x0405
    package static let occupancySensing: UInt32 = 0x0406
    /// Espressif's, on the root endpoint.
    package static let rainMaker: UInt32 = 0x131B_FC00
    /// Espressif's, of a controller.
    package static let rainMakerController: UInt32 = 0x131B_FC01
    /// Espressif's older one, of a Thread border router.
    package static let rainMakerBorderRouter: UInt32 = 0x131B_FC02
    /// Espressif's, of an event's badge.
    package static let rainMakerParticipantData: UInt32 = 0x131B_FC03
}
