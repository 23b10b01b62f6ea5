import JSON
import MatterController
import Testing

@testable import HouseServer

@Suite struct CommandPayloadTests {
    private func fields(_ name: String, of cluster: ClusterID, _ payload: String) throws -> String {
        let command = try CommandPayload.command(name, of: cluster, in: .standard)
        let object = try #require(try JSONValue(parsing: payload).objectValue)
        return ValueEncoding.json(try CommandPayload.fields(object, of: command)).serialized()
    }

    private func refusal(_ name: String, of cluster: ClusterID, _ payload: String) throws -> String {
        let error = try #require(throws: InterfaceError.self) { _ = try fields(name, of: cluster, payload) }
        #expect(error.code == .invalidArguments)
        return error.details
    }

    @Test(
        "a command is known by its name in any case, and only as a request",
        arguments: ["MoveToLevelWithOnOff", "moveToLevelWithOnOff", "MOVETOLEVELWITHONOFF"])
    func names(name: String) throws {
        #expect(try CommandPayload.command(name, of: 0x0008, in: .standard).id == 0x04)
    }

    @Test func aResponseIsNoCommandAndAnUnknownClusterHasNone() throws {
        #expect(throws: InterfaceError.self) {
            try CommandPayload.command("AddGroupResponse", of: 0x0004, in: .standard)
        }
        #expect(throws: InterfaceError.self) { try CommandPayload.command("move-to-level", of: 0x0008, in: .standard) }
        #expect(throws: InterfaceError.self) { try CommandPayload.command("On", of: 0xFFF1_FC77, in: .standard) }
        #expect(try CommandPayload.command("TLSClientCSR", of: 0x0801, in: .standard).name == "ClientCSR")
    }

    @Test func fieldsHaveNamesInAnyCaseOrDecimalTags() throws {
        let expected = #"{"0":128,"1":10,"2":0,"3":0}"#
        for payload in [
            #"{"level":128,"transitionTime":10,"optionsMask":0,"optionsOverride":0}"#,
            #"{"LEVEL":128,"transitiontime":10,"OptionsMask":0,"optionsOverride":0}"#,
            #"{"3":0,"1":10,"0":128,"2":0}"#,
            #"{"level":128.0,"transitionTime":"10","optionsMask":0,"optionsOverride":0}"#,
            // Masks of options are not asked for.
            #"{"level":128,"transitionTime":10}"#,
        ] {
            #expect(try fields("MoveToLevel", of: 0x0008, payload) == expected, "\(payload)")
        }
    }

    @Test func nullIsAValueOnlyOfWhatIsNullableAndNotOptional() throws {
        // TransitionTime of MoveToLevel is nullable; PINCode of LockDoor is optional.
        #expect(
            try fields(
                "MoveToLevel", of: 0x0008, #"{"level":1,"transitionTime":null,"optionsMask":0,"optionsOverride":0}"#)
                == #"{"0":1,"1":null,"2":0,"3":0}"#)
        #expect(try fields("LockDoor", of: 0x0101, #"{"PINCode":null}"#) == "{}")
        // SSID of ScanNetworks is both: unset in the clients' data classes.
        #expect(try fields("ScanNetworks", of: 0x0031, #"{"ssid":null,"breadcrumb":1}"#) == #"{"1":1}"#)
        #expect(try refusal("MoveToLevel", of: 0x0008, #"{"level":null,"transitionTime":1}"#) == "level: is missing")
    }

    @Test func octetsAreBase64() throws {
        #expect(try fields("LockDoor", of: 0x0101, #"{"PINCode":"MTIzNA=="}"#) == #"{"0":"MTIzNA=="}"#)
        #expect(try fields("lockDoor", of: 0x0101, #"{"pincode":"MTIzNA"}"#) == #"{"0":"MTIzNA=="}"#)
        #expect(try refusal("LockDoor", of: 0x0101, #"{"PINCode":"*"}"#) == "PINCode: wants base64")
        #expect(try refusal("LockDoor", of: 0x0101, #"{"PINCode":1234}"#) == "PINCode: wants base64")
    }

    @Test(
        "what is wrong is named",
        arguments: [
            (#"{"transitionTime":1}"#, "level: is missing"),
            (#"{"level":256,"transitionTime":1}"#, "level: wants a whole number from 0 to 255"),
            (#"{"level":-1,"transitionTime":1}"#, "level: wants a whole number from 0 to 255"),
            (#"{"level":1.5,"transitionTime":1}"#, "level: wants a whole number from 0 to 255"),
            (#"{"level":true,"transitionTime":1}"#, "level: wants a whole number from 0 to 255"),
            (#"{"level":"+1","transitionTime":1}"#, "level: wants a whole number from 0 to 255"),
            (#"{"level":1,"0":1,"transitionTime":1}"#, "level: is given twice"),
            (#"{"level":1,"transitionTime":1,"speed":2}"#, "speed: MoveToLevel has no such field"),
            (#"{"level":1,"transitionTime":1,"9":2}"#, "9: MoveToLevel has no such field"),
        ])
    func refused(payload: String, reason: String) throws {
        #expect(try refusal("MoveToLevel", of: 0x0008, payload) == reason)
    }

    @Test func aFieldOfAnotherVersionIsIgnoredWhileItIsNull() throws {
        #expect(try fields("On", of: 0x0006, #"{"doNotUse":null}"#) == "{}")
        #expect(try refusal("On", of: 0x0006, #"{"doNotUse":0}"#) == "doNotUse: On has no such field")
    }

    @Test func structuresInListsHaveNamesOrTags() throws {
        // SetCredential of the door lock: a structure, an enumeration, octets, and null for what is nullable.
        #expect(
            try fields(
                "SetCredential", of: 0x0101,
                #"{"operationType":0,"credential":{"credentialType":1,"credentialIndex":2},"credentialData":"MTIzNA==","userIndex":null,"userStatus":null,"userType":null}"#
            ) == #"{"0":0,"1":{"0":1,"1":2},"2":"MTIzNA==","3":null,"4":null,"5":null}"#)
        #expect(
            try refusal(
                "SetCredential", of: 0x0101,
                #"{"operationType":0,"credential":{"credentialType":1,"credentialIndex":70000},"credentialData":"","userIndex":null,"userStatus":null,"userType":null}"#
            ) == "credential.credentialIndex: wants a whole number from 0 to 65535")
    }

    @Test func integersAreExactToTheLast() throws {
        let path = ConcreteAttributePath(endpoint: 0, cluster: 0x001F, attribute: 0)
        let entry = #"[{"1":5,"2":2,"3":[18446744073709551615,9007199254740993],"4":null}]"#
        #expect(
            ValueEncoding.json(try CommandPayload.value(JSONValue(parsing: entry), for: path, in: .standard))
                .serialized()
                == entry)
    }

    @Test func anAttributeTakesStructuresByTagsOrNamesAndItsFabricFromTheDevice() throws {
        let path = ConcreteAttributePath(endpoint: 1, cluster: 0x001E, attribute: 0)
        func written(_ text: String) throws -> String {
            ValueEncoding.json(try CommandPayload.value(JSONValue(parsing: text), for: path, in: .standard))
                .serialized()
        }
        let expected = #"[{"1":5,"3":1,"4":6}]"#
        #expect(try written(#"[{"1":5,"3":1,"4":6,"254":1}]"#) == expected)
        #expect(try written(#"[{"node":5,"group":null,"endpoint":1,"cluster":6,"fabricIndex":1}]"#) == expected)
        #expect(try written("[]") == "[]")
        for text in ["null", "{}", "5", #"["x"]"#, #"[{"node":-1}]"#, "[null]"] {
            let error = try #require(throws: InterfaceError.self, "\(text)") { try written(text) }
            #expect(error.code == .invalidArguments && error.details.hasPrefix("binding"), "\(error.details)")
        }
    }

    @Test func anUnknownAttributeHasNoType() {
        for path in [
            ConcreteAttributePath(endpoint: 1, cluster: 0x0006, attribute: 0x77),
            ConcreteAttributePath(endpoint: 1, cluster: 0xFFF1_FC77, attribute: 0),
        ] {
            #expect(throws: InterfaceError.self) { try CommandPayload.value(1, for: path, in: .standard) }
        }
    }
}
