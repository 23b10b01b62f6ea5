/// Keys by the time at which they are due: a binary heap, so that neither setting a deadline nor finding the earliest one
/// takes longer the more keys wait.
struct DeadlineQueue<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let deadline: Instant
        let key: Key
    }

    /// The earliest first. Entries that have been replaced stay until they come to the top.
    private var heap: [Entry] = []
    private var deadlines: [Key: Instant] = [:]

    init() {}

    /// The earliest deadline of all.
    var earliest: Instant? { heap.first?.deadline }

    var isEmpty: Bool { deadlines.isEmpty }

    /// Sets when a key is due; `nil` takes it out.
    mutating func set(_ key: Key, to deadline: Instant?) {
        guard deadlines[key] != deadline else { return }
        deadlines[key] = deadline
        if let deadline { push(Entry(deadline: deadline, key: key)) }
        dropReplaced()
    }

    /// Takes the keys out that are due, the earliest first.
    mutating func takeDue(now: Instant) -> [Key] {
        var due: [Key] = []
        while let first = heap.first, first.deadline <= now {
            deadlines[first.key] = nil
            due.append(first.key)
            pop()
            dropReplaced()
        }
        return due
    }

    private func isReplaced(_ entry: Entry) -> Bool { deadlines[entry.key] != entry.deadline }

    private mutating func dropReplaced() {
        while let first = heap.first, isReplaced(first) { pop() }
        // Deadlines that are moved again and again would otherwise pile up below the top.
        guard heap.count > 2 * deadlines.count + 64 else { return }
        heap = deadlines.map { Entry(deadline: $0.value, key: $0.key) }.sorted { $0.deadline < $1.deadline }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].deadline < heap[parent].deadline else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            let (left, right) = (2 * index + 1, 2 * index + 2)
            var least = index
            if left < heap.count, heap[left].deadline < heap[least].deadline { least = left }
            if right < heap.count, heap[right].deadline < heap[least].deadline { least = right }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
