package import MatterTLV

/// Attributes and events, as the answer to a read or for a subscription (Matter core specification 10.7.3).
package struct ReportData: InteractionMessage {
    package static let opcode = InteractionModelOpcode.reportData
    package static let text = TLVText.repaired

    /// Only in reports of a subscription.
    package var subscriptionID: UInt32?
    package var attributes: [AttributeReportIB]
    package var events: [EventReportIB]
    /// Whether another message of this report follows.
    package var hasMoreChunks: Bool
    /// Whether the receiver is to answer nothing.
    package var suppressesResponse: Bool

    package init(
        subscriptionID: UInt32? = nil, attributes: [AttributeReportIB] = [], events: [EventReportIB] = [],
        hasMoreChunks: Bool = false, suppressesResponse: Bool = false
    ) {
        self.subscriptionID = subscriptionID
        self.attributes = attributes
        self.events = events
        self.hasMoreChunks = hasMoreChunks
        self.suppressesResponse = suppressesResponse
    }

    package init(fields: TLVFields) throws(TLVError) {
        subscriptionID = try fields.optionalUnsigned(0)
        attributes = try fields.blocks(1)
        events = try fields.blocks(2)
        hasMoreChunks = try fields.optionalBool(3) ?? false
        suppressesResponse = try fields.optionalBool(4) ?? false
    }

    package var members: [TLVElement] {
        [
            .unsigned(0, subscriptionID), .blocksIfAny(1, attributes), .blocksIfAny(2, events),
            .flag(3, hasMoreChunks), .flag(4, suppressesResponse),
        ].compactMap { $0 }
    }
}
