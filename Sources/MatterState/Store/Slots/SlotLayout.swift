import Glibc

/// The purpose of a slot.
public enum SlotKind: Sendable {
    /// One command: it has its slot for as long as it takes, and gives it back.
    case short
    /// Something that stays, such as a subscription. There is one such slot, and short commands never wait for it.
    case long
}

/// Where the slots and the queues of a node lie in the lock file of its fabric.
///
/// Every node has 2^26 bytes of the 2^62 that are used: an area for each of its slots, and one for its two queues. The file
/// itself stays empty. Two nodes whose areas coincide (one in 2^36 pairs) share their slots.
struct SlotLayout: Sendable {
    /// How many slots there are for short commands.
    static let shortSlots = 2

    private static let area: Int64 = 1 << 24
    private static let longSlot: Int64 = 2
    private static let queues: Int64 = 3

    private let base: Int64

    init(node: UInt64) {
        // The high bits of the product depend on all bits of the id.
        base = Int64((node &* 0x9E37_79B9_7F4A_7C15) >> 28) << 26
    }

    /// The bytes of a slot that a process locks. Those of all processes begin at one place, so each keeps the others out.
    /// How many they are tells the process: the kernel names no process for such a lock.
    func slot(_ kind: SlotKind, _ index: Int, process: Int32) -> ByteRange {
        let number = kind == .short ? Int64(index) : Self.longSlot
        return ByteRange(start: base + number * Self.area, length: 1 + Int64(process))
    }

    /// The process that has locked a slot.
    static func process(of lock: ByteRange) -> Int32 { Int32(clamping: lock.length - 1) }

    /// The tickets of everybody who waits for a slot of a kind: one byte each.
    func queue(_ kind: SlotKind) -> ByteRange {
        let half = Self.area / 2
        return ByteRange(start: base + Self.queues * Self.area + (kind == .short ? 0 : half), length: half)
    }
}
