import Foundation
import TestSupport
import Testing

@testable import MatterState

/// Processes that end in the middle of a write.
@Suite("kill -9 during a write")
struct CrashTests {
    @Test(
        "at every stage, either the old or the new record is there, whole",
        arguments: StateDirectory.WriteStage.allCases)
    func killed(_ stage: StateDirectory.WriteStage) async throws {
        let folder = try TemporaryFolder()
        try folder.store.write("nodes/5.json", text("oldest"))
        try folder.store.write("nodes/5.json", text("old"))
        let path = folder.store.path
        let name = stage.rawValue
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, name = name as String] in
            var store = StateDirectory(path: path)
            store.atStage = { if $0.rawValue == name { kill(getpid(), SIGKILL) } }
            try store.write("nodes/5.json", Array("new".utf8))
        }
        let renamed = stage == .renamed || stage == .folderSynchronized
        #expect(try folder.store.read("nodes/5.json") == text(renamed ? "new" : "old"))
        let keptPrevious = renamed || stage == .previousKept
        #expect(try folder.store.readPrevious("nodes/5.json") == text(keptPrevious ? "old" : "oldest"))
        #expect(try folder.store.records(in: "nodes") == ["nodes/5.json"])

        // The next write clears up, whatever was left.
        try folder.store.write("nodes/5.json", text("newest"))
        #expect(try folder.store.read("nodes/5.json") == text("newest"))
        #expect(folder.everything(in: "nodes") == ["5.json", "5.json.bak"])
    }

    @Test("a lock is free again once its holder is dead, and the record unharmed")
    func lock() async throws {
        let folder = try TemporaryFolder()
        try folder.store.write("a.json", text("1"))
        let path = folder.store.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try await StateDirectory(path: path).withLock("a.json") {
                _ = kill(getpid(), SIGKILL)
            }
        }
        try await folder.store.update("a.json", timeout: .zero) { $0 = text("2") }
        #expect(try folder.store.read("a.json") == text("2"))
    }

    @Test("counters that a dead process reserved are not given again")
    func counters() async throws {
        let folder = try TemporaryFolder()
        let first = try await CounterBlock.reserve("counter.json", count: 10, in: folder.store)
        let path = folder.store.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            _ = try await CounterBlock.reserve("counter.json", count: 1000, in: StateDirectory(path: path))
            kill(getpid(), SIGKILL)
        }
        let third = try await CounterBlock.reserve("counter.json", count: 10, in: folder.store)
        #expect(third.first == first.first &+ 1010)
    }

    @Test("a temporary file in use by another is left alone")
    func inUse() throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        try store.write("a.json", text("a"))
        var slow = store
        let folderPath = folder
        slow.atStage = { stage in
            guard stage == .temporaryWritten else { return }
            try? store.write("b.json", text("b"))
            #expect(folderPath.everything().contains { $0.hasPrefix(".tmp-") })
        }
        try slow.write("a.json", text("a2"))
        #expect(try store.read("a.json") == text("a2") && store.read("b.json") == text("b"))
        #expect(folder.everything() == ["a.json", "a.json.bak", "b.json"])
    }
}

@Suite("many writers")
struct ConcurrencyTests {
    private static func increment(_ contents: inout [UInt8]?) -> Int {
        let number = (contents.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0) + 1
        contents = Array(String(number).utf8)
        return number
    }

    @Test("updates from several tasks at once lose nothing")
    func tasks() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        let seen = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var numbers: [Int] = []
                    for _ in 0..<25 { numbers.append(try await store.update("count.json", Self.increment)) }
                    return numbers
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(seen.sorted() == Array(1...200))
        #expect(try store.read("count.json") == text("200"))
    }

    @Test("updates from several processes at once lose nothing, and counters are never given twice")
    func processes() async throws {
        let folder = try TemporaryFolder()
        let path = folder.store.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, process = process as Int] in
                        let store = StateDirectory(path: path)
                        for index in 0..<25 {
                            try await store.update("count.json", Self.increment)
                            let block = try await CounterBlock.reserve("counter.json", count: 16, in: store)
                            try store.write(
                                "blocks/\(process)-\(index)", Array(String(block.first).utf8), replacing: false)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = folder.store
        #expect(try store.read("count.json") == text("100"))
        let firsts = try store.records(in: "blocks").compactMap { name in
            try store.read(name).flatMap { UInt32(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(firsts.count == 100)
        let sorted = firsts.map { $0 &- (firsts.min() ?? 0) }.sorted()
        #expect(sorted == (0..<100).map { 16 * $0 })
    }

    @Test("writers of one record without a lock do not disturb each other; one of them is the last")
    func withoutLock() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for _ in 0..<100 { try store.write("a.json", [UInt8(writer)]) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.read("a.json")?.count == 1 && store.readPrevious("a.json")?.count == 1)
        #expect(folder.everything() == ["a.json", "a.json.bak"])
    }

    @Test("a reader beside a writer always sees one whole record")
    func readers() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        let versions = (0..<8).map { [UInt8](repeating: $0, count: 5000 * (Int($0) + 1)) }
        try store.write("a.json", versions[0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<200 { try store.write("a.json", versions[round % 8]) }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<200 {
                        let contents = try #require(try store.read("a.json"))
                        #expect(contents == versions[Int(contents[0])])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
