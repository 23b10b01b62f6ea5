import MatterController

extension Report {
    /// The object that `commission --json` prints.
    ///
    /// - Parameter showsChecks: whether the checks of the attestation are part of it, which take several kilobytes.
    init(node: NodeRecord, result: CommissionedNode, fabric: FabricRecord, showsChecks: Bool = false) {
        self.init {
            Field("node", node.nodeID)
            Field("name", node.name)
            Field("room", node.room)
            Field("fabric", fabric.name)
            Field("fabricId", fabric.fabricID.description)
            Field("compressedFabricId", fabric.compressedFabricID.description)
            Field("vendorId", node.vendorID)
            Field("productId", node.productID)
            Field("address", result.address.description)
            if let attestation = result.attestation {
                Field(
                    "attestation",
                    Report {
                        Field("verdict", attestation.report.verdict.rawValue)
                        if attestation.isAccepted { Field("accepted", true) }
                        Field("paa", attestation.report.authorityJSON)
                        Field("revocation", attestation.report.revocation?.json)
                        if showsChecks, !attestation.report.checks.isEmpty {
                            Field("checks", attestation.report.checks)
                        }
                    })
            }
            Field("endpoints", node.endpoints.map { EndpointNames($0).report })
            if result.wasPending { Field("resumed", true) }
            Field(
                "stages",
                result.stages.map { stage in
                    Report {
                        Field("stage", stage.stage.rawValue)
                        Field("ms", JSONValue.milliseconds(stage.duration))
                    }
                })
            Field("totalMs", JSONValue.milliseconds(result.total))
        }
    }
}
