package import MatterBase

/// A command, or the response of one (CommandDataIB, Matter core specification 10.6.12).
package struct CommandDataIB: Hashable, Sendable {
    package var path: CommandPath
    /// A structure, save for a few odd clusters; absent means no fields.
    package var fields: TLVValue?
    /// Ties a response to its command where one message holds several.
    package var reference: UInt16?

    // memberwise: package, reference = nil
}

extension CommandDataIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "CommandDataIB")
        path = try fields.block(0)
        self.fields = fields[1]
        reference = try fields.optionalUnsigned(2)
    }

    package var tlv: TLVValue {
        .structure(
            [TLVElement(0, path.tlv), fields.map { TLVElement(1, $0) }, .unsigned(2, reference)].compactMap { $0 })
    }
}

/// The outcome of a command that has no response of its own, or that failed (CommandStatusIB, 10.6.15).
struct CommandStatusIB: Hashable, Sendable {
    var path: CommandPath
    var status: StatusIB
    var reference: UInt16?
}

extension CommandStatusIB: InformationBlock {
    init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "CommandStatusIB")
        path = try fields.block(0)
        status = try fields.block(1)
        reference = try fields.optionalUnsigned(2)
    }

    var tlv: TLVValue {
        .structure(
            [TLVElement(0, path.tlv), TLVElement(1, status.tlv), .unsigned(2, reference)].compactMap { $0 })
    }
}

/// The result of one command (InvokeResponseIB, Matter core specification 10.6.13).
enum InvokeResponseIB: Hashable, Sendable {
    case command(CommandDataIB)
    case status(CommandStatusIB)

    var path: CommandPath {
        switch self {
        case .command(let command): command.path
        case .status(let status): status.path
        }
    }

    var reference: UInt16? {
        switch self {
        case .command(let command): command.reference
        case .status(let status): status.reference
        }
    }
}

extension InvokeResponseIB: InformationBlock {
    init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "InvokeResponseIB")
        let command = try fields.optionalBlock(0, as: CommandDataIB.self)
        let status = try fields.optionalBlock(1, as: CommandStatusIB.self)
        switch (command, status) {
        case (let command?, nil): self = .command(command)
        case (nil, let status?): self = .status(status)
        case (nil, nil): throw TLVError(.missingField, "InvokeResponseIB has neither a command nor a status")
        default: throw TLVError(.malformed, "InvokeResponseIB has both a command and a status")
        }
    }

    var tlv: TLVValue {
        switch self {
        case .command(let command): .structure([TLVElement(0, command.tlv)])
        case .status(let status): .structure([TLVElement(1, status.tlv)])
        }
    }
}
