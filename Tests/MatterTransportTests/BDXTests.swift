import TestSupport
import Testing

@testable import MatterNetwork

@Suite("Bulk Data Exchange")
struct BDXTests {
    // MARK: Messages

    /// Bytes of other implementations, and of our own.
    static let messages: [(message: BDXMessage, opcode: UInt8, bytes: String)] = [
        (
            .receiveInit(BDXRequest(drives: .receiver, blockSize: 1024, designator: Array("test.ota".utf8))), 0x04,
            "20 00 00 04 08 00 74 65 73 74 2E 6F 74 61"
        ),
        (.receiveAccept(drive: .receiver, blockSize: 1024), 0x05, "20 00 00 04"),
        (.query(0), 0x10, "00 00 00 00"),
        (.block(1, [0xAB, 0xCD]), 0x11, "01 00 00 00 AB CD"),
        (.lastBlock(0x0102_0304, []), 0x12, "04 03 02 01"),
        (.acknowledge(2), 0x13, "02 00 00 00"),
        (.acknowledgeLast(3), 0x14, "03 00 00 00"),
        (.queryWithSkip(5, 0x10_0000_0001), 0x15, "05 00 00 00 01 00 00 00 10 00 00 00"),
        (
            .receiveInit(
                BDXRequest(
                    drives: [.sender, .receiver], blockSize: 512, startOffset: 16, length: 32, designator: [0x61])),
            0x04, "30 03 00 02 10 00 00 00 20 00 00 00 01 00 61"
        ),
        (
            .receiveInit(BDXRequest(drives: .sender, blockSize: 1, length: 1 << 32, designator: [])), 0x04,
            "10 11 01 00 00 00 00 00 01 00 00 00 00 00"
        ),
        (.receiveAccept(drive: .sender, blockSize: 2, length: 3), 0x05, "10 01 02 00 03 00 00 00"),
    ]

    @Test("a message is the bytes of the specification", arguments: messages)
    func encoding(_ message: BDXMessage, _ opcode: UInt8, _ text: String) throws {
        let bytes = hex(text)
        #expect(message.opcode == opcode)
        #expect(message.encoded() == bytes)
        #expect(try BDXMessage(opcode: opcode, payload: bytes) == message)
        #expect(BDXMessage.begins(opcode) == (opcode == 0x04))
    }

