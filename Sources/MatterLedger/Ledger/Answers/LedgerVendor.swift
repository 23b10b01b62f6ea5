import JSON

/// A vendor and its names (Matter core specification, "Distributed Compliance Ledger").
public struct LedgerVendor: Hashable, Sendable {
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16
    var brand: String?
    var preferredName: String?
    /// The name in law; `nil` if the ledger does not say.
    public var legalName: String?
    /// The page of the vendor; `nil` if the ledger does not say.
    public var url: String?

    init(_ fields: LedgerFields) throws(LedgerError) {
        vendorID = try fields.integer("vendorID")
        brand = try fields.text("vendorName")
        preferredName = try fields.text("companyPreferredName")
        legalName = try fields.text("companyLegalName")
        url = try fields.text("vendorLandingPageURL")
    }

    /// For people.
    public var name: String? { brand ?? preferredName ?? legalName }
}

/// A product in the list of its vendor (Matter core specification, "Distributed Compliance Ledger").
public struct LedgerProduct: Hashable, Sendable {
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16
    /// The name of the product; `nil` if the ledger does not say.
    public var name: String?
    /// The number of the part; `nil` if the ledger does not say.
    public var partNumber: String?

    init(_ fields: LedgerFields) throws(LedgerError) {
        productID = try fields.integer("pid")
        name = try fields.text("name")
        partNumber = try fields.text("partNumber")
    }
}

extension LedgerQuery where Answer == [LedgerVendor] {
    package static var vendors: LedgerQuery {
        list("/dcl/vendorinfo/vendors", "vendorInfo", about: "the vendors") { fields throws(LedgerError) in
            try LedgerVendor(fields)
        }
    }
}

extension LedgerQuery where Answer == LedgerVendor {
    /// The ledger's entry on a vendor.
    public static func vendor(_ vendorID: UInt16) -> LedgerQuery {
        one("/dcl/vendorinfo/vendors/\(vendorID)", "vendorInfo", about: "vendor \(vendorID)") {
            fields throws(LedgerError) in
            let vendor = try LedgerVendor(fields)
            guard vendor.vendorID == vendorID else { throw fields.wrong("vendorID", "\(vendorID)") }
            return vendor
        }
    }
}
