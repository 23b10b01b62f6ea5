import JSON
import MatterController
import Testing

@testable import HouseServer

@Suite struct NodeObjectTests {
    private let object = NodeObject(
        node: .max, commissioned: 1_769_847_330_123, interviewed: 1_769_847_330_000, isAvailable: true)

    private func json(_ attributes: [(path: ConcreteAttributePath, value: [UInt8])]) throws -> JSONValue {
        try JSONValue(parsing: String(decoding: Array(object.parts(attributes).joined()), as: UTF8.self))
    }

    @Test func aNodeHasAllThatClientsAskFor() throws {
        let path = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)
        #expect(
            try json([(path, Array("true".utf8)), (NodeObject.bridgePath, Array(#"[{"0":256,"1":3}]"#.utf8))])
                == [
                    "node_id": .uint(.max), "date_commissioned": "2026-01-31T08:15:30.123000",
                    "last_interview": "2026-01-31T08:15:30.000000", "interview_version": 6, "available": true,
                    "attributes": ["1/6/0": true, "1/29/0": [["0": 256, "1": 3]]], "is_bridge": false,
                    "attribute_subscriptions": [],
                ])
    }

    @Test func anEmptyNodeIsAnObjectToo() throws {
        #expect(try json([]).objectValue?["attributes"] == [:])
    }

    @Test(
        "an aggregator on endpoint 1 makes a bridge, and one elsewhere does not",
        arguments: [
            (1, #"[{"0":14,"1":1}]"#, true), (1, #"[{"1":1,"0":14}]"#, true), (1, #"[{"0":19,"1":14}]"#, false),
            (1, #"[{"0":256,"1":1},{"0":14,"1":2}]"#, true), (2, #"[{"0":14,"1":1}]"#, false), (1, "null", false),
            (1, "[]", false), (1, #"[{"0":140,"1":1}]"#, false),
        ])
    func bridge(endpoint: UInt16, list: String, isBridge: Bool) throws {
        let path = ConcreteAttributePath(endpoint: EndpointID(endpoint), cluster: 0x1D, attribute: 0)
        #expect(try json([(path, Array(list.utf8))]).objectValue?["is_bridge"] == .bool(isBridge))
    }

    @Test func aLargeNodeComesInParts() throws {
        let value = Array(("\"" + String(repeating: "x", count: 1000) + "\"").utf8)
        let attributes = (0..<500).map {
            (
                path: ConcreteAttributePath(endpoint: 1, cluster: 0xFFF1_FC00, attribute: AttributeID(UInt32($0))),
                value: value
            )
        }
        let parts = object.parts(attributes)
        #expect(parts.count > 5 && parts.allSatisfy { $0.count < 70_000 && !$0.isEmpty })
        #expect(try json(attributes).objectValue?["attributes"]?.objectValue?.members.count == 500)
    }

    @Test(
        "times have microseconds and no zone, as both clients read them",
        arguments: [
            (UInt64(0), "1970-01-01T00:00:00.000000"), (1, "1970-01-01T00:00:00.001000"),
            (951_782_400_999, "2000-02-29T00:00:00.999000"), (.max, "1970-01-01T00:00:00.000000"),
        ])
    func dates(milliseconds: UInt64, text: String) {
        #expect(NodeObject.date(milliseconds) == text)
    }
}
