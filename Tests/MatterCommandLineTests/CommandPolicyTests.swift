import ArgumentParser
import JSON
import MatterState
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

    @Test(
        "a limit that is not understood as a whole makes the policy invalid",
        arguments: [
            #"{"command":"on"}"#, #"{"nodes":["lamp"]}"#, #"{"command":"on","nodes":"lamp"}"#,
            #"{"command":"on","nodes":[true]}"#, #"{"command":"on","nodes":["lamp"],"fabrics":["home"]}"#,
            #"{"command":"on","types":["no-such-type"]}"#, #"{"command":1,"nodes":["lamp"]}"#,
        ])
    func malformedLimit(entry: String) {
        #expect { try Self.policy("{\"version\":1,\"allow\":[\(entry)]}") } throws: {
            ($0 as? CommandLineError)?.code == .policyMalformed
        }
    }

    private static func node(_ id: UInt64, _ name: String?, room: String? = nil, types: [[UInt32]]) -> NodeRecord {
        var node = NodeRecord(nodeID: NodeID(id))
        (node.name, node.room) = (name, room)
        node.endpoints = types.enumerated().map {
            NodeRecord.Endpoint(number: UInt16($0), deviceTypes: $1, serverClusters: [])
        }
        return node
    }

    @Test("a limit admits a node by its id or name, its room and its types, and only if it meets all that is named")
    func limits() throws {
        let lamp = Self.node(7, "lamp", room: "Kitchen", types: [[0x16], [0x0100]])
        let door = Self.node(8, "door", room: "Hall", types: [[0x16], [0x0A]])
        let both = Self.node(9, "both", room: "Kitchen", types: [[0x16], [0x0100], [0x0A]])
        let unknown = Self.node(10, nil, types: [])
        func admitted(_ limit: String) throws -> [UInt64] {
            let policy = try Self.policy("{\"version\":1,\"allow\":[{\"command\":\"on\",\(limit)}]}")
            let limits = try #require(policy.limited["on"])
            return [lamp, door, both, unknown].filter { node in limits.contains { $0.admits(node) } }
                .map(\.nodeID.rawValue)
        }
        #expect(try admitted(#""nodes":["lamp",8]"#) == [7, 8])
        #expect(try admitted(#""nodes":["8","lam"]"#) == [8])
        #expect(try admitted(#""rooms":["kitchen"]"#) == [7, 9])
        #expect(try admitted(#""types":["on-off-light"]"#) == [7], "the other one has a lock as well")
        #expect(try admitted(#""types":["on-off-light",10]"#) == [7, 8, 9])
        #expect(try admitted(#""rooms":["Kitchen"],"types":["on-off-light"]"#) == [7])
        #expect(try admitted(#""nodes":["door"],"rooms":["Kitchen"]"#).isEmpty)
        for limit in [#""nodes":[]"#, #""rooms":[]"#, #""types":[]"#] { #expect(try admitted(limit).isEmpty) }
    }

    @Test("of a bridge all that is behind it has to be in the room")
    func limitedBridge() throws {
        let policy = try Self.policy(#"{"version":1,"allow":[{"command":"on","rooms":["Hall"]}]}"#)
        let limit = try #require(policy.limited["on"]?.first)
        var bridge = Self.node(7, "bridge", room: "Hall", types: [[0x16], [0x0E], [0x0100], [0x0100]])
        var device = BridgedDevice()
        device.room = "Hall"
        bridge.endpoints[2].bridged = device
        #expect(limit.admits(bridge))
        device.room = "Kitchen"
        bridge.endpoints[3].bridged = device
        #expect(!limit.admits(bridge))
    }

    @Test("an entry without a limit counts, whatever others say; one that is limited alone has its limits")
    func unlimited() throws {
        let policy = try Self.policy(
            #"{"version":1,"allow":["on",{"command":"on","nodes":[7]},{"command":"off","nodes":[7]},{"command":"off","nodes":[8]}]}"#
        )
        func limits(_ line: String) throws -> NodeLimits? {
            let command = try #require(inProgram { Program.command(of: line.split(separator: " ").map(String.init)) })
            return try inProgram { try policy.limits(of: command, by: CommandPolicy.path) }
        }
        #expect(try limits("on lamp") == nil)
        #expect(try limits("off lamp")?.limits.count == 2)
        #expect(throws: CommandLineError.self) { try limits("toggle lamp") }
    }

    @Test("a policy that lists nothing refuses every command by its name, so also each that a later version adds")
    func everything() throws {
        let policy = try Self.policy(#"{"version":1,"allow":[]}"#)
        #expect(UsageTests.commands.count > 100)
        for (words, type) in UsageTests.commands {
            let names = inProgram { CommandPolicy.places(of: type, below: MatterCtl.self) }
            #expect(names.contains(words), "\(words): \(names)")
            #expect(policy.refuses(names.map { $0.joined(separator: " ") }), "\(words)")
        }
        let one = try Self.policy(#"{"version":1,"allow":["node ls"]}"#)
        #expect(!one.refuses(["node ls"]) && one.refuses(["node"]) && one.refuses(["node", "node lsx"]))
    }

    @Test("the page for assistants is short, its policies are valid, and its steps are commands that only look")
    func assistant() throws {
        let text = try DocumentsTests.page("assistant")
        #expect(text.split(separator: "\n").count < 100)
        let known = Set(UsageTests.commands.map { $0.words.joined(separator: " ") })
        let policies = try text.matches(of: /```json\n([^`]*)```/).map { try Self.policy(String($0.1)) }
        #expect(policies.count == 2)
        for policy in policies { #expect(policy.allowed.union(policy.limited.keys).isSubset(of: known)) }
        let steps = text.matches(of: /\| [0-9] \| `matterctl ([a-z ]+?)(?: NODE| --json)/).map { String($0.1) }
        #expect(steps.count == 7 && CommandPolicy.reading.allowed.isSuperset(of: steps), "\(steps)")
        #expect(policies.first?.allowed.isSuperset(of: steps) ?? false)
    }

    @Test("each command that only looks is there, under that name")
    func reading() {
        let known = Set(UsageTests.commands.map { $0.words.joined(separator: " ") })
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
            ("unlock door", "unlock"), ("unlock door", "lock unlock"), ("lock unlock door", "unlock"),
            ("door-lock door", "door-lock"), ("door-lock door", "lock"), ("lock door", "door-lock lock"),
            ("unlock door", "door-lock unlock"), ("lock codes door", "door-lock codes"),
            ("lock show door", "lock"), ("lock codes door", "lock codes"), ("scene ls hall", "scene ls"),
            ("scene show hall", "scene"), ("scene recall hall 3", "scene recall"),
            ("scene store hall 3", "scene store"),
        ])
    func names(line: String, name: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let command = try #require(inProgram { Program.command(of: words) })
        #expect(inProgram { CommandPolicy.names(of: command) }.contains(name))
    }

    /// `lock` by itself was the command that looks when lists were written that have it.
    @Test("a list that has 'lock' lets locks be looked at, and not be locked")
    func lockIsLooked() throws {
        let policy = CommandPolicy(allowed: ["lock"])
        for (line, refused) in [
            ("lock", false), ("door-lock door", false), ("lock show door", false), ("lock door", true),
        ] {
            let words = line.split(separator: " ").map(String.init)
            let command = try #require(inProgram { Program.command(of: words) })
            #expect(inProgram { policy.refuses(CommandPolicy.names(of: command)) } == refused, "\(line)")
        }
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
