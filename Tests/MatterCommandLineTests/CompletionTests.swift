import Foundation
import TestSupport
import Testing

@testable import MatterCommandLine

/// A line of bash, taken apart.
@Suite("A shell's line", .together) struct ShellLineTests {
    private static let breaks: Set<Character> = Set(" \t\n\"'@><=;|&(:")

    @Test(
        "the words lose their quotes, and the one at the cursor tells what bash has finished",
        arguments: [
            ("matterctl on De", ["matterctl", "on"], "De", "", nil),
            ("matterctl on ", ["matterctl", "on"], "", "", nil),
            (#"matterctl on Desk\ la"#, ["matterctl", "on"], "Desk la", "", nil),
            ("matterctl on 'Desk la", ["matterctl", "on"], "Desk la", "", "'"),
            (#"matterctl on "Guest's \"bi"#, ["matterctl", "on"], #"Guest's "bi"#, "", "\""),
            ("matterctl on 'a b' c", ["matterctl", "on", "a b"], "c", "", nil),
            ("matterctl on '' ", ["matterctl", "on", ""], "", "", nil),
            ("matterctl x name=va", ["matterctl", "x"], "name=va", "name=", nil),
            ("matterctl x name='va", ["matterctl", "x"], "name=va", "name=", "'"),
            ("matterctl x --pin=@fi", ["matterctl", "x"], "--pin=@fi", "--pin=", nil),
            ("matterctl x group:a", ["matterctl", "x"], "group:a", "group:", nil),
            ("matterctl x 'a=b'c", ["matterctl", "x"], "a=bc", "", nil),
            (#"matterctl x a\"#, ["matterctl", "x"], #"a\"#, "", nil),
        ] as [(String, [String], String, String, Character?)])
    func parsed(_ text: String, _ words: [String], _ word: String, _ lead: String, _ quote: Character?) {
        let line = ShellLine(text, breaks: Self.breaks)
        #expect(line.words == words)
        #expect(line.word == word)
        #expect(line.lead == lead)
        #expect(line.quote == quote)
    }

    @Test("bash is given what it can insert: the rest of the word, quoted as the word was begun")
    func insertion() {
        func inserted(_ text: String, _ word: String, isFinished: Bool = true) -> String? {
            ShellLine(text, breaks: Self.breaks).insertion(of: Candidate(word: word, isFinished: isFinished))
        }
        #expect(inserted("m on De", "Desk lamp") == #"Desk\ lamp "#)
        #expect(inserted("m on 'De", "Guest's room") == #"Guest'\''s room"#)
        #expect(inserted(#"m on "De"#, #"5" "#) == #"5\" "#)
        #expect(inserted("m x name=fo", "name=four ten") == #"four\ ten "#)
        #expect(inserted("m x name=fo", "NAME=four") == nil)
        #expect(inserted("m read n 1/", "1/on-off/", isFinished: false) == "1/on-off/")
        #expect(inserted("m on ", "$(reboot)`;&") == #"\$\(reboot\)\`\;\& "#)
    }

    @Test("nothing in a line that is cut anywhere is lost or invented")
    func everyPrefix() {
        let text =
            #"matterctl invoke 'Guest'"'"'s lamp' 1/on-off/off-with-effect effect-identifier="dy" --pin=@"my file"#
        for length in 0...text.count {
            let line = ShellLine(String(text.prefix(length)), breaks: Self.breaks)
            #expect(line.word.hasPrefix(line.lead), "\(text.prefix(length))")
        }
    }
}

/// The words that may stand at the cursor, from the records of a house.
@Suite("Completion", .fewAtATime) struct CompletionTests {
    private let shell: Shell
    private let devices: [Background]

    /// Node 1 `kitchen` in the room Kitchen is a light, node 2 `Desk lamp` a lock in the room `Guest's room`.
    init() async throws {
        shell = try Shell()
        var devices: [Background] = []
        for (type, words) in [
            ("dimmable-light", ["--name", "kitchen", "--room", "Kitchen"]),
            ("door-lock", ["--name", "Desk lamp", "--room", "Guest's room"]),
        ] {
            let device = try shell.start(
                "simulate \(type) --port 0 --mdns none --state \(shell.path("device-\(devices.count)"))")
            let port = try await device.line("ready")
            let run = try await shell.run(
                ["commission", "34970112332", "--address", "127.0.0.1:\(port)", "--attestation", "skip"] + words)
            try #require(run.status == 0, "\(run)")
            devices.append(device)
        }
        self.devices = devices
        try await shell.succeed("group create lights")
        try await shell.succeed("room add Attic")
    }

    /// The candidates for the last word; `nil` if the names of files may stand there.
    private func candidates(_ words: String...) async throws -> [String]? {
        let run = try await shell.run(["---complete", "fish"] + words)
        #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
        let lines = run.stdout.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        return lines.first == "files" ? nil : Array(lines.dropFirst())
    }

    @Test("commands, their other names once they were begun, and options that are not given yet")
    func commands() async throws {
        #expect(try await candidates("tog") == ["toggle"])
        #expect(try await candidates("--json", "tog") == ["toggle"])
        #expect(try await candidates("node", "l") == ["ls", "list"])
        #expect(try await candidates("help", "nod") == ["node"])
        #expect(try await candidates("")?.contains("commission") == true)
        #expect(try await candidates("node", "ls", "--ro") == ["--room"])
        #expect(try await candidates("node", "ls", "--room", "Attic", "--ro") == [])
        #expect(try await candidates("simulate", "x", "--mdns", "") == ["avahi", "none"])
        #expect(try await candidates("simulate", "x", "--mdns=n") == ["--mdns=none"])
        #expect(try await candidates("nonsense", "") == [])
        #expect(try await candidates("simulate", "door-lock,on-off-l") == ["door-lock,on-off-light"])
        #expect(try await candidates("simulate", "x", "--fault", "du") == ["duplicate:"])
    }

    @Test("of a kind of device: its verbs, nodes that are of the kind, and values of the verb that is meant")
    func kinds() async throws {
        #expect(
            try await candidates("cover", "") == ["show", "position", "open", "close", "stop", "tilt", "group:lights"])
        #expect(
            try await candidates("lock", "") == [
                "show", "lock", "unlock", "codes", "add-code", "remove-code", "restrict", "unrestrict", "config",
                "Desk lamp", "group:lights",
            ])
        #expect(try await candidates("lock", "codes", "") == ["Desk lamp"])
        #expect(try await candidates("lock", "unlock", "Desk lamp", "--re") == ["--relock-after"])
        #expect(try await candidates("lock", "show", "") == ["Desk lamp"])
        #expect(try await candidates("scene", "re") == ["recall", "remove"])
        #expect(try await candidates("scene", "show", "") == ["kitchen"])
        #expect(try await candidates("lock", "unlock", "") == ["Desk lamp", "group:lights"])
        #expect(try await candidates("thermostat", "mode", "hall", "f") == ["fan-only"])
        #expect(try await candidates("thermostat", "hall", "2") == ["20C", "21C", "22C"])
        #expect(try await candidates("fan", "show", "desk", "") == [])
        #expect(try await candidates("fan", "desk", "m") == ["medium"])
        #expect(try await candidates("valve", "open", "garden", "--fo") == ["--for"])
        #expect(try await candidates("valve", "--transi") == [])
        #expect(try await candidates("motion", "") == [])
        #expect(try await candidates("lock", "config", "Desk lamp", "--mode", "p") == ["privacy", "passage"])
        #expect(
            try await candidates("lock", "config", "Desk lamp", "--volume=") == [
                "--volume=silent", "--volume=low", "--volume=medium", "--volume=high",
            ])
    }

