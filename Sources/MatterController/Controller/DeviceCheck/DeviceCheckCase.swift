/// A part of the examination of a device before it is sold, and what came of it (own).
public struct DeviceCheckCase: Sendable {
    /// The parts, in their order.
    public enum Kind: String, Sendable, CaseIterable {
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
    }

    /// The judgement.
    public enum Verdict: String, Sendable, CaseIterable {
        /// It is as it should be.
        case passed
        /// It is not as it should be.
        case failed
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
    /// One case of each kind, in their order.
    public let cases: [DeviceCheckCase]

    /// How many cases have a verdict.
    public func count(_ verdict: DeviceCheckCase.Verdict) -> Int { cases.count { $0.verdict == verdict } }
}
