import Foundation
import FoundationEssentials
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Several writes, commands, attributes and events in one command, with a virtual device in this process.
@Suite("Several at once", .fewAtATime) struct ManyAtOnceTests {
    private let shell: Shell
    private let device: Background

    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate dimmable-light,on-off-light,on-off-switch --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
    }

    @Test("several writes are one request; each has its status, and the first failure is the exit code")
    func writes() async throws {
        let both = try await shell.run(
            ["write", "lamp", "0/basic-information/node-label", "Hall = light", "1/level-control/on-level=50%"])
        #expect(both.status == 0 && both.stdout.isEmpty, "\(both)")
        #expect(
            try await shell.succeed("read lamp 0/basic-information/node-label 1/level-control/on-level").stdout
                == "0/basic-information/node-label\tHall = light\n1/level-control/on-level\t127\n")
        let mixed = try await shell.run(
            "write lamp 0/5/1=x 1/8/17 5% 9/6/0x4003 on --json".replacingOccurrences(of: "0/5/1", with: "0/40/1"))
        #expect(mixed.status == 5)
        #expect(
            try mixed.json().arrayValue?.map { $0["status"]?.stringValue }
                == ["UNSUPPORTED_WRITE", "SUCCESS", "UNSUPPORTED_ENDPOINT"], "\(mixed)")
        #expect(try mixed.error().text("message")?.contains("0/basic-information/vendor-name") == true, "\(mixed)")
        let text = try await shell.run("write lamp 0/40/1=x 9/6/0x4003 on")
        #expect(
            text.messages.first == "warning: 9/on-off/start-up-on-off: UNSUPPORTED_ENDPOINT" && text.status == 5,
            "\(text)")
        for (words, message) in [
            ("write lamp 1/8/17", "missing expected argument: the value for 1/8/17"),
            ("write lamp 1/8/17=1 1/8/16 1 --data-version 3", "--data-version is for one attribute"),
            ("write lamp 1/8/17=1% 1/8/17=2%", "a write that sets an attribute twice"),
        ] {
            let run = try await shell.run(words + " --json")
            #expect(try run.status == 64 && run.error().text("message") == message, "\(words): \(run)")
        }
    }

    @Test("a list that no message holds is written in pieces, whole; the old entries are gone")
    func longList() async throws {
        let label = #"{"label":"0123456789ABCDEF","value":"0123456789abcdef"}"#
        let short = "[\(label)]"
        let list = "[" + Array(repeating: label, count: 16).joined(separator: ",") + "]"
        for value in [list, short, list] {
            let run = try await shell.run(["write", "lamp", "0/user-label/label-list", value])
            #expect(run.status == 0, "\(run)")
            #expect(try await shell.succeed("read lamp 0/user-label/label-list").stdout == value + "\n")
        }
        let targets = (0..<10).map { #"{"node":"\#(9_007_199_254_740_993 + $0)","endpoint":\#($0),"cluster":6}"# }
        let words = [
            "write", "lamp", "0/user-label/label-list", list,
            "3/binding/binding=[" + targets.joined(separator: ",") + "]",
        ]
        let rehearsed = try await shell.run(words + ["--dry-run", "--json"])
        let messages = try #require(try rehearsed.json()["messages"]?.arrayValue)
        #expect(messages.count > 1 && messages.allSatisfy { $0["message"] == "WriteRequest" }, "\(messages)")
        #expect(try await shell.run(words).status == 0)
        let both = try await shell.succeed("read lamp 0/user-label/label-list 3/binding/binding --json").json()
            .arrayValue
        #expect(both?.map { $0["value"]?.arrayValue?.count } == [16, 10], "\(both ?? [])")
    }

    @Test("several commands go into one message, with a result each; a device may take them one by one")
    func commands() async throws {
        let words = "invoke lamp 1/on-off/on 1/level-control/move-to-level level=77 transition-time=0 2/on-off/toggle"
        let run = try await shell.succeed(words)
        #expect(run.stdout.isEmpty)
        #expect(
            try await shell.succeed("read lamp 1/8/0 1/6/0 2/6/0 --json").json().arrayValue?.map { $0["value"] } == [
                77, true, true,
            ])
        try await shell.succeed(words + " --one-by-one")
        #expect(try await shell.succeed("read lamp 2/6/0").stdout == "false\n")
        let mixed = try await shell.run(
            "invoke lamp 1/on-off/toggle 0/general-diagnostics/time-snapshot 9/on-off/on 1/on-off/toggle --json")
        #expect(mixed.status == 6)
        let results = try #require(try mixed.json().arrayValue)
        #expect(results.map { $0["status"]?.stringValue } == ["SUCCESS", nil, "UNSUPPORTED_ENDPOINT", "SUCCESS"])
        #expect(results.first { $0["command"] == "TimeSnapshot" }?["response"]?["systemTimeMs"] != nil, "\(results)")
        #expect(try mixed.error().text("status") == "UNSUPPORTED_ENDPOINT")
        let text = try await shell.run("invoke lamp 0/general-diagnostics/time-snapshot 1/6/1")
        #expect(text.stdout.hasPrefix("0/general-diagnostics/time-snapshot\tsystemTimeMs\t"), "\(text)")
        #expect(try await shell.run("invoke lamp 1/6/1 2/nothing/on").status == 64)
        let log = await device.stop().stdout
        #expect(log.components(separatedBy: "command 1/on-off/toggle SUCCESS").count == 3, "\(log)")
    }

    @Test("a cluster that still has the given data version is not read again, and that is said")
    func unchanged() async throws {
        let first = try await shell.succeed("read lamp 1/on-off/on-off --json").json()
        let version = try #require(first["dataVersion"]?.integer(as: UInt32.self))
        let same = try await shell.succeed("read lamp 1/on-off --data-version \(version) --json").json()
        #expect(
            same["unchanged"] == true && same["cluster"] == "OnOff" && same["dataVersion"] == .uint(UInt64(version)))
        let text = try await shell.succeed("read lamp 1/6/0 --data-version \(version)")
        #expect(text.stdout.isEmpty && text.messages == ["unchanged: 1/on-off still has the data version \(version)"])
        try await shell.succeed("toggle lamp/1")
        #expect(try await shell.succeed("read lamp 1/6/0 --data-version \(version)").stdout == "true\n")
        for paths in ["1/6/0 1/8/0", "'*'/6/0".replacingOccurrences(of: "'", with: ""), "1/*/0xFFFD"] {
            let run = try await shell.run("read lamp \(paths) --data-version 1 --json")
            #expect(try run.status == 64 && run.error().text("id") == "usage.data-version", "\(run)")
        }
    }

    @Test("events stand beside attributes")
    func events() async throws {
        let list = try await shell.succeed(
            "read lamp 1/6/0 --events 0/basic-information/start-up --events 0/general-diagnostics/* --json")
        let entries = try #require(try list.json().arrayValue)
        #expect(entries.first?["value"] == false && entries.count == 3, "\(list)")
        #expect(entries.last { $0["event"] == "StartUp" }?["fields"]?["softwareVersion"] == 1, "\(list)")
        let text = try await shell.succeed("read lamp 1/6/0 --event 0/basic-information/start-up").stdout
        #expect(
            text.firstMatch(
                of: /^1\/on-off\/on-off\tfalse\n20\S+\t0\/basic-information\/start-up\t{"softwareVersion":1}\n$/)
                != nil, "\(text)")
        let alone = try await shell.succeed("read lamp --events 0/basic-information/start-up --json").json()
        #expect(alone.arrayValue?.count == 1)
        #expect(try await shell.run("read lamp --events 9/basic-information/start-up").status == 6)
        #expect(try await shell.succeed("read lamp --json").json().arrayValue?.count ?? 0 > 100)
    }

    @Test("a dry run shows fields and bytes, and needs no device")
    func rehearsal() async throws {
        _ = await device.stop()
        let on = try await shell.succeed("on lamp/1 --dry-run").stdout
        #expect(
            on == "1/on-off/on\t{}\nInvokeRequest\t1528002801360215370024000124010624020118350118181824ff0c18\n",
            "\(on)")
        let level = try await shell.succeed("level lamp/1 50% --dry-run --json").json()
        #expect(level["dryRun"] == true && level["commands"]?.arrayValue?.first?["fields"]?["level"] == 127, "\(level)")
        let timed = try await shell.succeed("invoke lamp 1/6/1 2/6/2 --timed --dry-run --json").json()
        let messages = try #require(timed["messages"]?.arrayValue)
        #expect(messages.map { $0["message"] } == ["TimedRequest", "InvokeRequest"], "\(timed)")
        #expect(messages.first?["payload"] == "hex:152500102724FF0C18")
        let alone = try await shell.succeed("invoke lamp 1/6/1 2/6/2 --one-by-one --dry-run").stdout
        #expect(alone.components(separatedBy: "InvokeRequest\t").count == 3, "\(alone)")
        let write = try await shell.succeed("write lamp 1/8/17=50% 0/40/5 Hall --dry-run").stdout.split(separator: "\n")
        #expect(
            write.prefix(2) == ["1/level-control/on-level\t127", "0/basic-information/node-label\tHall"], "\(write)")
        #expect(write.count == 3 && write[2].hasPrefix("WriteRequest\t15280028013602"), "\(write)")
        let payload = try #require(write.last?.split(separator: "\t").last)
        #expect(try await shell.succeed("tlv \(payload)").stdout.contains("Hall"))
        #expect(try await shell.run("write lamp 0/access-control/acl [] --dry-run").status == 64)
        #expect(try await shell.run("on lamp/1 --dry-run --address nowhere.invalid").status == 64)
        #expect(try await shell.run("on attic --dry-run").status == 3)
        try await shell.succeed("group create lights")
        let group = try await shell.succeed("invoke group:lights on-off/on --dry-run").stdout
        #expect(
            group == "*/on-off/on\t{}\nInvokeRequest\t152900280136021537002401062402011835011818" + "1824ff0c18\n",
            "\(group)")
        #expect(try await shell.succeed("on group:lights --dry-run").stdout == group)
        let object = try await shell.succeed("on group:lights --dry-run --json").json()["commands"]?.arrayValue?.first
        #expect(object?["name"] == "lights" && object?["command"] == "On", "\(group)")
    }
}
