/// The decisions about a device that does not connect: try again, forget it first, or give up, and with which words.
///
/// BlueZ's errors for a link that was not made are many; most of them are noise of the radio, and the next attempt works.
struct ConnectAttempts: Equatable, Sendable {
    /// Attempts in all.
    static let most = 4
    /// The pause before the next attempt.
    static let pause = Duration.milliseconds(500)

    /// Why an attempt has failed.
    enum Failure: Equatable, Sendable {
        /// Connect was refused, or not answered.
        case refused(DBusError)
        /// The link was lost before the services were known.
        case linkLost
        /// The link is there, and the services were not told in time.
        case unresolved(Duration)
        /// The device's services lack that of Matter.
        case noService
        /// The Matter service lacks C1 or C2.
        case noCharacteristics
        /// The device is not known any more: it has a new address, or is away.
        case gone
    }

    enum Next: Equatable, Sendable {
        /// Disconnect, wait and connect again.
        case retry(after: Duration)
        /// Make the host forget the device, look for it again, and connect.
        case forget
        case giveUp(BluetoothError)
    }

    /// The device and the adapter for messages: `AA:BB:CC:DD:EE:FF on hci0`.
    let name: String
    /// True if the host has paired with the device: it is never forgotten then.
    let isPaired: Bool
    private(set) var count = 0
    private(set) var hasForgotten = false

    init(name: String, isPaired: Bool) {
        self.name = name
        self.isPaired = isPaired
    }

    /// Takes in the failure of an attempt.
    mutating func failed(_ failure: Failure) -> Next {
        count += 1
        switch failure {
        case .refused(let error): return refused(error)
        case .linkLost, .unresolved:
            return count < Self.most ? .retry(after: Self.pause) : .giveUp(finalError(failure))
        case .noService, .noCharacteristics, .gone:
            // The host's memory of the device may be from before a restart.
            guard !isPaired, !hasForgotten, count < Self.most else { return .giveUp(finalError(failure)) }
            hasForgotten = true
            return .forget
        }
    }

    private mutating func refused(_ error: DBusError) -> Next {
        switch error.kind {
        case .cancelled, .disconnected:
            return .giveUp(BluetoothError(.disconnected, "the D-Bus system bus has ended the connection"))
        case .timedOut, .answered: break
        }
        switch error.shortName {
        case "AccessDenied": return .giveUp(BlueZFailure.notPermitted(error))
        case "ServiceUnknown", "NameHasNoOwner":
            return .giveUp(BluetoothError(.disconnected, "bluetoothd has stopped while connecting to \(name)"))
        case "UnknownObject", "DoesNotExist", "UnknownMethod": return forgetOrGiveUp(.gone)
        default: break
        }
        if isAboutKeys(error), isPaired {
            return .giveUp(
                BluetoothError(
                    .bonded, "\(name) does not connect: this host has paired with it before (\(error.text))",
                    details: [address]))
        }
        // Keys of an earlier life; or it was taken for a device of classic Bluetooth.
        let isRemembered = isAboutKeys(error) || error.words.contains("br-connection")
        if isRemembered, !isPaired, !hasForgotten, count < Self.most {
            hasForgotten = true
            return .forget
        }
        return count < Self.most ? .retry(after: Self.pause) : .giveUp(finalError(.refused(error)))
    }

    private mutating func forgetOrGiveUp(_ failure: Failure) -> Next {
        guard !isPaired, !hasForgotten, count < Self.most else { return .giveUp(finalError(failure)) }
        hasForgotten = true
        return .forget
    }

    private var address: String { String(name.prefix { $0 != " " }) }

    private func isAboutKeys(_ error: DBusError) -> Bool {
        error.words.contains("key-missing") || error.shortName.hasPrefix("Authentication")
    }

    /// True if the host itself ended the attempt.
    private func isAbortedHere(_ error: DBusError) -> Bool {
        error.words.contains("abort-by-local") || error.words.contains("Software caused connection abort")
    }

    private var attempts: String { count == 1 ? "1 attempt" : "\(count) attempts" }

    private func finalError(_ failure: Failure) -> BluetoothError {
        switch failure {
        case .refused(let error):
            BluetoothError(
                .connectFailed, "no connection to \(name) after \(attempts): \(error.text)",
                cause: isAbortedHere(error) ? .abortedHere : nil)
        case .linkLost:
            BluetoothError(.connectFailed, "no connection to \(name) after \(attempts): the link was lost each time")
        case .unresolved(let time):
            BluetoothError(
                .servicesUnresolved,
                "\(name) connects, and does not tell its services within \(max(1, time.components.seconds)) s (\(attempts))"
            )
        case .noService:
            BluetoothError(.noService, "\(name) does not offer the Bluetooth service of Matter")
        case .noCharacteristics:
            BluetoothError(
                .staleCache, "the Matter service of \(name) lacks the characteristics C1 and C2", details: [address])
        case .gone:
            BluetoothError(.deviceGone, "\(name) is not seen any more")
        }
    }
}
