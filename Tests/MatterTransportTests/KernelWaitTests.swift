import Foundation
import Glibc
import TestSupport
import Testing

@testable import MatterNetwork

/// Real threads in the kernel; each test is over when the kernel has told it so, whatever the machine does beside it.
@Suite("Kernel waits", .together)
struct KernelWaitTests {
    private static let time = SystemTime()
    private static let noLimit = Duration.seconds(60)

    /// An open file of its own, as another process would have it.
    private final class OpenFile: Sendable {
        let descriptor: Int32

        init(_ path: String) throws {
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
        func unlock() { _ = flock(descriptor, LOCK_UN) }

        /// An OFD lock (F_OFD_SETLK is 37 on every Linux).
        func range(_ type: Int32, _ start: Int) -> Bool {
            var range = Glibc.flock()
            (range.l_type, range.l_whence, range.l_start, range.l_len) = (Int16(type), Int16(SEEK_SET), start, 1)
            return withUnsafeMutablePointer(to: &range) { fcntl(descriptor, 37, UnsafeMutableRawPointer($0)) } == 0
        }
    }

    private let path = NSTemporaryDirectory() + "kernel-wait-\(UUID().uuidString)"

    /// - Returns: two descriptions of one file, which has no name any more.
    private func file(_ count: Int = 2) throws -> [OpenFile] {
        defer { unlink(path) }
        return try (0..<count).map { _ in try OpenFile(path) }
    }

    private func happens(_ wait: KernelWait, within limit: Duration = noLimit) async throws -> Bool {
        try await wait.happens(until: .now + limit, of: Self.time)
    }

    @Test("the lock of a file comes to who waits for it, and stays with the descriptor")
    func lock() async throws {
        let files = try file()
        #expect(files[0].lock())
        async let waited = happens(.lock(files[1].descriptor))
        // For the thread to be in the kernel; it need not be.
        try await Task.sleep(for: .milliseconds(20))
        files[0].unlock()
        #expect(try await waited)
        #expect(!files[0].lock())
        files[1].unlock()
        #expect(files[0].lock())
    }

    @Test("bytes are waited for until no socket has them, and are free afterwards")
    func range() async throws {
        let files = try file(3)
        #expect(files[0].range(F_WRLCK, 7))
        #expect(try await happens(.free(files[1].descriptor, start: 8, length: 1)), "a neighbour's")
        async let waited = happens(.free(files[1].descriptor, start: 7, length: 1))
        // For the thread to be in the kernel; it need not be.
        try await Task.sleep(for: .milliseconds(20))
        #expect(files[0].range(F_UNLCK, 7))
        #expect(try await waited)
        #expect(files[2].range(F_WRLCK, 7))
    }

    @Test("one of several descriptors is enough: what can be read, what can be written, and an end that has gone")
    func descriptors() async throws {
        let (first, second) = (try Self.pipe(), try Self.pipe())
        async let waited = happens(.ready(reading: [first[0], second[0]]))
        // For the thread to be in the kernel; it need not be.
        try await Task.sleep(for: .milliseconds(20))
        var octet: UInt8 = 1
        #expect(write(second[1], &octet, 1) == 1)
        #expect(try await waited)
        #expect(try await happens(.ready(reading: [first[0]], writing: [first[1]])))
        close(first[1])
        #expect(try await happens(.ready(reading: [first[0]])))
        for descriptor in [first[0]] + second { close(descriptor) }
    }

    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        return ends
    }

    @Test("the deadline ends a wait, and so does a cancellation; nothing is kept then")
    func ends() async throws {
        let files = try file()
        #expect(files[0].lock())
        #expect(try await !happens(.lock(files[1].descriptor), within: .milliseconds(30)))
        let task = Task { try await self.happens(.lock(files[1].descriptor)) }
        // For the thread to be in the kernel; it need not be.
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        files[0].unlock()
        #expect(files[0].lock())
    }

    @Test("a wait that is cancelled at any moment of its beginning ends")
    func cancelledAtAnyMoment() async throws {
        let files = try file()
        #expect(files[0].range(F_WRLCK, 0))
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<600 {
                group.addTask {
                    let wait = KernelWait.free(files[1].descriptor, start: 0, length: 1)
                    let task = Task { try await self.happens(wait) }
                    for _ in 0..<number { sched_yield() }
                    task.cancel()
                    return (try? await task.value) == nil
                }
            }
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(files[0].range(F_UNLCK, 0))
        #expect(try await happens(.free(files[1].descriptor, start: 0, length: 1)))
    }

    @Test("what cannot be waited for is an error")
    func refused() async throws {
        await #expect(throws: KernelWaitError.self) { try await self.happens(.lock(-1)) }
        await #expect(throws: KernelWaitError.self) { try await self.happens(.ready(reading: [])) }
    }
}
