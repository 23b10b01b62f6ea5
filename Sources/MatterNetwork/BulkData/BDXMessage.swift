/// The codes with which a transfer is refused or given up (Matter core specification 11.22.3).
package enum BDXStatus: UInt16, Sendable {
    case lengthTooLarge = 0x12
    case lengthTooShort = 0x13
    case lengthMismatch = 0x14
    case badMessageContents = 0x16
    case badBlockCounter = 0x17
    case unexpectedMessage = 0x18
    case responderBusy = 0x19
    case transferFailed = 0x1F
    case methodNotSupported = 0x50
    case designatorUnknown = 0x51
    case startOffsetNotSupported = 0x52
    case versionNotSupported = 0x53
}

/// Why a transfer does not go on.
package struct BDXError: Error, Equatable, CustomStringConvertible {
    /// The code for the peer; `nil` if the peer said it.
    package var reply: BDXStatus?
    package var reason: String

    package init(_ status: BDXStatus, _ reason: String) {
        reply = status
        self.reason = reason
    }

    /// A failure that the peer reported.
    package init(reported report: StatusReport) {
        reply = nil
        let code = BDXStatus(rawValue: report.protocolCode).map { "\($0)" } ?? "code \(report.protocolCode)"
        reason = report.protocolID == .bulkDataExchange ? "the other side ended the transfer: \(code)" : "\(report)"
    }

    package var description: String { reason }
}

extension StatusReport {
    /// The end of a transfer.
    package init(_ status: BDXStatus) {
        self.init(
            generalCode: GeneralCode.failure.rawValue, protocolID: .bulkDataExchange, protocolCode: status.rawValue)
    }
}

/// Who sets the pace of a transfer.
package struct BDXDrive: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let sender = BDXDrive(rawValue: 0x10)
    package static let receiver = BDXDrive(rawValue: 0x20)
    /// Provisional in the specification.
    package static let asynchronous = BDXDrive(rawValue: 0x40)
}

/// The message with which a receiver asks for a file (Matter core specification 11.22.5.1).
package struct BDXRequest: Equatable, Sendable {
    /// The drives to choose from.
    package var drives: BDXDrive
    /// The newest version of the protocol that the peer has.
    package var version: UInt8 = 0
    /// The most octets in a block.
    package var blockSize: UInt16
    package var startOffset: UInt64 = 0
    /// How much is wanted; 0 for all.
    package var length: UInt64 = 0
    /// The name of the file.
    package var designator: [UInt8]

    // memberwise: package, version = 0, startOffset = 0, length = 0
}

