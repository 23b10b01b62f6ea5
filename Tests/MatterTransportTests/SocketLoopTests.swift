import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MatterNetwork

@Suite("the loop that waits for sockets", .timed)
struct SocketLoopTests {
    private let loop = SystemTime().eventLoop

    /// The actions, in their order.
    private final class Record: Sendable {
        private let entries = Mutex<[Int]>([])
        func add(_ number: Int) { entries.withLock { $0.append(number) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    @Test("what is handed to it from any thread is done in order, one after the other")
    func order() async {
        let record = Record()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<100 { loop.execute { record.add(task * 1000 + number) } } }
            }
        }
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        for task in 0..<8 {
            #expect(record.all.filter { $0 / 1000 == task } == (0..<100).map { task * 1000 + $0 })
        }
    }

    @Test("timers come in the order of their times, none too early, and a cancelled one never")
    func timers() async throws {
        let record = Record()
        let start = loop.now
        for delay in [30, 10, 20] {
            _ = loop.schedule(at: start + .milliseconds(delay)) { [loop] in
                record.add(loop.now >= start + .milliseconds(delay) ? delay : -delay)
            }
        }
        let cancelled = loop.schedule(in: .milliseconds(5)) { record.add(5) }
        cancelled.cancel()
        try await loop.sleep(until: start + .milliseconds(60))
        #expect(record.all == [10, 20, 30])
    }

    @Test("a sleep ends with its task")
    func cancellation() async throws {
        let begun = AsyncStream<Void>.makeStream()
        let sleep = Task { [loop] in
            begun.continuation.yield()
            try await loop.sleep(until: loop.now + .seconds(100_000))
        }
        for await _ in begun.stream { break }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }

    @Test("a process without other threads runs its tasks, timers, sockets and signals on the one it has")
    func alone() async {
        await #expect(processExitsWith: .exitCode(7)) {
            SocketLoop.takeOver()
            Task.detached {
                let time = SystemTime()
                let received = AsyncStream<[UInt8]>.makeStream()
                let receiver = try await UDPLinks().open(port: 0, on: time.eventLoop) { datagram, _ in
                    received.continuation.yield(datagram)
                }
                let sender = try await UDPLinks().open(port: 0, on: time.eventLoop) { _, _ in }
                try await time.sleep(for: .milliseconds(20))
                let address = try PeerAddress(parsing: "[::1]:\(receiver.port)")
                time.eventLoop.execute { _ = sender.send([1, 2, 3], to: address) }
                var datagrams = received.stream.makeAsyncIterator()
                guard await datagrams.next() == [1, 2, 3] else { exit(1) }
                await withTaskGroup { group in
                    for _ in 0..<100 { group.addTask { await Task.yield() } }
                }
                await sender.close()
                await receiver.close()
                let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
                let own = pthread_self()
                let isSame = await Task.detached { pthread_self() == own }.value
                exit(isSame && threads < 16 ? 7 : 2)
            }
            SocketLoop.serveProcess()
        }
    }
}
