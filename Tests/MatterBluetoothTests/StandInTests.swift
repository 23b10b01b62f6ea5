import Foundation
import TestSupport
import Testing

@testable import MatterNetwork

/// Against a stand-in for `bluetoothd` on the laboratory's system bus, which fails as real ones do.
@Suite("BlueZ, played by a stand-in", .ownDaemons, .serialized, .enabled(if: StandIn.isInLaboratory))
struct StandInTests {
    private static let address = "C8:5A:11:22:33:44"
    private static let device = "dev_C8_5A_11_22_33_44"
    private static let handshake: [UInt8] = [0x65, 0x6C, 4, 0, 0, 0, 0, 0, 6]

    private let central = BlueZCentral(
        .standard, library: DBusLibrary.systemName, radioRoot: "/nowhere", SystemTime())

    /// The first device that a scan reports.
    private func seen(_ central: BlueZCentral? = nil) async throws -> BluetoothDevice? {
        for try await device in (central ?? self.central).scan() { return device }
        return nil
    }

    private func connected(within limit: Duration = .seconds(60)) async throws -> any GATTConnection {
        let device = try #require(try await seen())
        return try await central.connect(to: device, deadline: .now + limit)
    }

    private func failure(within limit: Duration = .seconds(60)) async throws -> BluetoothError? {
        do {
            _ = try await connected(within: limit)
            return nil
        } catch let error as BluetoothError {
            return error
        }
    }

    // MARK: Scans

    @Test("a scan: the adapter is switched on, the leftover is not reported, and stopping stops it")
    func scan() async throws {
        let daemon = try await StandIn(
            "--adapter-off", "--leftover", "AA:AA:AA:AA:AA:AA", "--device", Self.address + ",rssi=-40,vendor=0")
        let device = try await seen()
        #expect(device?.address == Self.address && device?.adapter == "hci0" && device?.rssi == -40)
        #expect(device?.advertisement == BLEAdvertisement(longDiscriminator: 3840, productID: 0x8001))
        try await awaitEvent("the end of the scan") { daemon.count("call StopDiscovery hci0") > 0 }
        #expect(daemon.count("call StopDiscovery hci0") == 1 && daemon.complaints.isEmpty, "\(daemon.lines)")
        try await daemon.stop()
    }

    @Test(
        "a scan that cannot begin: each failure with its own error",
        arguments: [
            ("StartDiscovery=InProgress:Operation already in progress", BluetoothError.Code.adapterBusy),
            ("StartDiscovery=NotReady:Resource Not Ready", .adapterOff),
            ("StartDiscovery=Failed:something", .refused),
            ("Set=Blocked:Blocked through rfkill", .blocked), ("Set=Failed:Failed", .adapterOff),
            ("GetManagedObjects=org.freedesktop.DBus.Error.AccessDenied:Rejected send message", .notPermitted),
            ("SetDiscoveryFilter=org.freedesktop.DBus.Error.AccessDenied:Rejected", .notPermitted),
        ])
    func scanFails(_ failure: String, _ code: BluetoothError.Code) async throws {
        let daemon = try await StandIn("--fail", failure, failure.hasPrefix("Set=") ? "--adapter-off" : "--blink")
        let error = await #expect(throws: BluetoothError.self) { try await seen() }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.isLocalServiceMissing == true)
        try await daemon.stop()
    }

    @Test("a scan that was half begun is ended and begun again; a slow daemon is waited for")
    func scanAgain() async throws {
        let daemon = try await StandIn(
            "--fail", "StartDiscovery=InProgress:busy*1", "--slow", "GetManagedObjects=1", "--device", Self.address)
        #expect(try await seen()?.address == Self.address)
        #expect(daemon.count("call StartDiscovery hci0") == 2)
        try await daemon.stop()
    }

    @Test("a daemon that stops ends the scan with its error, and the next scan asks the new one")
    func restart() async throws {
        let first = try await StandIn("--quit-after", "StartDiscovery")
        let error = await #expect(throws: BluetoothError.self) { try await seen() }
        #expect(error?.code == .disconnected)
        try await first.stop()
        let gone = await #expect(throws: BluetoothError.self) { try await seen() }
        #expect(gone?.code == .noAdapter)
        let second = try await StandIn("--device", Self.address)
        #expect(try await seen()?.address == Self.address)
        try await second.stop()
    }

