import MatterController

/// The fabrics of a device in the names that are known here.
struct FabricNames: Sendable {
    let ledger: LedgerNames
    private let local: [FabricRecord]
    private let own: CompressedFabricID

    init(_ controller: Controller) async throws {
        ledger = LedgerNames(controller.options.state)
        local = try controller.fabrics.sound().fabrics
        own = try controller.context.fabric().compressedFabricID
    }

    private func vendorName(_ id: UInt16) -> String? { ledger.vendorName(id) }

    /// `Apple (0x1349)`, `unknown vendor 0x9999`.
    func vendor(_ id: UInt16) -> String {
        let number = hexadecimal(UInt32(id))
        return vendorName(id).map { "\($0) (\(number))" } ?? "unknown vendor \(number)"
    }

    /// The name of a fabric that is kept here too.
    func name(_ fabric: DeviceFabric) -> String? {
        let id = fabric.compressedFabricID
        return local.first { $0.compressedFabricID == id }?.name
    }

    private func isOurs(_ fabric: DeviceFabric, in table: DeviceFabrics) -> Bool {
        fabric.index.map { $0 == table.ownIndex } ?? (fabric.compressedFabricID == own)
    }

    /// `us (home)`; `here (lab)` for another fabric of this state directory.
    func owner(_ fabric: DeviceFabric, in table: DeviceFabrics) -> String? {
        let isOurs = isOurs(fabric, in: table)
        guard let name = name(fabric) else { return isOurs ? "us" : nil }
        return "\(isOurs ? "us" : "here") (\(name))"
    }

    /// True if there is no name for it: neither is it kept here, nor is its vendor known.
    func isUnknown(_ fabric: DeviceFabric, in table: DeviceFabrics) -> Bool {
        owner(fabric, in: table) == nil && vendorName(fabric.vendorID) == nil
    }

    func report(_ table: DeviceFabrics) -> Report {
        Report {
            Field("supportedFabrics", table.capacity)
            Field("fabrics", table.fabrics.map { report($0, in: table) })
        }
    }

    /// - Parameter node: whose table it is, where there are several.
    func rows(_ table: DeviceFabrics, of node: NodeRecord?) -> [Report] {
        table.fabrics.map { fabric in
            Report {
                if let node { Field(column: "NODE", [node.label]) }
                report(fabric, in: table)
            }
        }
    }

    private func report(_ fabric: DeviceFabric, in table: DeviceFabrics) -> Report {
        let isUnknown = isUnknown(fabric, in: table)
        return Report {
            Field("fabricIndex", fabric.index, column: "INDEX")
            Field("us", isOurs(fabric, in: table))
            Field("fabric", name(fabric))
            if isUnknown { Field("unknown", true) }
            Field(column: "WHOSE", owner(fabric, in: table).map { [$0] })
            Field("vendorId", fabric.vendorID, column: "VENDOR", text: vendor(fabric.vendorID))
            Field("vendorName", vendorName(fabric.vendorID))
            Field("label", fabric.label)
            Field(column: "LABEL", fabric.label.isEmpty ? nil : [fabric.label])
            Field("fabricId", fabric.fabricID.description, column: "FABRIC ID")
            Field("compressedFabricId", fabric.compressedFabricID?.description)
            Field("nodeId", fabric.nodeID, column: "NODE ID")
            Field("rootPublicKey", JSONValue.octets(fabric.rootPublicKey))
        }
    }
}
