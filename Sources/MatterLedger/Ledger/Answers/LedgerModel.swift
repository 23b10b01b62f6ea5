import JSON

/// A product as its vendor describes it.
package struct LedgerModel: Hashable, Sendable {
    /// How to do something with the device: bits of what helps, and words that belong to them.
    package struct Steps: Hashable, Sendable {
        package var hint: UInt32
        var instruction: String?

        init(_ fields: LedgerFields, _ name: String) throws(LedgerError) {
            hint = try fields.number("\(name)Hint")
            instruction = try fields.text("\(name)Instruction")
        }

        package var isEmpty: Bool { hint == 0 && instruction == nil }
    }

    package enum Flow: Int, Sendable {
        case standard, userIntent, custom
    }

    package var vendorID: UInt16
    package var productID: UInt16
    package var deviceTypeID: UInt32?
    package var name: String?
    package var label: String?
    package var partNumber: String?
    /// `nil` for a number of a later specification.
    package var flow: Flow?
    package var flowURL: String?
    package var fallbackURL: String?
    /// As in the QR code; `nil` if it is not known.
    package var discoveryCapabilities: UInt8?
    /// How to make a new device ready to be commissioned.
    package var initialSteps: Steps
    /// How to make one ready that is on a fabric already.
    package var secondarySteps: Steps
    package var factoryResetSteps: Steps
    var wakeSteps: Steps
    package var userManualURL: String?
    package var supportURL: String?
    package var productURL: String?
    /// Texts that the user has to be shown.
    package var terms: Terms?

    /// Terms and conditions that a device demands the acknowledgement of.
    package struct Terms: Hashable, Sendable {
        package var url: String
        package var revision: UInt32
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
    package static func model(_ vendorID: UInt16, _ productID: UInt16) -> LedgerQuery {
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
