import Foundation
import Testing

/// Bluetooth with the built program: on a bus of its own, with BlueZoo or a stand-in as `bluetoothd`.
@Suite("Bluetooth", .enabled(if: Laboratory.isHere), .waitingSlot) struct BluetoothTests {
    /// A D-Bus without anything on it.
    private func bus(in folder: TemporaryFolder) async throws -> (child: Child, address: String) {
        let path = folder.file("bus").path
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/dbus-daemon"),
            ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(path)"], folder: folder)
        try await eventually("a bus: \(child.stderr)") { FileManager.default.fileExists(atPath: path) }
        return (child, "unix:path=\(path)")
    }

    private func standIn(_ address: String, _ arguments: [String], in folder: TemporaryFolder) async throws -> Child {
        var environment = Laboratory.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        let child = try Child(
            Laboratory.python, [Laboratory.scripts.appendingPathComponent("bluez_standin.py").path] + arguments,
            environment: environment, folder: folder)
        try await eventually("the stand-in: \(child.stderr)") { child.stdout.contains("ready") }
        return child
    }

    @Test(
        "a virtual device that is found and commissioned over Bluetooth, through a BlueZ that is not ours",
        arguments: ["ethernet", "wifi"])
    func commissioning(network: String) async throws {
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [
                folder.file("lab").path, Laboratory.scripts.appendingPathComponent("bluetooth.sh").path,
                Laboratory.binary.path, Laboratory.python.path, network,
            ], folder: folder)
        #expect(await child.status() == 0)
        let output = child.stdout
        let parts = output.components(separatedBy: "== ")
        func part(_ name: String) throws -> String {
            let found = try #require(parts.first { $0.hasPrefix(name + "\n") }, "\(output) \(child.stderr)")
            return String(found.dropFirst(name.count + 1))
        }
        #expect(try part("payload").contains("ble"))
        let attested = try JSON(parsing: part("attest"))
        #expect(attested["verdict"]?.string == "test", "\(output) \(child.stderr)")
        let devices = try JSON(parsing: part("discover")).elements
        let device = try #require(devices.first { $0["adapter"] != nil }, "\(output) \(child.stderr)")
        #expect(device["address"]?.string == "00:00:00:11:11:11" && device["adapter"]?.string == "hci2")
        #expect(device["discriminator"]?.int == 3840 && device["vendorId"]?.int == 0xFFF1)
        #expect(device["productId"]?.int == 0x8001)
        let node = try JSON(parsing: try part("commission"))
        #expect(node["name"]?.string == "kitchen", "\(output) \(child.stderr)")
        #expect(try part("toggle") == "true\n")
        #expect(try part("device").contains("commissioning complete"))
        #expect(output.hasSuffix("== status 0\n"))
    }

    @Test(
        "a first attempt over Bluetooth that is cut short, on either side, or that the network refuses: the same command works then",
        arguments: [
            ("device csr", 4, "commission.no-answer"), ("device noc-added", 4, "commission.gone-after-noc"),
            ("commissioner csr", 137, nil), ("commissioner noc-added", 137, nil),
            ("password", 8, "wrong password (error value 15)"), ("vanished", 8, "it does not see this network"),
        ] as [(String, Int, String?)])
    func cutShort(_ place: String, _ status: Int, _ words: String?) async throws {
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [
                folder.file("lab").path, Laboratory.scripts.appendingPathComponent("bluetooth-loss.sh").path,
                Laboratory.binary.path, Laboratory.python.path,
            ] + place.split(separator: " ").map(String.init), folder: folder)
        #expect(await child.status() == 0)
        let output = child.stdout
        func part(_ name: String) throws -> String {
            let start = try #require(output.range(of: "== \(name)"), "\(output) \(child.stderr)").upperBound
            let rest = output[start...]
            return String(rest[..<(rest.range(of: "\n== ")?.lowerBound ?? rest.endIndex)])
        }
        let first = try part("first ")
        #expect(first.hasPrefix("\(status)") && (words.map { first.contains($0) } ?? true), "\(output)")
        #expect(!first.contains("not-the-password"))
        #expect(try part("second ").hasPrefix("0\n"), "\(output)")
        // One fabric, and a light that obeys.
        #expect(try part("read") == "\ntrue\n1", "\(output)")
        let device = try part("device")
        #expect(device.components(separatedBy: "commissioning complete").count == 2, "\(device)")
        // Nothing tells the device that its commissioner is gone: its fail-safe does.
        if place.hasPrefix("commissioner") { #expect(device.contains("commissioning fail-safe-expired"), "\(device)") }
    }

    @Test("discover --ble: devices of two adapters, strongest first, as a table and as JSON")
    func discover() async throws {
        var matterctl = try MatterCtl()
        let (bus, address) = try await bus(in: matterctl.folder)
        defer { bus.signal(SIGKILL) }
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        let daemon = try await standIn(
            address,
            [
                "--adapter", "hci0=00:00:00:00:00:01", "--adapter", "hci1=00:00:00:00:00:02", "--device",
                "C8:5A:11:22:33:44,rssi=-70", "--device",
                "C8:5A:11:22:33:55,on=hci1,rssi=-40,discriminator=77,vendor=0",
            ], in: matterctl.folder)
        defer { daemon.signal(SIGKILL) }
        let all = try await matterctl.succeed("discover", "--ble", "--ble-adapter", "all", "--timeout", "3s", "--json")
        let devices = try all.json().elements
        #expect(devices.map { $0["address"]?.string } == ["C8:5A:11:22:33:55", "C8:5A:11:22:33:44"], "\(all)")
        #expect(devices.map { $0["adapter"]?.string } == ["hci1", "hci0"])
        #expect(devices.map { $0["rssi"]?.int } == [-40, -70])
        #expect(devices.map { $0["discriminator"]?.int } == [77, 3840])
        #expect(devices.first?["vendorId"] == nil && devices.last?["vendorId"]?.int == 0xFFF1)
        let one = try await matterctl.succeed("discover", "--ble", "--ble-adapter", "hci1", "--timeout", "3s")
        #expect(one.result == "-\t77\t-\t32769\t-\tC8:5A:11:22:33:55 on hci1, -40 dBm")
        // Without Avahi on this bus, the network is left out, which is said.
        #expect(one.stderr.contains("the network was left out"), "\(one)")
    }

    @Test(
        "what this host lacks: 11, with the cure",
        arguments: [
            ([], "bluetooth.no-adapter", "/sys/class/bluetooth"),
            (["--adapter-off", "--fail", "Set=Blocked:Blocked through rfkill"], "bluetooth.blocked", "rfkill unblock"),
            (["--adapter-off", "--fail", "Set=Failed:Failed"], "bluetooth.adapter-off", "bluetoothctl power on"),
            (["--fail", "StartDiscovery=InProgress:busy"], "bluetooth.adapter-busy", "bluetoothctl power off"),
            (
                ["--fail", "GetManagedObjects=org.freedesktop.DBus.Error.AccessDenied:no"], "bluetooth.not-permitted",
                "adduser"
            ), (["--quit-after", "StartDiscovery"], "bluetooth.disconnected", "systemctl status bluetooth"),
        ])
    func missing(_ arguments: [String], _ id: String, _ hint: String) async throws {
        var matterctl = try MatterCtl()
        let (bus, address) = try await bus(in: matterctl.folder)
        defer { bus.signal(SIGKILL) }
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        let daemon =
            arguments.isEmpty ? nil : try await standIn(address, arguments, in: matterctl.folder)
        defer { daemon?.signal(SIGKILL) }
        let error = try await matterctl.fail(11, "discover", "--ble", "--json").error()
        #expect(error["id"]?.string == id, "\(error)")
        #expect(error["hint"]?.string?.contains(hint) == true, "\(error)")
    }

    @Test(
        "a bluetoothd that has not answered in the time there was is told, and not taken for a place without devices",
        arguments: [["--timeout", "1s"], ["--watch", "--for", "1s"], ["--watch", "--timeout", "1s"]])
    func late(time: [String]) async throws {
        var matterctl = try MatterCtl()
        let (bus, address) = try await bus(in: matterctl.folder)
        defer { bus.signal(SIGKILL) }
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        let daemon = try await standIn(address, ["--silent", "GetManagedObjects"], in: matterctl.folder)
        defer { daemon.signal(SIGKILL) }
        let outcome = try await matterctl.run(["discover", "--ble", "--json"] + time)
        let error = try outcome.error()
        #expect(outcome.status == 11 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(error["id"]?.string == "bluetooth.daemon-unavailable", "\(error)")
        #expect(error["hint"]?.string?.hasPrefix("give it more time with --timeout") == true, "\(error)")
    }

    @Test("a radio that is blocked ends a commissioning over Bluetooth: 11, with the cure")
    func blocked() async throws {
        var matterctl = try MatterCtl()
        let (bus, address) = try await bus(in: matterctl.folder)
        defer { bus.signal(SIGKILL) }
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        let daemon = try await standIn(
            address, ["--adapter-off", "--fail", "Set=Blocked:Blocked through rfkill"], in: matterctl.folder)
        defer { daemon.signal(SIGKILL) }
        for words in [["commission", "34970112332", "--via", "ble"], ["attest", "34970112332", "--via", "ble"]] {
            let run = try await matterctl.run(words + ["--timeout", "20s", "--json"])
            let error = try run.error()
            #expect(run.status == 11 && error["id"]?.string == "bluetooth.blocked", "\(run)")
            #expect(error["hint"]?.string?.contains("rfkill unblock") == true, "\(run)")
        }
    }

    @Test(
        "commission --check tells what is wrong with Bluetooth; it is a failure only if Bluetooth is needed",
        arguments: [
            ([], "bluetooth.no-adapter"),
            (["--fail", "GetManagedObjects=org.freedesktop.DBus.Error.AccessDenied:no"], "bluetooth.not-permitted"),
            (["--role", "peripheral"], "bluetooth.no-adapter"), (["--adapter-off"], nil), (["--role", "central"], nil),
        ] as [([String], String?)])
    func check(_ arguments: [String], _ id: String?) async throws {
        var matterctl = try MatterCtl()
        let (bus, address) = try await bus(in: matterctl.folder)
        defer { bus.signal(SIGKILL) }
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        let daemon = arguments.isEmpty ? nil : try await standIn(address, arguments, in: matterctl.folder)
        defer { daemon?.signal(SIGKILL) }
        // Avahi is not on this bus, which is another failure: what counts is the line about Bluetooth.
        func line(_ words: String...) async throws -> (JSON?, MatterCtl.Outcome) {
            let run = try await matterctl.run(["commission", "--check", "--json"] + words)
            return (try run.json().elements.first { $0["check"]?.string == "bluetooth" }, run)
        }
        let (any, first) = try await line()
        #expect(any?["result"]?.string == (id == nil ? "ready" : "missing"), "\(first)")
        #expect(any?["error"]?["id"]?.string == id, "\(first)")
        if id == nil {
            let isOff = arguments == ["--adapter-off"]
            #expect(any?["note"]?.string?.hasPrefix("hci0 (00:1A:7D:DA:71:13)") == true, "\(first)")
            #expect(any?["note"]?.string?.contains("is off") == isOff, "\(first)")
        }
        let (needed, second) = try await line("--via", "ble")
        #expect(needed?["result"]?.string == (id == nil ? "ready" : "failed"), "\(second)")
        let (network, third) = try await line("--via", "ip")
        #expect(network?["result"]?.string == "ready" && network?["note"]?.string == "not needed", "\(third)")
        #expect(daemon?.stdout.contains("call Set ") != true, "a check switches nothing on")
    }

    @Test("a bus that is not there: 11, for Bluetooth too")
    func noBus() async throws {
        var matterctl = try MatterCtl()
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(matterctl.folder.file("nowhere").path)"
        let error = try await matterctl.fail(11, "discover", "--ble", "--json").error()
        #expect(error["id"]?.string == "bluetooth.bus-unavailable")
    }
}
