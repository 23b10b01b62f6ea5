package import MatterBase

/// The outcome of one path: a status, and what the cluster has to add (Matter core specification 10.6.17).
public struct StatusIB: Hashable, Sendable {
    /// The status of the interaction model.
    public var status: IMStatus
    /// A code that only the cluster at hand defines; comes with `FAILURE` or `SUCCESS`.
    package var clusterStatus: UInt8?

    package init(_ status: IMStatus, clusterStatus: UInt8? = nil) {
        self.status = status
        self.clusterStatus = clusterStatus
    }

    /// Whether it was done.
    public var isSuccess: Bool { status == .success }

    /// The cluster's own code, where it says anything: some devices send a meaningless 0 with every status.
    public var significantClusterStatus: UInt8? {
        clusterStatus.flatMap { $0 != 0 || status == .failure ? $0 : nil }
    }
}

extension StatusIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "StatusIB")
        status = IMStatus(rawValue: try fields.unsigned(0))
        clusterStatus = try fields.optionalUnsigned(1)
    }

    package var tlv: TLVValue {
        .structure([.unsigned(0, status.rawValue), .unsigned(1, clusterStatus)].compactMap { $0 })
    }
}

extension StatusIB: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String {
        guard let clusterStatus = significantClusterStatus else { return status.description }
        return "\(status) (cluster status \(clusterStatus))"
    }
}
