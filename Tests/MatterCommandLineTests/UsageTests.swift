import ArgumentParser
import Foundation
import JSON
import TestSupport
import Testing

@testable import MatterCommandLine

@Suite("Command line", .together) struct UsageTests {
    /// Every command with the words that lead to it; groups of commands left out.
    static var commands: [(words: [String], type: any ParsableCommand.Type)] {
        // That of a group of commands has the name of the group.
        func name(_ type: any ParsableCommand.Type) -> [String] {
            (type as? any KindOfDeviceCommand.Type)?.isOfGroup ?? false ? [] : [type._commandName]
        }
        func below(_ type: any ParsableCommand.Type, _ words: [String]) -> [([String], any ParsableCommand.Type)] {
            let parts = type.configuration.subcommands
            return parts.isEmpty ? [(words, type)] : parts.flatMap { below($0, words + name($0)) }
        }
        return inProgram { below(MatterCtl.self, []).map { (words: $0.0, type: $0.1) } }
    }

    @Test("every command has a help page with an abstract, an example and the common options, 80 columns wide")
    func helpPages() async throws {
        let shell = try Shell()
        #expect(Self.commands.count > 60)
        for (words, type) in Self.commands {
            let page = try await shell.run(words + ["--help"])
            #expect(page.status == 0 && page.stderr.isEmpty, "\(words)")
            #expect(page.stdout.hasPrefix("OVERVIEW: "), "\(words)")
            #expect(page.stdout.contains("\nUSAGE: matterctl \(words.joined(separator: " "))"), "\(words)")
            #expect(page.stdout.contains("\nGLOBAL OPTIONS:\n") && page.stdout.contains("--json"), "\(words)")
            #expect(type.configuration.discussion.contains("Example: matterctl "), "\(words)")
            // Required arguments do not get shorter.
            let wide = page.stdout.split(separator: "\n").first { $0.count > 80 && !$0.contains("[<options>]") }
            #expect(wide == nil, "\(words)")
        }
    }

    @Test("every command refuses an option that it does not have: 64")
    func unknownOptions() async throws {
        let shell = try Shell()
        for (words, _) in Self.commands {
            let run = try await shell.run(words + ["--no-such-option", "--json"])
            #expect(run.status == 64 && run.stdout.isEmpty, "\(words): \(run)")
            #expect(try run.error().text("id") == "usage", "\(words)")
        }
    }

