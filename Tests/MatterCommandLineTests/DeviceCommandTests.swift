import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// The verbs for kinds of devices, with virtual devices in this process.
@Suite("Kinds of devices", .fewAtATime) struct DeviceCommandTests {
    private let shell: Shell
    private let terminal: Shell

    init() throws {
        shell = try Shell()
        terminal = try Shell(terminals: [.output])
    }

    private func commission(_ types: String) async throws -> Background {
        let device = try shell.start("simulate \(types) --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --timeout 60s")
        return device
    }

    private func quiet(_ words: String, input: String = "") async throws {
        let run = try await shell.succeed(words, input: input)
        #expect(run.stdout.isEmpty && run.stderr.isEmpty, "\(words): \(run)")
    }

    private func failure(_ words: String, input: String = "", _ status: Int32, _ id: String) async throws -> JSONObject
    {
        let run = try await shell.run("\(words) --json", input: input)
        let error = try run.error()
        #expect(run.status == status && error.text("id") == id, "\(words): \(run)")
        return error
    }

    @Test("session warm prints milliseconds as a number, and says why no session is kept")
    func warming() async throws {
        let device = try await commission("on-off-light")
        let inPipe = try await shell.succeed("session warm it")
        let onTerminal = try await terminal.succeed("session warm it --home \(shell.home)")
        for run in [inPipe, onTerminal] {
            let row = run.stdout.split(separator: "\n").last?.split(whereSeparator: \.isWhitespace) ?? []
            #expect(row.count == 4 && row.prefix(2) == ["1", "it"] && row.last.flatMap { Double($0) } != nil, "\(run)")
            #expect(
                run.stderr
                    == "warning: no session is kept for later commands: XDG_RUNTIME_DIR names no folder\n", "\(run)")
        }
        // A folder on a disk is none in memory.
        let disk = shell.path("run")
        try FileManager.default.createDirectory(
            atPath: disk, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let other = try Shell(["XDG_RUNTIME_DIR": disk, "MATTERCTL_HOME": shell.home])
        let run = try await other.succeed("session warm it")
        #expect(run.stderr.contains("warning: no session is kept for later commands: \(disk)/matterctl "), "\(run)")
        _ = await device.stop()
    }

    @Test("a door is locked and unlocked, with its PIN code if it wants one; what the lock refuses is 5")
    func lock() async throws {
        let device = try await commission("door-lock")
        try await quiet("unlock it")
        #expect(try await shell.succeed("lock it --verify").stdout == "Locked\n")
        #expect(try await shell.succeed("unlock it --verify --json").json()["value"] == "Unlocked")
        try await quiet("lock it")
        try await quiet("unlock it --relock-after 1s")
        try await shell.succeed("wait it 1/door-lock/lock-state=locked --timeout 20s")

        try await shell.succeed(
            "invoke it 1/door-lock/set-credential operation-type=add credential={\"credentialType\":1,\"credentialIndex\":1} "
                + "credential-data=text:2468 user-index=null user-status=null user-type=null")
        try await shell.succeed("write it 1/door-lock/require-pin-for-remote-operation true")
        let needed = try await failure("unlock it", 64, "lock.pin-needed")
        #expect(needed.text("message") == "node 'it' wants a PIN code")
        #expect(needed.text("hint") == "give it in a file, or on stdin with @-: matterctl unlock it --pin @FILE")
        _ = try await failure("unlock it --pin @-", input: "1357\n", 5, "im.status")
        #expect(try await shell.succeed("read it 1/door-lock/lock-state").stdout == "Locked\n")
        try await quiet("unlock it --pin @-", input: "2468\n")
        try await quiet("lock it --pin @\(try shell.file("pin", "2468\n"))")
        _ = try await failure("unlock it --pin @-", input: "1\n", 64, "node.limits")
        let person = try Shell(terminals: [.input, .error])
        let asked = try await person.succeed("unlock it --home \(shell.home)", input: "2468\n")
        #expect(asked.messages == ["PIN code of node 'it':"], "\(asked)")
        #expect(try await shell.succeed("read it 1/door-lock/lock-state").stdout == "Unlocked\n")
        let open = try await shell.run("unlock it --pin 2468")
        #expect(open.status == 64 && !open.stderr.contains("2468"), "\(open)")
        _ = await device.stop()
    }

