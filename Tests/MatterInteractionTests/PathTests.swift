import MatterBase
import Testing

@testable import MatterModel

@Suite("Paths")
struct PathTests {
    @Test("a path with all its parts is concrete")
    func concrete() {
        let path = AttributePath(endpoint: 1, cluster: 6, attribute: 0)
        #expect(path.concrete == ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0))
        #expect(!path.isWildcard)
        #expect(AttributePath(endpoint: 1, cluster: 6).isWildcard)
        #expect(EventPath(endpoint: 0, cluster: 40).concrete == nil)
    }

    @Test("wildcards print as stars")
    func descriptions() {
        #expect(AttributePath(cluster: 6).description == "*/6/*")
        #expect(ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0).description == "1/6/0")
        #expect(EventPath(endpoint: 0).description == "0/*/*")
        #expect(CommandPath(endpoint: nil, cluster: 6, command: 2).description == "*/6/2")
    }

    @Test("every field of an attribute path survives")
    func attributePath() throws {
        let path = AttributePath(
            node: 0x1122_3344_5566_7788, endpoint: 0xFFFE, cluster: 0x131B_FC00, attribute: 0xFFFD, listIndex: .item(3),
            wildcardFlags: [.skipRootNode, .skipDiagnosticsClusters])
        #expect(try AttributePath(tlv: path.tlv) == path)
        #expect(path.wildcardFlags?.rawValue == 0x101)
    }

    @Test("a path for all clusters names a global attribute or none")
    func readable() {
        #expect(AttributePath(endpoint: 1).isReadable)
        #expect(AttributePath(attribute: 0xFFFD).isReadable)
        #expect(!AttributePath(attribute: 0).isReadable)
        #expect(AttributePath(cluster: 6, attribute: 0).isReadable)
        #expect(!AttributePath(endpoint: 1, cluster: 6, attribute: 0, listIndex: .append).isReadable)
    }
}
