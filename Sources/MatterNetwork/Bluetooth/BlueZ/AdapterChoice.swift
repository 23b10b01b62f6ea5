/// The adapters that a person has named, or none.
public enum AdapterChoice: Hashable, Sendable {
    /// The first one that can connect to devices.
    case standard
    /// All of them.
    case all
    /// By name (`hci1`) or by address.
    case named([String])

    /// - Parameter words: names and addresses; `all` stands for every adapter.
    public init(_ words: [String]) {
        self = words.isEmpty ? .standard : words.contains("all") ? .all : .named(words)
    }

    /// The adapters for a scan.
    ///
    /// - Throws: ``BluetoothError`` if there is none.
    func adapters(of all: [BlueZTree.Adapter]) throws(BluetoothError) -> [BlueZTree.Adapter] {
        try select(all, \.isCentral, "connect to devices")
    }

    /// The adapters for a device of our own.
    ///
    /// - Throws: ``BluetoothError`` if there is none.
    func peripheralAdapters(of all: [BlueZTree.Adapter]) throws(BluetoothError) -> [BlueZTree.Adapter] {
        try select(all, \.isPeripheral, "be a device")
    }

    private func select(
        _ all: [BlueZTree.Adapter], _ isAble: (BlueZTree.Adapter) -> Bool, _ ability: String
    ) throws(BluetoothError) -> [BlueZTree.Adapter] {
        guard !all.isEmpty else { throw BluetoothError(.noAdapter, "this host has no Bluetooth adapter") }
        let able = all.filter(isAble)
        switch self {
        case .standard, .all:
            guard let first = able.first else {
                throw BluetoothError(.noAdapter, "no Bluetooth adapter of this host can \(ability)")
            }
            return self == .all ? able : [first]
        case .named(let words):
            var chosen: [BlueZTree.Adapter] = []
            for word in words {
                guard let adapter = all.first(where: { $0.name == word || $0.address == word.uppercased() }) else {
                    let names = all.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
                    throw BluetoothError(
                        .unknownAdapter, "this host has no Bluetooth adapter '\(word)'", cause: .choose,
                        details: [names])
                }
                guard isAble(adapter) else {
                    throw BluetoothError(.noAdapter, "the Bluetooth adapter '\(word)' cannot \(ability)")
                }
                if !chosen.contains(adapter) { chosen.append(adapter) }
            }
            return chosen
        }
    }
}
