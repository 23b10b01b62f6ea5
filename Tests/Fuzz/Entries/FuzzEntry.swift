import TestSupport

/// A decoder of outside bytes as the fuzzer and the tests call it.
struct FuzzEntry: Sendable {
    /// How far an input came.
    enum Depth {
        /// Refused with a typed error.
        case refused
        /// Accepted, or refused only for a signature that no fuzzer can make.
        case deep
    }

    let name: String
    /// Inputs of our own encoders, from which the fuzzer begins.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Decodes an input. Traps where a promise is broken; typed errors are no failure.
    let run: @Sendable ([UInt8]) -> Depth

    init(
        _ name: String, seeds: @escaping @Sendable () throws -> [[UInt8]],
        run: @escaping @Sendable ([UInt8]) -> Depth
    ) {
        self.name = name
        self.seeds = seeds
        self.run = run
    }

    /// Everything that is fuzzed.
    static let all: [FuzzEntry] = [
        bytes, channel, interaction, certificates, attestation, payloads, discovery, records, cloud, ledger,
        values, captures, server, firmware,
    ].flatMap { $0 }

    static func named(_ name: String) -> FuzzEntry? { all.first { $0.name == name } }

    /// Runs an input, and traps at the planted bug if it was asked for: some of the inputs that come through the whole
    /// decoder, seeds apart. A fuzzer that does not find it does not see the decoder.
    func run(_ bytes: [UInt8], planted seeds: Set<[UInt8]>) -> Depth {
        let depth = run(bytes)
        if depth == .deep, Self.digest(bytes) % 32 == 7, !seeds.contains(bytes) { fatalError("the planted bug") }
        return depth
    }

    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Whether a value that was accepted is read the same after it was written again.
    static func roundTrip<Value: Equatable>(
        _ bytes: [UInt8], _ decode: ([UInt8]) throws -> Value, _ encode: (Value) throws -> [UInt8]
    ) -> Depth {
        guard let value = try? decode(bytes) else { return .refused }
        do {
            let again = try decode(try encode(value))
            precondition(again == value, "read otherwise than it was written")
        } catch {
            preconditionFailure("what was accepted cannot be written and read again: \(error)")
        }
        return .deep
    }

    /// Only whether a decoder returns or throws.
    static func accepts(_ decode: () throws -> Void) -> Depth {
        do {
            try decode()
            return .deep
        } catch {
            return .refused
        }
    }
}

extension FuzzEntry.Depth {
    /// The deeper one.
    static func | (left: Self, right: Self) -> Self { left == .deep ? .deep : right }
}

/// An input cut into pieces: a byte with the length of each stands before it.
struct Pieces: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// A piece of at most 4 KiB; two bytes of length, big endian.
    mutating func next() -> [UInt8]? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        let piece = rest.prefix(Int(high & 0x0F) << 8 | Int(low))
        rest = rest.dropFirst(piece.count)
        return Array(piece)
    }

    /// The input that gives these pieces.
    static func joined(_ pieces: [[UInt8]]) -> [UInt8] {
        pieces.flatMap { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
    }
}
