import MatterController
import Testing

@testable import HouseServer

@Suite struct AttributeTableTests {
    private let onOff = CachePath(1, 6, 0)
    private let name = CachePath(0, 40, 5)

    @Test func valuesComeInTheOrderOfTheirPathsHoweverTheyWereSet() throws {
        var table = AttributeTable()
        // Some two hundred paths, from the last to the first and then the other half.
        let paths = (0..<200).map { CachePath(UInt16($0 / 20), UInt32($0 % 20), 3) }
        for path in paths.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element).reversed() + paths {
            _ = table.set(path, .string("\(path)"), at: 1)
        }
        #expect(table.paths == paths && table.count == 200)
        #expect(table.values.map(\.value) == paths.map { .string("\($0)") })
    }

    @Test func aValueThatGrowsOrShrinksLeavesTheOthersAlone() {
        var table = AttributeTable()
        #expect(table.set(name, .string("lamp"), at: 1) == .new)
        #expect(table.set(onOff, .bool(false), at: 1) == .new)
        for text in ["", String(repeating: "x", count: 300), "a"] {
            #expect(table.set(name, .string(text), at: 2) == .changed)
            #expect(table[name] == .string(text) && table[onOff] == .bool(false))
        }
        #expect(table.set(onOff, .bool(true), at: 3) == .changed && table[name] == .string("a"))
    }

    @Test func theSameValueAgainIsYounger() {
        var table = AttributeTable()
        _ = table.set(onOff, .bool(true), at: AttributeTable.unknownTime)
        #expect(table.time(of: onOff) == nil && table.time(of: name) == nil)
        #expect(table.set(onOff, .bool(true), at: 7) == .same && table.time(of: onOff) == 7)
    }

    @Test func onlyWhatIsKeptStays() {
        var table = AttributeTable()
        for endpoint in UInt16(0)..<5 { _ = table.set(CachePath(endpoint, 6, 0), .uint(UInt64(endpoint)), at: 1) }
        table.keep { $0.endpoint != 2 && $0.endpoint != 4 }
        #expect(table.values.map(\.value) == [.uint(0), .uint(1), .uint(3)] && table[CachePath(2, 6, 0)] == nil)
    }

    @Test func aRecordIsReadAsItWasWrittenAndADamagedOneIsNone() throws {
        var table = AttributeTable()
        _ = table.set(.parts, .array(of: [.uint(1), .uint(9)]), at: 4)
        _ = table.set(name, .string("lamp \u{7}\""), at: 4)
        // Devices break the rules of tags.
        _ = table.set(onOff, .structure([TLVElement(.context(1), .uint(1)), TLVElement(.context(1), .null)]), at: 4)
        let record = KeptNode(attributes: table, parts: [1, 9], interviewedAt: 1_764_000_000_000).encoded
        let read = try #require(KeptNode(record))
        #expect(read.attributes.values.map(\.value) == table.values.map(\.value) && read.parts == [1, 9])
        #expect(read.interviewedAt == 1_764_000_000_000 && read.attributes.time(of: name) == nil)
        for length in record.indices { #expect(KeptNode(Array(record[..<length])) == nil, "\(length)") }
        for bad in [
            #"{"version":2,"attributes":{}}"#, #"{"version":1,"attributes":{"1/6":"CA=="}}"#,
            #"{"version":1,"attributes":{"1/6/0":"/"}}"#, #"{"version":1,"attributes":{"1/6/0":"FQ=="}}"#,
        ] {
            #expect(KeptNode(Array(bad.utf8)) == nil, "\(bad)")
        }
    }
}
