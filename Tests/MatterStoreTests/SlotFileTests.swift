import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MatterState

/// Two values of one file keep each other out like two processes.
@Suite("session slots")
struct SlotFileTests {
    private let folder: TemporaryFolder
    private var store: StateDirectory { folder.store }
    private static let name = "fabrics/home/slots"
    private static let node: UInt64 = 5

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> SlotFile { try store.slots(Self.name) }

    /// A slot that must be free; the turn is passed at once.
    private func taken(
        _ file: SlotFile, node: UInt64 = node, _ kind: SlotKind = .short, of count: Int = 2
    ) async throws -> SlotLease {
        let lease = try await file.take(node: node, kind, of: count, until: .now)
        lease.passTurn()
        return lease
    }

    /// Why a slot cannot be had now.
    private func refusal(
        _ file: SlotFile, node: UInt64 = node, _ kind: SlotKind = .short, of count: Int = 2,
        patience: Duration = .zero
    ) async -> SlotsTaken? {
        do {
            _ = try await file.take(node: node, kind, of: count, until: .now + patience)
            return nil
        } catch {
            return error as? SlotsTaken
        }
    }

    @Test("as many have a slot as there are, the next gets one that is given back")
    func exclusion() async throws {
        let first = try await taken(open()), second = try await taken(open())
        #expect(first.index == 0 && second.index == 1)
        #expect(await refusal(try open()) != nil)
        first.release()
        first.release()
        let third = try await taken(open())
        #expect(third.index == 0)
        #expect(await refusal(try open()) != nil)
        withExtendedLifetime((second, third)) {}
    }