    @Test("two adapters: each device with the adapter that heard it")
    func adapters() async throws {
        let daemon = try await StandIn(
            "--adapter", "hci0=00:00:00:00:00:01", "--adapter", "hci1=00:00:00:00:00:02", "--device",
            Self.address + ",on=hci1")
        for choice in [AdapterChoice(["hci1"]), AdapterChoice(["00:00:00:00:00:02"]), .all] {
            let central = BlueZCentral(choice, library: DBusLibrary.systemName, radioRoot: "/nowhere", SystemTime())
            #expect(try await seen(central)?.adapter == "hci1")
        }
        try await daemon.stop()
    }

    // MARK: Connections

    @Test("a connection: handshake first, then the subscription; equal indications are separate; then all is tidied up")
    func connection() async throws {
        let daemon = try await StandIn("--device", Self.address, "--mtu", "23,247", "--services", "upper")
        let connection = try await connected()
        #expect(connection.attMTU == 247 && connection.name == "\(Self.address) on hci0")
        let events = Events()
        try await connection.write(Self.handshake)
        try await connection.subscribe(events.take)
        #expect(try await events.wait(for: 1) == ["656c04f40006"])
        for _ in 1...2 { try await connection.write([1, 2, 3]) }
        #expect(try await events.wait(for: 3).suffix(2) == ["010203", "010203"])
        await connection.disconnect()
        #expect(try await events.wait(for: 4).last?.hasPrefix("end: ") == true)
        for call in ["StopNotify c2", "Disconnect \(Self.device)", "RemoveDevice hci0"] {
            #expect(daemon.count("call \(call)") == 1, "\(call): \(daemon.lines)")
        }
        #expect(daemon.complaints.isEmpty, "\(daemon.complaints)")
        await #expect(throws: TransportError.self) { try await connection.write([1]) }
        try await daemon.stop()
    }

    @Test("what another user of the bus sends in the name of the daemon or the bus changes nothing")
    func intruder() async throws {
        let daemon = try await StandIn("--device", Self.address, "--intruder")
        let connection = try await connected()
        let events = Events()
        try await connection.write(Self.handshake)
        try await connection.subscribe(events.take)
        #expect(try await events.wait(for: 1) == ["656c04f40006"])
        try await connection.write([1, 2, 3])
        #expect(try await events.wait(for: 2) == ["656c04f40006", "010203"])
        #expect(daemon.count("intruded") == 1, "\(daemon.lines)")
        await connection.disconnect()
        try await daemon.stop()
    }

    @Test("an MTU that is not told, or never exchanged, is not known", arguments: ["none", "23"])
    func mtu(_ mtu: String) async throws {
        let daemon = try await StandIn("--device", Self.address, "--mtu", mtu, "--services", "late")
        let connection = try await connected()
        #expect(connection.attMTU == nil)
        await connection.disconnect()
        try await daemon.stop()
    }

    @Test("three attempts that the host itself ends, and a fourth that works")
    func fourth() async throws {
        let daemon = try await StandIn(
            "--device", Self.address, "--fail", "Connect=Failed:le-connection-abort-by-local*3")
        let connection = try await connected()
        #expect(daemon.count("call Connect \(Self.device)") == 4)
        #expect(daemon.count("call Disconnect \(Self.device)") == 3)
        #expect(daemon.complaints.isEmpty, "\(daemon.complaints)")
        await connection.disconnect()
        try await daemon.stop()
    }

    @Test("four attempts that fail: the error has the last words, and nothing is left behind")
    func hopeless() async throws {
        let daemon = try await StandIn(
            "--device", Self.address, "--fail", "Connect=Failed:le-connection-abort-by-local")
        let error = try await failure()
        #expect(error?.code == .connectFailed && error?.cause == .abortedHere)
        #expect(daemon.count("call Connect \(Self.device)") == 4)
        #expect(daemon.count("call RemoveDevice hci0") == 1)
        try await daemon.stop()
    }

    @Test(
        "services that are not those of Matter, not whole, or never told",
        arguments: [
            ("none", BluetoothError.Code.noService), ("no-c2", .staleCache), ("never", .servicesUnresolved),
        ])
    func services(_ kind: String, _ code: BluetoothError.Code) async throws {
        let daemon = try await StandIn("--device", Self.address, "--services", kind)
        let error = try await failure(within: kind == "never" ? .seconds(3) : .seconds(60))
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(daemon.complaints.isEmpty, "\(daemon.complaints)")
        try await daemon.stop()
    }

