import JSON
import MatterBase
import Testing

@testable import MatterController
@testable import MatterModel

/// Responses that say no.
@Suite("Responses that say no") struct RefusalTests {
    private func failure(_ cluster: String, _ command: String, _ response: JSONValue) throws -> ControllerError? {
        let cluster = try Catalogue.standard.cluster(named: cluster)
        let request = try cluster.command(named: command)
        let definition = try #require(cluster.response(to: request))
        let fields = try ValueParser().fields(json: response, of: definition).value
        let path = CommandPath(endpoint: 1, cluster: cluster.id, command: request.id)
        return Outcome.failure(
            CommandResult(path: path, outcome: .response(command: definition.id, fields: fields)), of: "node 'it'")
    }

    @Test("a status that is not success is told by the cluster's own name for it, with the words of the device")
    func names() throws {
        let cases: [(String, String, JSONValue, String)] = [
            (
                "door-lock", "set-credential", ["status": 2, "userIndex": nil, "nextCredentialIndex": nil],
                "1/door-lock/set-credential with Duplicate"
            ),
            (
                "operational-credentials", "add-noc", ["statusCode": 5, "debugText": "full"],
                "1/operational-credentials/add-noc with TableFull: full"
            ),
            (
                "network-commissioning", "connect-network",
                ["networkingStatus": 7, "debugText": "", "errorValue": nil],
                "1/network-commissioning/connect-network with AuthFailure"
            ),
            (
                "general-commissioning", "arm-fail-safe", ["errorCode": 4, "debugText": "later"],
                "1/general-commissioning/arm-fail-safe with BusyWithOtherAdmin: later"
            ),
            (
                "rvc-run-mode", "change-to-mode", ["status": 65, "statusText": "under the sofa"],
                "1/rvc-run-mode/change-to-mode with Stuck: under the sofa"
            ),
            (
                "laundry-washer-mode", "change-to-mode", ["status": 3, "statusText": "door open"],
                "1/laundry-washer-mode/change-to-mode with InvalidInMode: door open"
            ),
            (
                "rvc-operational-state", "pause", ["commandResponseState": ["errorStateId": 3]],
                "1/rvc-operational-state/pause with CommandInvalidInState"
            ),
            (
                "operational-state", "start",
                ["commandResponseState": ["errorStateId": 128, "errorStateLabel": "No water"]],
                "1/operational-state/start with 128: No water"
            ),
            ("groups", "add-group", ["status": 0x89, "groupId": 1], "1/groups/add-group with RESOURCE_EXHAUSTED"),
            (
                "scenes-management", "store-scene", ["status": 0x8B, "groupId": 1, "sceneId": 1],
                "1/scenes-management/store-scene with NOT_FOUND"
            ),
            ("media-playback", "next", ["status": 3], "1/media-playback/next with NotActive"),
        ]
        for (cluster, command, response, account) in cases {
            let error = try #require(try failure(cluster, command, response), "\(account)")
            #expect(error.message == "node 'it' answered the command \(account)")
            #expect(error.code == .refused)
            #expect(MatterError.Code(error) == .refused && error.facts.map(\.name) == ["response", "responseCode"])
        }
    }

    @Test("success is none, nor is a log that is exhausted, nor a response without a status")
    func successes() throws {
        let cases: [(String, String, JSONValue)] = [
            ("door-lock", "set-credential", ["status": 0, "userIndex": 1, "nextCredentialIndex": nil]),
            ("rvc-operational-state", "pause", ["commandResponseState": ["errorStateId": 0]]),
            ("diagnostic-logs", "retrieve-logs-request", ["status": 1, "logContent": "hex:00"]),
            ("time-synchronization", "set-time-zone", ["dstOffsetRequired": true]),
            (
                "door-lock", "get-user",
                [
                    "userIndex": 1, "userName": nil, "userUniqueId": nil, "userStatus": 1, "userType": 1,
                    "credentialRule": nil, "credentials": nil, "creatorFabricIndex": nil,
                    "lastModifiedFabricIndex": nil,
                    "nextUserIndex": nil,
                ]
            ),
        ]
        for (cluster, command, response) in cases {
            #expect(try failure(cluster, command, response) == nil, "\(cluster)/\(command)")
        }
        let diagnosticLogs = try failure(
            "diagnostic-logs", "retrieve-logs-request", ["status": 3, "logContent": "hex:"])
        #expect(diagnosticLogs?.refusal?.name == "Busy")
    }

    @Test("every response of the standard clusters that has a status is judged by it")
    func statuses() {
        // Fields whose name says status and that are none: what a user or an area is, not what came of the command.
        let others: Set<String> = ["UserStatus"]
        for cluster in Catalogue.standard.clusters where cluster.origin == .standard {
            for response in cluster.responses {
                guard
                    let field = response.fields.first(where: {
                        ($0.name.contains("Status") || $0.name.contains("Error")) && !others.contains($0.name)
                            && $0.type.kind != .string && !$0.type.isList
                    }), field.name != "ErrorValue"
                else { continue }
                let isStructure = if case .structure = field.type.kind { true } else { false }
                let no = TLVValue.structure([
                    TLVElement(field.id, isStructure ? .structure([TLVElement(0, .uint(1))]) : .uint(0x89))
                ])
                #expect(Refusal(no, of: response, in: cluster) != nil, "\(cluster.name).\(response.name)")
            }
        }
    }

    @Test("a response that is malformed, or that no definition knows, is not taken for a refusal")
    func malformed() throws {
        let lock = try #require(Catalogue.standard.cluster(DoorLock.id))
        let response = try #require(lock.response(DoorLock.Command.setCredentialResponse))
        for fields in [nil, .null, .structure([]), .structure([TLVElement(0, .string("no"))])] as [TLVValue?] {
            #expect(Refusal(fields, of: response, in: lock) == nil)
        }
        let path = CommandPath(endpoint: 1, cluster: 0xFFF1_FC99, command: 0)
        let result = CommandResult(
            path: path, outcome: .response(command: 1, fields: .structure([TLVElement(0, .uint(1))])))
        #expect(Outcome.failure(result, of: "node 'it'") == nil)
    }
}
