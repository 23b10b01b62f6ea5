import Foundation
import TestSupport
import Testing

/// Inputs that the fuzzer has kept, through the same functions.
@Suite("Fuzzing corpus") struct ReplayTests {
    /// The committed inputs of a decoder: a line of hexadecimal digits each.
    private static func corpus(_ name: String) throws -> [[UInt8]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appendingPathComponent("corpus/\(name).hex")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map { hex(String($0)) }
    }

    @Test("every decoder survives its corpus, and reads its own seeds to the end", arguments: FuzzEntry.all.map(\.name))
    func replay(name: String) throws {
        let entry = try #require(FuzzEntry.named(name))
        let corpus = try Self.corpus(name)
        #expect(!corpus.isEmpty)
        for input in corpus { _ = entry.run(input) }
        let seeds = try entry.seeds()
        #expect(seeds.contains { entry.run($0) == .deep })
        // And damaged ones: a short stretch of what the fuzzer does.
        var mutator = Mutator(seed: 8, corpus: corpus + seeds)
        for _ in 0..<500 { _ = entry.run(mutator.next()) }
    }

    @Test("names of decoders are unique")
    func names() {
        #expect(Set(FuzzEntry.all.map(\.name)).count == FuzzEntry.all.count)
    }

    @Test("pieces come back as they were joined")
    func pieces() {
        let pieces: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 7, count: 300)]
        #expect(Array(Pieces(Pieces.joined(pieces))) == pieces)
    }
}
