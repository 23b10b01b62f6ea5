import Foundation
import TestSupport
import Testing

@testable import MatterState

@Suite("CounterBlock")
struct CounterBlockTests {
    let folder: TemporaryFolder
    var store: StateDirectory { folder.store }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("the first counter is random between 1 and 2^28")
    func start() async throws {
        var generator = SeededGenerator(seed: 1)
        var firsts: Set<UInt32> = []
        for index in 0..<50 {
            firsts.insert(try await CounterBlock.reserve("c\(index)", count: 1, in: store, random: &generator).first)
        }
        #expect(firsts.count > 45 && firsts.allSatisfy { 1...(1 << 28) ~= $0 })
    }

    @Test("blocks follow each other and are on the disk before they are used")
    func blocks() async throws {
        var first = try await CounterBlock.reserve("c", count: 3, in: store)
        #expect(try store.read("c") == text("{\"next\":\(first.first + 3)}\n"))
        #expect([first.next(), first.next()] == [first.first, first.first + 1] && first.remaining == 1)
        #expect(first.next() == first.first + 2 && first.next() == nil && first.remaining == 0)
        #expect(try await CounterBlock.reserve("c", count: 5, in: store).first == first.first + 3)
    }

    @Test("counters go on from the largest number to 0")
    func wrap() async throws {
        try store.write("c", text("{\"next\":4294967294}\n"))
        var block = try await CounterBlock.reserve("c", count: 4, in: store)
        #expect((0..<5).map { _ in block.next() } == [4_294_967_294, 4_294_967_295, 0, 1, nil])
        #expect(try await CounterBlock.reserve("c", count: 1, in: store).first == 2)
    }

    @Test("the size of a block is bounded")
    func size() async throws {
        #expect(try await CounterBlock.reserve("c", count: 0, in: store).count == 1)
        #expect(try await CounterBlock.reserve("c", count: .max, in: store).count == 65536)
    }

    @Test("after damage no counter is given again, as often as it happens")
    func damage() async throws {
        var highest: UInt32 = 0
        for round in 0..<5 {
            for _ in 0..<(round == 0 ? 2 : round) {
                let block = try await CounterBlock.reserve("c", count: 65536, in: store)
                #expect(block.first > highest, "round \(round)")
                highest = block.first + block.count - 1
            }
            try folder.put(round % 2 == 0 ? text("garbage") : RecordEnvelope.encode(text("{}"), version: 1), "c")
        }
    }

    @Test("a record without a usable copy is an error, not a new start")
    func lost() async throws {
        _ = try await CounterBlock.reserve("c", count: 1, in: store)
        try folder.put(text("garbage"), "c")
        #expect(await storeError { _ = try await CounterBlock.reserve("c", count: 1, in: store) }?.code == .damaged)
        for contents in [
            "{\"next\":4294967296}\n", "{\"next\":-1}\n", "{\"next\":1}", "{\"next\":01}\n", "{\"next\":1}\n\n",
        ] {
            try folder.put(RecordEnvelope.encode(text(contents), version: 1), "c")
            #expect(await storeError { _ = try await CounterBlock.reserve("c", count: 1, in: store) }?.code == .damaged)
        }
    }

    @Test("a record of a newer version is an error, and stays as it is")
    func newer() async throws {
        try store.write("c", text("{\"next\":7,\"more\":1}\n"), version: 2)
        #expect(
            await storeError { _ = try await CounterBlock.reserve("c", count: 1, in: store) }?.code == .newerVersion)
        #expect(try store.read("c", version: 2) == text("{\"next\":7,\"more\":1}\n"))
    }
}
