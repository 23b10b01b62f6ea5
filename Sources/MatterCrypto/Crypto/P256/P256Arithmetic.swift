import COpenSSL

/// The curve P-256 (NIST SP 800-186, secp256r1): the only one in Matter.
enum P256 {
    /// Octets of a scalar or a coordinate.
    static let scalarCount = 32
    /// Octets of an uncompressed point: 0x04, x, y.
    static let pointCount = 65
    /// Octets of a raw signature: r, s.
    static let signatureCount = 64

    /// The number that `octets` spell, big-endian, modulo the order of the group, as 32 octets.
    /// - Throws: `crypto.internal`.
    static func reduce(_ octets: SecretBytes) throws(CryptoError) -> SecretBytes {
        guard let order = EC_GROUP_get0_order(try group()) else { throw CryptoError.library("read the group order") }
        let number = try BigNumber.reading(octets)
        let remainder = try BigNumber()
        guard let scratch = BN_CTX_secure_new() else { throw CryptoError.library("make a number context") }
        defer { BN_CTX_free(scratch) }
        guard BN_nnmod(remainder.pointer, number.pointer, order, scratch) == 1 else {
            throw CryptoError.library("reduce a number")
        }
        return try SecretBytes(count: scalarCount) { (buffer) throws(CryptoError) in
            try remainder.write(into: buffer)
        }
    }

    static func group() throws(CryptoError) -> OpaquePointer {
        guard let group = copenssl_p256() else { throw CryptoError.library("set up P-256") }
        return group
    }
}

/// A secret number of libcrypto's, handled in constant time and wiped when freed.
struct BigNumber: ~Copyable {
    let pointer: OpaquePointer

    /// Zero.
    init() throws(CryptoError) {
        guard let pointer = BN_new() else { throw CryptoError.library("make a number") }
        BN_set_flags(pointer, BN_FLG_CONSTTIME)
        self.pointer = pointer
    }

    /// The number that `octets` spell, big-endian.
    static func reading(_ octets: SecretBytes) throws(CryptoError) -> BigNumber {
        let number = try BigNumber()
        let read = octets.withUnsafeBytes { octets -> OpaquePointer? in
            guard let size = Int32(exactly: octets.count) else { return nil }
            return BN_bin2bn(octets.assumingMemoryBound(to: UInt8.self).baseAddress, size, number.pointer)
        }
        guard read != nil else { throw CryptoError.library("read a number") }
        return number
    }

    deinit {
        BN_clear_free(pointer)
    }

    /// Writes the number big-endian, with leading zeros to the buffer's length.
    func write(into buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard let size = Int32(exactly: buffer.count),
            BN_bn2binpad(pointer, buffer.assumingMemoryBound(to: UInt8.self).baseAddress, size) == size
        else { throw CryptoError.library("write a number") }
    }
}

/// A scalar in 1 ..< n: a private key, or one of the secrets of SPAKE2+.
struct P256Scalar: ~Copyable {
    let number: BigNumber

    /// - Throws: `crypto.invalid-length` unless there are 32 bytes, `crypto.invalid-scalar` for zero or n and above.
    init(_ octets: SecretBytes) throws(CryptoError) {
        guard octets.count == P256.scalarCount else {
            throw CryptoError(.invalidLength, "a P-256 scalar has 32 bytes, not \(octets.count)")
        }
        let number = try BigNumber.reading(octets)
        guard BN_is_zero(number.pointer) == 0,
            BN_cmp(number.pointer, EC_GROUP_get0_order(try P256.group())) < 0
        else {
            throw CryptoError(.invalidScalar, "the scalar is zero or not below the order of P-256")
        }
        self.number = number
    }

    /// A uniformly random scalar: the first 32 bytes of the source that are in range.
    /// - Throws: `crypto.random-failed`, also when the source gives nothing that serves.
    static func random(_ source: any RandomSource) throws(CryptoError) -> SecretBytes {
        // A sound source is out of range once in 2^32 draws.
        for _ in 0..<8 {
            let candidate = try source.secret(P256.scalarCount)
            guard candidate.count == P256.scalarCount else { break }
            do {
                _ = try P256Scalar(candidate)
                return candidate
            } catch  where error.code == .invalidScalar {
                continue
            }
        }
        throw CryptoError(.randomFailed, "the random source gave no scalar below the order of P-256")
    }
}

/// A point on P-256, perhaps secret: it is wiped when freed.
struct P256Point: ~Copyable {
    private let pointer: OpaquePointer

    private init() throws(CryptoError) {
        guard let pointer = EC_POINT_new(try P256.group()) else { throw CryptoError.library("make a point") }
        self.pointer = pointer
    }

    /// The point in uncompressed form.
    /// - Throws: `crypto.invalid-point` for other forms and lengths, points off the curve and infinity.
    static func reading(x963: [UInt8]) throws(CryptoError) -> P256Point {
        guard x963.count == P256.pointCount, x963.first == 0x04 else {
            throw CryptoError(.invalidPoint, "a public key is an uncompressed point: 65 bytes that begin with 04")
        }
        let point = try P256Point()
        guard EC_POINT_oct2point(try P256.group(), point.pointer, x963, x963.count, nil) == 1 else {
            ERR_clear_error()
            throw CryptoError(.invalidPoint, "the point is not on P-256")
        }
        return point
    }

    /// The multiple of the generator.
    static func generator(times scalar: borrowing P256Scalar) throws(CryptoError) -> P256Point {
        let product = try P256Point()
        guard EC_POINT_mul(try P256.group(), product.pointer, scalar.number.pointer, nil, nil, nil) == 1 else {
            throw CryptoError.library("multiply the generator")
        }
        return product
    }

    deinit {
        EC_POINT_clear_free(pointer)
    }

    func multiplied(by scalar: borrowing P256Scalar) throws(CryptoError) -> P256Point {
        let product = try P256Point()
        guard EC_POINT_mul(try P256.group(), product.pointer, nil, pointer, scalar.number.pointer, nil) == 1 else {
            throw CryptoError.library("multiply a point")
        }
        return product
    }

    func adding(_ other: borrowing P256Point) throws(CryptoError) -> P256Point {
        let sum = try P256Point()
        guard EC_POINT_add(try P256.group(), sum.pointer, pointer, other.pointer, nil) == 1 else {
            throw CryptoError.library("add points")
        }
        return sum
    }

    func subtracting(_ other: borrowing P256Point) throws(CryptoError) -> P256Point {
        let negative = try P256Point()
        guard EC_POINT_copy(negative.pointer, other.pointer) == 1,
            EC_POINT_invert(try P256.group(), negative.pointer, nil) == 1
        else { throw CryptoError.library("negate a point") }
        return try adding(negative)
    }

    /// The uncompressed form, 65 bytes.
    /// - Throws: `crypto.invalid-point` for infinity, which has none.
    func x963() throws(CryptoError) -> SecretBytes {
        let group = try P256.group()
        guard EC_POINT_is_at_infinity(group, pointer) == 0 else {
            throw CryptoError(.invalidPoint, "the result is the point at infinity")
        }
        return try SecretBytes(count: P256.pointCount) { (buffer) throws(CryptoError) in
            let written = EC_POINT_point2oct(
                group, pointer, POINT_CONVERSION_UNCOMPRESSED,
                buffer.assumingMemoryBound(to: UInt8.self).baseAddress, buffer.count, nil)
            guard written == buffer.count else { throw CryptoError.library("write a point") }
        }
    }
}
