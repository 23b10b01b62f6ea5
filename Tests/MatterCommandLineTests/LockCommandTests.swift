import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Users, codes, schedules and settings of a lock, with a virtual device in this process.
@Suite("The users of a lock", .fewAtATime) struct LockCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func door(isTyped: Bool = false) async throws -> Background {
        let device = try shell.start("simulate door-lock --port 0 --mdns none", isTyped: isTyped)
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name door --timeout 60s")
        return device
    }

    private func quiet(_ words: String) async throws {
        let run = try await shell.succeed(words)
        #expect(run.stdout.isEmpty && run.stderr.isEmpty, "\(words): \(run)")
    }

    private func fails(_ words: String, input: String = "", _ status: Int32, _ id: String) async throws -> JSONObject {
        let run = try await shell.run("\(words) --json", input: input)
        let error = try run.error()
        #expect(run.status == status && error.text("id") == id && run.stdout.isEmpty, "\(words): \(run)")
        return error
    }

    private func users() async throws -> [JSONValue] {
        try await shell.succeed("door-lock codes door --json").json().arrayValue ?? []
    }

    @Test("codes are added, listed by user and removed; one that the lock has already, or that is too short, is not")
    func codes() async throws {
        let device = try await door()
        #expect(try await users().isEmpty)
        let added = try await shell.succeed("door-lock add-code door --pin @- --name Ada", input: "1234\n")
        #expect(added.stdout == "user\t1\ncode\t1\n", "\(added)")
        let taken = try await fails(
            "door-lock add-code door --pin @- --name Bob", input: "1234\n", 5, "lock.duplicate-code")
        #expect(taken.text("message") == "node 'door' has this PIN code already")
        #expect(taken.text("response") == "Duplicate" && taken["responseCode"] == 2)
        let short = try await fails("door-lock add-code door --pin @-", input: "123\n", 64, "node.limits")
        #expect(short.text("message") == "the PIN codes of node 'door' have 4 to 8 digits")
        _ = try await fails("door-lock add-code door --pin @-", input: "12a4\n", 64, "node.limits")
        _ = try await fails("door-lock add-code door --pin @- --name Bartholomew", input: "4321\n", 64, "node.limits")
        _ = try await fails("door-lock add-code door", 64, "usage.no-terminal")
        let shown = try await shell.run("door-lock add-code door --pin 9876")
        #expect(shown.status == 64 && !shown.stderr.contains("9876"), "\(shown)")

        let second = try await shell.succeed("door-lock add-code door --pin @- --user Ada --json", input: "56789\n")
        #expect(second.stdout == "{\"user\":1,\"code\":2}\n", "\(second)")
        let person = try Shell(terminals: [.input, .error])
        let asked = try await person.succeed("door-lock add-code door --home \(shell.home)", input: "2468\n")
        // On a slow machine it says first what it waits for.
        #expect(asked.stderr.hasSuffix("PIN code to add to node 'door':\n"), "\(asked)")
        let listed = try await users()
        #expect(listed.count == 2 && listed.first?["name"] == "Ada" && listed.first?["type"] == "UnrestrictedUser")
        #expect(listed.first?["credentials"]?.arrayValue?.map { $0["index"] } == [1, 2], "\(listed)")
        #expect(try await shell.succeed("door-lock codes door").stdout.hasPrefix("1\tAda\tOccupiedEnabled\t"))
        try await shell.succeed("unlock door --pin @-", input: "56789\n")

        try await quiet("door-lock remove-code door Ada --code 1")
        _ = try await fails("door-lock remove-code door Ada --code 1", 3, "lock.unknown-user")
        _ = try await fails("unlock door --pin @-", input: "1234\n", 5, "im.status")
        try await quiet("door-lock remove-code door 1")
        _ = try await fails("door-lock remove-code door Ada", 3, "lock.unknown-user")
        #expect(try await users().map { $0["user"] } == [2])
        _ = await device.stop()
    }

    @Test("eleven codes are one too many: the lock has room for ten")
    func full() async throws {
        let device = try await door()
        for code in 1...10 {
            try await shell.succeed("door-lock add-code door --pin @-", input: "\(1000 + code)\n")
        }
        let full = try await fails("door-lock add-code door --pin @-", input: "1011\n", 5, "lock.full")
        #expect(full.text("hint") == "see the users and their codes: matterctl door-lock codes door")
        #expect(try await users().count == 10)
        _ = await device.stop()
    }

    @Test("a user is restricted to dates, to days and hours, or to both, and freed again")
    func restrictions() async throws {
        let device = try await door()
        try await shell.succeed("door-lock add-code door --pin @- --name Ada", input: "1234\n")
        try await quiet("door-lock restrict door Ada --from 2020-01-01 --until 2020-12-24T18:00")
        func when() async throws -> JSONValue? { try await users().first?["schedules"] }
        #expect(try await when() == [["from": "2020-01-01T00:00:00", "until": "2020-12-24T18:00:00"]])
        _ = try await fails("unlock door --pin @-", input: "1234\n", 5, "im.status")
        try await quiet("door-lock restrict door 1 --days sat-mon --hours 8:00-17:00")
        #expect(try await when() == [["days": ["sun", "mon", "sat"], "from": "08:00", "until": "17:00"]])
        try await quiet(
            "door-lock restrict door Ada --days all --hours 0:00-23:59 --from 2020-01-01 --until 2099-12-31")
        let both = try await users().first
        #expect(
            both?["type"] == "ScheduleRestrictedUser" && both?["schedules"]?.arrayValue?.count == 2, "\(both as Any)")
        #expect(both?["schedules"]?.arrayValue?.last?["until"] == "2100-01-01T00:00:00", "the end of the day")
        try await quiet("door-lock unrestrict door Ada")
        #expect(try await when() == [])
        #expect(try await users().first?["type"] == "UnrestrictedUser")
        try await shell.succeed("unlock door --pin @-", input: "1234\n")
        let gone = try await shell.run(
            "invoke door 1/door-lock/get-year-day-schedule year-day-index=1 user-index=1 --json")
        let response = try gone.json()["response"]
        #expect(gone.status == 5 && response?["status"] == "NotFound", "\(gone)")

        for words in [
            "--from 2026-12-01", "--days mon", "--hours 8:00-9:00", "", "--from 2026-12-02 --until 2026-12-01",
            "--days mon --hours 9:00-8:00", "--days funday --hours 8:00-9:00", "--from 2026-12-01Z --until 2026-12-02",
            "--from 2026-12-01T10:00+01:00 --until 2026-12-02",
        ] {
            _ = try await fails("door-lock restrict door Ada \(words)", 64, "usage")
        }
        _ = await device.stop()
    }

    @Test("a lock that takes one day in each schedule gets one for each; they are shown as one and go together")
    func oneDay() async throws {
        let device = try await door(isTyped: true)
        try await device.carryOut("1 door-lock one-day")
        try await shell.succeed("door-lock add-code door --pin @- --name Ada", input: "1234\n")
        func when() async throws -> JSONValue? { try await users().first?["schedules"] }
        func days() async throws -> [JSONValue?] {
            var masks: [JSONValue?] = []
            for index in 1...6 {
                let run = try await shell.run(
                    "invoke door 1/door-lock/get-week-day-schedule week-day-index=\(index) user-index=1 --json --numeric"
                )
                masks.append(try run.json()["response"]?["daysMask"])
            }
            return masks
        }
        try await quiet("door-lock restrict door Ada --days mon-fri --hours 8:00-17:00")
        #expect(
            try await when() == [["days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "until": "17:00"]])
        #expect(try await days() == [2, 4, 8, 16, 32, nil])
        try await quiet("door-lock restrict door Ada --days sat,sun --hours 9:00-12:00")
        #expect(try await when() == [["days": ["sun", "sat"], "from": "09:00", "until": "12:00"]])
        #expect(try await days() == [1, 64, nil, nil, nil, nil])
        try await quiet("door-lock restrict door Ada --days sat --hours 9:00-12:00")
        #expect(try await days() == [64, nil, nil, nil, nil, nil])
        try await quiet("door-lock unrestrict door Ada")
        #expect(try await when() == [])
        _ = await device.stop()
    }

    @Test("the settings of a lock are shown and changed in words; one that it lacks is 6, a bad value 64")
    func settings() async throws {
        let device = try await door()
        try await quiet(
            "door-lock config door --wrong-code-limit 5 --auto-relock 1m --lockout 20s --mode privacy --pin-for-remote yes"
        )
        let terminal = try Shell(terminals: [.output])
        let drawn = try await terminal.succeed("door-lock config door --home \(shell.home)").stdout
        for part in ["wrong-code-limit  5", "60 s", "20 s", "privacy", "yes"] {
            #expect(drawn.contains(part), "\(drawn)")
        }
        #expect(try await shell.succeed("read door 1/door-lock/wrong-code-entry-limit").stdout == "5\n")
        try await quiet("door-lock config door --auto-relock never")
        let never = try await terminal.succeed("door-lock config door --home \(shell.home)").stdout
        #expect(never.contains("never"), "\(never)")
        #expect(try await shell.succeed("read door 1/door-lock/auto-relock-time").stdout == "0\n")
        let lacks = try await fails("door-lock config door --volume low", 6, "node.lacks")
        #expect(lacks.text("message") == "node 'door' has no setting 'volume'")
        let range = try await fails("door-lock config door --wrong-code-limit 0", 64, "node.limits")
        #expect(range.text("message") == "wrong-code-limit: 0 is outside 1…255")
        _ = try await fails("door-lock config door --mode sideways", 64, "node.limits")
        _ = await device.stop()
    }
}
