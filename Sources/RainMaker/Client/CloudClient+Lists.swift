import MatterLedger

extension CloudClient {
    /// More pages than any account has; a cloud that never ends would keep us forever.
    private static let mostPages = 1000

    /// All pages of a list. A page that names an earlier one as the next ends it, and so does the client's deadline.
    private func pages(_ page: (_ start: String?) -> CloudCall, each: (JSONObject) throws -> Void) async throws {
        var start: String?
        var seen: Set<String> = []
        for _ in 0..<Self.mostPages {
            let call = page(start)
            let object = try await self.call(call)
            try each(object)
            guard let next = object["next_id"]?.stringValue, !next.isEmpty else { return }
            guard seen.insert(next).inserted else {
                throw RainMakerError.malformed("its pages repeat", call.operation)
            }
            start = next
        }
        throw RainMakerError.malformed("it has too many pages", page(nil).operation)
    }

    /// All groups, or those that are fabrics.
    package func groups(onlyMatter: Bool, withNodes: Bool = false, pageSize: Int? = nil) async throws -> [CloudGroup] {
        var groups: [CloudGroup] = []
        try await pages({ start in
            .groups(onlyMatter: onlyMatter, withNodes: withNodes, from: start, count: pageSize)
        }) { object in
            let fields = CloudFields(object, "getNodeGroups")
            _ = try fields.requiredArray("groups")
            for group in try fields.objects("groups") { groups.append(try CloudGroup(group)) }
        }
        return groups
    }

    /// One group by id, with its nodes.
    /// - Throws: ``RainMakerError`` with `unknownGroup`.
    package func group(_ id: String) async throws -> CloudGroup {
        // Without the restriction to fabrics, so that one to be converted is found too.
        guard let group = try await group(id, onlyMatter: false) else {
            throw RainMakerError(
                .unknownGroup, "there is no group '\(id)', or it is not shared with this user",
                hint: "see them with: " + .step("cloud.see-groups"))
        }
        let isComplete = group.fabric != nil && group.nodes.allSatisfy { $0.matterNodeID != nil }
        guard group.isMatter, !isComplete else { return group }
        // The apps always ask with the restriction; a cloud may tell of fabrics then only.
        return try await self.group(id, onlyMatter: true) ?? group
    }

    private func group(_ id: String, onlyMatter: Bool) async throws -> CloudGroup? {
        let object = try await call(.groups(id, onlyMatter: onlyMatter, withNodes: true))
        for fields in try CloudFields(object, "getNodeGroups").objects("groups") {
            let group = try CloudGroup(fields)
            if group.id == id { return group }
        }
        return nil
    }

    /// The group that a user means: by id, or by name if only one has it.
    package func findGroup(_ text: String) async throws -> CloudGroup {
        let all = try await groups(onlyMatter: false)
        if all.contains(where: { $0.id == text }) { return try await group(text) }
        let named = all.filter { $0.name == text }
        guard let first = named.first else { return try await group(text) }
        guard named.count == 1 else {
            throw RainMakerError(
                .invalidInput, "several groups are called '\(text)': \(named.map(\.id).joined(separator: ", "))",
                hint: "use the id")
        }
        return try await group(first.id)
    }

    /// True if a group has a node on its fabric; what cannot be found out counts as no.
    func lists(_ node: NodeID, in group: String) async throws -> Bool {
        do {
            return try await self.group(group).nodes.contains { $0.matterNodeID == node }
        } catch is RainMakerError {
            return false
        }
    }

    /// The user's nodes with details.
    package func nodes(_ id: String? = nil, group: String? = nil, pageSize: Int? = nil) async throws -> [CloudNode] {
        var nodes: [CloudNode] = []
        try await pages({ .nodes(id, group: group, from: $0, count: pageSize) }) { object in
            let fields = CloudFields(object, "getNodes")
            _ = try fields.requiredArray("nodes")
            var page: [CloudNode] = []
            for details in try fields.objects("node_details") { page.append(try CloudNode(details)) }
            for id in try fields.strings("nodes") where !page.contains(where: { $0.id == id }) {
                page.append(CloudNode(id: id))
            }
            nodes += page
        }
        return nodes
    }

    /// Gives a node another name. The whole `Matter` object goes with it, as the apps send it: a cloud that replaces
    /// objects, where others merge them, would lose the rest.
    package func rename(_ node: String, to name: String) async throws {
        let known = try await nodes(node).first { $0.id == node }
        var matter = known?.metadata?["Matter"]?.objectValue ?? JSONObject()
        matter["deviceName"] = .string(name)
        _ = try await call(.updateMetadata(of: node, ["Matter": .object(matter)]))
    }

    package func user() async throws -> CloudUser {
        try CloudUser(CloudFields(try await call(.user), "getUser"))
    }

    package func sharing(_ group: String? = nil) async throws -> [CloudSharing] {
        let fields = CloudFields(try await call(.sharing(group)), "getGroupSharing")
        _ = try fields.requiredArray("group_sharing")
        return try fields.objects("group_sharing").map { try CloudSharing($0) }
    }

    /// Requests that wait for an answer: those of this user, or those to him.
    package func sharingRequests(sent: Bool) async throws -> [CloudSharingRequest] {
        var requests: [CloudSharingRequest] = []
        var start: (request: String?, user: String?) = (nil, nil)
        var seen: Set<String> = []
        for _ in 0..<Self.mostPages {
            let call = CloudCall.sharingRequests(sent: sent, from: start.request, user: start.user)
            let object = try await self.call(call)
            let fields = CloudFields(object, "getGroupSharingRequests")
            _ = try fields.requiredArray("sharing_requests")
            for request in try fields.objects("sharing_requests") { requests.append(try CloudSharingRequest(request)) }
            let next = (try fields.optionalString("next_request_id"), try fields.optionalString("next_user_name"))
            guard let id = next.0, !id.isEmpty else { return requests }
            guard seen.insert(id).inserted else {
                throw RainMakerError.malformed("its pages repeat", call.operation)
            }
            start = next
        }
        throw RainMakerError.malformed("it has too many pages", "getGroupSharingRequests")
    }

    // MARK: Fabrics

    /// Makes a group that is a fabric. The answer itself is not complete: read the group again for its fabric.
    ///
    /// - Returns: the id of the group.
    package func createGroup(name: String) async throws -> String {
        let call = CloudCall.createFabric(name: name)
        let object = try await self.call(call)
        do {
            return try CloudFields(object, call.operation).nonEmptyString("group_id")
        } catch {
            guard let doubt = call.doubt else { throw error }
            throw error.leaving(doubt)
        }
    }

    /// Makes a group that is a fabric, and reads it.
    ///
    /// - Throws: ``RainMakerError``, which says so if the group is there and could not be read.
    func createFabric(name: String) async throws -> CloudGroup {
        let id = try await createGroup(name: name)
        return try await createdGroup(id)
    }

    /// Reads a group that was made just before.
    package func createdGroup(_ id: String) async throws -> CloudGroup {
        do {
            return try await group(id)
        } catch var error as RainMakerError {
            error.reason = "the group \(id) was created, but it cannot be read: \(error.reason)"
            error.hint = .step("cloud.see-created", id)
            throw error
        }
    }

    /// Makes a group a fabric, if it is none.
    package func convert(_ id: String) async throws -> CloudGroup {
        let before = try await group(id)
        guard !before.isMatter else { return before }
        do {
            _ = try await call(.convert(id))
        } catch let error as RainMakerError where error.code == .conflict {
            // Another program was faster.
        }
        return try await group(id)
    }
}
