import JSON
import MatterCrypto
import MatterState
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import RainMaker

@Suite(.timed) struct GroupAdoptionTests {
    private func node(_ id: String, _ matter: JSONObject) throws -> CloudNode {
        let object: JSONObject = ["id": .string(id), "metadata": ["Matter": .object(matter)]]
        return try CloudNode(CloudFields(object, "test"))
    }

    private func member(_ id: String, _ number: UInt64) -> CloudGroup.Member {
        CloudGroup.Member(nodeID: id, matterNodeID: NodeID(number))
    }

    @Test("nodes come with name, type and clusters; what is known already keeps its name")
    func adopts() throws {
        let nodes = [
            try node("a", ["deviceName": "Porch", "deviceType": 269, "serversData": ["0": [29], "1": [6, 8]]]),
            try node("b", ["deviceName": "Porch", "vendorId": 4891]),
            try node("c", ["deviceName": "Hall"]),
        ]
        let adoption = GroupAdoption(members: [member("a", 1), member("b", 2), member("c", 3)], nodes: nodes)
        let known = NodeRecord(nodeID: NodeID(3), name: "mine")
        let records = adoption.records(known: [known])
        #expect(records.map(\.name) == ["Porch", "Porch 2"])
        #expect(records[0].endpoints.map(\.deviceTypes) == [[], [269]])
        #expect(records[0].endpoints.map(\.serverClusters) == [[29], [6, 8]])
        #expect(records[1].vendorID == 4891)
        #expect(adoption.records(known: [known] + records).isEmpty)
    }

    @Test(
        "names from the cloud are made to fit",
        arguments: [
            ("Porch", "Porch"), ("a/b:c", "a-b-c"), ("  x ", "x"), ("-x", "x"), ("7", "device 7"),
            ("\u{1B}[31m", "[31m"),
            ("", nil), ("///", nil), (String(repeating: "y", count: 200), String(repeating: "y", count: 60)),
        ] as [(String, String?)])
    func names(text: String, expected: String?) {
        #expect(GroupAdoption.name(text, taken: []) == expected)
    }

    @Test("members without a number on the fabric are left out")
    func withoutNumber() {
        let members = [CloudGroup.Member(nodeID: "a"), member("b", 0), member("c", .max)]
        #expect(GroupAdoption(members: members, nodes: []).records(known: []).isEmpty)
    }
}