    @Test("a word that is another option proposes none, least of all --all; a misspelt one has its hint on both sides")
    func unlikelyOptions() async throws {
        let shell = try Shell()
        for words in ["on kitchen --for 5m", "off kitchen --al", "toggle kitchen --alll", "off --ball"] {
            let run = try await shell.run(words)
            #expect(run.status == 64 && !run.stderr.lowercased().contains("did you mean"), "\(words): \(run)")
        }
        let behind = try await shell.run("on kitchen --jsn")
        #expect(behind.stderr.contains("unknown option '--jsn'. Did you mean '--json'?"), "\(behind)")
        let before = try await shell.run("--jsn node ls")
        #expect(before.messages == ["error: unknown option '--jsn'", "hint: did you mean --json?"], "\(before)")
        let single = try await shell.run("--verify on kitchen")
        #expect(
            single.messages.last == "hint: options of a single command belong after it: matterctl COMMAND --verify",
            "\(single)")
    }

    @Test("a share with a plus sign is refused where there are no steps")
    func signs() async throws {
        let shell = try Shell()
        for words in ["cover position blind +10%", "fan speed desk +10%", "media volume tv +10%"] {
            #expect(try await shell.run(words + " --dry-run").status == 64, "\(words)")
        }
    }

    @Test("without a fabric the state directory is named, and what chose it")
    func noFabric() async throws {
        let shell = try Shell()
        let chosen = try await shell.run("on kitchen --home \(shell.path("elsewhere"))")
        #expect(chosen.status == 3)
        #expect(
            chosen.messages.first == "error: there is no fabric in \(shell.path("elsewhere")) (--home)", "\(chosen)")
        #expect(chosen.messages.last?.contains("--home or MATTERCTL_HOME") == true, "\(chosen)")
        let usual = try await shell.run("on kitchen")
        #expect(usual.messages.first?.hasSuffix(" ($MATTERCTL_HOME)") == true, "\(usual)")
        let named = try await shell.run("on kitchen --fabric cottage")
        #expect(named.messages.first?.contains("there is no fabric 'cottage' in /") == true, "\(named)")
    }

    @Test("every command that lacks an argument says which: 64, with the usage")
    func missingArguments() async throws {
        let shell = try Shell()
        for words in [
            "on", "off", "toggle", "level", "level lamp", "read", "write", "write lamp 1/6/0", "invoke",
            "ping", "node show", "node rename lamp", "node forget", "node remove", "fabric create", "fabric use",
            "fabric import x", "fabric remove", "acl ls", "payload parse", "payload make", "simulate",
        ] {
            let run = try await shell.run(words)
            #expect(run.status == 64, "\(words): \(run)")
            #expect(run.stderr.contains("missing expected argument"), "\(words): \(run)")
            #expect(run.stderr.contains("hint: usage: matterctl \(words.split(separator: " ")[0])"), "\(words): \(run)")
        }
    }

    @Test(
        "a value that an option does not take: 64",
        arguments: [
            "on lamp --timeout 5q", "on lamp --timeout 0", "ping lamp --count 0", "ping lamp --count 10001",
            "level lamp 255", "level lamp 101%", "level lamp 10 --options-mask 1", "level lamp 10 --transition 2h",
            "off lamp --variant 1", "off lamp --effect pop", "read lamp/1 1/6/0", "write lamp/1 1/6/0 1",
            "invoke lamp/1 1/6/2", "invoke lamp 1/6/2 a=1 --json-fields x", "ping lamp/1", "acl ls lamp/1",
            "commission", "commission 34970112332 --passcode 1", "commission 34970112332 --discriminator 1",
            "commission 34970112332 --country de", "commission 34970112332 --node-id 0",
            "commission 34970112332 --from x", "commission --from x --name a", "commission --from x --passcode 1",
            "commission --from x --node-id 2", "commission --from x --address 127.0.0.1", "commission --from /nowhere",
            "commission 34970112332 --until tea", "commission 34970112332 --issuer nobody",
            "commission 34970112332 --attestation maybe", "attest", "attest lamp --all", "attest --all --save x",
            "discover --discriminator 4096",
            "discover --address 127.0.0.1", "discover --for 1s", "discover --watch --for 0",
            "simulate on-off-light --for 0", "simulate on-off-light --timeout 0", "fabric create x --fabric-id 0",
            "fabric create x --vendor-id 0xFFF5",
            "fabric create x --issuer exec:true", "fabric import x --rcac a --noc b --key c --ipk @d",
            "on lamp --progress loud",
        ])
    func invalidValues(words: String) async throws {
        let run = try await Shell().run(words)
        #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
        #expect(run.messages.first?.hasPrefix("error: ") == true, "\(run)")
    }

    @Test("a mistyped command names the nearest one; what other programs call it is known")
    func unknownCommands() async throws {
        let shell = try Shell()
        for (words, hint) in [
            ("comission", "did you mean commission?"), ("node sow", "did you mean show?"),
            ("node rm x", "did you mean remove or forget?"), ("zzzzzz", "see: matterctl --help"),
        ] {
            let run = try await shell.run(words)
            #expect(run.status == 64 && run.messages.last == "hint: \(hint)", "\(run)")
        }
        let json = try await shell.run("node sow --json").error()
        #expect(json.text("id") == "usage.unknown-command" && json.text("hint") == "did you mean show?")
    }

    @Test("options of every command may stand before it, and variables of the environment stand for them")
    func placesOfOptions() async throws {
        let shell = try Shell()
        #expect(try await shell.succeed("--json node ls").stdout == "[]\n")
        let other = shell.path("other")
        try await shell.succeed("--home \(other) fabric create lab")
        try await shell.succeed("fabric create den --home=\(other)")
        #expect(try await shell.succeed("fabric ls").stdout.isEmpty)
        let elsewhere = try Shell(["MATTERCTL_HOME": other, "MATTERCTL_FABRIC": "den"])
        #expect(try await elsewhere.succeed("fabric show").stdout.hasPrefix("name\tden\n"))
        #expect(try await elsewhere.succeed("fabric show --fabric lab").stdout.hasPrefix("name\tlab\n"))
        let homeless = try await Shell(["MATTERCTL_HOME": "", "HOME": ""]).run("fabric ls --json")
        #expect(homeless.status == 10)
        #expect(try homeless.error().text("id") == "state.no-home")
        #expect(try homeless.error().text("hint") == "use --home DIR or set MATTERCTL_HOME")
    }

    @Test("version, and completion scripts that ask the program")
    func version() async throws {
        let shell = try Shell()
        #expect(try await shell.succeed("--version").stdout == "matterctl 0.2.0\n")
        let json = try await shell.succeed("--version --json").json()
        #expect(json["name"]?.stringValue == "matterctl" && json["version"]?.stringValue == "0.2.0")
        let library = try #require(json["openssl"]?.stringValue)
        #expect(library.split(separator: ".").count == 3 && library.hasPrefix("3."), "\(library)")
        for words in ["--version -v", "-vv --version", "--verbose --version"] {
            let lines = try await shell.succeed(words).stdout.split(separator: "\n")
            #expect(lines.count == 4 && lines.first == "matterctl 0.2.0", "\(words): \(lines)")
            #expect(lines.contains { $0.hasPrefix("OpenSSL \(library) ") }, "\(words): \(lines)")
        }
        #expect(try await shell.succeed("-v --version --json").stdout == shell.succeed("--version --json").stdout)
        for kind in ["bash", "zsh", "fish"] {
            #expect(
                try await shell.succeed("--generate-completion-script \(kind)").stdout.contains("---complete \(kind)"),
                "\(kind)")
        }
    }

    @Test("a command as an earlier version spelled it does the same, and no help page shows it")
    func oldSpellings() async throws {
        let shell = try Shell()
        for (old, new) in [
            ("cloud groups", "cloud group ls"), ("cloud create-fabric x", "cloud group create x"),
            ("cloud convert x", "cloud group convert --group x"),
            ("cloud user-noc x", "cloud group user-noc --group x"),
            ("cloud delete x --yes", "cloud group delete --group x --yes"), ("cloud nodes", "cloud node ls"),
            ("cloud node-metadata x", "cloud node metadata x"), ("acl refresh", "rainmaker access refresh"),
            ("cloud share add x bob", "cloud share add --group x bob"),
            ("cloud share remove x bob --yes", "cloud share remove --group x bob --yes"),
        ] {
            let (before, now) = (try await shell.run(old + " --json"), try await shell.run(new + " --json"))
            #expect(before.status == now.status && before.stderr == now.stderr, "\(before)\(now)")
            #expect([3, 9].contains(now.status), "\(new): \(now)")
        }
        for words in ["cloud group convert", "cloud convert x --group y", "cloud share add bob", "cloud group rm"] {
            #expect(try await shell.run(words).status == 64, "\(words)")
        }
        let page = try await shell.succeed("cloud --help").stdout
        #expect(page.contains("\n  group ") && !page.contains("groups  ") && !page.contains("node-metadata"))
    }

    @Test("every step that a library names has words")
    func steps() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\.step\("([a-z.-]+)"/) {
                count += 1
                let isKnown = inProgram { Hints.knows(String(match.1)) }
                #expect(isKnown, "\(match.1) in \(file.lastPathComponent)")
            }
        }
        #expect(count > 40)
    }

    @Test("a negative number is a value, behind any flag of the command; the flags are those that the command declares")
    func negativeNumbers() {
        let path = "1/513/16"
        for (words, escaped) in [
            ("write lamp \(path) -5C", "write lamp \(path) -- -5C"),
            ("write lamp --force \(path) -5 --json", "write lamp --force \(path) --json -- -5"),
            ("write lamp \(path) -5 --timeout 2s -vv", "write lamp \(path) --timeout 2s -vv -- -5"),
            ("write lamp \(path) 1 --data-version -1", "write lamp \(path) 1 --data-version -1"),
            ("write lamp \(path) -- -5", "write lamp \(path) -- -5"), ("node ls --json", "node ls --json"),
        ] {
            let result = NegativeNumbers.escaped(words.split(separator: " ").map(String.init), of: MatterCtl.self)
            #expect(result.joined(separator: " ") == escaped)
        }
    }
}
