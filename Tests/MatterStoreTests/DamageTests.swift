import Foundation
import TestSupport
import Testing

@testable import MatterState

@Suite("damaged and newer records")
struct DamageTests {
    let folder: TemporaryFolder
    var store: StateDirectory { folder.store }

    init() throws {
        folder = try TemporaryFolder()
        try store.write("a.json", text(#"{"version":"old"}"#))
        try store.write("a.json", text(#"{"version":"new"}"#))
    }

    static let damages: [@Sendable (inout [UInt8]) -> Void] = [
        { $0 = [] }, { $0.removeLast() }, { $0.removeLast(18) }, { $0.removeFirst() }, { $0.removeFirst(47) },
        { $0.append(0x0A) }, { $0[$0.count - 3] ^= 1 }, { $0[5] ^= 1 }, { $0[23] = 0x39 }, { $0[40] ^= 1 },
        { $0 = [UInt8](repeating: 0, count: $0.count) }, { $0 = Array("{}\n".utf8) },
        { $0.insert(0x20, at: 12) }, { $0[13] = 0x32 },
    ]

    @Test("damage of any kind is found; the error names the file and the previous copy", arguments: damages.indices)
    func damaged(_ index: Int) throws {
        var octets = try #require(folder.octets("a.json"))
        Self.damages[index](&octets)
        try folder.put(octets, "a.json")
        let error = try #require(storeError { _ = try store.read("a.json") })
        #expect(error.code == .damaged && error.path == folder.file("a.json"))
        #expect(error.previousCopy == folder.file("a.json.bak"))
        #expect(error.reason.contains(folder.file("a.json")) && error.reason.contains(folder.file("a.json.bak")))
        #expect(try store.readPrevious("a.json") == text(#"{"version":"old"}"#))
        // A damaged record does not push a good one out.
        try store.write("a.json", text("3"))
        #expect(try store.readPrevious("a.json") == text(#"{"version":"old"}"#))
    }

    @Test("without a good previous copy the error says so")
    func noPrevious() throws {
        try folder.put([1], "a.json")
        try folder.put([2], "a.json.bak")
        let error = storeError { _ = try store.read("a.json") }
        #expect(error?.code == .damaged && error?.previousCopy == nil)
        #expect(error?.reason.contains("no previous copy") == true)
    }

    @Test("a change does not overwrite what it cannot read")
    func update() async throws {
        try folder.put(text("not a record"), "a.json")
        #expect(await storeError { try await store.update("a.json") { $0 = text("x") } }?.code == .damaged)
        #expect(folder.octets("a.json") == text("not a record"))
    }

    @Test("a record of a newer version is neither read nor overwritten")
    func newer() async throws {
        try store.write("a.json", text("future"), version: 3)
        let error = storeError { _ = try store.read("a.json", version: 2) }
        #expect(error?.code == .newerVersion && error?.reason.contains("format 3") == true)
        #expect(
            try store.read("a.json", version: 3) == text("future") && store.read("a.json", version: 4) == text("future")
        )
        #expect(storeError { try store.write("a.json", text("past"), version: 2) }?.code == .newerVersion)
        #expect(await storeError { try await store.update("a.json") { $0 = nil } }?.code == .newerVersion)
        #expect(try store.read("a.json", version: 3) == text("future"))
        #expect(folder.everything().filter { $0.hasPrefix(".") }.isEmpty)
    }

    @Test("a header of the future is recognized by its version alone")
    func otherHeader() throws {
        try folder.put(text(#"{"matterctl":2,"encrypted":true}"# + "\nxyz"), "a.json")
        #expect(storeError { _ = try store.read("a.json") }?.code == .newerVersion)
        try folder.put(text(#"{"matterctl":1,"encrypted":true}"# + "\nxyz"), "a.json")
        #expect(storeError { _ = try store.read("a.json") }?.code == .damaged)
    }
}

@Suite("RecordEnvelope")
struct RecordEnvelopeTests {
    @Test("the checksum is the usual CRC-32")
    func checksum() {
        #expect(CRC32.checksum(text("123456789")[...]) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }

    @Test("a record from an earlier build is read")
    func stable() throws {
        let record = text("{\"matterctl\":1,\"length\":2,\"crc32\":\"c9d640b0\"}\n{}")
        #expect(RecordEnvelope.encode(text("{}"), version: 1) == record)
        #expect(try RecordEnvelope.decode(record, newest: 1) == text("{}"))
    }

    @Test("damaged records are read or refused, and none that differs from the original is read")
    func mutations() {
        let contents = [text(#"{"node":5,"name":"kitchen"}"#), [], Array(0...255)]
        let records =
            contents.map { RecordEnvelope.encode($0, version: 1) } + [RecordEnvelope.encode(text("x"), version: 9)]
        var mutator = Mutator(seed: 21, corpus: records + [text("{\"matterctl\":2,\"other\":1}\nabc")])
        var counts = (read: 0, damaged: 0, newer: 0)
        for _ in 0..<Effort.inputs(20_000) {
            let octets = mutator.next()
            do {
                let found = try RecordEnvelope.decode(octets, newest: 1)
                #expect(contents.contains(found) && records.contains(octets))
                counts.read += 1
            } catch {
                switch error {
                case .damaged: counts.damaged += 1
                case .newerVersion: counts.newer += 1
                }
            }
        }
        #expect(
            counts.damaged > Effort.inputs(10_000) && counts.newer > Effort.inputs(10)
                && counts.read > Effort.inputs(10))
    }
}
