/// Reads a capture of network traffic (pcap or pcapng), and says what the Matter and mDNS messages in it hold (own).
///
/// Damaged packets are told as faults, and never end it.
public struct CaptureDecoder {
    /// How much a capture held (own).
    public struct Counts: Equatable, Sendable {
        /// The number of Matter messages.
        public var messages = 0
        /// The number of those that no key at hand opened.
        public var sealed = 0
        /// The number of mDNS messages.
        public var multicastDNS = 0
        /// The number of packets of other protocols.
        public var others = 0
        /// The number of defects of the file, of packets and of messages.
        public var faults = 0
    }

    private static let mostEndpoints = 4096

    private var reader: CaptureReader
    private var dissector: MessageDissector
    private let names: TraceNames
    private var last: Int64?
    /// Peers that speak Matter at another port than the usual one.
    private var endpoints: Set<PeerAddress> = []
    /// The numbers so far.
    public private(set) var counts = Counts()

    /// A decoder of a whole file.
    ///
    /// - Throws: ``ControllerError`` `capture.unreadable` for a file that is no capture.
    public init(_ bytes: [UInt8], keys: TraceKeys = TraceKeys(), showsSecrets: Bool = false) throws(ControllerError) {
        do throws(CaptureError) {
            reader = try CaptureReader(bytes)
        } catch {
            throw ControllerError(.captureUnreadable, error.reason)
        }
        names = keys.names
        dissector = MessageDissector(
            keys: keys.ring, secrets: SecretFilter(showsSecrets: showsSecrets), destinations: keys.names.destination)
    }

    /// The next message, or fault; `nil` at the end of the file.
    public mutating func next() -> TracedMessage? {
        while let item = reader.next() {
            switch item {
            case .other: counts.others += 1
            case .fault(let reason):
                counts.faults += 1
                return TracedMessage(fault: reason)
            case .datagram(let datagram):
                if let message = message(datagram) { return message }
                counts.others += 1
            }
        }
        return nil
    }

    private mutating func message(_ datagram: CapturedDatagram) -> TracedMessage? {
        let (source, destination) = (datagram.source.description, datagram.destination.description)
        let ports = [datagram.source, datagram.destination].compactMap(\.udp?.port)
        let wait = last.map { max(0, datagram.time - $0) }
        if datagram.carrier == .udp, ports.contains(MulticastDNS.port) {
            last = datagram.time
            counts.multicastDNS += 1
            let (title, items, fault) = MulticastDNS.dissect(datagram.payload)
            if fault != nil { counts.faults += 1 }
            return TracedMessage(
                at: datagram.time, wait: wait, from: source, to: destination, title, items, fault: fault)
        }
        let message = dissector.dissect(datagram.payload, from: source, to: destination, at: datagram.time)
        let isExpected =
            datagram.carrier == .bluetooth || ports.contains(UDPAddress.defaultPort)
            || endpoints.contains(datagram.source)
            || endpoints.contains(datagram.destination)
        // Almost any bytes could be a header; a handshake, or what a key opens, is no accident.
        let isOpened = message.kind != .sealed && message.kind != .unsecured
        let isHandshake = message.kind == .unsecured && message.opcode != nil && message.fault == nil
        guard isExpected || isHandshake || isOpened else { return nil }
        if isHandshake || isOpened, endpoints.count < Self.mostEndpoints {
            // The device is the one that answers; the other side has a port for the moment.
            endpoints.insert(message.isFromInitiator ? datagram.destination : datagram.source)
        }
        last = datagram.time
        counts.messages += 1
        if message.isSealed {
            counts.sealed += 1
        } else if message.fault != nil {
            counts.faults += 1
        }
        return TracedMessage(
            message, .seen, at: datagram.time, wait: wait, from: source, to: destination, by: datagram.carrier,
            size: datagram.payload.count, name: names.name)
    }
}

/// Keys that open the messages of a capture (own).
public struct TraceKeys: Sendable {
    package var ring = MessageKeyring()
    package var names = TraceNames()

    /// No keys: handshakes and mDNS are read all the same.
    public init() {}

    /// Adds the sessions of a key log (``MessageTrace/Outputs/keyLog``).
    ///
    /// - Returns: the numbers of the lines that are none, counted from 1.
    public mutating func add(keyLog text: String) -> [Int] {
        var faults: [Int] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let isRemark = line.first == "#" || line.allSatisfy { $0 == " " || $0 == "\r" || $0 == "\t" }
            guard !isRemark else { continue }
            if let handshake = HandshakeLogEntry(line: line) {
                ring.add(handshake.secrets)
                continue
            }
            guard let entry = KeyLogEntry(line: line), (try? ring.add(entry)) != nil else {
                faults.append(index + 1)
                continue
            }
        }
        return faults
    }
}
