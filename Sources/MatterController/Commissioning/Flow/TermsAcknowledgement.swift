/// The user's answer to the terms and conditions of a device's manufacturer, as SetTCAcknowledgements carries it
/// (Matter core specification 11.10.7.8).
public struct TermsAcknowledgement: Hashable, Sendable {
    /// The version of the texts.
    package var version: UInt16
    /// A bit for each text that was accepted; its number is the ordinal of the text.
    package var response: UInt16

    // memberwise: public
}

/// A device's demand that its manufacturer's terms be accepted (Matter core specification 11.10.7).
public struct TermsDemand: Hashable, Sendable {
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16?
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16?
    /// The oldest version that the device accepts.
    public var minimumVersion: UInt16
}
