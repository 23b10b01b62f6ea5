/// The terms of a device's manufacturer that the user has accepted, for devices that ask for them.
public struct AcceptedTerms: Sendable, Hashable {
    /// Their version, as the manufacturer counts; at least the one that the device asks for.
    public var version: UInt16
    /// A bit for each accepted text; its number is the ordinal of the text.
    public var texts: UInt16

    /// Names the version and the texts.
    public init(version: UInt16, texts: UInt16) {
        self.version = version
        self.texts = texts
    }

    var acknowledgement: TermsAcknowledgement { TermsAcknowledgement(version: version, response: texts) }
}
