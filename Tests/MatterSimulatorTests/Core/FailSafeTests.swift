import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("The fail-safe", .beside)
struct FailSafeTests {
    /// How far commissioning has come.
    enum Stage: CaseIterable, Sendable {
        case armed, attested, csr, root, noc
    }

    /// Commissions up to a stage.
    private func bench(until stage: Stage) throws -> (NodeBench, NodeBench.Controller) {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        bench.node.noteCommissioner(at: bench.moment)
        #expect(try bench.arm() == 0)
        if stage == .armed { return (bench, controller) }
        let nonce = TLVElement(0, .octets([UInt8](repeating: 1, count: 32)))
        #expect(try bench.invoke(0, NodeBench.credentials, 0, [nonce], by: bench.pase).response(1) != nil)
        if stage == .attested { return (bench, controller) }
        let csr = try #require(try bench.requestCSR())
        if stage == .csr { return (bench, controller) }
        #expect(try bench.addRoot(controller) == .success)
        if stage == .root { return (bench, controller) }
        #expect(try bench.addNOC(controller, csr).status == 0)
        return (bench, controller)
    }

    private func accept(_ bench: NodeBench, _ version: UInt64, _ response: UInt64) throws -> UInt8? {
        try bench.invoke(
            0, NodeBench.general, GeneralCommissioning.Command.setTCAcknowledgements,
            [TLVElement(0, .uint(version)), TLVElement(1, .uint(response))], by: bench.pase
        ).response(GeneralCommissioning.Command.setTCAcknowledgementsResponse)?.field(0)?.integer()
    }

    @Test(
        "terms are asked for until those of a version and all that are required are accepted, and kept with the fabric")
    func terms() throws {
        typealias Attribute = GeneralCommissioning.Attribute
        let bench = try NodeBench { $0.terms = DemandedTerms(minimumVersion: 2, required: 0b101) }
        func value(_ attribute: AttributeID) -> TLVValue? { bench.value(0, NodeBench.general, attribute) }
        func complete(accepting answer: (UInt64, UInt64)?) throws -> UInt8? {
            let controller = try NodeBench.Controller()
            bench.pase.fabricIndex = 0
            bench.node.noteCommissioner(at: bench.moment)
            #expect(try bench.arm() == 0)
            if let answer { #expect(try accept(bench, answer.0, answer.1) == 0) }
            let csr = try #require(try bench.requestCSR())
            #expect(try bench.addRoot(controller) == .success)
            let index = try #require(try bench.addNOC(controller, csr).index)
            return try bench.complete(by: controller.caller(index))
        }
        #expect(value(Attribute.tcAcknowledgementsRequired) == .bool(true))
        #expect(try complete(accepting: nil) == 6)
        #expect(try accept(bench, 1, 0b101) == 7)
        #expect(try accept(bench, 2, 0b011) == 5)
        #expect(try accept(bench, 2, 0b111) == 0)
        #expect(value(Attribute.tcAcceptedVersion) == .uint(0), "nothing is kept before CommissioningComplete")
        bench.pass(.seconds(61))
        #expect(try complete(accepting: nil) == 6, "the end of the fail-safe has taken it back")
        #expect(try bench.arm(0) == 0)
        #expect(try complete(accepting: (3, 0b111)) == 0)
        try bench.restart()
        #expect(value(Attribute.tcAcceptedVersion) == .uint(3) && value(Attribute.tcAcknowledgements) == .uint(0b111))
        #expect(value(Attribute.tcAcknowledgementsRequired) == .bool(false))
        let plain = try NodeBench()
        let command = GeneralCommissioning.Command.setTCAcknowledgements
        #expect(
            try plain.invoke(
                0, NodeBench.general, command, [TLVElement(0, .uint(1)), TLVElement(1, .uint(1))], by: plain.pase
            ).status == .unsupportedCommand)
    }

    private func expectUntouched(_ bench: NodeBench) throws {
        #expect(bench.node.failSafe == nil)
        #expect(bench.node.fabrics.isEmpty)
        #expect(bench.node.savedFabrics.isEmpty)
        #expect(bench.value(0, NodeBench.credentials, 4) == .array([]))
        #expect(bench.value(0, AccessControl.id, 0) == .array([]))
        #expect(bench.value(0, NodeBench.general, 0) == .uint(0))
        #expect(bench.node.isCommissionable)
        bench.pase.fabricIndex = 0
        try bench.commission(try NodeBench.Controller())
        #expect(bench.node.fabrics.count == 1)
    }

    @Test("its expiry takes back everything, whatever stage was reached", arguments: Stage.allCases)
    func expiry(stage: Stage) throws {
        let (bench, _) = try bench(until: stage)
        bench.pass(.seconds(59))
        #expect(bench.node.failSafe != nil)
        bench.pass(.seconds(2))
        let effects = bench.takeEffects()
        #expect(effects.contains { if case .closePASESessions = $0 { true } else { false } })
        try expectUntouched(bench)
    }

