import Foundation
import MatterTestKit
import TestSupport
import Testing

/// The commands of the versions 12 and 13 of the interface. No other server here has them: the values are judged by what the client's
/// own classes take, and are not compared with another server.
@Suite(
    "Later interface", .enabled(if: Laboratory.isHere && HomeAssistantClient.areHere), .laboratorySlot)
struct LaterInterfaceTests {
    @Test(
        "matter-python-client 1.5.5 calls each command that came with the versions 12 and 13", .timeLimit(.minutes(15)))
    func client() async throws {
        let folder = try TemporaryFolder()
        let sleeper = try await VirtualDevice.start("on-off-light", options: ["--icd", "30s"], isAdvertised: true)
        defer { sleeper.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(sleeper, ["--no-icd"])
        let node = try #require(try await matterctl.nodes().commissioned.first)
        let house = try await RunningHouse(matterctl, ["--schema", "13"])
        let dataset =
            "0e080000000000010000000300000f35060004001fffe0020811111111222222220708fddead00beef00000510"
            + "00112233445566778899aabbccddeeff030a4f70656e54687265616401021234"
            + "0410445f2b5ca6f2a93a55ce570a70efeecb0c0402a0f7f8"
        let steps: [(String, String)] = [
            ("expect", #"[\#(node), 1, "OnOff", "OnOff", false]"#),
            ("call", #"["get_icd_state", {"node_id": \#(node)}]"#),
            ("call", #"["register_icd", {"node_id": \#(node)}]"#),
            ("call", #"["resync_icd", {"node_id": \#(node)}]"#),
            ("call", #"["get_icd_state", {"node_id": \#(node)}]"#),
            ("call", #"["unregister_icd", {"node_id": \#(node)}]"#),
            ("call", #"["set_wifi_credentials", {"ssid": "house", "credentials": "one password"}]"#),
            (
                "call",
                #"["set_wifi_credentials", {"ssid": "garden", "credentials": "two passwords", "entry_id": "outside"}]"#
            ),
            ("call", #"["set_thread_operational_dataset", {"dataset": "\#(dataset)", "entry_id": "mesh"}]"#),
            ("call", #"["get_all_credentials"]"#),
            ("call", #"["remove_wifi_credentials", {"entry_id": "outside"}]"#),
            ("call", #"["get_all_credentials"]"#),
            ("call", #"["get_fabric_label"]"#),
            ("call", #"["get_thread_border_routers"]"#),
            ("call", #"["get_thread_diagnostics"]"#),
            ("call", #"["get_thread_diagnostics", {"ext_pan_id": "1111111122222222"}]"#),
            ("call", #"["get_network_topology"]"#),
            ("call", #"["get_network_topology", {"refresh": true}]"#),
            (
                "call",
                #"["send_webrtc_provider_command", {"node_id": \#(node), "endpoint_id": 1, "command_name": "SolicitOffer", "payload": {"streamUsage": 3}}]"#
            ),
            ("call", #"["upload_ota_file", {"image": "\#(folder.file("none.ota").path)"}]"#),
            (
                "call",
                #"["commission_with_code", {"code": "MT:Y.K9042C00KA0648G00", "network_only": true, "wifi_credentials_id": "nowhere"}]"#
            ),
        ]
        try Data("no firmware".utf8).write(to: folder.file("none.ota"))
        let lines = steps.map { verb, arguments in "[\"\(verb)\", \(arguments.dropFirst())" }
        let child = try HomeAssistantClient.ha15.start(house.url, lines, in: folder)
        _ = await child.status(within: .seconds(180))
        let answers = child.lines.filter { $0["step"] != nil }
        try #require(answers.count == steps.count, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(house.log)")
        func result(_ number: Int) -> JSON? { answers[number]["result"] }
        #expect(result(1)?["supported"]?.bool == true && result(1)?["registered"]?.bool == false, "\(answers[1])")
        #expect(
            result(1)?["lit_supported"]?.bool == true && result(1)?["operating_mode"]?.string != nil, "\(answers[1])")
        #expect(result(2)?["registered"]?.bool == true, "\(answers[2])")
        #expect(answers[3]["error"] == nil && result(4)?["registered"]?.bool == true, "\(answers[3])\(answers[4])")
        #expect(result(5)?["registered"]?.bool == false, "\(answers[5])")
        let all = try #require(result(9))
        let ids = all["wifi"]?.elements.compactMap { $0["id"]?.string }.sorted()
        #expect(ids == ["default", "outside"] && all["thread"]?.elements.first?["id"]?.string == "mesh", "\(all)")
        #expect(!child.stdout.contains("two passwords"))
        #expect(result(11)?["wifi"]?.elements.compactMap { $0["ssid"]?.string } == ["house"], "\(answers[11])")
        #expect(result(13)?.elements.isEmpty == true && result(14)?.elements.isEmpty == true, "\(answers[13])")
        #expect(answers[15]["error"] == nil, "\(answers[15])")
        for number in [16, 17] {
            #expect(
                result(number)?["nodes"]?.elements.contains { $0["node_id"]?.int == node } == true, "\(answers[number])"
            )
        }
        #expect(answers[18]["error"]?["code"]?.int == 7, "a light is not a camera: \(answers[18])")
        #expect(answers[19]["error"]?["code"]?.int == 101, "\(answers[19])")
        #expect("\(answers[19])".contains("not a firmware image"), "\(answers[19])")
        #expect(answers[20]["error"]?["code"]?.int == 8, "\(answers[20])")
    }

    @Test(
        "the diagnostics of a Thread network come from its nodes, and who asked for it is told when they or the map change",
        .timeLimit(.minutes(15)))
    func network() async throws {
        let folder = try TemporaryFolder()
        let description = try Child(
            Laboratory.python,
            [
                Laboratory.scripts.appendingPathComponent("house.py").path, folder.file("house").path, "--small",
            ], folder: folder)
        #expect(await description.status() == 0, "\(description.stderr)")
        let mesh = folder.file("house").appendingPathComponent("house.json").path
        let hall = try await VirtualDevice.start(
            "on-off-light", options: ["--mesh", mesh, "--as", "hall"], isAdvertised: true)
        defer { hall.stop() }
        let other = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { other.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(hall, ["--name", "hall"])
        try await matterctl.commission(other, ["--name", "other"])
        let house = try await RunningHouse(matterctl, ["--schema", "13"])
        let steps = [
            #"["expect", 1, 1, "OnOff", "OnOff", false]"#, #"["expect", 2, 1, "OnOff", "OnOff", false]"#,
            // No client that has not asked is told.
            #"["call", "get_node", {"node_id": 1}]"#,
            #"["call", "get_thread_diagnostics"]"#, #"["wait", "thread_diagnostics_updated"]"#,
            #"["call", "get_network_topology"]"#, #"["remove", 2]"#, #"["wait", "network_topology_updated"]"#,
            #"["call", "get_network_topology", {"refresh": true}]"#,
        ]
        let child = try HomeAssistantClient.ha15.start(house.url, steps, in: folder)
        _ = await child.status(within: .seconds(180))
        let answers = child.lines.filter { $0["step"] != nil }
        try #require(answers.count == steps.count, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(house.log)")
        let batch = try #require(answers[3]["result"]?.elements.first, "\(answers[3])")
        let id = try #require(batch["extPanIdHex"]?.string)
        #expect(id.count == 16 && id == id.uppercased() && batch["networkName"]?.string == "home", "\(batch)")
        #expect(batch["source"]?.string == "none" && batch["partialReason"]?.string == "no_source", "\(batch)")
        let node = try #require(batch["nodes"]?.elements.first, "\(batch)")
        #expect(node["extMacAddress"]?.string?.count == 16, "\(node)")
        #expect(node["leaderData"]?["partitionId"]?.int != nil, "\(node)")
        let children = try #require(node["childTable"]?.elements, "\(node)")
        #expect(children.contains { $0["mode"]?["rxOnWhenIdle"]?.bool == false }, "\(children)")
        let told = child.lines.filter { $0["event"]?.string == "thread_diagnostics_updated" }
        #expect(told.first?["data"]?["extPanIdHex"]?.string == id, "\(told)")
        #expect(answers[5]["result"]?["nodes"]?.elements.contains { $0["node_id"]?.int == 2 } == true, "\(answers[5])")
        let map = try #require(
            child.lines.first { $0["event"]?.string == "network_topology_updated" }?["data"], "\(child.stdout)")
        #expect(map["nodes"]?.elements.contains { $0["node_id"]?.int == 2 } == false, "\(map)")
        #expect(map["nodes"]?.elements.contains { $0["node_id"]?.int == 1 } == true, "\(map)")
        // The map is read over the sessions of the subscriptions, which stay.
        #expect(answers[8]["error"] == nil && hall.steps.count { $0 == "subscribed" } == 1, "\(hall.steps)")

        let one = try HomeAssistantClient.ha15.start(
            house.url,
            [
                #"["call", "get_thread_diagnostics", {"ext_pan_id": "\#(id)", "force": true}]"#,
                #"["call", "get_thread_diagnostics", {"ext_pan_id": "0000000000000001"}]"#,
                #"["call", "get_thread_diagnostics", {"ext_pan_id": "home"}]"#,
            ], in: folder)
        _ = await one.status(within: .seconds(60))
        let results = one.lines.filter { $0["step"] != nil }
        try #require(results.count == 3, "\(one.stdout)\(one.stderr)")
        #expect(results[0]["result"]?["extPanIdHex"]?.string == id, "\(results[0])")
        #expect(results[1]["error"] == nil && results[1]["result"]?["extPanIdHex"] == nil, "\(results[1])")
        #expect(results[2]["error"]?["code"]?.int == 8, "\(results[2])")
    }

    @Test(
        "check_node_update tells the newest version of the ledger that the node may go to, and says that it was not reached",
        .timeLimit(.minutes(15)))
    func update() async throws {
        func version(_ number: Int, _ more: String) -> String {
            #"{"modelVersion":{"vid":65521,"pid":32769,"softwareVersion":\#(number),"softwareVersionString":"\#(number).0","#
                + #""otaUrl":"https://e.example/\#(number)","firmwareInformation":"about \#(number)",\#(more)}}"#
        }
        let models = "/dcl/model/versions/65521/32769"
        let fits = #""minApplicableSoftwareVersion":0,"maxApplicableSoftwareVersion":9"#
        let answers = [
            models: #"{"modelVersions":{"vid":65521,"pid":32769,"softwareVersions":[1,2,3,4,5]}}"#,
            "\(models)/2": version(2, #""softwareVersionValid":true,\#(fits)"#),
            "\(models)/3": version(
                3, #""softwareVersionValid":true,"releaseNotesUrl":"https://e.example/notes",\#(fits)"#),
            "\(models)/4": version(4, #""softwareVersionValid":false,\#(fits)"#),
            "\(models)/5": version(
                5,
                #""softwareVersionValid":true,"minApplicableSoftwareVersion":3,"maxApplicableSoftwareVersion":4"#),
        ]
        let ledger = try StandInServer { target in
            answers[String(target.prefix { $0 != "?" })].map { .init($0) } ?? .init(LedgerScene.notFound, status: 404)
        }
        let folder = try TemporaryFolder()
        let light = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { light.stop() }
        var matterctl = try MatterCtl()
        try await matterctl.commission(light, ["--name", "lamp"])
        let steps = [
            #"["expect", 1, 1, "OnOff", "OnOff", false]"#, #"["check-update", 1]"#, #"["update", 1, 3]"#,
            #"["check-update", 7]"#,
        ]
        func ask(_ url: String) async throws -> [JSON] {
            matterctl.environment["MATTERCTL_LEDGER"] = url
            let house = try await RunningHouse(matterctl)
            let child = try HomeAssistantClient.ha15.start(house.url, steps, in: folder)
            _ = await child.status(within: .seconds(120))
            let answers = child.lines.filter { $0["step"] != nil }
            try #require(answers.count == steps.count, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(house.log)")
            return answers
        }
        // Nothing listens there.
        #expect(try await ask("http://127.0.0.1:9")[1]["error"]?["code"]?.int == 10)
        // The second time the answers are those of the first.
        for _ in 1...2 {
            let told = try await ask(ledger.url)
            let found = try #require(told[1]["result"], "\(told[1])")
            #expect(
                found["software_version"]?.int == 3 && found["software_version_string"]?.string == "3.0", "\(found)")
            #expect(found["vid"]?.int == 65_521 && found["pid"]?.int == 32_769, "\(found)")
            #expect(found["firmware_information"]?.string == "about 3", "\(found)")
            #expect(found["release_notes_url"]?.string == "https://e.example/notes", "\(found)")
            #expect(found["min_applicable_software_version"]?.int == 0, "\(found)")
            #expect(found["max_applicable_software_version"]?.int == 9, "\(found)")
            #expect(told[2]["error"]?["code"]?.int == 11 && told[3]["error"]?["code"]?.int == 5, "\(told)")
            #expect(ledger.requests.count == 4)
        }
    }

    @Test(
        "an upload needs a token and an id of the same one, over TCP and over the socket; what a killed server left is removed",
        .timeLimit(.minutes(15)))
    func upload() async throws {
        let folder = try TemporaryFolder()
        let matterctl = try MatterCtl()
        var image = FirmwareImage()
        image.payload = [UInt8](repeating: 7, count: 3_000_000)
        try Data(image.octets).write(to: folder.file("light.ota"))
        let upload = #"["call", "upload_ota_file", {"image": "\#(folder.file("light.ota").path)"}]"#
        let server = try await RunningHouse(matterctl, ["--schema", "13", "--listen", "127.0.0.1:5598", "-v"])
        let store = matterctl.home.appendingPathComponent("firmware").path
        let all = try await matterctl.succeed("serve", "token", "add", "all", "--role", "administer").result
        let weak = try await matterctl.succeed("serve", "token", "add", "weak", "--role", "control").result
        func ask(_ url: String, _ steps: [String]) async throws -> [JSON] {
            let child = try HomeAssistantClient.ha15.start(url, steps, in: folder)
            _ = await child.status(within: .seconds(60))
            let answers = child.lines.filter { $0["step"] != nil }
            try #require(answers.count == steps.count, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(server.log)")
            return answers
        }
        for url in [server.url, "ws://127.0.0.1:5598/ws/\(all)"] {
            let told = try await ask(url, [upload])
            #expect(told[0]["result"]?["software_version"]?.int == 2, "\(told)")
            #expect(told[0]["result"]?["update_source"]?.string == "local", "\(told)")
        }
        let refused = try await ask("ws://127.0.0.1:5598/ws/\(weak)", [upload])
        #expect(refused[0]["error"] != nil && "\(refused[0])".contains("administer"), "\(refused)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == ["FFF1-8001-00000002.ota"])
        #expect(!server.log.contains("ota-upload"))
        try Data([1]).write(to: URL(fileURLWithPath: store).appendingPathComponent(".tmp-left"))
        try await server.restart()
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == ["FFF1-8001-00000002.ota"])
    }

    @Test(
        "what a camera answers later comes as webrtc_callback, to those who have begun a session, in the form of the client's classes",
        .timeLimit(.minutes(15)))
    func camera() async throws {
        let folder = try TemporaryFolder()
        let camera = try await VirtualDevice.start("on-off-light", options: ["--webrtc"], isAdvertised: true)
        defer { camera.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(camera, ["--name", "porch"])
        let house = try await RunningHouse(matterctl, ["--schema", "13"])
        func send(_ name: String, _ payload: String) -> String {
            #"["call", "send_webrtc_provider_command", {"node_id": 1, "endpoint_id": 1, "command_name": "\#(name)", "payload": \#(payload)}]"#
        }
        let steps = [
            #"["expect", 1, 1, "OnOff", "OnOff", false]"#, send("SolicitOffer", #"{"streamUsage": 3}"#),
            #"["callback", "offer"]"#, #"["callback", "ice_candidates"]"#,
            send("ProvideOffer", #"{"webRTCSessionID": null, "sdp": "v=0", "streamUsage": 3}"#),
            #"["callback", "answer"]"#, #"["callback", "ice_candidates"]"#,
            send("EndSession", #"{"webRTCSessionID": 2, "reason": 2}"#),
            #"raw send_webrtc_provider_command {"node_id":1,"endpoint_id":1,"command_name":"ProvideAnswer","payload":{"webRTCSessionID":1,"sdp":"v=0"}}"#,
            #"raw send_webrtc_provider_command {"node_id":1,"endpoint_id":1,"command_name":"ProvideICECandidates","payload":{"webRTCSessionID":9,"ICECandidates":[]}}"#,
            // No media flows, so that the camera gives up.
            #"["callback", "end", {"webrtc_session_id": 1}, 90]"#,
        ]
        let child = try HomeAssistantClient.ha15.start(house.url, steps, in: folder)
        _ = await child.status(within: .seconds(120))
        let answers = child.lines.filter { $0["step"] != nil }
        try #require(answers.count == steps.count, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(house.log)")
        #expect(answers[1]["result"]?["webRTCSessionID"]?.int == 1, "\(answers[1])")
        let offer = try #require(answers[2]["result"], "\(answers[2])")
        #expect(offer["webrtc_session_id"]?.int == 1 && offer["node_id"]?.int == 1, "\(offer)")
        #expect(offer["endpoint_id"]?.int == 1 && offer["fabric_index"]?.int == 1, "\(offer)")
        #expect(offer["data"]?["sdp"]?.string?.contains("virtual camera") == true, "\(offer)")
        let candidates = answers[3]["result"]?["data"]?["ice_candidates"]?.elements
        #expect(candidates?.count == 2 && candidates?.first?["sdpMid"]?.string == "video", "\(answers[3])")
        #expect(candidates?.first?["sdpMLineIndex"]?.int == 0, "\(answers[3])")
        #expect(answers[4]["result"]?["webRTCSessionID"]?.int == 2, "\(answers[4])")
        #expect(answers[5]["result"]?["webrtc_session_id"]?.int == 2, "\(answers[5])")
        #expect(answers[5]["result"]?["data"]?["sdp"]?.string?.contains("virtual answer") == true, "\(answers[5])")
        #expect(answers[7]["error"] == nil && answers[8]["error"] == nil, "\(answers[7])\(answers[8])")
        #expect(answers[9]["error"]?["code"]?.int == 8, "\(answers[9])")
        #expect(answers[10]["result"]?["data"]?["reason"]?.int == 1, "\(answers[10])")

        // A client that has not asked for a camera is told nothing.
        let silent = try HomeAssistantClient.ha15.start(
            house.url,
            [
                #"["expect", 1, 1, "OnOff", "OnOff", false]"#,
                #"raw get_node {"node_id":1}"#, #"["sleep", 2]"#,
            ], in: folder)
        let asking = try HomeAssistantClient.ha15.start(
            house.url,
            [
                #"["expect", 1, 1, "OnOff", "OnOff", false]"#, send("SolicitOffer", #"{"streamUsage": 3}"#),
                #"["callback", "offer"]"#,
            ], in: folder)
        _ = await asking.status(within: .seconds(60))
        _ = await silent.status(within: .seconds(60))
        #expect(asking.lines.contains { $0["event"]?.string == "webrtc_callback" }, "\(asking.stdout)")
        #expect(silent.lines.filter { $0["step"] != nil }.count == 3, "\(silent.stdout)\(silent.stderr)")
        #expect(!silent.lines.contains { $0["event"]?.string == "webrtc_callback" }, "\(silent.stdout)")
    }

    @Test("version 11 does not know the later commands", .timeLimit(.minutes(15)))
    func older() async throws {
        let folder = try TemporaryFolder()
        let house = try await RunningHouse(MatterCtl())
        let child = try HomeAssistantClient.ha15.start(house.url, [#"raw get_icd_state {"node_id":1}"#], in: folder)
        _ = await child.status(within: .seconds(60))
        #expect(child.lines.contains { $0["error"]?["code"]?.int == 9 }, "\(child.stdout)\(child.stderr)")
    }
}
