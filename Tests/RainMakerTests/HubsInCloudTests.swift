import JSON
import MatterCrypto
import MatterLedger
import RainMakerEmulator
import Synchronization
import TestSupport
import Testing

@testable import RainMaker

@Suite(.timed) struct HubsInCloudTests {
    private static let url = "https://cloud.test"

    /// A cloud's data on a controller whose firmware has names of its own.
    private static func renamed(status: Int, group: String = "", token: Int = 2) -> JSONValue {
        [
            "id": "hub7", "node_type": "rainmaker", "status": ["connectivity": ["connected": true]],
            "config": [
                "services": [
                    [
                        "name": "Login", "type": "esp.service.rmaker-user-auth",
                        "params": [
                            ["name": "Where", "type": "esp.param.base-url"],
                            ["name": "Who", "type": "esp.param.user-token"],
                            ["name": "How", "type": "esp.param.user-token-status"],
                        ],
                    ],
                    [
                        "name": "Ctl", "type": "esp.service.matter-controller-setup",
                        "params": [
                            ["name": "Gid", "type": "esp.param.rmaker-group-id"],
                            ["name": "Do", "type": "esp.param.matter-ctl-cmd"],
                            ["name": "Bits", "type": "esp.param.matter-ctl-status"],
                        ],
                    ], ["name": 7], "odd",
                ]
            ],
            "params": [
                "Login": ["Where": "", "How": .int(Int64(token))],
                "Ctl": ["Gid": .string(group), "Bits": .int(Int64(status))],
            ],
        ]
    }

    private static func hub(_ json: JSONValue) throws -> CloudHub? {
        CloudHub(try CloudNode(CloudFields(try #require(json.objectValue), "getNodes")))
    }

    private func account(_ cloud: Cloud) async throws -> (client: CloudClient, group: CloudGroup, token: SecretText) {
        let client = try await cloud.loggedIn("alice")
        let group = try await client.createFabric(name: "Lake House")
        let token = try await client.refreshTokenForOther(
            userName: "alice@example.com", password: SecretText(Cloud.password))
        return (client, group, token)
    }

    @Test("services and parameters are known by their types; what is sent has the firmware's own names")
    func types() throws {
        let hub = try #require(try Self.hub(Self.renamed(status: 7)))
        #expect(hub.kind == .setup && hub.nodeID == "hub7" && hub.isReady == false && hub.groupID == nil)
        #expect(!hub.isMatterDevice && !hub.wantsSubscription)
        #expect(
            hub.account(try BaseURL(parsing: Self.url), SecretText("t"))
                == ["Login": ["Where": .string(Self.url), "Who": "t"]])
        #expect(hub.group("G") == ["Ctl": ["Gid": "G"]])
        #expect(hub.command(.updateDeviceList) == ["Ctl": ["Do": 2]])
        let set = try #require(try Self.hub(Self.renamed(status: 31, group: "G")))
        #expect(set.isReady == true && set.groupID == "G" && set.group("H").members.isEmpty)
        #expect(set.follows("G") && !set.follows("H"))
    }

    @Test("nodes without such a service are none, whatever is odd about them")
    func others() throws {
        #expect(try Self.hub(["id": "a"]) == nil)
        #expect(try Self.hub(["id": "a", "config": 7, "params": []]) == nil)
        #expect(try Self.hub(["id": "a", "config": ["services": ["x", ["type": "esp.service.ota"]]]]) == nil)
    }

    @Test(
        "a controller is given account and group, gets the administrators' tag, and reads its list of devices",
        arguments: EmulatorController.Kind.allCases)
    func setUp(kind: EmulatorController.Kind) async throws {
        try await withCloud { cloud in
            let (client, group, token) = try await account(cloud)
            #expect(try await cloud.emulator.addController("hub1", kind, owner: "alice@example.com"))
            let hubs = HubsInCloud(client, pause: .milliseconds(1))
            let hub = try #require(try await hubs.find("hub1", in: group.id))
            let before = cloud.transport.exchanges.count
            let done = try await hubs.setUp(
                hub, group: group.id, url: try BaseURL(parsing: Self.url), token: token, deadline: .now + .seconds(30))
            #expect(done.groupID == group.id && done.url == Self.url, "\(done)")
            let calls = cloud.transport.exchanges.dropFirst(before)
            let subscriptions = calls.filter { $0.request.path.hasSuffix("/nodes/hub1/groups/\(group.id)/controller") }
            #expect(subscriptions.count == (kind == .rainmaker ? 1 : 0))
            #expect(done.isReady == (kind == .rainmaker ? nil : true), "\(done)")
            // The secret went there and does not come back.
            let values = try await client.call(.parameters(of: "hub1"))
            #expect(!JSONValue.object(values).serialized().contains(token.revealed))
            guard kind != .rainmaker else { return }
            let listed = try await hubs.list(in: group.id)
            #expect(listed.map(\.nodeID) == ["hub1"])
            #expect(listed.first?.follows(group.id) == true)
            // It is no device that could be reached.
            let records = GroupAdoption(
                members: try await client.group(group.id).nodes, nodes: try await client.nodes(group: group.id)
            ).records(known: [])
            #expect(records.isEmpty)
        }
    }

    @Test("what is sent to the controller comes in the order of the apps")
    func order() async throws {
        try await withCloud { cloud in
            let (client, group, token) = try await account(cloud)
            _ = try await cloud.emulator.addController("hub1", .setup, owner: "alice@example.com")
            let hubs = HubsInCloud(client, pause: .milliseconds(1))
            let hub = try #require(try await hubs.find("hub1", in: group.id))
            _ = try await hubs.setUp(
                hub, group: group.id, url: try BaseURL(parsing: Self.url), token: token, deadline: .now + .seconds(30))
            let sent = cloud.transport.exchanges.filter { $0.request.path.hasSuffix("/params") }.map { exchange in
                exchange.request.body.flatMap { try? JSONValue(parsing: $0) }?.objectValue?.keys.map { "\($0)" } ?? []
            }
            #expect(sent == [["RMUserAuth"], ["MatterCTLSetup", "Groups"], [], ["MatterCTLSetup"]])
        }
    }

    @Test("setting up waits for the status, and says what is missing when the time is over")
    func waiting() async throws {
        try await withCloud { cloud in
            _ = try await cloud.loggedIn("alice")
            let done = HTTPResponse(status: 200, body: JSONValue.object(["status": "success"]).utf8())
            func values(_ status: Int, token: Int = 2) throws -> HTTPResponse {
                HTTPResponse(
                    status: 200, body: try #require(Self.renamed(status: status, token: token)["params"]).utf8())
            }
            let hub = try #require(try Self.hub(Self.renamed(status: 0)))
            func setUp(_ answers: [HTTPResponse], _ time: Duration) async throws -> CloudHub {
                let transport = CannedTransport(answers)
                let client = try cloud.client("alice", transport: transport)
                return try await HubsInCloud(client, pause: .milliseconds(1)).setUp(
                    hub, group: "G", url: try BaseURL(parsing: Self.url), token: SecretText("t"),
                    deadline: .now + time)
            }
            let ready = try await setUp(
                [done, done, try values(3), try values(7), try values(15), done], .seconds(30))
            #expect(ready.isReady == true)
            let late = await #expect(throws: RainMakerError.self) {
                _ = try await setUp([done, done, try values(7)], .zero)
            }
            #expect(late?.code == .controllerNotReady && late?.reason.contains("its status is 7") == true)
            let refused = await #expect(throws: RainMakerError.self) {
                _ = try await setUp([done, done, try values(7, token: 3)], .seconds(30))
            }
            #expect(refused?.reason.contains("could not log in") == true, "\(String(describing: refused))")
        }
    }

    @Test("a controller that follows another group is left as it is, and one that is not connected is told nothing")
    func refusals() async throws {
        try await withCloud { cloud in
            _ = try await cloud.loggedIn("alice")
            let transport = CannedTransport([])
            let hubs = HubsInCloud(try cloud.client("alice", transport: transport))
            let hub = try #require(try Self.hub(Self.renamed(status: 15, group: "H")))
            let error = await #expect(throws: RainMakerError.self) {
                _ = try await hubs.setUp(
                    hub, group: "G", url: try BaseURL(parsing: Self.url), token: SecretText("t"), deadline: .now)
            }
            #expect(error?.reason.contains("belongs to the group 'H'") == true)
            var json = try #require(Self.renamed(status: 15).objectValue)
            json["status"] = ["connectivity": ["connected": false]]
            let away = try #require(try Self.hub(.object(json)))
            #expect(await code { try await hubs.tell(away, .updateNOC) } == .controllerNotReady)
            #expect(transport.requests.isEmpty)
        }
    }

