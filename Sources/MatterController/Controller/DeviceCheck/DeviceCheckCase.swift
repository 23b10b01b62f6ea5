/// A part of the examination of a device before it is sold, and what came of it (own).
public struct DeviceCheckCase: Sendable {
    /// The parts, in their order.
    public enum Kind: String, Sendable, CaseIterable {
        /// The printed codes, what a manifest says, and what the device says agree.
        case label
        /// The certificate and the declaration are those of the product.
        case certificate
        /// The ledger has the product as it is.
        case ledger
        /// The setup code is sound, and names the product that answers.
        case payload
        /// The device advertises itself as its code says.
        case discovery
        /// A fabric takes it in.
        case commissioning
        /// It proves its origin.
        case attestation
        /// It keeps the rules of the data model.
        case conformance
        /// It answers although datagrams are lost.
        case loss
        /// Its window opens and closes.
        case window
        /// Another fabric takes it in by the window, and both control it.
        case secondAdministrator = "second-administrator"
        /// It forgets both fabrics.
        case removal

        /// Those that compare a device with a manifest; the others are played with the device.
        static let compared: [Kind] = [.label, .certificate, .ledger]
        static let played = allCases.filter { !compared.contains($0) }
    }

    /// The judgement.
    public enum Verdict: String, Sendable, CaseIterable {
        /// It is as it should be.
        case passed
        /// It is not as it should be.
        case failed
        /// Nothing is wrong with it, but something could not be compared.
        case noted = "note"
        /// It could not be tried; the reason says why.
        case notTried = "not tried"
    }

    /// Something that was seen.
    public struct Evidence: Sendable, Hashable {
        /// The subject, in a few words of ours.
        public let label: String
        /// The observation. It may quote the device: escape it.
        public let text: String

        init(_ label: String, _ text: String) {
            self.label = label
            self.text = text
        }
    }

    /// The part of the examination.
    public let kind: Kind
    /// The judgement.
    public let verdict: Verdict
    /// The reason of the judgement, in a sentence. It may quote the device: escape it.
    public let reason: String
    /// The observations that it rests on.
    public let evidence: [Evidence]
    /// The time that it took; `nil` if it was not tried.
    public internal(set) var time: Duration?
    /// The lines of the log from its time, the oldest first; long ones are without their middle.
    public internal(set) var trace: [String] = []
    /// The messages of its time in words and without secrets, a text of several lines each, the oldest first; many are without
    /// their middle.
    public internal(set) var messages: [String] = []

    init(_ kind: Kind, _ verdict: Verdict, _ reason: String, _ evidence: [Evidence] = []) {
        self.kind = kind
        self.verdict = verdict
        self.reason = reason
        self.evidence = evidence
    }
}

/// The examination of a device before it is sold (own).
public struct DeviceCheckReport: Sendable {
    /// The vendor's number, as the device says it; `nil` if it did not.
    public let vendorID: UInt16?
    /// The product's number, as the device says it; `nil` if it did not.
    public let productID: UInt16?
    /// When it began, in seconds since 1970.
    public let began: Int64
    /// The time that all of it took.
    public let time: Duration
    /// The cases, in the order of their kinds: those that were played with the device, and those that compare it with a manifest.
    public let cases: [DeviceCheckCase]

    /// How many cases have a verdict.
    public func count(_ verdict: DeviceCheckCase.Verdict) -> Int { cases.count { $0.verdict == verdict } }
}
