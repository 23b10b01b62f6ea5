import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("Faults", .beside)
struct FaultPlanTests {
    @Test("every word in the list is understood")
    func words() throws {
        let examples = [
            "drop:0.1", "duplicate:0.2", "reorder:1", "delay:20", "ignore:sigma1:1", "mute:invoke:2", "garble:1",
            "slow-answer:14000", "busy:3:100",
            "reboot:csr", "fail-safe:10", "fabric-table-full", "wrong-nocsr-signature", "slow-crypto:50",
            "odd-values:0.3:7",
        ]
        #expect(examples.count == FaultPlan.words.count)
        for (example, word) in zip(examples, FaultPlan.words) {
            #expect(example.split(separator: ":").first == word.word.prefix { $0 != ":" && $0 != "[" })
            #expect(try FaultPlan(parsing: example) != FaultPlan())
        }
        #expect(try FaultPlan(parsing: examples.joined(separator: ",")).busyWait == .milliseconds(100))
    }

    @Test(
        "anything else is refused",
        arguments: [
            "lose:1", "drop", "drop:", "drop:2", "drop:x", "delay:-1", "delay:20:2", "delay:20:", "ignore:sigma9:1",
            "mute:read", "reboot:never",
            "busy", "fail-safe:x", "odd-values:2", "odd-values:1:x",
        ])
    func wrong(text: String) {
        #expect(throws: SimulatorError.self) { try FaultPlan(parsing: text) }
    }

    @Test("datagrams are delayed, repeated and lost as often as was asked for")
    func impairments() throws {
        func fates(_ text: String) throws -> [[Duration]] {
            let impairment = try #require(FaultState(try FaultPlan(parsing: text)).impairment)
            return (0..<2000).map { _ in impairment() }
        }
        #expect(try fates("delay:20").allSatisfy { $0 == [.milliseconds(20)] })
        let some = try fates("delay:20:0.25")
        #expect(Set(some) == [[.zero], [.milliseconds(20)]])
        #expect((300..<700).contains(some.count { $0 != [.zero] }))
        #expect((300..<700).contains(try fates("drop:0.25").count { $0.isEmpty }))
        #expect((300..<700).contains(try fates("duplicate:0.25").count { $0.count == 2 }))
        #expect((300..<700).contains(try fates("reorder:0.25").count { $0 != [.zero] }))
    }

    @Test("attributes are odd as often as was asked for, and each in the same way every time")
    func oddValues() throws {
        let odd = try #require(try FaultPlan(parsing: "odd-values:0.3:7").oddValues)
        let oddities = (0..<4000).map { odd.oddity(endpoint: 1, cluster: 6, attribute: $0) }
        #expect((1000..<1400).contains(oddities.count { $0 != nil }))
        #expect(Set(oddities.compactMap { $0 }).count == OddValues.Oddity.allCases.count)
        #expect(oddities == (0..<4000).map { odd.oddity(endpoint: 1, cluster: 6, attribute: $0) })
        let other = try #require(try FaultPlan(parsing: "odd-values:0.3:8").oddValues)
        #expect(oddities != (0..<4000).map { other.oddity(endpoint: 1, cluster: 6, attribute: $0) })
        for oddity in OddValues.Oddity.allCases {
            #expect(OddValues.value(oddity, insteadOf: .bool(true)) != .bool(true))
        }
    }

    @Test("the N-th message of an opcode is meant, and no other")
    func counting() throws {
        var state = FaultState(try FaultPlan(parsing: "ignore:invoke:2,mute:invoke:3"))
        let address = try #require(PeerAddress(octets: [127, 0, 0, 1], port: 5540))
        func message(_ opcode: UInt8) -> ReceivedMessage {
            ReceivedMessage(protocolID: .interactionModel, opcode: opcode, payload: [], from: address)
        }
        var ignored: [Bool] = []
        var muted: [Bool] = []
        for opcode: UInt8 in [8, 2, 8, 8, 8] {
            ignored.append(state.ignores(message(opcode)))
            muted.append(state.mutes(message(opcode)))
        }
        #expect(ignored == [false, false, true, false, false])
        #expect(muted == [false, false, false, true, false])
    }

    @Test("the device is busy for so many Sigma1, and reboots once")
    func once() throws {
        var state = FaultState(try FaultPlan(parsing: "busy:2:70,reboot:csr"))
        let waits = (0..<3).map { _ in state.busyOnSigma1() }
        #expect(waits == [.milliseconds(70), .milliseconds(70), nil])
        let reboots = ["root-added", "csr", "csr"].map { state.rebootsAt($0) }
        #expect(reboots == [false, true, false])
    }
}
