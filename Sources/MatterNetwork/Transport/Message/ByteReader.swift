/// Reads little-endian integers off the front of a buffer, refusing to run past its end.
struct ByteReader: Sendable {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    mutating func integer<T: FixedWidthInteger & UnsignedInteger>(
        _ type: T.Type = T.self
    ) throws(TransportError) -> T {
        let width = T.bitWidth / 8
        guard remaining >= width else { throw .malformed("a message of \(bytes.count) bytes is too short") }
        var result: T = 0
        for index in 0..<width { result |= T(bytes[position + index]) << T(8 * index) }
        position += width
        return result
    }

    mutating func skip(_ count: Int) throws(TransportError) {
        guard remaining >= count else { throw .malformed("an extension runs past the end of the message") }
        position += count
    }

    /// Everything that has not been read.
    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }
}

extension [UInt8] {
    package mutating func append<T: FixedWidthInteger & UnsignedInteger>(littleEndian number: T) {
        // In one piece: where the type is not known, every step would go through its table of functions.
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
