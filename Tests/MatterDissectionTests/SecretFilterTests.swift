import JSON
import MatterBase
import MatterModel
import Testing

@testable import MatterModel

@Suite struct SecretFilterTests {
    private static let marker = "marker-of-a-secret"
    private static let octets = Array("octets-of-a-secret".utf8)
    private static let number: UInt64 = 0x5EC2_E75E

    /// A value of a type whose texts and octets are markers.
    private static func value(_ type: DataType, depth: Int = 0) -> TLVValue {
        if type.isList { return .array([TLVElement(.anonymous, value(type.entry, depth: depth + 1))]) }
        switch type.kind {
        case .string: return .string(marker)
        case .octets: return .octets(octets)
        case .boolean: return .bool(true)
        case .structure(let definition) where depth < 8:
            return .structure(definition.fields.map { TLVElement($0.id, value($0.type, depth: depth + 1)) })
        default: return .uint(1)
        }
    }

    private static func isMarked(_ text: String) -> Bool {
        text.contains(marker) || text.uppercased().contains(Hex.encode(octets).uppercased())
    }

    private func dissected(_ opcode: InteractionModelOpcode, _ payload: [UInt8], shows: Bool = false) -> String {
        let found = InteractionDissector(secrets: SecretFilter(showsSecrets: shows)).dissect(opcode, payload)
        return found.items.map(\.text).joined(separator: "\n")
            + found.items.map { $0.json.serialized() }.joined(separator: "\n") + (found.fault ?? "")
    }

    private func invoke(_ cluster: ClusterID, _ command: CommandID, _ fields: TLVValue, isResponse: Bool) -> [UInt8] {
        let path = TLVValue.list([
            TLVElement(0, .uint(1)), TLVElement(1, .uint(UInt64(cluster.rawValue))),
            TLVElement(2, .uint(UInt64(command.rawValue))),
        ])
        let data = TLVValue.structure([TLVElement(0, path), TLVElement(1, fields)])
        let block = isResponse ? TLVValue.structure([TLVElement(0, data)]) : data
        return TLVElement(
            .anonymous, .structure([TLVElement(isResponse ? 1 : 2, .array([TLVElement(.anonymous, block)]))])
        ).encoded()
    }

    @Test("each secret of the data model is left out of commands and answers, and shown to one who asks for it")
    func commands() throws {
        var count = 0
        for cluster in Catalogue.standard.clusters {
            for command in cluster.commands + cluster.responses {
                for field in command.fields where Self.hasSecret(field) {
                    count += 1
                    let payload = invoke(
                        cluster.id, command.id,
                        .structure([TLVElement(field.id, Self.only(field))]),
                        isResponse: command.isResponse)
                    let opcode: InteractionModelOpcode = command.isResponse ? .invokeResponse : .invokeRequest
                    let text = dissected(opcode, payload)
                    #expect(!Self.isMarked(text), "\(cluster.name) \(command.name) \(field.name): \(text)")
                    #expect(text.contains(SecretFilter.mark), "\(cluster.name) \(command.name) \(field.name): \(text)")
                    #expect(Self.isMarked(dissected(opcode, payload, shows: true)), "\(command.name) \(field.name)")
                }
            }
        }
        // PINs of locks alone are ten.
        #expect(count >= 40, "\(count)")
    }

    private static func hasSecret(_ field: FieldDefinition) -> Bool {
        if field.isSecret { return true }
        guard case .structure(let definition) = field.type.kind else { return false }
        return definition.fields.contains { $0.isSecret }
    }

    /// A value whose only markers are in secrets.
    private static func only(_ field: FieldDefinition) -> TLVValue {
        if field.isSecret { return value(field.type) }
        guard case .structure(let definition) = field.type.kind else { return .uint(1) }
        let one = TLVValue.structure(definition.fields.filter(\.isSecret).map { TLVElement($0.id, value($0.type)) })
        return field.type.isList ? .array([TLVElement(.anonymous, one)]) : one
    }

    @Test("each secret attribute is left out of reports and writes")
    func attributes() throws {
        var count = 0
        for cluster in Catalogue.standard.clusters {
            for attribute in cluster.attributes where attribute.isSecret {
                count += 1
                let path = TLVValue.list([
                    TLVElement(2, .uint(1)), TLVElement(3, .uint(UInt64(cluster.id.rawValue))),
                    TLVElement(4, .uint(UInt64(attribute.id.rawValue))),
                ])
                let data = TLVValue.structure([
                    TLVElement(0, .uint(1)), TLVElement(1, path), TLVElement(2, Self.value(attribute.type)),
                ])
                let report = TLVElement(
                    .anonymous,
                    .structure([
                        TLVElement(
                            1, .array([TLVElement(.anonymous, .structure([TLVElement(1, data)]))]))
                    ])
                ).encoded()
                let write = TLVElement(
                    .anonymous, .structure([TLVElement(2, .array([TLVElement(.anonymous, data)]))])
                ).encoded()
                for (opcode, payload) in [(InteractionModelOpcode.reportData, report), (.writeRequest, write)] {
                    let text = dissected(opcode, payload)
                    #expect(!Self.isMarked(text) && text.contains(SecretFilter.mark), "\(attribute.name): \(text)")
                    #expect(Self.isMarked(dissected(opcode, payload, shows: true)), "\(attribute.name)")
                }
            }
        }
        #expect(count >= 3, "\(count)")
    }

    @Test("what the data model does not know may be a secret: its texts and octets are left out, its numbers stay")
    func unknown() throws {
        let fields = TLVValue.structure([
            TLVElement(0, .string(Self.marker)), TLVElement(1, .octets(Self.octets)), TLVElement(2, .uint(Self.number)),
            TLVElement(3, .structure([TLVElement(0, .string(Self.marker))])),
        ])
        // A cluster, a command and a field that are unknown, and a field of another type than the model says.
        let cases: [(ClusterID, CommandID, TLVValue)] = [
            (0x131B_FFFE, 1, fields), (0x0006, 0x77, fields), (0x0006, 0x00, fields),
            (0x0101, 0x00, .structure([TLVElement(0, .structure([TLVElement(0, .octets(Self.octets))]))])),
            (0x0101, 0x00, .string(Self.marker)),
        ]
        for (cluster, command, value) in cases {
            let text = dissected(.invokeRequest, invoke(cluster, command, value, isResponse: false))
            #expect(!Self.isMarked(text), "\(text)")
        }
        #expect(dissected(.invokeRequest, invoke(0x131B_FFFE, 1, fields, isResponse: false)).contains("\(Self.number)"))
    }

    @Test("a message that is cut off says so, and shows none of its bytes")
    func cutOff() {
        let fields = TLVValue.structure([TLVElement(0, .octets(Self.octets))])
        let payload = invoke(0x0101, 0x00, fields, isResponse: false)
        for end in payload.indices {
            let text = dissected(.invokeRequest, Array(payload[..<end]))
            #expect(!Self.isMarked(text) && !text.isEmpty, "\(end): \(text)")
        }
    }
}
