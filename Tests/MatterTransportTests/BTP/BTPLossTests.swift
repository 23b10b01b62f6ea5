import TestSupport
import Testing

@testable import MatterNetwork

/// Two sessions back to back, and one against a peer that keeps no rules.
@Suite struct BTPLossTests {
    private static func message(_ length: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    @Test("nothing is lost, doubled or swapped, whatever the sizes and windows", arguments: 0..<8)
    func lossless(part: UInt64) throws {
        for seed in (part * 400)..<((part + 1) * 400) {
            var generator = SeededGenerator(seed: seed)
            let mtu = UInt16.random(in: 0...260, using: &generator)
            let windows = (0..<2).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 1...6, using: &generator) : UInt8.random(in: 1...255, using: &generator)
            }
            var pair = BTPPair(
                central: BTPSession(.central, attMTU: mtu, window: windows[0], idleLimit: nil),
                peripheral: BTPSession(.peripheral, attMTU: nil, window: windows[1]), seed: seed)
            pair.run(for: .seconds(1))
            var sent: [BTPPair.Side: [[UInt8]]] = [:]
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let side: BTPPair.Side = Bool.random(using: &generator) ? .central : .peripheral
                let length =
                    Bool.random(using: &generator)
                    ? Int.random(in: 1...60, using: &generator) : Int.random(in: 1...1280, using: &generator)
                let message = Self.message(length, &generator)
                sent[side, default: []].append(message)
                pair.give(.send(message), to: side)
                pair.run(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
            }
            pair.run(for: .seconds(3600)) { pair in
                BTPPair.Side.allCases.allSatisfy {
                    (pair.delivered[$0.other] ?? []).count >= (sent[$0] ?? []).count
                }
            }
            for side in BTPPair.Side.allCases {
                try #require(pair.delivered[side.other] ?? [] == sent[side] ?? [], "seed \(seed)")
            }
            try #require(pair.ends.isEmpty, "seed \(seed)")
            let size = try #require(pair.sessions[.central]?.segmentSize)
            try #require(pair.values.dropFirst(2).allSatisfy { $0.value.count <= size }, "seed \(seed)")
        }
    }

    @Test("random, cut, flipped and repeated values never trap and never deliver more than was sent", arguments: 0..<4)
    func hostile(part: UInt64) throws {
        for seed in (part * 500)..<((part + 1) * 500) {
            var generator = SeededGenerator(seed: seed)
            let now = Instant.now
            var sender = BTPSession.central(segmentSize: 30, window: 60, now: now, idleLimit: nil)
            var values: [[UInt8]] = []
            for _ in 0..<3 {
                values += sender.handle(.send(Self.message(100, &generator)), now: now).transmitted
                for _ in 0..<8 { values += sender.handle(.confirmed, now: now).transmitted }
            }
            try #require(values.count > 8)
            var mutator = Mutator(seed: seed, corpus: values)
            var receiver = BTPSession.peripheral(mtu: 33, window: 60, now: now)
            var total = 0
            for step in 0..<60 where !receiver.isClosed {
                let value: [UInt8]
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: value = mutator.next()
                case 1: value = Self.message(Int.random(in: 0...40, using: &generator), &generator)
                case 2: value = values[Int.random(in: 0..<values.count, using: &generator)]
                default: value = values[step % values.count]
                }
                let actions = receiver.handle(.received(value), now: now)
                for message in actions.delivered {
                    try #require((1...BTP.largestMessage).contains(message.count))
                    total += 1
                }
                if !actions.transmitted.isEmpty { _ = receiver.handle(.confirmed, now: now) }
            }
            #expect(total <= 60)
        }
    }

    @Test("a value that is lost or repeated on the way is noticed: the session ends", arguments: 0..<200)
    func tampering(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let now = Instant.now
        var sender = BTPSession.central(segmentSize: 30, window: 60, now: now, idleLimit: nil)
        var values = sender.handle(.send(Self.message(300, &generator)), now: now).transmitted
        for _ in 0..<20 { values += sender.handle(.confirmed, now: now).transmitted }
        let place = Int.random(in: 0..<(values.count - 1), using: &generator)
        if seed.isMultiple(of: 2) { values.remove(at: place) } else { values.insert(values[place], at: place) }
        var receiver = BTPSession.peripheral(mtu: 33, window: 60, now: now)
        let actions = values.flatMap { receiver.handle(.received($0), now: now) }
        #expect(actions.end?.code == .btp && actions.delivered.isEmpty)
    }
}
