import Foundation
import Testing

/// Helpers and services of this host that hang: the command ends in time, and blames them and not the device.
@Suite("Hung services", .enabled(if: Laboratory.isHere), .waitingSlot) struct HungServiceTests {
    // MARK: D-Bus and Avahi

    /// A bus that hangs, and what keeps it there.
    struct Bus {
        let child: Child
        let path: String

        /// - Parameter answer: its answer to a client that connects, if any.
        static func silent(in folder: TemporaryFolder, answer: String = "") async throws -> Bus {
            let path = folder.file("bus").path
            let server = """
                import socket, sys
                s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(16)
                kept = []
                while True:
                    c = s.accept()[0]; kept.append(c)
                    if sys.argv[2]: c.sendall(sys.argv[2].encode() * 100)
                """
            let child = try Child(Laboratory.python, ["-c", server, path, answer], folder: folder)
            try await eventually("the bus: \(child.stderr)") { FileManager.default.fileExists(atPath: path) }
            return Bus(child: child, path: path)
        }

        /// A sound bus whose avahi-daemon is stopped.
        static func withStoppedDaemon(in folder: TemporaryFolder) async throws -> Bus {
            let place = folder.file("avahi").path
            let script = """
                mkdir "$1" && "$2" "$1" && kill -STOP "$(cat "$1/avahi.pid")" && touch "$1/stopped" && wait
                """
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/unshare"),
                [
                    "--net", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script + "; sleep 600", "sh", place,
                    Laboratory.scripts.appendingPathComponent("avahi.sh").path,
                ], folder: folder)
            try await eventually("an avahi-daemon of its own: \(child.stdout) \(child.stderr)") {
                FileManager.default.fileExists(atPath: place + "/stopped")
            }
            return Bus(child: child, path: place + "/bus")
        }

        func end() { child.signal(SIGKILL) }
    }

    enum Fault: String, CaseIterable { case silentBus, garbage, stoppedDaemon }

    private func bus(_ fault: Fault, in folder: TemporaryFolder) async throws -> Bus {
        switch fault {
        case .silentBus: try await .silent(in: folder)
        case .garbage: try await .silent(in: folder, answer: "this is no D-Bus\r\n")
        case .stoppedDaemon: try await .withStoppedDaemon(in: folder)
        }
    }

    @Test("a hung D-Bus or Avahi: 11 within the time, and no word of an empty network", arguments: Fault.allCases)
    func hung(fault: Fault) async throws {
        var matterctl = try MatterCtl()
        let bus = try await bus(fault, in: matterctl.folder)
        defer { bus.end() }
        let device = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(bus.path)"
        let code = device.manualCode
        for words in [
            ["discover", "--timeout", "5s"], ["commission", code, "--timeout", "5s"],
            ["discover", "--watch", "--timeout", "5s"],
        ] {
            let outcome = try await matterctl.run(words + ["--json"])
            #expect(outcome.status == 11 && outcome.stdout.isEmpty, "\(outcome)")
            let id = try outcome.error()["id"]?.string
            let wanted = fault == .stoppedDaemon ? "discovery.daemon-unavailable" : "discovery.bus-unavailable"
            #expect(id == wanted, "\(outcome)")
        }
        // A known address needs no discovery.
        let toggle = try await matterctl.run(["toggle", "lamp", "--timeout", "8s"])
        #expect(toggle.status == 0, "\(toggle)")
        try await matterctl.succeed("on", "lamp", "--address", device.address)
    }

    @Test("a device that cannot be found says so before it says that it is ready, and can be stopped")
    func simulateWithoutAvahi() async throws {
        let folder = try TemporaryFolder()
        let bus = try await Bus.silent(in: folder)
        defer { bus.end() }
        for address in ["unix:path=/nonexistent/bus", "unix:path=\(bus.path)"] {
            var environment = Laboratory.environment
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
            let child = try Child(
                Laboratory.binary, ["simulate", "on-off-light", "--port", "6951", "--state", folder.file("s").path],
                environment: environment, folder: folder)
            try await eventually("it to be ready: \(child.stdout) \(child.stderr)") {
                child.stdout.contains("ready 6951")
            }
            #expect(child.stderr.contains("warning: this device cannot be found"), "\(child.stderr)")
            #expect(child.stderr.contains("--mdns none"), "\(child.stderr)")
            child.signal(SIGTERM)
            #expect(await child.status() == 0, "\(child.stderr)")
        }
    }

    @Test("a look-out that is interrupted claims nothing: 130")
    func interruptedDiscovery() async throws {
        let matterctl = try MatterCtl()
        // A shell sends it, so that it comes in time however busy the tests are; before the program is loaded it would end
        // it without a word.
        let script = """
            "$0" discover --discriminator 4001 -vv 2> log & pid=$!
            until grep -qs 'avahi client' log; do sleep 0.02; done
            kill -TERM $pid; wait $pid; echo "status $?"; cat log >&2
            """
        let child = try Child(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "cd \(matterctl.folder.file(".").path) || exit 1; : > log; \(script)", Laboratory.binary.path],
            environment: matterctl.environment, folder: matterctl.folder)
        #expect(await child.status() == 0)
        #expect(child.stdout == "status 130\n", "\(child.stdout)\(child.stderr)")
        #expect(child.stderr.contains("error: interrupted"), "\(child.stderr)")
        #expect(!child.stderr.contains("no device"), "\(child.stderr)")
        // Its folder goes with it.
        withExtendedLifetime(matterctl) {}
    }

    // MARK: The issuer

    @Test("a hung certificate issuer is bounded by the command's time and named: 9", arguments: ["6s", "23s"])
    func hungIssuer(timeout: String) async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let outcome = try await matterctl.run(
            matterctl.words(device, ["--issuer", "exec:sleep 1000", "--timeout", timeout, "--json"]))
        #expect(outcome.status == 9, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "issuer.failed", "\(outcome)")
        #expect(error["device"]?.string == "rolled-back", "\(outcome)")
        try await matterctl.commission(device)
    }

    @Test("the program that issues does not outlive us, however we end, and learns no password")
    func orphans() async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        var matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        matterctl.environment["MATTERCTL_CLOUD_PASSWORD"] = "hunter2"
        let notes = matterctl.folder.file("notes").path
        let script = "env > \(notes).env; sleep 1000 & echo $$ $! > \(notes).new; mv \(notes).new \(notes); wait"
        let child = try matterctl.start(matterctl.words(device, ["--issuer", "exec:\(script)"]))
        try await eventually("the issuer to start: \(child.stderr)") { FileManager.default.fileExists(atPath: notes) }
        let pids = try String(contentsOfFile: notes, encoding: .utf8).split(whereSeparator: \.isWhitespace)
            .compactMap { Int32($0) }
        try #require(pids.count == 2)
        child.signal(SIGKILL)
        _ = await child.status()
        func lives(_ pid: Int32) -> Bool {
            let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            return status.map { !$0.contains(") Z ") } ?? false
        }
        try await eventually("its processes to end") { !pids.contains(where: lives) }
        let variables = try String(contentsOfFile: notes + ".env", encoding: .utf8)
        #expect(!variables.contains("hunter2") && variables.contains("MATTERCTL_HOME="))
    }
}
