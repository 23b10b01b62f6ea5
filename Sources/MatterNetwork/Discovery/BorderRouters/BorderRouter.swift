import JSON

/// A Thread border router, as it advertises itself (`_meshcop._udp`, Thread specification 8.4).
///
/// Everything in it is text from the network: escape it before it reaches a terminal.
public struct BorderRouter: Hashable, Sendable {
    /// The name of the service.
    public let instance: String
    package let host: String
    /// Best first.
    public let addresses: [ResolvedAddress]
    /// The name of the Thread network; `nil` if it does not say.
    public let networkName: String?
    /// 8 bytes: the id of the network.
    public let extendedPANID: [UInt8]?
    /// When the dataset of the network was made, in seconds; see `ThreadDataset`.
    public let activeTimestamp: UInt64?
    /// The name of its maker; `nil` if it does not say.
    public let vendor: String?
    /// The name of the product; `nil` if it does not say.
    public let model: String?
    /// Whether its Thread interface is up and part of the network; `nil` if it does not say.
    public let isActive: Bool?
    /// The extended address of its Thread radio: 64 bits, by which neighbours name it; `nil` if it does not say.
    public let extendedAddress: UInt64?
    /// The part of the network that it is in, if that is split; `nil` if it does not say.
    package let partitionID: UInt32?
    /// The addresses of the devices on its network that others may reach; `nil` if it does not say.
    package let offMeshPrefix: MeshPrefix?

    private static let longest = 64
    /// Bits 3 and 4 of the state are the state of the interface; 2 is active.
    private static let activeInterface: UInt32 = 2

    package init(instance: String, host: String, addresses: [ResolvedAddress], txt: TXTRecord) {
        self.instance = instance
        self.host = host
        self.addresses = addresses
        networkName = txt.text("nn", limit: 16)
        extendedPANID = txt["xp"].flatMap { $0.count == 8 ? $0 : nil }
        activeTimestamp = txt["at"].flatMap { bytes in
            bytes.count == 8 ? bytes.prefix(6).reduce(0) { $0 << 8 | UInt64($1) } : nil
        }
        vendor = txt.text("vn", limit: Self.longest)
        model = txt.text("mn", limit: Self.longest)
        isActive = txt["sb"].flatMap { bytes in
            guard bytes.count == 4 else { return nil }
            let state = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return state >> 3 & 3 == Self.activeInterface
        }
        partitionID = txt["pt"].flatMap { $0.count == 4 ? $0.reduce(0) { $0 << 8 | UInt32($1) } : nil }
        extendedAddress = txt["xa"].flatMap { $0.count == 8 ? $0.reduce(0) { $0 << 8 | UInt64($1) } : nil }
        offMeshPrefix = txt["omr"].flatMap { MeshPrefix($0) }
    }
}

/// The prefix of addresses in a Thread network that routers outside may have a way to.
package struct MeshPrefix: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes; those after the prefix are 0.
    package let octets: [UInt8]
    /// The length in bits.
    package let length: Int

    /// - Parameter value: the length in bits, and the bytes of the prefix.
    /// - Returns: `nil` for a value that is no prefix.
    init?(_ value: [UInt8]) {
        guard let length = value.first, length > 0, length <= 128, value.count - 1 >= (Int(length) + 7) / 8,
            value.count <= 17
        else { return nil }
        self.length = Int(length)
        octets = Array(value.dropFirst() + [UInt8](repeating: 0, count: 17 - value.count))
    }

    /// An address that begins with it.
    package var probe: [UInt8] { length < 128 ? octets.dropLast() + [1] : octets }

    /// `fd11:22::/64`
    package var description: String { "\(PeerAddress(octets: octets, port: 0)?.host ?? "?")/\(length)" }
}

/// A change of the border routers in reach.
public enum BorderRouterEvent: Hashable, Sendable {
    /// A border router was found.
    case found(BorderRouter)
    /// Whatever answers at once has answered. More may follow.
    case allForNow
}

/// Reads the reports of a search as border routers.
struct BorderRouterReader {
    static let type = "_meshcop._udp"

    private var known: [String: BorderRouter] = [:]

    var target: ServiceSearch.Target { .browse([Self.type]) }

    mutating func read(_ report: ServiceReport, interfaces: [LocalInterface]) -> BorderRouterEvent? {
        switch report {
        case .updated(let instance):
            let router = BorderRouter(
                instance: instance.name, host: instance.host, addresses: instance.usableAddresses(interfaces),
                txt: instance.txt)
            guard !router.addresses.isEmpty, known.updateValue(router, forKey: instance.name) != router else {
                return nil
            }
            return .found(router)
        case .settled: return .allForNow
        case .removed(let name):
            known[name] = nil
            return nil
        case .named: return nil
        }
    }
}
