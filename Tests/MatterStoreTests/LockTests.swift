import Foundation
import Glibc
import TestSupport
import Testing

@testable import MatterState

@Suite("locks")
struct LockTests {
    let folder: TemporaryFolder
    var store: StateDirectory { folder.store }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a lock that is held is not given, once released it is")
    func exclusion() throws {
        let first = try taken("a.json", store)
        #expect(try isHeld("a.json"))
        #expect(try !isHeld("b.json"))
        first.release()
        #expect(try !isHeld("a.json"))
    }

    @Test("a lock that is released is free, although a child that is being started has copies of all descriptors")
    func inherited() throws {
        let lock = try taken("a.json", store)
        let copies = (0..<1024).compactMap { number -> Int32? in
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return link?.hasPrefix(store.path + "/locks/") == true ? dup(Int32(number)) : nil
        }
        defer { for copy in copies { close(copy) } }
        #expect(!copies.isEmpty)
        lock.release()
        #expect(try !isHeld("a.json"))
    }

    private func isHeld(_ name: String) throws -> Bool {
        guard let lock = try store.tryLock(name) else { return true }
        lock.release()
        return false
    }

    @Test("waiting ends at the deadline and says who held what")
    func busy() async throws {
        let lock = try taken("nodes/5.json", store)
        let start = ContinuousClock.now
        let error = await storeError {
            try await store.update("nodes/5.json", timeout: .milliseconds(80)) { $0 = [1] }
        }
        let waited = ContinuousClock.now - start
        #expect(waited >= .milliseconds(80))
        #expect(error?.code == .busy && error?.reason.contains("nodes/5.json") == true)
        #expect(error?.reason.contains("another task of this process") == true)
        lock.release()
        #expect(try store.read("nodes/5.json") == nil)
    }

    @Test("a lock is not said to be held by the process that had it before")
    func foreignHolder() async throws {
        let path = store.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try await StateDirectory(path: path).withLock("a") {}
        }
        // By its own descriptor, as flock(1) takes it, without a word in the file.
        let raw = open(path + "/locks/a.lock", O_RDWR)
        try #require(raw >= 0 && flock(raw, LOCK_EX | LOCK_NB) == 0)
        defer { close(raw) }
        let error = await storeError { try await store.withLock("a", timeout: .milliseconds(20)) {} }
        #expect(
            error?.code == .busy && error?.reason.hasPrefix("another task of this process ") == true, "\(error as Any)")
    }

    @Test("what is reserved is given to no other until it is let go, or its process has died")
    func reservation() async throws {
        var reservation = try store.reserve("reserved/7")
        #expect(reservation != nil)
        #expect(try store.reserve("reserved/7") == nil && store.reserve("reserved/8") != nil)
        #expect(try store.read("reserved/7") != nil && folder.everything(in: "reserved") == ["7"])
        #expect(folder.mode("reserved/7") == 0o600)
        withExtendedLifetime(reservation) {}
        reservation = nil
        #expect(folder.everything(in: "reserved") == [])
        let path = store.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let reservation = try StateDirectory(path: path).reserve("reserved/7")
            withExtendedLifetime(reservation) { _ = kill(getpid(), SIGKILL) }
        }
        #expect(folder.everything(in: "reserved") == ["7"])
        #expect(try store.reserve("reserved/7") != nil)
    }

    @Test("the process that holds a lock is named")
    func holder() async throws {
        let path = store.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(processExitsWith: .success) { [path = path as String] in
                    try await StateDirectory(path: path).withLock("a") {
                        try StateDirectory(path: path).write("held", Array("\(getpid())".utf8))
                        // It holds its thread, too: a holder that only waits.
                        while try StateDirectory(path: path).read("done") == nil { usleep(2000) }
                    }
                }
            }
            // The holder ends whatever this test makes of it.
            defer { try? store.write("done", []) }
            try await awaitEvent("the holder") { try store.read("held") != nil }
            let error = await storeError { try await store.withLock("a", timeout: .milliseconds(20)) {} }
            let holder = String(decoding: try #require(try store.read("held")), as: UTF8.self)
            #expect(error?.code == .busy && error?.reason.hasPrefix("process \(holder) ") == true)
        }
    }

    @Test("a waiting process gets the lock when it becomes free")
    func handOver() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            let lock = try taken("a", store)
            group.addTask { try await store.withLock("a", timeout: patience) {} }
            // One that waits looks again and again, and leaves nothing to see. On a slow machine it may not wait yet.
            try await Task.sleep(for: .milliseconds(30))
            lock.release()
            try await group.waitForAll()
        }
    }

    @Test("a cancelled task stops waiting")
    func cancellation() async throws {
        let store = store
        let lock = try taken("a", store)
        let task = Task { try await store.withLock("a", timeout: .seconds(60)) {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        lock.release()
    }

    @Test("an error in the body releases the lock")
    func failure() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await store.withLock("a") { throw Failure() } }
        #expect(try !isHeld("a"))
    }

    @Test("lock files are never deleted; a deleted one does not let two in")
    func deleted() async throws {
        try await store.update("a") { $0 = [1] }
        try await store.update("a") { $0 = nil }
        #expect(folder.everything(in: "locks") == ["a.lock"] && folder.everything() == ["locks"])
        let lock = try taken("a", store)
        try FileManager.default.removeItem(atPath: folder.file("locks/a.lock"))
        let second = try taken("a", store)
        #expect(try isHeld("a"))
        second.release()
        lock.release()
    }
}

@Suite("updates")
struct UpdateTests {
    @Test("an update sees the record, returns a value, writes only changes, and can delete")
    func update() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        let absent = try await store.update("a") { contents in
            defer { contents = [1] }
            return contents == nil
        }
        #expect(absent && folder.octets("a") != nil)
        let before = try #require(
            try FileManager.default.attributesOfItem(atPath: folder.file("a"))[.systemFileNumber] as? Int)
        try await store.update("a") { #expect($0 == [1]) }
        let after = try #require(
            try FileManager.default.attributesOfItem(atPath: folder.file("a"))[.systemFileNumber] as? Int)
        #expect(before == after)
        try await store.update("a") { $0 = nil }
        #expect(try store.read("a") == nil)
        try await store.update("a") { $0 = nil }
    }

    @Test("an update that fails changes nothing")
    func failure() async throws {
        struct Failure: Error {}
        let folder = try TemporaryFolder()
        let store = folder.store
        try store.write("a", [1])
        await #expect(throws: Failure.self) {
            try await store.update("a") { contents in
                contents = [2]
                throw Failure()
            }
        }
        #expect(try store.read("a") == [1] && folder.everything() == ["a", "locks"])
    }
}

/// A lock that must be free. (`#require` cannot return what is not copyable.)
private func taken(_ name: String, _ store: StateDirectory) throws -> FileLock {
    guard let lock = try store.tryLock(name) else { throw StoreError(.busy, "the lock \(name) should be free") }
    return lock
}
