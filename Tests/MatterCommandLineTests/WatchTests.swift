import Foundation
import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterModel

/// Commands that follow a virtual device, in this process and over its loopback interface.
@Suite("Watching", .timed) struct WatchTests {
    private let shell: Shell
    private let device: Background

    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate dimmable-light --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --room Hall --timeout 60s"
        )
        try await shell.succeed("off lamp")
    }

    @Test("a value is told at once and with each change, alone on its line; --count ends it")
    func values() async throws {
        let watch = try shell.start("subscribe lamp 1/on-off/on-off --count 3 --max 30s")
        #expect(try await watch.text { $0 == "false\n" })
        try await shell.succeed("toggle lamp")
        #expect(try await watch.text { $0 == "false\ntrue\n" })
        try await shell.succeed("toggle lamp")
        let run = await watch.end()
        #expect(run.status == 0 && run.stdout == "false\ntrue\nfalse\n" && run.stderr.isEmpty, "\(run)")
    }

    @Test("several paths name theirs; JSON has one object for each line, each with the time")
    func objects() async throws {
        let lines = try await shell.succeed(
            "watch lamp 1/on-off/on-off 1/level-control/min-level --count 2 --timestamps")
        let fields = lines.stdout.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(fields.map { $0.dropFirst() } == [["1/on-off/on-off", "false"], ["1/level-control/min-level", "1"]])
        #expect(fields.allSatisfy { $0[0].hasPrefix("20") && $0[0].hasSuffix("Z") }, "\(lines)")
        let json = try await shell.succeed("subscribe lamp 1/on-off/on-off --count 1 --json").stdout
        let objects = try json.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(objects.map { $0["subscription"]?.stringValue } == ["established", nil], "\(json)")
        #expect(objects.allSatisfy { $0["time"]?.stringValue?.hasSuffix("Z") == true && $0["name"] == "lamp" })
        #expect(objects.last?["attribute"] == "OnOff" && objects.last?["value"] == false, "\(json)")
    }

    @Test("nodes are chosen by pattern, room, type or all of them, and each line names its node's path")
    func selection() async throws {
        for words in ["la*", "--room hall", "--type dimmable-light", "--cluster on-off", "--all", "lamp l?mp"] {
            let run = try await shell.run("subscribe \(words) 1/on-off/on-off --count 1")
            #expect(run.status == 0 && run.stdout == "false\n", "\(words): \(run)")
        }
        for words in ["x*", "--room Attic", "--type thermostat", "--cluster thermostat", "attic"] {
            let run = try await shell.run("subscribe \(words) 1/on-off/on-off --count 1 --json")
            #expect(try run.status == 3 && run.error().text("id") == "node.unknown", "\(words): \(run)")
        }
    }

    @Test("a node that has nothing of the paths is left out, or said once to be followed no longer if it was named")
    func misdirected() async throws {
        let sensor = try shell.start("simulate occupancy-sensor --port 0 --mdns none --state \(shell.home)/eye")
        let port = try await sensor.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name eye --timeout 60s")
        let all = try await shell.succeed("subscribe --all */on-off/on-off --for 2s")
        #expect(all.stdout == "lamp\t1/on-off/on-off\tfalse\n" && all.stderr.isEmpty, "\(all)")
        let named = try await shell.run("subscribe lamp eye */on-off/on-off --for 3s")
        #expect(named.status == 6 && named.stdout == "lamp\t1/on-off/on-off\tfalse\n", "\(named)")
        let told = named.stderr.split(separator: "\n")
        #expect(told.count == 1 && told.allSatisfy { $0.contains("followed no longer") }, "\(named)")
        _ = await sensor.stop()
    }

    @Test("--until ends a run when the value is reached, and with exit code 12 if it is not")
    func until() async throws {
        let watch = try shell.start("subscribe lamp 1/on-off/on-off --until 1/level-control/current-level<10")
        #expect(try await watch.text { $0.contains("1/on-off/on-off\tfalse\n") })
        try await shell.succeed("level lamp 5")
        #expect(await watch.end().status == 0)
        let late = try await shell.run(
            "subscribe lamp 1/on-off/on-off --until 1/on-off/on-off=false --for 300ms --json")
        #expect(try late.status == 12 && late.error().text("id") == "watch.not-met", "\(late)")
        let over = try await shell.run("subscribe lamp 1/on-off/on-off --for 300ms")
        #expect(over.status == 0 && over.stdout == "true\n", "\(over)")
    }

    @Test("wait ends with the value or the event, at once if it is so already, else with exit code 12")
    func wait() async throws {
        #expect(try await shell.succeed("wait lamp 1/on-off/on-off=off").stdout.isEmpty)
        let waiting = try shell.start("wait lamp 1/on-off/on-off!=false --for 60s")
        let event = try shell.start("wait lamp 0/access-control/access-control-entry-changed --for 300ms --json")
        let nothing = await event.end()
        #expect(nothing.status == 12, "\(nothing)")
        try await shell.succeed("on lamp")
        #expect(await waiting.end().status == 0)
        let late = try await shell.run("wait lamp 1/on-off/on-off=0 --for 300ms --json")
        #expect(try late.status == 12 && late.error().text("id") == "watch.not-met", "\(late)")
        let whole = try await shell.run("wait lamp 1/on-off/on-off=0 --timeout 8s --json")
        #expect(try whole.status == 12 && whole.error().text("message")?.contains("within 8 s") == true, "\(whole)")
        let bare = try await shell.run("wait lamp 1/on-off/on-off --json")
        #expect(bare.status == 64 && bare.stderr.contains("1/on-off/on-off=VALUE"), "\(bare)")
    }

    @Test("events shows the log with the device's time, from a number or a time on")
    func events() async throws {
        let log = try await shell.succeed("events lamp").stdout.split(separator: "\n")
        #expect(log.count >= 3 && log[0].hasSuffix("0/basic-information/start-up\t{\"softwareVersion\":1}"), "\(log)")
        let late = try await shell.succeed("events lamp --since 2 --json").stdout.split(separator: "\n")
        #expect(late.count == log.count - 2)
        let first = try JSONValue(parsing: String(try #require(late.first)))
        #expect(first["number"] == 2 && first["event"] == "AccessControlEntryChanged" && first["priority"] == "info")
        #expect(first["deviceTime"]?.stringValue?.hasSuffix("Z") == true && first["fields"]?["fabricIndex"] == 1)
        #expect(try await shell.succeed("events lamp --since 1h").stdout.split(separator: "\n").count == log.count)
        #expect(try await shell.succeed("events lamp --since 2099-01-01").stdout.isEmpty)
        let follow = try await shell.succeed("events lamp 0/basic-information/start-up --follow --count 1").stdout
        #expect(follow.split(separator: "\n").count == 1 && follow.contains("0/basic-information/start-up"))
    }

    @Test(
        "what the node does not have, what has no name, and what leads nowhere is an error before or after the question"
    )
    func errors() async throws {
        for (words, status) in [
            ("subscribe lamp 9/on-off/on-off", 6), ("subscribe lamp 1/on-off/nothing", 64), ("subscribe 1/6/0", 64),
            ("subscribe lamp 1/6/0 --count 0", 64), ("subscribe lamp 1/6/0 --min 2m --max 1m", 64),
            ("subscribe lamp 1/6/0 --max 19h", 64), ("subscribe lamp 1/6/0 --until 1/6/0", 64),
            ("wait lamp 1/on-off/on-off=bright", 64), ("events lamp --count 1", 64), ("events lamp --since then", 64),
            ("events lamp 9/basic-information/start-up", 6), ("subscribe --all 1/door-lock/lock-state", 6),
        ] as [(String, Int32)] {
            let run = try await shell.run(words)
            #expect(run.status == status && run.stdout.isEmpty && !run.stderr.isEmpty, "\(words): \(run)")
        }
    }

    @Test("--csv is a table: a header, and a line for each value with its unit; what has no unit has none")
    func csv() async throws {
        let run = try await shell.succeed(
            "subscribe lamp 1/on-off/on-off 1/level-control/current-level --csv --count 2")
        let lines = run.stdout.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(lines.first?.joined(separator: ",") == "time,node,name,path,value,unit" && lines.count == 3, "\(run)")
        #expect(lines.dropFirst().allSatisfy { $0[0].hasPrefix("20") && $0[0].hasSuffix("Z") && $0[1] == "1" })
        #expect(lines[1].dropFirst(2) == ["lamp", "1/on-off/on-off", "false", ""], "\(run)")
        #expect(lines[2][3] == "1/level-control/current-level" && lines[2][5] == "%", "\(run)")
        let raw = try await shell.succeed("subscribe lamp 1/level-control/current-level --csv --numeric --count 1")
        #expect(raw.stdout.hasSuffix(",1/254\n"), "\(raw)")
        let all = try await shell.succeed("subscribe lamp --csv --for 2s")
        #expect(all.stdout.contains(",1/on-off/on-off,false,\n") && !all.stdout.contains("start-up\t"), "\(all)")
    }

    @Test("--plot draws on a terminal, and what it cannot draw is refused before anything is asked")
    func plot() async throws {
        let terminal = try Shell(["COLUMNS": "50", "TERM": "xterm"], terminals: [.output])
        let run = try await terminal.succeed(
            "subscribe lamp 1/level-control/current-level --plot --for 1s --home \(shell.home)")
        #expect(run.stdout.hasPrefix("\u{1B}[?1049h\u{1B}[?25l\u{1B}[H"), "\(run)")
        let end = try #require(run.stdout.range(of: "\u{1B}[?25h\u{1B}[?1049l"))
        let last = run.stdout[end.upperBound...].split(separator: "\n")
        #expect(last.count <= 23 && last.last?.hasPrefix("● 1/level-control/current-l") == true, "\(last)")
        for (words, text) in [
            ("subscribe lamp 1/on-off/on-off --plot", "not known to be one"),
            ("subscribe lamp 1/level-control/current-level 1/on-off/on-off --plot", "'1/on-off/on-off'"),
            ("subscribe lamp 1/level-control --plot", "'1/level-control'"),
            ("subscribe lamp 0/basic-information/start-up --plot", "an event has no value"),
            ("subscribe lamp --plot", "needs a PATH"), ("subscribe lamp 1/8/0 --plot --csv", "exclude each other"),
            ("subscribe lamp 1/8/0 --plot --json", "exclude each other"),
            ("subscribe lamp 1/8/0 --csv --timestamps", "without --timestamps"),
            ("subscribe lamp 1/8/0 --plot --numeric", "--numeric"), ("energy lamp --plot", "needs --watch"),
            ("motion lamp --watch --csv", "--csv is for 'sensor' and 'energy'"),
            ("sensor lamp --watch --plot --csv", "exclude each other"),
        ] {
            let refused = try await terminal.run("\(words) --home \(shell.home)")
            #expect(
                refused.status == 64 && refused.stdout.isEmpty && refused.stderr.contains(text), "\(words): \(refused)")
        }
        let pipe = try await shell.run("subscribe lamp 1/level-control/current-level --plot")
        #expect(pipe.status == 64 && pipe.stdout.isEmpty && pipe.stderr.contains("--csv"), "\(pipe)")
    }

    @Test("a condition compares numbers by value, and everything else as it prints")
    func conditions() throws {
        func isMet(_ text: String, _ value: TLVReport) throws -> Bool {
            try #require(try AwaitedValue(text, in: .standard)).isMet(by: value.report)
        }
        let level = TLVReport(1, 8, 0, .uint(7))
        for text in ["1/8/0=7", "1/8/0>6", "1/8/0>=7", "1/8/0<=7", "1/8/0<8", "1/8/0!=8", "*/8/0=7"] {
            #expect(try isMet(text, level), "\(text)")
        }
        for text in ["1/8/0=8", "1/8/0>7", "1/8/0<7", "1/8/0!=7", "2/8/0=7", "1/8/0=null"] {
            #expect(try !isMet(text, level), "\(text)")
        }
        #expect(try isMet("1/8/0=null", TLVReport(1, 8, 0, .null)))
        #expect(try !isMet("1/8/0<9", TLVReport(1, 8, 0, .null)))
        #expect(try isMet("1/thermostat/local-temperature>=21.5C", TLVReport(1, 0x201, 0, .int(2150))))
        #expect(try isMet("0/basic-information/node-label=a=b", TLVReport(0, 0x28, 5, .string("a=b"))))
        #expect(try AwaitedValue("1/6/0", in: .standard) == nil)
    }

    /// A report of one value.
    private struct TLVReport {
        let report: AttributeReport

        init(_ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32, _ value: TLVValue) {
            report = AttributeReport(
                path: ConcreteAttributePath(
                    endpoint: EndpointID(endpoint), cluster: ClusterID(cluster), attribute: AttributeID(attribute)),
                dataVersion: nil, outcome: .value(value))
        }
    }
}