    @Test("another certificate is asked for with a command, and has the new version of the administrators' tag")
    func renewal() async throws {
        let notices = Notices()
        try await withCloud({ $0.notice = { notices.add($0) } }) { cloud in
            let (client, group, token) = try await account(cloud)
            _ = try await cloud.emulator.addController("hub1", .setup, owner: "alice@example.com")
            let hubs = HubsInCloud(client, pause: .milliseconds(1))
            let hub = try #require(try await hubs.find("hub1", in: group.id))
            let ready = try await hubs.setUp(
                hub, group: group.id, url: try BaseURL(parsing: Self.url), token: token, deadline: .now + .seconds(30))
            let bob = try await cloud.loggedIn("bob")
            _ = try await client.call(.share(group.id, with: "bob@example.com", primary: true))
            let offer = try #require(try await bob.sharingRequests(sent: false).first)
            _ = try await bob.call(.answer(offer.id, accept: true))
            _ = try await client.call(.revoke(group.id, from: "bob@example.com"))
            try await hubs.tell(ready, .updateNOC)
            let now = try #require(try await client.group(group.id).fabric)
            let old = try #require(group.fabric)
            #expect(now.adminCAT.version == old.adminCAT.version + 1)
            let tags = notices.all.filter { $0.contains("certificate with tag") }
            #expect(tags.map { String($0.suffix(8)) } == [old.adminCAT.description, now.adminCAT.description])
            #expect(notices.all.contains { $0.contains("device list updated, 0 other nodes") }, "\(notices.all)")
        }
    }

    @Test(
        "another name leaves the rest of a device's data alone, whether the cloud merges or replaces",
        arguments: [false, true])
    func rename(replaces: Bool) async throws {
        try await withCloud({ $0.replacesMetadata = replaces }) { cloud in
            let client = try await cloud.loggedIn("alice")
            _ = try await cloud.emulator.addController("hub1", .setup, owner: "alice@example.com")
            let matter: JSONValue = ["deviceName": "Porch", "deviceType": 269, "endpoints": ["0x1": ["a": 1]]]
            _ = try await client.call(.updateMetadata(of: "hub1", ["Matter": matter, "other": ["x": 1]]))
            try await client.rename("hub1", to: "Deck")
            let metadata = try #require(try await client.nodes("hub1").first?.metadata)
            #expect(metadata["Matter"]?["deviceName"] == "Deck")
            #expect(metadata["Matter"]?["deviceType"] == 269, "\(metadata)")
            #expect(metadata["Matter"]?["endpoints"]?["0x1"]?["a"] == 1, "\(metadata)")
            #expect(metadata["other"]?["x"] == 1)
        }
    }
}

/// An emulator's lines for the person at its console.
private final class Notices: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
