import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Windows for other administrators, clocks and networks, with a virtual device in this process.
@Suite("Administering a device", .fewAtATime) struct WindowCommandTests {
    private let shell: Shell
    private let device: Background
    private let port: String

    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate on-off-light,dimmable-light --port 0 --mdns none --network wifi")
        port = try await device.line("ready")
        try await join(shell, "34970112332")
    }

    private func join(_ shell: Shell, _ code: String) async throws {
        try await shell.succeed(
            "commission \(code) --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
    }

    @Test("a window has a code of its own, with which another administrator joins; its status says who opened it")
    func sharing() async throws {
        let window = try await shell.succeed("window open lamp --for 4min --json").json()
        #expect(window["window"] == "enhanced" && window["leftSeconds"] == 240 && window["vendorId"] == 0xFFF1)
        #expect(window["passcode"] != 20_202_021 && window["productId"] == 0x8001, "\(window)")
        let code = try #require(window["manualCode"]?.stringValue)
        let parsed = try await shell.succeed("payload parse \(window["qrCode"]?.stringValue ?? "") --json").json()
        for key in ["passcode", "discriminator", "vendorId", "productId"] { #expect(parsed[key] == window[key]) }
        #expect(parsed["capabilities"] == ["on-network"] && parsed["flow"] == "standard")

        let again = try await shell.run("share lamp --json")
        #expect(again.status == 5)
        #expect(
            try again.error().text("message")
                == "node 'lamp' has a commissioning window open already, opened by our own fabric")
        #expect(try again.error().text("hint") == "close it: matterctl window close lamp")

        let status = try await shell.succeed("window status lamp --json").json()
        let opener = try #require(status["openedBy"])
        #expect(opener["us"] == true && opener["fabricIndex"] == 1 && opener["vendorId"] == 0xFFF1, "\(status)")
        #expect((200...240).contains(status["leftSeconds"]?.integer() ?? 0), "\(status)")

        let other = try Shell()
        try await join(other, code)
        #expect(try await shell.succeed("window status lamp").stdout == "closed\n")
        try await other.succeed("window open lamp")
        let lines = try await shell.succeed("window status lamp").stdout.split(separator: "\n")
        #expect(lines == ["enhanced", "opened by\tanother fabric, index 2, test vendor 1 0xFFF1"], "\(lines)")
        let refused = try await shell.run("window open lamp --basic --json")
        #expect(
            try refused.error().text("message")?.hasSuffix(", opened by another fabric (fabric index 2)") == true,
            "\(refused)")
        try await shell.succeed("window close lamp")
        #expect(try await other.succeed("window status lamp --json").json()["window"] == "closed")
    }

    @Test("each window has another code; a closed one admits no one, and to close it twice is no failure")
    func closing() async throws {
        let first = try await shell.succeed("share lamp").stdout
        #expect(try await shell.succeed("window close lamp --json").json()["wasOpen"] == true)
        let twice = try await shell.succeed("window close lamp")
        #expect(twice.stdout.isEmpty && twice.messages == ["node 'lamp' has no window open"])
        let code = try #require(first.firstMatch(of: /manual code\t(\S+)/)?.1)
        let late = try await Shell().run(
            "commission \(code) --address 127.0.0.1:\(port) --attestation skip --timeout 5s --json")
        #expect(late.status == 8 || late.status == 4, "\(late)")
        let second = try await shell.succeed("share lamp").stdout
        #expect(second.firstMatch(of: /manual code\t(\S+)/)?.1 != code)
        #expect(first.contains("\nopen for\t5 min\n") && first.hasPrefix("qr code\tMT:"), "\(first)")
    }

    @Test("the basic method opens with the device's own code, which is not printed; the limits are those of the device")
    func basic() async throws {
        let run = try await shell.succeed("window open lamp --basic --for 3min")
        #expect(run.stdout.hasPrefix("open for\t3 min\nuntil\t"), "\(run)")
        #expect(run.messages == ["the setup code is the one on the device or in its papers"])
        #expect(
            try await shell.succeed("window status lamp").stdout.hasPrefix("basic\nopened by\tour fabric, index 1, "))
        try await join(Shell(), "34970112332")
        for time in ["179s", "901s", "0"] {
            let run = try await shell.run("window open lamp --for \(time) --json")
            #expect(try run.status == 64 && run.error().text("message") == "--for is 3 to 15 minutes", "\(run)")
        }
    }

    @Test("on a terminal, the code is drawn, too")
    func drawing() async throws {
        let terminal = try Shell(terminals: [.output])
        let run = try await terminal.succeed("share lamp --home \(shell.home)")
        #expect(run.stdout.contains("█ ▄▄▄▄▄ █"), "\(run)")
        #expect(run.stdout.contains("manual code  "))
    }

    @Test("identify needs an endpoint where several can; it lasts as long as is asked for, and 0 ends it")
    func identify() async throws {
        let ambiguous = try await shell.run("identify lamp --json")
        #expect(try ambiguous.status == 64 && ambiguous.error().text("id") == "node.ambiguous-endpoint")
        #expect(try await shell.succeed("identify lamp/2").stdout.isEmpty)
        let left = try await shell.succeed("identify lamp/2 --for 30s --verify").stdout
        #expect(["29\n", "30\n"].contains(left), "\(left)")
        #expect(try await shell.succeed("identify lamp/2 --for 0 --verify").stdout == "0\n")
        #expect(try await shell.run("identify lamp/2 --for 20h").status == 64)
    }

    @Test("time sync says how far the clock was off, and sets it")
    func time() async throws {
        try await shell.succeed(
            "invoke lamp 0/time-synchronization/set-utc-time utc-time=2026-01-01T00:00:00Z granularity=seconds-granularity"
        )
        let report = try await shell.succeed("time sync lamp --json").json()
        let (before, after) = (try #require(report["before"]), try #require(report["after"]))
        #expect((before["aheadMs"]?.doubleValue ?? 0) < -1_000_000, "\(report)")
        #expect(abs(after["aheadMs"]?.doubleValue ?? .infinity) < 2000, "\(report)")
        #expect(after["granularity"] == "MillisecondsGranularity" && after["source"] == "Admin", "\(report)")
        let text = try await shell.succeed("time sync lamp").stdout
        #expect(text.firstMatch(of: /^before\t(right|\d+ ms (fast|slow))\nafter\t/) != nil, "\(text)")
    }

    @Test("net status shows networks, the last status in words, and interfaces; net scan the networks in reach")
    func network() async throws {
        let fresh = try await shell.succeed("net status lamp").stdout
        #expect(fresh.hasPrefix("endpoint 0\tWi-Fi\ninterface\twlan0, Wi-Fi, up, "), "\(fresh)")
        let found = try await shell.succeed("net scan lamp").stdout.split(separator: "\n")
        #expect(found.first?.hasPrefix("simulated\t-48 dBm\t6\t2.4 GHz\tWPA2\t02:00:00:00:01:06") == true, "\(found)")
        #expect(found.count == 3 && found.last?.hasPrefix("far-away\t-91 dBm") == true)
        let one = try await shell.succeed("net scan lamp --ssid simulated-open --json").json().arrayValue
        #expect(one?.count == 1 && one?.first?["security"] == ["open"] && one?.first?["rssi"] == -61, "\(one ?? [])")
        let none = try await shell.succeed("net scan lamp --ssid nowhere")
        #expect(none.stdout.isEmpty && none.messages == ["the node sees no network"])
        let status = try await shell.succeed("net status lamp --json").json()
        let entry = try #require(status["networking"]?.arrayValue?.first)
        #expect(entry["kind"] == "Wi-Fi" && entry["lastStatus"] == "the network was not found", "\(status)")
        #expect(try await shell.run("net scan lamp/1").status == 6)
    }

    @Test("a device on a cable has no networks to search for: 6, in words")
    func cable() async throws {
        let device = try shell.start(
            "simulate on-off-light --port 0 --mdns none --passcode 34561234 --state \(shell.path("plug"))")
        let port = try await device.line("ready")
        let home = try Shell()
        try await home.succeed(
            "commission --passcode 34561234 --address 127.0.0.1:\(port) --attestation skip --name plug --timeout 60s")
        #expect(
            try await home.succeed("net status plug").stdout.hasPrefix(
                "endpoint 0\tEthernet\nnetwork\teth0, connected\n"))
        let run = try await home.run("net scan plug --json")
        #expect(try run.status == 6 && run.error().text("id") == "node.unsupported-cluster", "\(run)")
        #expect(try run.error().text("message") == "node 'plug' is on Ethernet, and has no radio that can search")
    }
}
