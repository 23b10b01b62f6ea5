import MatterController

extension Field {
    /// When an answer came.
    static func asOf(_ date: Int64) -> Field { Field("asOf", DateText.time(date), label: "as of") }
}

extension LedgerModel.Steps {
    /// The steps in words; `nil` if there are none.
    var list: [String]? { isEmpty ? nil : words }
}

extension Report {
    init(_ model: LedgerModel, vendor: LedgerVendor?) {
        self.init {
            Field("vendorId", model.vendorID, label: "vendor id", text: VendorID(model.vendorID).description)
            Field("productId", model.productID, label: "product id", text: "\(model.productID)")
            Field("vendorName", vendor?.name, label: "vendor")
            Field("productName", model.name, label: "product")
            Field("productLabel", model.label, label: "label")
            Field("partNumber", model.partNumber, label: "part number")
            Field("deviceType", model.deviceTypeID, label: "device type")
            Field("commissioningFlow", model.flow.map { "\($0)" }, label: "commissioning flow")
            Field("commissioningFlowUrl", model.flowURL, label: "commissioning page")
            Field("commissioningFallbackUrl", model.fallbackURL, label: "help page")
            Field("initialSteps", model.initialSteps.list)
            Field(label: "to commission", model.initialSteps.list)
            Field("secondarySteps", model.secondarySteps.list)
            Field(label: "to add to another fabric", model.secondarySteps.list)
            Field("factoryResetSteps", model.factoryResetSteps.list)
            Field(label: "to reset", model.factoryResetSteps.list)
            Field("userManualUrl", model.userManualURL, label: "manual")
            Field("supportUrl", model.supportURL, label: "support")
            Field("productUrl", model.productURL, label: "product page")
            Field("termsUrl", model.terms?.url, label: "terms")
            Field("termsRevision", model.terms?.revision)
        }
    }

    init(_ vendor: LedgerVendor) {
        self.init {
            Field("vendorId", vendor.vendorID, label: "vendor id", text: VendorID(vendor.vendorID).description)
            Field("name", vendor.name, label: "name")
            Field("legalName", vendor.legalName, label: "legal name")
            Field("url", vendor.url, label: "web site")
        }
    }

    init(_ product: LedgerProduct) {
        self.init {
            Field("productId", product.productID, column: "PRODUCT ID")
            Field("name", product.name, column: "NAME")
            Field("partNumber", product.partNumber, column: "PART NUMBER")
        }
    }

    init(_ version: ModelVersion) {
        self.init {
            Field("version", version.version, column: "VERSION")
            Field("text", version.text, column: "NAME")
            Field("valid", version.isValid, column: "VALID", text: version.isValid ? "yes" : "no")
            Field("updateUrl", version.updateURL)
            Field("updateSize", version.updateSize, column: "IMAGE BYTES")
            Field("from", version.applicable?.lowerBound, column: "FROM")
            Field("to", version.applicable?.upperBound, column: "TO")
            Field("releaseNotesUrl", version.releaseNotesURL)
        }
    }

    /// - Parameter compliance: `nil` if the ledger knows of no certification.
    init(version: UInt32, _ compliance: LedgerCompliance?) {
        let status = compliance.map { $0.status.map { "\($0)" } ?? "unknown" } ?? "none"
        self.init {
            Field("version", version, column: "VERSION")
            Field("status", status, column: "STATUS")
            Field("date", compliance?.date, column: "SINCE")
            Field("certificateId", compliance?.certificateID, column: "CERTIFICATE")
            Field("route", compliance?.route, column: "ROUTE")
            Field("transport", compliance?.transport, column: "TRANSPORT")
            Field("reason", compliance?.reason)
        }
    }

    init(_ identifier: LedgerCertificateID) {
        self.init {
            Field("keyId", KeyIdentifierText.plain(identifier.keyIdentifier), label: "key id", column: "KEY ID")
            Field("subject", identifier.name, label: "subject", column: "SUBJECT")
        }
    }
}
