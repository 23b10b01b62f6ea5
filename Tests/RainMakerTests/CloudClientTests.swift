import Foundation
import JSON
import MatterBase
import MatterCrypto
import MatterLedger
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterState
@testable import RainMaker
@testable import RainMakerEmulator

@Suite(.timed) struct CloudClientTests {
    @Test("a login stores tokens that later processes use, in files that only the user can read")
    func login() async throws {
        try await withCloud { cloud in
            _ = try await cloud.loggedIn("alice")
            let user = try await cloud.client("alice").user()
            #expect(user.userName == "alice@example.com")
            let folder = cloud.folder.appendingPathComponent("alice")
            let files = try #require(FileManager.default.enumerator(atPath: folder.path))
            var count = 0
            for case let file as String in files {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + file)
                let mode = try #require(attributes[.posixPermissions] as? Int)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(mode == (isFolder ? 0o700 : 0o600), "\(file)")
                count += 1
            }
            #expect(count >= 4)
        }
    }

    @Test("a wrong password is refused with the code's meaning, and nothing is stored")
    func wrongPassword() async throws {
        try await withCloud { cloud in
            let client = try cloud.client("alice")
            let error = await #expect(throws: RainMakerError.self) {
                try await client.login(userName: "alice@example.com", password: SecretText("wr0ng-s3cret"))
            }
            #expect(error?.code == .loginRefused)
            #expect(error?.cloudCode == "101009")
            #expect(error?.meaning == "wrong user name or password")
            #expect(error?.description.contains("s3cret") == false)
            #expect(try CloudStore(cloud.state("alice")).profiles() == [])
            #expect(await code { _ = try await client.user() } == .notLoggedIn)
        }
    }

    @Test("an access token is renewed before it expires, and a later process finds the new one")
    func renewal() async throws {
        try await withCloud({ $0.tokenLife = 3600 }) { cloud in
            let client = try await cloud.loggedIn("alice")
            cloud.clock.advance(by: 3600 - 59)
            _ = try await client.user()
            let paths = cloud.transport.exchanges.map { "\($0.request.method.rawValue) \($0.request.path)" }
            #expect(paths == ["POST /v1/login2", "POST /v1/login2", "GET /v1/user2"])
            _ = try await cloud.client("alice").user()
            #expect(cloud.transport.exchanges.count == 4)
        }
    }

    @Test("a 401 renews the token once and repeats the call once, even one that is not idempotent")
    func unauthorizedOnce() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            await cloud.emulator.inject(EmulatorFault(.unauthorized, on: .createGroup, times: 1))
            let group = try await client.createFabric(name: "Lake House")
            #expect(group.name == "Lake House")
            #expect(try await client.groups(onlyMatter: true).count == 1)
            await cloud.emulator.inject(EmulatorFault(.unauthorized, on: .getUser))
            let before = cloud.transport.exchanges.count
            #expect(await code { _ = try await client.user() } == .unauthorized)
            #expect(cloud.transport.exchanges.count == before + 3)
            await cloud.emulator.clearFaults()
            _ = try await client.user()
        }
    }

    @Test("when the refresh token is no longer accepted, the tokens are dropped and a login is asked for")
    func sessionEnded() async throws {
        try await withCloud { cloud in
            let first = try await cloud.loggedIn("alice")
            let other = try cloud.client("elsewhere")
            try await other.login(userName: "alice@example.com", password: SecretText(Cloud.password))
            try await other.logout(all: true)
            #expect(await code { _ = try await first.user() } == .sessionEnded)
            #expect(try CloudStore(cloud.state("alice")).tokens(of: "test") == nil)
            #expect(await code { _ = try await first.user() } == .notLoggedIn)
            try await first.login(userName: "alice@example.com", password: SecretText(Cloud.password))
            _ = try await first.user()
        }
    }

    @Test("a server in trouble while the token is renewed costs nothing: the tokens stay")
    func troubleWhileRenewing() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            cloud.clock.advance(by: 4000)
            await cloud.emulator.inject(EmulatorFault(.status, value: "500", on: .refresh))
            #expect(await code { _ = try await client.user() } == .serverFailed)
            await cloud.emulator.clearFaults()
            _ = try await client.user()
        }
    }

    @Test("a refresh token from elsewhere begins a session, unless it is none")
    func refreshTokenLogin() async throws {
        try await withCloud { cloud in
            _ = try await cloud.loggedIn("alice")
            let token = try #require(try CloudStore(cloud.state("alice")).tokens(of: "test")?.refresh)
            #expect(token.count == 1700)
            let other = try cloud.client("other")
            try await other.login(refreshToken: token)
            #expect(try await other.user().userName == "alice@example.com")
            #expect(try CloudStore(cloud.state("other")).account("test")?.userName == "alice@example.com")
            let third = try cloud.client("third")
            #expect(await code { try await third.login(refreshToken: SecretText("nonsense")) } == .loginRefused)
            #expect(await code { try await third.login(refreshToken: SecretText("a b")) } == .invalidInput)
        }
    }

    @Test("a service that replaces refresh tokens has the new one kept, and the user asked with the new session")
    func replacedRefreshToken() async throws {
        try await withCloud { cloud in
            // Another user was logged in here, with good tokens.
            _ = try await cloud.loggedIn("alice")
            let soon = #"{"status":"success","accesstoken":"e30.eyJleHAiOjE3OTAwMDAwMDF9.x","refreshtoken":"second"}"#
            let transport = CannedTransport(
                [soon, #"{"user_id":"u","user_name":"carol@example.com"}"#].map {
                    HTTPResponse(status: 200, body: Array($0.utf8))
                })
            try await cloud.client("alice", transport: transport).login(refreshToken: SecretText("first"))
            let store = CloudStore(cloud.state("alice"))
            #expect(try store.tokens(of: "test")?.refresh == SecretText("second"))
            #expect(try store.account("test")?.userName == "carol@example.com")
            #expect(transport.requests.map(\.path) == ["/v1/login2", "/v1/user2"])
            #expect(transport.requests.last?.headers["Authorization"] == "e30.eyJleHAiOjE3OTAwMDAwMDF9.x")
        }
    }

    @Test("logging out ends the session in the cloud and forgets the tokens")
    func logout() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let token = try #require(try CloudStore(cloud.state("alice")).tokens(of: "test")?.refresh)
            try await client.logout(all: false)
            #expect(try CloudStore(cloud.state("alice")).tokens(of: "test") == nil)
            #expect(await code { try await cloud.client("x").login(refreshToken: token) } == .loginRefused)
        }
    }

    @Test("lists are read page by page to their end", arguments: [1, 2, 7])
    func paging(size: Int) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            for number in 1...5 { _ = try await client.call(.createFabric(name: "home \(number)")) }
            await cloud.emulator.inject(EmulatorFault(.pageSize, value: "\(size)"))
            let groups = try await client.groups(onlyMatter: true)
            #expect(groups.map(\.name) == (1...5).map { "home \($0)" })
        }
    }

    @Test("pages that go round in circles end in an error")
    func circles() async throws {
        try await withCloud { cloud in
            _ = try await cloud.loggedIn("alice")
            let page = HTTPResponse(status: 200, body: Array(#"{"groups":[],"next_id":"x"}"#.utf8))
            let client = try cloud.client("alice", transport: CannedTransport([page, page, page]))
            #expect(await code { _ = try await client.groups(onlyMatter: true) } == .malformedAnswer)
        }
    }

    @Test(
        "idempotent calls survive passing trouble",
        arguments: ["status=500,times=2", "status=503,times=1", "lost,times=2"])
    func passingTrouble(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            _ = try await client.createFabric(name: "home")
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text)))
            #expect(try await client.groups(onlyMatter: true).count == 1)
        }
    }

    @Test("a call that is not idempotent is made once, whatever comes of it")
    func notRepeated() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            await cloud.emulator.inject(EmulatorFault(.lateStatus, value: "500", on: .createGroup))
            #expect(await code { _ = try await client.call(.createFabric(name: "home")) } == .serverFailed)
            await cloud.emulator.clearFaults()
            #expect(try await client.groups(onlyMatter: true).count == 1)
        }
    }

    @Test(
        "malformed answers are refused, and the next try succeeds",
        arguments: [
            "truncated", "html", "empty", "missing=groups", "missing=group_id", "wrong-type=groups",
            "wrong-type=group_name",
        ])
    func malformed(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            _ = try await client.createFabric(name: "home")
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text)))
            #expect(await code { _ = try await client.groups(onlyMatter: true) } == .malformedAnswer)
            await cloud.emulator.clearFaults()
            #expect(try await client.groups(onlyMatter: true).count == 1)
        }
    }

    @Test(
        "one odd fabric in the account spoils only itself, and its group is named",
        arguments: [
            "missing=root_ca", "missing=group_cat_id_admin", "wrong-type=fabric_details", "wrong-type=fabric_id",
            "wrong-type=group_cat_id_operate", "wrong-type=ipk", "wrong-type=is_matter", "malformed-pem",
            "root-without-aki",
        ])
    func oddFabric(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let odd = try await client.createFabric(name: "odd")
            _ = try await client.createFabric(name: "home")
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text + ",group=odd")))
            let groups = try await client.groups(onlyMatter: false)
            #expect(groups.map(\.name) == ["odd", "home"])
            #expect(groups.map { $0.fault != nil } == [true, false])
            let home = try await client.findGroup("home")
            _ = try await cloud.fabrics("alice", client).join(group: home.id, name: "home")
            let error = await #expect(throws: RainMakerError.self) {
                _ = try await cloud.fabrics("alice", client).join(group: odd.id, name: "odd")
            }
            let isCertificate = ["malformed-pem", "root-without-aki"].contains(text)
            #expect(error?.code == (isCertificate ? .invalidCertificate : .malformedAnswer))
            #expect(error?.reason.contains("the group 'odd' (\(odd.id))") == true)
            // A command that needs no fabric is done all the same.
            _ = try await client.call(.delete(try await client.findGroup("odd").id))
            #expect(try await client.groups(onlyMatter: false).map(\.name) == ["home"])
        }
    }

    @Test("pages that never end are read until the time for all calls is over, and no longer")
    func endlessPages() async throws {
        try await withCloud { cloud in
            _ = try await cloud.loggedIn("alice")
            let client = try cloud.client("alice", budget: .seconds(2))
            await cloud.emulator.inject(EmulatorFault(.endless))
            await cloud.emulator.inject(EmulatorFault(.slow, value: "10"))
            let error = await #expect(throws: RainMakerError.self) { try await client.groups(onlyMatter: true) }
            #expect(error?.code == .connection && error?.transport == .timedOut)
            let calls = cloud.transport.exchanges.count
            #expect(calls > 2 && calls < 900, "\(calls)")
        }
    }

    @Test("a page that names the same next one again ends the list with an error")
    func samePage() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            await cloud.emulator.inject(EmulatorFault(.samePage))
            #expect(await code { _ = try await client.groups(onlyMatter: true) } == .malformedAnswer)
            #expect(await code { _ = try await client.sharingRequests(sent: true) } == .malformedAnswer)
            #expect(cloud.transport.exchanges.count == 5, "a login and two pages of each list")
        }
    }

    @Test(
        "a group that may have been created is said to be, and one that was is named",
        arguments: ["late-status=502", "html", "truncated", "missing=group_id", "lost"])
    func createdInDoubt(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text + ",on=createGroup,times=1")))
            let error = await #expect(throws: RainMakerError.self) { try await client.createFabric(name: "home") }
            #expect(error?.reason.contains("'home' may have been created") == true, "\(String(describing: error))")
            #expect(error?.hint?.parts.last == .step("cloud.see-groups", []))
            #expect(try await client.groups(onlyMatter: true).count == 1, "it was")
            // A refusal leaves no doubt.
            await cloud.emulator.inject(EmulatorFault(.errorCode, value: "108907", on: .createGroup))
            let refused = await #expect(throws: RainMakerError.self) { try await client.createFabric(name: "more") }
            #expect(refused?.reason.contains("may have") == false)
        }
    }

    @Test("a group that was created and cannot be read is named with its id")
    func createdUnread() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            await cloud.emulator.inject(EmulatorFault(.html, on: .getNodeGroups))
            let error = await #expect(throws: RainMakerError.self) { try await client.createFabric(name: "home") }
            await cloud.emulator.clearFaults()
            let group = try #require(try await client.groups(onlyMatter: true).first)
            #expect(error?.reason.contains("the group \(group.id) was created") == true)
            #expect(error?.hint == .step("cloud.see-created", group.id))
        }
    }

    @Test("calls that were too many are repeated when the cloud wants them, also those that are not idempotent")
    func tooMany() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            func refuse(_ operation: EmulatorOperation, times: Int) async {
                await cloud.emulator.inject(EmulatorFault(.status, value: "429", on: operation, times: times))
                await cloud.emulator.inject(EmulatorFault(.retryAfter, value: "1", on: operation, times: times))
            }
            await refuse(.createGroup, times: 1)
            _ = try await client.createFabric(name: "home")
            await refuse(.getNodeGroups, times: 2)
            #expect(try await client.groups(onlyMatter: true).count == 1)
            await refuse(.getUser, times: 4)
            let error = await #expect(throws: RainMakerError.self) { try await client.user() }
            #expect(error?.httpStatus == 429 && error?.hint?.description.contains("wait") == true)
        }
    }

    @Test("a gateway's 403 is no matter of roles")
    func gateway() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            await cloud.emulator.inject(EmulatorFault(.denied, on: .getUser))
            let denied = await #expect(throws: RainMakerError.self) { try await client.user() }
            #expect(denied?.code == .forbidden && denied?.hint == .step("cloud.log-in-again"))
            await cloud.emulator.inject(EmulatorFault(.status, value: "403", on: .getNodes))
            let refused = await #expect(throws: RainMakerError.self) { try await client.nodes() }
            #expect(refused?.code == .forbidden && refused?.hint == "ask a primary user of the group")
        }
    }

    @Test("sharing is listed, offered, accepted and revoked")
    func sharing() async throws {
        try await withCloud { cloud in
            let alice = try await cloud.loggedIn("alice")
            let bob = try await cloud.loggedIn("bob")
            let group = try await alice.createFabric(name: "home")
            _ = try await alice.call(.share(group.id, name: "home", with: "bob@example.com", primary: false))
            let sent = try #require(cloud.transport.exchanges.last?.request.body)
            #expect(try JSONValue(parsing: sent)["metadata"]?["group_name"] == "home")
            let offer = try #require(try await bob.sharingRequests(sent: false).first)
            #expect(offer.groupNames == ["home"] && offer.primaryUserName == "alice@example.com")
            #expect(try await alice.sharingRequests(sent: true).map(\.id) == [offer.id])
            _ = try await bob.call(.answer(offer.id, accept: true))
            #expect(try await alice.sharing(group.id).first?.secondary == ["bob@example.com"])
            #expect(try await bob.group(group.id).isPrimary == false)
            let before = try #require(try await alice.group(group.id).fabric)
            _ = try await alice.call(.revoke(group.id, from: "bob@example.com"))
            let after = try #require(try await alice.group(group.id).fabric)
            #expect(after.operateCAT.version == before.operateCAT.version + 1)
            #expect(after.adminCAT == before.adminCAT)
            #expect(await code { _ = try await bob.group(group.id) } == .unknownGroup)
        }
    }

    @Test("a cloud that tells of fabrics only to who asks for fabrics is asked once more")
    func reticentCloud() async throws {
        try await withCloud { cloud in
            let made = try await cloud.loggedIn("alice").createFabric(name: "Lake")
            let answer = try #require(
                cloud.transport.exchanges.last { $0.request.path == "/v1/user/node_group" }?.response.body)
            var object = try #require(try JSONValue(parsing: answer).objectValue)
            var group = try #require(object["groups"]?.arrayValue?.first?.objectValue)
            group["fabric_details"] = Optional.none
            object["groups"] = .array([.object(group)])
            let transport = CannedTransport(
                [JSONValue.object(object).utf8(), answer].map { HTTPResponse(status: 200, body: $0) })
            let found = try await cloud.client("alice", transport: transport).group(made.id)
            #expect(found.fabric == made.fabric && found.fabric != nil)
            let asked = transport.requests.map { request in request.query.contains { $0.name == "is_matter" } }
            #expect(asked == [false, true])
        }
    }

    @Test("a group is found by id or by an unambiguous name")
    func findGroup() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let first = try await client.createFabric(name: "home")
            #expect(try await client.findGroup("home").id == first.id)
            #expect(try await client.findGroup(first.id).name == "home")
            _ = try await client.createFabric(name: "home")
            #expect(await code { _ = try await client.findGroup("home") } == .invalidInput)
            #expect(await code { _ = try await client.findGroup("nowhere") } == .unknownGroup)
        }
    }
}
