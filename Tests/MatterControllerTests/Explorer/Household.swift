import Foundation
import MatterTestKit

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// A virtual lamp, a virtual switch, and the folder of their owner, made once: each run has a copy.
struct Household: Sendable {
    /// The devices, in the order of their node ids.
    enum Thing: String, CaseIterable, Sendable {
        case lamp, button

        fileprivate var kind: String { self == .lamp ? "dimmable-light" : "on-off-switch" }
        fileprivate var folder: Int { self == .lamp ? 0 : 1 }
    }

    static let passcode: UInt32 = 20_202_021
    /// The index of the owner's fabric on the devices.
    static let fabricIndex: UInt8 = 1
    /// The endpoint of either device that does something.
    static let endpoint: EndpointID = 1

    /// The same credentials and verifier in all runs: they are expensive.
    private static let configuration = Result {
        let salt = [UInt8](repeating: 7, count: 32)
        let pbkdf = PBKDFParameters(iterations: 1000, salt: salt)
        let attestation = try DeviceAttestation.credentials(
            vendorID: 0xFFF1, productID: 0x8001, deviceType: .dimmableLight, state: nil,
            now: MatterEpoch.seconds(unix: TestFabric.unixTime) ?? 0)
        return NodeConfiguration(
            productID: 0x8001, uniqueID: "0123456789ABCDEF0123456789ABCDEF", discriminator: 3840,
            verifier: try SPAKE2PlusVerifierData(passcode: passcode, salt: salt, iterations: pbkdf.iterations),
            pbkdf: pbkdf, attestation: attestation.credentials, primaryDeviceType: .dimmableLight)
    }

    /// A device that is on no fabric yet, or goes on from what is in the folder.
    static func device(_ thing: Thing, _ folder: StateDirectory, _ time: VirtualTime) async throws -> SimulatedDevice {
        let kind = try SimulatedType.named(thing.kind)
        var surroundings = SimulatedDevice.Surroundings(
            port: 0, store: DeviceStore(folder, node: thing.folder), random: SeededRandom(UInt64(thing.folder)))
        surroundings.time = time
        surroundings.links = time.network.links()
        let device = try SimulatedDevice(
            configuration.get(), surroundings: surroundings, endpoints: { SimulatedType.plans([kind]) })
        _ = try await device.start()
        time.start { await device.run() }
        return device
    }

    /// Commissions the device of an address.
    static func commission(
        _ thing: Thing, _ controller: Controller, _ address: PeerAddress, until deadline: Instant
    ) async throws {
        var request = CommissioningRequest(SetupCode(passcode: try SetupPasscode(passcode)))
        request.addresses = [address]
        request.name = thing.rawValue
        _ = try await controller.commissioning.commission(
            [request],
            CommissioningService.CommissionOptions(trust: TrustPolicy(enforcement: .skip), issuer: .ofFabric),
            deadline: deadline)
    }

    private static let template = Task { try await Household() }

    static func prepare() async throws { _ = try await template.value }

    private let devices: TemporaryState
    private let home: TemporaryState

    private init() async throws {
        let time = VirtualTime()
        (devices, home) = try await VirtualTime.$current.withValue(time) {
            try await withTaskExecutorPreference(time.executor) {
                let (folder, home) = (try TemporaryState(), try TemporaryState())
                for thing in Thing.allCases {
                    let device = try await Self.device(thing, folder.directory, time)
                    let address = try await device.address
                    var options = Controller.Options(
                        state: home.directory, addresses: [address], logger: .silent,
                        unixTime: { TestFabric.unixTime })
                    options.time = time
                    options.links = time.network.links()
                    let controller = Controller(options)
                    try await Self.commission(thing, controller, address, until: time.now + .seconds(60))
                    await controller.close()
                    await device.stop()
                }
                return (folder, home)
            }
        }
    }

    /// Puts, once it is prepared, copies of devices onto a stage, and one of their owner's folder.
    static func enter(
        _ stage: Stage, _ things: [Thing]
    ) async throws -> (devices: [SimulatedDevice], folder: TemporaryState) {
        let template = try await template.value
        let folder = try TemporaryState()
        for (from, to) in [(template.devices, folder.directory.path), (template.home, stage.path)] {
            try FileManager.default.copyItem(atPath: from.directory.path, toPath: to)
        }
        var devices: [SimulatedDevice] = []
        for thing in things { devices.append(try await device(thing, folder.directory, stage.time)) }
        return (devices, folder)
    }
}

extension SimulatedDevice {
    var address: PeerAddress { get throws { try PeerAddress(parsing: "[::1]:\(port)") } }
}
