import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("Fabrics of a device", .beside)
struct FabricTests {
    private typealias Status = NodeOperationalCredentials.NodeOperationalCertStatus

    private func second(_ bench: NodeBench, by admin: Caller, _ controller: NodeBench.Controller) throws -> Caller {
        #expect(try bench.openWindow(by: admin).isSuccess)
        return try bench.commission(controller)
    }

    @Test("several fabrics live side by side, and each sees its own secrets only")
    func several() throws {
        let bench = try NodeBench()
        let first = try bench.commission(try NodeBench.Controller())
        let other = try second(bench, by: first, try NodeBench.Controller(nodeID: 0x3000))
        #expect(first.fabricIndex == 1)
        #expect(other.fabricIndex == 2)
        let own = try bench.read(0, NodeBench.credentials, 1, by: first).first?.value?.items
        #expect(own?.map(\.fabricIndex) == [1])
        let all = try bench.read(0, AccessControl.id, 0, by: first, filtered: false).first?.value?.items
        #expect(all?.count == 2)
        #expect(all?.first?.field(1) == .uint(5))
        #expect(
            all?.last == .structure([TLVElement(254, .uint(2))]), "what is sensitive is left out of others' entries")
    }

    /// Until Matter 1.4 certificates were fabric-sensitive. Since then an administrator of any fabric reads them, because
    /// to verify a vendor id, one needs the certificate that SignVIDVerificationRequest signs with.
    @Test("certificates of all fabrics are read by an administrator who asks for all, and by no one else")
    func certificates() throws {
        let bench = try NodeBench()
        let first = try bench.commission(try NodeBench.Controller())
        _ = try second(bench, by: first, try NodeBench.Controller(nodeID: 0x3000))
        let own = try bench.read(0, NodeBench.credentials, 0, by: first).first?.value?.items
        #expect(own?.map(\.fabricIndex) == [1])
        let all = try bench.read(0, NodeBench.credentials, 0, by: first, filtered: false).first?.value?.items
        #expect(all?.map { $0.field(1)?.octetString } == bench.node.fabrics.all.map(\.operational.noc.tlv))
        #expect(all?.map(\.fabricIndex) == [1, 2])
        let operate = AccessControlEntry(.operate, .case, subjects: [0x4000]).tlv(fabricIndex: 1)
        let administer = AccessControlEntry(.administer, .case, subjects: [0x2000]).tlv(fabricIndex: 1)
        #expect(
            try bench.write(0, AccessControl.id, 0, .array(of: [administer, operate]), by: first).isSuccess)
        let operator4000 = Caller(.case(NodeID(0x4000), tags: []), fabricIndex: 1)
        let refused = try bench.read(0, NodeBench.credentials, 0, by: operator4000, filtered: false)
        #expect(refused.map(\.refusal) == [.unsupportedAccess])
    }

    @Test("what is fabric-sensitive never leaves its fabric: whole lists, entries, subscriptions, events")
    func sensitive() throws {
        let bench = try NodeBench(["on-off-switch"])
        let first = try bench.commission(try NodeBench.Controller())
        let other = try second(bench, by: first, try NodeBench.Controller(nodeID: 0x3000))
        let request = ReadRequest(
            attributePaths: [AttributePath()], eventPaths: [EventPath()], isFabricFiltered: false)
        let (attributes, events) = try bench.node.turn(at: bench.moment) {
            try bench.node.read(request, caller: other)
        }
        var foreign = 0
        for case .data(let report) in attributes {
            let path = try #require(report.path.concrete)
            let definition = try #require(ClusterModel.model(of: path.cluster)?.attributes[path.attribute])
            guard definition.isFabricScoped, case .structure(let entry) = definition.type.kind else { continue }
            let sensitive = entry.fields.filter(\.isFabricSensitive).map(\.id)
            for item in report.data.items ?? [] where item.fabricIndex != other.fabricIndex {
                foreign += 1
                #expect(sensitive.allSatisfy { item.field($0) == nil }, "\(definition.name): \(item)")
            }
        }
        #expect(foreign >= 3, "an access control entry, a descriptor and a certificate of the first fabric")
        let fabrics = events.compactMap { event -> UInt8? in
            if case .data(let data) = event { data.data?.fabricIndex } else { nil }
        }
        #expect(!fabrics.isEmpty && fabrics.allSatisfy { $0 == other.fabricIndex })
        let subscribed = bench.node.data(
            ConcreteAttributePath(endpoint: 0, cluster: AccessControl.id, attribute: 0), false, other)
        #expect(subscribed?.data.items?.first == .structure([TLVElement(254, .uint(1))]))
    }

    @Test("the same fabric cannot be added twice")
    func conflict() throws {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        let admin = try bench.commission(controller)
        #expect(try bench.openWindow(by: admin).isSuccess)
        bench.pase.fabricIndex = 0
        bench.node.noteCommissioner(at: bench.moment)
        let csr = try #require(try bench.requestCSR())
        #expect(try bench.addRoot(controller) == .success)
        #expect(try bench.addNOC(controller, csr).status == Status.fabricConflict.rawValue)
    }

    @Test("a full table takes no more")
    func full() throws {
        let bench = try NodeBench(["on-off-light"]) { $0.limits.fabrics = 2 }
        let first = try bench.commission(try NodeBench.Controller())
        _ = try second(bench, by: first, try NodeBench.Controller())
        #expect(throws: BenchError.self) { try second(bench, by: first, try NodeBench.Controller()) }
        let status = Status.tableFull.rawValue
        let faulty = try NodeBench(["on-off-light"]) { $0.faults.hasFullFabricTable = true }
        _ = try faulty.arm()
        let controller = try NodeBench.Controller()
        let csr = try #require(try faulty.requestCSR())
        #expect(try faulty.addRoot(controller) == .success)
        #expect(try faulty.addNOC(controller, csr).status == status)
    }

    @Test("AddNOC says what is wrong")
    func refusals() throws {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        let other = try NodeBench.Controller()
        _ = try bench.arm()
        #expect(try bench.addRoot(controller) == .success)
        #expect(try bench.addRoot(controller) == .constraintError)
        let foreign = try CertificateSigningRequest(key: try .generate())
        #expect(try bench.addNOC(controller, foreign).status == Status.missingCsr.rawValue)
        let csr = try #require(try bench.requestCSR())
        #expect(try bench.addNOC(controller, foreign).status == Status.invalidPublicKey.rawValue)
        #expect(try bench.addNOC(other, csr).status == Status.invalidNOC.rawValue)
        #expect(try bench.addNOC(controller, csr).status == 0)
        #expect(try bench.addNOC(controller, csr).status == nil, "a second one in the same fail-safe")
        #expect(try bench.addRoot(other) == .constraintError)
        #expect(try bench.requestCSR() == nil)
    }

    @Test("UpdateNOC takes effect at once and is undone with the fail-safe")
    func update() throws {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        let admin = try bench.commission(controller)
        for isCompleted in [false, true] {
            #expect(try bench.arm(by: admin) == 0)
            let csr = try #require(try bench.requestCSR(forUpdate: true, by: admin))
            let issued = try controller.issuer().issue(csr, nodeID: NodeID(0x1234))
            let answer = try bench.invoke(
                0, NodeBench.credentials, 7, [TLVElement(0, .octets(issued.noc.tlv))], by: admin)
            #expect(answer.response(8)?.field(0) == .uint(0))
            #expect(bench.node.fabrics[1]?.operational.nodeID == NodeID(0x1234))
            #expect(bench.node.savedFabrics.first?.operational.nodeID == NodeID(0x1000))
            if isCompleted {
                #expect(try bench.complete(by: admin) == 0)
            } else {
                bench.pass(.seconds(61))
                #expect(bench.node.fabrics[1]?.operational.nodeID == NodeID(0x1000))
            }
        }
        #expect(bench.node.savedFabrics.first?.operational.nodeID == NodeID(0x1234))
    }

    @Test("labels are unique on a device")
    func labels() throws {
        let bench = try NodeBench()
        let first = try bench.commission(try NodeBench.Controller())
        let other = try second(bench, by: first, try NodeBench.Controller())
        func label(_ text: String, _ caller: Caller) throws -> TLVValue? {
            try bench.invoke(0, NodeBench.credentials, 9, [TLVElement(0, .string(text))], by: caller).response(8)?
                .field(0)
        }
        #expect(try label("home", first) == .uint(0))
        #expect(try label("home", other) == .uint(10))
        #expect(try label("", other) == .uint(0))
        let long = String(repeating: "x", count: 33)
        #expect(
            try bench.invoke(0, NodeBench.credentials, 9, [TLVElement(0, .string(long))], by: first).status
                == .constraintError)
    }

    @Test("a removed fabric leaves nothing behind, and the last one opens the device to new owners")
    func removal() throws {
        let bench = try NodeBench()
        let first = try bench.commission(try NodeBench.Controller())
        let other = try second(bench, by: first, try NodeBench.Controller())
        func remove(_ index: UInt8, by caller: Caller) throws -> TLVValue? {
            try bench.invoke(0, NodeBench.credentials, 0x0A, [TLVElement(0, .uint(UInt64(index)))], by: caller)
                .response(8)?.field(0)
        }
        #expect(try remove(77, by: first) == .uint(11))
        #expect(try remove(2, by: first) == .uint(0))
        #expect(bench.node.fabrics.count == 1)
        #expect(try bench.read(0, AccessControl.id, 0, by: other).first?.refusal == .unsupportedAccess)
        #expect(!bench.node.window.isOpen)
        #expect(try remove(1, by: first) == .uint(0))
        #expect(bench.node.isCommissionable)
        try bench.restart()
        #expect(bench.node.fabrics.isEmpty)
    }

    @Test("an index is not soon given to another fabric")
    func indices() throws {
        let bench = try NodeBench()
        let first = try bench.commission(try NodeBench.Controller())
        _ = try second(bench, by: first, try NodeBench.Controller())
        _ = try bench.invoke(0, NodeBench.credentials, 0x0A, [TLVElement(0, .uint(2))], by: first)
        #expect(try second(bench, by: first, try NodeBench.Controller()).fabricIndex == 3)
    }

    @Test("attestation answers only proper questions")
    func attestation() throws {
        let bench = try NodeBench()
        let short = TLVElement(0, .octets([1, 2, 3]))
        #expect(try bench.invoke(0, NodeBench.credentials, 0, [short], by: bench.pase).status == .invalidCommand)
        #expect(try bench.invoke(0, NodeBench.credentials, 4, [short], by: bench.pase).status == .invalidCommand)
        for (type, isThere) in [(UInt64(0), false), (1, true), (2, true), (3, false)] {
            let answer = try bench.invoke(0, NodeBench.credentials, 2, [TLVElement(0, .uint(type))], by: bench.pase)
            #expect((answer.response(3) != nil) == isThere)
            if !isThere { #expect(answer.status == .invalidCommand) }
        }
    }

    @Test("a wrong NOCSR signature is wrong")
    func wrongSignature() throws {
        let bench = try NodeBench(["on-off-light"]) { $0.faults.hasWrongNOCSRSignature = true }
        _ = try bench.arm()
        #expect(throws: CredentialsError.self) { try bench.requestCSR() }
    }

    @Test("a device's refusal of a certificate has the status that the fault deserves")
    func certificateStatuses() {
        func status(_ code: CredentialsError.Code) -> Status { Status(refusing: CredentialsError(code, "x")) }
        #expect(status(.invalidNodeID) == .invalidNodeOpId)
        #expect(status(.keyMismatch) == .invalidPublicKey)
        #expect(status(.expired) == .invalidNOC)
    }
}
