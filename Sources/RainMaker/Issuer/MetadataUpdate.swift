package import JSON

/// The report to the cloud about a device whose metadata was collected again (docs/rainmaker.md).
package struct MetadataUpdate: Sendable, Equatable {
    /// A member that is other than the cloud has it.
    package struct Change: Sendable, Equatable {
        /// From `Matter` on.
        package let path: [String]
        /// `nil` if the cloud did not have it.
        package let before: JSONValue?
        /// `nil` if the device no longer has it.
        package let after: JSONValue?
    }

    /// The members that depend on the device alone: what is gone from the device goes from them.
    private static let lists = ["endpointsData", "serversData", "clientsData", "attributesData", "endpoints"]

    /// Empty if the cloud knows the device as it is.
    package private(set) var changes: [Change] = []
    /// The data to send: everything that the cloud is to have. A cloud may merge it into what it has, at any depth, or put it in
    /// the place of `Matter`; hence what is gone is `null`, and what stays is sent too.
    package private(set) var body = JSONObject()

    /// - Parameters:
    ///   - old: what the cloud has.
    ///   - collected: of the device, `{"Matter": {…}}`.
    package init(_ old: JSONObject, _ collected: JSONObject) {
        let (old, new) = (old["Matter"]?.objectValue ?? JSONObject(), collected["Matter"]?.objectValue ?? JSONObject())
        var matter = old
        for member in new.members {
            let before = old[member.key]
            note(["Matter", member.key], before, member.value)
            matter[member.key] =
                Self.lists.contains(member.key) ? Self.merged(before, member.value) : member.value
        }
        body["Matter"] = .object(matter)
    }

    /// Notes what differs, as deep as both are objects.
    private mutating func note(_ path: [String], _ before: JSONValue?, _ after: JSONValue?) {
        // A literal nil would be the value null.
        let before = before?.isNull == true ? Optional.none : before
        let after = after?.isNull == true ? Optional.none : after
        guard before != after else { return }
        guard let old = before?.objectValue, let new = after?.objectValue else {
            return changes.append(Change(path: path, before: before, after: after))
        }
        for member in new.members { note(path + [member.key], old[member.key], member.value) }
        for member in old.members where new[member.key] == nil { note(path + [member.key], member.value, nil) }
    }

    /// The new value, with `null` for each member that the old one has beside it.
    private static func merged(_ old: JSONValue?, _ new: JSONValue) -> JSONValue {
        guard let old = old?.objectValue, var object = new.objectValue else { return new }
        for member in old.members {
            object[member.key] = object[member.key].map { merged(member.value, $0) } ?? .null
        }
        return .object(object)
    }
}
