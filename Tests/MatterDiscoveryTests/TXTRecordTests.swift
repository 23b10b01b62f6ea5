import TestSupport
import Testing

@testable import MatterNetwork

/// The data of a TXT record with these strings.
func txt(_ strings: String...) -> [UInt8] { strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } }

@Suite("TXT records", .ownDaemons)
struct TXTRecordTests {
    @Test("pairs are read in their order, with the spelling of their keys")
    func pairs() throws {
        let record = try TXTRecord(decoding: txt("D=3840", "cm=1", "flag", "empty="))
        #expect(record.entries.map(\.key) == ["D", "cm", "flag", "empty"])
        #expect(record.entries.map(\.value) == [Array("3840".utf8), Array("1".utf8), nil, []])
        #expect(record["CM"] == Array("1".utf8))
        #expect(record["FLAG"] == nil)
        #expect(record["absent"] == nil)
    }

    @Test("of a repeated key, in whatever case, the first counts")
    func repeated() throws {
        let record = try TXTRecord(decoding: txt("D=1", "d=2", "D=3"))
        #expect(record.entries.count == 1)
        #expect(record["D"] == Array("1".utf8))
    }

    @Test("strings that are no pair are skipped", arguments: ["=value", "", "k\u{e9}y=1", "a\u{7f}=1", "\t=1"])
    func skipped(string: String) throws {
        let record = try TXTRecord(decoding: txt(string, "D=1"))
        #expect(record.entries.map(\.key) == ["D"])
    }

    @Test("a value may contain anything")
    func values() throws {
        let record = try TXTRecord(decoding: [6] + Array("k=".utf8) + [0x00, 0xFF, 0x3D, 0x0A])
        #expect(record["k"] == [0x00, 0xFF, 0x3D, 0x0A])
        #expect(record.text("k", limit: 10) == nil)
    }

    @Test(
        "data that ends within a string is refused", arguments: [[1], [2, 0x41], [5, 0x44, 0x3D, 0x31]] as [[UInt8]])
    func truncated(data: [UInt8]) {
        #expect {
            try TXTRecord(decoding: data)
        } throws: { error in
            (error as? DiscoveryError)?.code == .malformedRecord
        }
    }

    @Test("no data, and the empty string that DNS wants for it, are the empty record")
    func empty() throws {
        #expect(try TXTRecord(decoding: []) == .empty)
        #expect(try TXTRecord(decoding: [0]) == .empty)
        #expect(TXTRecord.empty.encoded == [])
    }

    @Test("what is written can be read")
    func roundTrip() throws {
        let record = try TXTRecord([("D", "3840"), ("DN", "Lämp"), ("PI", "")])
        #expect(record.encoded == txt("D=3840", "DN=Lämp", "PI="))
        #expect(try TXTRecord(decoding: record.encoded) == record)
        let valueless = try TXTRecord(decoding: txt("flag", "D=1"))
        #expect(valueless.encoded == txt("flag", "D=1"))
    }

    @Test("what does not fit into a record is not written")
    func unwritable() {
        let tooLong = String(repeating: "x", count: 254)
        #expect(throws: DiscoveryError.self) { try TXTRecord([("K", tooLong)]) }
        #expect(throws: DiscoveryError.self) { try TXTRecord([("", "1")]) }
        #expect(throws: DiscoveryError.self) { try TXTRecord([("a=b", "1")]) }
        #expect(throws: DiscoveryError.self) { try TXTRecord([("ä", "1")]) }
        #expect(throws: Never.self) { try TXTRecord([("K", String(tooLong.dropLast()))]) }
    }

    @Test(
        "numbers are decimal, without sign, blanks or leading zeros",
        arguments: [
            ("0", 0), ("7", 7), ("65535", 65535), ("65536", nil), ("00", nil), ("07", nil), ("", nil), ("+7", nil),
            ("-1", nil), (" 7", nil), ("7 ", nil), ("0x7", nil), ("7a", nil), ("٧", nil),
            ("99999999999999999999999", nil),
        ] as [(String, UInt16?)])
    func numbers(text: String, value: UInt16?) throws {
        let record = try TXTRecord(decoding: txt("N=\(text)"))
        #expect(record.number("N") == value)
    }

    @Test("numbers outside their range count as absent")
    func ranges() throws {
        let record = try TXTRecord(decoding: txt("N=10"))
        #expect(record.number("N", in: 10...11 as ClosedRange<UInt8>) == 10)
        #expect(record.number("N", in: 11...12 as ClosedRange<UInt8>) == nil)
        #expect(record.number("N", in: 0...9 as ClosedRange<UInt8>) == nil)
    }

    @Test("texts over their limit count as absent")
    func texts() throws {
        let record = try TXTRecord(decoding: txt("T=äb"))
        #expect(record.text("T", limit: 3) == "äb")
        #expect(record.text("T", limit: 2) == nil)
    }

    @Test("damaged records are read or refused; what is read keeps to its limits and can be written again")
    func mutations() throws {
        let corpus = [
            txt("D=3840", "CM=1", "VP=65521+32769", "DT=257", "DN=Kitchen lamp", "SII=500", "SAI=300", "SAT=4000"),
            txt("D=0", "CM=2", "VP=4996", "RI=0A0B0C0D", "PH=33", "PI=Press, then hold 5", "T=6", "ICD=1", "JF=3"),
            txt("SII=3600000", "SAI=1", "SAT=65535", "T=0"), txt("d=15", "flag", "=x", "D=1", "CM=0"),
        ]
        var mutator = Mutator(seed: 9, corpus: corpus)
        var refused = 0
        var withDiscriminator = 0
        for _ in 0..<Effort.inputs(20_000) {
            let data = mutator.next()
            let record: TXTRecord
            do throws(DiscoveryError) {
                record = try TXTRecord(decoding: data)
            } catch {
                #expect(error.code == .malformedRecord)
                refused += 1
                continue
            }
            #expect(record.encoded.count <= data.count)
            #expect(try TXTRecord(decoding: record.encoded) == record)
            let device = CommissionableRecord(record)
            if let discriminator = device.longDiscriminator {
                withDiscriminator += 1
                #expect(discriminator <= 0xFFF)
            }
            #expect(device.deviceName?.utf8.count ?? 0 <= 32)
            #expect(device.pairingInstruction?.utf8.count ?? 0 <= 128)
            #expect(device.rotatingID?.count ?? 0 <= 50)
            #expect(device.productID == nil || device.vendorID != nil)
            for interval in [device.parameters.idleInterval, device.parameters.activeInterval] {
                #expect(interval ?? .zero <= .seconds(3600))
            }
            // Everything but obsolete spellings survives being advertised again.
            #expect(try CommissionableRecord(device.txt()) == device)
            #expect(OperationalRecord(record).parameters == device.parameters)
        }
        #expect((Effort.inputs(1_000)..<Effort.inputs(19_000)).contains(refused))
        #expect(withDiscriminator > Effort.inputs(1_000))
    }
}
