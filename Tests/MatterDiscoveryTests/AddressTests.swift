import TestSupport
import Testing

@testable import MatterNetwork

/// The octets of an IPv6 address with these leading and trailing octets.
func ipv6(_ head: [UInt8], _ tail: UInt8) -> [UInt8] {
    head + [UInt8](repeating: 0, count: 15 - head.count) + [tail]
}

let eth0 = LocalInterface(
    index: 2, name: "eth0",
    prefixes: [
        .init(octets: [192, 168, 1, 7], length: 24), .init(octets: ipv6([0xFE, 0x80], 7), length: 64),
        .init(octets: ipv6([0x20, 0x01, 0x0D, 0xB8], 7), length: 64),
        .init(octets: ipv6([0xFD, 0x77], 7), length: 64),
    ])
let loopback = LocalInterface(
    index: 1, name: "lo", isLoopback: true,
    prefixes: [.init(octets: [127, 0, 0, 1], length: 8), .init(octets: ipv6([], 1), length: 128)])

@Suite("Addresses", .ownDaemons)
struct AddressTests {
    private func address(_ octets: [UInt8], _ interface: Int32 = 2, port: UInt16 = 5540) -> ResolvedAddress? {
        AddressPreference.usable(octets, interface: interface, port: port, interfaces: [loopback, eth0])
    }

    @Test("addresses print as they are typed")
    func printing() throws {
        #expect(try #require(address([192, 0, 2, 7])).description == "192.0.2.7:5540")
        #expect(try #require(address(ipv6([0x20, 0x01, 0x0D, 0xB8], 1))).description == "[2001:db8::1]:5540")
        let linkLocal = try #require(address(ipv6([0xFE, 0x80], 1), port: 5541))
        #expect(linkLocal.description == "[fe80::1%eth0]:5541")
        #expect(linkLocal.host == "fe80::1%eth0")
        #expect(linkLocal.scope == .init(index: 2, name: "eth0"))
    }

    @Test("an address has 4 or 16 octets, and a scope exactly if it is link-local IPv6")
    func form() {
        let scope = ResolvedAddress.Scope(index: 2, name: "eth0")
        #expect(ResolvedAddress(octets: [], port: 1) == nil)
        #expect(ResolvedAddress(octets: [1, 2, 3], port: 1) == nil)
        #expect(ResolvedAddress(octets: [UInt8](repeating: 1, count: 17), port: 1) == nil)
        #expect(ResolvedAddress(octets: ipv6([0xFE, 0x80], 1), port: 1) == nil)
        #expect(ResolvedAddress(octets: ipv6([0xFE, 0xBF], 1), scope: scope, port: 1) != nil)
        #expect(ResolvedAddress(octets: ipv6([0xFE, 0xC0], 1), scope: scope, port: 1) == nil)
        #expect(ResolvedAddress(octets: [169, 254, 1, 1], scope: scope, port: 1) == nil)
    }

    @Test("a link-local address of an unknown interface is useless", arguments: [-1, 0, 3, Int32.min, Int32.max])
    func unknownInterface(index: Int32) {
        #expect(address(ipv6([0xFE, 0x80], 1), index) == nil)
        #expect(address(ipv6([0x20, 0x01], 1), index) != nil)
    }

    @Test(
        "addresses that no host has are ignored",
        arguments: [
            [], [1], [0, 0, 0, 0], [0, 1, 2, 3], [224, 0, 0, 251], [255, 255, 255, 255],
            [UInt8](repeating: 0, count: 16), ipv6([0xFF, 0x02], 0xFB),
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1], [UInt8](repeating: 1, count: 15),
        ] as [[UInt8]])
    func unusable(octets: [UInt8]) { #expect(address(octets) == nil) }

    @Test("port 0 is not believed")
    func portZero() { #expect(address([192, 0, 2, 7], port: 0) == nil) }

    @Test("a loopback address counts only from the loopback interface")
    func loopbackAddresses() {
        for octets in [[127, 0, 0, 1], ipv6([], 1)] {
            #expect(address(octets, 2) == nil)
            #expect(address(octets, 1) != nil)
        }
    }

    @Test("the order is link-local, global and unique local on link, then off link, then IPv4, then the rest")
    func order() {
        let best = [
            address(ipv6([0xFE, 0x80], 9)), address(ipv6([0x20, 0x01, 0x0D, 0xB8], 9)),
            address(ipv6([0xFD, 0x77], 9)), address(ipv6([0x2A, 0x02], 9)), address(ipv6([0xFD, 0x78], 9)),
            address([192, 168, 1, 9]), address(ipv6([], 1), 1),
        ].compactMap { $0 }
        #expect(best.count == 7)
        let scores = best.map { AddressPreference.score($0, interfaces: [loopback, eth0]) }
        #expect(
            scores == [.linkLocal, .globalOnLink, .uniqueLocalOnLink, .global, .uniqueLocal, .ipv4, .other])
        #expect(scores.map(\.rawValue) == [7, 6, 5, 4, 3, 2, 1])
        #expect(AddressPreference.sorted(best.reversed(), interfaces: [loopback, eth0]) == best)
    }

    @Test("equally good addresses stay in their order")
    func stable() {
        let addresses = [3, 1, 2].compactMap { address([10, 0, 0, $0]) }
        #expect(AddressPreference.sorted(addresses, interfaces: [eth0]) == addresses)
    }

    @Test("a prefix of any length is compared bit by bit")
    func prefixes() {
        let base = ipv6([0x20, 0x01, 0x0D, 0xB8], 0)
        func contains(_ length: Int, _ octets: [UInt8]) -> Bool {
            LocalInterface.Prefix(octets: base, length: length).contains(octets)
        }
        #expect(contains(0, ipv6([0xFF], 1)))
        #expect(contains(33, ipv6([0x20, 0x01, 0x0D, 0xB8, 0x7F], 1)))
        #expect(!contains(33, ipv6([0x20, 0x01, 0x0D, 0xB8, 0x80], 1)))
        #expect(contains(128, base))
        #expect(!contains(128, ipv6([0x20, 0x01, 0x0D, 0xB8], 1)))
        #expect(!contains(127, ipv6([0x20, 0x01, 0x0D, 0xB8], 2)))
        #expect(!contains(129, base))
        #expect(!contains(0, [10, 0, 0, 1]))
    }

    @Test("this machine's interfaces are listed, each once")
    func current() throws {
        let interfaces = LocalInterface.current()
        #expect(Set(interfaces.map(\.name)).count == interfaces.count)
        guard let lo = interfaces.first(where: \.isLoopback) else { return }
        #expect(lo.index != 0)
        #expect(lo.prefixes.contains(.init(octets: [127, 0, 0, 1], length: 8)))
    }
}
