package import MatterCrypto
package import MatterNetwork

/// A fabric with its certificate authority, and nodes of it.
package struct TestFabric: Sendable {
    /// The time in these tests, in Matter seconds: August 2026.
    package static let now: UInt32 = 838_857_600
    /// The same in seconds since 1970.
    package static let unixTime = MatterEpoch.unix(now)
    package static let validity = CertificateValidity.tenYears(from: now)

    package let local: LocalFabric

    package init() throws {
        local = try LocalFabric.create(nodeID: NodeID(0x1000), validity: Self.validity)
    }

    /// Our own membership.
    package var credentials: OperationalCredentials { local.credentials }

    package func issuer() throws -> LocalCertificateAuthority {
        try local.issuer(adminVendorID: VendorID(0xFFF1)) { Self.validity }
    }

    /// A member of the fabric.
    package func node(_ id: UInt64) throws -> CASECredentials {
        CASECredentials(
            try issuer().issueOwnCredentials(key: try P256PrivateKey.generate(SystemRandom()), nodeID: NodeID(id)))
    }
}
