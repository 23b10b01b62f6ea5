import MatterBase
import MatterCrypto
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Commissioning windows", .beside)
struct WindowTests {
    private static let cluster = AdministratorCommissioning.id

    private func enhanced(
        _ bench: NodeBench, by caller: Caller, seconds: UInt64 = 300, discriminator: UInt64 = 100,
        iterations: UInt64 = 1000, salt: Int = 16, verifier: [UInt8]? = nil
    ) throws -> StatusIB {
        let verifier = try verifier ?? NodeBench.Fixture.shared.get().verifier.serialized().copyBytes()
        return try bench.invoke(
            0, Self.cluster, 0,
            [
                TLVElement(0, .uint(seconds)), TLVElement(1, .octets(verifier)), TLVElement(2, .uint(discriminator)),
                TLVElement(3, .uint(iterations)), TLVElement(4, .octets([UInt8](repeating: 1, count: salt))),
            ], by: caller, timed: true
        ).wholeStatus
    }

    @Test("a device that is on no fabric is open, and says so on its network only")
    func atBoot() throws {
        let bench = try NodeBench()
        #expect(bench.node.isCommissionable)
        #expect(bench.value(0, Self.cluster, 0) == .uint(0))
        bench.pass(.seconds(3600))
        #expect(bench.node.isCommissionable)
    }

    @Test("without a window the three attributes are closed, null and null, and the global ones are themselves")
    func closed() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        let values = try bench.read(0, Self.cluster, nil, by: admin).map(\.value)
        let globals: [TLVValue] = [
            .array([]), .array(of: [.uint(0), .uint(1), .uint(2)]),
            .array(of: [.uint(0), .uint(1), .uint(2)] + GlobalAttribute.all.map(\.tlv)), .uint(1),
            .uint(1),
        ]
        #expect(values == [.uint(0), .null, .null] + globals)
    }

    @Test("an administrator's window closes by itself")
    func timeout() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        #expect(!bench.node.window.isOpen)
        #expect(try enhanced(bench, by: admin, seconds: 180).isSuccess)
        #expect(bench.value(0, Self.cluster, 0) == .uint(1))
        #expect(bench.value(0, Self.cluster, 1) == .uint(1))
        #expect(bench.value(0, Self.cluster, 2) == .uint(0xFFF1))
        #expect(bench.node.window.discriminator == 100)
        bench.pass(.seconds(179))
        #expect(bench.node.isCommissionable)
        bench.pass(.seconds(2))
        #expect(!bench.node.window.isOpen)
        #expect(bench.value(0, Self.cluster, 1) == .null)
    }

    @Test("bad parameters are told apart")
    func parameters() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        #expect(try enhanced(bench, by: admin, seconds: 179).status == .invalidCommand)
        #expect(try enhanced(bench, by: admin, seconds: 901).status == .invalidCommand)
        #expect(try enhanced(bench, by: admin, discriminator: 0x1000).status == .invalidCommand)
        for status in [
            try enhanced(bench, by: admin, iterations: 999), try enhanced(bench, by: admin, iterations: 100_001),
            try enhanced(bench, by: admin, salt: 15), try enhanced(bench, by: admin, salt: 33),
            try enhanced(bench, by: admin, verifier: [1, 2, 3]),
        ] {
            #expect(status == StatusIB(.failure, clusterStatus: 3))
        }
        #expect(!bench.node.window.isOpen)
    }

    @Test("only one window, and none while a fail-safe is armed")
    func busy() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        let busy = StatusIB(.failure, clusterStatus: 2)
        #expect(try bench.openWindow(by: admin).isSuccess)
        #expect(try bench.openWindow(by: admin) == busy)
        #expect(try enhanced(bench, by: admin) == busy)
        #expect(try bench.invoke(0, Self.cluster, 2, by: admin, timed: true).status == .success)
        #expect(
            try bench.invoke(0, Self.cluster, 2, by: admin, timed: true).wholeStatus
                == .init(.failure, clusterStatus: 4))
        #expect(try bench.arm(by: admin) == 0)
        #expect(try bench.openWindow(by: admin) == busy)
    }

    @Test("its commands are timed ones")
    func timed() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        let status = try bench.invoke(0, Self.cluster, 1, [TLVElement(0, .uint(300))], by: admin).status
        #expect(status == .needsTimedInteraction)
    }

    @Test("twenty wrong passcodes close it")
    func attempts() throws {
        let bench = try NodeBench()
        for _ in 0..<19 { bench.node.noteFailedAttempt(at: bench.moment) }
        #expect(bench.node.isCommissionable)
        bench.node.noteFailedAttempt(at: bench.moment)
        #expect(!bench.node.window.isOpen)
    }

    @Test("while one commissioner is let in, no other is")
    func occupied() throws {
        let bench = try NodeBench()
        bench.node.noteCommissioner(at: bench.moment)
        #expect(!bench.node.isCommissionable)
        bench.pass(.seconds(61))
        #expect(bench.node.isCommissionable)
    }
}
