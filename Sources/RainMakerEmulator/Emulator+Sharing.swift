import JSON

/// Sharing of groups (docs/rainmaker.md).
extension Emulator {
    private func userID(_ name: String) throws -> String {
        guard let user = state.users.first(where: { $0.name == name }) else {
            throw EmulatorFailure(400, 101_025, "User does not exist")
        }
        return user.id
    }

    private func userName(_ id: String) -> String { state.users.first { $0.id == id }?.name ?? "" }

    func getGroupSharing(_ call: EmulatorCall) throws -> EmulatorResponse {
        let wanted = call.request.text("group_id")
        let groups = state.groups.filter {
            $0.members[call.userID] != nil && (wanted == nil || wanted == $0.id)
        }
        func names(_ group: EmulatorState.Group, primary: Bool) -> JSONValue {
            .array(
                group.members.filter { $0.value.isPrimary == primary }.map { userName($0.key) }.sorted()
                    .map { .string($0) })
        }
        return EmulatorResponse(
            200,
            [
                "group_sharing": .array(
                    groups.map { group in
                        [
                            "group_id": .string(group.id),
                            "users": [
                                "primary": names(group, primary: true), "secondary": names(group, primary: false),
                            ],
                        ]
                    })
            ])
    }

    func shareGroup(_ call: EmulatorCall) throws -> EmulatorResponse {
        let body = try call.object()
        let named = body["groups"]?.arrayValue ?? []
        let groups = named.compactMap(\.stringValue)
        guard !groups.isEmpty, groups.count == named.count else {
            throw EmulatorFailure(400, 108_016, "Group id is missing")
        }
        let recipient = try userID(try call.text("user_name"))
        guard recipient != call.userID else { throw EmulatorFailure.invalidBody }
        let newRole = body["new_role"]?.stringValue
        guard newRole == nil || ["primary", "secondary"].contains(newRole) else { throw EmulatorFailure.invalidBody }
        var offer = EmulatorState.Offer(
            id: try "sh-" + randomName(20), groupIDs: groups, from: call.userID, to: recipient,
            isPrimary: body["primary"]?.boolValue ?? false, isTransfer: body["transfer"]?.boolValue ?? false,
            timestamp: options.unixTime() * 1000, status: "pending")
        offer.newRole = newRole
        offer.metadata = body["metadata"]?.objectValue.map { JSONValue.object($0).serialized() }
        let indices = try groups.map { try groupIndex($0, call) }
        if !offer.isTransfer, indices.allSatisfy({ state.groups[$0].members[recipient] != nil }) {
            // The role of a member changes at once; there is nothing to accept.
            for index in indices { try admit(recipient, by: offer, index) }
            try save()
            return Self.success("Access changed")
        }
        state.offers.append(offer)
        try save()
        return Self.success("Sharing request created", ["request_id": .string(offer.id)])
    }

    /// Sharing answers 400, never 403 or 404.
    private func groupIndex(_ id: String, _ call: EmulatorCall) throws -> Int {
        do {
            return try index(of: id, call, needsPrimary: true)
        } catch let failure as EmulatorFailure {
            throw EmulatorFailure(400, failure.code, failure.description)
        }
    }

    func revokeGroupSharing(_ call: EmulatorCall) throws -> EmulatorResponse {
        let ids = (call.request.text("groups") ?? "").split(separator: ",").map(String.init)
        guard !ids.isEmpty else { throw EmulatorFailure(400, 108_016, "Group id is missing") }
        guard let name = call.request.text("user_name") else {
            throw EmulatorFailure(400, 101_001, "User name is missing")
        }
        let user = try userID(name)
        for id in ids {
            let index = try groupIndex(id, call)
            guard let member = state.groups[index].members[user] else {
                throw EmulatorFailure(400, 101_025, "User has no access to the group")
            }
            guard user != call.userID else { throw EmulatorFailure.invalidBody }
            state.groups[index].members[user] = nil
            invalidateTag(of: member, index)
        }
        try save()
        return Self.success("Access removed")
    }

