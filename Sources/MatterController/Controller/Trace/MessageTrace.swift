import Synchronization

/// Shows every message that a controller sends and receives, with its content in words (own).
///
/// Secrets stay out: PINs, passwords, datasets, keys. Give it to ``Controller/Options/trace``.
public final class MessageTrace: Sendable {
    /// The receivers of a trace.
    public struct Outputs: Sendable {
        /// Gets each message.
        public var tell: (@Sendable (TracedMessage) -> Void)?
        /// Gets the bytes of a pcapng file, in their order: each datagram with the decoded text as its comment.
        public var capture: (@Sendable ([UInt8]) -> Void)?
        /// Gets a line for each session, with its keys, which open all of the session's messages, and one for each handshake.
        public var keyLog: (@Sendable (String) -> Void)?

        /// Outputs that are all off.
        public init() {}
    }

    private struct State: Sendable {
        var dissector: MessageDissector
        var last: Int64?
        var names = TraceNames()
        var known: [UInt64: String?] = [:]

        mutating func name(of node: UInt64) -> String? {
            if let known = known[node] { return known }
            let name = names.name(node)
            known[node] = .some(name)
            return name
        }
    }

    private let outputs: Outputs
    private let state: Mutex<State>
    private let showsSecrets: Bool
    /// Another trace that sees the same.
    private let other: MessageTrace?

    /// A trace to these outputs.
    ///
    /// - Parameter showsSecrets: whether secrets are shown, in the text as well as in the comments of a capture.
    public init(_ outputs: Outputs, showsSecrets: Bool = false) {
        self.outputs = outputs
        self.showsSecrets = showsSecrets
        other = nil
        state = Mutex(State(dissector: MessageDissector(secrets: SecretFilter(showsSecrets: showsSecrets))))
        outputs.capture?(CaptureWriter.beginning(program: "matterctl"))
    }

    /// A trace to these outputs without secrets, and what another one does.
    init(_ outputs: Outputs, besides other: MessageTrace?) {
        self.outputs = outputs
        self.other = other
        showsSecrets = false
        state = Mutex(State(dissector: MessageDissector(secrets: SecretFilter(showsSecrets: false))))
    }

    /// Gives nodes their names, those of the fabric at work.
    package func use(_ names: TraceNames) {
        other?.use(names)
        state.withLock { state in
            let keys = state.dissector.keys
            state.dissector = MessageDissector(
                keys: keys, secrets: SecretFilter(showsSecrets: showsSecrets), destinations: names.destination)
            state.names = names
        }
    }

    private var isReading: Bool { outputs.tell != nil || outputs.capture != nil }

    private func show(
        _ message: [UInt8], _ direction: TracedMessage.Direction, from source: PeerAddress?,
        to destination: PeerAddress?,
        port: UInt16
    ) {
        guard isReading else { return }
        let time = Int64(WallClock.unixMicroseconds())
        state.withLock { state in
            let own = "port \(port)"
            let (from, to) = (source?.description ?? own, destination?.description ?? own)
            let dissected = state.dissector.dissect(message, from: from, to: to, at: time)
            let traced = TracedMessage(
                dissected, direction, at: time, wait: state.last.map { max(0, time - $0) }, from: from, to: to,
                by: (source ?? destination)?.carrier, size: message.count, name: { state.name(of: $0) })
            state.last = time
            outputs.tell?(traced)
            outputs.capture?(Self.packet(message, source, destination, port, at: time, traced.text))
        }
    }

    private static func packet(
        _ message: [UInt8], _ source: PeerAddress?, _ destination: PeerAddress?, _ port: UInt16, at time: Int64,
        _ text: String
    ) -> [UInt8] {
        guard let peer = (source ?? destination)?.udp else {
            let packet = CaptureWriter.bluetoothPacket(
                message, from: source?.bluetoothName, to: destination?.bluetoothName)
            return CaptureWriter.packet(packet, on: .bluetooth, at: time, comment: text)
        }
        // Our own address is not known to a socket of all addresses.
        let own = peer.unspecified(port: port)
        let packet = CaptureWriter.ipPacket(message, from: source?.udp ?? own, to: destination?.udp ?? own)
        return CaptureWriter.packet(packet, on: .network, at: time, comment: text)
    }
}

extension MessageTrace: TrafficObserver {
    package func sent(_ message: [UInt8], to peer: PeerAddress, from port: UInt16) {
        show(message, .sent, from: nil, to: peer, port: port)
        other?.sent(message, to: peer, from: port)
    }

    package func received(_ message: [UInt8], from peer: PeerAddress, at port: UInt16) {
        show(message, .received, from: peer, to: nil, port: port)
        other?.received(message, from: peer, at: port)
    }

    package func established(_ session: SecureSessionParameters) {
        other?.established(session)
        let entry = KeyLogEntry(session)
        outputs.keyLog?(entry.line)
        guard isReading else { return }
        // A session whose keys cannot be used stays sealed in the trace; its own messages say why.
        state.withLock { try? $0.dissector.keys.add(entry) }
    }

    package func offers(_ offer: HandshakeOffer) {
        other?.offers(offer)
        guard isReading else { return }
        state.withLock { $0.dissector.keys.add(offer) }
    }

    package func agreed(on secrets: HandshakeSecrets) {
        other?.agreed(on: secrets)
        outputs.keyLog?(HandshakeLogEntry(secrets).line)
        guard isReading else { return }
        state.withLock { $0.dissector.keys.add(secrets) }
    }

    package func uses(_ key: GroupMessageSecurity) {
        other?.uses(key)
        guard isReading else { return }
        state.withLock { $0.dissector.keys.add(key) }
    }
}

/// Names for the node ids in messages, and for the nodes that a Sigma1 asks for (own).
package struct TraceNames: Sendable {
    /// The name of a node by its operational node id.
    package var name: @Sendable (UInt64) -> String? = { _ in nil }
    /// The node that a destination identifier means (Matter core specification, 4.14.2.4.1).
    package var destination: @Sendable (_ destinationID: [UInt8], _ initiatorRandom: [UInt8]) -> String? = { _, _ in nil
    }

    package init() {}
}
