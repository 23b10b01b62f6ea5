package import MatterBase

/// Why nothing can be done over Bluetooth: what is missing on this host or on the way to the device, and the cure.
package struct BluetoothError: CodedError, Equatable {
    /// The kind of fault.
    package enum Code: String, ErrorCode, CaseIterable {
        /// The D-Bus library is not installed.
        case libraryMissing = "bluetooth.library-missing"
        /// The D-Bus system bus does not answer.
        case busUnavailable = "bluetooth.bus-unavailable"
        /// `bluetoothd` is not running.
        case daemonUnavailable = "bluetooth.daemon-unavailable"
        /// This host has no Bluetooth adapter, or none that can be a central.
        case noAdapter = "bluetooth.no-adapter"
        /// The adapter that was asked for is not there.
        case unknownAdapter = "bluetooth.unknown-adapter"
        /// The bus does not let this user talk to `bluetoothd`.
        case notPermitted = "bluetooth.not-permitted"
        /// A switch of the host (rfkill) keeps the radio off.
        case blocked = "bluetooth.blocked"
        /// The adapter is off and cannot be switched on.
        case adapterOff = "bluetooth.adapter-off"
        /// The adapter is busy with a scan that it neither does nor ends.
        case adapterBusy = "bluetooth.adapter-busy"
        /// `bluetoothd` refuses a request, for another reason.
        case refused = "bluetooth.refused"
        /// `bluetoothd` stopped, or the bus ended the connection.
        case disconnected = "bluetooth.disconnected"
        /// This process may start no more threads, or open no more files.
        case outOfResources = "bluetooth.out-of-resources"
        /// The device is not seen any more.
        case deviceGone = "bluetooth.device-gone"
        /// No attempt to connect to the device has succeeded.
        case connectFailed = "bluetooth.connect-failed"
        /// The device's services were not told in time.
        case servicesUnresolved = "bluetooth.services-unresolved"
        /// The host's memory of the device's services is out of date.
        case staleCache = "bluetooth.stale-cache"
        /// The device does not offer the service of Matter.
        case noService = "bluetooth.no-service"
        /// An earlier pairing of the host with the device stands in the way.
        case bonded = "bluetooth.bonded"

        package var kind: FailureKind {
            switch self {
            case .outOfResources: .localState
            case .libraryMissing, .busUnavailable, .daemonUnavailable, .noAdapter, .unknownAdapter, .notPermitted,
                .blocked, .adapterOff, .adapterBusy, .refused, .disconnected:
                .serviceMissing
            case .deviceGone, .connectFailed, .servicesUnresolved, .staleCache, .noService, .bonded: .noAnswer
            }
        }
    }

    /// The facts that decide the next step where the code alone does not.
    package enum Cause: String, Sendable {
        /// The service is there and hangs, so that starting it would not help.
        case hung
        /// The service has not answered in the time that the caller has; with more it may.
        case late
        /// A switch on the machine, or a setting of its firmware.
        case hard
        /// A switch in software.
        case soft
        /// The host itself ended the attempts: radio, firmware or the scan of another program.
        case abortedHere = "aborted-here"
        /// There are other adapters.
        case choose
    }

    package var code: Code
    /// A sentence for a person.
    package var reason: String
    package var cause: Cause?
    /// Values for the next step.
    package var details: [String]

    package init(_ code: Code, _ reason: String, cause: Cause? = nil, details: [String] = []) {
        self.code = code
        self.reason = reason
        self.cause = cause
        self.details = details
    }

    /// True if something of this host is missing, rather than a device.
    package var isLocalServiceMissing: Bool { code.kind == .serviceMissing }

    package var hint: Hint? {
        let name = cause.map { "\(code.rawValue).\($0.rawValue)" } ?? code.rawValue
        return switch details.count {
        case 0: cause == nil ? nil : .step(name)
        case 1: .step(name, details[0])
        default: .step(name, details[0], details[1])
        }
    }

    package var stageName: String? {
        switch code {
        case .connectFailed, .servicesUnresolved, .staleCache, .noService, .bonded: "connect"
        default: "discover"
        }
    }
}
