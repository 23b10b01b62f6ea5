import Foundation
import MatterBase
import MatterTestKit
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterState

/// The readers of other programs' stores, on small stores of our own making. What those programs write themselves, and what a script
/// in another language writes, is tried end to end (NeighbourStoreTests).
@Suite("Stores of other programs") struct NeighbourTests {
    private final class Folder {
        let path = NSTemporaryDirectory() + "matterctl-neighbour-" + UUID().uuidString

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        @discardableResult
        func put(_ name: String, _ text: String) throws -> String {
            let file = "\(path)/\(name)"
            try FileManager.default.createDirectory(
                atPath: StoreFolder.parent(of: file), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return file
        }
    }

    private static let time = ValidationTime(unix: 1_790_000_000)
    private static let validity = CertificateValidity.unlimited(from: MatterEpoch.seconds(unix: 1_780_000_000) ?? 0)

    private static func material(_ change: (inout NeighbourMaterial) throws -> Void = { _ in }) throws
        -> NeighbourMaterial
    {
        let fabric = try LocalFabric.create(fabricID: FabricID(2), nodeID: NodeID(112_233), validity: validity)
        var material = NeighbourMaterial(place: "fabric 1 in x")
        material.root = fabric.authority.root.tlv
        material.noc = fabric.credentials.noc.tlv
        material.keys = [try #require(fabric.authority.rootKey).copyBytes()]
        material.epochKey = fabric.credentials.ipkEpochKey.copyBytes()
        material.operationalKey = fabric.credentials.operationalIPK.copyBytes()
        material.compressedFabricID = fabric.credentials.fabric.compressedFabricID.rawValue
        try change(&material)
        return material
    }

    private func check(_ material: NeighbourMaterial, ipk: [UInt8]? = nil) throws -> NeighbourFabric {
        try NeighbourFabric(
            checking: material, ipk: ipk.map { SecretBytes($0) }, at: Self.time, validity: Self.validity)
    }

    @Test("a whole fabric passes every check, and our certificate has the other's ids and another key")
    func whole() throws {
        let material = try Self.material()
        let fabric = try check(material)
        #expect(fabric.checks == NeighbourCheck.allCases)
        #expect(
            fabric.nodeID.rawValue == 112_233 && fabric.fabricID.rawValue == 2
                && fabric.record(named: "x").issuer == .local)
        let other = try MatterCertificate(anyForm: try #require(material.noc))
        #expect(fabric.local.credentials.noc.publicKey != other.publicKey)
        #expect(fabric.local.credentials.noc.subject == other.subject)
        try fabric.local.credentials.validate(at: Self.time)
    }

    @Test("a part of another fabric, or a key that does not fit, is told")
    func foreign() throws {
        let other = try Self.material()
        #expect(throws: CredentialsError.self) { try check(try Self.material { $0.root = other.root }) }
        #expect(throws: CredentialsError.self) { try check(try Self.material { $0.noc = other.noc }) }
        #expect(throws: CredentialsError.self) { try check(try Self.material { $0.keys += other.keys }) }
        #expect(throws: NeighbourError.self) { try check(try Self.material { $0.compressedFabricID = 1 }) }
        #expect(throws: NeighbourError.self) { try check(try Self.material { $0.root = nil }) }
        for change in [{ $0.epochKey = nil }, { $0.operationalKey = Array(repeating: 7, count: 16) }]
            as [@Sendable (inout NeighbourMaterial) -> Void]
        {
            let error = #expect(throws: NeighbourError.self) { try check(try Self.material(change)) }
            #expect(error?.code == .unknownKey)
        }
        let material = try Self.material { $0.epochKey = nil }
        #expect(throws: NeighbourError.self) { try check(material, ipk: Array(repeating: 1, count: 16)) }
        #expect(throws: CredentialsError.self) { try check(material, ipk: [1]) }
    }

    @Test("without a certificate of the controller its ids and tags are those of the store")
    func withoutCertificate() throws {
        let fabric = try check(
            try Self.material {
                ($0.noc, $0.fabricID, $0.nodeID, $0.tags) = (nil, 2, 5, [0xABCD_0001])
            })
        #expect(fabric.nodeID.rawValue == 5 && fabric.tags.map(\.rawValue) == [0xABCD_0001])
        #expect(!fabric.checks.contains(.chain))
        #expect(fabric.local.credentials.noc.cats == fabric.tags)
    }

    @Test("an ini file: escaped keys, values in base64, and what is damaged named")
    func ini() {
        let text = """
            [Default]
            ; a comment
            f/1/r=AQI=
            f/a/n=AwQ=
            g/s/AAEC\\x3d\\x3d=BQ==
            LoggingLevel=Detail
            g/sri=FhUkAQEkAgcYFSQBAiQCCBgY
            f/1/s/000000000000000A=BQ==
            f/1/m=?
            """
        let values = SDKValues(ini: Array(text.utf8), file: "x.ini")
        #expect(values["f/1/r"] == [1, 2] && values["g/s/AAEC=="] == [5] && values["LoggingLevel"] == nil)
        #expect(values.fabricIndices == [1, 10])
        #expect(values.nodeIDs(of: 1) == [7, 10] && values.nodeIDs(of: 2) == [8])
        #expect(values.faults == ["x.ini: the value of 'f/1/m' is not base64"])
    }

    @Test("values of matter.js: numbers, large numbers, octets and lists")
    func values() throws {
        func value(_ text: String) throws -> MatterJSValue { try #require(MatterJSValue(parsing: Array(text.utf8))) }
        #expect(try value(#""{\"__object__\":\"BigInt\",\"__value__\":\"18446744073709551615\"}""#).number == .max)
        #expect(try value(#""{\"__object__\":\"NodeId\",\"__value__\":\"7\"}""#).number == 7)
        #expect(try value(#""{\"__object__\":\"Uint8Array\",\"__value__\":\"0aff\"}""#).octets == [10, 255])
        #expect(try value("12").number == 12 && value(#""12""#).number == nil && value(#""12""#).text == "12")
        #expect(try value(#"["{\"__object__\":\"VendorId\",\"__value__\":9}",1]"#).plain == .array([.int(9), .int(1)]))
        #expect(try value(#""{\"__object__\":\"Uint8Array\",\"__value__\":\"xx\"}""#).octets == nil)
    }

    @Test("a log: what the snapshot has is not done again, what was deleted is gone, and a last line may be torn")
    func log() throws {
        let folder = try Folder()
        try folder.put(
            "snapshot.json",
            #"{"commitId":{"segment":1,"offset":1},"data":{"nodes.a":{"x":1},"nodes.a.b":{"y":2},"values":{"k":"old"},"kept":{"z":4}}}"#
        )
        try folder.put(
            "wal/00000001.jsonl",
            """
            {"ops":[{"op":"del","key":""}]}
            {"ops":[{"op":"del","key":"kept"}]}
            {"ops":[{"op":"upd","key":"values","values":{"k":"new","l":1}}]}

            """)
        try folder.put(
            "wal/0000000a.jsonl",
            """
            [{"op":"del","key":"nodes.a"},{"op":"del","key":"values","values":["l"]}]
            {"ops":[{"op":"upd","key":"fabrics","values":{"f":1}}]}
            {"ops":[{"op":"d
            """)
        let values = try MatterJSValues(StoreFolder(path: folder.path))
        #expect(values.isStore && values.faults.isEmpty)
        #expect(values["kept"]["z"]?.number == 4, "the last change that the snapshot has is not made again")
        #expect(values["nodes.a"].isEmpty && values["nodes.a.b"].isEmpty)
        #expect(
            values["values"]["k"]?.text == "new" && values["values"]["l"] == nil && values["fabrics"]["f"]?.number == 1)
        // In the middle it is a fault, and the rest counts.
        try folder.put("wal/00000002.jsonl", "{\n" + #"{"ops":[{"op":"upd","key":"values","values":{"m":3}}]}"# + "\n")
        let torn = try MatterJSValues(StoreFolder(path: folder.path))
        #expect(torn.faults == ["wal/00000002.jsonl: line 1 is damaged"] && torn["values"]["m"]?.number == 3)
    }

    @Test("a file for each value: names are decoded, a damaged one is named, and the rest is read")
    func files() throws {
        let folder = try Folder()
        try folder.put("nodes.peer1.endpoints.0.40.5", #""Lamp""#)
        try folder.put("fabrics.fabrics", "[{")
        try folder.put("certificates.root%4Bey", "1")
        try folder.put("driver.json", #"{"kind":"file"}"#)
        try folder.put("other.thing", "?")
        try folder.put("values.k.tmp", "?")
        let values = try MatterJSValues(StoreFolder(path: folder.path))
        #expect(
            values["nodes.peer1.endpoints.0.40"]["5"]?.text == "Lamp" && values["certificates"]["rootKey"]?.number == 1)
        #expect(values.faults == ["fabrics.fabrics is damaged"])
    }

    @Test("nodes keep their labels as names, each once; what cannot be a name is none")
    func names() {
        func record(_ id: UInt64, _ label: String) -> NodeRecord {
            var facts = NodeFacts()
            facts.set(0, 40, 5, .string(label))
            facts.set(0, 29, 0, .array([.object(["0": .int(22)])]))
            facts.set(1, 29, 0, .array([.object(["deviceType": .int(256)])]))
            facts.set(1, 29, 1, .array([.int(6)]))
            facts.set(1, 6, 0xFFF9, .array([.int(0), .int(1)]))
            facts.set(2, 6, 0, .bool(true))
            return facts.record(of: NodeID(id))
        }
        let nodes = [record(1, "Lamp"), record(2, "lamp"), record(3, "a/b"), record(4, "")].withUniqueNames()
        #expect(nodes.map(\.name) == ["Lamp", nil, nil, nil])
        #expect(nodes[0].endpoints.map(\.number) == [0, 1] && nodes[0].endpoints.map(\.deviceTypes) == [[22], [256]])
        #expect(nodes[0].endpoints[1].acceptedCommands == [6: [0, 1]])
    }

    @Test("damaged stores of every kind end with a word about it")
    func damaged() throws {
        let whole =
            #"{"repl-config":{"caList":{"1":[{"fabricId":1,"vendorId":65521}]}},"sdk-config":{"f/1/r":"FTABAQEkAgE3AyQUARgY","f/1/n":"FRg=","ExampleOpCredsCAKey1":"BAAA","g/sri":"FhUkAQEkAgcYGA=="}}"#
        var mutator = Mutator(seed: 32, corpus: [Array(whole.utf8)])
        for _ in 0..<300 {
            let folder = try Folder()
            let text = String(decoding: mutator.next(), as: UTF8.self)
            try folder.put("chip.json", text)
            let lines = text.replacingOccurrences(of: ",", with: "\n").replacingOccurrences(of: ":", with: "=")
            try folder.put("chip_tool_config.ini", lines)
            try folder.put("server/fabrics.fabrics", text)
            try folder.put("log/wal/00000001.jsonl", text)
            let state = StateDirectory(path: folder.path + "/state")
            let service = Controller(Controller.Options(state: state, logger: .silent)).neighbours
            for neighbour in Neighbour.allCases {
                #expect(throws: NeighbourError.self, "\(text)") {
                    try service.read(neighbour, at: folder.path, evenIfInUse: true)
                }
            }
        }
    }
}
