import MatterNetwork

/// True if a commissioner with a passcode may connect (Matter core specification 5.4.2.2 and 11.19).
struct CommissioningWindow: Sendable {
    typealias Mode = AdministratorCommissioning.CommissioningWindowStatus

    /// How many handshakes may fail before the window closes.
    static let mostAttempts = 20
    /// The range that an administrator may ask for, in seconds.
    static let timeouts: ClosedRange<UInt16> = 180...900

    var mode = Mode.windowNotOpen
    var verifier: SPAKE2PlusVerifierData?
    var pbkdf: PBKDFParameters?
    var discriminator: UInt16 = 0
    /// `nil` for the window of a device without a fabric.
    var deadline: Instant?
    var failedAttempts = 0
    var openerFabric: UInt8?
    var openerVendor: UInt16?
    /// True if an administrator opened it, so that the attributes tell of it.
    var isOpenedByCluster = false

    var isOpen: Bool { mode != .windowNotOpen }
}

extension SimulatedNode {
    /// Opens the window of a device without a fabric.
    func openWindowAtBoot() {
        guard !window.isOpen else { return }
        open(.basicWindowOpen, configuration.verifier, configuration.pbkdf, configuration.discriminator)
    }

    /// Opens a window with the device's own passcode, as a press of its button would.
    func openWindow(seconds: UInt16, at moment: Moment) {
        turn(at: moment) {
            guard !window.isOpen, failSafe == nil else { return }
            open(.basicWindowOpen, configuration.verifier, configuration.pbkdf, configuration.discriminator)
            window.deadline = moment.instant + .seconds(Int64(seconds))
        }
    }

    func openWindow(
        _ mode: CommissioningWindow.Mode, _ verifier: SPAKE2PlusVerifierData, _ pbkdf: PBKDFParameters,
        discriminator: UInt16, seconds: UInt16, by caller: Caller
    ) {
        open(mode, verifier, pbkdf, discriminator)
        window.deadline = moment.instant + .seconds(Int64(seconds))
        window.openerFabric = caller.fabricIndex
        window.openerVendor = fabrics[caller.fabricIndex]?.vendorID
        window.isOpenedByCluster = true
        touchWindow()
    }

    private func open(
        _ mode: CommissioningWindow.Mode, _ verifier: SPAKE2PlusVerifierData, _ pbkdf: PBKDFParameters,
        _ discriminator: UInt16
    ) {
        window = CommissioningWindow()
        window.mode = mode
        window.verifier = verifier
        window.pbkdf = pbkdf
        window.discriminator = discriminator
        effects.append(.advertise)
        reportCommissioning("window-opened", [("mode", .string("\(mode)"))])
    }

    func closeWindow(_ why: String) {
        guard window.isOpen else { return }
        let wasVisible = window.isOpenedByCluster
        window = CommissioningWindow()
        effects.append(.advertise)
        reportCommissioning("window-closed", [("reason", .string(why))])
        if wasVisible { touchWindow() }
        // A device without a fabric would otherwise be lost for ever.
        if fabrics.isEmpty, failSafe == nil, why != "attempts" { openWindowAtBoot() }
    }

    private func touchWindow() {
        typealias Attribute = AdministratorCommissioning.Attribute
        for attribute in [Attribute.windowStatus, Attribute.adminFabricIndex, Attribute.adminVendorId] {
            changed(0, AdministratorCommissioning.id, attribute)
        }
    }

    // MARK: PASE

    /// True if the window can be advertised: open, and no PASE session is under way.
    var isCommissionable: Bool { window.isOpen && failSafe == nil }

    /// A commissioner proved the passcode.
    func noteCommissioner(at moment: Moment) {
        turn(at: moment) {
            if failSafe == nil { armFailSafe(seconds: configuration.limits.failSafe, fabricIndex: 0) }
            effects.append(.advertise)
        }
    }

    /// A commissioner failed to prove the passcode.
    func noteFailedAttempt(at moment: Moment) {
        turn(at: moment) {
            window.failedAttempts += 1
            if window.failedAttempts >= CommissioningWindow.mostAttempts { closeWindow("attempts") }
        }
    }
}
