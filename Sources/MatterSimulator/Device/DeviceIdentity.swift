package import MatterState

/// The identity of a virtual device: two numbers that stay the same over its life.
package struct DeviceIdentity: Sendable, Equatable {
    /// 32 hexadecimal digits.
    package var uniqueID: String
    /// 6 bytes, locally administered.
    package var hardwareAddress: [UInt8]

    /// The identity of an earlier run, or a new one.
    package static func load(
        _ state: StateDirectory?, node number: Int, random: any RandomSource = SystemRandom()
    ) throws -> DeviceIdentity {
        let record = "nodes/\(number)/identity"
        if let saved = try state?.read(record) {
            guard let octets = try? TLVElement(decoding: saved).value.octetString, octets.count == 22 else {
                throw SimulatorError(.damagedState, "the record \(record) does not decode")
            }
            return DeviceIdentity(octets)
        }
        let octets = try random.bytes(22)
        try state?.write(record, TLVElement(.anonymous, .octets(octets)).encoded())
        return DeviceIdentity(octets)
    }

    private init(_ octets: [UInt8]) {
        uniqueID = Hex.encode(octets[..<16], uppercase: true)
        hardwareAddress = [0x02] + octets[17...]
    }
}
