import TestSupport
import Testing

@testable import MatterCrypto

@Suite("attestation name")
struct AttestationNameTests {
    static let utf8: UInt8 = 0x0C
    static let printable: UInt8 = 0x13
    static let bitString: UInt8 = 0x03
    static let commonName = hex("0603550403")
    static let organization = hex("060355040a")

    static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let body = parts.flatMap { $0 }
        return [tag, UInt8(body.count)] + body
    }

    static func pair(_ type: [UInt8], _ tag: UInt8, _ text: String) -> [UInt8] {
        der(0x30, type, der(tag, Array(text.utf8)))
    }

    /// A name of one common name.
    static func name(_ text: String, tag: UInt8 = utf8) throws -> AttestationName {
        try AttestationName(der: der(0x30, der(0x31, pair(commonName, tag, text))))
    }

    @Test(
        "the type of the string, the case of letters and blanks make no difference",
        arguments: ["Root A", "ROOT a", " root  A ", "root a"])
    func folded(text: String) throws {
        let name = try Self.name("Root A")
        for tag in [Self.utf8, Self.printable] {
            let other = try Self.name(text, tag: tag)
            #expect(other == name)
            #expect(other.hashValue == name.hashValue)
        }
    }

    @Test("other texts, other attributes and values that are no text stay different")
    func different() throws {
        let name = try Self.name("Root A")
        #expect(try Self.name("RootA") != name)
        #expect(try Self.name("Root B") != name)
        #expect(try Self.name("R\u{f6}ot") != Self.name("R\u{d6}ot"))
        #expect(try Self.name("Root A", tag: Self.bitString) != name)
        #expect(try Self.name("root a", tag: Self.bitString) != Self.name("Root A", tag: Self.bitString))
        let organization = try AttestationName(
            der: Self.der(0x30, Self.der(0x31, Self.pair(Self.organization, Self.utf8, "Root A"))))
        #expect(organization != name)
    }

    @Test("attributes of one relative name have no order; relative names have one")
    func order() throws {
        let name = Self.pair(Self.commonName, Self.utf8, "Root")
        let maker = Self.pair(Self.organization, Self.utf8, "Acme")
        let together = try AttestationName(der: Self.der(0x30, Self.der(0x31, name, maker)))
        let turned = try AttestationName(der: Self.der(0x30, Self.der(0x31, maker, name)))
        let apart = try AttestationName(der: Self.der(0x30, Self.der(0x31, name), Self.der(0x31, maker)))
        let apartTurned = try AttestationName(der: Self.der(0x30, Self.der(0x31, maker), Self.der(0x31, name)))
        #expect(together == turned)
        #expect(apart != apartTurned)
        #expect(together != apart)
    }

    @Test("a PAI whose issuer is written in another string type than the name of its authority passes")
    func chain() throws {
        var device = try TestDevice()
        device.paa.subject = AttestationName(commonName: "Root")
        device.paa.issuer = device.paa.subject
        device.pai.issuer = try Self.name("ROOT", tag: Self.printable)
        #expect(device.pai.issuer.der != device.paa.subject.der)
        #expect(try device.verify().verdict == .trusted)
        device.pai.issuer = try Self.name("ROOTS", tag: Self.printable)
        #expect(try device.verify().verdict == .untrusted)
    }
}
