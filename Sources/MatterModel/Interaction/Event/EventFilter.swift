package import MatterBase

/// Asks for events from a number on (EventFilterIB, Matter core specification 10.6.6).
public struct EventFilter: Hashable, Sendable {
    /// The id of the node; `nil` for the one that is asked.
    package var node: UInt64?
    /// The smallest event number of interest.
    package var minimum: UInt64

    // memberwise: public, node = nil
}

extension EventFilter: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "EventFilterIB")
        node = try fields.optionalUnsigned(0)
        minimum = try fields.unsigned(1)
    }

    package var tlv: TLVValue {
        .structure([.unsigned(0, node), .unsigned(1, minimum)].compactMap { $0 })
    }
}