    @Test("a stale cache: the device is forgotten, found again, also under another address, and connected")
    func stale() async throws {
        for moves in ["", ",moves=C8:5A:11:22:33:99"] {
            let daemon = try await StandIn("--device", Self.address + moves, "--services", moves.isEmpty ? "stale" : "")
            if moves.isEmpty {
                let connection = try await connected()
                #expect(daemon.count("call RemoveDevice hci0") == 1)
                await connection.disconnect()
            } else {
                // The daemon has dropped it meanwhile, as it does with a device that was only heard.
                let device = try #require(try await seen())
                // Another central does not know of the scan that ends.
                try await awaitEvent("the scan has ended") { daemon.count("call StopDiscovery hci0") > 0 }
                let service = BlueZCentral(
                    .standard, library: DBusLibrary.systemName, radioRoot: "/nowhere", SystemTime())
                let connection = try await service.connect(to: device, deadline: .now + .seconds(60))
                await connection.disconnect()
            }
            #expect(daemon.complaints.isEmpty, "\(daemon.complaints)")
            try await daemon.stop()
        }
    }

    @Test("a daemon that has not answered in the time for it is an error, and one that answers is checked in time")
    func late() async throws {
        let silent = try await StandIn("--silent", "GetManagedObjects")
        let error = await #expect(throws: BluetoothError.self) {
            try await central.check(until: .now + .milliseconds(200))
        }
        #expect(error?.code == .daemonUnavailable && error?.cause == .late)
        try await silent.stop()
        let daemon = try await StandIn()
        #expect(try await central.check(until: .now + .seconds(60)).hasPrefix("hci0 ("))
        try await daemon.stop()
    }

    @Test("a device that the host has paired with: not forgotten, and the error says how to unpair")
    func paired() async throws {
        let daemon = try await StandIn(
            "--device", Self.address + ",paired", "--fail", "Connect=Failed:le-connection-key-missing")
        let error = try await failure()
        #expect(error?.code == .bonded && error?.details == [Self.address])
        #expect(daemon.count("call RemoveDevice hci0") == 0)
        try await daemon.stop()
    }

    @Test("a link that is lost: before the services, during a write, for a moment only, and with the daemon")
    func lost() async throws {
        var daemon = try await StandIn("--device", Self.address, "--drop-after", "0", "--services", "never")
        #expect(try await failure()?.code == .connectFailed)
        try await daemon.stop()

        daemon = try await StandIn("--device", Self.address, "--drop-after", "1")
        var connection = try await connected()
        var events = Events()
        try await connection.write(Self.handshake)
        try await connection.subscribe(events.take)
        // The write that loses the link must not overtake the answer to the handshake.
        #expect(try await events.wait(for: 1) == ["656c04f40006"])
        let error = await #expect(throws: TransportError.self) { try await connection.write([1]) }
        #expect(error?.code == .closed)
        #expect(try await events.wait(for: 2).last?.contains("lost") == true)
        try await daemon.stop()

        daemon = try await StandIn("--device", Self.address, "--blink")
        connection = try await connected()
        events = Events()
        try await connection.write(Self.handshake)
        try await connection.subscribe(events.take)
        // A link that is lost for a moment makes no event: there is nothing to wait for but the time.
        try await Task.sleep(for: .seconds(3))
        #expect(events.all == ["656c04f40006"])
        await connection.disconnect()
        try await daemon.stop()

        daemon = try await StandIn("--device", Self.address, "--quit-after", "StartNotify")
        connection = try await connected()
        events = Events()
        try await connection.write(Self.handshake)
        try await connection.subscribe(events.take)
        #expect(try await events.wait(for: 2).last == "end: bluetoothd has stopped")
        try await daemon.stop()
    }

    @Test("a connection that is given up: the attempt is ended at the host too")
    func cancelled() async throws {
        let daemon = try await StandIn("--device", Self.address, "--silent", "Connect")
        let device = try #require(try await seen())
        let task = Task { try await central.connect(to: device, deadline: .now + .seconds(60)) }
        try await awaitEvent("the attempt") { daemon.count("call Connect \(Self.device)") > 0 }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(daemon.count("call Disconnect \(Self.device)") == 1)
        #expect(daemon.count("call RemoveDevice hci0") == 1)
        try await daemon.stop()
    }
}
