/// The prover's secret, from a passcode: the scalars w0 and w1 (Crypto_PAKEValues_Initiator).
package struct SPAKE2PlusSecret: Sendable {
    /// Iterations that a device may ask for (CRYPTO_PBKDF_ITERATIONS_MIN and _MAX).
    static let iterationCounts = 1000...100_000
    /// Octets of PBKDF2 output for each of w0 and w1; 8 more than the scalars so that the reduction leaves no bias.
    private static let seedCount = 40

    /// w0, 32 bytes.
    let w0: SecretBytes
    /// w1, 32 bytes.
    let w1: SecretBytes

    /// Derives the scalars: PBKDF2 over the passcode as four bytes, least significant first.
    /// - Parameters:
    ///   - salt: 16 to 32 bytes.
    ///   - iterations: 1000 to 100000.
    /// - Throws: `crypto.invalid-length`, `crypto.invalid-parameter`.
    package init(passcode: UInt32, salt: [UInt8], iterations: Int) throws(CryptoError) {
        guard Self.iterationCounts ~= iterations else {
            throw CryptoError(.invalidParameter, "PBKDF2 runs 1000 to 100000 iterations, not \(iterations)")
        }
        let password = SecretBytes((0..<4).map { UInt8(truncatingIfNeeded: passcode >> (8 * $0)) })
        let seed = try PBKDF2.sha256(
            password: password, salt: salt, iterations: iterations, count: 2 * Self.seedCount)
        try self.init(
            w0: P256.reduce(seed.part(0..<Self.seedCount)),
            w1: P256.reduce(seed.part(Self.seedCount..<2 * Self.seedCount)))
    }

    /// Takes scalars that are already known.
    /// - Throws: `crypto.invalid-length` unless each has 32 bytes, `crypto.invalid-scalar` for one outside 1 ..< n.
    package init(w0: SecretBytes, w1: SecretBytes) throws(CryptoError) {
        _ = try P256Scalar(w0)
        _ = try P256Scalar(w1)
        self.w0 = w0
        self.w1 = w1
    }

    /// The verifier that a device stores instead of the passcode.
    /// - Throws: `crypto.internal`.
    package func verifierData() throws(CryptoError) -> SPAKE2PlusVerifierData {
        let point = try P256Point.generator(times: P256Scalar(w1))
        return try SPAKE2PlusVerifierData(w0: w0, L: P256PublicKey(point))
    }
}

/// The passcode verifier that a device holds: w0 and L = w1 · P (Crypto_PAKEValues_Responder). It does not reveal the
/// passcode at once but lets one guess at it offline, so it is kept like a key.
package struct SPAKE2PlusVerifierData: Sendable, Equatable {
    /// Octets of the serialised form: w0 and an uncompressed point.
    static let serializedCount = P256.scalarCount + P256.pointCount

    /// w0, 32 bytes.
    let w0: SecretBytes
    /// The point L.
    let L: P256PublicKey

    /// - Throws: `crypto.invalid-length` unless w0 has 32 bytes, `crypto.invalid-scalar` for one outside 1 ..< n.
    package init(w0: SecretBytes, L: P256PublicKey) throws(CryptoError) {
        _ = try P256Scalar(w0)
        self.w0 = w0
        self.L = L
    }

    /// Derives the verifier from a passcode; the bounds are those of ``SPAKE2PlusSecret``.
    /// - Throws: `crypto.invalid-length`, `crypto.invalid-parameter`.
    package init(passcode: UInt32, salt: [UInt8], iterations: Int) throws(CryptoError) {
        self = try SPAKE2PlusSecret(passcode: passcode, salt: salt, iterations: iterations).verifierData()
    }

    /// Reads the form in which OpenCommissioningWindow carries it: w0, then L; 97 bytes.
    /// - Throws: `crypto.invalid-length`, `crypto.invalid-scalar`, `crypto.invalid-point`.
    package init(serialized: [UInt8]) throws(CryptoError) {
        guard serialized.count == Self.serializedCount else {
            throw CryptoError(
                .invalidLength, "a passcode verifier has \(Self.serializedCount) bytes, not \(serialized.count)")
        }
        try self.init(
            w0: SecretBytes(serialized.prefix(P256.scalarCount)),
            L: P256PublicKey(x963: Array(serialized.suffix(P256.pointCount))))
    }

    /// The 97 bytes that ``init(serialized:)`` reads.
    package func serialized() -> SecretBytes {
        SecretBytes(count: Self.serializedCount) { buffer in
            w0.withUnsafeBytes { buffer.copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: buffer[P256.scalarCount...]).copyBytes(from: L.x963)
        }
    }
}
