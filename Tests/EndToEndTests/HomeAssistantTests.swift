import Foundation
import TestSupport
import Testing

/// `serve` as Home Assistant meets it: its own clients, and a client that forgives nothing.
@Suite(
    "Home Assistant's clients", .enabled(if: Laboratory.isHere && HomeAssistantClient.areHere), .laboratorySlot)
struct HomeAssistantTests {
    /// A house that joins a dimmable light, uses it in every way that Home Assistant does, and removes it.
    private static func session(_ device: VirtualDevice) -> [String] {
        [
            "nodes",
            #"["commission", "\#(device.qrCode)", true]"#,
            "wait node_added",
            "nodes",
            #"["node", "$node"]"#,
            #"["command", "$node", 1, "OnOff", "On"]"#,
            #"["wait", "attribute_updated", ["$node", "1/6/0", true]]"#,
            #"["expect", "$node", 1, "OnOff", "OnOff", true]"#,
            #"["command", "$node", 1, "LevelControl", "MoveToLevel", {"level": 100, "transitionTime": 0, "optionsMask": 1, "optionsOverride": 1}]"#,
            #"["expect", "$node", 1, "LevelControl", "CurrentLevel", 100]"#,
            #"["command", "$node", 1, "Groups", "AddGroup", {"groupID": 3, "groupName": "g"}]"#,
            #"["command", "$node", 1, "Groups", "GetGroupMembership", {"groupList": []}]"#,
            #"["command", "$node", 1, "LevelControl", "MoveToLevel", {"level": 1}]"#,
            #"["read", "$node", "1/6/0"]"#,
            #"["read", "$node", ["1/8/0", "0/29/0"]]"#,
            #"["read", "$node", "1/6/*"]"#,
            #"["refresh", "$node", "1/8/0"]"#,
            #"["value", "$node", 1, "LevelControl", "CurrentLevel"]"#,
            #"["write", "$node", "0/40/5", "Lamp"]"#,
            #"["write", "$node", "0/40/5", 5]"#,
            #"["write", "$node", "1/6/0", true]"#,
            #"["interview", "$node"]"#,
            #"["ping", "$node"]"#,
            #"["ips", "$node"]"#,
            #"["fabrics", "$node"]"#,
            #"["window", "$node", 180]"#,
            "discover",
            "vendor-names [65521,4939]",
            #"["label", "Home"]"#,
            #"["label", null]"#,
            #"["diagnostics", "$node"]"#,
            "diagnostics",
            #"raw get_node {"node_id":99}"#,
            "raw nonsense {}",
            "raw get_node {}",
            "command 99 1 OnOff On",
            "raw server_info",
            "raw get_nodes",
            // The older server wants `authMode`, the newer one `auth_mode`; each ignores the other.
            #"["acl", "$node", [{"privilege": 5, "auth_mode": 2, "authMode": 2, "subjects": null, "targets": null}]]"#,
            #"["read", "$node", "0/31/0"]"#,
            #"["binding", "$node", 2, [{"node": 5, "group": null, "endpoint": 1, "cluster": 6}]]"#,
            #"["read", "$node", "2/30/0"]"#,
            #"["write", "$node", "2/30/0", [{"1": 7, "3": 1, "4": 6, "254": 1}]]"#,
            #"["read", "$node", "2/30/0"]"#,
            #"["binding", "$node", 2, []]"#,
            #"["remove", "$node"]"#,
            #"["wait", "node_removed", "$node"]"#,
            "nodes",
        ]
    }

