import MatterController
import Testing

@testable import HouseServer

@Suite struct AttributePathTextTests {
    @Test(
        "a path survives",
        arguments: ["0/29/0", "1/6/0", "65534/4294967295/4294967295", "*/*/*", "*/6/0", "1/*/65533", "1/6/*"])
    func survives(text: String) throws {
        #expect(AttributePathText.text(try AttributePathText.path(text)) == text)
    }

    @Test func aConcretePathIsPrintedInDecimals() throws {
        let path = ConcreteAttributePath(endpoint: 2, cluster: 0x130A_FC01, attribute: 0x130A_000A)
        #expect(AttributePathText.text(path) == "2/319486977/319422474")
        #expect(try AttributePathText.concrete("2/319486977/319422474") == path)
    }

    @Test(
        "what is no path is refused",
        arguments: [
            "", "1/6", "1/6/0/0", "1//0", "x/6/0", "0x1/6/0", "-1/6/0", "+1/6/0", "65536/6/0", "1/4294967296/0",
            "1/6/ 0",
            "1/6/0 ", "**/6/0", "1/6/None", "1/6/٣",
        ])
    func refused(text: String) throws {
        let error = try #require(throws: InterfaceError.self) { try AttributePathText.path(text) }
        #expect(error.code == .invalidArguments)
    }

    @Test func aWildcardIsNoSingleAttribute() {
        #expect(throws: InterfaceError.self) { try AttributePathText.concrete("1/*/0") }
    }
}