    @Test("behind a node with modes stand its modes, or what they may be for; a node without modes is not offered")
    func modes() async throws {
        #expect(try await candidates("mode", "") == ["show", "set"])
        let device = try shell.start("simulate robot-vacuum --port 0 --mdns none --state \(shell.path("robot"))")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name robot --timeout 60s")
        #expect(try await candidates("mode", "") == ["show", "set", "robot"])
        #expect(try await candidates("mode", "show", "") == ["robot"])
        #expect(try await candidates("mode", "set", "robot", "mo") == ["mop"])
        #expect(try await candidates("mode", "robot", "dee") == ["deep-clean"])
        #expect(try await candidates("mode", "robot", "mop") == ["mop"])
        // The device has told its labels.
        try await shell.succeed("mode robot")
        #expect(
            try await candidates("mode", "robot", "") == [
                "robot", "Idle", "Cleaning", "Mapping", "Vacuum", "Mop", "Deep clean",
            ])
        #expect(try await candidates("mode", "robot/1", "De") == ["Deep clean"])
        #expect(try await candidates("mode", "set", "robot", "De") == ["Deep clean"])
        #expect(try await candidates("mode", "show", "robot", "De") == [])
        try await shell.succeed("node forget robot --yes")
        #expect(try await candidates("mode", "robot", "De") == [])
        _ = await device.stop()
    }

    @Test("nodes, endpoints, rooms, groups, fabrics, types and clusters are those of this house")
    func names() async throws {
        #expect(try await candidates("identify", "") == ["kitchen", "Desk lamp", "group:lights"])
        #expect(try await candidates("identify", "des") == ["Desk lamp"])
        #expect(try await candidates("on", "kitchen/") == ["kitchen/1"])
        #expect(try await candidates("bind", "kitchen", "kitchen/") == ["kitchen/1"])
        #expect(try await candidates("level", "kitchen/") == ["kitchen/1"])
        // These are about the whole node.
        #expect(try await candidates("ping", "kitchen/") == [])
        #expect(try await candidates("acl", "revoke", "kitchen", "kitchen/") == [])
        #expect(try await candidates("off", "--room", "") == ["Attic", "Guest's room", "Kitchen"])
        #expect(try await candidates("off", "--room=Gu") == ["--room=Guest's room"])
        #expect(try await candidates("room", "rm", "att") == ["Attic"])
        #expect(try await candidates("group", "delete", "") == ["lights"])
        #expect(try await candidates("fabric", "use", "") == ["home"])
        #expect(try await candidates("node", "ls", "--fabric", "h") == ["home"])
        #expect(try await candidates("node", "ls", "--type", "d") == ["door-lock", "dimmable-light"])
        #expect(try await candidates("node", "ls", "--cluster", "door") == ["door-lock"])
        #expect(try await candidates("on", "--home", "/nowhere", "") == [])
    }

    @Test("nodes are offered where they can do it, and values where a value may stand")
    func suitable() async throws {
        #expect(try await candidates("on", "") == ["kitchen", "group:lights"])
        #expect(try await candidates("on", "Desk lamp/") == [])
        #expect(try await candidates("unlock", "") == ["Desk lamp", "group:lights"])
        #expect(try await candidates("cover", "position", "kit") == [])
        #expect(try await candidates("cover", "kit") == [])
        #expect(try await candidates("battery", "") == [])
        #expect(try await candidates("read", "") == ["kitchen", "Desk lamp"])
        #expect(try await candidates("level", "kitchen", "5") == ["50%"])
        #expect(try await candidates("level", "5") == [], "a node comes first")
        #expect(try await candidates("color", "temperature", "x", "re") == ["red"])
        #expect(
            try await candidates("fan", "mode", "x", "") == ["group:lights", "off", "low", "medium", "high", "auto"])
        #expect(try await candidates("thermostat", "mode", "x", "he")?.first == "heat")
        #expect(try await candidates("acl", "revoke", "kitchen", "") == ["entry:", "kitchen", "Desk lamp"])
        #expect(try await candidates("acl", "revoke", "") == ["kitchen", "Desk lamp"])
        // Numbers mean the list that was shown last.
        try await shell.succeed("acl ls kitchen")
        #expect(try await candidates("acl", "revoke", "kitchen", "e") == ["entry:1"])
        try await shell.succeed("acl grant kitchen 2 --privilege view")
        #expect(try await candidates("acl", "revoke", "kitchen", "e") == ["entry:1", "entry:2"])
        #expect(try await candidates("acl", "revoke", "Desk lamp", "e") == ["entry:"])
    }

    @Test("a path has the clusters of the record, and the commands that the device accepts")
    func paths() async throws {
        #expect(try await candidates("read", "kitchen", "") == ["0/", "1/", "*/"])
        let found = try await candidates("invoke", "Desk lamp", "1/")
        let clusters = try #require(found)
        #expect(clusters.contains("1/door-lock/") && !clusters.contains("1/on-off/"), "\(clusters)")
        let here = try await candidates("invoke", "Desk lamp", "1/DoorLock/")
        let commands = try #require(here)
        #expect(commands.contains("1/DoorLock/lock-door"), "\(commands)")
        // The catalogue has them, this device does not.
        #expect(!commands.contains("1/DoorLock/set-aliro-reader-config"), "\(commands)")
        #expect(try await candidates("read", "kitchen", "1/on-off/start") == ["1/on-off/start-up-on-off"])
        #expect(try await candidates("read", "kitchen", "1/OnOff/START") == ["1/OnOff/start-up-on-off"])
        #expect(try await candidates("read", "kitchen", "*/6/on-o") == ["*/6/on-off"])
        #expect(try await candidates("write", "kitchen", "1/on-off/on") == ["1/on-off/on-time"])
        #expect(
            try await candidates("events", "kitchen", "0/basic-information/sh") == ["0/basic-information/shut-down"])
        #expect(try await candidates("subscribe", "kitchen", "1/l") == ["1/level-control/"])
        #expect(try await candidates("wait", "kitchen", "1/on-off/on-off") == ["1/on-off/on-off="])
        #expect(try await candidates("read", "nobody", "") == ["*/"])
    }

    @Test("fields, and the names of their values")
    func values() async throws {
        let path = "1/on-off/off-with-effect"
        #expect(try await candidates("invoke", "kitchen", path, "") == ["effect-identifier=", "effect-variant="])
        #expect(try await candidates("invoke", "kitchen", path, "effect-variant=0", "") == ["effect-identifier="])
        #expect(
            try await candidates("invoke", "kitchen", path, "effect-identifier=") == [
                "effect-identifier=delayed-all-off", "effect-identifier=dying-light",
            ])
        #expect(try await candidates("wait", "kitchen", "1/on-off/on-off=t") == ["1/on-off/on-off=true"])
        #expect(try await candidates("write", "kitchen", "1/on-off/start-up-on-off", "n") == ["null"])
        #expect(
            try await candidates("write", "kitchen", "1/level-control/options=execute-if-off,c")
                == ["1/level-control/options=execute-if-off,couple-color-temp-to-level"])
    }

    @Test("files where a file is meant, also behind an @")
    func files() async throws {
        #expect(try await candidates("trust", "add", "") == nil)
        #expect(try await candidates("read", "kitchen", "--cluster-defs", "x") == nil)
        #expect(try await candidates("lock", "Desk lamp", "--pin", "") == ["@"])
        _ = try shell.file("my file.pin", "1234")
        let lead = shell.path("my")
        #expect(try await candidates("lock", "Desk lamp", "--pin", "@\(lead)") == ["@\(lead) file.pin"])
        #expect(
            try await candidates("invoke", "Desk lamp", "1/door-lock/lock-door", "pin-code=@\(lead)")
                == ["pin-code=@\(lead) file.pin"])
    }

    @Test("what a shell asks badly has no answer, and is no error")
    func nonsense() async throws {
        #expect(try await shell.run(["---complete", "bash", "", ""]).status == 0)
        #expect(try await shell.run(["---complete", "bash", " ", "matterctl '"]).stdout.hasPrefix("words\n"))
        let fabric = shell.home + "/fabrics"
        for file in try FileManager.default.subpathsOfDirectory(atPath: fabric) where file.hasSuffix(".json") {
            try Data("{".utf8).write(to: URL(fileURLWithPath: "\(fabric)/\(file)"))
        }
        #expect(try await candidates("on", "") == [])
        #expect(try await candidates("invoke", "kitchen", "1/") == [])
    }
}
