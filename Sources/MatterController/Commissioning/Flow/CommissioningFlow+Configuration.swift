package import MatterCrypto

extension CommissioningFlow {
    /// The configuration, decided before the first message.
    package struct Configuration: Sendable {
        /// The parameters of AddTrustedRootCertificate and AddNOC besides the chain.
        package var fabric: FabricParameters
        package var fabricID: FabricID
        /// ISO 3166-1 alpha-2, or `XX`.
        package var country: String
        /// The location to set where the device leaves a choice; `nil` for what the device has.
        package var location: UInt8?
        /// Random bytes for the two challenges, 32 each.
        var attestationNonce: [UInt8]
        var csrNonce: [UInt8]
        /// AttestationChallenge of the PASE session, 16 bytes.
        package var attestationChallenge: [UInt8]
        /// For SetUTCTime: microseconds since 2000-01-01, asked for when the command is sent.
        var utcMicroseconds: @Sendable () -> UInt64
        /// The host's time zone.
        package var timeZone: TimeZoneRules
        /// The vendor and product of the setup code, if it names them.
        var expectedProduct: ExpectedProduct
        /// Vendor and product as the device advertises them.
        package var advertised: VendorAndProduct?
        /// The answer to a manufacturer's terms; `nil` if there is none yet.
        package var terms: @Sendable (TermsDemand) -> TermsAcknowledgement?
        /// The user's wish for the network of the device.
        package var network = NetworkPreference()
        /// Whether the device is reached over an IP network.
        package var isOnNetwork = true
        /// The node, and its endpoint, that gives devices the time.
        package var timeSource: (node: UInt64, endpoint: UInt16)?
        /// The server that devices take the time from.
        package var ntpServer: String?
        /// How long the fail-safe has to last from operational discovery on.
        var operationalSeconds: UInt16
        package var validationTime: ValidationTime
        /// Whether to read the endpoints at the end.
        package var readsEndpoints: Bool
        /// Ends the flow after this stage, as a failure that is undone; `complete` cannot be undone, and only leaves out
        /// what comes after it. For tests.
        package var until: CommissioningStage?

        init(
            fabric: FabricParameters, fabricID: FabricID, country: String = "XX",
            location: UInt8? = nil, attestationNonce: [UInt8], csrNonce: [UInt8], attestationChallenge: [UInt8],
            utcMicroseconds: @escaping @Sendable () -> UInt64, timeZone: TimeZoneRules = .utc,
            expectedProduct: ExpectedProduct = ExpectedProduct(), advertised: VendorAndProduct? = nil,
            terms: @escaping @Sendable (TermsDemand) -> TermsAcknowledgement? = { _ in nil },
            operationalSeconds: UInt16 = 60, validationTime: ValidationTime, readsEndpoints: Bool = true,
            until: CommissioningStage? = nil
        ) {
            self.fabric = fabric
            self.fabricID = fabricID
            self.country = country
            self.location = location
            self.attestationNonce = attestationNonce
            self.csrNonce = csrNonce
            self.attestationChallenge = attestationChallenge
            self.utcMicroseconds = utcMicroseconds
            self.timeZone = timeZone
            self.expectedProduct = expectedProduct
            self.advertised = advertised
            self.terms = terms
            self.operationalSeconds = operationalSeconds
            self.validationTime = validationTime
            self.readsEndpoints = readsEndpoints
            self.until = until
        }
    }

    /// The product of a setup code.
    struct ExpectedProduct: Sendable {
        var vendorID: UInt16?
        var productID: UInt16?

        /// For the attestation; a code may have 0 for any product.
        var named: VendorAndProduct {
            VendorAndProduct(
                vendorID: vendorID.flatMap { $0 == 0 ? nil : VendorID($0) },
                productID: productID.flatMap { $0 == 0 ? nil : $0 })
        }

        /// A sentence that names the difference, if there is one.
        func mismatch(_ information: DeviceInformation) -> String? {
            func differ(_ expected: UInt16?, _ found: UInt16?) -> Bool {
                guard let expected, expected != 0, let found else { return false }
                return expected != found
            }
            guard differ(vendorID, information.vendorID) || differ(productID, information.productID) else { return nil }
            let code = VendorAndProduct(vendorID: vendorID.map { VendorID($0) }, productID: productID)
            let device = VendorAndProduct(
                vendorID: information.vendorID.map { VendorID($0) }, productID: information.productID)
            return "the setup code is for \(code), but the device reports \(device)"
        }
    }
}