    @Test("a thermostat takes temperatures with and without a unit, within its limits, for what it does")
    func thermostat() async throws {
        let device = try await commission("thermostat")
        try await quiet("thermostat mode it heat")
        #expect(try await shell.succeed("thermostat it 21.5 --verify").stdout == "2150\n")
        #expect(try await shell.succeed("thermostat heat it 70F --verify").stdout == "2111\n")
        let warned = try await shell.succeed("thermostat cool it 26C")
        #expect(warned.stderr == "warning: node 'it' is in the mode Heat, not in cool\n", "\(warned)")
        let limits = try await failure("thermostat heat it 50", 64, "node.limits")
        #expect(limits.text("message")?.firstMatch(of: /^node 'it' heats to \d+\.\d\d °C … \d+\.\d\d °C$/) != nil)
        try await quiet("thermostat mode it off")
        let unclear = try await failure("thermostat set it 20", 64, "thermostat.mode")
        #expect(
            unclear.text("hint")
                == "say which is meant: matterctl thermostat heat it 21C, or matterctl thermostat cool it 25C; or choose a "
                + "mode first: matterctl thermostat mode it heat")
        #expect(try await shell.run("thermostat set it warm").status == 64)

        let text = try await shell.succeed("thermostat show it").stdout
        #expect(text.contains("1\tmode\tOff\n") && text.contains("1\theat to\t2111\n"), "\(text)")
        let drawn = try await terminal.succeed("thermostat show it --home \(shell.home)").stdout
        #expect(drawn.contains("21.11 °C") && drawn.contains("26.00 °C"), "\(drawn)")
        let json = try await shell.succeed("thermostat show it --json").json().arrayValue ?? []
        let heat = try #require(json.first { $0["quantity"] == "heat to" })
        #expect(heat["value"] == 2111 && heat["unit"] == "0.01 °C" && heat["attribute"] == "OccupiedHeatingSetpoint")
        _ = await device.stop()
    }

    @Test("a fan and a blind go to a share or a mode; 'speed' and 'position' need not be said")
    func fanAndCover() async throws {
        let device = try await commission("fan,window-covering")
        #expect(try await shell.succeed("fan it 30% --verify").stdout == "30\n")
        #expect(try await shell.succeed("fan speed it low --verify").stdout == "Low\n")
        #expect(try await shell.succeed("fan mode it auto --verify").stdout == "Auto\n")
        try await quiet("fan it off")
        #expect(try await shell.run("fan it 101%").status == 64)
        #expect(try await shell.succeed("fan airflow it reverse --verify").stdout == "Reverse\n")

        #expect(try await shell.succeed("cover it 40% --verify").stdout == "4000\n")
        #expect(try await shell.succeed("cover tilt it 75.5% --verify").stdout == "7550\n")
        try await quiet("cover stop it")
        #expect(try await shell.succeed("cover close it --verify").stdout == "10000\n")
        #expect(try await shell.succeed("cover open it --verify").stdout == "0\n")
        _ = try await failure("cover it/1 40%", 6, "node.unsupported-cluster")
        _ = await device.stop()
    }

    @Test("a light takes kelvins, hue and coordinates, also while it is off; a white one says what it lacks")
    func color() async throws {
        let device = try await commission("color-light,color-temperature-light")
        let ambiguous = try await failure("color it 2700K", 64, "node.ambiguous-endpoint")
        #expect(ambiguous.text("message")?.contains("ColorControl") == true)
        let all = try await shell.succeed("color --all 2700K --json").json().arrayValue ?? []
        #expect(all.map { $0["endpoint"]?.integer() } == [1, 2] && all.allSatisfy { $0["result"] == "done" }, "\(all)")
        let twice = try await shell.succeed("color it/2 i* 2700K --json").json().arrayValue ?? []
        #expect(twice.count == 2, "an endpoint that is named and chosen is told once: \(twice)")
        try await quiet("color it/1 2700K")
        try await shell.succeed("wait it 1/color-control/color-temperature-mireds=370 --timeout 20s")
        try await quiet("color hue it/1 240 100%")
        try await shell.succeed("wait it 1/color-control/current-saturation=254 --timeout 20s")
        try await quiet("color xy it/1 0.3125 0.3125")
        try await shell.succeed("wait it 1/color-control/current-x=20480 --timeout 20s")
        let lacks = try await failure("color hue it/2 240", 6, "node.lacks")
        #expect(lacks.text("message") == "node 'it' has no hue and saturation")
        #expect(lacks.text("hint") == "see what it has: matterctl node show it")
        let limits = try await failure("color it/2 100K", 64, "node.limits")
        #expect(limits.text("message")?.hasPrefix("the colour temperature of node 'it' is ") == true)
        _ = await device.stop()
    }

    @Test("--verify tells all that makes up a colour, with units on a terminal and bare in a pipe")
    func verifiedColor() async throws {
        let device = try await commission("color-light")
        for (command, drawn, bare) in [
            ("color xy it 0.3125 0.25", "0.3125 (20480), 0.2500 (16384)", "20480\t16384"),
            ("color hue it 120", "120° (21845)", "21845"),
            ("color hue it 240 50%", "240° (43691), 50% (127)", "43691\t127"),
            ("color it green", "120° (21845), 100% (254)", "21845\t254"), ("color it 2700K", "2703 K", "370"),
        ] {
            #expect(try await shell.succeed("\(command) --verify").stdout == bare + "\n")
            #expect(try await terminal.succeed("\(command) --verify --home \(shell.home)").stdout == drawn + "\n")
        }
        let json = try await shell.succeed("color xy it 0.5 0.25 --verify --json").json()
        #expect(json["attribute"] == "CurrentX" && json["value"]?.integer() == 32768, "\(json)")
        let also = json["also"]?.arrayValue ?? []
        #expect(also.map { $0["value"]?.integer() } == [16384], "\(json)")
        #expect(also.first?["attribute"] == "CurrentY", "\(json)")
        let all = try await shell.succeed("color xy --all 0.3125 0.25 --verify").stdout
        #expect(all == "1\tit\tdone\t20480, 16384\n", "\(all)")
        _ = await device.stop()
    }

    @Test("the values of sensors are a table, and their numbers a chart; a node without numbers has none")
    func series() async throws {
        let device = try await commission("temperature-sensor,occupancy-sensor")
        let table = try await shell.succeed("sensor it --watch --csv --count 2").stdout.split(separator: "\n")
        #expect(table.count == 3 && table[0] == "time,node,name,path,value,unit", "\(table)")
        #expect(table.contains { $0.hasSuffix(",°C") && $0.contains(",1/temperature-measurement/measured-value,") })
        #expect(table.contains { $0.hasSuffix(",2/occupancy-sensing/occupancy,unoccupied,") }, "\(table)")
        let terminal = try Shell(["COLUMNS": "60", "TERM": "xterm"], terminals: [.output])
        let chart = try await terminal.succeed("sensor it --watch --plot --for 1s --home \(shell.home)").stdout
        #expect(chart.contains("● 1 temperature") && !chart.contains("occupancy"), "\(chart)")
        _ = await device.stop()
    }

    @Test("sensors are shown with their units on a terminal, bare in a pipe; a node without any is 6")
    func sensors() async throws {
        let device = try await commission("temperature-sensor,humidity-sensor,contact-sensor,occupancy-sensor")
        let lines = try await shell.succeed("sensor it").stdout.split(separator: "\n").map(String.init)
        #expect(lines.count == 4 && lines[0].hasPrefix("1\ttemperature\t"), "\(lines)")
        let drawn = try await terminal.succeed("sensor it --home \(shell.home)").stdout
        for part in [" °C", "%", "occupied", "ENDPOINT  QUANTITY"] { #expect(drawn.contains(part), "\(drawn)") }
        let json = try await shell.succeed("sensor it/1 --json").json().arrayValue ?? []
        #expect(json.count == 1 && json.first?["quantity"] == "temperature", "\(json)")
        #expect(json.first?["unit"] == "0.01 °C" && json.first?["cluster"] == "TemperatureMeasurement")
        let none = try await failure("battery it", 6, "node.lacks")
        #expect(none.text("message") == "node 'it' reports no battery")
        _ = try await failure("thermostat show it", 6, "node.lacks")
        _ = await device.stop()
    }
}
