/// The side that a file is fetched from (Matter core specification 11.22.6): it answers, and sends blocks at the pace of the receiver,
/// or at its own where the receiver wants that.
package struct BDXSender: Sendable {
    /// The next thing to do.
    package enum Action: Equatable, Sendable {
        case send(BDXMessage)
        /// A part of the file is to be read and sent.
        case sendBlock(counter: UInt32, offset: UInt64, count: Int, isLast: Bool)
        /// The receiver has everything.
        case finish
    }

    private struct Transfer: Sendable {
        let drive: BDXDrive
        let blockSize: UInt64
        /// The end of what is wanted.
        let end: UInt64
        /// Where the next block begins.
        var offset: UInt64 = 0
        var next: UInt32 = 0
        /// The block before, for a receiver that asks for it again.
        var sent: Action?
        var isLastSent = false
    }

    private enum State: Sendable { case fresh, sending(Transfer), finished }

    private let size: UInt64
    private let largestBlock: UInt16
    private var state = State.fresh

    /// - Parameters:
    ///   - size: of the file, in octets.
    ///   - largestBlock: the most octets in a block.
    package init(size: UInt64, largestBlock: UInt16) {
        self.size = size
        self.largestBlock = largestBlock
    }

    /// Octets that were sent.
    package var sent: UInt64 { if case .sending(let transfer) = state { transfer.offset } else { 0 } }

    /// - Throws: ``BDXError``; the transfer is over then.
    package mutating func handle(_ message: BDXMessage) throws(BDXError) -> [Action] {
        let current = state
        state = .finished
        switch (current, message) {
        case (.fresh, .receiveInit(let request)): return try begin(request)
        case (.sending(var transfer), .query(let counter)) where transfer.drive == .receiver:
            return try answer(counter, skip: 0, &transfer)
        case (.sending(var transfer), .queryWithSkip(let counter, let count)) where transfer.drive == .receiver:
            return try answer(counter, skip: count, &transfer)
        case (.sending(var transfer), .acknowledge(let counter)): return try acknowledged(counter, &transfer)
        case (.sending(let transfer), .acknowledgeLast(let counter)) where transfer.isLastSent:
            guard counter == transfer.next &- 1 else { throw .counter(counter, transfer.next &- 1) }
            return [.finish]
        default: throw BDXError(.unexpectedMessage, "a message out of turn in a transfer")
        }
    }

    private mutating func begin(_ request: BDXRequest) throws(BDXError) -> [Action] {
        guard request.blockSize > 0 else { throw BDXError(.badMessageContents, "blocks of no octets") }
        guard request.startOffset == 0 else {
            throw BDXError(.startOffsetNotSupported, "a file is sent from its beginning only")
        }
        guard request.length <= size else { throw BDXError(.lengthTooLarge, "the file has \(size) octets only") }
        let drive: BDXDrive
        if request.drives.contains(.receiver) {
            drive = .receiver
        } else if request.drives.contains(.sender) {
            drive = .sender
        } else {
            throw BDXError(.methodNotSupported, "the receiver wants another kind of transfer")
        }
        let blockSize = min(request.blockSize, largestBlock)
        var transfer = Transfer(
            drive: drive, blockSize: UInt64(blockSize), end: request.length > 0 ? request.length : size)
        let accept = Action.send(.receiveAccept(drive: drive, blockSize: blockSize))
        let first = drive == .sender ? [sendNext(&transfer)] : []
        state = .sending(transfer)
        return [accept] + first
    }

    private mutating func answer(
        _ counter: UInt32, skip: UInt64, _ transfer: inout Transfer
    ) throws(BDXError) -> [Action] {
        if counter == transfer.next &- 1, skip == 0, let sent = transfer.sent {
            state = .sending(transfer)
            return [sent]
        }
        guard counter == transfer.next, !transfer.isLastSent else { throw .counter(counter, transfer.next) }
        transfer.offset += min(skip, transfer.end - transfer.offset)
        let action = sendNext(&transfer)
        state = .sending(transfer)
        return [action]
    }

    /// With the receiver's drive it asks for more time by this; with ours it wants the next block.
    private mutating func acknowledged(_ counter: UInt32, _ transfer: inout Transfer) throws(BDXError) -> [Action] {
        guard transfer.sent != nil, counter == transfer.next &- 1 else { throw .counter(counter, transfer.next &- 1) }
        let goesOn = transfer.drive == .sender && !transfer.isLastSent
        let actions = goesOn ? [sendNext(&transfer)] : []
        state = .sending(transfer)
        return actions
    }

    private func sendNext(_ transfer: inout Transfer) -> Action {
        let count = min(transfer.blockSize, transfer.end - transfer.offset)
        let isLast = transfer.offset + count == transfer.end
        let action = Action.sendBlock(
            counter: transfer.next, offset: transfer.offset, count: Int(count), isLast: isLast)
        transfer.offset += count
        transfer.next &+= 1
        transfer.sent = action
        transfer.isLastSent = isLast
        return action
    }
}

extension BDXError {
    fileprivate static func counter(_ got: UInt32, _ expected: UInt32) -> BDXError {
        BDXError(.badBlockCounter, "block \(got) where \(expected) was due")
    }
}
