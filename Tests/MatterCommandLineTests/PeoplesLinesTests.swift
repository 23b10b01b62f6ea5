import ArgumentParser
import Foundation
import MatterController
import TestSupport
import Testing

@testable import MatterCommandLine

/// Command lines that people have written: those of the README and of the pages, and others that users of earlier versions and of
/// other programs type. The parser is held against them, and not against its own declaration.
@Suite("Lines that people write", .together) struct PeoplesLinesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines of the README and of the pages, each up to the next command of the shell.
    private static func written() throws -> Set<String> {
        let docs = root.appendingPathComponent("docs")
        let pages = try #require(FileManager.default.enumerator(at: docs, includingPropertiesForKeys: nil))
        let files = [root.appendingPathComponent("README.md")] + pages.compactMap { $0 as? URL }
        return try files.filter { $0.pathExtension == "md" }.reduce(into: []) { lines, file in
            var isCode = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("```") { isCode.toggle() }
                guard isCode, let match = line.firstMatch(of: /^(?:\$ )?(matterctl [a-z-].*)$/) else { continue }
                lines.insert(String(match.1))
            }
        }
    }

    /// The words of a line for bash, up to its next command.
    private static func words(_ line: String) -> [String] {
        var quote: Character?
        var end = line.endIndex
        for index in line.indices {
            let character = line[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if "'\"".contains(character) {
                quote = character
            } else if "|<>&;#".contains(character), index > line.startIndex,
                " 2".contains(line[line.index(before: index)])
            {
                end = index
                break
            }
        }
        let words = ShellLine(line[..<end] + " ", breaks: Set(" ")).words.dropFirst()
        // `2>` says what becomes of messages.
        return Array(end < line.endIndex && words.last == "2" ? words.dropLast() : words)
    }

    /// - Returns: the words of the command that a line is; `nil` if it is none.
    private static func command(_ words: [String]) -> String? {
        inProgram {
            Program.command(of: words).map { command in
                (command as? any KindOfDeviceCommand).map { type(of: $0).kind.name } ?? type(of: command)._commandName
            }
        }
    }

    @Test("every line of the README and of the pages is a command")
    func pages() throws {
        let lines = try Self.written()
        #expect(lines.count > 120)
        for line in lines.sorted() where !line.contains("…") {
            let words = Self.words(line)
            guard words.first != "help",
                !words.contains(where: { ["--help", "--version"].contains($0) || $0.hasPrefix("--generate") })
            else { continue }
            #expect(Self.command(words) != nil, "\(line): \(words)")
        }
    }

    /// Each with the command that it is.
    private static let typed: [(line: String, command: String)] = [
        ("on kitchen", "on"),
        ("off --room Hall", "off"),
        ("toggle 'Desk lamp'", "toggle"),
        ("on kitchen/1 hall", "on"),
        ("--json on kitchen", "on"),
        ("on kitchen --json --timeout 5s", "on"),
        ("level kitchen 50%", "level"),
        ("level kitchen -10%", "level"),
        ("level +10% --room Hall", "level"),
        ("level kitchen 50% --transition 2s", "level"),
        ("thermostat hall 21", "thermostat"),
        ("thermostat hall 21.5C", "thermostat"),
        ("thermostat set hall 70F", "thermostat"),
        ("thermostat show hall", "thermostat"),
        ("thermostat hall", "thermostat"),
        ("thermostat cool hall -5", "thermostat"),
        ("thermostat mode hall heat", "thermostat"),
        ("fan desk 30%", "fan"),
        ("fan speed desk off", "fan"),
        ("fan --room Hall high", "fan"),
        ("fan", "fan"),
        ("fan --watch --for 10m", "fan"),
        ("cover bedroom 40%", "cover"),
        ("cover open 'bed*'", "cover"),
        ("cover --room Bedroom 40%", "cover"),
        ("cover bedroom", "cover"),
        ("color desk 2700K", "color"),
        ("color desk red --transition 2s", "color"),
        ("color name desk warm-white", "color"),
        ("color hue desk 240 80%", "color"),
        ("color xy desk 0.31 0.33", "color"),
        ("valve open garden --for 10m --level 50%", "valve"),
        ("valve status garden", "valve"),
        ("valve garden", "valve"),
        ("vacuum start robot", "vacuum"),
        ("vacuum dock robot", "vacuum"),
        ("vacuum status", "vacuum"),
        ("media volume tv 30%", "media"),
        ("media play tv", "media"),
        ("smoke-alarm test attic", "smoke-alarm"),
        ("lock door", "lock"),
        ("lock --all", "lock"),
        ("lock --room Hall --pin @pin.txt", "lock"),
        ("lock door --pin @pin.txt --verify", "lock"),
        ("door-lock", "door-lock"),
        ("door-lock door", "door-lock"),
        ("door-lock lock door", "door-lock"),
        ("door-lock unlock door --pin @pin.txt --relock-after 30s", "door-lock"),
        ("door-lock codes door", "codes"),
        ("lock lock door", "door-lock"),
        ("lock show door --watch", "door-lock"),
        ("lock", "door-lock"),
        ("lock --json", "door-lock"),
        ("lock --fabric home", "door-lock"),
        ("lock --watch", "door-lock"),
        ("lock door --watch --count 1", "door-lock"),
        ("lock unlock door --pin @pin.txt", "door-lock"),
        ("lock codes door", "codes"),
        ("lock config door --volume low", "config"),
        ("mode", "mode"),
        ("mode robot 'Deep clean'", "mode"),
        ("mode set robot Quick --verify", "mode"),
        ("mode show robot washer", "mode"),
        ("mode robot --watch", "mode"),
        ("mode --room Hall hot", "mode"),
        ("scene", "scene"),
        ("scene ls hall", "scene"),
        ("scene list hall", "scene"),
        ("scene show hall --group lights", "scene"),
        ("scene hall --watch --for 10m", "scene"),
        ("scene store hall Evening --transition 2s", "scene"),
        ("scene recall --room Hall 3", "scene"),
        ("scene remove hall 3 --dry-run", "scene"),
        ("unlock door --relock-after 30s", "unlock"),
        ("motion hall --watch", "motion"),
        ("button bedside --watch --count 3", "button"),
        ("sensor attic", "sensor"),
        ("battery --all", "battery"),
        ("energy heater --watch", "energy"),
        ("read kitchen 1/on-off/on-off", "read"),
        ("read kitchen 1/6/0 0/40/*", "read"),
        ("write kitchen 1/level-control/on-level 50%", "write"),
        ("write hall 1/thermostat/occupied-heating-setpoint=21C", "write"),
        ("invoke kitchen 1/on-off/toggle", "invoke"),
        ("subscribe kitchen 1/on-off/on-off", "subscribe"),
        ("wait kitchen 1/on-off/on-off=true --timeout 20s", "wait"),
        ("events door", "events"),
        ("node ls", "ls"),
        ("node list --status", "ls"),
        ("fabrics kitchen ls", "ls"),
        ("fabrics ls kitchen", "ls"),
        ("commission MT:Y.K9042C00KA0648G00 --name kitchen", "commission"),
        ("commission 34970112332 --address 127.0.0.1:5540 --attestation skip", "commission"),
        ("-v discover", "discover"),
        ("status", "status"),
        ("group create lights", "create"),
        ("on group:lights", "on"),
        ("acl revoke door entry:2", "revoke"),
        ("payload parse 34970112332", "parse"),
        ("simulate on-off-light --port 5540", "simulate"),
    ]

    @Test("lines that users type, in the spellings of every version", arguments: typed)
    func users(_ line: String, _ command: String) {
        #expect(Self.command(Self.words("matterctl " + line)) == command)
    }

    /// The words behind a kind, whether options choose nodes, and what is meant: the verb, the nodes, the value.
    private static let meant: [(kind: String, words: String, chooses: Bool, meaning: String)] = [
        ("thermostat", "hall 21", false, "set | hall | 21"), ("thermostat", "21", true, "set |  | 21"),
        ("thermostat", "21", false, "show | 21 | "), ("thermostat", "5 6", false, "set | 5 | 6"),
        ("thermostat", "show 5 6", false, "show | 5 6 | "), ("thermostat", "", true, "show |  | "),
        ("thermostat", "hall den", false, "show | hall den | "),
        ("thermostat", "cool hall den 25C", false, "cool | hall den | 25C"),
        ("fan", "off", false, "speed |  | off"), ("fan", "desk", true, "show | desk | "),
        ("fan", "auto", true, "speed |  | auto"),
        ("color", "hue desk 240 80%", false, "hue | desk | 240 80%"),
        ("color", "hue 1 2 240", false, "hue | 1 2 | 240"),
        ("color", "desk Red", false, "temperature | desk | Red"), ("color", "xy desk 0.3", false, "xy | desk 0.3 | "),
        ("valve", "status garden", false, "show | garden | "), ("vacuum", "dock robot", false, "home | robot | "),
        ("motion", "hall", false, "show | hall | "),
        ("door-lock", "door", false, "show | door | "), ("door-lock", "", true, "show |  | "),
        ("door-lock", "lock door", false, "lock | door | "), ("door-lock", "", false, "show |  | "),
        ("door-lock", "show door", false, "show | door | "),
        ("door-lock", "unlock door gate", false, "unlock | door gate | "),
        ("mode", "robot", false, "show | robot | "), ("mode", "robot 3", false, "set | robot | 3"),
        ("mode", "show a b", false, "show | a b | "), ("mode", "set a b quick", false, "set | a b | quick"),
        ("mode", "hot", true, "set |  | hot"), ("mode", "", false, "show |  | "),
        ("scene", "ls hall", false, "show | hall | "), ("scene", "hall", false, "show | hall | "),
        ("scene", "recall hall Evening", false, "recall | hall | Evening"),
        ("scene", "recall hall 255", false, "recall | hall 255 | "), ("scene", "store 3", true, "store |  | 3"),
    ]

    @Test("the words behind a kind of device are a verb, nodes and a value, as people mean them", arguments: meant)
    func kinds(_ name: String, _ words: String, _ chooses: Bool, _ meaning: String) throws {
        let kind = try #require(DeviceKind.all.map { $0.kind }.first { $0.name == name })
        let line = KindLine(words.split(separator: " ").map(String.init), of: kind, choosesNodes: chooses)
        let parts = [[line.verb?.name ?? "show"], line.nodes, line.valueWords ?? []].map { $0.joined(separator: " ") }
        #expect(parts.joined(separator: " | ") == meaning)
    }

    @Test(
        "lines that mean nothing are none",
        arguments: [
            "on", "of kitchen", "fan speed desk", "valve open", "thermostat hall 21x",
            "level kitchen",
            "color xy desk 0.3", "motion hall --count 2", "fan desk 30% --watch", "vacuum start", "read",
            "write kitchen 1/6/0x4003",
            "cover 40%", "media volume tv", "valve garden --level 50%", "on kitchen --timeout 0s",
            "fan --level 3 desk 3%", "lock lock door --watch", "lock show door --pin @x",
            "lock lock door --relock-after 3s",
            "fan desk 30% --pin @x", "mode set robot", "mode robot Quick --watch", "mode show robot --verify",
            "scene recall hall", "scene recall hall 255", "scene show hall --name x", "scene recall hall 3 --name x",
            "scene hall --watch --group lights", "scene store hall 3 --transition 2s", "scene recall --all Evening",
        ])
    func nonsense(_ line: String) {
        #expect(Self.command(Self.words("matterctl " + line)) == nil)
    }
}
