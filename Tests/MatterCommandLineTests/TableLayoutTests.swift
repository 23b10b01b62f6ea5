import TestSupport
import Testing

@testable import MatterCommandLine

/// Tables that fit.
@Suite("Table layout", .together) struct TableLayoutTests {
    private static let header = ["NODE", "NAME", "PRODUCT", "ADDRESS", "STATE", "ROOM", "BATTERY"]
    private static let rows = [
        [
            "1", "kitchen", "Dimmable light", "[fd77::1]:5541", "21.50 °C, 12.00 °C outdoors, heat to 21.50 °C",
            "Kitchen", "-",
        ],
        ["2", "Lamp behind the wardrobe", "Contact sensor", "[fd77::1]:5542", "open", "客厅", "-"],
    ]

    private func lines(_ width: Int?) -> [String] {
        TableLayout(width: width, ellipsis: "…").lines(Self.header, Self.rows)
    }

    @Test("a table with room for it has all columns, each as wide as its widest cell")
    func whole() {
        for width in [nil, 160] {
            #expect(
                lines(width) == [
                    "NODE  NAME                      PRODUCT         ADDRESS         "
                        + "STATE                                          ROOM     BATTERY",
                    "1     kitchen                   Dimmable light  [fd77::1]:5541  "
                        + "21.50 °C, 12.00 °C outdoors, heat to 21.50 °C  Kitchen  -",
                    "2     Lamp behind the wardrobe  Contact sensor  [fd77::1]:5542  "
                        + "open                                           客厅     -",
                ])
        }
    }

    @Test("no row is wider than the terminal, whatever its width, and each has its first column")
    func everyWidth() {
        for width in 1...200 {
            let lines = lines(width)
            #expect(lines.count == 3)
            #expect(lines.allSatisfy { TableLayout.width(of: $0) <= width }, "\(width): \(lines)")
            #expect(lines.last?.first == "2" && lines.allSatisfy { !$0.hasSuffix(" ") }, "\(width): \(lines)")
        }
    }

    @Test("columns that say nothing go first, then those that few need, then long cells are shortened, then others go")
    func order() throws {
        #expect(
            lines(110).first
                == "NODE  NAME                      ADDRESS         STATE                                          ROOM"
        )
        #expect(
            lines(95).first == "NODE  NAME                      STATE                                          ROOM")
        #expect(
            lines(60) == [
                "NODE  NAME                    STATE                  ROOM",
                "1     kitchen                 21.50 °C, 12.00 °C o…  Kitchen",
                "2     Lamp behind the wardr…  open                   客厅",
            ])
        #expect(lines(30).first == "NODE  NAME         STATE")
        #expect(lines(30).last == "2     Lamp behin…  open")
    }

    @Test("a column of which every row says the usual is none")
    func usual() {
        let table = TableLayout(width: 20, ellipsis: "…")
        #expect(table.lines(["NAME", "STATE", "REACHABLE"], [["kitchen", "on", "yes"]]).first == "NAME     STATE")
        #expect(table.lines(["NAME", "STATE", "REACHABLE"], [["kitchen", "-", "no"]]).first == "NAME     REACHABLE")
    }

    @Test("colours do not count as width, and blanks have none")
    func colors() {
        var table = TableLayout(width: nil, ellipsis: "…")
        table.style = { TextStyle(of: $1, under: $0) }
        table.headingStyle = .bold
        #expect(
            table.lines(["REACHABLE", "BATTERY", "STATE"], [["no", "5%", "unlocked"], ["yes", "20%", "locked"]]) == [
                "\u{1B}[1mREACHABLE\u{1B}[0m  \u{1B}[1mBATTERY\u{1B}[0m  \u{1B}[1mSTATE\u{1B}[0m",
                "\u{1B}[31mno\u{1B}[0m         \u{1B}[33m5%\u{1B}[0m       \u{1B}[1munlocked\u{1B}[0m",
                "yes        20%      locked",
            ])
    }

    @Test("a value that may take several lines is broken at blanks, and loses nothing")
    func folded() {
        let words = "one two three fourteen-and-more " + String(repeating: "x", count: 30)
        for width in 12...70 {
            let lines = TableLayout.folded(words, to: width)
            #expect(lines.allSatisfy { TableLayout.width(of: $0) <= width })
            #expect(lines.joined().filter { $0 != " " } == words.filter { $0 != " " })
        }
        #expect(TableLayout.folded(words, to: 18).first == "one two three")
        let table = TableLayout(width: 40, ellipsis: "…")
        #expect(
            table.foldingLast(["PATH", "VALUE"], [["1/on-off/on-off", "first second third fourth"]]) == [
                ["1/on-off/on-off", "first second third"], ["", "fourth"],
            ])
    }
}

