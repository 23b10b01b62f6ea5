import MatterNetwork

/// The setup code of one commissioning window, made for it alone (Matter core specification 11.19.8.1).
struct WindowCode: Sendable {
    /// More than the 1000 that are required, and still quick for a small commissioner.
    private static let iterations = 10_000

    let passcode: SetupPasscode
    let discriminator: SetupDiscriminator
    private let pbkdf: PBKDFParameters

    /// - Throws: `crypto.random-failed`.
    init(_ random: any RandomSource) throws {
        passcode = try Self.passcode(random)
        discriminator = try SetupDiscriminator(long: try random.integer(UInt16.self) & 0xFFF)
        pbkdf = PBKDFParameters(
            iterations: Self.iterations, salt: try random.bytes(PBKDFParameters.saltLength.upperBound))
    }

    private static func passcode(_ random: any RandomSource) throws -> SetupPasscode {
        while true {
            // 27 bits hold every passcode. A number that is none is drawn again, so that all are equally likely.
            let number = try random.integer(UInt32.self) >> 5
            if let passcode = try? SetupPasscode(number) { return passcode }
        }
    }

    /// OpenCommissioningWindow. The passcode is not in it: the device gets a verifier.
    func command(seconds: UInt16) throws -> Command {
        let verifier = try SPAKE2PlusVerifierData(
            passcode: passcode.value, salt: pbkdf.salt, iterations: pbkdf.iterations)
        return Command(
            AdministratorCommissioning.OpenCommissioningWindow(
                commissioningTimeout: seconds, pakePasscodeVerifier: verifier.serialized().copyBytes(),
                discriminator: discriminator.long ?? 0, iterations: UInt32(pbkdf.iterations), salt: pbkdf.salt), at: 0)
    }

    /// For QR and manual pairing code. The ids of a product are left out where a code cannot have them.
    func payload(vendorID: UInt16?, productID: UInt16?) -> SetupPayload {
        let isProduct = (1...SetupPayload.highestVendorID).contains(vendorID ?? 0) && productID ?? 0 != 0
        return SetupPayload(
            vendorID: isProduct ? vendorID : nil, productID: isProduct ? productID : nil,
            discoveryCapabilities: .onNetwork, discriminator: discriminator, passcode: passcode)
    }
}