    @Test("a node with one slot for short commands gives one, and never more than two are given")
    func count() async throws {
        let first = try await taken(open(), of: 1)
        #expect(await refusal(try open(), of: 1) != nil)
        #expect(await refusal(try open(), of: 0) != nil)
        let second = try await taken(open(), of: 9)
        #expect(await refusal(try open(), of: 9) != nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test("one value keeps its own holders apart, and gives back what is dropped")
    func ownHolders() async throws {
        let file = try open()
        var leases = [try await taken(file), try await taken(file)]
        #expect(leases.map(\.index) == [0, 1])
        #expect(await refusal(file) != nil)
        leases.removeFirst()
        #expect(try await taken(file).index == 0)
    }

    @Test("short commands never wait for a long holder, nor it for them; there is one")
    func long() async throws {
        let long = try await taken(open(), .long)
        let short = [try await taken(open()), try await taken(open())]
        #expect(await refusal(try open(), .long)?.holders == [getpid()])
        long.release()
        let next = try await taken(open(), .long)
        withExtendedLifetime((short, next)) {}
    }

    @Test("one who waits for the long slot holds up no short command")
    func longQueue() async throws {
        let long = try await taken(open(), .long)
        let file = try open()
        let waiting = Task { try await file.take(node: Self.node, .long, of: 1, until: .now + patience) }
        try await awaitEvent("the place in the queue") { file.waiting == 1 }
        let short = try await taken(open())
        long.release()
        _ = try await waiting.value
        withExtendedLifetime(short) {}
    }

    @Test("nodes do not hold up each other")
    func nodes() async throws {
        let file = try open()
        let held = [try await taken(file, node: 1), try await taken(file, node: 1)]
        for node: UInt64 in 2...200 { _ = try await taken(open(), node: node) }
        _ = try await taken(open(), node: 0xFFFF_FFEF_FFFF_FFFF)
        withExtendedLifetime(held) {}
    }

    /// A kernel for arm64 may have pages of 16 or 64 KiB, and numbers of processes above each of them.
    @Test(
        "a lock that reaches over the borders of pages, whatever their size, names its process and keeps no other slot",
        arguments: [4_096, 16_384, 65_536] as [Int64])
    func pages(size: Int64) async throws {
        let file = try open()
        let layout = SlotLayout(node: Self.node)
        for process in [size - 1, size, size + 1, 63 * size].map(Int32.init) {
            let foreign = try store.openLockFile(RecordName(Self.name, isLock: true))
            let range = layout.slot(.short, 0, process: process)
            #expect(range.start.isMultiple(of: size))
            #expect(try foreign.lock(range))
            let second = try await taken(file), long = try await taken(file, .long)
            #expect(second.index == 1)
            #expect(await refusal(try open())?.holders == [process, getpid()].sorted())
            try foreign.unlock(range)
            #expect(try await taken(open()).index == 0)
            withExtendedLifetime((second, long)) {}
        }
    }

    @Test("slots are given in the order in which they were asked for", arguments: [true, false])
    func order(isOneValue: Bool) async throws {
        let held = try await taken(open(), of: 1)
        let order = Order()
        let shared = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                let file = isOneValue ? shared : try open()
                group.addTask {
                    let lease = try await file.take(node: Self.node, .short, of: 1, until: .now + patience)
                    order.add(number)
                    lease.release()
                }
                try await awaitEvent("place \(number)") { file.waiting == (isOneValue ? number + 1 : 1) }
            }
            held.release()
            try await group.waitForAll()
        }
        #expect(order.numbers == Array(0..<12))
    }

    @Test("one who gives up, or is cancelled, leaves the queue to those behind")
    func leaving() async throws {
        let held = try await taken(open(), of: 1)
        let files = [try open(), try open(), try open()]
        let impatientHasEnded = Flag()
        let impatient = Task {
            defer { impatientHasEnded.raise() }
            return try await files[0].take(node: Self.node, .short, of: 1, until: .now + .milliseconds(60))
        }
        // On a slow machine it may have given up by now.
        try await awaitEvent("the first place") { files[0].waiting == 1 || impatientHasEnded.isRaised }
        let cancelled = Task { try await files[1].take(node: Self.node, .short, of: 1, until: .now + patience) }
        try await awaitEvent("the second place") { files[1].waiting == 1 }
        let patient = Task { try await files[2].take(node: Self.node, .short, of: 1, until: .now + patience) }
        await #expect(throws: SlotsTaken.self) { try await impatient.value }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        held.release()
        _ = try await patient.value
    }

    @Test("the second slot is given when the turn is passed: handshakes go on one after the other")
    func turn() async throws {
        let first = try await open().take(node: Self.node, .short, of: 2, until: .now)
        #expect(await refusal(try open(), patience: .milliseconds(20)) != nil)
        let file = try open()
        let waiting = Task { try await file.take(node: Self.node, .short, of: 2, until: .now + patience) }
        try await awaitEvent("the next one") { file.waiting == 1 }
        first.passTurn()
        let second = try await waiting.value
        #expect(second.index == 1)
        withExtendedLifetime(first) {}
    }

    @Test("at the deadline the error names who has the slots")
    func deadline() async throws {
        let held = [try await taken(open()), try await taken(open())]
        let refusal = try #require(await refusal(try open(), patience: .milliseconds(40)))
        #expect(refusal.holders == [getpid()] && refusal.waited >= .milliseconds(40))
        withExtendedLifetime(held) {}
    }

    // Exit tests of 6.2 capture nothing.
    #if compiler(>=6.3)
        @Test("another process is kept out too, and told the number of the holder")
        func otherProcess() async throws {
            let held = [try await taken(open()), try await taken(open())]
            let path = store.path
            await #expect(processExitsWith: .success) { [path = path as String, holder = getpid() as Int32] in
                let file = try StateDirectory(path: path).slots("fabrics/home/slots")
                let error = await #expect(throws: SlotsTaken.self) {
                    _ = try await file.take(node: 5, .short, of: 2, until: .now)
                }
                #expect(error?.holders == [holder] && getpid() != holder)
                _ = try await file.take(node: 6, .short, of: 2, until: .now)
            }
            withExtendedLifetime(held) {}
        }

        @Test("a process that is killed frees its slots and its place in the queue")
        func killed() async throws {
            let path = store.path
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let file = try StateDirectory(path: path).slots("fabrics/home/slots")
                let first = try await file.take(node: 5, .short, of: 1, until: .now)
                let waiting = Task { try await file.take(node: 5, .short, of: 1, until: .now + patience) }
                // The first one keeps its turn.
                while file.waiting < 2 { await Task.yield() }
                await #expect(throws: SlotsTaken.self) {
                    _ = try await file.take(node: 5, .short, of: 1, until: .now)
                }
                withExtendedLifetime((first, waiting)) { _ = kill(getpid(), SIGKILL) }
            }
            let both = [try await taken(open()), try await taken(open())]
            #expect(both.map(\.index) == [0, 1])
        }
    #endif

    @Test("the file is empty, private, and one descriptor for all nodes")
    func file() async throws {
        let before = folder.descriptors
        let file = try open()
        var leases: [SlotLease] = []
        for node: UInt64 in 1...50 { leases.append(try await taken(file, node: node)) }
        #expect(folder.descriptors == before + 1)
        #expect(folder.everything(in: "locks") == ["fabrics~home~slots.lock"])
        #expect(folder.mode("locks/fabrics~home~slots.lock") == 0o600)
        #expect(folder.octets("locks/fabrics~home~slots.lock") == [])
        withExtendedLifetime(leases) {}
    }

    @Test("where no lock file can be made, that is said at once")
    func impossible() throws {
        try store.write("a", [1])
        try folder.put([], "locks")
        #expect(storeError { _ = try open() } != nil)
    }
}

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}

private final class Order: Sendable {
    private let state = Mutex<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { $0.append(number) } }
}

@Suite("layout of the session slots")
struct SlotLayoutTests {
    @Test("the areas of a node do not touch, and lie within what a file may have")
    func areas() {
        for node: UInt64 in [0, 1, 2, 0xDEAD_BEEF, .max] {
            let layout = SlotLayout(node: node)
            let ranges = [
                layout.slot(.short, 0, process: 1 << 22), layout.slot(.short, 1, process: 1 << 22),
                layout.slot(.long, 0, process: 1 << 22), layout.queue(.short), layout.queue(.long),
            ]
            for (range, next) in zip(ranges, ranges.dropFirst()) { #expect(range.end <= next.start) }
            #expect(ranges[0].start >= 0 && ranges[4].end <= 1 << 62)
        }
    }

    @Test("ids that count up, and large ones, have areas of their own")
    func spread() {
        let small = Array(1...50_000 as ClosedRange<UInt64>)
        let ids = small + small.map { id in 0x1234_5678_0000_0000 + id * 0x1_0001 }
        #expect(Set(ids.map { SlotLayout(node: $0).queue(.short).start }).count == ids.count)
    }

    @Test("a lock tells its process")
    func process() {
        let layout = SlotLayout(node: 7)
        for process: Int32 in [1, 4711, 1 << 22] {
            #expect(SlotLayout.process(of: layout.slot(.short, 1, process: process)) == process)
        }
        #expect(SlotLayout.process(of: ByteRange(start: 0, length: .max)) == .max)
    }
}