    @Test("a truncated message is refused", arguments: messages)
    func truncated(_ message: BDXMessage, _ opcode: UInt8, _ text: String) throws {
        let bytes = message.encoded()
        // A block may be shorter.
        let least =
            switch message {
            case .block, .lastBlock: 4
            default: bytes.count
            }
        for count in 0..<least {
            let error = #expect(throws: BDXError.self) {
                try BDXMessage(opcode: opcode, payload: Array(bytes.prefix(count)))
            }
            #expect(error?.reply == .badMessageContents)
        }
    }

    @Test("metadata after a request are passed over, and an opcode of no message is refused")
    func others() throws {
        let bytes = hex("20 00 00 04 01 00 61 15 18")
        let request = BDXRequest(drives: .receiver, blockSize: 1024, designator: [0x61])
        #expect(try BDXMessage(opcode: 4, payload: bytes) == .receiveInit(request))
        for opcode: UInt8 in [0x00, 0x03, 0x16, 0xFF] {
            let error = #expect(throws: BDXError.self) { try BDXMessage(opcode: opcode, payload: bytes) }
            #expect(error?.reply == .unexpectedMessage)
        }
    }

    @Test("a status report says why a transfer ends")
    func report() throws {
        let report = StatusReport(.designatorUnknown)
        #expect(report.encoded() == hex("01 00 02 00 00 00 51 00"))
        let error = BDXError(reported: try StatusReport(decoding: report.encoded()))
        #expect(error.reply == nil)
        #expect(error.reason.contains("designatorUnknown"))
    }

    // MARK: Transfers

    private static func file(_ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// The messages that follow from an action of the sender.
    private static func messages(_ actions: [BDXSender.Action], of file: [UInt8]) -> [BDXMessage] {
        actions.compactMap { action in
            switch action {
            case .send(let message): return message
            case .sendBlock(let counter, let offset, let count, let isLast):
                let data = Array(file[Int(offset)..<Int(offset) + count])
                return isLast ? .lastBlock(counter, data) : .block(counter, data)
            case .finish: return nil
            }
        }
    }

    /// A sender that has accepted a request.
    private static func sender(
        _ size: UInt64, largestBlock: UInt16 = 1024, _ request: BDXRequest
    ) throws -> (BDXSender, [BDXSender.Action]) {
        var sender = BDXSender(size: size, largestBlock: largestBlock)
        let actions = try sender.handle(.receiveInit(request))
        return (sender, actions)
    }

    private static func request(_ drives: BDXDrive = .receiver, blockSize: UInt16 = 10) -> BDXRequest {
        BDXRequest(drives: drives, blockSize: blockSize, designator: [0x61])
    }

    @Test(
        "a file comes as it is",
        arguments: [0, 1, 1023, 1024, 1025, 5000], [1, 512, 1024, 65535] as [UInt16])
    func transfer(_ size: Int, _ blockSize: UInt16) throws {
        let file = Self.file(size)
        var sender = BDXSender(size: UInt64(size), largestBlock: .max)
        var receiver = BDXReceiver(designator: [0x61], blockSize: blockSize)
        var toSender = [receiver.start()]
        var (copy, blocks, isFinished, isSent) = ([UInt8](), 0, false, false)
        while !toSender.isEmpty {
            let actions = try sender.handle(toSender.removeFirst())
            if actions == [.finish] { isSent = true }
            for message in Self.messages(actions, of: file) {
                let again = try BDXMessage(opcode: message.opcode, payload: message.encoded())
                for action in try receiver.handle(again) {
                    switch action {
                    case .send(let message): toSender.append(message)
                    case .store(let data):
                        copy += data
                        blocks += 1
                    case .finish: isFinished = true
                    }
                }
            }
        }
        #expect(copy == file)
        #expect(receiver.received == UInt64(size))
        #expect(isFinished && isSent)
        #expect(blocks == max(1, (size + Int(blockSize) - 1) / Int(blockSize)))
    }

    @Test("the sender sets the pace where the receiver wants that, one block for each acknowledgement")
    func senderDrive() throws {
        let file = Self.file(25)
        var (sender, actions) = try Self.sender(25, Self.request(.sender))
        var copy: [UInt8] = []
        #expect(actions.first == .send(.receiveAccept(drive: .sender, blockSize: 10)))
        var messages = Array(Self.messages(actions, of: file).dropFirst())
        for counter: UInt32 in 0..<3 {
            #expect(messages.count == 1)
            switch try #require(messages.first) {
            case .block(counter, let data):
                copy += data
                messages = Self.messages(try sender.handle(.acknowledge(counter)), of: file)
            case .lastBlock(counter, let data):
                copy += data
                #expect(try sender.handle(.acknowledgeLast(counter)) == [.finish])
            case let other: Issue.record("\(other)")
            }
        }
        #expect(copy == file)
    }

    @Test("a query is no answer to a sender that sets the pace")
    func queryInSenderDrive() throws {
        var (sender, _) = try Self.sender(25, Self.request(.sender))
        let error = #expect(throws: BDXError.self) { try sender.handle(.query(0)) }
        #expect(error?.reply == .unexpectedMessage)
    }

    @Test("a query that skips goes on behind what it skips")
    func skip() throws {
        var (sender, _) = try Self.sender(35, Self.request())
        #expect(try sender.handle(.query(0)) == [.sendBlock(counter: 0, offset: 0, count: 10, isLast: false)])
        #expect(
            try sender.handle(.queryWithSkip(1, 12)) == [.sendBlock(counter: 1, offset: 22, count: 10, isLast: false)])
        // Beyond the end there is an empty block.
        #expect(
            try sender.handle(.queryWithSkip(2, .max)) == [.sendBlock(counter: 2, offset: 35, count: 0, isLast: true)])
        #expect(try sender.handle(.acknowledgeLast(2)) == [.finish])
    }

    @Test("who asks again gets the same block, and who asks for more time nothing")
    func repeated() throws {
        var (sender, _) = try Self.sender(15, Self.request())
        let first = try sender.handle(.query(0))
        #expect(try sender.handle(.query(0)) == first)
        #expect(try sender.handle(.acknowledge(0)).isEmpty)
        let second = try sender.handle(.query(1))
        #expect(second == [.sendBlock(counter: 1, offset: 10, count: 5, isLast: true)])
        #expect(try sender.handle(.query(1)) == second)
        #expect(sender.sent == 15)
    }

    @Test(
        "a wrong counter ends the transfer",
        arguments: [.query(2), .queryWithSkip(0, 1), .acknowledge(7), .query(.max)] as [BDXMessage])
    func counters(_ message: BDXMessage) throws {
        var (sender, _) = try Self.sender(100, Self.request())
        _ = try sender.handle(.query(0))
        let error = #expect(throws: BDXError.self) { try sender.handle(message) }
        #expect(error?.reply == .badBlockCounter)
        #expect(throws: BDXError.self) { try sender.handle(.query(1)) }
    }

    @Test("a wrong counter of the last acknowledgement, and one before the last block, end the transfer")
    func lastCounter() throws {
        var (sender, _) = try Self.sender(5, Self.request())
        _ = try sender.handle(.query(0))
        let wrong = #expect(throws: BDXError.self) { try sender.handle(.acknowledgeLast(1)) }
        #expect(wrong?.reply == .badBlockCounter)
        var (other, _) = try Self.sender(50, Self.request())
        _ = try other.handle(.query(0))
        let early = #expect(throws: BDXError.self) { try other.handle(.acknowledgeLast(0)) }
        #expect(early?.reply == .unexpectedMessage)
    }

    @Test(
        "a receiver refuses blocks that do not fit",
        arguments: [
            (.block(1, [1]), .badBlockCounter), (.block(0, []), .badMessageContents),
            (.block(0, [UInt8](repeating: 1, count: 11)), .badMessageContents), (.lastBlock(0, [1]), .lengthMismatch),
            (.query(0), .unexpectedMessage),
        ] as [(BDXMessage, BDXStatus)])
    func receiverRefuses(_ message: BDXMessage, _ status: BDXStatus) throws {
        var receiver = BDXReceiver(designator: [0x61], blockSize: 10)
        _ = receiver.start()
        #expect(
            try receiver.handle(.receiveAccept(drive: .receiver, blockSize: 10, length: 5)) == [.send(.query(0))])
        let error = #expect(throws: BDXError.self) { try receiver.handle(message) }
        #expect(error?.reply == status)
    }

    @Test(
        "a receiver refuses terms that it did not offer",
        arguments: [
            (.sender, 10), (.receiver, 11), (.receiver, 0), ([.sender, .receiver], 10),
        ] as [(BDXDrive, UInt16)])
    func terms(_ drive: BDXDrive, _ blockSize: UInt16) throws {
        var receiver = BDXReceiver(designator: [0x61], blockSize: 10)
        _ = receiver.start()
        let error = #expect(throws: BDXError.self) {
            try receiver.handle(.receiveAccept(drive: drive, blockSize: blockSize))
        }
        #expect(error?.reply == .badMessageContents)
    }

    @Test(
        "requests that cannot be met are refused",
        arguments: [
            (BDXRequest(drives: .receiver, blockSize: 10, startOffset: 1, designator: []), .startOffsetNotSupported),
            (BDXRequest(drives: .asynchronous, blockSize: 10, designator: []), .methodNotSupported),
            (BDXRequest(drives: [], blockSize: 10, designator: []), .methodNotSupported),
            (BDXRequest(drives: .receiver, blockSize: 0, designator: []), .badMessageContents),
            (BDXRequest(drives: .receiver, blockSize: 10, length: 101, designator: []), .lengthTooLarge),
        ] as [(BDXRequest, BDXStatus)])
    func refused(_ request: BDXRequest, _ status: BDXStatus) throws {
        let error = #expect(throws: BDXError.self) { try Self.sender(100, request) }
        #expect(error?.reply == status)
    }

    @Test("a newer version of the protocol, and a drive beside the asynchronous one, are no obstacle; a part is a part")
    func choices() throws {
        var request = Self.request([.asynchronous, .receiver])
        request.version = 1
        request.length = 4
        var (sender, actions) = try Self.sender(100, largestBlock: 3, request)
        #expect(actions == [.send(.receiveAccept(drive: .receiver, blockSize: 3))])
        #expect(try sender.handle(.query(0)) == [.sendBlock(counter: 0, offset: 0, count: 3, isLast: false)])
        #expect(try sender.handle(.query(1)) == [.sendBlock(counter: 1, offset: 3, count: 1, isLast: true)])
    }
}
