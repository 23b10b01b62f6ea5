import Foundation
import MatterController
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import HouseServer

/// Uploads of firmware over real sockets.
@Suite("Uploads", .timed) struct UploadTests {
    /// A house whose desk takes firmware, and one upload that its visitor has reserved.
    private static func with(
        _ change: (inout ListenerSettings) -> Void = { _ in },
        _ test: (_ house: TestHouse, _ firmware: HouseFirmware, _ folder: URL) async throws -> Void
    ) async throws {
        try await TestHouse.with({ settings, _ in change(&settings) }) { house in
            let state = house.folder.appendingPathComponent("state")
            let firmware = HouseFirmware(
                FirmwareLibrary(StateDirectory(path: state.path), userFolder: nil), time: SystemTime(),
                logger: house.lines.logger)
            house.desk.firmware.withLock { $0 = firmware }
            try await test(house, firmware, state.appendingPathComponent("firmware"))
        }
    }

    private static let panel = Visitor(name: "panel", roles: [.control])

    private static func id(_ firmware: HouseFirmware, for visitor: Visitor = panel) throws -> String {
        let ticket = try firmware.reserve(for: visitor).objectValue
        guard case .string(let id)? = ticket?["upload_id"] else { throw Unexpected(description: "no id") }
        #expect(id.count == 32 && ticket?["expires_in"] == .int(60) && ticket?["max_size"] == .int(128 << 20))
        return id
    }

    private static func head(_ id: String, _ more: String, token: String? = TestHouse.good) -> String {
        let field = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return "POST /ota-upload/\(id) HTTP/1.1\r\nHost: localhost\r\n\(field)\(more)\r\n"
    }

    /// Everything in a folder, hidden files too.
    private static func everything(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private static func send(_ head: String, _ body: [UInt8], to house: TestHouse) async throws -> String {
        let client = try await RawClient.connect(house.address)
        await client.send(Array(head.utf8) + body)
        return try await client.answer()
    }

    @Test("a sound image is kept, and told as the interface tells versions; its id and its token are in no log")
    func sound() async throws {
        try await Self.with { house, firmware, folder in
            var image = FirmwareImage()
            image.payload = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let id = try Self.id(firmware)
            let octets = image.octets
            let answer = try await Self.send(Self.head(id, "Content-Length: \(octets.count)\r\n"), octets, to: house)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("application/json"), "\(answer)")
            #expect(answer.contains(#""software_version":2,"#) && answer.contains(#""update_source":"local""#))
            #expect(Self.everything(in: folder) == ["FFF1-8001-00000002.ota"])
            let file = folder.appendingPathComponent("FFF1-8001-00000002.ota")
            #expect(try Data(contentsOf: file) == Data(octets))
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
            #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
            let log = house.lines.all.withLock { $0.joined() }
            #expect(!log.contains(id) && !log.contains(TestHouse.good) && log.contains("panel has brought firmware"))

            let again = try await Self.send(Self.head(id, "Content-Length: \(octets.count)\r\n"), octets, to: house)
            #expect(again.hasPrefix("HTTP/1.1 404 ") && again.contains(#""error_code":101"#), "\(again)")
        }
    }

    @Test("a body in chunks, and an id behind the token in the path, are taken as well")
    func ways() async throws {
        try await Self.with { house, firmware, folder in
            let octets = FirmwareImage().octets
            let chunk = Array("\(String(octets.count, radix: 16))\r\n".utf8) + octets + Array("\r\n0\r\n\r\n".utf8)
            let head = Self.head(try Self.id(firmware), "Transfer-Encoding: chunked\r\n")
            #expect(try await Self.send(head, chunk, to: house).hasPrefix("HTTP/1.1 200 "))
            let path = "POST /ws/\(TestHouse.good)/ota-upload/\(try Self.id(firmware)) HTTP/1.1\r\nHost: localhost\r\n"
            let answer = try await Self.send("\(path)Content-Length: \(octets.count)\r\n\r\n", octets, to: house)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            #expect(Self.everything(in: folder) == ["FFF1-8001-00000002.ota"])
        }
    }

    @Test("one without a token, with another's id, from another page or host, or with another method gets nothing")
    func refused() async throws {
        try await Self.with { house, firmware, folder in
            let octets = FirmwareImage().octets
            let length = "Content-Length: \(octets.count)\r\n"
            func status(_ head: String) async throws -> String {
                String(try await Self.send(head, octets, to: house).dropFirst("HTTP/1.1 ".count).prefix(3))
            }
            let id = try Self.id(firmware)
            #expect(try await status(Self.head(id, length, token: nil)) == "401")
            #expect(try await status(Self.head(id, length, token: "mctl_bad")) == "401")
            #expect(try await status(Self.head(id, "\(length)Origin: https://evil.example\r\n")) == "403")
            let head = Self.head(id, length)
            #expect(try await status(head.replacing("Host: localhost", with: "Host: evil.example")) == "403")
            #expect(try await status(Self.head(String(repeating: "0", count: 32), length)) == "404")
            #expect(try await status(Self.head("", length)) == "404")
            let other = try Self.id(firmware, for: Visitor(name: "other", roles: [.administer]))
            #expect(try await status(Self.head(other, length)) == "404")
            #expect(Self.everything(in: folder) == [])
            // None of these has spent it.
            #expect(try await status(head) == "200")
        }
    }

