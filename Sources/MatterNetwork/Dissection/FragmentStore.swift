/// Puts IP packets together that a network carried in fragments (RFC 791 3.2, RFC 8200 4.5).
///
/// Fragments that overlap end their packet, as RFC 5722 demands; exact repetitions, which captures of several interfaces
/// hold, do not.
struct FragmentStore: Sendable {
    /// The fragments with equal ones belong together.
    struct Key: Hashable, Sendable {
        var source: [UInt8]
        var destination: [UInt8]
        var id: UInt32
        var next: UInt8
    }

    /// The result of a fragment.
    enum Result: Equatable, Sendable {
        case waiting
        /// The payload of the whole packet.
        case whole([UInt8])
        case fault(String)
    }

    private struct Packet {
        /// In the order of their offsets, without overlaps.
        var pieces: [(offset: Int, bytes: [UInt8])] = []
        var length: Int?
        var began: Int64

        var isWhole: Bool { length == pieces.reduce(0) { $0 + $1.bytes.count } }
    }

    private static let largest = 65_535
    private static let mostPackets = 256
    private static let mostPieces = 512
    /// In microseconds: RFC 8200 gives a packet 60 seconds.
    private static let patience: Int64 = 60_000_000
    /// In microseconds: a fragment of a packet that was whole so shortly before is a repetition.
    private static let memory: Int64 = 2_000_000

    private var packets: [Key: Packet] = [:]
    private var order: [Key] = []
    private var done: [Key: Int64] = [:]
    /// The packets that were given up.
    private var lost = 0

    /// Adds a fragment.
    ///
    /// - Parameters:
    ///   - offset: of its first byte in the packet.
    ///   - hasMore: whether other fragments follow.
    ///   - time: microseconds since 1970.
    mutating func add(_ bytes: [UInt8], of key: Key, at offset: Int, hasMore: Bool, time: Int64) -> Result {
        if let end = done[key] {
            guard (time - end).magnitude > UInt64(Self.memory) else { return .waiting }
            done[key] = nil
        }
        if let known = packets[key], (time - known.began).magnitude > UInt64(Self.patience) { giveUp(key) }
        guard !bytes.isEmpty, !hasMore || bytes.count % 8 == 0, offset + bytes.count <= Self.largest else {
            drop(key)
            return .fault("a fragment of \(bytes.count) bytes at \(offset)")
        }
        if packets[key] == nil {
            packets[key] = Packet(began: time)
            order.append(key)
            makeRoom()
        }
        guard var packet = packets[key] else { return .waiting }
        let place = packet.pieces.firstIndex { $0.offset >= offset } ?? packet.pieces.endIndex
        if place < packet.pieces.endIndex, packet.pieces[place] == (offset, bytes) { return .waiting }
        let end = offset + bytes.count
        let overlaps =
            place > 0 && packet.pieces[place - 1].offset + packet.pieces[place - 1].bytes.count > offset
            || place < packet.pieces.endIndex && packet.pieces[place].offset < end
        let isBeyond = packet.length.map { hasMore ? end > $0 : end != $0 } ?? false
        guard !overlaps, !isBeyond, packet.pieces.count < Self.mostPieces else {
            drop(key)
            return .fault("fragments of an IP packet that do not fit together")
        }
        packet.pieces.insert((offset, bytes), at: place)
        if !hasMore {
            guard packet.pieces.allSatisfy({ $0.offset + $0.bytes.count <= end }) else {
                drop(key)
                return .fault("fragments of an IP packet that do not fit together")
            }
            packet.length = end
        }
        guard packet.isWhole else {
            packets[key] = packet
            return .waiting
        }
        drop(key)
        if done.count >= Self.mostPackets { done = [:] }
        done[key] = time
        return .whole(packet.pieces.flatMap(\.bytes))
    }

    /// A fault about the packets of which fragments are missing, if there are any. They are forgotten then.
    mutating func end() -> String? {
        lost += packets.count
        packets = [:]
        order = []
        defer { lost = 0 }
        guard lost > 0 else { return nil }
        return lost == 1
            ? "1 IP packet lacks fragments in this capture" : "\(lost) IP packets lack fragments in this capture"
    }

    private mutating func drop(_ key: Key) {
        packets[key] = nil
        order.removeAll { $0 == key }
    }

    private mutating func giveUp(_ key: Key) {
        lost += 1
        drop(key)
    }

    private mutating func makeRoom() {
        while order.count > Self.mostPackets, let oldest = order.first { giveUp(oldest) }
    }
}
