/// The user's knowledge of a device that is to be commissioned: its passcode, and which of several devices is meant
/// (Matter core specification, 5.1).
public struct SetupCode: Hashable, Sendable {
    /// The passcode.
    public var passcode: SetupPasscode
    /// `nil` where any device in commissioning mode may be the one.
    package var discriminator: SetupDiscriminator?

    // memberwise: public, discriminator = nil

    /// True if both may be codes of one device: what only one of them says does not tell them apart.
    package func mayMean(_ other: SetupCode) -> Bool {
        guard passcode == other.passcode else { return false }
        guard let mine = discriminator, let its = other.discriminator else { return true }
        return mine.mayBe(its)
    }
}

extension SetupDiscriminator {
    /// True if both may be of one device, of which the upper four bits or all twelve are known.
    package func mayBe(_ other: SetupDiscriminator) -> Bool {
        guard short == other.short else { return false }
        guard let mine = long, let its = other.long else { return true }
        return mine == its
    }
}

extension SetupPayload {
    /// The data that finds the device and proves to it that its user is here.
    package var code: SetupCode { SetupCode(passcode: passcode, discriminator: discriminator) }
}