    @Test("disarming it does the same at once", arguments: Stage.allCases)
    func disarm(stage: Stage) throws {
        let (bench, _) = try bench(until: stage)
        #expect(try bench.arm(0) == 0)
        try expectUntouched(bench)
    }

    @Test("a power cut does the same", arguments: Stage.allCases)
    func powerCut(stage: Stage) throws {
        let (bench, _) = try bench(until: stage)
        try bench.restart()
        try expectUntouched(bench)
    }

    @Test("what was completed survives a power cut")
    func completed() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        try bench.restart()
        #expect(bench.node.fabrics.count == 1)
        #expect(try bench.read(0, AccessControl.id, 0, by: admin).first?.value != nil)
        #expect(!bench.node.window.isOpen)
    }

    @Test("arming again sets another end, nearer or farther, and never past the limit of all extensions")
    func extensions() throws {
        let nearer = try NodeBench()
        #expect(try nearer.arm(60) == 0)
        #expect(try nearer.arm(10) == 0)
        nearer.pass(.seconds(9))
        #expect(nearer.node.failSafe != nil)
        nearer.pass(.seconds(1))
        #expect(nearer.node.failSafe == nil)
        let bench = try NodeBench()
        #expect(try bench.arm(60) == 0)
        bench.pass(.seconds(55))
        #expect(bench.node.failSafe != nil)
        for _ in 0..<20 {
            #expect(try bench.arm(900) == 0)
            bench.pass(.seconds(50))
        }
        #expect(bench.node.failSafe == nil || bench.node.failSafe?.deadline ?? .now > bench.moment.instant)
        let limit = try NodeBench()
        #expect(try limit.arm(600) == 0)
        limit.pass(.seconds(599))
        #expect(try limit.arm(600) == 0)
        limit.pass(.seconds(302))
        #expect(limit.node.failSafe == nil)
    }

    @Test("it belongs to who armed it")
    func otherAdministrator() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        #expect(try bench.arm(by: admin) == 0)
        bench.pase.fabricIndex = 0
        #expect(try bench.arm() == 4)
        #expect(try bench.complete(by: admin) == 0)
        #expect(try bench.openWindow(by: admin).isSuccess)
        #expect(try bench.arm(by: admin) == 4, "while a window is open")
    }

    @Test("completion needs a fail-safe, and the session of the new fabric")
    func completion() throws {
        let (bench, controller) = try bench(until: .noc)
        #expect(try bench.complete(by: bench.pase) == 2)
        let stranger = controller.caller(1, node: 0x5555)
        #expect(try bench.invoke(0, NodeBench.general, 4, by: stranger).status == .unsupportedAccess)
        #expect(try bench.complete(by: controller.caller(1)) == 0)
        #expect(try bench.complete(by: controller.caller(1)) == 3)
    }

    @Test("what needs it is refused without it")
    func required() throws {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        let nonce = TLVElement(0, .octets([UInt8](repeating: 1, count: 32)))
        #expect(try bench.invoke(0, NodeBench.credentials, 4, [nonce], by: bench.pase).status == .failsafeRequired)
        #expect(try bench.addRoot(controller) == .failsafeRequired)
    }

    @Test("a device that grants less does so")
    func shorter() throws {
        let bench = try NodeBench(["on-off-light"]) { $0.faults.failSafe = 5 }
        #expect(try bench.arm(60) == 0)
        bench.pass(.seconds(6))
        #expect(bench.node.failSafe == nil)
    }

    @Test("the networks that were added under it are forgotten with it")
    func networks() throws {
        let bench = try NodeBench(["on-off-light"]) { $0.network = .wifi }
        func add(_ ssid: String) throws -> Int? {
            try bench.invoke(
                0, NetworkCommissioning.id, 2,
                [
                    TLVElement(0, .octets(Array(ssid.utf8))), TLVElement(1, .octets(Array("simulated-password".utf8))),
                ], by: bench.pase
            ).response(5)?.field(0)?.integer()
        }
        func connect(_ ssid: String) throws -> Int? {
            try bench.invoke(
                0, NetworkCommissioning.id, 6, [TLVElement(0, .octets(Array(ssid.utf8)))], by: bench.pase
            ).response(7)?.field(0)?.integer()
        }
        #expect(
            try bench.invoke(
                0, NetworkCommissioning.id, 2,
                [TLVElement(0, .octets([1])), TLVElement(1, .octets([]))], by: bench.pase
            ).status == .failsafeRequired)
        _ = try bench.arm()
        #expect(try add("simulated") == 0)
        #expect(try add("nowhere") == 0)
        #expect(try add("simulated-open") == 0)
        #expect(try connect("simulated") == 0)
        #expect(try connect("nowhere") == 5)
        #expect(try connect("simulated-open") == 7)
        #expect(try connect("never-added") == 3)
        #expect(bench.value(0, NetworkCommissioning.id, 1)?.items?.count == 3)
        bench.pass(.seconds(61))
        #expect(bench.value(0, NetworkCommissioning.id, 1) == .array([]))
    }
}
