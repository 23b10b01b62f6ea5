/// A small seeded generator: the same seed gives the same sequence on every machine (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Damages valid inputs in the ways networks and attackers do: flipped bits, cuts, repeats, insertions, splices.
package struct Mutator: Sendable {
    private var generator: SeededGenerator
    private let corpus: [[UInt8]]

    package init(seed: UInt64, corpus: [[UInt8]]) {
        generator = SeededGenerator(seed: seed)
        self.corpus = corpus.filter { !$0.isEmpty }
    }

    /// The next damaged input.
    package mutating func next() -> [UInt8] {
        guard var bytes = corpus.randomElement(using: &generator) else { return [] }
        for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            bytes = [UInt8.random(in: 0...255, using: &generator)]
            return
        }
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.removeSubrange(at...)
        case 3: bytes.remove(at: at)
        case 4: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
        case 5:
            let end = Int.random(in: at...min(bytes.count, at + 16), using: &generator)
            bytes.insert(contentsOf: bytes[at..<end], at: at)
        default:
            guard let other = corpus.randomElement(using: &generator) else { return }
            let cut = Int.random(in: 0...other.count, using: &generator)
            bytes = Array(bytes[..<at]) + other[cut...]
        }
    }
}
