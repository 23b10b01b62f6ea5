import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("What the fail-safe takes back, and what it leaves", .beside)
struct RollbackTests {
    private static let bindingEntry = TLVValue.structure([
        TLVElement(1, .uint(0x4000)), TLVElement(3, .uint(1)), TLVElement(4, .uint(6)),
    ])

    /// Adds a fabric without completing it.
    private func addFabric(_ bench: NodeBench) throws {
        let controller = try NodeBench.Controller()
        bench.node.noteCommissioner(at: bench.moment)
        #expect(try bench.arm() == 0)
        let csr = try #require(try bench.requestCSR())
        #expect(try bench.addRoot(controller) == .success)
        #expect(try bench.addNOC(controller, csr).status == 0)
    }

    @Test("a power cut before completion leaves no entry to the next fabric with the same index")
    func entriesOfLostFabric() throws {
        let bench = try NodeBench(["on-off-switch"])
        try addFabric(bench)
        #expect(try bench.write(1, Binding.id, 0, .array(of: [Self.bindingEntry]), by: bench.pase).isSuccess)
        try bench.restart()
        #expect(bench.node.fabrics.isEmpty)
        #expect(bench.value(1, Binding.id, 0) == .array([]))
        let next = try bench.commission(try NodeBench.Controller())
        #expect(next.fabricIndex == 1)
        #expect(try bench.read(1, Binding.id, 0, by: next).first?.value == .array([]))
    }

    @Test("entries of fabrics that are still there survive a power cut")
    func entriesOfPresentFabric() throws {
        let bench = try NodeBench(["on-off-switch"])
        let admin = try bench.commission(try NodeBench.Controller())
        #expect(try bench.write(1, Binding.id, 0, .array(of: [Self.bindingEntry]), by: admin).isSuccess)
        try bench.restart()
        #expect(try bench.read(1, Binding.id, 0, by: admin).first?.value?.items?.count == 1)
    }

    @Test("a device that loses its last fabric under a fail-safe can be commissioned again", arguments: [true, false])
    func lastFabric(byCASE: Bool) throws {
        let bench = try NodeBench()
        if byCASE {
            let admin = try bench.commission(try NodeBench.Controller())
            #expect(try bench.arm(by: admin) == 0)
            let answer = try bench.invoke(0, NodeBench.credentials, 0x0A, [TLVElement(0, .uint(1))], by: admin)
            #expect(answer.response(8)?.field(0) == .uint(0))
        } else {
            try addFabric(bench)
            let answer = try bench.invoke(0, NodeBench.credentials, 0x0A, [TLVElement(0, .uint(1))], by: bench.pase)
            #expect(answer.response(8)?.field(0) == .uint(0))
        }
        bench.pass(.seconds(61))
        #expect(bench.node.failSafe == nil)
        #expect(bench.node.fabrics.isEmpty)
        #expect(bench.node.isCommissionable)
        try bench.commission(try NodeBench.Controller())
    }

    @Test("undoing UpdateNOC takes back certificate and label, and leaves access lists as they are")
    func updateNOC() throws {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        let admin = try bench.commission(controller)
        #expect(try bench.arm(by: admin) == 0)
        let csr = try #require(try bench.requestCSR(forUpdate: true, by: admin))
        let issued = try controller.issuer().issue(csr, nodeID: NodeID(0x1234))
        let answer = try bench.invoke(
            0, NodeBench.credentials, 7, [TLVElement(0, .octets(issued.noc.tlv))], by: admin)
        #expect(answer.response(8)?.field(0) == .uint(0))
        let named = try bench.invoke(0, NodeBench.credentials, 9, [TLVElement(0, .string("home"))], by: admin)
        #expect(named.response(8)?.field(0) == .uint(0))
        let list = [
            AccessControlEntry(.administer, .case, subjects: [controller.nodeID]),
            AccessControlEntry(.operate, .case, subjects: [0x4000]),
        ]
        #expect(
            try bench.write(
                0, AccessControl.id, 0, .array(of: list.map { $0.tlv(fabricIndex: 1) }), by: admin
            ).isSuccess)
        let saved = try #require(bench.node.savedFabrics.first)
        #expect(saved.access == list)
        #expect(saved.operational.nodeID == NodeID(0x1000))
        bench.pass(.seconds(61))
        let fabric = try #require(bench.node.fabrics[1])
        #expect(fabric.operational.nodeID == NodeID(0x1000))
        #expect(fabric.label.isEmpty)
        #expect(fabric.access == list)
    }

    @Test("who opened a window is forgotten with the fabric, and subscribers hear of it")
    func opener() throws {
        let bench = try NodeBench()
        let first = try bench.commission(try NodeBench.Controller())
        #expect(try bench.openWindow(by: first).isSuccess)
        let other = try bench.commission(try NodeBench.Controller(nodeID: 0x3000))
        #expect(try bench.openWindow(by: other).isSuccess)
        func version() throws -> UInt32? {
            guard case .data(let data) = try bench.read(0, AdministratorCommissioning.id, 1, by: first).first
            else { return nil }
            return data.dataVersion
        }
        let before = try version()
        _ = try bench.invoke(0, NodeBench.credentials, 0x0A, [TLVElement(0, .uint(2))], by: first)
        #expect(bench.value(0, AdministratorCommissioning.id, 1) == .null)
        #expect(try version() != before)
    }
}
