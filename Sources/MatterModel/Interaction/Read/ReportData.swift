package import MatterBase

/// Attributes and events, as the answer to a read or for a subscription (Matter core specification 10.7.3).
package struct ReportData: InteractionMessage {
    package static let opcode = InteractionModelOpcode.reportData
    package static let text = TLVText.repaired
    package static let tags = TLVTagRules.asWritten

    /// Only in reports of a subscription.
    package var subscriptionID: UInt32?
    package var attributes: [AttributeReportIB]
    package var events: [EventReportIB]
    /// True if another message of this report follows.
    package var hasMoreChunks: Bool
    /// True if the receiver is to answer nothing.
    package var suppressesResponse: Bool
    /// The faults of reports without a readable path; never sent.
    package private(set) var unattributed: [String] = []

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
        if let fault = TLVValue.structure(fields.all).ownTagFault { throw fault }
        subscriptionID = try fields.optionalUnsigned(0)
        (attributes, unattributed) = try fields.attributeReports(1)
        let reported = fields[2]
        if let fault = reported?.tagFault { throw fault }
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

extension ReportData {
    /// The subscription that an encoded report is of, for one who hands it on to be decoded there.
    ///
    /// - Returns: `nil` if it is of none, or cannot be read as far as that.
    package static func subscription(of message: [UInt8]) -> UInt32? {
        var reader = TLVReader(message, text: text, tags: tags)
        guard let start = try? reader.next(), start.type == .structure else { return nil }
        while let token = try? reader.next(), reader.depth > 0 {
            guard reader.depth == 1, token.tag == .context(0) else { continue }
            return (try? reader.value(of: token))?.integer(as: UInt32.self)
        }
        return nil
    }
}

extension TLVFields {
    /// The reports of an array, of which one that breaks the rules leaves the others readable.
    ///
    /// - Returns: also what is wrong with those that do not even say what they are about.
    fileprivate func attributeReports(
        _ tag: UInt8
    ) throws(TLVError) -> (reports: [AttributeReportIB], unattributed: [String]) {
        var reports: [AttributeReportIB] = []
        var unattributed: [String] = []
        let values = try array(tag)
        if let fault = self[tag]?.ownTagFault { throw fault }
        for value in values {
            do throws(TLVError) {
                if let fault = value.tagFault { throw fault }
                reports.append(try AttributeReportIB(tlv: value))
            } catch {
                if let path = AttributeReportIB.path(of: value) {
                    reports.append(.unreadable(path, error.reason))
                } else {
                    unattributed.append(error.reason)
                }
            }
        }
        return (reports, unattributed)
    }
}
