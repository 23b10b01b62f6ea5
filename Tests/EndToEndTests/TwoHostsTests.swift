import Foundation
import Testing

/// The device on one host, the controller on another, each with its own D-Bus and avahi-daemon.
@Suite("Two hosts", .enabled(if: Laboratory.isHere), .waitingSlot)
struct TwoHostsTests {
    @Test("discovered, commissioned by its code, switched and read across the network", arguments: [true, false])
    func acrossTheNetwork(byQRCode: Bool) async throws {
        let device = try await VirtualDevice.start(isAdvertised: true, on: FarHost.shared())
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let found = try await matterctl.succeed("discover", "--discriminator", "\(device.discriminator)", "--json")
            .json().elements
        #expect(found.count == 1, "\(found)")
        let addresses = found.first?["addresses"]?.elements.compactMap(\.string) ?? []
        #expect(addresses.contains(device.address) && addresses.contains("10.77.0.2:\(device.port)"), "\(found)")
        let report = try await matterctl.succeed(
            "commission", byQRCode ? device.qrCode : device.manualCode, "--trust", device.trust,
            "--allow-test-devices", "--name", "far", "--json"
        ).json()
        #expect(report["address"]?.string?.hasSuffix(":\(device.port)") == true, "\(report)")
        try await matterctl.succeed("toggle", "far")
        #expect(try await matterctl.succeed("read", "far", "1/on-off/on-off").result == "true")
        // Without the address that was kept, discovery finds the node.
        let record = try await matterctl.succeed("node", "show", "far", "--json").json()
        #expect(record["addresses"]?.elements.count == 1, "\(record)")
        try await matterctl.succeed("off", "far")
        #expect(device.values("OnOff", "OnOff").map(\.bool) == [true, false])
        // It is complete, and says so on the network.
        let closed = try await matterctl.succeed("discover", "--discriminator", "\(device.discriminator)", "--json")
        #expect(try closed.json().elements.isEmpty, "\(closed)")
    }

    @Test("a second administrator joins through the window that the first one opens, and leaves again")
    func secondAdministrator() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true, on: FarHost.shared())
        defer { device.stop() }
        let (first, second) = (try MatterCtl(), try MatterCtl())
        let trust = ["--trust", device.trust, "--allow-test-devices"]
        let joined = try await first.run(["commission", device.qrCode, "--name", "far"] + trust)
        #expect(joined.status == 0, "\(joined)")
        // The command must be timed, and is by itself.
        try await first.succeed(
            "invoke", "far", "0/administrator-commissioning/open-basic-commissioning-window",
            "commissioning-timeout=180")
        #expect(try await first.succeed("read", "far", "0/administrator-commissioning/window-status").result != "0")
        let other = try await second.run(["commission", device.manualCode, "--name", "mine"] + trust)
        #expect(other.status == 0, "\(other)")
        let count = "0/operational-credentials/commissioned-fabrics"
        #expect(try await first.succeed("read", "far", count).result == "2")
        try await first.succeed("on", "far")
        try await second.succeed("off", "mine")
        #expect(device.values("OnOff", "OnOff").map(\.bool) == [true, false])
        // Each sees the access list of its own fabric only.
        let list = try await second.succeed("read", "mine", "0/access-control/acl", "--json").json()
        #expect(list["value"]?.elements.count == 1, "\(list)")
        try await second.succeed("node", "remove", "mine", "--yes")
        #expect(try await first.succeed("read", "far", count).result == "1")
        #expect(device.fabrics == 1)
    }

    @Test("records of devices that are gone keep no command waiting for long")
    func staleRecords() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true, on: FarHost.shared())
        defer { device.stop() }
        let matterctl = try MatterCtl()
        // Nothing listens on these ports.
        let stale = try (1...3).map { number in
            try Child(
                URL(fileURLWithPath: "/usr/bin/avahi-publish"),
                [
                    "-s", "--subtype=_L\(device.discriminator)._sub._matterc._udp", "--subtype=_CM._sub._matterc._udp",
                    "00000000000000\(number)0", "_matterc._udp", "\(6990 + number)", "D=\(device.discriminator)",
                    "CM=1",
                ], folder: matterctl.folder)
        }
        defer { for child in stale { child.signal(SIGTERM) } }
        for child in stale {
            try await eventually("the record to stand: \(child.stderr)") { child.stderr.contains("Established") }
        }
        let found = try await matterctl.succeed("discover", "--discriminator", "\(device.discriminator)", "--json")
        #expect(try found.json().elements.count == 4, "\(found)")
        // Each by itself would have 20 s; two of them would take the whole time.
        try await matterctl.succeed(
            "commission", device.qrCode, "--trust", device.trust, "--allow-test-devices")
        #expect(device.fabrics == 1)
    }

    @Test("a device that moves to another port is found again")
    func moved() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true, on: FarHost.shared())
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.succeed(
            "commission", device.qrCode, "--trust", device.trust, "--allow-test-devices", "--name", "far")
        try await device.restart(options: ["--port", "\(device.port + 1000)"])
        try await matterctl.succeed("toggle", "far")
        #expect(device.switchings == 1)
        let address = try await matterctl.succeed("node", "show", "far", "--json").json()["addresses"]?[0]?.string
        #expect(address?.hasSuffix(":\(device.port + 1000)") == true, "\(address ?? "-")")
    }

    @Test("hosts that have link-local addresses only, found through mDNS")
    func linkLocal() async throws {
        let matterctl = try MatterCtl()
        let script = """
            ip addr del 10.77.0.1/24 dev mt0
            ip addr del fd77::1/64 dev mt0
            $MATTERCTL_FAR sh -c 'ip addr del 10.77.0.2/24 dev mt0; ip addr del fd77::2/64 dev mt0'
            mkdir "$WORK/far" "$WORK/trust"
            $MATTERCTL_FAR "$LAB/avahi.sh" "$WORK/far" mt0
            (. "$WORK/far/env"
            exec $MATTERCTL_FAR "$BINARY" simulate dimmable-light --json --state "$WORK/device" \\
                --paa-out "$WORK/trust/paa.der") > "$WORK/events" &
            until grep -qs '"ready"' "$WORK/events"; do sleep 0.05; done
            code=$(sed -n 's/.*"qrCode":"\\([^"]*\\)".*/\\1/p' "$WORK/events")
            "$BINARY" commission "$code" --trust "$WORK/trust" --allow-test-devices --name far --progress none
            "$BINARY" toggle far
            "$BINARY" read far 1/on-off/on-off
            "$BINARY" node show far
            """
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        environment["BINARY"] = Laboratory.binary.path
        environment["WORK"] = matterctl.folder.url.path
        environment["LAB"] = Laboratory.scripts.path
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [matterctl.folder.file("lab").path, "sh", "-euc", script], environment: environment,
            folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        let lines = child.stdout.split(separator: "\n").map(String.init)
        #expect(lines.starts(with: ["1", "true"]), "\(lines)")
        let address = try #require(lines.first { $0.hasPrefix("address\t") })
        #expect(address.wholeMatch(of: /address\t\[fe80::[0-9a-f:]+%mt0\]:5540/) != nil, "\(address)")
    }
}
