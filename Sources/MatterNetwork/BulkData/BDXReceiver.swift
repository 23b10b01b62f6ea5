/// The side that fetches a file, at its own pace (Matter core specification 11.22.6).
package struct BDXReceiver: Sendable {
    /// The next thing to do.
    package enum Action: Equatable, Sendable {
        case send(BDXMessage)
        /// A part of the file came.
        case store([UInt8])
        /// All of it came.
        case finish
    }

    private enum State: Sendable {
        case fresh
        case waitingForAccept
        /// - Parameters:
        ///   - next: the counter of the block that was asked for.
        ///   - length: of the whole; 0 if it was not said.
        case fetching(next: UInt32, blockSize: UInt16, length: UInt64)
        case finished
    }

    private let request: BDXRequest
    private var state = State.fresh
    /// Octets that came.
    package private(set) var received: UInt64 = 0

    package init(designator: [UInt8], blockSize: UInt16 = 1024) {
        request = BDXRequest(drives: .receiver, blockSize: blockSize, designator: designator)
    }

    package mutating func start() -> BDXMessage {
        state = .waitingForAccept
        return .receiveInit(request)
    }

    /// - Throws: ``BDXError``; the transfer is over then.
    package mutating func handle(_ message: BDXMessage) throws(BDXError) -> [Action] {
        let current = state
        state = .finished
        switch (current, message) {
        case (.waitingForAccept, .receiveAccept(let drive, let blockSize, let length)):
            guard drive == .receiver, (1...request.blockSize).contains(blockSize) else {
                throw BDXError(.badMessageContents, "terms that were not offered")
            }
            state = .fetching(next: 0, blockSize: blockSize, length: length)
            return [.send(.query(0))]
        case (.fetching(let next, let blockSize, let length), .block(let counter, let data)):
            try check(counter, next, data, blockSize)
            guard !data.isEmpty else { throw BDXError(.badMessageContents, "a block without octets") }
            received += UInt64(data.count)
            state = .fetching(next: next &+ 1, blockSize: blockSize, length: length)
            return [.store(data), .send(.query(next &+ 1))]
        case (.fetching(let next, let blockSize, let length), .lastBlock(let counter, let data)):
            try check(counter, next, data, blockSize)
            received += UInt64(data.count)
            guard length == 0 || length == received else {
                throw BDXError(.lengthMismatch, "\(received) octets of \(length)")
            }
            return [.store(data), .send(.acknowledgeLast(next)), .finish]
        default: throw BDXError(.unexpectedMessage, "a message out of turn in a transfer")
        }
    }

    private func check(_ counter: UInt32, _ next: UInt32, _ data: [UInt8], _ blockSize: UInt16) throws(BDXError) {
        guard counter == next else { throw BDXError(.badBlockCounter, "block \(counter) where \(next) was due") }
        guard data.count <= Int(blockSize) else {
            throw BDXError(.badMessageContents, "a block of \(data.count) octets")
        }
    }
}
