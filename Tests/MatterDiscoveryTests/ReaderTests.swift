import TestSupport
import Testing

@testable import MatterNetwork

@Suite("Readers", .ownDaemons)
struct ReaderTests {
    private let interfaces = [loopback, eth0]

    private func instance(
        _ strings: [String], browsers: Set<Int> = [1],
        _ addresses: [ServiceInstance.Address] = [.init(octets: [192, 168, 1, 9], interface: 2)]
    ) throws -> ServiceInstance {
        ServiceInstance(
            name: "AB", host: "lamp.local", port: 5541,
            txt: try TXTRecord(decoding: strings.flatMap { txt($0) }), browsers: browsers, addresses: addresses)
    }

    @Test("a device is found with its addresses in order, each once, without those that cannot be used")
    func device() throws {
        var reader = CommissionableReader(.longDiscriminator(1), includingClosed: false)
        let report = ServiceReport.updated(
            try instance(
                ["D=1", "CM=1"],
                [
                    .init(octets: [192, 168, 1, 9], interface: 2), .init(octets: [192, 168, 1, 9], interface: 3),
                    .init(octets: ipv6([0xFE, 0x80], 9), interface: 7), .init(octets: [127, 0, 0, 1], interface: 2),
                    .init(octets: ipv6([0xFE, 0x80], 9), interface: 2), .init(octets: ipv6([0xFD], 9), interface: 2),
                ]))
        guard case .found(let device) = reader.read(report, interfaces: interfaces) else {
            Issue.record("not found")
            return
        }
        #expect(device.instance == "AB")
        #expect(device.record.longDiscriminator == 1)
        #expect(
            device.addresses.map(\.description) == ["[fe80::9%eth0]:5541", "[fd00::9]:5541", "192.168.1.9:5541"])
        #expect(reader.read(report, interfaces: interfaces) == nil)
    }

    @Test("a device without any usable address is not there")
    func unreachable() throws {
        var reader = CommissionableReader(.any, includingClosed: false)
        let nowhere = try instance(["D=1", "CM=1"], [.init(octets: ipv6([0xFE, 0x80], 9), interface: 7)])
        #expect(reader.read(.updated(nowhere), interfaces: interfaces) == nil)
        let somewhere = try instance(["D=1", "CM=1"])
        #expect(reader.read(.updated(somewhere), interfaces: interfaces) != nil)
        #expect(reader.read(.updated(nowhere), interfaces: interfaces) == .lost(instance: "AB"))
        #expect(reader.read(.updated(nowhere), interfaces: interfaces) == nil)
    }

    @Test("a device that closes its window is lost, unless closed ones are wanted")
    func closes() throws {
        let open = ServiceReport.updated(try instance(["D=1", "CM=2"]))
        let closed = ServiceReport.updated(try instance(["D=1", "CM=0"]))
        var reader = CommissionableReader(.any, includingClosed: false)
        #expect(reader.read(closed, interfaces: interfaces) == nil)
        #expect(reader.read(open, interfaces: interfaces) != nil)
        #expect(reader.read(closed, interfaces: interfaces) == .lost(instance: "AB"))
        #expect(reader.read(.removed(name: "AB"), interfaces: interfaces) == nil)
        var tolerant = CommissionableReader(.any, includingClosed: true)
        #expect(tolerant.read(closed, interfaces: interfaces) != nil)
        #expect(tolerant.read(.removed(name: "AB"), interfaces: interfaces) == .lost(instance: "AB"))
    }

    @Test("the filter applies to what the plain type finds, and the subtype helps where the record is silent")
    func filter() throws {
        var reader = CommissionableReader(.longDiscriminator(1), includingClosed: false)
        let other = ServiceReport.updated(try instance(["D=2", "CM=1"], browsers: [0, 1]))
        #expect(reader.read(other, interfaces: interfaces) == nil)
        let silent = ServiceReport.updated(try instance(["CM=1"], browsers: [1]))
        #expect(reader.read(silent, interfaces: interfaces) == nil)
        let silentWithSubtype = ServiceReport.updated(try instance(["CM=1"], browsers: [0]))
        #expect(reader.read(silentWithSubtype, interfaces: interfaces) != nil)
    }

    @Test("without a filter the only browser is no subtype")
    func noFilter() throws {
        var reader = CommissionableReader(.commissioningMode, includingClosed: true)
        let closed = ServiceReport.updated(try instance(["CM=0"], browsers: [0, 1]))
        #expect(reader.read(closed, interfaces: interfaces) == nil)
        #expect(reader.read(.settled, interfaces: interfaces) == .allForNow)
    }

    @Test("a node is found, changed and lost, each reported once")
    func node() throws {
        var reader = OperationalReader(OperationalInstance(compressedFabricID: 0xAB, nodeID: 0xCD))
        #expect(reader.target == .instance("00000000000000AB-00000000000000CD"))
        let found = ServiceReport.updated(try instance(["SII=800"]))
        guard case .found(let node) = reader.read(found, interfaces: interfaces) else {
            Issue.record("not found")
            return
        }
        #expect(node.record.parameters.idleInterval == .milliseconds(800))
        #expect(node.addresses.map(\.description) == ["192.168.1.9:5541"])
        #expect(reader.read(found, interfaces: interfaces) == nil)
        #expect(reader.read(.updated(try instance(["SII=900"])), interfaces: interfaces) != nil)
        #expect(reader.read(.removed(name: "x"), interfaces: interfaces) == .lost)
        #expect(reader.read(.removed(name: "x"), interfaces: interfaces) == nil)
        #expect(reader.read(.updated(try instance([], [])), interfaces: interfaces) == nil)
    }

    @Test("a list has the nodes of the fabric, and leaves out what is no node")
    func list() throws {
        let reader = OperationalListReader(compressedFabricID: 0xAB)
        #expect(reader.target == .list(["_I00000000000000AB._sub._matter._tcp", "_matter._tcp"]))
        let ours = OperationalInstance(compressedFabricID: 0xAB, nodeID: 1)
        let other = OperationalInstance(compressedFabricID: 0xAC, nodeID: 1)
        #expect(reader.read(.named(ours.name.lowercased())) == .found(ours))
        #expect(reader.read(.removed(name: ours.name)) == .lost(ours))
        #expect(reader.read(.named(other.name)) == nil)
        #expect(reader.read(.named("printer")) == nil)
        #expect(reader.read(.settled) == .allForNow)
        let everything = OperationalListReader(compressedFabricID: nil)
        #expect(everything.target == .list(["_matter._tcp"]))
        #expect(everything.read(.named(other.name)) == .found(other))
    }
}