    /// The certificate of a user who has lost a role must no longer be enough.
    func invalidateTag(of member: EmulatorState.Member, _ group: Int) {
        if member.isPrimary {
            state.groups[group].fabric?.adminCAT += 1
        } else {
            state.groups[group].fabric?.operateCAT += 1
        }
    }

    func getGroupSharingRequests(_ call: EmulatorCall) throws -> EmulatorResponse {
        let sent = call.request.flag("primary_user")
        let wanted = call.request.text("request_id")
        var offers = state.offers.filter { offer in
            (sent ? offer.from : offer.to) == call.userID && offer.status == "pending"
                && (wanted == nil || wanted == offer.id)
        }
        if let start = call.request.text("start_request_id") {
            offers = Array(offers[(offers.firstIndex { $0.id == start } ?? offers.endIndex)...])
        }
        let size = acting.first { $0.kind == .pageSize }?.number ?? 25
        let next = offers.dropFirst(size).first
        let invented = inventedPage()
        var object: JSONObject = [
            "sharing_requests": .array(
                offers.prefix(size).map { offer in
                    var entry: JSONObject = [
                        "request_id": .string(offer.id), "request_status": .string(offer.status),
                        "request_timestamp": .int(offer.timestamp),
                        "group_ids": .array(offer.groupIDs.map { .string($0) }),
                        "group_names": .array(
                            offer.groupIDs.map { id in .string(state.groups.first { $0.id == id }?.name ?? "") }),
                        "user_name": .string(userName(offer.to)),
                        "primary_user_name": .string(userName(offer.from)),
                    ]
                    entry["metadata"] = offer.metadata.flatMap { try? JSONValue(parsing: $0) }
                    return .object(entry)
                })
        ]
        object["next_request_id"] = (invented ?? next?.id).map { .string($0) }
        object["next_user_name"] = next.map { .string(userName($0.to)) }
        return EmulatorResponse(200, object)
    }

    func answerGroupSharingRequest(_ call: EmulatorCall) throws -> EmulatorResponse {
        let id = try call.text("request_id")
        guard let accept = try call.object()["accept"]?.boolValue else { throw EmulatorFailure.invalidBody }
        guard
            let index = state.offers.firstIndex(where: { $0.id == id && $0.to == call.userID && $0.status == "pending" }
            )
        else { throw EmulatorFailure(400, 108_903, "Request id is unknown") }
        let offer = state.offers[index]
        state.offers[index].status = accept ? "accepted" : "declined"
        if accept {
            for group in offer.groupIDs {
                guard let index = state.groups.firstIndex(where: { $0.id == group }) else { continue }
                try admit(call.userID, by: offer, index)
            }
        }
        try save()
        return Self.success(accept ? "Request accepted" : "Request declined")
    }

    /// Who is a member already keeps his ids. With a transfer the giver steps down, or leaves.
    private func admit(_ user: String, by offer: EmulatorState.Offer, _ group: Int) throws {
        let isPrimary = offer.isPrimary || offer.isTransfer
        if let member = state.groups[group].members[user] {
            state.groups[group].members[user]?.isPrimary = isPrimary
            if member.isPrimary, !isPrimary { invalidateTag(of: member, group) }
        } else {
            state.groups[group].members[user] = try newMember(isPrimary: isPrimary)
        }
        guard offer.isTransfer, offer.newRole != "primary", let giver = state.groups[group].members[offer.from] else {
            return
        }
        if offer.newRole == "secondary" {
            state.groups[group].members[offer.from]?.isPrimary = false
        } else {
            state.groups[group].members[offer.from] = nil
        }
        if giver.isPrimary { invalidateTag(of: giver, group) }
    }

    func withdrawGroupSharingRequest(_ call: EmulatorCall) throws -> EmulatorResponse {
        let id = call.request.text("request_id")
        guard let index = state.offers.firstIndex(where: { $0.id == id && $0.from == call.userID }) else {
            throw EmulatorFailure(400, 108_903, "Request id is unknown")
        }
        state.offers.remove(at: index)
        try save()
        return Self.success("Request withdrawn")
    }
}