    /// A house that joins a bridge whose devices come and go.
    private static func bridge(_ device: VirtualDevice) -> [String] {
        func type(_ line: String) -> String { #"["type", "\#(device.keys)", "\#(line)"]"# }
        return [
            type("1 descriptor remove 4"),
            #"["commission", "\#(device.qrCode)", true]"#,
            "wait node_added",
            "nodes",
            #"["node", "$node"]"#,
            #"["command", "$node", 3, "OnOff", "On"]"#,
            #"["expect", "$node", 3, "OnOff", "OnOff", true]"#,
            type("3 bridged-device-basic-information unreachable"),
            #"["expect", "$node", 3, "BridgedDeviceBasicInformation", "Reachable", false]"#,
            type("3 bridged-device-basic-information reachable"),
            #"["expect", "$node", 3, "BridgedDeviceBasicInformation", "Reachable", true]"#,
            #"["write", "$node", "3/57/5", "Desk"]"#,
            type("1 descriptor add 4"),
            #"["wait", "endpoint_added", {"node_id": "$node", "endpoint_id": 4}]"#,
            "nodes",
            #"["node", "$node"]"#,
            #"["command", "$node", 4, "OnOff", "On"]"#,
            #"["expect", "$node", 4, "OnOff", "OnOff", true]"#,
            type("1 descriptor remove 3"),
            #"["wait", "endpoint_removed", {"node_id": "$node", "endpoint_id": 3}]"#,
            "nodes",
            #"["raw", "get_node", {"node_id": "$node"}]"#,
            #"["command", "$node", 3, "OnOff", "Toggle"]"#,
            #"["read", "$node", "3/6/0"]"#,
            #"["write", "$node", "3/57/5", "gone"]"#,
            #"["command", "$node", 2, "OnOff", "On"]"#,
            #"["expect", "$node", 2, "OnOff", "OnOff", true]"#,
            // Theirs keeps the old list of parts until then, and would not notice that the device is back.
            #"["interview", "$node"]"#,
            // Theirs answers before it tells the node.
            #"["wait", "node_updated", {"attributes": {"0/29/3": [1, 2, 4]}}]"#,
            "nodes",
            #"["node", "$node"]"#,
            type("1 descriptor add 3"),
            #"["wait", "endpoint_added", {"node_id": "$node", "endpoint_id": 3}]"#,
            "nodes",
            #"["node", "$node"]"#,
            #"["value", "$node", 3, "BridgedDeviceBasicInformation", "NodeLabel"]"#,
            #"["command", "$node", 3, "OnOff", "Toggle"]"#,
            #"["expect", "$node", 3, "OnOff", "OnOff", false]"#,
            #"["remove", "$node"]"#,
            #"["wait", "node_removed", "$node"]"#,
            "nodes",
        ]
    }

    @Test(
        "a whole session of each client ends well, and each answer is that of python-matter-server, field by field",
        .enabled(if: PeerPython.hasServer), .timeLimit(.minutes(20)), arguments: HomeAssistantClient.allCases)
    func session(client: HomeAssistantClient) async throws {
        try await compare(client, on: 5590, "dimmable-light,on-off-switch", Self.session)
    }

    @Test(
        "a bridge gains and loses devices: each client is told as python-matter-server tells it, field by field",
        .enabled(if: PeerPython.hasServer), .timeLimit(.minutes(20)), arguments: HomeAssistantClient.allCases)
    func livingBridge(client: HomeAssistantClient) async throws {
        try await compare(client, on: 5620, "aggregator", Self.bridge)
    }

    /// Has a client do the same with both servers, each with a device of the same types, and compares what they answer.
    private func compare(
        _ client: HomeAssistantClient, on firstPort: Int, _ types: String, _ steps: (VirtualDevice) -> [String]
    ) async throws {
        let folder = try TemporaryFolder()
        let devices = [
            try await VirtualDevice.start(types, isAdvertised: true, hasKeys: true),
            try await VirtualDevice.start(types, isAdvertised: true, hasKeys: true),
        ]
        defer { for device in devices { device.stop() } }
        let port = try #require(HomeAssistantClient.allCases.firstIndex(of: client)) + firstPort
        let theirs = try await PythonMatterServer(trusting: [devices[1]], port: port)
        let ours = try await RunningHouse(MatterCtl(), trusting: [devices[0]])
        let url = [ours.url, theirs.url]
        var outputs: [String] = []
        for (number, device) in devices.enumerated() {
            let child = try client.start(url[number], steps(device), in: folder)
            let status = await child.status(within: .seconds(180))
            try #require(
                status == 0, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(number == 0 ? ours.log : theirs.log)")
            let output = folder.file("\(number).jsonl")
            try Data(child.stdout.utf8).write(to: output)
            outputs.append(output.path)
        }
        let comparison = try Child(
            client.python, [Laboratory.scripts.appendingPathComponent("ha_compare.py").path] + outputs, folder: folder)
        #expect(await comparison.status() == 0, "\(comparison.stdout)\(comparison.stderr)")
    }

    @Test("each client sees the house again after the server was killed", arguments: HomeAssistantClient.allCases)
    func reconnection(client: HomeAssistantClient) async throws {
        let folder = try TemporaryFolder()
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device)
        let node = try #require(try await matterctl.nodes().commissioned.first)
        let house = try await RunningHouse(matterctl)
        let child = try client.start(
            house.url,
            [
                "expect \(node) 1 OnOff OnOff false", "command \(node) 1 OnOff Toggle",
                "expect \(node) 1 OnOff OnOff true",
                "wait closed", "reconnect 30", "nodes", "expect \(node) 1 OnOff OnOff true",
                "command \(node) 1 OnOff Toggle",
                "expect \(node) 1 OnOff OnOff false",
            ], in: folder)
        try await awaitEvent("the light on: \(child.stdout) \(child.stderr)") { child.stdout.contains("\"step\": 3") }
        try await house.restart()
        let status = await child.status(within: .seconds(90))
        #expect(status == 0, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(house.log)")
        #expect(device.switchings == 2)
    }

