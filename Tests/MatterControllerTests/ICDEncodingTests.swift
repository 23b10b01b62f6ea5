import MatterBase
import MatterCrypto
import MatterModel
import TestSupport
import Testing

@testable import MatterController
@testable import MatterNetwork

/// The commands to devices that sleep, beside what the official controller's Python definitions make of them.
@Suite("Encodings of commands to sleeping devices") struct ICDEncodingTests {
    private static func key(_ byte: UInt8) throws -> CheckInKey {
        try CheckInKey(SecretBytes([UInt8](repeating: byte, count: CheckInMessage.keyCount)))
    }

    @Test("the bytes are those of the specification, and of the official definitions where they are installed")
    func bytes() throws {
        let (nine, eight) = (String(repeating: "09", count: 16), String(repeating: "08", count: 16))
        let permanent = "clientType=c.IcdManagement.Enums.ClientTypeEnum(0)"
        let cases: [(TLVValue?, python: String, digits: String)] = [
            (
                SleeperService.registration(NodeID(5), try Self.key(9), instead: nil).tlv,
                "RegisterClient(checkInNodeID=5, monitoredSubject=5, key=bytes([9]*16), \(permanent))",
                "15 240005 240105 300210\(nine) 240400 18"
            ),
            (
                SleeperService.registration(NodeID(5), try Self.key(9), instead: try Self.key(8)).tlv,
                "RegisterClient(checkInNodeID=5, monitoredSubject=5, key=bytes([9]*16), "
                    + "verificationKey=bytes([8]*16), \(permanent))",
                "15 240005 240105 300210\(nine) 300310\(eight) 240400 18"
            ),
            (SleeperService.removal(NodeID(5), nil).tlv, "UnregisterClient(checkInNodeID=5)", "15 240005 18"),
            (
                SleeperService.removal(NodeID(5), try Self.key(8)).tlv,
                "UnregisterClient(checkInNodeID=5, verificationKey=bytes([8]*16))", "15 240005 300110\(eight) 18"
            ),
            (
                SleeperService.stayActive(.seconds(30)).fields, "StayActiveRequest(stayActiveDuration=30000)",
                "15 25003075 18"
            ),
        ]
        for (fields, python, digits) in cases {
            let ours = hexString(TLVElement(.anonymous, try #require(fields)).encoded())
            #expect(ours == digits.filter { $0 != " " }, "\(python)")
            guard PeerPython.hasController else { continue }
            let program = """
                from chip.clusters import Objects as c
                print(c.IcdManagement.Commands.\(python).ToTLV().hex())
                """
            #expect(try PeerPython.run("-c", program).output == ours + "\n", "\(python)")
        }
    }
}
