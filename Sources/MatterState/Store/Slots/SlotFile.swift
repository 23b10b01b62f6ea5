import Glibc
package import MatterNetwork
import Synchronization

/// Slots that the processes of a state directory share: places for sessions with the nodes of one fabric.
///
/// All of it is locks on byte ranges of one empty file. So a process needs one descriptor for any number of nodes, and the
/// kernel frees the slots of a process that dies. Who wants a slot takes a ticket behind all others of the node's queue;
/// only the one without an earlier ticket may take a slot, so that slots are given in the order of arrival.
///
/// A value counts as one holder: what a process holds through two values keeps each other out as well.
package final class SlotFile: Sendable {
    private struct State: ~Copyable {
        let file: Descriptor
        /// The beginnings of the slots that are held through this value. The kernel does not tell them apart.
        var slots: Set<Int64> = []
        /// The tickets that wait through this value.
        var tickets: Set<Int64> = []
    }

    private static let process = getpid()
    /// The pause before another look, in a time that does not pass while a thread waits.
    private static let step: Duration = .milliseconds(5)

    private let state: Mutex<State>
    private let path: String
    private let time: any TimeSource
    /// Opens the file once more, for a wait: it is kept out by what this value holds, too.
    private let reopen: @Sendable () throws(StoreError) -> Descriptor

    init(
        _ file: consuming Descriptor, path: String, time: any TimeSource,
        reopen: @escaping @Sendable () throws(StoreError) -> Descriptor
    ) {
        state = Mutex(State(file: file))
        self.reopen = reopen
        self.path = path
        self.time = time
    }

    /// Waits for a slot of a node, in the order of arrival.
    ///
    /// The lease keeps its place in the queue, too, until ``SlotLease/passTurn()``. The waiting task sleeps until the one before
    /// it in the queue has gone, then until one of the slots is free: the kernel tells a thread made for it.
    ///
    /// - Parameters:
    ///   - first: the first of the slots of the kind that may be taken.
    ///   - count: how many slots short commands may have, 1 or 2.
    ///   - deadline: a slot that is free is taken even after it.
    /// - Throws: ``SlotsTaken`` at the deadline, ``StoreError`` if no lock can be made, `CancellationError`.
    package func take(
        node: UInt64, _ kind: SlotKind, from first: Int = 0, of count: Int, until deadline: Instant,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> SlotLease {
        let layout = SlotLayout(node: node)
        let last = kind == .short ? min(max(count, 1), SlotLayout.shortSlots) : 1
        let indices = min(first, last)..<last
        let ticket = try queue(layout.queue(kind))
        let began = time.now
        while true {
            let obstacles: [Int64]
            switch try look(ticket, layout, kind, indices) {
            case .slot(let index, let range):
                return SlotLease(index: index, range, of: self, ticket)
            case .behind(let other): obstacles = [other]
            case .allTaken: obstacles = indices.map { layout.slot(kind, $0, process: 0).start }
            }
            guard time.now < deadline else {
                throw SlotsTaken(holders: holders(layout, kind, indices), waited: time.now - began)
            }
            try await awaitChange(of: obstacles, until: deadline)
        }
    }

    /// Waits until no process has a lock on one of the bytes.
    private func awaitChange(of places: [Int64], until deadline: Instant) async throws {
        guard !time.isStepped else { return try await time.sleep(for: min(Self.step, deadline - time.now)) }
        do {
            try await withThrowingTaskGroup(of: Void.self) { [reopen, time] group in
                for place in places {
                    group.addTask {
                        let file = try reopen()
                        _ = try await KernelWait.free(file.raw, start: place, length: 1).happens(
                            until: deadline, of: time)
                        _ = consume file
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        } catch let error as KernelWaitError {
            throw StoreError.system(error.number, "wait for a lock on", path)
        }
    }

    /// How many wait for a slot through this value, or have one and keep their turn.
    var waiting: Int { state.withLock { $0.tickets.count } }

    private enum View {
        case slot(Int, ByteRange)
        /// Another came earlier: the last of those has this place.
        case behind(Int64)
        case allTaken
    }

    /// Takes a place behind everybody who waits.
    private func queue(_ queue: ByteRange) throws(StoreError) -> SlotTicket {
        let result: Result<Int64, SystemFailure> = state.withLock { state in
            do throws(SystemFailure) {
                let own = state.tickets.filter { $0 >= queue.start && $0 < queue.end }.max()
                var place = own.map { $0 + 1 } ?? queue.start
                while true {
                    while place < queue.end,
                        let other = try state.file.blocker(of: ByteRange(start: place, length: queue.end - place))
                    {
                        place = other.end
                    }
                    guard place < queue.end else { return .failure(SystemFailure(number: ENOLCK)) }
                    // Another process may have been faster.
                    guard try state.file.lock(ByteRange(start: place, length: 1)) else { continue }
                    state.tickets.insert(place)
                    return .success(place)
                }
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let place): return SlotTicket(place, queue: queue, of: self)
        case .failure(let failure): throw .system(failure.number, "lock", path)
        }
    }

    private func look(
        _ ticket: SlotTicket, _ layout: SlotLayout, _ kind: SlotKind, _ indices: Range<Int>
    ) throws(StoreError) -> View {
        let result: Result<View, SystemFailure> = state.withLock { state in
            do throws(SystemFailure) {
                var last = state.tickets.filter { $0 >= ticket.queue.start && $0 < ticket.place }.max()
                var next = last.map { $0 + 1 } ?? ticket.queue.start
                while next < ticket.place,
                    let other = try state.file.blocker(of: ByteRange(start: next, length: ticket.place - next))
                {
                    last = max(other.start, next)
                    next = other.end
                }
                if let last { return .success(.behind(last)) }
                for index in indices {
                    let range = layout.slot(kind, index, process: Self.process)
                    guard !state.slots.contains(range.start), try state.file.lock(range) else { continue }
                    state.slots.insert(range.start)
                    return .success(.slot(index, range))
                }
                return .success(.allTaken)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let view): return view
        case .failure(let failure): throw .system(failure.number, "lock", path)
        }
    }

    /// The processes that have the slots, by number.
    private func holders(_ layout: SlotLayout, _ kind: SlotKind, _ indices: Range<Int>) -> [Int32] {
        let found = state.withLock { state in
            indices.compactMap { index -> Int32? in
                let first = ByteRange(start: layout.slot(kind, index, process: 0).start, length: 1)
                if state.slots.contains(first.start) { return Self.process }
                // Any fault has shown before.
                return (try? state.file.blocker(of: first)).map(SlotLayout.process)
            }
        }
        // A wait has a byte for a moment, and says no process.
        return Set(found).subtracting([0]).sorted()
    }

    fileprivate func free(slot range: ByteRange) {
        state.withLock { state in
            guard state.slots.remove(range.start) != nil else { return }
            try? state.file.unlock(range)
        }
    }

    fileprivate func free(ticket place: Int64) {
        state.withLock { state in
            guard state.tickets.remove(place) != nil else { return }
            try? state.file.unlock(ByteRange(start: place, length: 1))
        }
    }
}

/// A place in the queue of a node, given up with the value.
private final class SlotTicket: Sendable {
    let place: Int64
    let queue: ByteRange
    private let file: SlotFile

    init(_ place: Int64, queue: ByteRange, of file: SlotFile) {
        self.place = place
        self.queue = queue
        self.file = file
    }

    deinit { file.free(ticket: place) }
}

/// A slot that this process has until it gives it back, or ends.
package final class SlotLease: Sendable {
    /// Which of the slots of its kind it is, from 0 on.
    package let index: Int
    private let range: ByteRange
    private let file: SlotFile
    private let ticket: Mutex<SlotTicket?>

    fileprivate init(index: Int, _ range: ByteRange, of file: SlotFile, _ ticket: SlotTicket) {
        self.index = index
        self.range = range
        self.file = file
        self.ticket = Mutex(ticket)
    }

    deinit { release() }

    /// Lets the next in the queue take another slot. Until then no other process of the queue begins a handshake.
    package func passTurn() {
        ticket.withLock { $0 = nil }
    }

    /// Gives the slot back. A second time does nothing.
    package func release() {
        file.free(slot: range)
        passTurn()
    }
}

/// Every slot of a node was taken until the deadline, or others waited in front.
package struct SlotsTaken: Error, Equatable, Sendable {
    /// The processes that have the slots, by number.
    package var holders: [Int32]
    /// How long this one waited.
    package var waited: Duration
}

extension StateDirectory {
    /// Opens the file of the slots of a name, which is made if need be: a lock file like the others.
    package func slots(_ name: String) throws(StoreError) -> SlotFile {
        let name = try RecordName(name, isLock: true)
        let file = try openLockFile(name)
        return SlotFile(file, path: path(of: [RecordName.locks, name.lockFile]), time: time) {
            // With no folders that stay open.
            [path] () throws(StoreError) -> Descriptor in try StateDirectory(path: path).openLockFile(name)
        }
    }
}