    @Test("a client that forgives nothing finds nothing: presses of a button in order, a node removed, a shutdown")
    func rules() async throws {
        let folder = try TemporaryFolder()
        let device = try await VirtualDevice.start("dimmable-light,button", isAdvertised: true)
        defer { device.stop() }
        let house = try await RunningHouse(MatterCtl(), trusting: [device])
        let strict = try Child(
            HomeAssistantClient.ha8.python,
            [Laboratory.scripts.appendingPathComponent("ha_strict.py").path, house.url, "--seconds", "60"],
            input: """
                {"command": "commission_with_code", "args": {"code": "\(device.qrCode)", "network_only": true}}
                {"command": "device_command", "args": {"node_id": 1, "endpoint_id": 1, "cluster_id": 6, "command_name": "Toggle", "payload": {}}}
                {"command": "get_node", "args": {}}
                {"command": "interview_node", "args": {"node_id": 1}}
                {"command": "device_command", "args": {"node_id": 1, "endpoint_id": 1, "cluster_id": 6, "command_name": "Toggle", "payload": {}}}

                """, folder: folder)
        try await awaitEvent("all answers: \(strict.stdout) \(strict.stderr) \(house.log)") {
            strict.lines.count { $0["answer"] != nil } == 5 || !strict.isRunning
        }
        house.signal(SIGTERM)
        #expect(await house.status() == 0, "\(house.log)")
        #expect(await strict.status() == 0, "\(strict.stdout)\(strict.stderr)")
        #expect(strict.lines.contains { $0["event"]?.string == "server_shutdown" })
        #expect(strict.lines.last?["violations"]?.int == 0, "\(strict.stdout)")
    }

    @Test("the judges notice what they are there for", arguments: ["ha_strict.py", "ha_compare.py"])
    func judges(script: String) async throws {
        let child = try Child(
            HomeAssistantClient.ha8.python, [Laboratory.scripts.appendingPathComponent(script).path, "--self-test"],
            folder: try TemporaryFolder())
        #expect(await child.status() == 0, "\(child.stdout)\(child.stderr)")
    }
}
