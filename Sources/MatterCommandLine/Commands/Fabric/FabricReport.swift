import MatterController

extension Report {
    /// No secret is among it.
    public init(_ fabric: FabricRecord) {
        self.init {
            Field("name", fabric.name, label: "name", column: "NAME")
            Field("fabricId", fabric.fabricID.description, label: "fabric id", column: "FABRIC ID")
            Field("compressedFabricId", fabric.compressedFabricID.description, label: "compressed fabric id")
            Field("vendorId", fabric.vendorID.rawValue, label: "vendor id", text: fabric.vendorID.description)
            Field("issuer", fabric.issuer.rawValue, column: "ISSUER")
            Field("nodeId", fabric.nodeID, label: "own node id", text: "\(fabric.nodeID.rawValue)")
            Field("nodeIds", fabric.nodeIDs.rawValue, label: "ids of new nodes")
            Field(label: "issuer", [fabric.issuer.rawValue])
            Field("rcac", JSONValue.octets(fabric.root))
            Field("noc", JSONValue.octets(fabric.noc))
            Field("icac", fabric.nocIntermediate.map(JSONValue.octets))
        }
    }

    /// One of several.
    init(_ fabric: FabricRecord, isInUse: Bool) {
        self.init {
            Report(fabric)
            Field("inUse", isInUse, column: "IN USE", text: isInUse ? "yes" : "-")
        }
    }
}
