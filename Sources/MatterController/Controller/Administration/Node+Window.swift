import MatterState

/// A commissioning window of a node, open for another administrator (Matter core specification, 11.19).
public struct CommissioningWindow: Sendable, Hashable {
    /// The text of the QR code that admits (`MT:…`); `nil` for the device's own code.
    public let qrCode: String?
    /// The manual pairing code that admits; `nil` for the device's own code.
    public let manualCode: String?
    /// When it closes by itself, in seconds since 1970.
    public let end: Int64
}

/// A node's statement on its commissioning window (Matter core specification, 11.19).
public struct CommissioningWindowStatus: Sendable, Hashable {
    /// How the window admits.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// It does not.
        case closed
        /// With a code that an administrator chose.
        case enhanced
        /// With the device's own code.
        case basic
    }

    /// How it admits.
    public let mode: Mode
    /// The label of the fabric that opened it, as the fabric wrote it; `nil` if there is none.
    public let openedBy: String?
    /// Whether our fabric has opened it.
    public let isOurs: Bool
    /// When it closes by itself, in seconds since 1970; `nil` if another administrator opened it.
    public let end: Int64?
}

/// Windows for other administrators (Matter core specification 11.19).
extension Node {
    /// Opens the commissioning window with a new setup code.
    ///
    /// - Parameters:
    ///   - span: for how long: 180 s to 900 s.
    ///   - own: with the device's own setup code instead, where the device can.
    /// - Throws: ``MatterError``, `refused` if a window is open already.
    public func openWindow(
        for span: Duration = .seconds(180), withOwnCode own: Bool = false, within time: Duration? = nil
    ) async throws -> CommissioningWindow {
        try await reportingErrors {
            guard AdministrationService.windowDurations.contains(span) else {
                throw ControllerError(.outOfLimits, "a commissioning window is open for 180 s to 900 s")
            }
            let window = try await controller.administration.openWindow(
                of: record, isBasic: own, for: span, title: record.title, budget: Budget(time))
            return CommissioningWindow(
                qrCode: try window.payload?.qrCode(), manualCode: try window.payload?.manualCode(), end: window.end)
        }
    }

    /// Closes the commissioning window.
    ///
    /// - Returns: whether one was open.
    /// - Throws: ``MatterError``.
    @discardableResult
    public func closeWindow(within time: Duration? = nil) async throws -> Bool {
        try await reportingErrors {
            try await controller.administration.closeWindow(of: record, title: record.title, budget: Budget(time))
        }
    }

    /// Whether a commissioning window is open, and whose it is.
    ///
    /// - Throws: ``MatterError``.
    public func window(within time: Duration? = nil) async throws -> CommissioningWindowStatus {
        try await reportingErrors {
            // Its end was written down when it was opened.
            let known = try controller.context.nodes().node(record.nodeID) ?? record
            let (state, end) = try await controller.administration.windowState(
                of: known, title: known.title, budget: Budget(time))
            let mode: CommissioningWindowStatus.Mode =
                switch state.mode {
                case .closed: .closed
                case .enhanced: .enhanced
                case .basic: .basic
                }
            return CommissioningWindowStatus(
                mode: mode, openedBy: state.opener?.label, isOurs: state.opener?.isOurs ?? false, end: end)
        }
    }
}
