import TestSupport
import Testing

@testable import MatterCrypto

@Suite("fabric identity")
struct FabricIdentityTests {
    /// The example of the Matter core specification, 4.3.2.2.
    static let specificationRootKey = hex(
        """
        044a9f42b1ca4840d37292bbc7f6a7e11e22200c976fc900dbc98a7a383a641cb8
        254a2e56d4e295a847943b4e3897c4a773e930277b4d9fbede8a052686bfacfa
        """)

    static func specificationFabric() throws -> FabricIdentity {
        try FabricIdentity(
            rootPublicKey: P256PublicKey(x963: specificationRootKey), fabricID: FabricID(0x2906_C908_D115_D362))
    }

    @Test("the specification's example gives its compressed fabric id")
    func compressed() throws {
        #expect(try Self.specificationFabric().compressedFabricID == CompressedFabricID(0x87e1_b004_e235_a130))
    }

    @Test("identities are equal for the same root key and fabric id")
    func equality() throws {
        let fabric = try Self.specificationFabric()
        #expect(try fabric == Self.specificationFabric())
        #expect(try fabric != FabricIdentity(rootPublicKey: fabric.rootPublicKey, fabricID: FabricID(1)))
    }

    @Test("fabric id 0 has no identity")
    func zero() throws {
        let key = try P256PublicKey(x963: Self.specificationRootKey)
        let error = #expect(throws: CredentialsError.self) {
            _ = try FabricIdentity(rootPublicKey: key, fabricID: FabricID(0))
        }
        #expect(error?.code == .invalidFabricID)
    }

    @Test("group keys of another size are refused")
    func size() throws {
        let fabric = try Self.specificationFabric()
        for count in [0, 15, 17, 32] {
            let error = #expect(throws: CredentialsError.self) {
                _ = try fabric.operationalIPK(epochKey: SecretBytes([UInt8](repeating: 1, count: count)))
            }
            #expect(error?.code == .invalidMaterial)
        }
    }

    @Test("the destination id depends on every input")
    func destination() throws {
        let fabric = try Self.specificationFabric()
        let ipk = SecretBytes([UInt8](repeating: 7, count: 16))
        let random = [UInt8](repeating: 9, count: 32)
        let id = try fabric.destinationID(nodeID: NodeID(5), ipk: ipk, initiatorRandom: random)
        #expect(id.count == 32)
        #expect(try id == fabric.destinationID(nodeID: NodeID(5), ipk: ipk, initiatorRandom: random))
        #expect(try id != fabric.destinationID(nodeID: NodeID(6), ipk: ipk, initiatorRandom: random))
        let other = SecretBytes([UInt8](repeating: 8, count: 16))
        #expect(try id != fabric.destinationID(nodeID: NodeID(5), ipk: other, initiatorRandom: random))
        #expect(try id != fabric.destinationID(nodeID: NodeID(5), ipk: ipk, initiatorRandom: random.reversed() + [1]))
    }
}

@Suite("fabric vectors", .vectors, .enabled(if: Vectors.available))
struct FabricVectorTests {
    struct File: Decodable {
        struct Compressed: Decodable {
            var rootPublicKey: String
            var fabricId: String
            var compressedFabricId: String
        }
        struct Group: Decodable {
            var epochKey: String
            var compressedFabricId: String
            var operationalKey: String
            var groupSessionId: UInt16
            var privacyKey: String
        }
        struct Destination: Decodable {
            var operationalIpk: String
            var initiatorRandom: String
            var rootPublicKey: String
            var fabricId: String
            var nodeId: String
            var destinationId: String
        }
        var compressedFabricId: [Compressed]
        var groupKeys: [Group]
        var destinationId: [Destination]
    }

    @Test(
        "compressed fabric ids", arguments: try Vectors.cases("fabric.json") { (file: File) in file.compressedFabricId }
    )
    func compressed(vector: File.Compressed) throws {
        let id = try FabricIdentity.compressedFabricID(
            rootPublicKey: P256PublicKey(x963: hex(vector.rootPublicKey)),
            fabricID: #require(FabricID(hex: vector.fabricId)))
        #expect(id.octets == hex(vector.compressedFabricId))
        #expect("\(id)" == vector.compressedFabricId.uppercased())
    }

    @Test(
        "operational group keys, session ids and privacy keys",
        arguments: try Vectors.cases("fabric.json") { (file: File) in file.groupKeys })
    func groups(vector: File.Group) throws {
        let fabric = try #require(CompressedFabricID(hex: vector.compressedFabricId))
        let epochKey = SecretBytes(hex(vector.epochKey))
        let key = try GroupKey(epochKey: epochKey, compressedFabricID: fabric)
        #expect(key.operationalKey.copyBytes() == hex(vector.operationalKey))
        #expect(key.sessionID == vector.groupSessionId)
        #expect(try key.privacyKey().copyBytes() == hex(vector.privacyKey))
        #expect(try GroupKey(operationalKey: key.operationalKey) == key)
        #expect(
            try FabricIdentity.operationalIPK(epochKey: epochKey, compressedFabricID: fabric) == key.operationalKey)
    }

    @Test("destination ids", arguments: try Vectors.cases("fabric.json") { (file: File) in file.destinationId })
    func destinations(vector: File.Destination) throws {
        let fabric = try FabricIdentity(
            rootPublicKey: P256PublicKey(x963: hex(vector.rootPublicKey)),
            fabricID: #require(FabricID(hex: vector.fabricId)))
        let id = try fabric.destinationID(
            nodeID: #require(NodeID(hex: vector.nodeId)), ipk: SecretBytes(hex(vector.operationalIpk)),
            initiatorRandom: hex(vector.initiatorRandom))
        #expect(id == hex(vector.destinationId))
    }
}
