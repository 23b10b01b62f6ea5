import TestSupport
import Testing

@testable import MatterNetwork

@Suite("Border routers", .ownDaemons) struct BorderRouterTests {
    private let interfaces = [loopback, eth0]
    private let xp: [UInt8] = [0xDE, 0xAD, 0x00, 0xBE, 0xEF, 0x00, 0xCA, 0xFE]

    private func instance(
        _ entries: [(String, [UInt8])], name: String = "OpenThread BorderRouter #4A2B",
        _ addresses: [ServiceInstance.Address] = [.init(octets: [192, 168, 1, 9], interface: 2)]
    ) throws -> ServiceInstance {
        let data = entries.flatMap { key, value -> [UInt8] in
            let text = Array("\(key)=".utf8) + value
            return [UInt8(text.count)] + text
        }
        return ServiceInstance(
            name: name, host: "otbr.local", port: 49154, txt: try TXTRecord(decoding: data), browsers: [0],
            addresses: addresses)
    }

    private func read(_ entries: [(String, [UInt8])]) throws -> BorderRouter {
        var reader = BorderRouterReader()
        guard case .found(let router) = reader.read(.updated(try instance(entries)), interfaces: interfaces) else {
            throw DiscoveryError(.malformedRecord, "not found")
        }
        return router
    }

    @Test("the record of OpenThread's border router: text, and binary values with zeros in them")
    func record() throws {
        let router = try read([
            ("rv", [0x31]), ("vn", Array("OpenThread".utf8)), ("mn", Array("BorderRouter".utf8)),
            ("nn", Array("Küche".utf8)), ("xp", xp), ("tv", Array("1.3.0".utf8)), ("sb", [0, 0, 1, 0xB1]),
            ("at", [0, 0, 0x5F, 1, 2, 3, 0x80, 1]), ("pt", [0x7D, 0x3D, 0x2D, 0]),
            ("omr", [0x40, 0xFD, 0x3D, 0, 0x77, 0, 0, 0, 1]),
        ])
        #expect(router.instance == "OpenThread BorderRouter #4A2B" && router.host == "otbr.local")
        #expect(router.networkName == "Küche" && router.extendedPANID == xp)
        #expect(router.activeTimestamp == 0x5F01_0203 && router.isActive == true)
        #expect(router.vendor == "OpenThread" && router.model == "BorderRouter")
        #expect(router.addresses.map(\.description) == ["192.168.1.9:49154"])
    }

    @Test("a record without anything is a border router that says nothing of itself")
    func empty() throws {
        let router = try read([])
        #expect(router.networkName == nil && router.extendedPANID == nil && router.activeTimestamp == nil)
        #expect(router.vendor == nil && router.model == nil && router.isActive == nil)
    }

    @Test(
        "values of another length than theirs, and text that is none, are left out",
        arguments: [
            ("xp", [UInt8](repeating: 7, count: 7)), ("xp", [UInt8](repeating: 7, count: 9)), ("xp", []),
            ("xp", Array("dead00beef00cafe".utf8)), ("at", [1]), ("at", [UInt8](repeating: 255, count: 16)),
            ("sb", [0x10]), ("sb", [0, 0, 0, 0, 0x10]), ("nn", [0xFF, 0xFE]), ("nn", Array("seventeen bytes!!".utf8)),
            ("vn", [UInt8](repeating: 0x41, count: 65)), ("mn", [0xC3]),
        ])
    func odd(_ key: String, _ value: [UInt8]) throws {
        let router = try read([(key, value), ("tv", Array("1.3.0".utf8))])
        #expect(router == (try read([])))
    }

    @Test("the first of two values with one key counts")
    func twice() throws {
        #expect(try read([("XP", xp), ("xp", [UInt8](repeating: 1, count: 8))]).extendedPANID == xp)
    }

    @Test("an interface that is down, or not on the network, is not active", arguments: [0x00, 0x01, 0x09, 0x19, 0xA9])
    func inactive(_ state: UInt8) throws {
        #expect(try read([("sb", [0, 0, 0, state])]).isActive == false)
    }

    @Test("a border router is reported once, again when it changes, and again after it was gone")
    func changes() throws {
        var reader = BorderRouterReader()
        let report = ServiceReport.updated(try instance([("xp", xp)]))
        func isFound(_ report: ServiceReport) -> Bool {
            if case .found = reader.read(report, interfaces: interfaces) { true } else { false }
        }
        #expect(reader.target == .browse(["_meshcop._udp"]))
        #expect(isFound(report) && !isFound(report))
        #expect(isFound(.updated(try instance([("xp", xp), ("at", [UInt8](repeating: 0, count: 8))]))))
        #expect(isFound(.updated(try instance([("xp", xp)], name: "another"))))
        #expect(!isFound(.removed(name: "OpenThread BorderRouter #4A2B")))
        #expect(isFound(report))
        #expect(reader.read(.settled, interfaces: interfaces) == .allForNow)
        #expect(reader.read(.named("x"), interfaces: interfaces) == nil)
    }

    @Test("one without an address that can be used is not there")
    func unreachable() throws {
        var reader = BorderRouterReader()
        let nowhere = try instance([("xp", xp)], [.init(octets: ipv6([0xFE, 0x80], 9), interface: 7)])
        #expect(reader.read(.updated(nowhere), interfaces: interfaces) == nil)
        #expect(reader.read(.updated(try instance([("xp", xp)])), interfaces: interfaces) != nil)
    }
}
