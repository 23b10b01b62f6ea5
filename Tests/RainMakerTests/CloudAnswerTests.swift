import JSON
import MatterLedger
import TestSupport
import Testing

@testable import MatterModel
@testable import RainMaker

@Suite(.timed) struct CloudAnswerTests {
    private func error(_ status: Int, _ body: String, _ call: CloudCall = .user) -> RainMakerError? {
        do {
            _ = try CloudAnswer.body(of: HTTPResponse(status: status, body: Array(body.utf8)), to: call)
            return nil
        } catch {
            return error
        }
    }

    @Test("every known error code is reported with its meaning", arguments: CloudErrorCode.allCases)
    func meanings(code: CloudErrorCode) throws {
        let body = #"{"status":"failure","error_code":\#(code.rawValue),"description":"words"}"#
        let found = try #require(error(400, body))
        #expect(found.cloudCode == "\(code.rawValue)")
        #expect(found.meaning == code.facts.meaning)
        #expect(found.httpStatus == 400)
        #expect(found.reason.contains("HTTP 400") && found.reason.contains("\(code.rawValue)"))
        #expect(code.facts.error == nil || found.code == code.facts.error)
        #expect(found.reason.contains(try #require(found.meaning)))
    }

    @Test(
        "error codes may be numbers, strings or absent",
        arguments: [
            (#"{"status":"failure","error_code":"108016","description":"x"}"#, "108016"),
            (#"{"status":"Failure","error_code":108016.0,"description":"x"}"#, "108016"),
            (#"{"status":"failure","description":"x"}"#, nil), (#"{"message":"Forbidden"}"#, nil),
            (#"{"status":"failure","error_code":null}"#, nil), ("", nil), ("<html>", nil), ("[1]", nil),
        ] as [(String, String?)])
    func codes(body: String, expected: String?) throws {
        let found = try #require(error(400, body))
        #expect(found.cloudCode == expected)
        #expect(found.code == .refused)
    }

    @Test(
        "the status decides what kind of failure it is",
        arguments: [
            (401, RainMakerError.Code.unauthorized), (403, .forbidden), (404, .notFound), (409, .conflict),
            (429, .refused), (500, .serverFailed), (503, .serverFailed), (418, .refused),
        ])
    func statuses(status: Int, expected: RainMakerError.Code) {
        #expect(error(status, #"{"message":"no"}"#)?.code == expected)
    }

    @Test("success is judged by the body too")
    func success() {
        #expect(error(200, #"{"status":"failure","error_code":108900}"#)?.code == .notAFabric)
        #expect(error(200, "{}", .delete("g"))?.code == .malformedAnswer)
        #expect(error(200, #"{"status":"SUCCESS"}"#, .delete("g")) == nil)
        #expect(error(201, #"{"status":"success","group_id":"g"}"#, .createFabric(name: "n")) == nil)
        #expect(error(200, "{}", .user) == nil)
        #expect(error(200, "[]", .user)?.code == .malformedAnswer)
    }

    @Test("damaged answers never do more than throw")
    func mutations() {
        let corpus = [
            #"{"status":"failure","error_code":108016,"description":"Group id is missing"}"#,
            #"{"groups":[{"group_id":"Hq3x","group_name":"Lake","is_matter":true,"fabric_id":"4C414B45484F5553","fabric_details":{"root_ca":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n","ipk":"00112233445566778899AABBCCDDEEFF","group_cat_id_admin":"01A20001"}}]}"#,
            #"{"nodes":["k3v"],"node_details":[{"id":"k3v","status":{"connectivity":{"connected":true,"timestamp":1}},"metadata":{"Matter":{"deviceName":"P","endpoints":{"0x1":{"clusters":{"servers":{"0x6":{}}}}}}}}]}"#,
        ].map { Array($0.utf8) }
        var mutator = Mutator(seed: 4, corpus: corpus)
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let body = mutator.next()
            do {
                let object = try CloudAnswer.body(of: HTTPResponse(status: 200, body: body), to: .user)
                accepted += 1
                let fields = CloudFields(object, "test")
                for group in (try? fields.objects("groups")) ?? [] { _ = try? CloudGroup(group) }
                for node in (try? fields.objects("node_details")) ?? [] {
                    _ = (try? CloudNode(node)).map { ($0.name, $0.serverClusters) }
                }
                _ = try? CloudCertificate(object, isNode: true, group: "g", "test")
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(accepted > Effort.inputs(100))
    }
}

@Suite(.timed) struct CloudGroupTests {
    @Test(
        "a group that is no fabric has none, however the cloud says so",
        arguments: [
            #"{"group_id":"g"}"#, #"{"group_id":"g","is_matter":false,"fabric_id":"","fabric_details":null}"#,
            #"{"group_id":"g","is_matter":false,"fabric_details":{}}"#,
            #"{"group_id":"g","is_matter":false,"fabric_details":{"root_ca":"","ipk":""}}"#,
        ])
    func withoutFabric(text: String) throws {
        let object = try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
        let group = try CloudGroup(CloudFields(object, "test"))
        #expect(group.fabric == nil && group.fabricID == nil && !group.isMatter)
    }

    @Test("a fabric of which something is missing is malformed, and its group is there all the same")
    func incompleteFabric() throws {
        let object: JSONObject = ["group_id": "g", "group_name": "n", "is_matter": true, "fabric_details": [:]]
        let group = try CloudGroup(CloudFields(object, "test"))
        #expect(group.fault?.code == .malformedAnswer && group.fault?.reason.contains("'n' (g)") == true)
        #expect(throws: RainMakerError.self) { try group.requireFabric() }
    }
}

@Suite(.timed) struct CloudTokensTests {
    @Test("the end of a JSON web token is read, and nothing else is taken for one")
    func expiry() {
        // {"exp":1790000000} and {"exp":1790000000.5}, without padding
        #expect(CloudTokens.expiry(ofJWT: "e30.eyJleHAiOjE3OTAwMDAwMDB9.x") == 1_790_000_000)
        #expect(CloudTokens.expiry(ofJWT: "e30.eyJleHAiOjE3OTAwMDAwMDAuNX0.x") == 1_790_000_000)
        for text in ["", "a", "a.b", "a.b.c", "a.e30.c", "a.W10.c", "....", "a.eyJleHAiOiJ4In0.c"] {
            #expect(CloudTokens.expiry(ofJWT: text) == nil, "\(text)")
        }
        // {"exp":-9223372036854775808} and {"exp":9223372036854775807}: no time that one could calculate with.
        for text in ["e30.eyJleHAiOi05MjIzMzcyMDM2ODU0Nzc1ODA4fQ.x", "e30.eyJleHAiOjkyMjMzNzIwMzY4NTQ3NzU4MDd9.x"] {
            #expect(CloudTokens.expiry(ofJWT: text) == nil, "\(text)")
        }
    }

    @Test("tokens show nowhere")
    func redaction() throws {
        let tokens = try CloudTokens(
            ["accesstoken": "acc3ss", "refreshtoken": "r3fresh"], refresh: nil, now: 0, "login")
        #expect(!"\(tokens)".contains("acc3ss") && !String(reflecting: tokens).contains("r3fresh"))
        #expect(tokens.expires == CloudTokens.presumedLife)
        #expect(try CloudTokens(decoding: tokens.encoded()) == tokens)
    }

    @Test(
        "tokens that are none are refused",
        arguments: [
            JSONObject(), ["accesstoken": "a"], ["accesstoken": "", "refreshtoken": "b"],
            ["accesstoken": "a\r\nX: y", "refreshtoken": "b"], ["accesstoken": 5, "refreshtoken": "b"],
        ])
    func invalid(object: JSONObject) {
        #expect(throws: RainMakerError.self) { try CloudTokens(object, refresh: nil, now: 0, "login") }
    }
}
