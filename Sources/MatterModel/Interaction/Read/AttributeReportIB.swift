package import MatterBase

/// A value of an attribute, reported or to be written (AttributeDataIB, Matter core specification 10.6.4).
package struct AttributeDataIB: Hashable, Sendable {
    package var dataVersion: UInt32?
    package var path: AttributePath
    package var data: TLVValue

    // memberwise: package, dataVersion = nil
}

extension AttributeDataIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "AttributeDataIB")
        dataVersion = try fields.optionalUnsigned(0)
        path = try fields.block(1)
        data = try fields.required(2)
    }

    package var tlv: TLVValue {
        .structure(
            [.unsigned(0, dataVersion), TLVElement(1, path.tlv), TLVElement(2, data)].compactMap { $0 })
    }
}

/// The outcome of one attribute path (AttributeStatusIB, Matter core specification 10.6.16).
package struct AttributeStatusIB: Hashable, Sendable {
    package var path: AttributePath
    package var status: StatusIB

    // memberwise: package
}

extension AttributeStatusIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "AttributeStatusIB")
        path = try fields.block(0)
        status = try fields.block(1)
    }

    package var tlv: TLVValue { .structure([TLVElement(0, path.tlv), TLVElement(1, status.tlv)]) }
}

/// A value, or why there is none (AttributeReportIB, Matter core specification 10.6.5).
package enum AttributeReportIB: Hashable, Sendable {
    case status(AttributeStatusIB)
    case data(AttributeDataIB)
    /// A report that breaks the rules, and how; never sent.
    case unreadable(AttributePath, String)

    package var path: AttributePath {
        switch self {
        case .status(let status): status.path
        case .data(let data): data.path
        case .unreadable(let path, _): path
        }
    }

    /// The path of a report that cannot be decoded as a whole.
    static func path(of value: TLVValue) -> AttributePath? {
        guard let report = try? TLVFields(value, "AttributeReportIB") else { return nil }
        let places: [(report: UInt8, path: UInt8)] = [(1, 1), (0, 0)]
        for place in places {
            guard let body = report[place.report].flatMap({ try? TLVFields($0, "AttributeReportIB") }),
                let path = body[place.path].flatMap({ try? AttributePath(tlv: $0) })
            else { continue }
            return path
        }
        return nil
    }
}

extension AttributeReportIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "AttributeReportIB")
        let status = try fields.optionalBlock(0, as: AttributeStatusIB.self)
        let data = try fields.optionalBlock(1, as: AttributeDataIB.self)
        switch (status, data) {
        case (let status?, nil): self = .status(status)
        case (nil, let data?): self = .data(data)
        case (nil, nil): throw TLVError(.missingField, "AttributeReportIB has neither a status nor data")
        default: throw TLVError(.malformed, "AttributeReportIB has both a status and data")
        }
    }

    package var tlv: TLVValue {
        switch self {
        case .status(let status): .structure([TLVElement(0, status.tlv)])
        case .data(let data): .structure([TLVElement(1, data.tlv)])
        case .unreadable(let path, _):
            AttributeReportIB.status(AttributeStatusIB(path: path, status: StatusIB(.failure))).tlv
        }
    }
}
