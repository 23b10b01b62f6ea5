package import MatterNetwork

/// Fabric-scoped lists: read, changed and written without losing what other administrators do at the same time.
extension NodeLink {
    /// How often a list is read again that another administrator changes at the same time.
    private static let attempts = 4

    /// Our fabric's part of a list.
    ///
    /// - Parameter name: the list in messages, such as `access control list`.
    /// - Throws: ``ControllerError`` `status` if the node does not show the list, or garbles it.
    package func list<Entry: FabricListEntry>(
        _ path: ConcreteAttributePath, _ name: String, of type: Entry.Type = Entry.self, deadline: Instant
    ) async throws -> FabricList<Entry> {
        try Self.list(
            path, name, in: try await read([AttributePath(path)], deadline: deadline), of: node.title)
    }

    /// - Parameter title: the node in messages.
    package static func list<Entry: FabricListEntry>(
        _ path: ConcreteAttributePath, _ name: String, in result: ReadResult, of title: String
    ) throws(ControllerError) -> FabricList<Entry> {
        let report = result.attribute(path)
        guard let items = report?.value?.items else {
            var status: StatusIB?
            if case .failure(let failure)? = report?.outcome { status = failure }
            throw ControllerError(
                .status, "\(title) does not show its \(name)" + (status.map { ": \($0)" } ?? ""), status: status)
        }
        var entries: [Entry] = []
        do {
            for item in items { entries.append(try Entry(item)) }
        } catch {
            throw ControllerError(.status, "the \(name) of \(title) is malformed: \(error)")
        }
        return FabricList(entries: entries, dataVersion: report?.dataVersion)
    }

    /// Changes our fabric's part of a list, and reads it back.
    ///
    /// The list is written only as long as it is what was read. If another administrator has changed it meanwhile, it is read
    /// and edited again: the edit has to be one that may be made on another list than the first, or has to throw. A write
    /// whose outcome is unknown is recognised by the list that it was to leave, so it is never made on top of itself. A write
    /// that fails after its first message is undone as far as the node allows.
    ///
    /// - Parameters:
    ///   - edit: makes the new list of the present one, also after another administrator has changed it; an error of it ends
    ///     everything. It also says in which order the entries are written.
    /// - Returns: the list that the node has now, and whether it was written.
    /// - Throws: ``ControllerError`` `status` if the node refuses the list, `listDiffers` if it keeps another one.
    package func change<Entry: FabricListEntry>(
        _ path: ConcreteAttributePath, _ name: String, deadline: Instant,
        _ edit: @Sendable (FabricList<Entry>) async throws -> [Entry]
    ) async throws -> (list: FabricList<Entry>, isChanged: Bool) {
        var lost = LostWrites<Entry>()
        for _ in 0..<Self.attempts {
            let before: FabricList<Entry>
            do {
                before = try await list(path, name, deadline: deadline)
            } catch {
                throw lost.account(of: error)
            }
            if lost.explain(before.entries) { return (before, true) }
            let wanted: [Entry]
            do {
                wanted = if let rest = lost.completion(of: before.entries) { rest } else { try await edit(before) }
            } catch var error as ControllerError where error.code == .listChanged && lost.error != nil {
                error.reason += "; whether a write of ours before that ran is not known"
                throw error
            }
            guard !wanted.means(before.entries) else { return (before, lost.error != nil) }
            let isOneMessage = WriteTransaction([AttributeWrite(path, value: .array(of: wanted.map(\.tlv)))])
                .isAbsolute(maxPayload: link.largestPayload)
            let status: StatusIB
            do {
                status = try await write(wanted, path, version: before.dataVersion, deadline: deadline)
            } catch let error as ControllerError where error.code == .outcomeUnknown {
                // A copy that is late finds another version of the data, once something else is written.
                guard before.dataVersion != nil, !Task.isCancelled else { throw error }
                lost.add(wanted, isOneMessage: isOneMessage, error)
                continue
            }
            guard status.isSuccess else {
                if status.status == .dataVersionMismatch {
                    if !isOneMessage { lost.add(wanted, isOneMessage: false, nil) }
                    continue
                }
                await restore(before, after: wanted, path, name, deadline: deadline)
                throw ControllerError(.status, "\(node.title) refused its new \(name): \(status)", status: status)
            }
            let after: FabricList<Entry> = try await list(path, name, deadline: deadline)
            // Another administrator may have changed something else since the write.
            let isKept = after.entries.means(wanted)
            let isInEffect = if isKept { true } else { (try? await edit(after))?.means(after.entries) ?? false }
            guard isInEffect else {
                throw ControllerError(
                    .listDiffers,
                    "\(node.title) accepted its new \(name) and has another one: "
                        + "\(after.entries.count) of our entries instead of \(wanted.count), or different ones")
            }
            return (after, true)
        }
        if let unknown = lost.error { throw unknown }
        throw ControllerError(
            .status, "other controllers keep changing the \(name) of \(node.title)", hint: "try again later",
            status: StatusIB(.dataVersionMismatch))
    }

    private func write(
        _ entries: [some FabricListEntry], _ path: ConcreteAttributePath, version: UInt32?, deadline: Instant
    ) async throws -> StatusIB {
        let write = AttributeWrite(path, value: .array(of: entries.map(\.tlv)), dataVersion: version)
        return try await self.write([write], isTimed: false, deadline: deadline).first?.status ?? StatusIB(.failure)
    }

    /// Writes a list once more if a failed write has left the first part of a new one. Any other list is that of another
    /// administrator.
    private func restore<Entry: FabricListEntry>(
        _ list: FabricList<Entry>, after wanted: [Entry], _ path: ConcreteAttributePath, _ name: String,
        deadline: Instant
    ) async {
        guard let now: FabricList<Entry> = try? await self.list(path, name, deadline: deadline),
            !now.entries.means(list.entries), now.entries.isBeginning(of: wanted)
        else { return }
        _ = try? await write(list.entries, path, version: now.dataVersion, deadline: deadline)
    }
}
