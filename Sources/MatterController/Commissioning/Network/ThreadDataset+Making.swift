public import MatterCrypto

extension ThreadDataset {
    /// The lengths that Thread allows for a passphrase, in bytes.
    static let passphraseCounts = 6...255
    /// How often the passphrase is hashed (Thread specification, 8.4.1.2.2).
    private static let iterations = 16_384
    /// Channels that lie between the usual ones of Wi-Fi.
    private static let quietChannels: [UInt16] = [15, 20, 25]
    /// All channels of page 0.
    private static let allChannels: [UInt8] = [0, 4, 0x00, 0x1F, 0xFF, 0xE0]
    /// The policy of a new network, as OpenThread has it: the key is changed every 28 days.
    private static let policy: [UInt8] = [0x02, 0xA0, 0xF7, 0xF8]

    /// Makes the dataset of a new network: with a random key, random ids and a random prefix.
    ///
    /// - Parameters:
    ///   - channel: `nil` for one between the usual channels of Wi-Fi.
    ///   - passphrase: what commissioners of the network use; `nil` for a random PSKc, with which no passphrase works.
    /// - Throws: ``ThreadDatasetError``, or ``CryptoError`` if the system has no randomness.
    public init(
        name: String, channel: UInt16? = nil, passphrase: SecretBytes? = nil, random: some RandomSource
    ) throws {
        guard (1...16).contains(name.utf8.count) else {
            throw ThreadDatasetError(.invalidValue, "a network name is 1 to 16 bytes long")
        }
        if let passphrase, !Self.passphraseCounts.contains(passphrase.count) {
            throw ThreadDatasetError(.invalidValue, "a passphrase of Thread is 6 to 255 bytes long")
        }
        let choice: UInt32 = try random.integer()
        let channel = channel ?? Self.quietChannels[Int(choice % UInt32(Self.quietChannels.count))]
        // Not FFFF, which means all networks.
        let panID = try random.integer(UInt16.self) % 0xFFFF
        let extendedPANID = try random.bytes(8)
        let pskc =
            if let passphrase {
                try PBKDF2.aesCMAC(
                    password: passphrase, salt: Array("Thread".utf8) + extendedPANID + Array(name.utf8),
                    iterations: Self.iterations)
            } else {
                try random.secret(16)
            }
        let entries: [(Entry, [UInt8])] = [
            (.activeTimestamp, [0, 0, 0, 0, 0, 1, 0, 0]), (.channel, [0] + Self.bytes(channel)),
            (.channelMask, Self.allChannels), (.extendedPANID, extendedPANID),
            (.meshLocalPrefix, try [0xFD] + random.bytes(5) + [0, 0]),
            (.networkKey, try random.secret(16).copyBytes()), (.networkName, Array(name.utf8)),
            (.panID, Self.bytes(panID)), (.pskc, pskc.copyBytes()), (.securityPolicy, Self.policy),
        ]
        try self.init(
            decoding: entries.flatMap { entry, value in [entry.rawValue, UInt8(value.count)] + value })
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}
