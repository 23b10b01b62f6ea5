import Foundation
import Testing

@Suite("Controlling a light", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ControlTests {
    @Test("on, off, toggle and level do what they say and print nothing")
    func verbs() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        for (words, line) in [
            (["on", "kitchen"], "light on"), (["off", "1"], "light off"), (["toggle", "0x1"], "light on"),
            (["toggle", "kitchen/1"], "light off"), (["level", "kitchen", "50%"], "level 127"),
            (["level", "kitchen", "1"], "level 1"), (["level", "kitchen", "0.1%"], "level 1"),
            (["level", "kitchen", "100%"], "level 254"), (["level", "kitchen", "0"], "level 0"),
            (["level", "kitchen", "7", "--no-on-off", "--transition", "2s"], "level 7"),
        ] {
            let outcome = try await matterctl.run(words)
            #expect(outcome.status == 0 && outcome.stdout.isEmpty && outcome.stderr.isEmpty, "\(outcome)")
            #expect(light.lines.last == line, "\(words): \(light.lines)")
        }
        #expect(light.switchings == 4)
    }

    @Test("--verify reads back; -v says on stderr what happened")
    func verify() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        #expect(try await scene.matterctl.succeed("on", "kitchen", "--verify").stdout == "true\n")
        #expect(try await scene.matterctl.succeed("level", "kitchen", "50%", "--verify").stdout == "127\n")
        let verified = try await scene.matterctl.succeed("off", "kitchen", "--verify", "--json").json()
        #expect(verified["value"]?.bool == false && verified["attribute"]?.string == "OnOff")
        #expect(verified["on"] == nil, "that is for levels")
        #expect(try await scene.matterctl.succeed("off", "kitchen", "--verify").stdout == "false\n")
        let outcome = try await scene.matterctl.succeed("on", "kitchen", "-v")
        #expect(outcome.stdout.isEmpty && !outcome.stderr.isEmpty)
    }

    @Test("reading one attribute prints its bare value")
    func readOne() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        try await matterctl.succeed("on", "kitchen")
        for path in ["1/onoff/onoff", "1/OnOff/OnOff", "1/on-off/on-off", "1/6/0", "0x1/0x0006/0x0000"] {
            #expect(try await matterctl.succeed("read", "kitchen", path).stdout == "true\n")
        }
        try await matterctl.succeed("level", "kitchen", "50%")
        #expect(try await matterctl.succeed("read", "1", "1/level-control/current-level").stdout == "127\n")
        #expect(try await matterctl.succeed("read", "1", "1/level-control/on-level").stdout == "null\n")
        #expect(try await matterctl.succeed("read", "1", "0/basic-information/vendor-id").result == "65524")
    }

    @Test("the JSON of one attribute, of several and of one that is not there")
    func readJSON() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        try await matterctl.succeed("on", "kitchen")
        let onOff = """
            {"attribute":"OnOff","attributeId":0,"cluster":"OnOff","clusterId":6,"dataVersion":"<number>","endpoint":1,\
            "name":"kitchen","node":1,"value":true}
            """
        let one = try await matterctl.succeed("read", "kitchen", "1/onoff/onoff", "--json").json()
        #expect(one.masking(["dataVersion"]).description == onOff)
        let missing = """
            {"attribute":"OnOff","attributeId":0,"cluster":"OnOff","clusterId":6,"endpoint":9,"name":"kitchen","node":1,\
            "status":"UNSUPPORTED_ENDPOINT","statusCode":127}
            """
        let both = try await matterctl.succeed("read", "kitchen", "9/onoff/onoff", "1/onoff/onoff", "--json").json()
        #expect(both.masking(["dataVersion", "clusterStatus"]).elements.count == 2)
        #expect(both[0].map { without($0, "clusterStatus") }?.description == missing)
        #expect(both[1]?.masking(["dataVersion"]).description == onOff)
        let none = try await matterctl("read", "kitchen", "9/onoff/onoff", "--json")
        #expect(none.status == 6, "\(none)")
        #expect(without(try none.json(), "clusterStatus").description == missing)
        #expect(try none.error()["exitCode"]?.int == 6)
    }

    private func without(_ json: JSON, _ name: String) -> JSON {
        guard case .object(let members) = json.value else { return json }
        return JSON(.object(members.filter { $0.key != name }))
    }

    @Test("enums and bitmaps by name, with --numeric as numbers; octet strings as hex")
    func kinds() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        let place = "0/general-commissioning/regulatory-config"
        #expect(try await matterctl.succeed("read", "kitchen", place).result == "IndoorOutdoor")
        #expect(try await matterctl.succeed("read", "kitchen", place, "--numeric").result == "2")
        let features = "0/network-commissioning/feature-map"
        let names = try await matterctl.succeed("read", "kitchen", features, "--json").json()
        #expect(names["value"]?.elements.isEmpty == false, "\(names)")
        let number = try await matterctl.succeed("read", "kitchen", features, "--json", "--numeric").json()
        #expect(number["value"]?.int == 1, "\(number)")
        let roots = try await matterctl.succeed("read", "kitchen", "0/62/trusted-root-certificates", "--json").json()
        #expect(roots["value"]?[0]?.string?.hasPrefix("hex:1530") == true, "\(roots)")
    }

    @Test("several paths print a line each, in request order; one failure among them is no failure unless strict")
    func readSeveral() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let paths = ["1/level-control/max-level", "9/on-off/on-off", "1/on-off/on-off"]
        let outcome = try await scene.matterctl.run(["read", "kitchen"] + paths)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.stdout == "1/level-control/max-level\t254\n1/on-off/on-off\tfalse\n")
        #expect(outcome.stderr.contains("9/on-off/on-off") && outcome.stderr.contains("UNSUPPORTED_ENDPOINT"))
        let strict = try await scene.matterctl.run(["read", "kitchen", "--strict"] + paths)
        #expect(strict.status == 6, "\(strict)")
    }

    @Test("wildcards: a whole cluster, an attribute everywhere, everything in several messages")
    func wildcards() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        let cluster = try await matterctl.succeed("read", "kitchen", "1/onoff", "--json").json().elements
        let attributes = cluster.compactMap { $0["attributeId"]?.int }
        #expect(attributes.contains(0xFFFD))
        #expect(cluster.allSatisfy { $0["clusterId"]?.int == 6 && $0["endpoint"]?.int == 1 })
        let revisions = try await matterctl.succeed("read", "kitchen", "*/*/cluster-revision").stdout
        #expect(revisions.contains("1/on-off/cluster-revision\t"), "\(revisions)")
        let all = try await matterctl.succeed("read", "kitchen", "*/*/*", "--json").json().elements
        #expect(all.count > 100, "\(all.count)")
        let keys = Set(
            all.map { "\($0["endpoint"]?.int ?? -1)/\($0["clusterId"]?.int ?? -1)/\($0["attributeId"]?.int ?? -1)" })
        // CircuitMatter has a cluster twice on the root endpoint.
        #expect(keys.count > 100)
        #expect(all.allSatisfy { $0["value"] != nil || $0["status"] != nil })
        let parts = all.first { $0["attribute"]?.string == "PartsList" && $0["endpoint"]?.int == 0 }
        #expect(parts?["value"]?.description == "[1]")
    }

    @Test("writing: a text, a null, a number by name and from a file; the value is there afterwards")
    func write() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        let label = "0/basic-information/node-label"
        #expect(try await matterctl.succeed("write", "kitchen", label, "Küche 1").stdout.isEmpty)
        #expect(try await matterctl.succeed("read", "kitchen", label).result == "Küche 1")
        let json = try await matterctl.succeed("write", "kitchen", label, "Kitchen", "--json").json()
        #expect(
            without(json, "clusterStatus").description == """
                {"attribute":"NodeLabel","attributeId":5,"cluster":"BasicInformation","clusterId":40,"endpoint":0,"name":"kitchen","node":1,\
                "status":"SUCCESS","statusCode":0}
                """)
        let file = matterctl.folder.file("value")
        try Data("1.7s".utf8).write(to: file)
        try await matterctl.succeed("write", "kitchen", "1/on-off/on-time", "@\(file.path)")
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-time").result == "17")
        try await matterctl.succeed("write", "kitchen", "1/level-control/on-level", "null")
        #expect(try await matterctl.succeed("read", "kitchen", "1/level-control/on-level").result == "null")
    }

    @Test("writing a list replaces it")
    func writeList() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let list = #"[{"label":"room","value":"north"},{"label":"floor","value":"2"}]"#
        let outcome = try await scene.matterctl("write", "kitchen", "1/user-label/label-list", list)
        #expect(outcome.status == 0, "\(outcome)")
        let read = try await scene.matterctl.succeed("read", "kitchen", "1/user-label/label-list", "--json").json()
        #expect(read["value"]?.elements.count == 2, "\(read)")
        #expect(read["value"]?[1]?["label"]?.string == "floor", "\(read)")
    }

    @Test("invoking by name, by number, with words, with JSON, and with an answer")
    func invoke() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let done = try await matterctl.succeed(
            "invoke", "kitchen", "1/level-control/move-to-level", "level=127", "transition-time=10", "--json")
        #expect(
            try done.json().description == """
                {"cluster":"LevelControl","clusterId":8,"command":"MoveToLevel","commandId":0,"endpoint":1,"name":"kitchen","node":1,\
                "status":"SUCCESS","statusCode":0}
                """)
        #expect(light.lines.last == "level 127")
        #expect(
            try await matterctl.succeed("invoke", "kitchen", "1/8/4", "level=50%", "transition-time=null").stdout
                .isEmpty)
        #expect(light.lines.last == "level 127")
        let file = matterctl.folder.file("fields.json")
        try Data(#"{"level":3,"transitionTime":null,"optionsMask":0,"optionsOverride":0}"#.utf8).write(to: file)
        try await matterctl.succeed("invoke", "kitchen", "1/level-control/move-to-level", "--json-fields", file.path)
        #expect(light.lines.last == "level 3")
        let answer = try await matterctl.succeed(
            "invoke", "kitchen", "0/general-commissioning/arm-fail-safe", "expiry-length-seconds=0", "breadcrumb=0",
            "--json")
        #expect(
            try answer.json().description == """
                {"cluster":"GeneralCommissioning","clusterId":48,"command":"ArmFailSafe","commandId":0,"endpoint":0,\
                "name":"kitchen","node":1,"response":{"debugText":"","errorCode":"OK"}}
                """)
        let text = try await matterctl.succeed(
            "invoke", "kitchen", "0/general-commissioning/arm-fail-safe", "expiry-length-seconds=0", "breadcrumb=0")
        #expect(text.stdout.contains("errorCode\tOK\n"), "\(text)")
    }

    @Test("a command that the device wants timed is repeated once as timed")
    func timed() async throws {
        let scene = try await Scene.commissioned(named: "kitchen", "--needs-timed")
        defer { scene.end() }
        try await scene.matterctl.succeed("toggle", "kitchen")
        try await scene.matterctl.succeed("invoke", "kitchen", "1/on-off/toggle", "--timed")
        #expect(scene.light.switchings == 2)
    }

    @Test("ping tells the address, the session and the times")
    func ping() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let json = try await scene.matterctl.succeed("ping", "kitchen", "--count", "3", "--json").json()
        #expect(
            json.masking(["sessionMs", "address", "session"]).masking(["ms"]).description == """
                {"address":"<string>","ms":"<array>","name":"kitchen","node":1,"session":"<string>","sessionMs":"<number>"}
                """)
        #expect(json["ms"]?.elements.count == 3)
        #expect(json["address"]?.string == scene.light.address)
        let text = try await scene.matterctl.succeed("ping", "kitchen", "--count", "2").stdout
        #expect(text.split(separator: "\n").count == 2 && text.contains(scene.light.address))
    }

    @Test("discover lists what can be commissioned, and only that")
    func discover() async throws {
        let scene = try await Scene.commissioned()
        let open = try await Light.start()
        defer {
            scene.end()
            open.stop()
        }
        let outcome = try await scene.matterctl.succeed("discover", "--json")
        let devices = try outcome.json().elements
        let mine = try #require(devices.first { $0["port"]?.int == open.port }, "\(outcome)")
        #expect(
            mine.masking(["instance", "host", "addresses", "discriminator", "port"]).description == """
                {"addresses":"<array>","commissioningMode":1,"discriminator":"<number>","host":"<string>",\
                "instance":"<string>","pairingHint":33,"pairingInstruction":"","port":"<number>","productId":4660,\
                "vendorId":65524}
                """)
        #expect(mine["discriminator"]?.int == open.discriminator)
        #expect(mine["addresses"]?.elements.contains(JSON(.string(open.address))) == true)
        #expect(!devices.contains { $0["port"]?.int == scene.light.port }, "it is commissioned: \(outcome)")
        let text = try await scene.matterctl.succeed("discover", "--discriminator", "\(open.discriminator)").stdout
        #expect(text.contains("\t\(open.discriminator)\t65524\t4660\t"), "\(text)")
    }

    @Test("discover with nothing to find succeeds with nothing")
    func discoverNothing() async throws {
        let outcome = try await MatterCtl().succeed("discover", "--discriminator", "4093", "--json")
        #expect(outcome.stdout == "[]\n")
        #expect(try await MatterCtl().succeed("discover", "--discriminator", "4093").stdout.isEmpty)
    }

    @Test("discover --watch tells what comes and goes until it is stopped")
    func watch() async throws {
        let matterctl = try MatterCtl()
        let watching = try matterctl.start(["discover", "--watch", "--json"])
        let light = try await Light.start()
        try await eventually("the light to be seen: \(watching.stdout)\(watching.stderr)") {
            watching.stdout.contains(#""port":\#(light.port)"#)
        }
        let lines = try watching.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        let found = try #require(lines.first { $0["port"]?.int == light.port })
        #expect(found["change"]?.string == "found")
        let instance = try #require(found["instance"]?.string)
        light.stop()
        try await eventually("the light to be missed: \(watching.stdout)\(watching.stderr)") {
            watching.stdout.contains(#"{"change":"lost","instance":"\#(instance)"}"#)
        }
        watching.signal(SIGINT)
        let status = await watching.status()
        #expect(status == 0 && watching.stderr.isEmpty, "that is how it ends: \(status) \(watching.stderr)")
        // The set-up has its own time.
        let timed = try await matterctl.succeed("discover", "--watch", "--timeout", "1s", "--for", "3s")
        #expect(timed.duration > .seconds(3), "\(timed)")
    }

    @Test("a light that was switched off and on again obeys at once, on the session that follows")
    func restart() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        // It does not say how often it was started. So a toggle could not prove that it did not run on the kept session.
        for (verb, options) in [("toggle", ["--no-keep"]), ("toggle", ["--no-keep"]), ("on", []), ("off", [])] {
            let outcome = try await scene.matterctl.run([verb, "kitchen"] + options)
            #expect(outcome.status == 0, "\(outcome)")
            try await scene.light.restart()
        }
        #expect(try await scene.matterctl.succeed("read", "kitchen", "1/onoff/onoff").status == 0)
        #expect(scene.light.switchings >= 3)
    }

    @Test("ten toggles at once are ten state changes")
    func tenAtOnce() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        let outcomes = try await withThrowingTaskGroup(of: MatterCtl.Outcome.self) { group in
            for _ in 0..<10 { group.addTask { try await matterctl("toggle", "kitchen") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes { #expect(outcome.status == 0 && outcome.stdout.isEmpty, "\(outcome)") }
        #expect(scene.light.switchings == 10, "\(scene.light.lines)")
        #expect(try await matterctl.succeed("read", "kitchen", "1/onoff/onoff").stdout == "false\n")
    }

    @Test("a state directory that cannot be written keeps no light from being switched")
    func readOnlyState() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        // Root may write anywhere: a file stands where the folder should be.
        let sessions = scene.matterctl.home.appendingPathComponent("fabrics/home/sessions")
        try FileManager.default.removeItem(at: sessions)
        try Data().write(to: sessions)
        try await scene.matterctl.succeed("toggle", "kitchen")
        #expect(scene.light.switchings == 1)
    }

    @Test("two lights on one endpoint each: the right one obeys; an endpoint that is named is taken")
    func twoLights() async throws {
        let scene = try await Scene.commissioned(named: "kitchen", "--lights", "2")
        defer { scene.end() }
        let error = try await scene.matterctl.fail(64, "on", "kitchen", "--json").error()
        #expect(error["id"]?.string == "node.ambiguous-endpoint")
        #expect(error["message"]?.string?.contains("1, 2") == true)
        #expect(error["hint"]?.string?.contains("kitchen/1") == true)
        try await scene.matterctl.succeed("on", "kitchen/2")
        #expect(scene.light.lines.last == "light2 on")
        #expect(scene.light.switchings == 0)
    }
}
