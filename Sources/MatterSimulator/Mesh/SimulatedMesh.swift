import MatterModel

/// The networks of a house of virtual devices, in one description, so that what each of them tells of its neighbours is
/// what these tell of it.
package struct SimulatedMesh: Sendable, Equatable {
    /// A Thread network.
    package struct Network: Sendable, Equatable {
        var name: String
        var extendedPANID: UInt64
        var panID: UInt16
        var channel: UInt16
        var devices: [Device]
        var links: [Link]
    }

    /// A device on Thread: a virtual one, or one that only others tell of, such as a border router.
    package struct Device: Sendable, Equatable {
        var name: String
        var role: ThreadNetworkDiagnostics.RoutingRole
        var extAddress: UInt64
        var partition: UInt32
        var rloc16: UInt16
        /// The name of the router that an end device is with.
        var parent: String?

        var isRouter: Bool { parent == nil }
    }

    /// A link between two devices on Thread. Of each pair of values the first is how `one` hears `other`, and `nil` means not
    /// at all.
    package struct Link: Sendable, Equatable {
        var one: String
        var other: String
        var lqi: [UInt8?] = [3, 3]
        var rssi: [Int8?] = [-55, -55]
        /// Seconds.
        var age: [UInt32] = [12, 12]
        /// Percent.
        var frameErrors: [UInt8] = [0, 0]
        var messageErrors: [UInt8] = [0, 0]

        func joins(_ name: String) -> Bool { one == name || other == name }
    }

    /// A radio of a Wi-Fi access point.
    package struct AccessPoint: Sendable, Equatable {
        var ssid: String
        var bssid: [UInt8]
        var channel: UInt16
        /// How strongly devices hear it, in dBm, by their names.
        var devices: [(name: String, rssi: Int8)]

        package static func == (one: Self, other: Self) -> Bool {
            one.ssid == other.ssid && one.bssid == other.bssid && one.channel == other.channel
                && one.devices.elementsEqual(other.devices, by: ==)
        }
    }

    var networks: [Network] = []
    var accessPoints: [AccessPoint] = []
    /// The names of devices on a cable.
    var wired: [String] = []

    /// Where a device is.
    ///
    /// - Throws: ``SimulatorError`` if the description does not name it.
    package func place(of name: String) throws(SimulatorError) -> MeshPlace {
        for network in networks {
            if let device = network.devices.first(where: { $0.name == name }) { return .thread(network, device) }
        }
        for accessPoint in accessPoints {
            if let device = accessPoint.devices.first(where: { $0.name == name }) {
                return .wifi(accessPoint, rssi: device.rssi)
            }
        }
        if wired.contains(name) { return .ethernet }
        throw SimulatorError(.invalidMesh, "the description of the networks does not name '\(name)'")
    }
}

/// The place of a virtual device in a described network.
package enum MeshPlace: Sendable {
    /// On Thread.
    case thread(SimulatedMesh.Network, SimulatedMesh.Device)
    /// On Wi-Fi.
    case wifi(SimulatedMesh.AccessPoint, rssi: Int8)
    /// On a cable.
    case ethernet

    /// Its interface.
    package var network: NodeConfiguration.Network {
        switch self {
        case .thread: .thread
        case .wifi: .wifi
        case .ethernet: .ethernet
        }
    }

    /// The address of its radio; `nil` if the device has one of its own.
    package var hardwareAddress: [UInt8]? {
        guard case .thread(_, let device) = self else { return nil }
        return (0..<8).reversed().map { UInt8(truncatingIfNeeded: device.extAddress >> ($0 * 8)) }
    }

    /// The network that it has joined: the extended PAN id, or the SSID; `nil` for a cable.
    var joined: [UInt8]? {
        switch self {
        case .thread(let network, _):
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: network.extendedPANID >> ($0 * 8)) }
        case .wifi(let accessPoint, _): Array(accessPoint.ssid.utf8)
        case .ethernet: nil
        }
    }
}

extension NodeConfiguration {
    /// Puts the device into a described network.
    package mutating func move(to place: MeshPlace) {
        self.place = place
        network = place.network
        hardwareAddress = place.hardwareAddress ?? hardwareAddress
    }
}
