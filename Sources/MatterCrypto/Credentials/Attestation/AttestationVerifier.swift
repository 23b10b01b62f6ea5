/// Where evidence comes from.
package enum AttestationSource: Sendable, Hashable {
    /// A device that was asked in a session, or a key that answered now.
    case device
    /// The answer of a device that was asked some time, with the question that it answered.
    case recording
    /// Files without an answer.
    case certificates
}

/// The evidence of a device for a commissioner, with the question that it answers (Matter core specification, 6.2.3).
public struct AttestationEvidence: Sendable, Hashable {
    /// The device attestation certificate, DER.
    package var dac: [UInt8]
    /// The product attestation intermediate certificate, DER.
    package var pai: [UInt8]
    package var response: AttestationResponse
    /// The nonce of the AttestationRequest, 32 bytes.
    package var nonce: [UInt8]
    /// The challenge of the session in which it was asked, 16 bytes.
    package var attestationChallenge: [UInt8]
    /// VendorID of the Basic Information cluster; `nil` only where no device was asked.
    public var vendorID: VendorID?
    /// The id that the vendor gave the product: ProductID of the Basic Information cluster.
    public var productID: UInt16?
    /// The contents of the setup code, as far as it names vendor and product.
    package var setupCode: VendorAndProduct?
    /// The device's advertisement by mDNS (record VP), as far as it does.
    package var advertised: VendorAndProduct?
    /// The certification declaration of credentials that are judged without a device: there is no answer that has it.
    package var declaration: [UInt8]?
    package var source = AttestationSource.device

    package init(
        dac: [UInt8], pai: [UInt8], response: AttestationResponse, nonce: [UInt8], attestationChallenge: [UInt8],
        vendorID: VendorID?, productID: UInt16?
    ) {
        self.dac = dac
        self.pai = pai
        self.response = response
        self.nonce = nonce
        self.attestationChallenge = attestationChallenge
        self.vendorID = vendorID
        self.productID = productID
    }

    /// Whether a device answered, now or when it was recorded.
    var hasAnswer: Bool { source != .certificates && declaration == nil }

    /// A note for people on where it comes from.
    var noteOnSource: String? {
        switch source {
        case .recording: "no device was asked: a recording of its answer proves nothing of the device that is there now"
        case .certificates where declaration == nil: "no device was asked: only the certificates are judged"
        case .certificates: "no device was asked: only the certificates and the declaration are judged"
        case .device: nil
        }
    }

    /// Vendor and product of Basic Information.
    package var reported: VendorAndProduct? {
        vendorID == nil && productID == nil ? nil : VendorAndProduct(vendorID: vendorID, productID: productID)
    }
}

/// Decides whether a device is what it says (Matter core specification, 6.2.3): pure, the same answer for the same
/// arguments.
package struct AttestationVerifier: Sendable {
    package let trust: TrustStore
    /// `nil` to pass the step over: nothing counts as revoked then.
    package let revocation: RevocationCheck?

    // memberwise: package, revocation = nil

    /// Takes all steps and reports on each.
    /// - Parameter time: what is known of the time; the validity of the DAC is only checked against a right clock.
    package func verify(_ evidence: AttestationEvidence, at time: ValidationTime) -> AttestationReport {
        var examination = AttestationExamination(evidence: evidence, trust: trust, revocation: revocation, time: time)
        return examination.run()
    }
}
