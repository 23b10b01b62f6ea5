import JSON
import MatterCommandLine
import TestSupport
import Testing

/// The verbs for valves, vacuum cleaners, players, meters, buttons and scenes, with virtual devices in this process.
@Suite("Appliances", .fewAtATime) struct ApplianceCommandTests {
    private let shell: Shell
    private let terminal: Shell

    init() throws {
        shell = try Shell()
        terminal = try Shell(terminals: [.output])
    }

    private func commission(_ types: String, named name: String = "it") async throws -> Background {
        let device = try shell.start("simulate \(types) --port 0 --mdns none", isTyped: true)
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name \(name) --timeout 60s")
        return device
    }

    private func quiet(_ words: String) async throws {
        let run = try await shell.succeed(words)
        #expect(run.stdout.isEmpty && run.stderr.isEmpty, "\(words): \(run)")
    }

    private func failure(_ words: String, _ status: Int32, _ id: String) async throws -> JSONObject {
        let run = try await shell.run("\(words) --json")
        let error = try run.error()
        #expect(run.status == status && error.text("id") == id && run.stdout.isEmpty, "\(words): \(run)")
        return error
    }

    @Test("a valve opens to a level for a time, and closes; its state has words")
    func valve() async throws {
        let device = try await commission("water-valve")
        try await quiet("valve open it --level 50%")
        try await shell.succeed("wait it 1/valve-configuration-and-control/current-level=50 --timeout 20s")
        let drawn = try await terminal.succeed("valve status it --home \(shell.home)").stdout
        #expect(drawn.contains("Open") && drawn.contains("50%"), "\(drawn)")
        let misspelt = try await failure("valve shut it", 64, "usage")
        #expect(misspelt.text("message") == "'shut' is neither a node nor a verb of 'valve': show, open, close")
        try await quiet("valve close it")
        #expect(try await shell.succeed("valve open it --for 10s --verify").stdout == "Open\n")
        try await shell.succeed("wait it 1/valve-configuration-and-control/current-state=closed --timeout 30s")
        #expect(try await shell.run("valve open it --level 0%").status == 64)
        device.type("1 valve-configuration-and-control leaking")
        try await shell.succeed("wait it 1/valve-configuration-and-control/valve-fault=leaking --timeout 20s")
        _ = try await failure("valve open it", 5, "im.status")
        _ = try await failure("vacuum start it", 6, "node.unsupported-cluster")
        _ = await device.stop()
    }

    @Test("a vacuum cleaner starts, pauses, goes home; what it refuses is 5 by the name of the reason")
    func vacuum() async throws {
        let device = try await commission("robot-vacuum")
        let early = try await failure("vacuum pause it", 5, "command.refused")
        #expect(early.text("response") == "CommandInvalidInState", "\(early)")
        try await quiet("vacuum start it")
        #expect(try await terminal.succeed("vacuum start it --verify --home \(shell.home)").stdout == "Cleaning\n")
        #expect(try await shell.succeed("vacuum start it --verify").stdout == "1\n")
        let empty = try await terminal.succeed("group ls --home \(shell.home)")
        #expect(empty.stdout.isEmpty && empty.stderr == "none\n", "\(empty)")
        #expect(try await shell.succeed("vacuum status it").stdout.hasPrefix("1\tstate\tRunning\n"))
        #expect(try await shell.succeed("status it").stdout.contains("\trunning\t"))
        let drawn = try await terminal.succeed("vacuum status it --home \(shell.home)").stdout
        #expect(drawn.contains("Running") && drawn.contains("NoError"), "\(drawn)")
        let busy = try await failure("mode it mop", 5, "command.refused")
        #expect(busy.text("response") == "CleaningInProgress", "\(busy)")
        try await quiet("vacuum pause it")
        #expect(try await shell.succeed("vacuum show").stdout.hasPrefix("it\t1\tstate\tPaused\n"))
        try await quiet("vacuum resume it")
        #expect(try await shell.succeed("vacuum it").stdout.hasPrefix("1\tstate\tRunning\n"))
        try await quiet("vacuum home it")
        try await shell.succeed("wait it 1/rvc-operational-state/operational-state=66 --timeout 20s")
        try await quiet("mode it mop")
        #expect(try await shell.succeed("read it 1/0x55/current-mode").stdout == "1\n")
        let modes = try await shell.succeed("mode it --json").json().arrayValue ?? []
        #expect(modes.count == 6 && modes.filter { $0["current"] == true }.map { $0["label"] } == ["Idle", "Mop"])
        let unknown = try await failure("mode it fly", 64, "node.limits")
        #expect(unknown.text("hint") == "see its modes: matterctl mode it")
        _ = try await failure("mode it 1", 64, "node.ambiguous-endpoint")
        try await quiet("mode it 1 --cluster rvc-clean-mode")
        try await quiet("vacuum start it")
        device.type("1 rvc-operational-state stuck")
        try await shell.succeed("wait it 1/rvc-operational-state/operational-state=3 --timeout 20s")
        let stuck = try await failure("vacuum home it", 5, "command.refused")
        #expect(stuck.text("response") == "UnableToStartOrResume")
        _ = await device.stop()
    }

