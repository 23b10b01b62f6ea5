/// Finds the Matter messages in TCP connections: each has its length before it, 4 bytes, little-endian (Matter core
/// specification 4.5).
///
/// A connection whose beginning is not in the capture is entered where a segment begins like a message.
struct StreamStore: Sendable {
    /// One direction of a connection.
    struct Key: Hashable, Sendable {
        var source: PeerAddress
        var destination: PeerAddress

        /// Whether it is at the port of Matter.
        fileprivate var isExpected: Bool {
            source.udp?.port == UDPAddress.defaultPort || destination.udp?.port == UDPAddress.defaultPort
        }
    }

    /// A part of a direction.
    struct Segment: Sendable {
        var number: UInt32
        var begins: Bool
        var ends: Bool
        var bytes: [UInt8]
    }

    private struct Stream {
        /// The number of the next byte.
        var next: UInt32
        /// Whether the bytes at hand begin with a message.
        var isEntered: Bool
        var hasMessages = false
        /// A direction that does not carry messages, or has ended.
        var isIgnored = false
        /// Read, and less than a message.
        var bytes: [UInt8] = []
        /// Segments that came before their turn.
        var early: [UInt32: [UInt8]] = [:]
        var attempts = 0
    }

    private static let prefix = 4
    /// The shortest message has both of its headers and nothing else.
    private static let shortest = 14
    /// The specification's limit is 64,000 unless a node announces more.
    private static let largest = 1 << 18
    private static let mostStreams = 512
    private static let mostEarly = 32
    private static let mostAttempts = 16

    private var streams: [Key: Stream] = [:]
    private var order: [Key] = []
    private var gaps = 0

    /// The messages that a segment completes, and a fault of its connection.
    mutating func add(_ segment: Segment, of key: Key) -> (messages: [[UInt8]], fault: String?) {
        if segment.begins || streams[key] == nil {
            guard segment.begins || !segment.bytes.isEmpty else { return ([], nil) }
            if streams[key] == nil {
                order.append(key)
                makeRoom()
            }
            // A SYN takes a number.
            streams[key] = Stream(
                next: segment.begins ? segment.number &+ 1 : segment.number, isEntered: segment.begins)
        }
        // Taken out, so that its bytes are not copied.
        guard var stream = streams.removeValue(forKey: key) else { return ([], nil) }
        defer {
            if segment.ends, stream.early.isEmpty { stream.isIgnored = true }
            if stream.isIgnored { (stream.bytes, stream.early) = ([], [:]) }
            streams[key] = stream
        }
        var found: (messages: [[UInt8]], fault: String?) = ([], nil)
        let number = segment.begins ? segment.number &+ 1 : segment.number
        guard !segment.bytes.isEmpty, !stream.isIgnored else { return found }
        stream.early[number] = segment.bytes
        if Self.distance(number, stream.next) > 0 {
            guard stream.early.count > Self.mostEarly else { return found }
            // The bytes between are not in the capture.
            gap(&stream, key)
        }
        while let due = stream.early.keys.first(where: { Self.distance($0, stream.next) <= 0 }),
            let bytes = stream.early.removeValue(forKey: due), !stream.isIgnored
        {
            // Its beginning may have come before.
            let known = -Self.distance(due, stream.next)
            if known < bytes.count { take(bytes[known...], &stream, key, &found) }
        }
        return found
    }

    /// A fault about the connections of which parts are missing, if there are any.
    mutating func end() -> String? {
        for (key, stream) in streams where !stream.early.isEmpty && (stream.hasMessages || key.isExpected) { gaps += 1 }
        streams = [:]
        order = []
        defer { gaps = 0 }
        guard gaps > 0 else { return nil }
        return "parts of TCP connections are not in this capture: \(gaps == 1 ? "1 gap" : "\(gaps) gaps")"
    }

    private mutating func gap(_ stream: inout Stream, _ key: Key) {
        if stream.hasMessages || key.isExpected { gaps += 1 }
        let next = stream.next
        stream.next = stream.early.keys.min { $0 &- next < $1 &- next } ?? next
        (stream.bytes, stream.isEntered) = ([], false)
    }

    /// How far one number is ahead of another one; they begin at 0 again after the largest one.
    private static func distance(_ number: UInt32, _ other: UInt32) -> Int {
        Int(Int32(bitPattern: number &- other))
    }

    private func take(
        _ bytes: ArraySlice<UInt8>, _ stream: inout Stream, _ key: Key,
        _ found: inout (messages: [[UInt8]], fault: String?)
    ) {
        stream.next &+= UInt32(truncatingIfNeeded: bytes.count)
        if !stream.isEntered {
            guard Self.length(bytes.prefix(Self.prefix + 1)) != nil else {
                stream.attempts += 1
                stream.isIgnored = stream.attempts >= Self.mostAttempts
                return
            }
            stream.isEntered = true
        }
        stream.bytes += bytes
        var cursor = OctetCursor(stream.bytes)
        while cursor.remaining >= Self.prefix {
            guard let length = Self.length(stream.bytes[cursor.position...].prefix(Self.prefix + 1)) else {
                if stream.hasMessages || key.isExpected {
                    found.fault = "a TCP connection has something else where the length of a message belongs"
                }
                stream.isIgnored = true
                return
            }
            guard cursor.remaining >= Self.prefix + length else { break }
            cursor.skip(Self.prefix)
            guard let message = cursor.octets(length) else { break }
            stream.hasMessages = true
            found.messages.append(message)
        }
        if cursor.position > 0 { stream.bytes = cursor.rest() }
    }

    /// The length of the message that bytes begin with, if they can be the beginning of one.
    private static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        var cursor = OctetCursor(Array(bytes))
        guard let length: UInt32 = cursor.integer(isBigEndian: false), length >= UInt32(shortest),
            length <= UInt32(largest)
        else { return nil }
        // The flags of a message have the version 0 in their upper half (Matter core specification 4.4.1.1).
        if let flags = cursor.octet(), flags & 0xF0 != 0 { return nil }
        return Int(length)
    }

    private mutating func makeRoom() {
        while order.count > Self.mostStreams, let oldest = order.first {
            order.removeFirst()
            streams[oldest] = nil
        }
    }
}
