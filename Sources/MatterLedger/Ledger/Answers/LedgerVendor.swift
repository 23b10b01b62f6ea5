import JSON

/// A vendor and its names.
package struct LedgerVendor: Hashable, Sendable {
    package var vendorID: UInt16
    var brand: String?
    var preferredName: String?
    package var legalName: String?
    package var url: String?

    init(_ fields: LedgerFields) throws(LedgerError) {
        vendorID = try fields.integer("vendorID")
        brand = try fields.text("vendorName")
        preferredName = try fields.text("companyPreferredName")
        legalName = try fields.text("companyLegalName")
        url = try fields.text("vendorLandingPageURL")
    }

    /// For people.
    package var name: String? { brand ?? preferredName ?? legalName }
}

/// A product in the list of its vendor.
package struct LedgerProduct: Hashable, Sendable {
    package var productID: UInt16
    package var name: String?
    package var partNumber: String?

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
    package static func vendor(_ vendorID: UInt16) -> LedgerQuery {
        one("/dcl/vendorinfo/vendors/\(vendorID)", "vendorInfo", about: "vendor \(vendorID)") {
            fields throws(LedgerError) in
            let vendor = try LedgerVendor(fields)
            guard vendor.vendorID == vendorID else { throw fields.wrong("vendorID", "\(vendorID)") }
            return vendor
        }
    }
}