    @Test("a switch with modes takes them by their labels")
    func modeSelect() async throws {
        let device = try await commission("mode-select")
        try await quiet("mode it warm")
        #expect(try await shell.succeed("mode it").stdout.contains("1\tModeSelect\t1\tWarm\tyes\n"))
        let table = try await shell.succeed("mode show it").stdout
        #expect(try await shell.succeed("mode it").stdout == table && table.split(separator: "\n").count == 3)
        #expect(try await shell.succeed("mode").stdout.contains("it\t1\tModeSelect\t1\tWarm\tyes\n"))
        #expect(try await shell.succeed("mode set it warm --json").json()["result"] == "done")
        let unknown = try await failure("mode it tepid", 64, "node.limits")
        #expect(unknown.text("message") == "node 'it' has no mode 'tepid', only Cold, Warm, Hot")
        _ = try await failure("mode it warm --cluster on-off", 6, "node.lacks")
        try await shell.succeed("node set it --room Hall")
        let all = try await shell.succeed("mode --room Hall hot --json").json().arrayValue ?? []
        #expect(all.map { $0["result"] } == ["done"] && all[0]["name"] == "it", "\(all)")
        let shown = try await shell.succeed("mode --all --json").json().arrayValue ?? []
        #expect(shown[0]["modes"]?.arrayValue?.filter { $0["current"] == true }.map { $0["label"] } == ["Hot"])
        #expect(try await shell.succeed("mode it*").stdout.contains("it\t1\tModeSelect\t2\tHot\tyes\n"))
        let refused = try await shell.run("mode --all tepid")
        #expect(refused.status == 64 && refused.stderr.contains("only Cold, Warm, Hot"), "\(refused)")
        _ = await device.stop()
    }

    @Test("a change of mode is read back with --verify, and shown with --dry-run, which asks no device")
    func modeVerified() async throws {
        let device = try await commission("mode-select,robot-vacuum")
        #expect(try await shell.succeed("mode it/1 warm --verify").stdout == "Warm\n")
        let json = try await shell.succeed("mode it/1 hot --verify --json").json()
        #expect(json["attribute"] == "CurrentMode" && json["value"] == 2 && json["label"] == "Hot", "\(json)")
        #expect(try await shell.succeed("mode it* mop --verify").stdout == "1\tit\t2\tdone\tMop\n")
        let all = try await shell.succeed("mode --all cold --verify --json").json().arrayValue ?? []
        let modes = try #require(all.first?["modes"]?.arrayValue)
        #expect(all.count == 1 && modes.count == 1 && modes[0]["label"] == "Cold" && modes[0]["mode"] == 0, "\(all)")
        #expect(modes[0]["cluster"] == "ModeSelect" && all[0]["result"] == "done")
        _ = await device.stop()

        #expect(try await shell.succeed("mode it/1 2 --dry-run").stdout.hasPrefix("1/mode-select/change-to-mode\t"))
        let dry = try await shell.succeed("mode it 1 --cluster rvc-clean-mode --dry-run --json").json()
        let command = try #require(dry["commands"]?.arrayValue?.first)
        #expect(command["endpoint"] == 2 && command["fields"]?["newMode"] == 1, "\(dry)")
        let each = try await shell.succeed("mode --all 1 --cluster mode-select --dry-run").stdout
        #expect(each.hasPrefix("it\t1/mode-select/change-to-mode\t"), "\(each)")
        let several = try await failure("mode it 1 --dry-run", 64, "node.ambiguous-endpoint")
        #expect(several.text("hint") == "say which is meant: matterctl mode it 1 --cluster CLUSTER")
        let label = try await failure("mode it/1 warm --dry-run", 64, "node.limits")
        #expect(label.text("message") == "what 'warm' is, only node 'it' knows: give the number of the mode")
        for words in ["mode it --verify", "mode it --dry-run", "mode it/1 1 --dry-run --address ::1"] {
            #expect(try await shell.run(words).status == 64, "\(words)")
        }
    }

