import Foundation
import MatterController
import TestSupport
import Testing

@testable import MatterCommandLine

/// The Wi-Fi of this machine, with a kernel that is played.
@Suite("The Wi-Fi of this machine", .fewAtATime) final class HostWiFiTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("net-\(UUID().uuidString)")

    init() throws {
        for name in ["eth0", "wlan0/wireless", "wlan1/wireless", "a-name-of-16-byte/wireless"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name), withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Answers SIOCGIWESSID: 16 bytes of name, then a pointer, a length and flags.
    private func ssid(_ interfaces: [String], _ networks: [String: (bytes: [UInt8], length: UInt16)?]) -> [UInt8]? {
        HostWiFi.ssid(of: interfaces, in: root.path) { request in
            let name = String(cString: request.assumingMemoryBound(to: CChar.self))
            guard let network = networks[name] ?? nil else { return false }
            let place = request.load(fromByteOffset: 16, as: UInt.self)
            let room = request.load(fromByteOffset: 24, as: UInt16.self)
            guard let target = UnsafeMutableRawPointer(bitPattern: place), room == 32 else { return false }
            target.copyMemory(from: network.bytes, byteCount: min(network.bytes.count, Int(room)))
            request.storeBytes(of: network.length, toByteOffset: 24, as: UInt16.self)
            return true
        }
    }

    @Test("the first wireless interface that is on a network counts; a cable is not asked")
    func first() {
        let home = (bytes: Array("Home".utf8), length: UInt16(4))
        #expect(ssid(["eth0", "wlan0", "wlan1"], ["eth0": home, "wlan1": home]) == Array("Home".utf8))
        #expect(ssid(["eth0"], ["eth0": home]) == nil)
        #expect(ssid(["gone"], ["gone": home]) == nil)
        #expect(ssid([], [:]) == nil)
        let other = (bytes: Array("Other".utf8), length: UInt16(5))
        #expect(ssid(["wlan0", "wlan1"], ["wlan0": other, "wlan1": home]) == Array("Other".utf8))
    }

    @Test("an interface that is on no network, or whose name is hidden, has none; bytes that are no text are kept")
    func odd() {
        #expect(ssid(["wlan0"], ["wlan0": ([], 0)]) == nil)
        #expect(ssid(["wlan0"], ["wlan0": ([0, 0, 0], 3)]) == nil)
        #expect(ssid(["wlan0"], ["wlan0": ([0xFF, 0x00, 0x0A], 3)]) == [0xFF, 0x00, 0x0A])
        #expect(ssid(["a-name-of-16-byte"], ["a-name-of-16-byt": (Array("x".utf8), 1)]) == nil)
        // No SSID is longer than 32 bytes, whatever a driver says.
        let long = [UInt8](repeating: 0x41, count: 32)
        #expect(ssid(["wlan0"], ["wlan0": (long, 32)]) == long)
        #expect(ssid(["wlan0"], ["wlan0": (long, 40000)]) == long)
    }

    @Test("the network of this machine is offered first, the others stay in their order")
    func order() {
        func network(_ name: String) -> SeenNetwork {
            .wifi(ssid: Array(name.utf8), bssid: [], security: 8, band: 0, channel: 6, rssi: -50)
        }
        let seen = [network("near"), network("Home"), network("far")]
        #expect(NetworkPrompt.ordered(seen, first: Array("Home".utf8)).map(\.name) == ["Home", "near", "far"])
        #expect(NetworkPrompt.ordered(seen, first: nil).map(\.name) == ["near", "Home", "far"])
        #expect(NetworkPrompt.ordered(seen, first: Array("other".utf8)).map(\.name) == ["near", "Home", "far"])
    }

    @Test("asking the kernel of this machine works or gives nothing")
    func real() {
        #expect(HostWiFi.ssid().map { (1...32).contains($0.count) } ?? true)
    }
}
