/// The user's answer to the terms and conditions of a device's manufacturer, as SetTCAcknowledgements carries it
/// (Matter core specification 11.10.7.8).
package struct TermsAcknowledgement: Hashable, Sendable {
    package var version: UInt16
    /// A bit for each text that was accepted; its number is the ordinal of the text.
    package var response: UInt16

    // memberwise: package
}

/// A device's demand that its manufacturer's terms be accepted.
package struct TermsDemand: Hashable, Sendable {
    package var vendorID: UInt16?
    package var productID: UInt16?
    /// The oldest version that the device accepts.
    package var minimumVersion: UInt16
}
