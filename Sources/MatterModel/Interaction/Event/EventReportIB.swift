package import MatterBase

/// Why a requested event cannot be reported (EventStatusIB, Matter core specification 10.6.10).
package struct EventStatusIB: Hashable, Sendable {
    package var path: EventPath
    package var status: StatusIB

    // memberwise: package
}

extension EventStatusIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "EventStatusIB")
        path = try fields.block(0)
        status = try fields.block(1)
    }

    package var tlv: TLVValue { .structure([TLVElement(0, path.tlv), TLVElement(1, status.tlv)]) }
}

/// An event, or why there is none (EventReportIB, Matter core specification 10.6.7).
package enum EventReportIB: Hashable, Sendable {
    case status(EventStatusIB)
    case data(EventDataIB)
}

extension EventReportIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "EventReportIB")
        let status = try fields.optionalBlock(0, as: EventStatusIB.self)
        let data = try fields.optionalBlock(1, as: EventDataIB.self)
        switch (status, data) {
        case (let status?, nil): self = .status(status)
        case (nil, let data?): self = .data(data)
        case (nil, nil): throw TLVError(.missingField, "EventReportIB has neither a status nor data")
        default: throw TLVError(.malformed, "EventReportIB has both a status and data")
        }
    }

    package var tlv: TLVValue {
        switch self {
        case .status(let status): .structure([TLVElement(0, status.tlv)])
        case .data(let data): .structure([TLVElement(1, data.tlv)])
        }
    }
}
