import Testing

@testable import MatterNetwork

@Suite struct PeerAddressTests {
    @Test(
        "numeric addresses are read and written",
        arguments: [
            ("192.0.2.7", "192.0.2.7:5540"), ("192.0.2.7:1", "192.0.2.7:1"), ("[192.0.2.7]:2", "192.0.2.7:2"),
            ("2001:db8::1", "[2001:db8::1]:5540"), ("[2001:db8::1]", "[2001:db8::1]:5540"),
            ("[2001:DB8:0::1]:65535", "[2001:db8::1]:65535"), ("::1", "[::1]:5540"),
            ("::ffff:192.0.2.7", "192.0.2.7:5540"), ("[::ffff:c000:207]:9", "192.0.2.7:9"),
            ("[fe80::1%lo]:5540", "[fe80::1%lo]:5540"), ("fe80::1%1", "[fe80::1%lo]:5540"),
        ])
    func parsing(text: String, written: String) throws {
        let address = try PeerAddress(parsing: text)
        #expect(address.description == written)
        #expect(try PeerAddress(parsing: written) == address)
    }

    @Test(
        "everything else is refused",
        arguments: [
            "", ":", "[", "[]", "[::1", "[::1]x", "[::1]:", "[::1]:0", "[::1]:65536", "[::1]:+5540", "192.0.2.7:",
            "192.0.2.7:-1", "192.0.2.256", "192.0.2", "example.org", "example.org:5540", "1::2::3", "12345::",
            "fe80::1",
            "[fe80::1]:5540", "fe80::1%", "fe80::1%no-such-interface", "fe80::1%0", "%lo",
        ])
    func refused(text: String) {
        let error = #expect(throws: TransportError.self) { try PeerAddress(parsing: text) }
        #expect(error?.code == .invalidAddress)
    }

    @Test("a host name is looked up, a numeric host is taken as it is", arguments: ["localhost", "localhost:5541"])
    func lookup(text: String) async throws {
        let addresses = try await PeerAddress.lookup(text, deadline: .now + .seconds(60))
        #expect(!addresses.isEmpty)
        let port: UInt16 = text == "localhost" ? 5540 : 5541
        for address in addresses {
            #expect(address.udp?.port == port)
            #expect(["127.0.0.1", "::1"].contains(address.host))
        }
        #expect(Set(addresses).count == addresses.count)
        let numeric = try await PeerAddress.lookup("[::1]:7", deadline: .now)
        #expect(numeric == [try PeerAddress(parsing: "[::1]:7")])
    }

    @Test(
        "what is neither a name nor an address is refused before anyone is asked",
        arguments: ["", "192.0.2", "192.0.2.256:1", "1::2::3", "a b", "ex\u{1b}ample.org", "host:0", "[host", "5540"])
    func noName(text: String) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await PeerAddress.lookup(text, deadline: .now + .seconds(60))
        }
        #expect(error?.code == .invalidAddress)
    }

    @Test("an unknown host is called so, at the deadline at the latest")
    func unknownHost() async throws {
        for deadline in [Instant.now + .seconds(60), .now - .seconds(1)] {
            let error = await #expect(throws: TransportError.self) {
                try await PeerAddress.lookup("no-such-host.invalid", deadline: deadline)
            }
            #expect(error?.code == .unknownHost)
            #expect(error?.reason.contains("no-such-host.invalid") == true)
        }
    }

    @Test("an address has 4 or 16 octets; a scope stays with link-local ones only")
    func octets() throws {
        for count in 0...20 where count != 4 && count != 16 {
            #expect(PeerAddress(octets: [UInt8](repeating: 1, count: count), port: 1) == nil)
        }
        let linkLocal = try #require(
            UDPAddress(octets: [0xFE, 0x80] + [UInt8](repeating: 0, count: 14), scope: 3, port: 1))
        #expect(linkLocal.isLinkLocal && linkLocal.scope == 3)
        let global = try #require(
            UDPAddress(octets: [0x20, 0x01] + [UInt8](repeating: 0, count: 14), scope: 3, port: 1))
        #expect(!global.isLinkLocal && global.scope == 0)
        let mapped = try #require(
            UDPAddress(octets: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1], port: 5540))
        #expect(PeerAddress.udp(mapped) == host(1) && !mapped.isIPv6)
        #expect(mapped.mappedOctets.count == 16 && host(1).udp?.mappedOctets == mapped.mappedOctets)
    }

    @Test("the kernel's forms come back as the same address")
    func socketForms() throws {
        let v6 = try UDPAddress(parsing: "[fe80::1:2%lo]:1234")
        #expect(UDPAddress(v6.inet6) == v6)
        let v4 = try UDPAddress(parsing: "192.0.2.7:1234")
        #expect(UDPAddress(v4.inet6) == v4)
        #expect(UDPAddress(v4.inet) == v4)
    }
}
