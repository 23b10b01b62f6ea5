import MatterModel

/// Writing (Matter core specification 8.7.3.2).
extension SimulatedNode {
    /// The progress of one write interaction.
    struct WriteProgress: Sendable {
        /// Clusters whose data version was found right; what the interaction itself changes does not count.
        var checked: Set<ClusterPath> = []
        /// Lists of which a piece was refused; their other pieces are refused too.
        var failed: Set<AttributePath> = []

        init() {}
    }

    /// Performs one message of a write.
    ///
    /// - Returns: a status for each operation.
    func write(_ chunk: WriteChunk, progress: inout WriteProgress, caller: Caller) -> [StatusIB] {
        var statuses: [StatusIB] = []
        for operation in chunk.operations {
            let status: StatusIB
            do throws(ClusterFailure) {
                try perform(operation, isTimed: chunk.isTimed, &progress, caller)
                status = StatusIB(.success)
            } catch {
                status = error.status
                progress.failed.insert(operation.path)
            }
            statuses.append(status)
        }
        return statuses
    }

    private func perform(
        _ operation: WriteOperation, isTimed: Bool, _ progress: inout WriteProgress, _ caller: Caller
    ) throws(ClusterFailure) {
        guard let path = operation.path.concrete else { throw ClusterFailure(.invalidAction) }
        guard allows(caller, .operate, path.endpoint, path.cluster) else { throw .unsupportedAccess }
        if let missing = missing(path.endpoint, path.cluster) { throw ClusterFailure(missing) }
        guard let entry = entry(path.endpoint, path.cluster), entry.values[path.attribute] != nil,
            let definition = entry.model.attributes[path.attribute]
        else { throw ClusterFailure(.unsupportedAttribute) }
        guard definition.isWritable else { throw .unsupportedWrite }
        guard allows(caller, definition.writePrivilege, path.endpoint, path.cluster) else { throw .unsupportedAccess }
        guard !definition.isFabricScoped || caller.fabricIndex != 0 else { throw .unsupportedAccess }
        guard isTimed || !definition.mustTimedWrite else { throw ClusterFailure(.needsTimedInteraction) }
        let cluster = ClusterPath(endpoint: path.endpoint, cluster: path.cluster)
        if let version = operation.dataVersion, !progress.checked.contains(cluster) {
            guard version == entry.dataVersion else { throw ClusterFailure(.dataVersionMismatch) }
            progress.checked.insert(cluster)
        }
        let value: TLVValue
        switch operation.change {
        case .refuse(let status):
            throw ClusterFailure(status)
        case .replace(let replacement):
            progress.failed.remove(operation.path)
            value = try complete(replacement, [], path, definition, caller)
        case .append(let items):
            guard !progress.failed.contains(operation.path), let present = read(path)?.items else { throw .failure }
            value = try complete(.array(of: items), present, path, definition, caller)
        }
        try call(path.endpoint, path.cluster, caller) { server, context throws(ClusterFailure) in
            try server.write(path.attribute, value, context)
        }
        settle()
    }

    /// Checks a value and, for a list of all fabrics' entries, puts it together.
    ///
    /// - Parameter present: the list that items are appended to.
    private func complete(
        _ value: TLVValue, _ present: [TLVValue], _ path: ConcreteAttributePath, _ definition: AttributeDefinition,
        _ caller: Caller
    ) throws(ClusterFailure) -> TLVValue {
        do throws(ValueValidator.Fault) {
            try ValueValidator.check(value, definition.type, .everything)
        } catch {
            throw ClusterFailure(error.writeStatus)
        }
        guard case .array(let new) = value else { return value }
        guard definition.isFabricScoped else { return .array(of: present + new.map(\.value)) }
        let own = new.map { $0.value.setting(254, .uint(UInt64(caller.fabricIndex))) }
        if !present.isEmpty { return .array(of: present + own) }
        let others = (read(path)?.items ?? []).filter { $0.fabricIndex != caller.fabricIndex }
        return .array(of: others + own)
    }
}
