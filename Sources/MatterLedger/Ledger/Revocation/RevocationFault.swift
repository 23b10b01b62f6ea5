/// Why a list of revoked certificates does not count.
package struct RevocationFault: Error, Hashable, Sendable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}

extension RevocationPoint {
    /// The ledger's name of a point. An issuer may publish its list in parts, each with a label.
    package struct Key: Hashable, Sendable {
        package var issuerKeyIdentifier: [UInt8]
        package var vendorID: UInt16
        package var label: String

        // memberwise: package
    }

    package var key: Key { Key(issuerKeyIdentifier: issuerKeyIdentifier, vendorID: vendorID, label: label) }
}
