import MatterNetwork

/// Turns refusals of PASE into words.
enum PASEFailure {
    /// - Parameter isContradicted: whether other answers said otherwise.
    static func error(
        _ refusals: [SecureChannelError], tried: String, isContradicted: Bool = false
    ) -> CommissioningError {
        let doubt = isContradicted ? "; other answers contradict it: possible interference" : ""
        if let closed = refusals.first(where: { $0.code == .windowClosed }),
            refusals.allSatisfy({ $0.code == .windowClosed })
        {
            return CommissioningError(
                .windowClosed, stage: .pase, "the device at \(tried) is not open for commissioning\(doubt)",
                hint:
                    "open its commissioning window: power-cycle a new device, or share it from the app that has it; one "
                    + "whose commissioning was cut short opens again by itself within a minute or two",
                underlying: closed)
        }
        if let wrong = refusals.first(where: { $0.code == .wrongPasscode || $0.code == .rejected }) {
            return CommissioningError(
                .wrongPasscode, stage: .pase, "wrong setup code: the device at \(tried) rejected it\(doubt)",
                hint:
                    "check the code on the device or in the app that shares it; a code from an app is valid only while "
                    + "its window is open",
                underlying: wrong)
        }
        return CommissioningError(
            .deviceRefused, stage: .pase,
            "pairing with \(tried) failed: \(refusals.first?.reason ?? "no answer")\(doubt)",
            underlying: refusals.first)
    }
}
