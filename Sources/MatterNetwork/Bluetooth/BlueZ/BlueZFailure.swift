/// The errors of `bluetoothd` and of the bus in the terms of this host: what is missing, and the cure.
enum BlueZFailure {
    /// The first calls: is there a `bluetoothd`, and does it talk to us?
    static func atStart(_ error: DBusError, _ radio: RadioState) -> BluetoothError {
        switch error.kind {
        case .timedOut:
            return BluetoothError(
                .daemonUnavailable, "Bluetooth needs bluetoothd, which does not answer", cause: .hung)
        case .disconnected, .cancelled:
            return BluetoothError(.disconnected, "the D-Bus system bus has ended the connection")
        case .answered: break
        }
        if error.shortName == "AccessDenied" { return notPermitted(error) }
        if isWithoutDaemon(error) { return withoutDaemon(radio) }
        return BluetoothError(.refused, "bluetoothd refuses to list its objects: \(error.text)")
    }

    /// Without a daemon: for want of an adapter, or because it does not run.
    static func withoutDaemon(_ radio: RadioState) -> BluetoothError {
        radio.adapters.isEmpty
            ? BluetoothError(.noAdapter, "this host has no Bluetooth adapter, and bluetoothd is not running")
            : BluetoothError(.daemonUnavailable, "Bluetooth needs bluetoothd, which is not running")
    }

    private static func isWithoutDaemon(_ error: DBusError) -> Bool {
        switch error.shortName {
        case "ServiceUnknown", "NameHasNoOwner", "NoSuchUnit": true
        // The bus could not start it.
        default: error.name.contains(".Spawn.") || error.name.hasPrefix("org.freedesktop.systemd1.")
        }
    }

    static func notPermitted(_ error: DBusError) -> BluetoothError {
        BluetoothError(.notPermitted, "the D-Bus system bus does not let this user talk to bluetoothd: \(error.text)")
    }

    /// A request about an adapter.
    ///
    /// - Parameter doing: `scan`, for the message.
    static func ofAdapter(
        _ error: DBusError, _ adapter: BlueZTree.Adapter, doing: String, _ radio: RadioState
    ) -> BluetoothError {
        switch error.kind {
        case .timedOut:
            return BluetoothError(
                .daemonUnavailable, "bluetoothd does not answer the request to \(doing) on \(adapter.name)",
                cause: .hung)
        case .disconnected, .cancelled:
            return BluetoothError(.disconnected, "the D-Bus system bus has ended the connection")
        case .answered: break
        }
        switch error.shortName {
        case "AccessDenied": return notPermitted(error)
        case "Blocked", "NotReady": return isOff(error, adapter, radio)
        case "Failed" where doing == "switch on": return isOff(error, adapter, radio)
        case "InProgress":
            return BluetoothError(
                .adapterBusy, "the Bluetooth adapter \(adapter.name) neither begins a scan nor ends one: \(error.text)")
        default:
            if isWithoutDaemon(error) { return withoutDaemon(radio) }
            return BluetoothError(.refused, "bluetoothd refuses to \(doing) on \(adapter.name): \(error.text)")
        }
    }

    private static func isOff(
        _ error: DBusError, _ adapter: BlueZTree.Adapter, _ radio: RadioState
    ) -> BluetoothError {
        if let blocked = radio.blocked { return blocked }
        if error.shortName == "Blocked" || error.words.lowercased().contains("rfkill") {
            return BluetoothError(.blocked, "Bluetooth is switched off on this host (rfkill)", cause: .soft)
        }
        return BluetoothError(
            .adapterOff, "the Bluetooth adapter \(adapter.name) is off, and cannot be switched on: \(error.text)")
    }
}
