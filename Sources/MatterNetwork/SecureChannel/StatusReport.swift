/// How a secure channel exchange ends, or why it does not go on (Matter core specification 4.11.1.4 and appendix D).
package struct StatusReport: Equatable, Sendable {
    enum GeneralCode: UInt16, Sendable {
        case success = 0
        case failure, badPrecondition, outOfRange, badRequest, unsupported, unexpected, resourceExhausted, busy
        case timeout, `continue`, aborted, invalidArgument, notFound, alreadyExists, permissionDenied, dataLoss
    }

    /// The protocol codes of the secure channel.
    enum SecureChannelCode: UInt16, Sendable {
        case sessionEstablishmentSuccess = 0
        case noSharedTrustRoots = 1
        case invalidParameter = 2
        case closeSession = 3
        case busy = 4
    }

    var generalCode: UInt16
    package var protocolID: ProtocolID
    var protocolCode: UInt16
    package var data: [UInt8]

    // memberwise: package, protocolID = .secureChannel, data = []

    private init(_ general: GeneralCode, _ code: SecureChannelCode, data: [UInt8] = []) {
        self.init(generalCode: general.rawValue, protocolCode: code.rawValue, data: data)
    }

    static let sessionEstablished = StatusReport(.success, .sessionEstablishmentSuccess)
    package static let closeSession = StatusReport(.success, .closeSession)
    package static let invalidParameter = StatusReport(.failure, .invalidParameter)
    package static let noSharedTrustRoots = StatusReport(.failure, .noSharedTrustRoots)

    /// Come back later.
    package static func busy(wait: Duration) -> StatusReport {
        var data: [UInt8] = []
        data.append(littleEndian: UInt16(clamping: wait.wholeMilliseconds))
        return StatusReport(.busy, .busy, data: data)
    }

    /// The code, if this report is about the secure channel itself.
    var secureChannelCode: SecureChannelCode? {
        protocolID == .secureChannel ? SecureChannelCode(rawValue: protocolCode) : nil
    }

    package var isSuccess: Bool {
        generalCode == GeneralCode.success.rawValue && secureChannelCode == .sessionEstablishmentSuccess
    }

    package var isCloseSession: Bool { secureChannelCode == .closeSession }

    /// How long a busy peer asks us to wait; `nil` unless it is busy.
    package var busyWait: Duration? {
        guard generalCode == GeneralCode.busy.rawValue || secureChannelCode == .busy else { return nil }
        guard data.count >= 2 else { return .milliseconds(5000) }
        return .milliseconds(Int64(data[0]) | Int64(data[1]) << 8)
    }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: generalCode)
        bytes.append(littleEndian: protocolID.number)
        bytes.append(littleEndian: protocolID.vendor)
        bytes.append(littleEndian: protocolCode)
        return bytes + data
    }

    package init(decoding payload: [UInt8]) throws(SecureChannelError) {
        do {
            var input = ByteReader(payload)
            generalCode = try input.integer()
            let number: UInt16 = try input.integer()
            let vendor: UInt16 = try input.integer()
            protocolID = ProtocolID(vendor: vendor, number: number)
            protocolCode = try input.integer()
            data = input.rest()
        } catch {
            throw SecureChannelError(.malformed, "a status report of \(payload.count) bytes", reply: nil)
        }
    }
}

extension StatusReport: CustomStringConvertible {
    package var description: String {
        let general = GeneralCode(rawValue: generalCode).map { "\($0)" } ?? "general code \(generalCode)"
        let specific =
            secureChannelCode.map { "\($0)" }
            ?? "protocol \(protocolID.vendor):\(protocolID.number) code \(protocolCode)"
        return "\(general), \(specific)"
    }
}
