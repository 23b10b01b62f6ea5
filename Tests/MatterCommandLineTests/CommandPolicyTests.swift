import ArgumentParser
import JSON
import TestSupport
import Testing

@testable import MatterCommandLine

/// The commands that an administrator allows, and those that only look.
@Suite("Command policy", .together) struct CommandPolicyTests {
    private static func policy(_ text: String) throws -> CommandPolicy { try CommandPolicy(parsing: Array(text.utf8)) }

    @Test("a policy allows what it lists, by the words of the commands")
    func list() throws {
        let policy = try Self.policy(#"{"version":1,"comment":"look","allow":["status","node  ls"]}"#)
        #expect(policy.allowed == ["status", "node ls"])
        #expect(try Self.policy(#"{"version":1,"allow":[]}"#).allowed.isEmpty)
    }

    @Test(
        "a policy that is not understood as a whole is none, so that no rule is overlooked",
        arguments: [
            "", "[]", "{}", #"{"version":2,"allow":[]}"#, #"{"version":1}"#, #"{"version":1,"allow":"status"}"#,
            #"{"version":1,"allow":[1]}"#, #"{"version":1,"allow":["status"],"deny":["on"]}"#,
            #"{"version":1,"allow":["status"]"#,
        ])
    func malformed(text: String) {
        #expect { try Self.policy(text) } throws: { ($0 as? CommandLineError)?.code == .policyMalformed }
    }

    @Test("each command that only looks is there, under that name")
    func reading() {
        let verbs = ["mode", "lock show"]
        let known = Set(UsageTests.commands.map { $0.words.joined(separator: " ") } + verbs)
        let unknown = CommandPolicy.reading.allowed.subtracting(known)
        #expect(unknown.isEmpty, "\(unknown)")
    }

    @Test(
        "a command is known by the words that lead to it, and the verb of a kind of device",
        arguments: [
            ("status", "status"), ("node ls", "node ls"), ("cover bedroom", "cover"),
            ("cover open bedroom", "cover open"),
            ("cover bedroom 40%", "cover position"), ("lock show door", "lock show"), ("lock door", "lock lock"),
            ("mode robot", "mode"), ("mode robot quick", "mode set"), ("toggle lamp", "toggle"),
            ("unlock door", "unlock"),
        ])
    func names(line: String, name: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let command = try #require(inProgram { Program.command(of: words) })
        #expect(inProgram { CommandPolicy.names(of: command) }.contains(name))
    }

    @Test("the reminder refuses what changes anything, before it does, and lets what looks run; 0 is no reminder")
    func reminder() async throws {
        let shell = try Shell(["MATTERCTL_READONLY": "1"])
        for line in ["fabric create home", "on lamp", "cover open blind", "room add Hall", "node forget 1"] {
            let run = try await shell.run(line + " --json")
            #expect(run.status == 10 && run.stdout.isEmpty, "\(line): \(run)")
            #expect(try run.error().text("id") == "policy.refused", "\(line): \(run)")
        }
        #expect(try await shell.run("fabric ls --json").stdout == "[]\n")
        #expect(try await shell.run("on --help").status == 0)
        let free = try Shell(["MATTERCTL_READONLY": "0"])
        #expect(try await free.run("fabric create home").status == 0)
    }
}