    @Test("a player plays and pauses, a speaker has a volume")
    func media() async throws {
        let device = try await commission("video-player,speaker")
        #expect(try await shell.succeed("media play it --verify").stdout == "Playing\n")
        try await quiet("media next it")
        try await quiet("media previous it")
        let first = try await failure("media previous it", 5, "command.refused")
        #expect(first.text("response") == "SeekOutOfRange")
        #expect(try await shell.succeed("media pause it --verify").stdout == "Paused\n")
        try await quiet("media stop it")
        let stopped = try await failure("media pause it", 5, "command.refused")
        #expect(stopped.text("response") == "InvalidStateForCommand")
        #expect(try await shell.succeed("media volume it 30% --verify").stdout == "76\n")
        let text = try await shell.succeed("media status it").stdout
        #expect(text.contains("1\tstate\tNotPlaying\n") && text.contains("2\tvolume\t76\n"), "\(text)")
        _ = await device.stop()
    }

    @Test("a plug tells power, voltage, current and energy with their units")
    func energy() async throws {
        let device = try await commission("energy-plug,battery")
        try await quiet("on it/1")
        device.type("1 electrical-energy-measurement 1500")
        device.type("1 electrical-power-measurement 1150")
        try await shell.succeed(
            "wait it 1/electrical-power-measurement/active-power=1150W --timeout 20s")
        let drawn = try await terminal.succeed("energy it --home \(shell.home)").stdout
        for part in ["1150.000 W", "230.000 V", "5.000 A", "50.000 Hz", "energy used  1.5"] {
            #expect(drawn.contains(part), "\(part): \(drawn)")
        }
        let json = try await shell.succeed("energy it --json").json().arrayValue ?? []
        let power = try #require(json.first { $0["quantity"] == "power" })
        #expect(power["value"] == 1_150_000 && power["unit"] == "1 mW")
        #expect(try await shell.succeed("energy it").stdout.contains("1\tpower\t1150000\n"))
        #expect(try await shell.succeed("sensor it").stdout.contains("1\tpower\t1150000\n"))
        let state = try await shell.succeed("status it --json").json().arrayValue?.first?["summary"]?.stringValue
        #expect(state?.contains("on, 1150 W") == true, "\(state ?? "")")
        try await quiet("off it/1")
        try await shell.succeed("wait it 1/electrical-power-measurement/active-power=0W --timeout 20s")

        device.type("2 power-source 4")
        try await shell.succeed("wait it 2/power-source/bat-replacement-needed=true --timeout 20s")
        let battery = try await terminal.succeed("battery it --home \(shell.home)").stdout
        for part in ["4%", "Critical", "yes", "2.040 V"] { #expect(battery.contains(part), "\(battery)") }
        _ = await device.stop()
    }

    @Test("motion and buttons are followed, a line for what happens; what was before the start is no news")
    func watching() async throws {
        let device = try await commission("occupancy-sensor,button")
        #expect(try await shell.succeed("motion it").stdout == "1\toccupancy\tunoccupied\n")
        device.type("2 switch press 2")
        let motion = try shell.start("motion it --watch --count 2 --json")
        _ = try await motion.text { $0.contains("\"occupied\":false") }
        device.type("1 occupancy-sensing motion")
        let seen = await motion.end()
        #expect(seen.status == 0 && seen.stdout.contains("\"occupied\":true"), "\(seen)")

        let buttons = try shell.start("button it/2 --watch --for 60s")
        // Until it is followed, presses are only in the device's log.
        while !buttons.hasSaid("pressed once in all") {
            device.type("2 switch press")
            // Presses that follow sooner would count as one sequence.
            try await Task.sleep(for: .milliseconds(200))
        }
        device.type("2 switch long")
        _ = try await buttons.text { $0.contains("released after it was held") }
        let lines = await buttons.stop().stdout.split(separator: "\n").map { line in
            line.split(separator: "\t").dropFirst().joined(separator: " ")
        }
        #expect(lines.prefix(3) == ["2 pressed", "2 released", "2 pressed once in all"], "\(lines)")
        #expect(lines.suffix(3) == ["2 pressed", "2 held", "2 released after it was held"], "\(lines)")
        #expect(!lines.contains("2 pressed twice in all"), "\(lines)")
        #expect(try await shell.succeed("button it").stdout == "2\tposition\t0\n")
        #expect(try await shell.run("motion it --count 2").status == 64)
        _ = try await failure("button it/1 --watch", 6, "im.status")
        _ = await device.stop()
    }

    @Test("a mode is followed by its label")
    func modesFollowed() async throws {
        let device = try await commission("mode-select")
        try await quiet("mode it cold")
        let first = try await shell.succeed("mode it --watch --count 1 --json").json()
        try #require(first["label"] == "Cold" && first["quantity"] == "mode", "\(first)")
        let modes = try shell.start("mode it --watch --count 2 --json")
        _ = try await modes.text { $0.contains("\"label\":\"Cold\"") }
        try await quiet("mode set it hot")
        let seen = await modes.end()
        let last = try JSONValue(parsing: String(seen.stdout.split(separator: "\n").last ?? ""))
        #expect(seen.status == 0 && last["label"] == "Hot" && last["value"] == 2 && last["endpoint"] == 1, "\(seen)")
        _ = await device.stop()
    }

    @Test("of scenes is followed which one is the present state, and how many there are")
    func scenesFollowed() async throws {
        let device = try await commission("on-off-light,dimmable-light")
        let first = try await shell.succeed("scene it/2 --watch --count 1 --json").json()
        try #require(first["scene"] == .null && first["count"] == 0, "\(first)")
        let scenes = try shell.start("scene it/2 --watch --json")
        _ = try await scenes.text { $0.contains("\"scene\":null") }
        try await quiet("scene store it/2 3")
        _ = try await scenes.text { $0.contains("\"scene\":3,\"group\":0,\"count\":1") }
        try await quiet("level it/2 10%")
        try await quiet("scene store it/2 4")
        _ = try await scenes.text { $0.contains("\"scene\":4,\"group\":0,\"count\":2") }
        _ = await scenes.stop()
        let words = try await shell.succeed("scene show it/2 --watch --count 1").stdout
        #expect(words.hasSuffix("\t2\t4, 2 kept\n"), "\(words)")
        let all = try await shell.succeed("scene --json").json().arrayValue ?? []
        #expect(all.count == 1 && all[0]["scenes"]?.arrayValue?.map { $0["scene"] } == [3, 4], "\(all)")
        #expect(try await shell.run("scene it --watch --group x").status == 64)
        _ = await device.stop()
    }

    @Test("a lock is followed as all kinds are, and a line that follows it does not lock it")
    func locksFollowed() async throws {
        let device = try await commission("door-lock")
        try await quiet("unlock it")
        // Nor does it where it is said in the spelling that locks.
        let lines = try await shell.succeed("lock it --watch --count 1").stdout
        #expect(lines.hasSuffix("\t1\tstate\tUnlocked\n"), "\(lines)")
        let locks = try shell.start("lock --watch --json")
        _ = try await locks.text { $0.contains("\"quantity\":\"state\"") }
        #expect(try await shell.succeed("lock").stdout.hasPrefix("it\t1\tstate\tUnlocked\n"))
        try await quiet("lock it")
        _ = try await locks.text { $0.contains("\"quantity\":\"state\",\"value\":\"Locked\"") }
        #expect(try await shell.succeed("door-lock show it").stdout.hasPrefix("1\tstate\tLocked\n"))
        _ = await locks.stop()
        for line in ["door-lock lock it --watch", "door-lock show it --pin @x"] {
            _ = try await failure(line, 64, "usage")
        }
        let late = try await failure("lock -v codes it", 64, "usage")
        #expect(late.text("message") == "'door-lock codes' is a command: its options belong after it")
        _ = await device.stop()
    }

    @Test("of a node with several endpoints that keep scenes, all are shown, each with its endpoint")
    func scenesOfEndpoints() async throws {
        let device = try await commission("energy-plug,dimmable-light", named: "desk")
        try await quiet("scene store desk/2 7")
        let rows = try await shell.succeed("scene show desk --json").json().arrayValue ?? []
        #expect(rows.map { $0["endpoint"] } == [2] && rows.map { $0["scene"] } == [7], "\(rows)")
        try await quiet("scene store desk/1 9")
        #expect(try await shell.succeed("scene desk").stdout == "1\t9\t-\t0 s\tyes\n2\t7\t-\t0 s\tyes\n")
        #expect(try await shell.succeed("scene ls desk/1").stdout == "9\t-\t0 s\tyes\n")
        _ = await device.stop()
    }

    @Test("scenes are stored, listed, recalled and removed, also by a group")
    func scenes() async throws {
        let device = try await commission("dimmable-light")
        try await quiet("level it 40%")
        try await quiet("scene store it 3 --name Evening --transition 2s")
        try await quiet("off it")
        try await quiet("scene store it 4")
        try await quiet("scene recall it 3")
        try await shell.succeed("wait it 1/on-off/on-off=true --timeout 20s")
        #expect(try await shell.succeed("read it 1/level-control/current-level").stdout == "102\n")
        let scenes = try await shell.succeed("scene ls it --json").json().arrayValue ?? []
        #expect(scenes.map { $0["scene"] } == [3, 4] && scenes.map { $0["current"] } == [true, false], "\(scenes)")
        #expect(scenes.first?["name"] == "Evening" && scenes.first?["transitionMs"] == 2000)
        let table = try await terminal.succeed("scene ls it --home \(shell.home)").stdout
        #expect(table.contains("3      Evening  2 s         yes"), "\(table)")
        try await quiet("scene remove it 3")
        let gone = try await failure("scene remove it 3", 5, "command.refused")
        #expect(gone.text("response") == "NOT_FOUND")
        _ = try await failure("scene recall it 3", 5, "im.status")
        #expect(try await shell.run("scene recall it 255").status == 64)

        try await shell.succeed("group create lights")
        try await shell.succeed("group add lights it")
        try await quiet("scene store it 1 --group lights")
        #expect(try await shell.succeed("scene ls it --group lights").stdout.hasPrefix("1\t"))
        #expect(try await shell.succeed("scene ls it").stdout.hasPrefix("4\t"))
        _ = await device.stop()
    }

    @Test("a light takes a colour by its name, as it can: by hue, by coordinates, or as a shade of white")
    func colors() async throws {
        let device = try await commission("color-light,color-temperature-light")
        try await quiet("color it/1 blue")
        try await shell.succeed("wait it 1/color-control/enhanced-current-hue=43691 --timeout 20s")
        try await quiet("color name it/2 warm-white")
        try await shell.succeed("wait it 2/color-control/color-temperature-mireds=370 --timeout 20s")
        let lacks = try await failure("color it/2 red", 6, "node.lacks")
        #expect(lacks.text("message") == "node 'it' has no colours, only white")
        #expect(try await shell.run("color it/1 mauvish").status == 64)
        _ = await device.stop()
    }

    @Test("a node cannot be called like a subcommand whose command has a short form")
    func names() async throws {
        try await shell.succeed("fabric create home")
        for (name, command) in [("open", "cover"), ("codes", "door-lock"), ("speed", "fan"), ("hue", "color")] {
            let taken = try await failure("node rename it \(name)", 64, "name.invalid")
            #expect(taken.text("message") == "not a valid node name: '\(command) \(name)' is a command")
        }
        _ = try await failure("node set it --name stop", 64, "name.invalid")
        _ = try await failure("commission 34970112332 --name tilt", 64, "name.invalid")
        _ = try await failure("node rename it play", 3, "node.unknown")
    }
}