/// A message of the Bulk Data Exchange protocol, as far as a file is fetched with it (Matter core specification 11.22.5).
package enum BDXMessage: Equatable, Sendable {
    case receiveInit(BDXRequest)
    /// - Parameters:
    ///   - drive: the one drive that was chosen.
    ///   - blockSize: the most octets in a block.
    ///   - length: of the whole; 0 if it is not said.
    case receiveAccept(drive: BDXDrive, blockSize: UInt16, length: UInt64 = 0)
    case query(UInt32)
    case queryWithSkip(UInt32, UInt64)
    case block(UInt32, [UInt8])
    case lastBlock(UInt32, [UInt8])
    case acknowledge(UInt32)
    case acknowledgeLast(UInt32)

    private enum Opcode: UInt8 {
        case receiveInit = 0x04
        case receiveAccept = 0x05
        case query = 0x10
        case block = 0x11
        case lastBlock = 0x12
        case acknowledge = 0x13
        case acknowledgeLast = 0x14
        case queryWithSkip = 0x15
    }

    /// The bits that say which fields are there.
    private enum Range {
        static let hasLength: UInt8 = 0x01
        static let hasOffset: UInt8 = 0x02
        static let isWide: UInt8 = 0x10
    }

    private static let versionMask: UInt8 = 0x0F

    package var opcode: UInt8 {
        let opcode: Opcode =
            switch self {
            case .receiveInit: .receiveInit
            case .receiveAccept: .receiveAccept
            case .query: .query
            case .queryWithSkip: .queryWithSkip
            case .block: .block
            case .lastBlock: .lastBlock
            case .acknowledge: .acknowledge
            case .acknowledgeLast: .acknowledgeLast
            }
        return opcode.rawValue
    }

    /// True for the message that begins an exchange.
    package static func begins(_ opcode: UInt8) -> Bool { opcode == Opcode.receiveInit.rawValue }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .receiveInit(let request):
            bytes = [request.drives.rawValue | request.version & Self.versionMask]
            Self.appendRange(
                offset: request.startOffset, length: request.length, blockSize: request.blockSize, to: &bytes)
            bytes.append(littleEndian: UInt16(clamping: request.designator.count))
            bytes += request.designator
        case .receiveAccept(let drive, let blockSize, let length):
            bytes = [drive.rawValue]
            Self.appendRange(offset: 0, length: length, blockSize: blockSize, to: &bytes)
        case .query(let counter), .acknowledge(let counter), .acknowledgeLast(let counter):
            bytes.append(littleEndian: counter)
        case .queryWithSkip(let counter, let count):
            bytes.append(littleEndian: counter)
            bytes.append(littleEndian: count)
        case .block(let counter, let data), .lastBlock(let counter, let data):
            bytes.append(littleEndian: counter)
            bytes += data
        }
        return bytes
    }

    private static func appendRange(offset: UInt64, length: UInt64, blockSize: UInt16, to bytes: inout [UInt8]) {
        let isWide = max(offset, length) > UInt64(UInt32.max)
        bytes.append(
            (length > 0 ? Range.hasLength : 0) | (offset > 0 ? Range.hasOffset : 0) | (isWide ? Range.isWide : 0))
        bytes.append(littleEndian: blockSize)
        for number in [offset, length] where number > 0 {
            if isWide { bytes.append(littleEndian: number) } else { bytes.append(littleEndian: UInt32(number)) }
        }
    }

    /// - Throws: ``BDXError`` for a message that is damaged, or of no use when a file is fetched.
    package init(opcode: UInt8, payload: [UInt8]) throws(BDXError) {
        guard let opcode = Opcode(rawValue: opcode) else {
            throw BDXError(.unexpectedMessage, "a message with opcode \(opcode) has no place in a transfer")
        }
        do {
            self = try Self.decode(opcode, payload)
        } catch {
            throw BDXError(.badMessageContents, "a damaged message of \(payload.count) octets")
        }
    }

    private static func decode(_ opcode: Opcode, _ payload: [UInt8]) throws(TransportError) -> BDXMessage {
        var input = ByteReader(payload)
        switch opcode {
        case .receiveInit:
            let control: UInt8 = try input.integer()
            let range = try decodeRange(&input)
            let count: UInt16 = try input.integer()
            let rest = input.rest()
            guard rest.count >= Int(count) else { throw .malformed("the name of the file is cut off") }
            // Metadata may follow.
            return .receiveInit(
                BDXRequest(
                    drives: BDXDrive(rawValue: control & ~versionMask), version: control & versionMask,
                    blockSize: range.blockSize, startOffset: range.offset, length: range.length,
                    designator: Array(rest.prefix(Int(count)))))
        case .receiveAccept:
            let control: UInt8 = try input.integer()
            let range = try decodeRange(&input)
            return .receiveAccept(
                drive: BDXDrive(rawValue: control & ~versionMask), blockSize: range.blockSize, length: range.length)
        case .query: return .query(try input.integer())
        case .queryWithSkip: return .queryWithSkip(try input.integer(), try input.integer())
        case .block: return .block(try input.integer(), input.rest())
        case .lastBlock: return .lastBlock(try input.integer(), input.rest())
        case .acknowledge: return .acknowledge(try input.integer())
        case .acknowledgeLast: return .acknowledgeLast(try input.integer())
        }
    }

    private static func decodeRange(
        _ input: inout ByteReader
    ) throws(TransportError) -> (offset: UInt64, length: UInt64, blockSize: UInt16) {
        let flags: UInt8 = try input.integer()
        let blockSize: UInt16 = try input.integer()
        func number(_ input: inout ByteReader, _ flag: UInt8) throws(TransportError) -> UInt64 {
            guard flags & flag != 0 else { return 0 }
            return flags & Range.isWide != 0 ? try input.integer() : UInt64(try input.integer(UInt32.self))
        }
        let offset = try number(&input, Range.hasOffset)
        return (offset, try number(&input, Range.hasLength), blockSize)
    }
}
