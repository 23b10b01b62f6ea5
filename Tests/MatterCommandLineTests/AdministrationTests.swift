import JSON
import MatterCommandLine
import TestSupport
import Testing

@Suite("Administration of fabrics and nodes", .fewAtATime) struct AdministrationTests {
    @Test("fabric create, ls, use, show and remove: lines and objects have the same facts")
    func fabrics() async throws {
        let shell = try Shell()
        let empty = try await shell.run("fabric show --json")
        #expect(empty.status == 3)
        #expect(try empty.error().text("id") == "fabric.none")
        #expect(
            try empty.error().text("hint")?.hasSuffix("creates a fabric, or run: matterctl fabric create NAME") == true)
        #expect(try await shell.succeed("fabric create lab").stdout.isEmpty)
        let den = try await shell.succeed(
            "fabric create den --vendor-id 0x1234 --fabric-id 0xA0B0 --intermediate --json"
        )
        .json()
        #expect(den["fabricId"] == "000000000000A0B0" && den["vendorId"] == .uint(0x1234) && den["icac"] != nil)
        #expect(den["inUse"] == nil && den["issuer"] == "local" && den["nodeIds"] == "sequential")
        let lines = try await shell.succeed("fabric show den").stdout.split(separator: "\n")
        #expect(lines.first == "name\tden" && lines.contains("fabric id\t000000000000A0B0"))
        #expect(
            lines.map { $0.split(separator: "\t")[0] } == [
                "name", "fabric id", "compressed fabric id", "vendor id", "own node id", "ids of new nodes", "issuer",
                "root", "intermediate", "node certificate", "identity key", "own certificate", "authority",
                "last backup",
            ])
        try await shell.succeed("fabric use den")
        let list = try #require(try await shell.succeed("fabric list --json").json().arrayValue)
        #expect(list.map { $0["name"]?.stringValue } == ["den", "lab"])
        #expect(list.map { $0["inUse"]?.boolValue } == [true, false])
        #expect(
            try await shell.succeed("fabric ls").stdout.split(separator: "\n").map { $0.split(separator: "\t")[3] }
                == ["yes", "-"])
        let asked = try await shell.run("fabric remove lab --json")
        #expect(asked.status == 64)
        #expect(try asked.error().text("id") == "usage.confirmation-needed")
        try await shell.succeed("fabric remove lab --yes")
        #expect(try await shell.run("fabric show lab").status == 3)
        #expect(try await shell.run("fabric create den").status == 10)
        #expect(try await shell.run("fabric create a/b").messages.first?.hasPrefix("error: ") == true)
    }

    @Test("a question is answered on a terminal only; a no changes nothing")
    func questions() async throws {
        let shell = try Shell(terminals: [.input, .error])
        try await shell.succeed("fabric create lab")
        let no = try await shell.run("fabric remove lab", input: "n\n")
        #expect(no.status == 64 && no.stderr.hasPrefix("Remove the fabric 'lab' with its keys? [y/N] "), "\(no)")
        #expect(try await shell.run("fabric remove lab", input: "").status == 64)
        try await shell.succeed("fabric remove lab", input: "Yes\n")
        #expect(try await shell.succeed("fabric ls").stdout.isEmpty)
    }

    @Test("no node: an empty list, and 3 for each command that names one")
    func unknownNodes() async throws {
        let shell = try Shell()
        #expect(try await shell.succeed("node ls").stdout.isEmpty)
        try await shell.succeed("fabric create home")
        #expect(try await shell.succeed("node ls --json").stdout == "[]\n")
        for words in [
            "node show lamp", "node rename lamp kitchen", "node forget lamp --yes", "node remove lamp --yes", "on lamp",
            "off lamp/2", "toggle 7", "level lamp 5", "read lamp 1/6/0", "write lamp 1/6/0 true", "invoke lamp 1/6/2",
            "ping lamp", "acl ls lamp", "bench toggle lamp",
        ] {
            let run = try await shell.run(words + " --json")
            #expect(run.status == 3 && run.stdout.isEmpty, "\(words): \(run)")
            #expect(try run.error().text("id") == "node.unknown", "\(words)")
            #expect(try run.error().text("hint") == "commission a device first: matterctl commission CODE", "\(words)")
        }
    }

    @Test("a wrong name, path or value is noticed before anything is sent: 64")
    func names() async throws {
        let shell = try Shell()
        let device = try shell.start("simulate dimmable-light --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
        _ = await device.stop()
        for (words, id) in [
            ("read lamp 1/onof", "data-model.unknown-cluster"),
            ("read lamp 1/on-off/zzz", "data-model.unknown-attribute"),
            ("read lamp 1", "data-model.malformed-path"), ("write lamp 1/6/* 1", "usage.wildcard"),
            ("write lamp 1/8/on-level zzz", "data-model.wrong-type"),
            ("invoke lamp 1/6/*", "data-model.malformed-path"),
            ("invoke lamp 1/level-control/move zzz=1", "data-model.unknown-field"),
            ("invoke lamp 1/6/2 --json-fields /nowhere", "usage.file"),
            ("write lamp 0/access-control/acl []", "acl.lockout"),
            ("commission 34970112333", "payload.check-digit"),
            ("commission 34970112332 --trust /nowhere", "attestation.unreadable-trust"),
            ("on lamp --address [::1", "transport.invalid-address"), ("on lamp --log-file /no/where", "usage.log-file"),
        ] {
            let run = try await shell.run(words + " --json")
            #expect(run.status == 64, "\(words): \(run)")
            #expect(try run.error().text("id") == id, "\(words): \(run)")
        }
    }

    @Test("a fabric is imported from files of other programs; a file that does not fit is named: 64")
    func imports() async throws {
        let shell = try Shell()
        let (bad, key) = (try shell.file("bad.pem", "nonsense"), try shell.file("key", "00"))
        let run = try await shell.run("fabric import old --rcac \(bad) --noc \(bad) --key @\(key) --ipk @\(key) --json")
        #expect(run.status == 64)
        #expect(try run.error().text("message")?.hasPrefix("\(bad): ") == true)
        let missing = try await shell.run("fabric import old --rcac - --noc a --key @b --ipk @c --json")
        #expect(missing.status == 64, "\(missing)")
    }
}
