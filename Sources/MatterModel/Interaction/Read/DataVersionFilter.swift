package import MatterBase

/// Leaves out a cluster whose data version is still this one (DataVersionFilterIB, Matter core specification 10.6.3).
public struct DataVersionFilter: Hashable, Sendable {
    /// The cluster on its endpoint.
    public var path: ClusterPath
    /// The version that is known already.
    public var dataVersion: UInt32

    // memberwise: public

    /// True if a request for these attributes touches the filter's cluster.
    func applies(to request: AttributePath) -> Bool {
        (request.endpoint ?? path.endpoint) == path.endpoint && (request.cluster ?? path.cluster) == path.cluster
    }
}

extension DataVersionFilter: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "DataVersionFilterIB")
        path = try fields.block(0)
        dataVersion = try fields.unsigned(1)
    }

    package var tlv: TLVValue { .structure([TLVElement(0, path.tlv), .unsigned(1, dataVersion)]) }
}
