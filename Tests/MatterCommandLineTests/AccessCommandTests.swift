import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Who may do what, asked of and told to virtual devices in this process.
@Suite("Access commands", .fewAtATime) struct AccessCommandTests {
    private let shell: Shell
    private let device: Background
    private let port: String

    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate on-off-light --port 0 --mdns none")
        port = try await device.line("ready")
        try await shell.succeed("fabric create home --vendor-id 0xFFF1")
        try await Self.commission(shell, port)
    }

    private static func commission(_ shell: Shell, _ port: String) async throws {
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
    }

    /// Another administrator, whose fabric the device is on too.
    private func other(vendor: String) async throws -> Shell {
        try await shell.succeed("invoke lamp 0/60/1 commissioning-timeout=200")
        let other = try Shell()
        try await other.succeed("fabric create den --vendor-id \(vendor)")
        try await Self.commission(other, port)
        return other
    }

    private func lines(_ run: CommandRun) -> [[String]] {
        run.stdout.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }

    private func id(_ words: String) async throws -> String? {
        try await shell.run(words + " --json").error().text("id")
    }

    @Test("acl grant gives nodes, tags and groups what they may, once, and prints the list")
    func grants() async throws {
        var list = lines(try await shell.succeed("acl grant lamp 77 0x4E --target 1/on-off --target 2"))
        #expect(list.count == 2 && list[0][0] == "administer" && list[0][2].hasSuffix(" (us)") && list[0][4] == "1")
        #expect(list[1] == ["operate", "case", "77, 78", "1/on-off, 2/*", "2"])
        list = lines(try await shell.succeed("acl grant lamp cat:0x06D90001 group:258 --privilege view"))
        #expect(
            list.suffix(2) == [
                ["view", "case", "tag 06D90001", "all", "3"], ["view", "group", "group 258", "all", "4"],
            ])
        let again = try await shell.succeed("acl grant lamp 78 --target 1/on-off --json").json()
        #expect(again["result"] == "unchanged" && again["entries"]?.arrayValue?.count == 4)
        #expect(try await id("acl grant lamp lamp --privilege manage") == "acl.full")
        try await shell.succeed("acl revoke lamp entry:3 entry:4")
        #expect(lines(try await shell.succeed("acl grant lamp lamp")).last?[2] == "1 (lamp)")
    }

    @Test("acl revoke takes subjects out of all entries, or whole entries by number")
    func revocations() async throws {
        try await shell.succeed("acl grant lamp 77 78 --target 1/on-off")
        try await shell.succeed("acl grant lamp 77 --privilege manage")
        let list = lines(try await shell.succeed("acl revoke lamp 77"))
        #expect(list.count == 2 && list[1] == ["operate", "case", "78", "1/on-off", "2"], "\(list)")
        let json = try await shell.succeed("acl revoke lamp entry:2 --json").json()
        #expect(json["result"] == "changed" && json["entries"]?.arrayValue?.count == 1 && json["dataVersion"] != nil)
        #expect(try await id("acl revoke lamp 77") == "acl.unknown-entry")
        #expect(try await id("acl revoke lamp entry:2") == "acl.unknown-entry")
        #expect(try await id("acl revoke lamp entry:1 77") == "usage")
    }

    @Test("acl set replaces the list as read prints it, after a question")
    func replacement() async throws {
        let present = try await shell.succeed("read lamp 0/access-control/acl").stdout
        try await shell.succeed("acl grant lamp 77")
        let file = try shell.file("acl.json", present)
        #expect(try await id("acl set lamp @\(file)") == "usage.confirmation-needed")
        #expect(try await shell.succeed("acl set lamp @\(file) --yes").stdout.split(separator: "\n").count == 1)
        let again = try await shell.succeed("acl set lamp @\(file) --json").json()
        #expect(again["result"] == "unchanged", "nothing to ask about")
        let open = #"[{"privilege":"administer","authMode":"case","subjects":null,"targets":null}]"#
        let run = try await shell.run(["acl", "set", "lamp", open, "--yes"])
        #expect(run.status == 0 && run.stdout == "administer\tcase\tall\tall\t1\n", "\(run)")
    }

    @Test("what would lock us out, breaks the rules or does not fit is refused, and the list stays as it was")
    func refusals() async throws {
        try await shell.succeed("acl grant lamp 42 --privilege administer")
        let before = try await shell.succeed("acl ls lamp --json").stdout
        let own = try #require(try await shell.succeed("fabric show --json").json()["nodeId"]).serialized()
            .split(separator: "\"").joined()
        for (words, id) in [
            ("acl revoke lamp entry:1", "acl.lockout"), ("acl revoke lamp \(own)", "acl.lockout"),
            ("acl set lamp [] --yes", "acl.lockout"), ("acl set lamp []", "acl.lockout"),
            ("acl grant lamp group:2 --privilege administer", "acl.invalid-entry"),
            ("acl grant lamp 0", "acl.invalid-entry"),
            ("acl grant lamp 1 2 3 4 5 6 7 8 9 10 11 12 13", "acl.full"),
            ("acl grant lamp cat:06D90000", "usage.subject"),
            ("acl grant lamp cat:6D9", "usage.subject"), ("acl grant lamp group:0", "usage.subject"),
            ("acl grant lamp 5 --target *", "usage.subject"),
            ("acl grant lamp 5 --target 1/onof", "data-model.unknown-cluster"),
            ("acl grant lamp 5 --target x", "data-model.unknown-device-type"),
            ("acl grant lamp 5 --target 65536", "usage.subject"),
            ("acl grant lamp hall", "node.unknown"), ("acl revoke lamp entry:x", "usage.subject"),
            ("acl set lamp {} --yes", "data-model.wrong-type"),
        ] {
            #expect(try await self.id(words) == id, "\(words)")
        }
        #expect(try await shell.succeed("acl ls lamp --json").stdout == before)
    }

    @Test("fabrics shows all fabrics of a device by vendor, takes away another one, and not ours")
    func fabrics() async throws {
        let other = try await other(vendor: "0x1349")
        try await shell.succeed("fabrics lamp label Lake")
        let table = lines(try await shell.succeed("node fabrics lamp"))
        #expect(lines(try await shell.succeed("fabrics lamp ls")) == table)
        #expect(table.map { $0[0] } == ["1", "2"] && table[0][1] == "us (home)" && table[0][3] == "Lake", "\(table)")
        #expect(table[1][1] == "-" && table[1][2].hasSuffix(" (0x1349)") && !table[1][2].hasPrefix("unknown"))
        let json = try await shell.succeed("fabrics ls lamp --json").json()
        let entries = try #require(json["fabrics"]?.arrayValue)
        #expect(json["name"] == "lamp" && json["supportedFabrics"] != nil && entries.count == 2)
        #expect(entries[0]["us"] == true && entries[0]["fabric"] == "home" && entries[1]["vendorId"] == .uint(0x1349))
        #expect(try await shell.succeed("fabrics ls --all --json").json().arrayValue?.count == 1)
        #expect(try await shell.succeed("fabrics ls --all").stdout.hasPrefix("lamp\t1\t"))

        #expect(try await id("fabrics remove lamp 2") == "usage.confirmation-needed")
        #expect(try await id("fabrics remove lamp 1 --yes") == "fabrics.own")
        #expect(try await id("fabrics lamp remove 9 --yes") == "fabrics.unknown")
        #expect(try await other.succeed("fabrics ls lamp --json").json()["fabrics"]?.arrayValue?[1]["us"] == true)
        #expect(try await id("fabrics label lamp \(String(repeating: "x", count: 33))") == "im.status")
        try await shell.succeed("fabrics remove lamp 2 --yes")
        #expect(try await shell.succeed("fabrics ls lamp").stdout.split(separator: "\n").count == 1)
        #expect(try await other.run("on lamp --timeout 5s").status == 4)
    }

    @Test("who shows fabrics, administrators, entries and the open window, and marks what is unknown")
    func who() async throws {
        let other = try await other(vendor: "0x4321")
        try await other.succeed("acl grant lamp 5")
        try await shell.succeed("acl grant lamp 4242 cat:06D90001 --privilege administer")
        try await shell.succeed("acl grant lamp lamp --target 1")
        var rows = lines(try await shell.succeed("who lamp"))
        #expect(rows.allSatisfy { $0.count == 4 && $0[0] == "lamp" }, "\(rows)")
        #expect(rows[0][1...] == ["fabric 1", "us (home), test vendor 1 (0xFFF1)", "-"], "\(rows)")
        #expect(rows[1][1...] == ["fabric 2", "unknown vendor 0x4321", "unknown"])
        #expect(rows[2][1] == "administrator" && rows[2][2].hasSuffix(" (us)") && rows[2][3] == "-")
        #expect(rows[3][1...] == ["administrator", "4242", "unknown"])
        #expect(rows[4][1...] == ["administrator", "tag 06D90001", "unknown"])
        #expect(rows[6][1...] == ["entry 2", "1 (lamp)", "operate 1/*"])
        #expect(rows[7][1...] == ["entries", "fabric 2", "2, which only its own administrators can read"])
        #expect(rows[8][1...] == ["window", "closed", "-"] && rows.count == 9, "\(rows)")

        try await other.succeed("invoke lamp 0/60/1 commissioning-timeout=200")
        rows = lines(try await shell.succeed("who --all"))
        #expect(rows.last?[1...] == ["window", "basic", "opened by fabric 2, unknown vendor 0x4321"], "\(rows)")
        let all = try #require(try await shell.succeed("who --all --json").json().arrayValue)
        let json = try await shell.succeed("who lamp --json").json()
        #expect(all.count == 1 && all[0]["window"] == json["window"])
        #expect(json["window"] == "basic" && json["openedBy"]?["fabricIndex"] == 2)
        #expect(json["hiddenEntries"]?.arrayValue?.first?["count"] == 2)
        #expect(json["administrators"]?.arrayValue?.map { $0["unknown"]?.boolValue } == [nil, true, true])
        #expect(json["fabrics"]?.arrayValue?.map { $0["unknown"]?.boolValue } == [nil, true])
        #expect(json["entries"]?.arrayValue?.count == 2)
    }

    @Test("a node that is away costs the others nothing: it is named, and the exit code is its own")
    func away() async throws {
        let second = try shell.start("simulate on-off-light --port 0 --mdns none --state \(shell.path("second"))")
        let port = try await second.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name away --timeout 60s")
        _ = await second.stop()
        let run = try await shell.run("who --all --timeout 8s")
        #expect(run.status == 4 && run.stdout.hasPrefix("lamp\tfabric 1") && run.stderr.contains("away"), "\(run)")
        let json = try await shell.run("fabrics ls --all --json --timeout 8s")
        let nodes = try #require(try json.json().arrayValue)
        #expect(json.status == 4 && nodes.map { $0["error"] != nil } == [false, true], "\(json)")
        #expect(try json.error().text("id") == "node.incomplete")
        #expect(try await id("who") == "usage")
        #expect(try await id("who --all --address ::1") == "usage")
        #expect(try await id("bind lamp lamp --address ::1") == "usage")
        #expect(try await id("who hall") == "node.unknown")
    }
}
