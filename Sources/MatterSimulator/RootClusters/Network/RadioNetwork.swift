package import MatterCrypto

/// A network in the reach of a radio that does not exist.
package struct RadioNetwork: Sendable, Equatable {
    /// Who may join.
    package enum Admission: Sendable, Equatable {
        case everyone
        /// Devices with the password, or the network key.
        case secret(SecretBytes)
        case none
    }

    /// The SSID, or the extended PAN id.
    package var id: [UInt8]
    /// Of a Thread network.
    package var name = ""
    package var panID: UInt16 = 0
    package var admission: Admission
    package var channel: UInt16
    package var rssi: Int8
    var isInReach = true

    package init(id: [UInt8], admission: Admission, channel: UInt16, rssi: Int8) {
        self.id = id
        self.admission = admission
        self.channel = channel
        self.rssi = rssi
    }

    /// A Wi-Fi network; an empty password is that of an open one.
    package init(ssid: String, password: SecretBytes, channel: UInt16 = 6, rssi: Int8 = -48) {
        self.init(
            id: Array(ssid.utf8), admission: password.isEmpty ? .everyone : .secret(password), channel: channel,
            rssi: rssi)
    }

    /// The Thread network of an operational dataset.
    ///
    /// - Returns: `nil` if the dataset lacks the id of the network or its key.
    package init?(dataset: [UInt8]) {
        let entries = ThreadEntries(dataset)
        guard let id = entries[.extendedPANID], let key = entries[.networkKey] else { return nil }
        self.init(id: id, admission: .secret(SecretBytes(key)), channel: entries.channel, rssi: -55)
        name = String(decoding: entries[.networkName] ?? [], as: UTF8.self)
        panID = entries.panID
    }

    /// In the reach of every radio: `simulated` (WPA2, password `simulated-password`), `simulated-open` without a password,
    /// and `far-away` (WPA2), which cannot be joined whatever the password.
    package static let usual = [
        RadioNetwork(ssid: "simulated", password: SecretBytes(Array("simulated-password".utf8))),
        RadioNetwork(ssid: "simulated-open", password: SecretBytes([]), channel: 11, rssi: -61),
        RadioNetwork(id: Array("far-away".utf8), admission: .none, channel: 1, rssi: -91),
    ]
}

/// The entries of an operational dataset, by type (Thread specification, 8.10); a dataset that is cut off ends there.
struct ThreadEntries {
    enum Kind: UInt8 {
        case channel = 0
        case panID = 1
        case extendedPANID = 2
        case networkName = 3
        case networkKey = 5
    }

    private var values: [UInt8: [UInt8]] = [:]

    init(_ dataset: [UInt8]) {
        var rest = dataset[...]
        while let type = rest.popFirst(), let count = rest.popFirst(), rest.count >= count {
            values[type] = Array(rest.prefix(Int(count)))
            rest = rest.dropFirst(Int(count))
        }
    }

    subscript(_ kind: Kind) -> [UInt8]? { values[kind.rawValue] }

    var channel: UInt16 { number(self[.channel]?.dropFirst() ?? []) }
    var panID: UInt16 { number(self[.panID]?[...] ?? []) }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.reduce(0) { $0 << 8 | UInt16($1) } }
}
