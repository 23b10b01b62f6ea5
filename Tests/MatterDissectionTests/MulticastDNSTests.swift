import TestSupport
import Testing

@testable import MatterNetwork

@Suite struct MulticastDNSTests {
    private func labels(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private func record(_ name: [UInt8], _ type: UInt16, _ data: [UInt8]) -> [UInt8] {
        name + [
            UInt8(type >> 8), UInt8(type & 0xFF), 0x80, 1, 0, 0, 0, 120, UInt8(data.count >> 8),
            UInt8(data.count & 0xFF),
        ]
            + data
    }

    /// A device's answer: PTR, SRV whose host is a pointer, TXT with text and bytes, AAAA.
    private func answer() -> [UInt8] {
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 4, 0, 0, 0, 0]
        let service = labels("_matter._tcp.local")
        let pointer: [UInt8] = [0xC0, 12]
        let instance: [UInt8] = [3] + Array("abc".utf8) + pointer
        let host = labels("lamp.local")
        return head + record(service, 12, instance) + record(instance, 33, [0, 0, 0, 0, 0x15, 0xA4] + host)
            + record(instance, 16, [7] + Array("SII=500".utf8) + [5] + Array("xa=".utf8) + [0, 0xFF])
            + record(host, 28, [0xFD] + [UInt8](repeating: 0, count: 14) + [9])
    }

    @Test("a device's answer: names, the host and its port, what its text says")
    func answered() {
        let (title, items, fault) = MulticastDNS.dissect(answer())
        #expect(title == "DNS response" && fault == nil)
        #expect(
            items.map(\.text) == [
                "answer _matter._tcp.local type=PTR ttlSeconds=120 target=abc._matter._tcp.local",
                "answer abc._matter._tcp.local type=SRV ttlSeconds=120 host=lamp.local port=5540",
                "answer abc._matter._tcp.local type=TXT ttlSeconds=120 SII=500 xa=hex:00ff",
                "answer lamp.local type=AAAA ttlSeconds=120 address=fd00::9",
            ])
    }

    @Test("a question that may be answered to its asker alone")
    func question() {
        let message: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels("_matterc._udp.local") + [0, 12, 0x80, 1]
        let (title, items, fault) = MulticastDNS.dissect(message)
        #expect(title == "DNS query" && fault == nil)
        #expect(items.map(\.text) == ["question _matterc._udp.local type=PTR unicast=true"])
    }

    @Test("names in circles, counts that lie and cut records end in a fault")
    func hostile() {
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        let names: [[UInt8]] = [[0xC0, 12], [0xC0, 0xFF], [1, 97, 0xC0, 12], [0x80], [63, 1]]
        for name in names {
            #expect(MulticastDNS.dissect(head + name + [0, 12, 0, 1, 0, 0, 0, 1, 0, 0]).fault != nil, "\(name)")
        }
        let long = [UInt8]((0..<200).flatMap { _ -> [UInt8] in [1, 97] }) + [0]
        #expect(MulticastDNS.dissect(head + long + [0, 12, 0, 1, 0, 0, 0, 1, 0, 0]).fault != nil)
        let whole = answer()
        for end in whole.indices { #expect(MulticastDNS.dissect(Array(whole[..<end])).fault != nil, "\(end)") }
        var mutator = Mutator(seed: 35, corpus: [whole])
        for _ in 0..<3000 { _ = MulticastDNS.dissect(mutator.next()) }
    }

    @Test("control characters in a name do not reach a terminal")
    func escaped() {
        let name: [UInt8] = [5, 0x1B, 0x5B, 0x32, 0x4A, 0x0A, 0]
        let message: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 12, 0, 1]
        let text = MulticastDNS.dissect(message).items.map(\.text).joined()
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 } && text.contains("\\x1b"), "\(text)")
    }
}
