import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Aggregator with bridged lights", .beside)
struct AggregatorTests {
    static let information = BridgedDeviceBasicInformation.id

    @Test("the aggregator lists its lights, wherever it stands in the node")
    func parts() throws {
        let bench = try ClusterBench("contact-sensor", "aggregator")
        #expect(bench.node.endpointNumbers == [0, 1, 2, 3, 4, 5])
        #expect(bench.read(Descriptor.id, 3, endpoint: 2) == .array(of: [3, 4, 5].map { .uint($0) }))
        #expect(bench.read(Descriptor.id, 3, endpoint: 0)?.items?.count == 5)
        for endpoint: EndpointID in 3...5 {
            let types = bench.node.endpoints[endpoint]?.deviceTypes.map(\.id) ?? []
            #expect(types.count == 2)
            #expect(types.contains(0x13))
        }
    }

    @Test("each light has a name and an id of its own, and works")
    func lights() throws {
        let bench = try ClusterBench("aggregator")
        let ids = (2...4).map { bench.read(Self.information, 0x12, endpoint: $0)?.text ?? "" }
        #expect(Set(ids).count == 3)
        #expect(ids.allSatisfy { (1...32).contains($0.utf8.count) })
        #expect(bench.write(Self.information, 5, .string("Kitchen"), endpoint: 3).isSuccess)
        #expect(try bench.status(OnOff.id, 1, endpoint: 3).isSuccess)
        #expect(bench.read(OnOff.id, 0, endpoint: 3) == .bool(true))
        #expect(bench.read(OnOff.id, 0, endpoint: 2) == .bool(false))
        #expect(try bench.restarted().read(Self.information, 5, endpoint: 3) == .string("Kitchen"))
    }

    @Test("a light that leaves the bridge takes its endpoint with it, and comes back as it was")
    func comingAndGoing() throws {
        let bench = try ClusterBench("aggregator", "contact-sensor")
        func parts(of endpoint: EndpointID) -> TLVValue? { bench.read(Descriptor.id, 3, endpoint: endpoint) }
        #expect(bench.write(Self.information, 5, .string("Kitchen"), endpoint: 3).isSuccess)
        #expect(bench.type("1 descriptor remove 3"))
        #expect(bench.node.endpointNumbers == [0, 1, 2, 4, 5])
        #expect(parts(of: 1) == .array(of: [2, 4].map { .uint($0) }))
        #expect(parts(of: 0) == .array(of: [1, 2, 4, 5].map { .uint($0) }))
        #expect(bench.read(OnOff.id, 0, endpoint: 3) == nil)
        #expect(try bench.status(OnOff.id, 1, endpoint: 3).status == .unsupportedEndpoint)
        #expect(try bench.restarted().read(Self.information, 5, endpoint: 3) == .string("Kitchen"))
        // Neither once more, nor what is not behind it.
        for line in [
            "1 descriptor remove 3", "1 descriptor remove 5", "0 descriptor remove 1", "2 descriptor remove 3",
        ] {
            #expect(!bench.type(line), "\(line)")
        }
        #expect(!bench.type("2 descriptor add 3") && !bench.type("1 descriptor add 4"))
        #expect(bench.type("1 descriptor add 3"))
        #expect(bench.node.endpointNumbers == [0, 1, 2, 3, 4, 5])
        #expect(parts(of: 1) == .array(of: [2, 3, 4].map { .uint($0) }))
        #expect(bench.read(Self.information, 5, endpoint: 3) == .string("Kitchen"))
    }

    @Test("ReachableChanged tells when a device goes and comes back")
    func reachable() throws {
        let bench = try ClusterBench("aggregator")
        #expect(bench.read(Self.information, 0x11, endpoint: 2) == .bool(true))
        #expect(bench.type("2 bridged-device-basic-information unreachable"))
        #expect(bench.read(Self.information, 0x11, endpoint: 2) == .bool(false))
        #expect(bench.type("2 bridged-device-basic-information unreachable"))
        #expect(bench.type("2 bridged-device-basic-information reachable"))
        #expect(
            bench.events(Self.information) == [
                ClusterBench.Event(3, [0: .bool(false)]), ClusterBench.Event(3, [0: .bool(true)]),
            ])
    }
}
