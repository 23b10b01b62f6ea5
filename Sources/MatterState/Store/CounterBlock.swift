import JSON

/// Message counters that one process may use, reserved on the disk beforehand: no other process gets them, not even after a
/// crash (Matter core specification, 4.6).
package struct CounterBlock: Equatable, Sendable {
    /// The first of them.
    package let first: UInt32
    /// How many there are; they go on from `UInt32.max` to 0.
    package let count: UInt32
    private var used: UInt32 = 0

    init(first: UInt32, count: UInt32) {
        self.first = first
        self.count = count
    }

    /// The next counter; `nil` if all are used and another block is needed.
    package mutating func next() -> UInt32? {
        guard used < count else { return nil }
        defer { used += 1 }
        return first &+ used
    }

    /// How many are left.
    package var remaining: UInt32 { count - used }
}

extension CounterBlock {
    /// The largest block; the leap after damage must exceed it.
    package static let largest: UInt32 = 1 << 16
    /// How far a reservation goes beyond the previous copy if the record itself is lost. Peers take a step forward of
    /// up to 2^31.
    private static let leap: UInt32 = 1 << 20
    /// A counter that is used for the first time starts at random in this range.
    private static let start: ClosedRange<UInt32> = 1...(1 << 28)

    /// Reserves the next counters of a name, durably before it returns.
    ///
    /// - Parameters:
    ///   - name: of the record that says where the next block begins.
    ///   - count: 1 to ``largest``; other numbers are brought into that range.
    package static func reserve(
        _ name: String, count: UInt32, in store: StateDirectory, timeout: Duration = StateDirectory.lockTimeout,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CounterBlock {
        var random = SystemRandomNumberGenerator()
        return try await reserve(name, count: count, in: store, timeout: timeout, random: &random)
    }

    /// Reserves with random numbers of the caller's, for tests.
    package static func reserve(
        _ name: String, count: UInt32, in store: StateDirectory, timeout: Duration = StateDirectory.lockTimeout,
        isolation: isolated (any Actor)? = #isolation, random: inout some RandomNumberGenerator
    ) async throws -> CounterBlock {
        let count = min(max(count, 1), largest)
        let start = UInt32.random(in: start, using: &random)
        return try await store.withLock(name, timeout: timeout) {
            let (next, isRecovered) = try next(name, in: store)
            let block = CounterBlock(first: next ?? start, count: count)
            let record = record(block.first &+ count)
            try store.write(name, record)
            // A second time, so that the previous copy has leapt as well.
            if isRecovered { try store.write(name, record) }
            return block
        }
    }

    /// Where the next block begins; `nil` for a counter that was never used. A damaged record is made good by leaping
    /// far beyond its previous copy, since a counter that is used twice is worse than any that is left out.
    private static func next(_ name: String, in store: StateDirectory) throws(StoreError) -> (
        UInt32?, isRecovered: Bool
    ) {
        let damage: StoreError
        do {
            guard let contents = try store.read(name) else { return (nil, false) }
            if let next = parse(contents) { return (next, false) }
            damage = StoreError(.damaged, "the record \(name) has no counter")
        } catch {
            guard error.code == .damaged else { throw error }
            damage = error
        }
        guard let contents = try store.readPrevious(name), let next = parse(contents) else { throw damage }
        return (next &+ leap, true)
    }

    /// Where the next block begins; `nil` for a counter that was never used.
    static func upcoming(_ name: String, in store: StateDirectory) throws -> UInt32? { try next(name, in: store).0 }

    /// How far a counter goes beyond that of an export: more than the original uses meanwhile. Peers take a step forward of up
    /// to 2^31.
    static let longLeap: UInt32 = 1 << 24

    /// Goes on far beyond a counter that may be in use elsewhere, unless this one is there already.
    static func leap(
        _ name: String, beyond other: UInt32, in store: StateDirectory, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await store.withLock(name, timeout: StateDirectory.lockTimeout) {
            let target = other &+ longLeap
            if let here = try next(name, in: store).0, here &- target < 1 << 31 { return }
            for _ in 0..<2 { try store.write(name, record(target)) }
        }
    }

    private static func record(_ next: UInt32) -> [UInt8] {
        JSONValue.object(["next": .uint(UInt64(next))]).utf8() + [0x0A]
    }

    private static func parse(_ contents: [UInt8]) -> UInt32? {
        guard let next: UInt32 = (try? JSONValue(parsing: contents))?["next"]?.integer(), contents == record(next)
        else {
            return nil
        }
        return next
    }
}
