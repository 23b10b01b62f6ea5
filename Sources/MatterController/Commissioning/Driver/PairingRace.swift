import Logging
import MatterNetwork

/// A way to a device that is not on the fabric yet.
public enum CommissioningWay: String, Sendable, CaseIterable {
    /// The network of this host.
    case ip
    /// Bluetooth.
    case ble
}

/// Looks for a device on the network and over Bluetooth. The network comes first: Bluetooth is slower, fails more often and
/// has to be followed by a change of networks.
struct PairingRace: Sendable {
    /// How long the network has at most before Bluetooth is searched, too, for a device that can be on it.
    private static let longestHeadStart = Duration.seconds(3)

    /// How long the network has alone, so that a short search leaves time for Bluetooth.
    static func headStart(ofSearch lookout: Duration) -> Duration {
        min(longestHeadStart, max(.zero, lookout / 3))
    }

    typealias Search = @Sendable (_ located: @escaping @Sendable () -> Void) async throws -> PairedDevice

    let time: any TimeSource
    /// Whether the device can be on the network, by its code.
    let isForNetwork: Bool
    /// How long the network has before Bluetooth is searched, too, if the device can be on it.
    let headStart: Duration
    let network: Search
    let bluetooth: Search

    private enum Outcome: Sendable {
        case headStartEnded
        case ended(CommissioningWay, Result<PairedDevice, any Error>)
    }

    /// - Throws: what the search of the network throws, or that over Bluetooth if it has more to say.
    func run() async throws -> PairedDevice {
        let isOnNetwork = Flag()
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            func start(_ way: CommissioningWay, _ search: @escaping Search, located: @escaping @Sendable () -> Void) {
                group.addTask {
                    do {
                        return .ended(way, .success(try await search(located)))
                    } catch {
                        return .ended(way, .failure(error))
                    }
                }
            }
            start(.ip, network) { isOnNetwork.raise() }
            group.addTask {
                if isForNetwork { try? await time.sleep(for: headStart) }
                return .headStartEnded
            }
            var failures: [CommissioningWay: any Error] = [:]
            var isSearching = false
            while let outcome = try await group.next() {
                switch outcome {
                case .headStartEnded:
                    guard !isOnNetwork.isRaised, !isSearching else { continue }
                    isSearching = true
                    start(.ble, bluetooth) {}
                case .ended(_, .success(let device)):
                    group.cancelAll()
                    // The other search may have come to something at the same moment.
                    while let late = try await group.next() {
                        if case .ended(_, .success(let other)) = late { await other.leave() }
                    }
                    return device
                case .ended(let way, .failure(let error)):
                    if error is CancellationError { throw error }
                    failures[way] = error
                    if way == .ip, !isSearching {
                        isSearching = true
                        start(.ble, bluetooth) {}
                    }
                }
                if let network = failures[.ip], let bluetooth = failures[.ble] {
                    throw Self.worse(network, bluetooth, isForNetwork: isForNetwork)
                }
            }
            throw CancellationError()
        }
    }

    /// The failure that says more.
    ///
    /// - Parameter isForNetwork: whether the device can be on the network, by its code.
    static func worse(_ network: any Error, _ bluetooth: any Error, isForNetwork: Bool = true) -> any Error {
        let other = bluetooth as? CommissioningError
        // A part that this host lacks is why such a device is not found.
        let isUnfound = (network as? CommissioningError)?.code == .nothingDiscovered
        if !isForNetwork, isUnfound, other == nil { return bluetooth }
        let isSpoken = other.map { $0.code != .nothingDiscovered } ?? false
        guard var unfound = network as? CommissioningError, unfound.code == .nothingDiscovered else {
            // A device that was found over Bluetooth counts more than a network that could not be searched.
            let isAboutDevice = network is CommissioningError || network is SessionError
            return isSpoken && !isAboutDevice ? bluetooth : network
        }
        if let other {
            guard !isSpoken else { return other }
            unfound.reason += ", and none advertised over Bluetooth"
            unfound.hint = other.hint
            return unfound
        }
        unfound.reason += "; Bluetooth could not be searched: \(bluetooth)"
        if let hint = (bluetooth as? any CodedError)?.hint, let first = unfound.hint {
            unfound.hint = first + "; for Bluetooth: " + hint
        }
        return unfound
    }
}

/// The Bluetooth connection that a device was paired over.
struct BluetoothLink: Sendable {
    /// Sends what goes over it.
    let manager: ExchangeManager
    let links: BTPLinks

    /// Sends what is still waiting, and ends the connection.
    func close() async {
        await manager.shutDown()
        await links.close()
    }
}

/// Connects to a device over Bluetooth and sets up PASE on the connection. What goes over it has an ``ExchangeManager``
/// of its own, which lives as long as the connection.
struct BluetoothPairing: Sendable {
    let central: any BluetoothCentral
    let time: any TimeSource
    let random: any RandomSource
    let logger: Logger
    /// Sees all messages.
    var observer: (any TrafficObserver)?

    /// - Throws: ``SessionError``, ``TransportError``, what the central throws, `CancellationError`. Nothing of the
    ///   connection is left then.
    func pair(
        with device: BluetoothDevice, target: PeerTarget, deadline: Instant,
        makeHandshake: @escaping Connector.MakeHandshake
    ) async throws -> PairedDevice {
        let connection = try await central.connect(to: device, deadline: deadline)
        let links = BTPLinks(connection, time: time)
        let manager: ExchangeManager
        do {
            manager = try ExchangeManager(
                time: time, links: links, random: random, admission: { _, _, _ in false }, observer: observer)
        } catch {
            await links.close()
            throw error
        }
        let link = BluetoothLink(manager: manager, links: links)
        do {
            try await manager.open()
            var target = target
            target.hints = [links.peer]
            let session = try await Connector(manager: manager, logger: logger).connect(
                to: target, deadline: deadline, makeHandshake: makeHandshake)
            return PairedDevice(
                session: session,
                advertised: VendorAndProduct(
                    vendorID: device.advertisement.vendorID.map { VendorID($0) },
                    productID: device.advertisement.productID), link: link)
        } catch {
            await link.close()
            throw error
        }
    }
}
