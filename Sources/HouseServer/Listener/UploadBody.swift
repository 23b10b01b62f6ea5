import Synchronization

/// The body of an upload on its way from the connection to the one who writes it: pieces in their order, of which only so many wait.
final class UploadBody: Sendable {
    /// The connection has ended before the body.
    struct CutOff: Error {}

    private struct Content {
        var waiting = 0
        var isReading = true
    }

    private let most: Int
    private let reading: @Sendable (Bool) -> Void
    private let content = Mutex(Content())
    private let stream: AsyncThrowingStream<[UInt8], any Error>
    private let pieces: AsyncThrowingStream<[UInt8], any Error>.Continuation

    /// - Parameters:
    ///   - most: bytes that may wait.
    ///   - reading: told to read no more while as many wait, and to go on afterwards.
    init(most: Int, reading: @escaping @Sendable (Bool) -> Void) {
        (self.most, self.reading) = (most, reading)
        (stream, pieces) = AsyncThrowingStream.makeStream()
    }

    /// Hands each piece to one who takes it; once.
    ///
    /// - Throws: ``CutOff``, and what the taker throws.
    func forEach(_ take: (_ piece: [UInt8]) async throws -> Void) async throws {
        for try await piece in stream {
            try await take(piece)
            note(-piece.count)
        }
    }

    func add(_ piece: [UInt8]) {
        pieces.yield(piece)
        note(piece.count)
    }

    /// All of it has come.
    func finish() { pieces.finish() }

    /// No more comes. Without effect once all has come.
    func cut() { pieces.finish(throwing: CutOff()) }

    private func note(_ change: Int) {
        let told: Bool? = content.withLock { content in
            content.waiting += change
            let isReading = content.waiting < most
            guard isReading != content.isReading else { return nil }
            content.isReading = isReading
            return isReading
        }
        if let told { reading(told) }
    }
}
