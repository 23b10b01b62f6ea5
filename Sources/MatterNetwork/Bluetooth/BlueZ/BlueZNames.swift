/// The names of BlueZ's service on D-Bus, and the Matter service's characteristics (Matter core specification 4.20.3.2).
enum BlueZ {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let bus = "org.freedesktop.DBus"

    /// Written by the central.
    static let c1 = "18ee2ef5-263d-4559-959f-4f9c429f9d11"
    /// Indicated by the peripheral.
    static let c2 = "18ee2ef5-263d-4559-959f-4f9c429f9d12"
    /// Additional data for commissioning, read by the central.
    static let c3 = "64630238-8772-45f2-b87d-748a83218f04"

    private static let baseUUID = "-0000-1000-8000-00805f9b34fb"

    /// The long form of a UUID in lower case: stacks also use the forms of 16 and 32 bits, and upper case.
    static func fullUUID(_ text: String) -> String {
        let lower = text.lowercased()
        return switch lower.utf8.count {
        case 4: "0000" + lower + baseUUID
        case 8: lower + baseUUID
        default: lower
        }
    }
}
