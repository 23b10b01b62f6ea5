public import MatterBase

/// Why the transport refused or lost something.
public struct TransportError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// A datagram that is not a Matter message, or is one that must be dropped.
        case malformedMessage = "transport.malformed-message"
        /// The message integrity check failed: other keys, or a changed message.
        case authenticationFailed = "transport.authentication-failed"
        /// More than one IPv6 datagram of the minimum MTU carries.
        case messageTooLarge = "transport.message-too-large"
        /// The session's message counter is used up.
        case counterExhausted = "transport.counter-exhausted"
        /// No such session or exchange (any more).
        case closed = "transport.closed"
        /// A reliable message while the one before it on the exchange waits for its acknowledgement.
        case messageInFlight = "transport.message-in-flight"
        /// All transmissions of a reliable message went without acknowledgement.
        case notAcknowledged = "transport.not-acknowledged"
        /// The message was acknowledged, but no answer came before the deadline.
        case noReply = "transport.no-reply"
        /// The kernel could not send to any of the addresses.
        case unreachable = "transport.unreachable"
        /// The socket could not be opened.
        case socket = "transport.socket"
        /// No interface of this host can carry a message to a group.
        case noInterface = "transport.no-interface"
        /// Another program has the UDP port that was asked for.
        case portInUse = "transport.port-in-use"
        /// This process may open no more files, or the system has no memory for them.
        case outOfResources = "transport.out-of-resources"
        /// An address that cannot be parsed.
        case invalidAddress = "transport.invalid-address"
        /// A host name that nothing is known of.
        case unknownHost = "transport.unknown-host"
        /// The peer broke a rule of the Bluetooth Transport Protocol.
        case btp = "transport.btp"
        /// The Bluetooth connection with the peer ended, or the peer said nothing on it for too long.
        case linkLost = "transport.link-lost"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .socket, .noInterface: .serviceMissing
            case .invalidAddress: .invalidInput
            case .portInUse, .outOfResources: .localState
            case .messageInFlight: .defect
            case .messageTooLarge: .refused
            case .malformedMessage, .authenticationFailed, .counterExhausted, .closed, .notAcknowledged, .noReply,
                .unreachable, .unknownHost, .btp, .linkLost:
                .noAnswer
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The report of the exchange until then.
    public var report: ExchangeReport?

    package init(_ code: Code, _ reason: String, report: ExchangeReport? = nil) {
        self.code = code
        self.reason = reason
        self.report = report
    }

    /// The stage in which it failed; `nil` if there are no stages.
    public var stageName: String? {
        switch code {
        case .unknownHost: "discover"
        default: isAboutPeer ? "interaction" : nil
        }
    }

    /// True if it is the peer, or the way to it, that failed, and not something on this host.
    public var isAboutPeer: Bool {
        switch code {
        case .invalidAddress, .socket, .noInterface, .portInUse, .outOfResources, .unknownHost: false
        default: true
        }
    }

    /// True if a message or its answer got lost, rather than being impossible.
    package var isLoss: Bool {
        switch code {
        case .notAcknowledged, .noReply, .unreachable, .closed, .btp, .linkLost: true
        default: false
        }
    }
}

/// The attempts on an exchange, and the answers: the substance of every "no answer" message (Matter core
/// specification, chapter 4).
public struct ExchangeReport: Equatable, Sendable {
    /// Every address a datagram was sent to, in the order of the first attempt.
    package var addresses: [PeerAddress] = []
    /// Transmissions of the message that was not answered, over all addresses.
    package var transmissions = 0
    /// True if the peer acknowledged that message.
    package var acknowledged = false
    /// Time since the peer was last heard on this exchange; `nil` if it never was.
    package var lastHeard: Duration?
    /// Time since the peer was last heard on the session of the exchange; `nil` if it never was.
    var sessionLastHeard: Duration?
    /// The kernel's refusals, by address: the last one each.
    package var sendFailures: [PeerAddress: Int32] = [:]
    /// Datagrams of the message that were handed to the kernel, and how many of them it refused.
    var datagrams = 0
    var refusals = 0

    /// True if the kernel refused every datagram of the message, so that the peer cannot have it.
    package var isUnsent: Bool { datagrams > 0 && refusals == datagrams }

    package init() {}
}

extension ExchangeReport {
    /// Starts over for the next message of the exchange.
    mutating func begin() {
        transmissions = 1
        acknowledged = false
        sendFailures = [:]
        datagrams = 0
        refusals = 0
    }

    mutating func noteDatagrams(to targets: [PeerAddress]) {
        datagrams += targets.count
        for address in targets where !addresses.contains(address) { addresses.append(address) }
    }
}
