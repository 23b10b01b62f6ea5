import TestSupport
import Testing

@testable import MatterNetwork

@Suite struct CaptureReaderTests {
    private let payload: [UInt8] = [1, 2, 3, 4, 5]
    private let source = UDPAddress(octets: [0xFD] + [UInt8](repeating: 0, count: 14) + [1], port: 40_000)
    private let destination = UDPAddress(octets: [0xFD] + [UInt8](repeating: 0, count: 14) + [2], port: 5540)
    private let time: Int64 = 1_764_000_000_123_456

    private func packet() throws -> [UInt8] {
        CaptureWriter.ipPacket(payload, from: try #require(source), to: try #require(destination))
    }

    private func big(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
    private func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private func pcap(_ packets: [[UInt8]], link: UInt32, isBig: Bool = false, isNano: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBig ? big(value) : little(value) }
        var bytes = number(isNano ? 0xA1B2_3C4D : 0xA1B2_C3D4)
        bytes += (isBig ? big(UInt16(2)) + big(UInt16(4)) : little(UInt16(2)) + little(UInt16(4)))
        bytes += number(0) + number(0) + number(65_535) + number(link)
        for packet in packets {
            bytes += number(1_764_000_000) + number(isNano ? 123_456_000 : 123_456)
            bytes += number(UInt32(packet.count)) + number(UInt32(packet.count)) + packet
        }
        return bytes
    }

    private func items(_ bytes: [UInt8]) throws -> [CaptureReader.Item] {
        var reader = try CaptureReader(bytes)
        var found: [CaptureReader.Item] = []
        while let item = reader.next() { found.append(item) }
        return found
    }

    private func expected() throws -> CaptureReader.Item {
        .datagram(
            CapturedDatagram(
                time: time, source: .udp(try #require(source)), destination: .udp(try #require(destination)),
                payload: payload))
    }

    @Test("the datagram is found behind each kind of frame, in both byte orders and resolutions")
    func frames() throws {
        let packet = try packet()
        let mac = [UInt8](repeating: 2, count: 12)
        let frames: [(UInt32, [UInt8])] = [
            (101, packet), (229, packet), (12, packet), (0, [30, 0, 0, 0] + packet), (108, [0, 0, 0, 24] + packet),
            (1, mac + [0x86, 0xDD] + packet), (1, mac + [0x81, 0, 0, 7, 0x86, 0xDD] + packet),
            (1, mac + [0x88, 0xA8, 0, 7, 0x81, 0, 0, 9, 0x86, 0xDD] + packet),
            (113, [UInt8](repeating: 0, count: 14) + [0x86, 0xDD] + packet),
            (276, [0x86, 0xDD] + [UInt8](repeating: 0, count: 18) + packet),
        ]
        for (link, frame) in frames {
            for isBig in [false, true] {
                for isNano in [false, true] {
                    #expect(
                        try items(pcap([frame], link: link, isBig: isBig, isNano: isNano)) == [expected()],
                        "link \(link), big \(isBig), nano \(isNano)")
                }
            }
        }
    }

    @Test("IPv4, with options in its header")
    func version4() throws {
        let from = try #require(UDPAddress(octets: [192, 0, 2, 1], port: 5540))
        let to = try #require(UDPAddress(octets: [192, 0, 2, 7], port: 4242))
        var packet = CaptureWriter.ipPacket(payload, from: from, to: to)
        let wanted = CaptureReader.Item.datagram(
            CapturedDatagram(time: time, source: .udp(from), destination: .udp(to), payload: payload))
        #expect(try items(pcap([packet], link: 228)) == [wanted])
        packet[0] = 0x46
        packet[3] += 4
        packet.insert(contentsOf: [1, 1, 1, 0], at: 20)
        #expect(try items(pcap([packet], link: 101)) == [wanted])
    }

    @Test("IPv6 extension headers are passed, other protocols are named")
    func version6() throws {
        var packet = try packet()
        // A hop-by-hop header with padding.
        packet.insert(contentsOf: [17, 0, 1, 4, 0, 0, 0, 0], at: 40)
        packet[6] = 0
        packet[5] += 8
        #expect(try items(pcap([packet], link: 101)) == [expected()])
        packet[6] = 58
        #expect(try items(pcap([packet], link: 101)) == [.other("IP protocol 58")])
    }

    @Test("our own pcapng is read back, with the time to the microsecond")
    func pcapng() throws {
        let packet = try packet()
        let bytes =
            CaptureWriter.beginning(program: "test")
            + CaptureWriter.packet(packet, on: .network, at: time, comment: "a comment")
            + CaptureWriter.packet([9, 9], on: .bluetooth, at: time, comment: "")
            + CaptureWriter.packet(
                CaptureWriter.bluetoothPacket(payload, from: nil, to: "C0:FF:EE:00:00:01"), on: .bluetooth, at: time,
                comment: "")
        let message = CapturedDatagram(
            time: time, source: .bluetooth("this host"), destination: .bluetooth("C0:FF:EE:00:00:01"),
            payload: payload, carrier: .bluetooth)
        #expect(try items(bytes) == [expected(), .other("link type 147"), .datagram(message)])
        let cut = CaptureWriter.bluetoothPacket([], from: "a name", to: "b").prefix(12)
        #expect(try items(pcap([Array(cut)], link: 147)) == [.fault("a packet is cut off")])
    }

    @Test("pcapng in the other byte order, with nanoseconds, an unknown block, and simple and old packets")
    func foreign() throws {
        func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            let length = big(UInt32(padded.count + 12))
            return big(type) + length + padded + length
        }
        let packet = try packet()
        let nanoseconds = UInt64(time) * 1000
        let stamp = big(UInt32(nanoseconds >> 32)) + big(UInt32(truncatingIfNeeded: nanoseconds))
        let size = big(UInt32(packet.count))
        let bytes =
            block(0x0A0D_0D0A, big(UInt32(0x1A2B_3C4D)) + [0, 1, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
            + block(1, [0, 101, 0, 0, 0, 0, 0, 0] + [0, 9, 0, 1, 9, 0, 0, 0] + [0, 0, 0, 0])
            + block(0x0BAD, [1, 2, 3, 4])
            + block(6, big(UInt32(0)) + stamp + size + size + packet)
            + block(2, big(UInt16(0)) + [0, 0] + stamp + size + size + packet)
            + block(3, size + packet)
            + block(6, big(UInt32(7)) + stamp + size + size + packet)
        let found = try items(bytes)
        #expect(found.count == 4, "\(found)")
        #expect(found.prefix(2).allSatisfy { (try? expected()) == $0 }, "\(found)")
        guard case .datagram(let simple) = found[2] else { return #expect(Bool(false), "\(found)") }
        #expect(simple.payload == payload && simple.time == 0)
        #expect(found[3] == .fault("a packet of interface 7, which is unknown"))
    }

    @Test("a file that is cut off at any byte gives what was whole, and says that the rest is missing")
    func cutOff() throws {
        let packet = try packet()
        let files = [
            pcap([packet, packet], link: 101),
            CaptureWriter.beginning(program: "test")
                + CaptureWriter.packet(packet, on: .network, at: time, comment: "a comment")
                + CaptureWriter.packet(packet, on: .network, at: time, comment: ""),
        ]
        for file in files {
            let whole = try items(file)
            #expect(whole == [try expected(), try expected()])
            for end in 4..<file.count {
                guard let found = try? items(Array(file[..<end])) else { continue }
                let faults = found.filter { if case .fault = $0 { true } else { false } }
                #expect(found.count - faults.count < 2 && faults.count <= 1, "\(end): \(found)")
                #expect(whole.starts(with: found.dropLast(faults.count)), "\(end): \(found)")
            }
        }
    }

    @Test("what is no capture is refused; lengths that lie are faults, and nothing is read beyond the end")
    func hostile() throws {
        for bytes in [[], [1], [UInt8]("GIF89a".utf8), [0xD4, 0xC3, 0xB2, 0xA1, 2]] {
            #expect(throws: CaptureError.self) { try CaptureReader(bytes) }
        }
        var bytes = pcap([try packet()], link: 101)
        bytes.replaceSubrange(32..<36, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try items(bytes).count == 1)
        let packet = try packet()
        var mutator = Mutator(
            seed: 34,
            corpus: [
                pcap([packet, packet], link: 101),
                pcap([[UInt8](repeating: 0, count: 12) + [0x86, 0xDD] + packet], link: 1),
                CaptureWriter.beginning(program: "t")
                    + CaptureWriter.packet(packet, on: .network, at: time, comment: "c"),
            ])
        var counts = 0
        for _ in 0..<3000 {
            let found = (try? items(mutator.next())) ?? []
            counts += found.count
        }
        #expect(counts > 1000, "\(counts)")
    }
}
