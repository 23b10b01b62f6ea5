import Foundation
import Testing

@testable import MatterState

@Suite("The folder in memory")
struct RuntimeDirectoryTests {
    /// A user's folder for such things, in memory.
    private final class Base: Sendable {
        let path = "/dev/shm/matterctl-runtime-" + UUID().uuidString
        init(mode: mode_t = 0o700) throws {
            try #require(mkdir(path, mode) == 0)
            chmod(path, mode)
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        var directory: RuntimeDirectory { RuntimeDirectory(base: path) }
        func mode(_ name: String) -> mode_t? {
            var status = stat()
            return lstat(path + "/" + name, &status) == 0 ? status.st_mode & 0o7777 : nil
        }
    }

    private func contents(_ record: borrowing RuntimeRecord) throws -> [UInt8] {
        try record.withContents { Array($0) }
    }

    @Test("a record is written in place, for this user alone")
    func writing() throws {
        let base = try Base()
        #expect(try base.directory.open("a", creating: false) == nil, "nothing is made to read")
        #expect(base.mode("matterctl") == nil)
        guard let record = try base.directory.open("a", creating: true) else { throw CancellationError() }
        try record.write([1, 2, 3])
        #expect(try contents(record) == [1, 2, 3])
        #expect(base.mode("matterctl") == 0o700 && base.mode("matterctl/a") == 0o600)
        guard let again = try base.directory.open("a", creating: true) else { throw CancellationError() }
        #expect(again.inode == record.inode && again.device == record.device)
        #expect(base.directory.names(prefix: "") == ["a"] && base.directory.names(prefix: "b").isEmpty)
        base.directory.remove("a")
        #expect(base.directory.names(prefix: "").isEmpty)
    }

    @Test("one process has a record at a time")
    func locking() throws {
        let base = try Base()
        guard var first = try base.directory.open("a", creating: true),
            var second = try base.directory.open("a", creating: true)
        else { throw CancellationError() }
        #expect(try first.lock())
        #expect(try !second.lock())
    }

    @Test("a record is free once it is closed, although a child that is being started has copies of all descriptors")
    func inherited() throws {
        let base = try Base()
        func lockAndCopy() throws -> Int32 {
            guard var record = try base.directory.open("a", creating: true), try record.lock() else {
                throw CancellationError()
            }
            // The newest descriptor is the record's; a copy of it is what a child has.
            return try #require(
                (0..<1024).reversed().lazy.map { fd in Self.names(fd, record.inode) ? dup(fd) : -1 }.first { $0 >= 0 })
        }
        let copy = try lockAndCopy()
        defer { close(copy) }
        guard var next = try base.directory.open("a", creating: false) else { throw CancellationError() }
        #expect(try next.lock())
    }

    private static func names(_ descriptor: Int32, _ inode: UInt64) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && UInt64(status.st_ino) == inode
    }

    @Test("a folder that others may enter or write to is not used")
    func openToOthers() throws {
        let base = try Base(mode: 0o777)
        #expect(throws: StoreError.self) { _ = try base.directory.open("a", creating: true) == nil }
        let mine = try Base()
        try #require(mkdir(mine.path + "/matterctl", 0o750) == 0)
        #expect(throws: StoreError.self) { _ = try mine.directory.open("a", creating: true) == nil }
    }

    @Test("a link, a record with a second name or one that others may read is not opened")
    func strangeRecords() throws {
        let base = try Base()
        guard try base.directory.open("a", creating: true) != nil else { throw CancellationError() }
        let folder = base.path + "/matterctl/"
        try #require(symlink("a", folder + "link") == 0)
        #expect(throws: StoreError.self) { _ = try base.directory.open("link", creating: false) == nil }
        try #require(link(folder + "a", folder + "b") == 0)
        #expect(throws: StoreError.self) { _ = try base.directory.open("b", creating: false) == nil }
        unlink(folder + "b")
        chmod(folder + "a", 0o640)
        #expect(throws: StoreError.self) { _ = try base.directory.open("a", creating: false) == nil }
    }

    @Test("nothing is not written")
    func nothing() throws {
        let base = try Base()
        guard let record = try base.directory.open("a", creating: true) else { throw CancellationError() }
        #expect(throws: StoreError.self) { try record.write([]) }
        try record.write([7])
        #expect(try record.withContents { Array($0) } == [7])
    }

    @Test("a folder on a disk is not used")
    func onDisk() throws {
        // The checkout lies on a disk; in a container all may be in memory.
        let base = FileManager.default.currentDirectoryPath + "/.build/runtime-" + UUID().uuidString
        try #require(mkdir(base, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: base) }
        let error = #expect(throws: StoreError.self) {
            _ = try RuntimeDirectory(base: base).open("a", creating: true) == nil
        }
        #expect(error?.code == .insecure)
    }

    @Test("only an absolute path of the environment counts")
    func environment() {
        #expect(RuntimeDirectory(environment: [:]) == nil)
        #expect(RuntimeDirectory(environment: ["XDG_RUNTIME_DIR": "run"]) == nil)
        #expect(RuntimeDirectory(environment: ["XDG_RUNTIME_DIR": "/run/user/7"])?.path == "/run/user/7/matterctl")
    }

    @Test("a moment follows another one of the same start unless the clocks drift apart")
    func moments() throws {
        let now = try #require(MachineMoment.now())
        let later = try #require(MachineMoment.now())
        #expect(now.bootID.count == 16 && later.follows(now))
        let second: Int64 = 1_000_000_000
        var moment = now
        moment.sinceBoot += 60 * second
        #expect(!moment.follows(now), "a minute of a restored snapshot")
        moment.unix += 62 * second
        #expect(moment.follows(now))
        moment.unix += 1
        #expect(!moment.follows(now))
        moment = later
        moment.bootID[0] ^= 1
        #expect(!moment.follows(now), "another start of the machine")
        #expect(!now.follows(later) || later == now, "time goes on")
    }
}
