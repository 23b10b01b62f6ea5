import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Groups and their members, with a virtual device in this process. What is sent by multicast needs a network: see the
/// end-to-end tests.
@Suite("Groups", .fewAtATime) struct GroupTests {
    private let shell: Shell
    private let device: Background

    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate dimmable-light,on-off-light --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
    }

    private func succeed(_ words: [String]) async throws {
        let run = try await shell.run(words)
        try #require(run.status == 0, "\(words): \(run)")
    }

    private func read(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: Array(try await shell.succeed("read lamp \(path)").stdout.utf8))
    }

    /// The lamp's state of groups: key map, table, key sets, entries of its access control list.
    private func remains() async throws -> [Int] {
        let sets = try await shell.succeed("invoke lamp 0/group-key-management/key-set-read-all-indices --json").json()
        return [
            try await read("0/group-key-management/group-key-map").arrayValue?.count ?? -1,
            try await read("0/group-key-management/group-table").arrayValue?.count ?? -1,
            sets["response"]?["groupKeySetIDs"]?.arrayValue?.count ?? -1,
            try await read("0/access-control/acl").arrayValue?.count ?? -1,
        ]
    }

    private static let nothing = [0, 0, 1, 1]
    private static let member = [1, 1, 2, 2]

    @Test("a group is created, listed, joined, left and deleted; doing so twice changes nothing more")
    func life() async throws {
        let created = try await shell.succeed("group create lights --json").json()
        #expect(created["group"] == 1 && created["name"] == "lights" && created["members"] == .array([]))
        #expect(try await shell.succeed("group create hall --id 0x101").stdout.isEmpty)
        #expect(try await shell.succeed("group ls").stdout == "1\tlights\t-\n257\thall\t-\n")

        #expect(try await shell.run("group add lights lamp").status == 64, "two endpoints could be meant")
        #expect(try await remains() == Self.nothing)
        #expect(try await shell.succeed("group add lights lamp/1").stdout == "1\tlamp\tadded\n")
        #expect(try await remains() == Self.member)
        #expect(try await shell.succeed("group add lights lamp/1").stdout == "1\tlamp\tunchanged\n")
        #expect(try await shell.succeed("group add lights lamp/1 lamp/2").stdout == "1\tlamp\tadded\n")
        #expect(try await remains() == Self.member)
        #expect(
            try await read("0/group-key-management/group-table").arrayValue?.first?["endpoints"]
                == .array([.int(1), .int(2)]))
        // A second group has a key set of its own, and shares the entry of the access control list.
        #expect(try await shell.succeed("group add 257 lamp/1").stdout == "1\tlamp\tadded\n")
        #expect(try await remains() == [2, 2, 3, 2])
        #expect(try await shell.succeed("group ls").stdout == "1\tlights\tlamp/1, lamp/2\n257\thall\tlamp/1\n")
        let listed = try #require(try await shell.succeed("group ls --json").json().arrayValue)
        #expect(listed[0]["members"]?.arrayValue?.map { $0["endpoint"] } == [1, 2])

        #expect(try await shell.succeed("group remove hall lamp").stdout == "1\tlamp\tremoved\n")
        #expect(try await shell.succeed("group remove hall lamp").stdout == "1\tlamp\tunchanged\n")
        #expect(try await remains() == Self.member)
        #expect(try await shell.succeed("group remove lights lamp/2").stdout == "1\tlamp\tremoved\n")
        #expect(try await remains() == Self.member)
        #expect(try await shell.run("group delete lights").status == 64)
        #expect(try await shell.succeed("group delete lights --yes").stdout == "1\tlamp\tremoved\n")
        #expect(try await remains() == Self.nothing)
        #expect(try await shell.succeed("group delete hall --yes").stdout.isEmpty)
        #expect(try await shell.succeed("group ls").stdout.isEmpty)
        _ = await device.stop()
    }

    @Test("groups with one key take the room of one on a device, which keeps it until the last of them goes")
    func sharedKey() async throws {
        let first = try await shell.succeed("group create one --json").json()
        let second = try await shell.succeed("group create two --key-of one --json").json()
        #expect(first["keySet"] == second["keySet"] && first["group"] != second["group"])
        try await shell.succeed("group add one lamp/1")
        try await shell.succeed("group add two lamp/1")
        #expect(try await remains() == [2, 2, 2, 2])
        try await shell.succeed("group delete one --yes")
        #expect(try await remains() == Self.member)
        try await shell.succeed("group add two lamp/2")
        try await shell.succeed("group delete two --yes")
        #expect(try await remains() == Self.nothing)
        _ = await device.stop()
    }

    @Test("a step that the device refuses undoes those before it, and the group has no new member")
    func undone() async throws {
        try await shell.succeed("group create lights")
        // A full access control list: the last step fails.
        let own = try await read("0/access-control/acl").arrayValue?.first
        let entry = try #require(own)
        let foreign = (1...3).map { number in
            #"{"privilege":"view","authMode":"case","subjects":[\#(40 + number)],"targets":null}"#
        }
        let list = "[" + ([entry.serialized()] + foreign).joined(separator: ",") + "]"
        try await succeed(["write", "lamp", "0/access-control/acl", list])
        let full = try await shell.run("group add lights lamp/1 --json")
        #expect(full.status == 5, "\(full)")
        #expect(try full.error().text("id") == "acl.full")
        #expect(try await remains() == [0, 0, 1, 4])
        let listed = try await shell.succeed("group ls")
        #expect(listed.stdout == "1\tlights\t-\n", "\(listed)")
        try await succeed(["write", "lamp", "0/access-control/acl", "[" + entry.serialized() + "]"])
        // No room for another key: the first step fails.
        for set in 1...3 {
            let key = #"{"groupKeySetID":\#(set),"groupKeySecurityPolicy":"TrustFirst","#
            let rest = #""epochKey0":"hex:\#(String(repeating: "0A", count: 16))","epochStartTime0":5,"#
            let others = #""epochKey1":null,"epochStartTime1":null,"epochKey2":null,"epochStartTime2":null}"#
            try await succeed([
                "invoke", "lamp", "0/group-key-management/key-set-write", "group-key-set=" + key + rest + others,
            ])
        }
        let keyless = try await shell.run("group add lights lamp/1 --json")
        #expect(keyless.status == 5, "\(keyless)")
        #expect(try keyless.error().text("hint")?.contains("--key-of") == true)
        #expect(try await remains() == [0, 0, 4, 1])
        // An endpoint that is not there.
        try await shell.succeed("invoke lamp 0/group-key-management/key-set-remove group-key-set-id=3")
        let absent = try await shell.run("group add lights lamp/1 lamp/9 --json")
        #expect(absent.status == 6, "\(absent)")
        #expect(try await remains() == [0, 0, 3, 1])
        let left = try await shell.succeed("group ls")
        #expect(left.stdout == "1\tlights\t-\n", "\(left)")
        _ = await device.stop()
    }

    @Test("a group or a key set of another administrator under our ids is left alone")
    func conflict() async throws {
        try await shell.succeed("group create lights")
        let map = #"[{"groupId":1,"groupKeySetID":77}]"#
        try await succeed(["write", "lamp", "0/group-key-management/group-key-map", map])
        let refused = try await shell.run("group add lights lamp/1 --json")
        #expect(refused.status == 5, "\(refused)")
        #expect(try refused.error().text("id") == "group.conflict")
        #expect(try await remains() == [1, 0, 1, 1])
        #expect(try await shell.succeed("group ls").stdout == "1\tlights\t-\n")
        _ = await device.stop()
    }

    @Test("a member that is gone is forgotten with its node, or with --offline; a node that is silent keeps the group")
    func gone() async throws {
        try await shell.succeed("group create lights")
        try await shell.succeed("group create hall")
        for group in ["lights", "hall"] { try await shell.succeed("group add \(group) lamp/1") }
        _ = await device.stop()
        let silent = try await shell.run("group delete lights --yes --timeout 2s --json")
        #expect(silent.status == 4, "\(silent)")
        #expect(try await shell.succeed("group ls").stdout == "1\tlights\tlamp/1\n2\thall\tlamp/1\n")
        #expect(try await shell.succeed("group delete lights --yes --offline").stdout == "1\tlamp\tforgotten\n")
        try await shell.succeed("node forget lamp --yes")
        #expect(try await shell.succeed("group ls").stdout == "2\thall\t-\n")
    }

    @Test("what no group has is wrong usage, and an unknown group is not found; nothing is sent")
    func refusals() async throws {
        try await shell.succeed("group create lights")
        for (words, status, id) in [
            ("on group:lights/1", 64, "usage.group-target"),
            ("on group:lights --address 127.0.0.1", 64, "usage.group-target"),
            ("invoke group:lights 1/on-off/toggle", 64, "usage.group-target"),
            ("invoke group:lights on-off/toggle --timed", 64, "usage.group-target"),
            ("invoke group:lights door-lock/lock-door", 64, "usage.group-target"),
            ("invoke group:lights on-off/nothing", 64, "data-model.unknown-command"),
            ("on group:hall", 3, "group.unknown"), ("group add hall lamp/1", 3, "group.unknown"),
            ("group add lights attic", 3, "node.unknown"), ("group create lights", 10, "group.exists"),
            ("group create a:b", 64, "name.invalid"), ("group create den --id 0", 64, "usage"),
            ("group create den --id 0xFF00", 64, "usage"),
        ] {
            let run = try await shell.run("\(words) --json")
            #expect(run.status == status && run.stdout.isEmpty, "\(words): \(run)")
            #expect(try run.error().text("id") == id, "\(words): \(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: shell.home + "/counters/group.json"))
        _ = await device.stop()
    }
}
