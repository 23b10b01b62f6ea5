import Foundation
import MatterTestKit

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// A virtual dimmable light on this host, with a folder for a program's own records beside it.
final class VirtualLight: Sendable {
    private static let passcode: UInt32 = 20_202_021

    /// Version 2, with one text that has to be accepted.
    static let terms = DemandedTerms(minimumVersion: 2, required: 1)

    let device: SimulatedDevice
    /// Where it is.
    let address: String
    /// Its QR payload.
    let code: String
    private let folder: URL
    private let serving: Task<Void, any Error>

    /// - Parameters:
    ///   - credentials: what it attests itself with; by default credentials of its own.
    ///   - productID: what it reports.
    ///   - terms: what it wants accepted.
    ///   - bluetooth: where it offers BTP, if it does; then its code says that it is found only there.
    ///   - discovery: finds nodes that it talks to.
    ///   - report: told of what happens on it.
    ///   - change: makes it another device.
    ///   - kind: its device type in simulations.
    ///   - plan: makes its endpoints others.
    init(
        _ credentials: DeviceAttestationCredentials? = nil, productID: UInt16 = 0x8001, terms: DemandedTerms? = nil,
        bluetooth: (any BluetoothPeripheral)? = nil, discovery: (any Discovery)? = nil,
        report: @escaping @Sendable (NodeReport) -> Void = { _ in },
        changing change: (inout NodeConfiguration) -> Void = { _ in }, kind: String = "dimmable-light",
        planning plan: @escaping @Sendable (inout [EndpointPlan]) -> Void = { _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("matterctl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("trust"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let now = MatterEpoch.seconds(unix: Int64(Date().timeIntervalSince1970)) ?? 0
        let attestation = try DeviceAttestation.credentials(
            vendorID: 0xFFF1, productID: productID, deviceType: .dimmableLight, state: nil, now: now)
        try Data(attestation.authority).write(to: folder.appendingPathComponent("trust/paa.der"))
        let salt = [UInt8](repeating: 7, count: 32)
        let pbkdf = PBKDFParameters(iterations: 1000, salt: salt)
        var configuration = NodeConfiguration(
            productID: productID, uniqueID: "0123456789ABCDEF0123456789ABCDEF", discriminator: 3840,
            verifier: try SPAKE2PlusVerifierData(passcode: Self.passcode, salt: salt, iterations: pbkdf.iterations),
            pbkdf: pbkdf, attestation: credentials ?? attestation.credentials, primaryDeviceType: .dimmableLight)
        configuration.terms = terms
        change(&configuration)
        let kinds = [try SimulatedType.named(kind)]
        var surroundings = SimulatedDevice.Surroundings(port: 0, report: report)
        surroundings.bluetooth = bluetooth
        surroundings.discovery = discovery
        if let time = VirtualTime.current {
            surroundings.time = time
            surroundings.links = TestNetwork.links()
        }
        let device = try SimulatedDevice(
            configuration, surroundings: surroundings,
            endpoints: {
                var plans = SimulatedType.plans(kinds)
                plan(&plans)
                return plans
            })
        address = "[::1]:\(try await device.start())"
        self.device = device
        serving = inBackground { await device.run() }
        code = try SetupPayload(
            vendorID: 0xFFF1, productID: 0x8001, discoveryCapabilities: bluetooth == nil ? .onNetwork : .ble,
            discriminator: try SetupDiscriminator(long: 3840), passcode: try SetupPasscode(Self.passcode)
        ).qrCode()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// For a program's fabrics and nodes.
    var home: String { folder.appendingPathComponent("home").path }

    /// The folder with the authority that vouches for it.
    var trust: String { folder.appendingPathComponent("trust").path }

    /// Whether a commissioner may come: its window is open, no fail-safe is armed and no fabric is on it.
    var isUntouched: Bool {
        get async { await device.withNode { node, _ in node.isCommissionable && node.fabrics.isEmpty } }
    }

    /// Restarts it: it has its records, and no session.
    func reboot() async { _ = await device.input("reboot") }

    func stop() async {
        await device.stop()
        serving.cancel()
        _ = try? await serving.value
    }
}
