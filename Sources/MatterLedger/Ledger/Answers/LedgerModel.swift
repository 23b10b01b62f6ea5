import JSON

/// A product as its vendor describes it (Matter core specification, "Distributed Compliance Ledger").
public struct LedgerModel: Hashable, Sendable {
    /// How to do something with the device: bits of what helps, and words that belong to them.
    public struct Steps: Hashable, Sendable {
        package var hint: UInt32
        var instruction: String?

        init(_ fields: LedgerFields, _ name: String) throws(LedgerError) {
            hint = try fields.number("\(name)Hint")
            instruction = try fields.text("\(name)Instruction")
        }

        /// Whether there is nothing to be told.
        public var isEmpty: Bool { hint == 0 && instruction == nil }
    }

    /// How a device is made ready for commissioning (Matter core specification, 5.1.3.1).
    public enum Flow: Int, Sendable {
        /// How the device gets ready for commissioning.
        case standard, userIntent, custom
    }

    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16
    /// The number of the device type; `nil` if the ledger does not say.
    public var deviceTypeID: UInt32?
    /// The name of the product; `nil` if the ledger does not say.
    public var name: String?
    /// The label of the product; `nil` if the ledger does not say.
    public var label: String?
    /// The number of the part; `nil` if the ledger does not say.
    public var partNumber: String?
    /// `nil` for a number of a later specification.
    public var flow: Flow?
    /// Where the vendor explains how to commission; `nil` if the ledger does not say.
    public var flowURL: String?
    /// Where to go if all else fails; `nil` if the ledger does not say.
    public var fallbackURL: String?
    /// As in the QR code; `nil` if it is not known.
    package var discoveryCapabilities: UInt8?
    /// How to make a new device ready to be commissioned.
    public var initialSteps: Steps
    /// How to make one ready that is on a fabric already.
    public var secondarySteps: Steps
    /// How the product is reset.
    public var factoryResetSteps: Steps
    var wakeSteps: Steps
    /// Where the manual is; `nil` if the ledger does not say.
    public var userManualURL: String?
    /// Where help is; `nil` if the ledger does not say.
    public var supportURL: String?
    /// Where the product is described; `nil` if the ledger does not say.
    public var productURL: String?
    /// Texts that the user has to be shown.
    public var terms: Terms?

    /// Terms and conditions that a device demands the acknowledgement of.
    public struct Terms: Hashable, Sendable {
        /// Where the texts are.
        public var url: String
        /// The version of the texts.
        public var revision: UInt32
        package var digest: String?
        package var size: UInt32
        var maintenanceURL: String?
    }

    init(_ fields: LedgerFields) throws(LedgerError) {
        vendorID = try fields.integer("vid")
        productID = try fields.integer("pid")
        deviceTypeID = try fields.positive("deviceTypeId")
        name = try fields.text("productName")
        label = try fields.text("productLabel")
        partNumber = try fields.text("partNumber")
        flow = Flow(rawValue: try fields.number("commissioningCustomFlow"))
        flowURL = try fields.text("commissioningCustomFlowUrl")
        fallbackURL = try fields.text("commissioningFallbackUrl")
        discoveryCapabilities = try fields.positive("discoveryCapabilitiesBitmask")
        initialSteps = try Steps(fields, "commissioningModeInitialSteps")
        secondarySteps = try Steps(fields, "commissioningModeSecondarySteps")
        factoryResetSteps = try Steps(fields, "factoryResetSteps")
        wakeSteps = try Steps(fields, "icdUserActiveModeTrigger")
        userManualURL = try fields.text("userManualUrl")
        supportURL = try fields.text("supportUrl")
        productURL = try fields.text("productUrl")
        terms = try Self.terms(fields)
    }

    private static func terms(_ fields: LedgerFields) throws(LedgerError) -> Terms? {
        let options: UInt32 = try fields.number("enhancedSetupFlowOptions")
        guard options & 1 != 0, let url = try fields.text("enhancedSetupFlowTCUrl") else { return nil }
        // The ledger has one spelling, its clients another.
        let maintenance = try fields.text("maintenanceUrl")
        let spelledOut = try fields.text("enhancedSetupFlowMaintenanceUrl")
        return Terms(
            url: url, revision: try fields.number("enhancedSetupFlowTCRevision"),
            digest: try fields.text("enhancedSetupFlowTCDigest"),
            size: try fields.number("enhancedSetupFlowTCFileSize"), maintenanceURL: maintenance ?? spelledOut)
    }
}

extension LedgerQuery where Answer == LedgerModel {
    /// The ledger's entry on a product.
    public static func model(_ vendorID: UInt16, _ productID: UInt16) -> LedgerQuery {
        one("/dcl/model/models/\(vendorID)/\(productID)", "model", about: "model \(vendorID)/\(productID)") {
            fields throws(LedgerError) in
            let model = try LedgerModel(fields)
            guard model.vendorID == vendorID, model.productID == productID else {
                throw fields.wrong("pid", "\(productID) of vendor \(vendorID)")
            }
            return model
        }
    }
}
