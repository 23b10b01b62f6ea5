package import MatterState

/// The state directory of one virtual device.
///
/// `NODE/fabrics`, `NODE/resumptions`: secrets; `NODE/clusters`: attributes and states; `NODE/events`, `NODE/boots`:
/// numbers. All are TLV.
package struct DeviceStore: Sendable {
    /// The saved state.
    package struct Contents: Sendable {
        package var node = SavedNode()
        package var resumptions: [ResumptionRecord] = []
    }

    private let state: StateDirectory
    private let folder: String

    /// - Parameter number: of the node in the process.
    package init(_ state: StateDirectory, node number: Int) {
        self.state = state
        folder = "nodes/\(number)"
    }

    private func name(_ record: String) -> String { "\(folder)/\(record)" }

    private func value(_ record: String) throws -> TLVValue? {
        guard let contents = try state.read(name(record)) else { return nil }
        do {
            return try TLVElement(decoding: contents, limits: TLVLimits(depth: 24, elements: 1 << 20)).value
        } catch {
            throw SimulatorError(.damagedState, "the record \(name(record)) does not decode: \(error)")
        }
    }

    private func write(_ record: String, _ value: TLVValue, isSecret: Bool = false) throws(StoreError) {
        let contents = TLVElement(.anonymous, value).encoded()
        if isSecret {
            try state.writeSecret(name(record), contents)
        } else {
            try state.write(name(record), contents)
        }
    }

    /// Loads everything and counts the start.
    package func load() throws -> Contents {
        var contents = Contents()
        do {
            contents.node.fabrics = try (try value("fabrics")?.items ?? []).map { try FabricEntry(saved: $0) }
            if let clusters = try value("clusters") { contents.node.clusters = try SavedClusters(tlv: clusters) }
            contents.node.nextEventNumber = try value("events")?.integer() ?? 0
            contents.node.bootCount = (try value("boots")?.integer() ?? 0) &+ 1
            contents.resumptions = try (try value("resumptions")?.items ?? []).map { try Self.resumption($0) }
        } catch let error as StoreError {
            throw error
        } catch let error as SimulatorError {
            throw error
        } catch {
            throw SimulatorError(.damagedState, "the state in \(folder) does not decode: \(error)")
        }
        try write("boots", .uint(UInt64(contents.node.bootCount)))
        return contents
    }

    func save(fabrics: [FabricEntry]) throws(StoreError) {
        try write("fabrics", .array(of: fabrics.map(\.saved)), isSecret: true)
    }

    func save(clusters: SavedClusters) throws(StoreError) { try write("clusters", clusters.tlv) }

    func save(nextEventNumber: UInt64) throws(StoreError) { try write("events", .uint(nextEventNumber)) }

    func save(resumptions: [ResumptionRecord]) throws(StoreError) {
        try write(
            "resumptions",
            .array(
                of: resumptions.map { record in
                    .structure([
                        TLVElement(0, .octets(record.resumptionID)),
                        TLVElement(1, .octets(record.sharedSecret.copyBytes())),
                        TLVElement(2, .uint(record.peerNodeID)),
                        TLVElement(3, .array(of: record.peerCATs.map { .uint(UInt64($0.rawValue)) })),
                        TLVElement(4, .uint(UInt64(record.fabricIndex ?? 0))),
                    ])
                }), isSecret: true)
    }

    private static func resumption(_ value: TLVValue) throws(TLVError) -> ResumptionRecord {
        let fields = try TLVFields(value, "a resumption record")
        return ResumptionRecord(
            resumptionID: try fields.octets(0, count: 16), sharedSecret: SecretBytes(try fields.octets(1, count: 32)),
            peerNodeID: try fields.unsigned(2),
            peerCATs: try fields.array(3).compactMap { $0.integer(as: UInt32.self).map { CASEAuthenticatedTag($0) } },
            fabricIndex: try fields.unsigned(4))
    }
}
