import Foundation
import Testing

/// The texts of errors, and their hints.
@Suite("Messages", .enabled(if: Laboratory.isHere), .waitingSlot) struct MessagesTests {
    @Test("an attestation that is refused is one sentence; the details are members, or lines with -v")
    func attestation() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        let words = ["commission", device.qrCode, "--address", device.address, "--progress", "none"]
        let text = try await matterctl.run(words)
        #expect(text.status == 7, "\(text)")
        #expect(
            text.messages.first
                == "error: attestation failed: its root authority 'CN=Development PAA' is not trusted (101); "
                + "the device has been told to forget this attempt")
        #expect(text.messages.count == 3 && text.messages[1].hasPrefix("why: expected a trusted authority"), "\(text)")
        #expect(text.messages.last?.contains("--allow-test-devices") == true)
        let error = try await matterctl.run(words + ["--json"]).error()
        let details = try #require(error["attestation"], "\(error)")
        #expect(details["code"]?.int == 101 && details["step"]?.string == "authority")
        #expect(details["soughtName"]?.string == "CN=Development PAA")
        #expect(details["pai"]?["issuer"]?.string == "CN=Development PAA" && details["paa"] == nil)
        #expect(details["dac"]?["subject"]?.string?.contains("VID=FFF1") == true)
        #expect(details["checks"]?.elements.contains { $0["outcome"]?.string == "failed" } == true)
        #expect(error["message"]?.string?.contains("VID=") == false)
        let verbose = try await matterctl.run(words + ["-v"])
        #expect(verbose.messages.contains { $0.contains("looked for") && $0.contains("key id") }, "\(verbose)")
    }

    @Test("with --address, another device may be at the address: nothing is to be forgotten")
    func anotherDevice() async throws {
        let matterctl = try MatterCtl()
        let (mine, other) = (
            try await VirtualDevice.start("on-off-light"), try await VirtualDevice.start("on-off-light")
        )
        defer {
            mine.stop()
            other.stop()
        }
        try await matterctl.commission(mine, ["--name", "fresh"])
        let outcome = try await matterctl.fail(4, "on", "fresh", "--address", other.address)
        #expect(outcome.messages.last?.contains("without --address") == true, "\(outcome)")
        #expect(!outcome.stderr.contains("forget") && outcome.stderr.contains("node 'fresh'"), "\(outcome)")
    }

    @Test("what is read-only names the command that changes it; one node has one name, as it was given")
    func readOnly() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "my lamp"])
        let cases: [([String], String)] = [
            (["1/on-off/on-off", "true"], "on-off is read-only; use: matterctl on 'my lamp/1'"),
            (["1/on-off/on-off", "false"], "on-off is read-only; use: matterctl off 'my lamp/1'"),
            (
                ["1/level-control/current-level", "50%"],
                "current-level is read-only; use: matterctl level 'my lamp/1' 50%"
            ),
            (
                ["0/basic-information/vendor-name", "x"],
                "vendor-name is read-only; see what changes it: matterctl clusters basic-information"
            ),
        ]
        for (words, hint) in cases {
            let outcome = try await matterctl.run(["write", "my lamp"] + words)
            #expect(outcome.status == 5 && outcome.messages.last == "hint: \(hint)", "\(outcome)")
            #expect(outcome.stderr.contains("error: node 'my lamp' answered the write of \(words[0]) with"))
        }
        let read = try await matterctl.fail(6, "read", "my lamp", "1/on-off/4711")
        #expect(read.stderr.contains("error: node 'my lamp' answered 1/on-off/4711 with"), "\(read)")
        let nothing = try await matterctl.fail(6, "read", "1", "*/thermostat/local-temperature")
        #expect(nothing.stderr.contains("node 1 has nothing that matches the path"), "\(nothing)")
        let some = try await matterctl.succeed("read", "my lamp", "1/on-off/on-off", "1/on-off/4711")
        #expect(some.messages == ["warning: 1/on-off/4711: UNSUPPORTED_ATTRIBUTE"], "\(some)")
    }

    @Test("a status has a hint: a wrong type, a failure without a reason")
    func statuses() async throws {
        let (device, matterctl) = (try await VirtualDevice.start("door-lock,on-off-light"), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "door"])
        let failure = try await matterctl.fail(5, "invoke", "door", "1/door-lock/unlock-door", "pin-code=text:9999")
        #expect(
            failure.stderr.contains(
                "FAILURE\nhint: the bolt is jammed, or the lock does not know this PIN code; see its codes: matterctl door-lock codes door"
            ),
            "\(failure)")
        let file = matterctl.folder.file("wrong.json")
        let definition =
            #"{"clusters":[{"id":6,"name":"OnOff","attributes":[{"id":16385,"name":"OnTime","type":"string","writable":true}]}]}"#
        try Data(definition.utf8).write(to: file)
        let type = try await matterctl.fail(5, "write", "door", "2/6/16385", "abc", "--cluster-defs", file.path)
        #expect(type.stderr.contains("INVALID_DATA_TYPE\nhint: the device needs a value of another type"), "\(type)")
    }

    @Test("a node that is gone: what can be done comes behind the error")
    func gone() async throws {
        let (device, matterctl) = (try await VirtualDevice.start("on-off-light"), try MatterCtl())
        try await matterctl.commission(device, ["--name", "gone"])
        await device.end(SIGKILL)
        let outcome = try await matterctl.fail(
            4, "node", "remove", "gone", "--yes", "--address", device.address, "--timeout", "3s")
        #expect(outcome.messages.count == 2 && outcome.messages.first?.hasPrefix("error: ") == true, "\(outcome)")
        #expect(
            outcome.messages.last?.hasSuffix("; if it is gone for good: matterctl node remove --offline gone") == true,
            "\(outcome)")
    }

    @Test("an interruption after the device has become a node: 0, and what was not read is said")
    func interruptedInPost() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["mute:read:3"]), try MatterCtl())
        defer { device.stop() }
        let child = try matterctl.start(matterctl.words(device, ["--progress", "json"]))
        try await eventually("the description to be read: \(child.stderr)") {
            child.stderr.contains(#""stage":"post","state":"started""#)
        }
        child.signal(SIGINT)
        #expect(await child.status() == 0, "\(child.stderr)")
        #expect(child.stdout == "1\n")
        #expect(
            child.stderr.contains("warning: commissioned as node 1; its description was not read"), "\(child.stderr)")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        try await matterctl.succeed("on", "1", "--address", device.address)
    }

    @Test("a node cannot be called '-', which stands for no name")
    func noName() async throws {
        let matterctl = try MatterCtl()
        let (device, other) = (
            try await VirtualDevice.start("on-off-light"), try await VirtualDevice.start("on-off-light")
        )
        defer {
            device.stop()
            other.stop()
        }
        try await matterctl.commission(device)
        try await matterctl.fail(64, "node", "rename", "1", "--", "-")
        let outcome = try await matterctl.run(matterctl.words(other, ["--name=-"]))
        #expect(outcome.status == 64 && outcome.stderr.contains("name"), "\(outcome)")
        #expect(try await matterctl.succeed("node", "ls").result.split(separator: "\t")[1] == "-")
    }
}
