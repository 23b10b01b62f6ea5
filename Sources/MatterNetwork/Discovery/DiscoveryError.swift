public import MatterBase

/// Why something cannot be found or advertised: what is missing on this host, and what to do about it.
public struct DiscoveryError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode, CaseIterable {
        /// The Avahi client library is not installed.
        case libraryMissing = "discovery.library-missing"
        /// The D-Bus system bus does not answer.
        case busUnavailable = "discovery.bus-unavailable"
        /// `avahi-daemon` is not running.
        case daemonUnavailable = "discovery.daemon-unavailable"
        /// `avahi-daemon` went away during the search and did not come back.
        case disconnected = "discovery.disconnected"
        /// This host is on no network.
        case noNetwork = "discovery.no-network"
        /// `avahi-daemon` is there and refused a request.
        case refused = "discovery.refused"
        /// The name that is to be advertised is taken.
        case collision = "discovery.collision"
        /// This process may start no more threads, or open no more files.
        case outOfResources = "discovery.out-of-resources"
        /// DNS data, or a name, that is not what it should be.
        case malformedRecord = "discovery.malformed-record"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .libraryMissing, .busUnavailable, .daemonUnavailable, .disconnected, .noNetwork: .serviceMissing
            case .outOfResources: .localState
            case .refused, .collision, .malformedRecord: .notFound
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// True if the service is there and hangs, so that starting it would not help.
    var isHung: Bool

    package init(_ code: Code, _ reason: String, isHung: Bool = false) {
        self.code = code
        self.reason = reason
        self.isHung = isHung
    }

    /// True if a service of this host is missing, rather than something being wrong with one request.
    package var isLocalServiceMissing: Bool { code.kind == .serviceMissing }

    /// The next step, if there is one.
    public var hint: Hint? { isHung ? .step("\(code.rawValue).hung") : nil }

    /// The stage in which it failed; `nil` if there are no stages.
    public var stageName: String? { "discover" }
}
