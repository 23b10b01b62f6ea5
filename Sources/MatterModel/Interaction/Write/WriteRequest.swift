package import MatterBase

/// Sets attributes (Matter core specification 10.7.6).
package struct WriteRequest: InteractionMessage {
    package static let opcode = InteractionModelOpcode.writeRequest

    /// True if no WriteResponse is wanted; only for groups.
    package var suppressesResponse: Bool
    /// True if this is the second half of a timed interaction.
    package var isTimed: Bool
    package var writes: [AttributeDataIB]
    /// True if another WriteRequest of this interaction follows.
    package var hasMoreChunks: Bool

    // memberwise: package, suppressesResponse = false, isTimed = false, hasMoreChunks = false

    package init(fields: TLVFields) throws(TLVError) {
        suppressesResponse = try fields.optionalBool(0) ?? false
        isTimed = try fields.bool(1)
        writes = try fields.requiredBlocks(2)
        hasMoreChunks = try fields.optionalBool(3) ?? false
    }

    package var members: [TLVElement] {
        [.bool(0, suppressesResponse), .bool(1, isTimed), .blocks(2, writes), .bool(3, hasMoreChunks)]
    }
}

/// The outcome of each write (Matter core specification 10.7.7).
package struct WriteResponse: InteractionMessage {
    package static let opcode = InteractionModelOpcode.writeResponse

    package var statuses: [AttributeStatusIB]

    package var members: [TLVElement] { [.blocks(0, statuses)] }
}

extension WriteResponse {
    package init(fields: TLVFields) throws(TLVError) {
        statuses = try fields.requiredBlocks(0)
    }
}