    @Test("what is too large is refused at once if it says so, and while it comes if it does not; nothing is left")
    func tooLarge() async throws {
        try await Self.with({ $0.limits.uploadBytes = 1000 }) { house, firmware, folder in
            let client = try await RawClient.connect(house.address)
            await client.send(Self.head(try Self.id(firmware), "Content-Length: 1001\r\n"))
            #expect(try await client.status() == 413)
            let other = try await RawClient.connect(house.address)
            await other.send(Self.head(try Self.id(firmware), "Transfer-Encoding: chunked\r\n"))
            let chunk = Array("258\r\n".utf8) + [UInt8](repeating: 1, count: 600) + Array("\r\n".utf8)
            await other.send(chunk)
            await other.send(chunk)
            #expect(try await other.status() == 413)
            try await awaitEvent("the rest to go") { Self.everything(in: folder) == [] }
        }
    }

    @Test("a client that stalls, one that goes, and one that takes too long are cut off, and leave nothing")
    func stall() async throws {
        for (isLong, status) in [(false, 408), (true, 408)] {
            try await Self.with({ settings in
                settings.limits.requestTime = isLong ? .seconds(600) : .milliseconds(100)
                settings.limits.uploadTime = isLong ? .milliseconds(100) : .seconds(600)
            }) { house, firmware, folder in
                let client = try await RawClient.connect(house.address)
                await client.send(Self.head(try Self.id(firmware), "Content-Length: 100\r\n") + "some of it")
                #expect(try await client.status() == status)
                try await awaitEvent("the rest to go") { Self.everything(in: folder) == [] }
            }
        }
        try await Self.with { house, firmware, folder in
            let client = try await RawClient.connect(house.address)
            await client.send(Self.head(try Self.id(firmware), "Content-Length: 100\r\n") + "some of it")
            try await awaitEvent("the beginning") { Self.everything(in: folder).count == 1 }
            await client.close()
            try await awaitEvent("the rest to go") { Self.everything(in: folder) == [] }
            // The place is free again.
            for _ in 1...3 {
                let octets = FirmwareImage().octets
                let head = Self.head(try Self.id(firmware), "Content-Length: \(octets.count)\r\n")
                #expect(try await Self.send(head, octets, to: house).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test("a third upload at a time is told to come again")
    func busy() async throws {
        try await Self.with { house, firmware, folder in
            var clients: [RawClient] = []
            for count in 1...2 {
                let client = try await RawClient.connect(house.address)
                await client.send(Self.head(try Self.id(firmware), "Content-Length: 100\r\n") + "some of it")
                try await awaitEvent("the beginning") { Self.everything(in: folder).count == count }
                clients.append(client)
            }
            let octets = FirmwareImage().octets
            let head = Self.head(try Self.id(firmware), "Content-Length: \(octets.count)\r\n")
            let answer = try await Self.send(head, octets, to: house)
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("Retry-After"), "\(answer)")
            for client in clients { await client.close() }
            try await awaitEvent("the rest to go") { Self.everything(in: folder) == [] }
            #expect(try await Self.send(head, octets, to: house).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("a body that comes faster than it is taken is waited with, and is whole")
    func pressure() async throws {
        try await Self.with({ $0.limits.uploadWaiting = 1000 }) { house, firmware, folder in
            var image = FirmwareImage()
            image.payload = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let octets = image.octets
            let head = Self.head(try Self.id(firmware), "Content-Length: \(octets.count)\r\n")
            #expect(try await Self.send(head, octets, to: house).hasPrefix("HTTP/1.1 200 "))
            #expect(Self.everything(in: folder).count == 1)
        }
    }

    @Test("what is no sound image is refused with the reason, and where the disk refuses, the status says so")
    func unsound() async throws {
        try await Self.with { house, firmware, folder in
            var damaged = FirmwareImage().octets
            damaged[damaged.count - 1] ^= 1
            for (octets, words) in [(damaged, "digest"), (Array("no firmware".utf8), "not a firmware image")] {
                let head = Self.head(try Self.id(firmware), "Content-Length: \(octets.count)\r\n")
                let answer = try await Self.send(head, octets, to: house)
                #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(words), "\(answer)")
                #expect(answer.contains(#""error_code":101"#))
            }
            #expect(Self.everything(in: folder) == [])
            // A file where the folder should be.
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            let octets = FirmwareImage().octets
            let head = Self.head(try Self.id(firmware), "Content-Length: \(octets.count)\r\n")
            let answer = try await Self.send(head, octets, to: house)
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""error_code":101"#), "\(answer)")
        }
    }
}
