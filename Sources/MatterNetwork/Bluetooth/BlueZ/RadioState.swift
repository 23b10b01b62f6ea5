import Glibc

/// The kernel's account of the host's Bluetooth radios, with or without a running `bluetoothd`.
struct RadioState: Equatable, Sendable {
    enum Block: Equatable, Sendable {
        case none
        /// By software: `rfkill unblock bluetooth` takes it away.
        case soft
        /// By a switch of the machine, or a setting of its firmware.
        case hard
    }

    /// The adapters, whether in use or not: `hci0`.
    var adapters: [String] = []
    /// The worst block of any Bluetooth radio.
    var block = Block.none

    private static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The first word of a small file.
    private static func word(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
        return String(decoding: bytes.prefix(max(0, count)).prefix { !isBlank($0) }, as: UTF8.self)
    }

    /// The error for a radio that is blocked; `nil` if none is.
    var blocked: BluetoothError? {
        switch block {
        case .none: nil
        case .soft: BluetoothError(.blocked, "Bluetooth is switched off on this host (rfkill)", cause: .soft)
        case .hard: BluetoothError(.blocked, "Bluetooth is switched off by a switch of this host", cause: .hard)
        }
    }
}

extension RadioState {
    /// Reads the files below `/sys/class`.
    init(root: String = "/sys/class") {
        adapters = Self.names(root + "/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }.sorted()
        for name in Self.names(root + "/rfkill") {
            let folder = "\(root)/rfkill/\(name)/"
            guard Self.word(folder + "type") == "bluetooth" else { continue }
            if Self.word(folder + "hard") == "1" { block = .hard }
            if Self.word(folder + "soft") == "1", block == .none { block = .soft }
        }
    }
}
