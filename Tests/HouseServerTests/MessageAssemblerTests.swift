import Testing

@testable import HouseServer

@Suite("Messages from frames") struct MessageAssemblerTests {
    private typealias Frame = MessageAssembler.Frame
    private typealias Outcome = MessageAssembler.Outcome

    private static func frame(_ opcode: UInt8, _ text: String = "", isFinal: Bool = true) -> Frame {
        Frame(isFinal: isFinal, opcode: opcode, payload: Array(text.utf8))
    }

    private static func take(_ frames: [Frame], _ limits: ListenerLimits = ListenerLimits()) -> [Outcome] {
        var assembler = MessageAssembler(limits)
        return frames.map { assembler.take($0) }
    }

    @Test("a message is one frame, or several with control frames between them; characters may be cut")
    func messages() {
        #expect(Self.take([Self.frame(1, "hello")]) == [.message(Array("hello".utf8))])
        #expect(Self.take([Self.frame(1)]) == [.message([])])
        let bytes = Array("ä€".utf8)
        let frames = [
            Frame(isFinal: false, opcode: 1, payload: Array(bytes[..<1])), Self.frame(9, "p"),
            Frame(isFinal: false, opcode: 0, payload: Array(bytes[1..<3])), Self.frame(10),
            Frame(isFinal: true, opcode: 0, payload: Array(bytes[3...])), Self.frame(1, "x"),
        ]
        #expect(
            Self.take(frames) == [.none, .ping([0x70]), .none, .pong, .message(bytes), .message([0x78])])
    }

    @Test("what breaks the rules ends the connection with the number for it, and nothing counts afterwards")
    func violations() {
        func ends(_ frames: [Frame], _ code: UInt16, _ comment: Comment) {
            let outcomes = Self.take(frames + [Self.frame(1, "late"), Self.frame(9)])
            #expect(outcomes.dropLast(2).last == .violation(code), comment)
            #expect(outcomes.suffix(2) == [.none, .none], comment)
        }
        var bare = Self.frame(1, "x")
        bare.isMasked = false
        ends([bare], 1002, "unmasked")
        var reserved = Self.frame(1, "x")
        reserved.hasReservedBits = true
        ends([reserved], 1002, "a reserved bit")
        ends([Self.frame(2, "x")], 1003, "binary")
        for opcode in [3, 7, 11, 15] as [UInt8] { ends([Self.frame(opcode)], 1002, "opcode \(opcode)") }
        ends([Self.frame(0, "x")], 1002, "a continuation of nothing")
        ends([Self.frame(1, "x", isFinal: false), Self.frame(1, "y")], 1002, "a message in a message")
        ends([Self.frame(9, isFinal: false)], 1002, "a ping in parts")
        ends([Self.frame(9, String(repeating: "x", count: 126))], 1002, "a long ping")
        ends([Frame(isFinal: true, opcode: 1, payload: [0xC3, 0x28])], 1007, "not UTF-8")
        ends([Frame(isFinal: true, opcode: 1, payload: [0xED, 0xA0, 0x80])], 1007, "a surrogate")
        ends([Frame(isFinal: false, opcode: 1, payload: [0xC3]), Self.frame(0)], 1007, "half a character")
        ends([Frame(isFinal: true, opcode: 8, payload: [3])], 1002, "half a code")
        for code in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] as [UInt16] {
            ends(
                [Frame(isFinal: true, opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])], 1002, "code \(code)"
            )
        }
        ends([Frame(isFinal: true, opcode: 8, payload: [3, 0xE8, 0xFF])], 1007, "a reason that is not UTF-8")
    }

    @Test("a close has a code or none")
    func close() {
        #expect(Self.take([Self.frame(8)]) == [.close(nil)])
        #expect(Self.take([Frame(isFinal: true, opcode: 8, payload: [3, 0xE8, 0x78])]) == [.close(1000)])
    }

    @Test("a message is bounded in bytes and in parts")
    func bounds() {
        var limits = ListenerLimits()
        (limits.messageBytes, limits.fragments) = (10, 5)
        #expect(Self.take([Self.frame(1, "0123456789")], limits) == [.message(Array("0123456789".utf8))])
        #expect(Self.take([Self.frame(1, "0123456789x")], limits) == [.violation(1009)])
        #expect(
            Self.take([Self.frame(1, "012345", isFinal: false), Self.frame(0, "67890")], limits)
                == [.none, .violation(1009)])
        let empty = Self.frame(0, isFinal: false)
        let flood = [Self.frame(1, isFinal: false)] + Array(repeating: empty, count: 5)
        #expect(Self.take(flood, limits) == Array(repeating: .none, count: 5) + [.violation(1008)])
    }
}
