import JSON
import MatterBase
import TestSupport
import Testing

@Suite("Damaged input")
struct MutationTests {
    static let encodings = [
        "15 24 00 05 20 01 05 20 02 FF 2C 03 01 78 30 04 02 01 02 29 05 36 06 04 01 18 35 07 24 00 01 18 34 08 18",
        "D5 BB AA DD CC 01 00 C9 BB AA DD CC 02 00 88 02 00 36 00 00 2A 02 F0 67 FD FF 07 00 90 2F 50 09 00 00 00 15 18 17 18 18 18",
        "16 0A 33 33 8F 41 0B 66 66 66 66 66 E6 31 40 0D 05 00 48 65 6C 6C 6F 12 03 00 00 00 01 02 03 0F 01 00 00 00 00 00 00 00 61 18",
        "E4 F1 FF ED DE ED FE 55 AA 2A", "17 00 01 20 00 2A 64 A0 86 01 00 2A A4 00 00 01 00 05 18",
        "15 36 01 15 35 00 26 00 01 00 00 00 37 01 24 02 00 24 03 1D 24 04 03 18 2C 02 01 61 18 18 18 24 FF 0C 18",
    ]

    @Test("damaged TLV encodings are decoded or refused, and what decodes can be written again")
    func tlv() throws {
        var mutator = Mutator(seed: 1, corpus: Self.encodings.map { hex($0) })
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let octets = mutator.next()
            let element: TLVElement
            do {
                element = try TLVElement(decoding: octets)
            } catch {
                #expect((error.offset ?? 0) <= octets.count)
                #expect(throws: TLVError.self) { try TLVDocument.json(decoding: octets) }
                continue
            }
            accepted += 1
            // NaN differs from itself; the octets tell.
            #expect(try TLVElement(decoding: element.encoded()).encoded() == element.encoded())
            let document = try TLVDocument.json(decoding: octets)
            #expect(try TLVDocument.octets(encoding: document) == octets)
        }
        #expect(accepted > Effort.inputs(500) && accepted < Effort.inputs(15_000))
    }

    @Test("damaged JSON texts are parsed or refused, and what parses can be written again")
    func json() throws {
        let texts = [
            #"{"node":5,"endpoint":1,"cluster":"OnOff","value":true,"dataVersion":271828}"#,
            #"[1,-2,3.5e-7,"\u00e4\ud83d\udca1\n",null,false,{"a":{"b":[[],{}]}}]"#,
            "  {\"id\" : 18446744073709551615 , \"n\":[ -9223372036854775808, 0.1 ]}\n", #""ä💡 text""#,
        ]
        var mutator = Mutator(seed: 2, corpus: texts.map { Array($0.utf8) })
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let octets = mutator.next()
            do {
                let value = try JSONValue(parsing: octets)
                accepted += 1
                #expect(try JSONValue(parsing: value.utf8()) == value)
                #expect(try JSONValue(parsing: value.utf8(.indented)) == value)
            } catch {
                #expect(error.line >= 1 && error.column >= 1 && error.column <= octets.count + 1)
            }
        }
        #expect(accepted > Effort.inputs(500) && accepted < Effort.inputs(15_000))
    }

    @Test("damaged TLV documents are encoded or refused, and what is encoded decodes")
    func documents() throws {
        let texts = try Self.encodings.map { try TLVDocument.json(decoding: hex($0)).utf8() }
        var mutator = Mutator(seed: 3, corpus: texts)
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            guard let value = try? JSONValue(parsing: mutator.next()) else { continue }
            if let octets = try? TLVDocument.octets(encoding: value) {
                #expect(throws: Never.self) { try TLVElement(decoding: octets) }
                accepted += 1
            }
            _ = try? TLVValue(json: value)
        }
        #expect(accepted > Effort.inputs(100))
    }
}
