import Foundation
import Testing

/// Words typed wrong, or in an unusual order.
@Suite("Usage", .enabled(if: Laboratory.isHere), .laboratorySlot) struct UsageTests {
    @Test("an unknown cluster, attribute, command or field: 64, with the nearest spelling or the way to see all")
    func unknownNames() async throws {
        let matterctl = try MatterCtl()
        let cases: [([String], String, String)] = [
            (["read", "1", "1/onof"], "no cluster is called 'onof'", "did you mean on-off?"),
            (["read", "1", "1/zzz/zzz"], "no cluster is called 'zzz'", "see all clusters: matterctl clusters"),
            (["clusters", "zzz"], "no cluster is called 'zzz'", "see all clusters: matterctl clusters"),
            (
                ["read", "1", "1/on-off/zzz"], "OnOff has no attribute 'zzz'",
                "see what it has: matterctl clusters on-off"
            ),
            (
                ["write", "1", "1/on-off/toggle", "1"], "OnOff has no attribute 'toggle', but a command of that name",
                "see what it has: matterctl clusters on-off"
            ),
            (
                ["invoke", "1", "1/on-off/zzz"], "OnOff has no command 'zzz'",
                "see what it has: matterctl clusters on-off"
            ),
            (
                ["invoke", "1", "1/level-control/move", "zzz=1"], "Move has no field 'zzz'",
                "its fields are move-mode, rate, options-mask, options-override"
            ),
        ]
        for (arguments, message, hint) in cases {
            let outcome = try await matterctl.run(arguments)
            #expect(outcome.status == 64 && outcome.stdout.isEmpty, "\(outcome)")
            #expect(outcome.messages == ["error: \(message)", "hint: \(hint)"])
        }
    }

    @Test("what the parser refuses is one line and a hint, with --json one object, like every other error")
    func parserErrors() async throws {
        let matterctl = try MatterCtl()
        let read = "usage: matterctl read [<options>] [<node>] [<paths> ...]; see: matterctl read --help"
        let toggle = "usage: matterctl toggle [<options>] [<node> ...]; see: matterctl toggle --help"
        let cases: [([String], String, String)] = [
            (["read"], "missing expected argument '<node>' (node id or name)", read),
            (["read", "1", "1/on-off/on-off", "--bogus"], "unknown option '--bogus'", read),
            (
                ["toggle", "1", "--timeout", "5q"],
                "the value '5q' is invalid for '--timeout <DURATION>' (time for the whole command: 500ms, 10s, 1m30s, 2min, 1h)",
                toggle
            ),
            (["--bogus"], "unknown option '--bogus'", "usage: matterctl <subcommand>; see: matterctl --help"),
        ]
        for (arguments, message, hint) in cases {
            let outcome = try await matterctl.run(arguments)
            #expect(outcome.status == 64 && outcome.stdout.isEmpty, "\(outcome)")
            #expect(outcome.messages == ["error: \(message)", "hint: \(hint)"])
            let object = try JSON(parsing: try await matterctl.run(arguments + ["--json"]).stderr)["error"]
            #expect(object?["message"]?.string == message && object?["hint"]?.string == hint)
        }
    }

    @Test("help about an unknown command is an error with the nearest one")
    func help() async throws {
        let matterctl = try MatterCtl()
        let error = try await matterctl.fail(64, "help", "comission").messages
        #expect(error == ["error: 'comission' is not a command", "hint: did you mean commission?"])
        #expect(try await matterctl.succeed("help", "node", "ls").stdout.contains("matterctl node ls"))
        #expect(try await matterctl.succeed("help").stdout.contains("\nJOIN AND LEAVE:\n"))
    }

    @Test("options of every command may stand before it; others are told where they belong")
    func leadingOptions() async throws {
        let matterctl = try MatterCtl()
        #expect(try await matterctl.succeed("--json", "node", "ls").stdout == "[]\n")
        #expect(
            try await matterctl.succeed("-v", "--home", matterctl.home.path, "--json", "fabric", "ls").stdout == "[]\n")
        let other = matterctl.folder.file("other").path
        try await matterctl.succeed("--home=\(other)", "fabric", "create", "lab")
        #expect(try await matterctl.succeed("fabric", "ls", "--home", other).stdout.hasPrefix("lab\t"))
        #expect(try await matterctl.succeed("fabric", "ls").stdout.isEmpty)
        let error = try await matterctl.fail(64, "--numeric", "read", "1", "1/6/0").messages
        #expect(
            error == [
                "error: unknown option '--numeric'",
                "hint: options of a single command belong after it: matterctl COMMAND --numeric",
            ])
        #expect(try await matterctl.fail(64, "--json", "comission").error()["id"]?.string == "usage.unknown-command")
        #expect(try await matterctl.fail(64, "--json").stderr.contains("unknown option '--json'"))
        #expect(try await matterctl.fail(64, "--home").stderr.contains("unknown option '--home'"))
    }

    @Test("a negative number where none is allowed is called that; what other programs call a command has a hint")
    func namedMistakes() async throws {
        let matterctl = try MatterCtl()
        for (option, words) in [
            ("--discriminator", ["commission", "--passcode", "20202021"]), ("--timeout", ["on", "lamp"]),
            ("--data-version", ["write", "lamp", "1/6/0", "1"]),
        ] {
            let outcome = try await matterctl.run(words + [option, "-1"])
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.messages.first == "error: a negative number is not allowed: \(option) -1", "\(outcome)")
        }
        for (words, hint) in [
            (["node", "rm"], "did you mean remove or forget?"), (["node", "delete"], "did you mean remove or forget?"),
            (["fabric", "rm"], "did you mean remove?"), (["cloud", "share", "delete"], "did you mean remove?"),
        ] {
            #expect(try await matterctl.run(words + ["x"]).messages.last == "hint: \(hint)")
        }
    }

    @Test("a help page: a short usage, own options before those of every command, and no version but the program's")
    func helpPages() async throws {
        let matterctl = try MatterCtl()
        func page(_ words: String...) async throws -> [String] {
            try await matterctl.run(words + ["--help"]).stdout.split(separator: "\n").map(String.init)
        }
        let root = try await page()
        #expect(root.contains("JOIN AND LEAVE:") && root.contains { $0.hasPrefix("  --version ") })
        #expect(root.last?.hasPrefix("  See 'matterctl help <subcommand>'") == true)
        for words in [
            ["commission"], ["cloud", "login"], ["node", "ls"], ["level"], ["simulate"], ["fabric", "import"],
        ] {
            let lines = try await matterctl.run(words + ["--help"]).stdout.split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(words): \(lines.filter { $0.count > 80 })")
            #expect(!lines.contains { $0.hasPrefix("  --version") }, "\(words)")
            let headings = lines.filter { $0.hasSuffix(":") && $0 == $0.uppercased() && !$0.hasPrefix(" ") }
            #expect(
                headings.last == "GLOBAL OPTIONS:" && headings.count(where: { $0 == "GLOBAL OPTIONS:" }) == 1,
                "\(headings)")
            let global = try #require(lines.firstIndex(of: "GLOBAL OPTIONS:"))
            let json = try #require(lines.firstIndex { $0.hasPrefix("  --json") })
            #expect(json > global && lines[global...].contains { $0.hasPrefix("  -h, --help") })
            // A value is named by what it is, not by its option again.
            for line in lines where line.hasPrefix("  --") {
                let parts = line.split(separator: " ")
                #expect(parts.count < 2 || parts[1] != "<\(parts[0].dropFirst(2))>", "\(line)")
            }
        }
        let toggle = try await page("toggle")
        #expect(
            toggle.contains { $0.hasPrefix("  --timeout <DURATION>") && $0.contains("500ms, 10s") }, "\(toggle)")
    }

    @Test("other names of commands complete, and have manual pages; every exit code is in them")
    func aliases() async throws {
        let matterctl = try MatterCtl()
        let bash = try await matterctl.succeed("--generate-completion-script", "bash").stdout
        let file = matterctl.folder.file("completion.bash")
        try Data(bash.utf8).write(to: file)
        let script = """
            . "$0"; COMP_WORDS=(matterctl node li) COMP_CWORD=2 COMP_LINE='matterctl node li' COMP_POINT=17
            _matterctl "$1" li node 2> /dev/null; echo "${COMPREPLY[*]}"; COMPREPLY=()
            COMP_WORDS=(matterctl node list --js) COMP_CWORD=3 COMP_LINE='matterctl node list --js' COMP_POINT=24
            _matterctl "$1" --js list 2> /dev/null; echo "${COMPREPLY[*]}"
            """
        let shell = try Child(
            URL(fileURLWithPath: "/bin/bash"), ["--norc", "-c", script, file.path, Laboratory.binary.path],
            folder: matterctl.folder)
        _ = await shell.status()
        #expect(shell.stdout == "list \n--json \n", "\(shell.stdout) \(shell.stderr)")

        let folder = matterctl.folder.file("man")
        let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Tools/manual_pages.py")
        let maker = try Child(
            Laboratory.python, [tool.path, Laboratory.binary.path, folder.path], folder: matterctl.folder)
        #expect(await maker.status() == 0, "\(maker.stderr)")
        func page(_ name: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        #expect(try page("matterctl-node-list.1") == ".so man1/matterctl-node-ls.1\n")
        #expect(try page("matterctl-node-ls.1").contains(".It 9\nThe certificate issuer or the cloud failed."))
        // The verbs of a kind of device are in its declaration.
        #expect(try page("matterctl-fan.1").contains(".It Cm \"airflow\"\nSet the direction of the air.\n"))
        #expect(try page("matterctl-door-lock.1").contains(".It Cm \"unlock\"\nUnlock a door.\n"))
    }

    @Test("a negative number is a value, with and without a unit, wherever the options stand")
    func negativeNumbers() async throws {
        let device = try await VirtualDevice.start("thermostat")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "hall"])
        let path = "1/thermostat/min-heat-setpoint-limit"
        let address = ["--address", device.address]
        for words in [
            ["write", "hall", path, "-5C"], ["write", "hall", path, "-500", "--json"],
            ["write", "hall", path, "-500"] + address, ["write"] + address + ["hall", path, "-5.0C", "--timed"],
            ["write", "hall", path, "-500", "--timeout", "20s", "--json"],
        ] {
            // The device refuses it, by its limits: the value has arrived.
            let outcome = try await matterctl.run(words)
            #expect(outcome.status == 5 && outcome.stderr.contains("CONSTRAINT_ERROR"), "\(outcome)")
        }
        let missing = try await matterctl.fail(64, "write", "hall", path, "5C", "--timeout", "-5")
        #expect(missing.stderr.contains("--timeout"), "\(missing)")
    }

    @Test("a value that fits no message: 64")
    func hugeValue() async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device)
        let long = String(repeating: "a", count: 3000)
        let error = try await matterctl.fail(64, "write", "1", "0/basic-information/node-label", long, "--json").error()
        #expect(error["id"]?.string == "im.request-too-large", "\(error)")
    }

    @Test("an id that is no node's: 64, before anything is sent; fields that are no JSON: 64, and the file is named")
    func badArguments() async throws {
        let matterctl = try MatterCtl()
        for id in ["0", "0xFFFFFFFFFFFFFFFF"] {
            let outcome = try await matterctl.fail(64, "commission", "34970112332", "--node-id", id)
            #expect(outcome.stderr.contains("--node-id"), "\(outcome)")
        }
        let file = matterctl.folder.file("fields.json")
        try Data(#"{"level":5"#.utf8).write(to: file)
        let outcome = try await matterctl.fail(
            64, "invoke", "1", "1/level-control/move-to-level", "--json-fields", file.path)
        #expect(outcome.stderr.contains("\(file.path): "), "\(outcome)")
    }

    @Test("a host without IPv6: a device is commissioned and controlled over IPv4")
    func withoutIPv6() async throws {
        let matterctl = try MatterCtl()
        let script = """
            mkdir -p $1; ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 || exit 99
            ip link add veth0 type veth peer name veth1 && ip addr add 10.9.9.1/24 dev veth0 &&
                ip link set veth0 up && ip link set veth1 up
            sleep 60 | $0 simulate on-off-light --mdns none --state $1/device --paa-out $1/trust/paa.der > $1/log 2>&1 &
            until grep -qs ^ready $1/log; do sleep 0.1; done
            $0 commission 34970112332 --address 127.0.0.1 --trust $1/trust --allow-test-devices --progress none &&
                $0 on 1 && $0 read 1 1/on-off/on-off
            """
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/unshare"),
            [
                "--net", "--pid", "--fork", "--mount-proc", "--kill-child", "timeout", "50", "sh", "-c", script,
                Laboratory.binary.path,
            ]
                + [matterctl.folder.file("scene").path],
            environment: environment, folder: matterctl.folder)
        let status = await child.status()
        #expect(status == 0 && child.stdout == "1\ntrue\n", "\(status) \(child.stdout) \(child.stderr)")
    }

    @Test("a host that is on no network: 11, as far as discovery goes")
    func noNetwork() async throws {
        let matterctl = try MatterCtl()
        for words in [
            ["discover", "--discriminator", "4093"],
            ["commission", "--passcode", "20202021", "--discriminator", "4093"],
        ] {
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/unshare"),
                ["--net", Laboratory.binary.path] + words
                    + ["--timeout", "4s", "--json", "--home", matterctl.home.path],
                folder: matterctl.folder)
            #expect(await child.status() == 11, "\(words): \(child.stdout)\(child.stderr)")
            let error = try #require(child.stderr.split(separator: "\n").last)
            #expect(try JSON(parsing: String(error))["error"]?["id"]?.string == "discovery.no-network", "\(error)")
        }
    }

    @Test(
        "commission --check: ready in a network with Avahi; without a network, or without D-Bus, 11 and which of them")
    func readiness() async throws {
        let matterctl = try MatterCtl()
        func check(_ wrapper: [String], _ environment: [String: String] = [:]) async throws -> (Int32, [String: String])
        {
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/env"),
                wrapper + [Laboratory.binary.path, "commission", "--check", "--json", "--home", matterctl.home.path],
                environment: Laboratory.environment.merging(environment) { $1 }, folder: matterctl.folder)
            let status = await child.status()
            let rows = try JSON(parsing: child.stdout).elements
            return (
                status,
                Dictionary(
                    uniqueKeysWithValues: rows.map { row in
                        (row["check"]?.string ?? "", row["error"]?["id"]?.string ?? row["result"]?.string ?? "")
                    })
            )
        }
        var ready = try await check([])
        // The laboratory has no BlueZ, which a device on the network does not need.
        let bluetooth = ready.1.removeValue(forKey: "bluetooth") ?? ""
        #expect(["bluetooth.no-adapter", "bluetooth.no-daemon"].contains(bluetooth), "\(ready)")
        #expect(ready.0 == 0 && Set(ready.1.values) == ["ready"] && ready.1.count == 7, "\(ready)")
        let alone = try await check(["unshare", "--net"])
        #expect(alone.0 == 11 && alone.1["network"] == "discovery.no-network", "\(alone)")
        #expect(alone.1["fabric"] == "ready" && alone.1["trust"] == "ready", "\(alone)")
        let busless = try await check([], ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        #expect(busless.0 == 11 && busless.1["network"] == "ready", "\(busless)")
        #expect(busless.1["discovery"]?.hasPrefix("discovery.") == true, "\(busless)")
    }

    @Test("a wrapper that sends its signal twice interrupts once: what is under way is undone")
    func doubleSignal() async throws {
        let matterctl = try MatterCtl()
        let device = try await VirtualDevice.start("on-off-light", faults: ["slow-crypto:20000"])
        defer { device.stop() }
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/timeout"),
            ["3", Laboratory.binary.path]
                + matterctl.words(device, ["--progress", "none", "--home", matterctl.home.path]),
            folder: matterctl.folder)
        #expect(await child.status() == 124)
        #expect(child.stderr.hasPrefix("error: interrupted;"), "\(child.stderr)")
    }

    @Test("a commissioning goes on when its progress is not read; a result that is not read ends a command")
    func closedPipe() async throws {
        let matterctl = try MatterCtl()
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let words = matterctl.words(device, ["--progress", "plain", "--home", matterctl.home.path])
        let script = "{ \"$@\"; echo $? > status; } 2>&1 > /dev/null | head -n 1; cat status"
        let child = try Child(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "cd \(matterctl.folder.file(".").path) && \(script)", "sh", Laboratory.binary.path] + words,
            folder: matterctl.folder)
        #expect(await child.status() == 0)
        #expect(child.stdout.hasSuffix("\n0\n"), "\(child.stdout)")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        let unread = try Child(
            URL(fileURLWithPath: "/bin/bash"),
            ["-c", "(sleep 1; exec \(Laboratory.binary.path) clusters) | true; echo ${PIPESTATUS[0]}"],
            folder: matterctl.folder)
        #expect(await unread.status() == 0)
        #expect(unread.stdout == "141\n" && unread.stderr.isEmpty, "\(unread.stdout)\(unread.stderr)")
    }

    @Test(
        "a command that waits for stdin is interrupted at once: 130",
        arguments: ["commission -", "payload parse -", "tlv", "fabric import x --rcac - --noc a --key @b --ipk @c"])
    func interruptedInput(words: String) async throws {
        let matterctl = try MatterCtl()
        // The reader of this pipe has a writer that says nothing.
        let pipe = matterctl.folder.file("pipe").path
        let script = "mkfifo \(pipe) && exec 3<>\(pipe) && exec \(Laboratory.binary.path) \(words) < \(pipe)"
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            URL(fileURLWithPath: "/bin/sh"), ["-c", script], environment: environment, folder: matterctl.folder)
        // It waits for its input, which nothing outside tells.
        try await Task.sleep(for: .seconds(2))
        #expect(child.isRunning, "it waits: \(child.stderr)")
        child.signal(SIGINT)
        #expect(await child.status() == 130)
        #expect(child.stderr.contains("error: interrupted"), "\(child.stderr)")
    }

    @Test("a result that cannot be written is no success: 10")
    func fullDisk() async throws {
        let matterctl = try MatterCtl()
        for words in ["clusters", "clusters --json", "payload parse 34970112332", "--version", "node ls --help"] {
            let child = try Child(
                URL(fileURLWithPath: "/bin/sh"), ["-c", "\(Laboratory.binary.path) \(words) > /dev/full"],
                folder: matterctl.folder)
            #expect(await child.status() == 10, "\(words)")
            #expect(child.stderr.contains("No space left on device"), "\(words): \(child.stderr)")
        }
    }

    @Test("a damaged record of one node keeps no other from being used, is told: 10, and can be forgotten")
    func damagedNeighbour() async throws {
        let (one, other) = (
            try await VirtualDevice.start("on-off-light"), try await VirtualDevice.start("on-off-light")
        )
        defer {
            one.stop()
            other.stop()
        }
        let matterctl = try MatterCtl()
        try await matterctl.commission(one, ["--name", "one"])
        try await matterctl.commission(other, ["--name", "other"])
        let record = matterctl.home.appending(path: "fabrics/home/nodes/0000000000000002.json")
        try Data("nonsense".utf8).write(to: record)
        try await matterctl.succeed("on", "one")
        let list = try await matterctl.run(["node", "ls", "--json"])
        #expect(list.status == 10, "\(list)")
        #expect(try list.json().elements.map { $0["name"]?.string } == ["one"])
        #expect(try list.error()["id"]?.string == "state.damaged")
        try await matterctl.fail(10, "on", "other")
        try await matterctl.fail(10, "on", "2")
        try await matterctl.succeed("node", "forget", "2", "--yes")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        // State kept of commissionings, ended and under way.
        let fabric = matterctl.home.appending(path: "fabrics/home")
        let pending = fabric.appending(path: "pending")
        try FileManager.default.createDirectory(at: pending, withIntermediateDirectories: true)
        try Data("nonsense".utf8).write(to: pending.appending(path: "0000000000000007.json"))
        #expect(try await matterctl.run(["node", "ls", "--json"]).json().elements.count == 1)
        try await matterctl.succeed("node", "forget", "7", "--yes")
        try Data("nonsense".utf8).write(to: fabric.appending(path: "commissioned/0000000000000001.json"))
        let third = try await VirtualDevice.start("on-off-light")
        defer { third.stop() }
        try await matterctl.commission(third)
        #expect(try await matterctl.nodes().commissioned.count == 2)
    }

    @Test("a question for the password that is interrupted gives the terminal back as it was")
    func interruptedPrompt() async throws {
        let matterctl = try MatterCtl()
        let typist = """
            import os, pty, sys, termios
            child, terminal = pty.fork()
            if child == 0:
                os.execv(sys.argv[1], sys.argv[1:])
            seen = b""
            while b"password:" not in seen:
                seen += os.read(terminal, 1024)
            shows = lambda: bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
            print("hidden" if not shows() else "shown")
            os.write(terminal, b"half of it\\x03")
            _, status = os.waitpid(child, 0)
            print("back" if shows() else "still hidden")
            sys.exit(os.waitstatus_to_exitcode(status))
            """
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            Laboratory.python,
            [
                "-c", typist, Laboratory.binary.path, "cloud", "login", "--user", "alice@example.com", "--url",
                "http://127.0.0.1:1",
            ],
            environment: environment, folder: matterctl.folder)
        let status = await child.status()
        #expect(status == 130, "\(child.stdout)\(child.stderr)")
        #expect(child.stdout == "hidden\nback\n")
    }
}
