import MatterBase
import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel

/// Secrets stay out of findings, which quote what a node says.
@Suite("Secrets in findings", .beside) struct ConformanceSecretTests {
    private static let marker = "marker-of-a-secret"
    private static let number: UInt64 = 7_654_321_123

    /// The values that a secret may have on the wire, each wrong for most types.
    private static let values: [TLVValue] = [
        .string(marker), .octets(Array(marker.utf8)), .uint(number), .int(-Int64(number)),
        .structure([TLVElement(0, .string(marker)), TLVElement(1, .octets(Array(marker.utf8)))]),
        .array(of: [.string(marker), .octets(Array(marker.utf8)), .uint(number)]),
    ]

    private static func holdsSecret(_ type: DataType, depth: Int = 0) -> Bool {
        guard case .structure(let definition) = type.kind, depth < 8 else { return false }
        return definition.fields.contains { $0.isSecret || holdsSecret($0.type, depth: depth + 1) }
    }

    /// A structure whose secret fields have a value, and whose other ones are missing.
    private static func within(_ type: DataType, _ value: TLVValue) -> TLVValue? {
        guard case .structure(let definition) = type.kind else { return nil }
        let one = TLVValue.structure(definition.fields.filter(\.isSecret).map { TLVElement($0.id, value) })
        return type.isList ? .array(of: [one]) : one
    }

    private static func isMarked(_ text: String) -> Bool {
        let hexadecimal = Hex.encode(Array(marker.utf8))
        return [marker, hexadecimal, "\(number)", String(number, radix: 16)].contains {
            text.lowercased().contains($0.lowercased())
        } || text.contains("bWFya2Vy")
    }

    @Test("whatever a node says in place of a secret, no finding quotes it", arguments: [false, true])
    func markers(isStrict: Bool) {
        var (tried, found) = (0, 0)
        for cluster in Catalogue.standard.clusters {
            for attribute in cluster.attributes where attribute.isSecret || Self.holdsSecret(attribute.type) {
                let values = Self.values + Self.values.compactMap { Self.within(attribute.type, $0) }
                for value in values {
                    tried += 1
                    let path = ConcreteAttributePath(endpoint: 1, cluster: cluster.id, attribute: attribute.id)
                    let reports = [AttributeReport(path: path, dataVersion: 1, outcome: .value(value))]
                    let report = ConformanceExamination.report(
                        on: NodeStatement(ReadResult(attributes: reports), asksForEvents: false), isStrict: isStrict)
                    for finding in report.findings where finding.element?.hasPrefix(attribute.name) ?? false {
                        found += 1
                        let text = "\(finding.place) \(finding.expected) \(finding.found)"
                        #expect(!Self.isMarked(text), "\(cluster.name)/\(attribute.name): \(text)")
                    }
                }
            }
        }
        #expect(tried >= 30 && found >= tried / 2, "\(tried) \(found)")
    }
}