/// How results look, from the arguments and the environment.
@Suite("Presentation", .together) struct PresentationTests {
    @Test("options are read wherever they stand, but not behind --")
    func options() {
        #expect(Presentation(["on", "x", "--color", "never", "--wide"]).color == .never)
        #expect(Presentation(["--color=always", "on"]).color == .always)
        #expect(Presentation(["on", "--wide"]).isWide && !Presentation(["on", "--", "--wide"]).isWide)
        #expect(Presentation(["on", "--color", "purple"]).color == .auto)
    }

    @Test("there is Unicode unless the locale says otherwise")
    func locale() {
        for (variables, isUnicode) in [
            ([:], true), (["LC_ALL": "C"], false), (["LANG": "POSIX"], false), (["LANG": "de_DE.UTF-8"], true),
            (["LC_ALL": "C.utf8", "LANG": "C"], true), (["LC_CTYPE": "C", "LANG": "de_DE.UTF-8"], false),
        ] as [([String: String], Bool)] {
            #expect(PlainCharacters.isUnicode { variables[$0] } == isUnicode, "\(variables)")
        }
    }

    @Test("without Unicode, signs become similar ones, and JSON stays the same value")
    func plain() {
        #expect(PlainCharacters.text("21.5 °C … ✓ Küche", isJSON: false) == "21.5 C ... + K\\u{fc}che")
        #expect(PlainCharacters.text("{\"a\":\"Küche 😀\"}", isJSON: true) == "{\"a\":\"K\\u00fcche \\ud83d\\ude00\"}")
    }

    @Test(
        "colours are for terminals that can show them, unless the user says otherwise",
        arguments: [
            ("ls", [:], true), ("ls --color never", [:], false), ("ls --color always", ["NO_COLOR": "1"], true),
            ("ls", ["NO_COLOR": "1"], false), ("ls", ["TERM": "dumb"], false), ("ls --color always --json", [:], false),
        ] as [(String, [String: String], Bool)])
    func colors(_ words: String, _ variables: [String: String], _ hasColors: Bool) async throws {
        let variables = ["NO_COLOR": ""].merging(variables) { $1 }
        let shell = try Shell(variables, terminals: [.output, .error])
        try await shell.succeed("fabric create home")
        let run = try await shell.run("fabric \(words)")
        #expect(run.stdout.contains("\u{1B}[1mNAME\u{1B}[0m") == hasColors, "\(run)")
        let failed = try await shell.run("node show x" + words.dropFirst(2))
        #expect(failed.stderr.contains("\u{1B}[31merror:") == hasColors, "\(failed)")
        // A pipe has none, unless they are always wanted.
        let piped = try Shell(variables)
        #expect(
            try await piped.run("node show x" + words.dropFirst(2)).stderr.contains("\u{1B}")
                == (words == "ls --color always"))
    }

    @Test("a wrong word for --color is an error of usage")
    func wrong() async throws {
        let run = try await Shell().run("fabric ls --color purple")
        #expect(run.status == 64 && run.stderr.contains("purple"), "\(run)")
    }
}
