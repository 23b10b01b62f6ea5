/// The user's wish for the network of a device.
public struct NetworkPreference: Sendable {
    /// The names given for this device.
    package var given: [NetworkCredential] = []
    /// The facts about networks here, for a device that needs one.
    package var known: [NetworkCredential] = []
    /// Whether the networks in the device's reach are to be chosen from.
    package var wantsChoice = false
    /// Whether there is a person to ask.
    package var canAsk = false

    /// The credentials that were given, those that are kept, and whether the user is to be asked.
    public init(
        given: [NetworkCredential] = [], known: [NetworkCredential] = [], wantsChoice: Bool = false,
        canAsk: Bool = false
    ) {
        self.given = given
        self.known = known
        self.wantsChoice = wantsChoice
        self.canAsk = canAsk
    }
}

/// A question to a person: which network a device is to join.
public struct NetworkChoice: Equatable, Sendable {
    /// The kind of network to choose.
    public let kind: NetworkKind
    /// The networks in the device's reach, the strongest first; each network once.
    public let seen: [SeenNetwork]
    /// The failure of the network that was named before.
    public var failure: NetworkFailure?
    /// The network that failed.
    public var failed: NetworkCredential?
}

/// An interface with the network that it is to join.
public struct NetworkAttempt: Equatable, Sendable {
    /// The interface of the device that is to join.
    public let interface: NetworkState.Commissioning
    /// The credential that it gets.
    public var credential: NetworkCredential

    package init(_ interface: NetworkState.Commissioning, _ credential: NetworkCredential) {
        self.interface = interface
        self.credential = credential
    }
}

/// The decision about the network of a device, before it gets a certificate.
enum NetworkPlan: Equatable, Sendable {
    /// The device is where it can be reached.
    case keep
    /// In this order, until one succeeds.
    case join([NetworkAttempt])
    /// The device looks around first.
    case search(NetworkState.Commissioning)
    /// The device cannot be reached without a network, and there is none for it.
    case missing(Set<NetworkKind>)
    /// The device has no interface for the networks that were named.
    case impossible(wanted: Set<NetworkKind>, has: Set<NetworkKind>)

    /// - Parameter isOnNetwork: whether the device is reached over an IP network now.
    init(_ interfaces: [NetworkState.Commissioning], _ wish: NetworkPreference, isOnNetwork: Bool) {
        let radios = interfaces.filter(\.isRadio).sorted { $0.endpoint < $1.endpoint }
        func attempts(_ credentials: [NetworkCredential]) -> [NetworkAttempt] {
            radios.flatMap { radio in
                credentials.filter { $0.kind == radio.kind }.map { NetworkAttempt(radio, $0) }
            }
        }
        if !wish.given.isEmpty {
            let chosen = attempts(wish.given)
            self =
                chosen.isEmpty
                ? .impossible(wanted: Set(wish.given.map(\.kind)), has: Set(interfaces.compactMap(\.kind)))
                : .join(chosen)
            return
        }
        if wish.wantsChoice, wish.canAsk, let radio = radios.first {
            self = .search(radio)
            return
        }
        let hasCable = interfaces.contains { $0.kind == .ethernet && $0.isConnected }
        guard !isOnNetwork, !hasCable, let first = radios.first else {
            self = .keep
            return
        }
        let known = attempts(wish.known)
        if let radio = known.first?.interface {
            let ofRadio = known.filter { $0.interface == radio }
            // With several networks the device knows best which of them are there.
            self = ofRadio.count == 1 && known.count == 1 ? .join(known) : .search(radio)
        } else if wish.canAsk {
            self = .search(first)
        } else {
            self = .missing(Set(radios.compactMap(\.kind)))
        }
    }

    /// The network to join among those that are known here: the strongest that the device sees; the only one if the device
    /// does not see it, since the search of a device may miss one.
    static func choice(
        among known: [NetworkCredential], of kind: NetworkKind, seen: [SeenNetwork]
    ) -> NetworkCredential? {
        let known = known.filter { $0.kind == kind }
        for network in seen {
            if let match = known.first(where: { $0.id == network.id }) { return match }
        }
        return known.count == 1 ? known.first : nil
    }
}

extension NetworkPlan {
    /// The kinds of networks in words: `Wi-Fi or Thread`.
    static func words(_ kinds: Set<NetworkKind>) -> String {
        kinds.map(\.rawValue).sorted { $0 > $1 }.joined(separator: " or ")
    }
}
