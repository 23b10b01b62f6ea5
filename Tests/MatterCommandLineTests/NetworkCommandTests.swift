import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Devices without a network, commissioned by commands against `simulate`, and the networks of the house.
@Suite("Networks of devices", .fewAtATime) struct NetworkCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    /// A device that is no node until it has joined a network.
    private func device(_ words: String = "--network wifi", isTyped: Bool = false) throws -> Background {
        try shell.start(
            "simulate on-off-light --port 0 --mdns none --setup-over-ip \(words) --paa-out "
                + "\(shell.path("trust"))/paa.der", isTyped: isTyped)
    }

    private func commission(_ port: String, _ more: String = "") -> String {
        "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(shell.path("trust")) "
            + "--name lamp --home \(shell.home) \(more)"
    }

    private func password(_ text: String = "simulated-password") throws -> String {
        "@" + (try shell.file("password-\(UUID().uuidString)", text + "\n"))
    }

    @Test("a device joins the network that is named, is a node there, and answers")
    func joins() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let run = try await shell.succeed(
            commission(port, "--wifi simulated --wifi-password \(try password()) --json --progress json"))
        #expect(try run.json()["name"] == "lamp")
        #expect(run.stderr.contains("the device is to join Wi-Fi 'simulated'"), "\(run)")
        #expect(!run.stderr.contains("simulated-password"))
        try await shell.succeed("toggle lamp --address 127.0.0.1:\(port)")
        let state = try await shell.succeed("net status lamp --json --address 127.0.0.1:\(port)").json()
        let network = state["networking"]?.arrayValue?.first?["networks"]?.arrayValue?.first
        #expect(network?["network"] == "simulated" && network?["connected"] == true)
    }

    @Test(
        "a device over IP that lists no network, is told none and is not found again needs one, and the error says so")
    func needed() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let refused = try await shell.run(commission(port, "--timeout 12s --json"))
        let error = try refused.error()
        #expect(error.text("id") == "commission.network-needed", "\(refused)")
        #expect(error.text("message")?.contains("it lists no Wi-Fi network, and none was named") == true, "\(refused)")
        #expect(
            error.text("hint")?.hasPrefix("name one: --wifi SSID") == true && error.text("device") == "rolled-back",
            "\(refused)")
        try await shell.succeed(commission(port, "--wifi simulated --wifi-password \(try password())"))
        _ = await device.stop()
    }

    @Test("a wrong password is said in words, the device forgets, and the next try with the right one works")
    func wrongPassword() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let refused = try await shell.run(
            commission(port, "--wifi simulated --wifi-password \(try password("not-the-password")) --json"))
        #expect(refused.status == 8, "\(refused)")
        let error = try refused.error()
        #expect(error.text("id") == "commission.network-refused" && error.text("stage") == "network")
        #expect(
            error.text("message")?.hasPrefix(
                "the device could not join Wi-Fi 'simulated': wrong password (error value 15)") == true)
        #expect(error.text("device") == "rolled-back" && error["errorValue"] == 15)
        #expect(!refused.stderr.contains("not-the-password"))
        #expect(try await shell.succeed("node ls --json").json().arrayValue?.isEmpty == true)
        try await shell.succeed(commission(port, "--wifi simulated --wifi-password \(try password())"))
    }

    @Test("an access point that has vanished is said in words; when it is back the same command works")
    func vanished() async throws {
        let device = try device(isTyped: true)
        let port = try await device.line("ready")
        try await device.carryOut("0 network-commissioning vanish simulated")
        let words = commission(port, "--wifi simulated --wifi-password \(try password())")
        let refused = try await shell.run(words)
        #expect(refused.status == 8 && refused.stderr.contains("it does not see this network"), "\(refused)")
        try await device.carryOut("0 network-commissioning appear simulated")
        try await shell.succeed(words)
    }

    @Test("a device that leaves before it reports is found on its network")
    func nonConcurrent() async throws {
        let device = try device("--network wifi --non-concurrent")
        let port = try await device.line("ready")
        try await shell.succeed(commission(port, "--wifi simulated --wifi-password \(try password())"))
        try await shell.succeed("toggle lamp --address 127.0.0.1:\(port)")
    }

    @Test("a Thread device joins the network of its dataset; with another key it says so")
    func thread() async throws {
        let file = shell.path("dataset.hex")
        try await shell.succeed("thread dataset make --name mesh --out \(file)")
        let device = try device("--network thread --network-dataset @\(file)")
        let port = try await device.line("ready")
        try await shell.succeed(commission(port, "--thread @\(file)"))
        try await shell.succeed("toggle lamp --address 127.0.0.1:\(port)")
        let other = shell.path("other.hex")
        try await shell.succeed("thread dataset make --name mesh --out \(other)")
        try await shell.succeed("node remove lamp --yes --address 127.0.0.1:\(port)")
        let refused = try await shell.run(commission(port, "--thread @\(other)"))
        #expect(refused.status == 8 && refused.stderr.contains("is not in its range"), "\(refused)")
    }

    @Test("--thread auto takes a network that the user has named or agreed to, never one from an answer alone")
    func unconfirmedThread() async throws {
        let router = try await borderRouter("mesh")
        let environment = ["MATTERCTL_BORDER_ROUTER": router.url, "MATTERCTL_HOME": shell.home]
        let house = try Shell(environment)
        let refused = try await house.run("network credentials add --thread auto --json")
        let error = try refused.error()
        #expect(refused.status == 64 && error.text("id") == "thread.not-confirmed", "\(refused)")
        let message = try #require(error.text("message"))
        #expect(message.hasPrefix("\(router.url) offers the Thread network 'mesh' ("), "\(message)")
        let id = try #require(message.split(separator: "(").last?.prefix { $0 != ")" })
        #expect(error.text("hint") == "if it is yours, name it: --thread 'auto:\(id)'")
        let terminal = try Shell(environment, terminals: [.input, .error])
        for answer in ["\n", "n\n", "1\n"] {
            let run = try await terminal.run("network credentials add --thread auto", input: answer)
            #expect(run.status == 64 && run.stderr.contains("offers the Thread network 'mesh' (\(id))"), "\(run)")
        }
        #expect(try await house.succeed("network credentials ls").stdout.isEmpty)
        let agreed = try await terminal.run("network credentials add --thread auto", input: "y\n")
        #expect(agreed.status == 0, "\(agreed)")
        #expect(try await house.succeed("network credentials ls").stdout.hasPrefix("mesh\t"))
        try await house.succeed("network credentials forget mesh")
        try await house.succeed("network credentials add --thread auto:\(id)")
    }

    @Test("--thread auto:NETWORK takes the dataset from the border router, and says which network it is")
    func threadAuto() async throws {
        let file = shell.path("dataset.hex")
        try await shell.succeed("thread dataset make --name mesh --out \(file)")
        let digits = try String(contentsOfFile: file, encoding: .utf8)
        let router = try StandInServer { target in
            target == "/node/dataset/active" ? StandInServer.Answer(digits) : StandInServer.Answer("", status: 404)
        }
        let house = try Shell(["MATTERCTL_BORDER_ROUTER": router.url, "MATTERCTL_HOME": shell.home])
        let device = try device("--network thread --network-dataset @\(file)")
        let port = try await device.line("ready")
        let run = try await house.succeed(commission(port, "--thread auto:mesh"))
        #expect(run.stderr.contains("the device is to join the Thread network 'mesh'"), "\(run)")
        #expect(!run.stderr.contains(digits.prefix(40)))
        let silent = try StandInServer { _ in StandInServer.Answer("", status: 204) }
        let other = try Shell(["MATTERCTL_BORDER_ROUTER": silent.url])
        let refused = try await other.run(commission(port, "--thread auto --json"))
        #expect(try refused.error().text("id") == "thread.no-dataset")
        #expect(refused.status == 4 && refused.stderr.contains("it is on no network yet"), "\(refused)")
    }

    /// A border router that gives the dataset of a new network of that name.
    private func borderRouter(_ name: String) async throws -> StandInServer {
        let file = shell.path("\(name).hex")
        try await shell.succeed("thread dataset make --name \(name) --out \(file)")
        let digits = try String(contentsOfFile: file, encoding: .utf8)
        return try StandInServer { _ in StandInServer.Answer(digits) }
    }

    @Test("of several Thread networks one is to be chosen: by name, by id, or on a terminal")
    func severalThreadNetworks() async throws {
        let (first, second) = (try await borderRouter("mesh"), try await borderRouter("attic"))
        let environment = ["MATTERCTL_BORDER_ROUTER": "\(first.url) \(second.url)", "MATTERCTL_HOME": shell.home]
        let house = try Shell(environment)
        let add = "network credentials add --thread"
        let refused = try await house.run("\(add) auto --json")
        let error = try refused.error()
        #expect(refused.status == 64 && error.text("id") == "thread.several-networks", "\(refused)")
        #expect(
            error.text("message")?.contains("'mesh' (") == true && error.text("message")?.contains("'attic' (") == true)
        #expect(error.text("hint") == "choose one of them: --thread 'auto:mesh'")
        #expect(try await shell.succeed("network credentials ls").stdout.isEmpty)
        try await house.succeed("\(add) auto:attic")
        let stored = try #require(try await shell.succeed("network credentials ls --json").json().arrayValue?.first)
        #expect(stored["network"] == "attic")
        let id = try #require(stored["networkId"]?.stringValue)
        try await house.succeed("network credentials forget attic")
        try await house.succeed("\(add) auto:\(id.lowercased())")
        #expect(try await shell.succeed("network credentials ls").stdout.hasPrefix("attic\t"))
        let unknown = try await house.run("\(add) auto:cellar --json")
        #expect(try unknown.error().text("id") == "thread.not-here" && unknown.status == 3, "\(unknown)")
        let terminal = try Shell(environment, terminals: [.input, .error])
        for (answer, name) in [("1", "mesh"), ("attic", "attic")] {
            let run = try await terminal.run("\(add) auto", input: "\(answer)\n")
            #expect(run.status == 0 && run.stderr.contains("1\t'mesh' ("), "\(run)")
            #expect(run.stderr.contains("the Thread network '\(name)'"), "\(run)")
        }
        let neither = try await terminal.run("\(add) auto", input: "3\n")
        #expect(neither.status == 64, "\(neither)")
    }

    @Test(
        "a --thread that is neither a file nor auto is refused in words that name its forms",
        arguments: [
            ("auto:", "--thread auto:NETWORK needs the name or the extended PAN id"),
            ("automatic", "auto or auto:NETWORK"), ("0e0800000000000100000003", "auto or auto:NETWORK"),
        ])
    func malformedThread(_ value: String, _ words: String) async throws {
        for command in ["network credentials add", "net add lamp", "commission 34970112332"] {
            let run = try await shell.run("\(command) --thread \(value) --json")
            #expect(run.status == 64 && run.stderr.contains(words), "\(run)")
            #expect(!run.stderr.contains("0e08000000"), "\(run)")
        }
    }

    @Test("net add looks for the node before it looks for anything else")
    func nodeFirst() async throws {
        // A border router and a file that are not there.
        let house = try Shell(["MATTERCTL_BORDER_ROUTER": "http://127.0.0.1:1"])
        for network in ["--thread auto", "--wifi home --wifi-password @/nowhere"] {
            let none = try await house.run("net add lamp \(network) --json")
            #expect(try none.status == 3 && none.error().text("id") == "fabric.none", "\(none)")
        }
        try await house.succeed("fabric create home")
        for network in ["--thread auto", "--wifi home --wifi-password @/nowhere"] {
            let none = try await house.run("net add lamp \(network) --json")
            #expect(try none.status == 3 && none.error().text("id") == "node.unknown", "\(none)")
        }
    }

    @Test("two border routers of one network are one network, and a broken one does not keep from the other")
    func oneThreadNetwork() async throws {
        let router = try await borderRouter("mesh")
        let broken = try StandInServer { _ in StandInServer.Answer("", status: 500) }
        let house = try Shell(["MATTERCTL_BORDER_ROUTER": "\(broken.url) \(router.url) \(router.url)"])
        let run = try await house.succeed("network credentials add --thread auto:mesh")
        #expect(run.stderr.contains("the Thread network 'mesh'"), "\(run)")
    }

    @Test(
        "what is no dataset is not taken from a border router, and the error says what came",
        arguments: [
            (200, "", "thread.no-dataset"), (204, "", "it is on no network yet"),
            (404, "not found", "it answered with status 404"), (500, "", "it answered with status 500"),
            (200, "{\"ActiveTimestamp\":1}", "not a dataset"), (200, "<html>login</html>", "neither hexadecimal"),
            (200, "0e0800000000000100000003", "cut off"), (200, "\u{0}\u{1}\u{fffd}", "neither hexadecimal"),
            (200, String(repeating: "00", count: 300), "at most 254 bytes"),
            (200, String(repeating: "00", count: 4000), "more than 4096 bytes"),
        ])
    func oddAnswers(_ status: Int, _ body: String, _ words: String) async throws {
        let router = try StandInServer { _ in StandInServer.Answer(body, status: status) }
        let house = try Shell(["MATTERCTL_BORDER_ROUTER": router.url])
        let run = try await house.run("network credentials add --thread auto --json")
        let error = try run.error()
        #expect(run.status == 4 && error.text("id") == "thread.no-dataset", "\(run)")
        #expect(words == "thread.no-dataset" || error.text("message")?.contains(words) == true, "\(run)")
        #expect(error.text("hint")?.contains("--thread @FILE") == true)
    }

    @Test("on a terminal a person chooses from what the device sees, and may mistype the password")
    func choice() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let terminal = try Shell(terminals: [.input, .error])
        let run = try await terminal.run(
            commission(port, "--choose-network"), input: "1\nnot-the-password\nsimulated-password\n")
        #expect(run.status == 0, "\(run)")
        #expect(run.stderr.contains("1\tsimulated\t-48 dBm\tWPA2\t2.4 GHz channel 6"), "\(run)")
        #expect(run.stderr.contains("wrong password (error value 15)"))
        try await shell.succeed("toggle lamp --address 127.0.0.1:\(port)")
    }

    @Test("a person who gives up leaves the device as it was")
    func givenUp() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let terminal = try Shell(terminals: [.input, .error])
        let run = try await terminal.run(commission(port, "--choose-network"), input: "\n")
        #expect(run.status == 64 && run.stderr.contains("none was named"), "\(run)")
        #expect(try await shell.succeed("node ls --json").json().arrayValue?.isEmpty == true)
        try await shell.succeed(commission(port, "--wifi simulated-open --wifi-open"))
    }

    @Test("a dry run tells what would be done, and leaves the device as it was")
    func dryRun() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let words = commission(port, "--wifi simulated --wifi-password \(try password()) --country DE")
        let plan = try await shell.succeed(words + " --dry-run --json").json()
        #expect(plan["network"]?["network"] == "simulated" && plan["country"] == "DE" && plan["location"] == "both")
        let commands = try #require(plan["commands"]?.arrayValue).compactMap(\.stringValue)
        #expect(
            commands.suffix(4) == ["ArmFailSafe", "AddOrUpdateWiFiNetwork", "ConnectNetwork", "CommissioningComplete"])
        #expect(try await shell.succeed("node ls --json").json().arrayValue?.isEmpty == true)
        #expect(!device.hasSaid("noc-added"))
        try await shell.succeed(words)
        #expect(
            try await shell.succeed("read lamp 0/basic-information/location --address 127.0.0.1:\(port)").stdout
                == "DE\n")
    }

    // MARK: The networks of the house

    @Test("credentials are stored for the user alone, listed without their secret, used, and forgotten")
    func stored() async throws {
        try await shell.succeed(
            "network credentials add --wifi simulated --wifi-password \(try password())")
        let list = try await shell.succeed("network credentials ls --json")
        #expect(try list.json().arrayValue?.first?["network"] == "simulated")
        #expect(!list.stdout.contains("simulated-password"))
        let folder = shell.home + "/networks"
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        let rights = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let device = try device()
        let port = try await device.line("ready")
        try await shell.succeed(commission(port, "--wifi simulated"))
        try await shell.succeed("network credentials forget simulated")
        #expect(try await shell.succeed("network credentials ls --json").json().arrayValue?.isEmpty == true)
        let unknown = try await shell.run("network credentials forget simulated --json")
        #expect(unknown.status == 3)
        #expect(try unknown.error().text("id") == "network.unknown")
    }

    @Test("secrets are no arguments, and impossible ones are found out at once")
    func usage() async throws {
        for words in [
            "--wifi home --wifi-password secret", "--wifi-password @x", "--wifi-open", "--thread 0e08",
            "--wifi home --wifi-open --wifi-password @x", "--choose-network --wifi home",
            "--country de", "--location attic",
        ] {
            let run = try await shell.run(commission("1", words))
            #expect(run.status == 64, "\(words): \(run)")
        }
        let short = try await shell.run(commission("1", "--wifi home --wifi-password \(try password("short"))x --json"))
        #expect(short.status == 64)
        let seven = try await shell.run(
            commission("1", "--wifi home --wifi-password \(try password("seven77")) --json"))
        #expect(try seven.error().text("id") == "wifi.invalid-password" && seven.status == 64)
        let none = try await shell.run(commission("1", "--wifi home --json"))
        #expect(try none.error().text("id") == "usage.no-password")
    }

    // MARK: Later

    @Test("a node is moved to another network, completed there; the one in use is removed only by force")
    func moved() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let there = "--address 127.0.0.1:\(port)"
        try await shell.succeed(commission(port, "--wifi simulated --wifi-password \(try password())"))
        let added = try await shell.succeed("net add lamp --wifi simulated-open --wifi-open --json \(there)").json()
        #expect(added["networks"]?.arrayValue?.count == 2)
        try await shell.succeed("net connect lamp simulated-open \(there)")
        let inUse = try await shell.run("net remove lamp simulated-open --yes --json \(there)")
        #expect(try inUse.error().text("id") == "net.in-use" && inUse.status == 64)
        try await shell.succeed("net remove lamp simulated --yes \(there)")
        let state = try await shell.succeed("net status lamp --json \(there)").json()
        let networks = try #require(state["networking"]?.arrayValue?.first?["networks"]?.arrayValue)
        #expect(networks.count == 1 && networks.first?["network"] == "simulated-open")
        #expect(networks.first?["connected"] == true)
        try await shell.succeed("toggle lamp \(there)")
        let unknown = try await shell.run("net connect lamp nowhere --json \(there)")
        #expect(try unknown.error().text("id") == "net.unknown" && unknown.status == 3)
        try await shell.succeed("net remove lamp simulated-open --force --yes \(there)")
    }

    @Test("a node that cannot join the other network stays where it was, with what it had")
    func stays() async throws {
        let device = try device()
        let port = try await device.line("ready")
        let there = "--address 127.0.0.1:\(port)"
        try await shell.succeed(commission(port, "--wifi simulated --wifi-password \(try password())"))
        let refused = try await shell.run(
            "net add lamp --wifi far-away --wifi-password \(try password()) --connect --json \(there)")
        let error = try refused.error()
        #expect(refused.status == 5 && error.text("id") == "net.refused", "\(refused)")
        #expect(error.text("message")?.hasSuffix("nothing has changed") == true, "\(refused)")
        let state = try await shell.succeed("net status lamp --json \(there)").json()
        #expect(state["networking"]?.arrayValue?.first?["networks"]?.arrayValue?.count == 1)
        try await shell.succeed("toggle lamp \(there)")
    }
}
