/// A right of those who ask the server for something.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// To see the house, and to be told of changes.
    case read
    /// To switch, dim and set what does not open a way into the house.
    case control
    /// To open and close locks, garages and valves.
    case unlock
    /// Everything else: joining and removing devices, access, settings.
    case administer
}

/// The one who has connected to the server, and their rights.
public struct Visitor: Sendable, Hashable {
    /// The name of the token, or the user of this machine. It may be logged.
    public let name: String
    /// The rights; `administer` includes all, and each of the others includes `read`.
    public let roles: Set<Role>

    /// A visitor with these rights.
    public init(name: String, roles: Set<Role>) {
        self.name = name
        self.roles = roles
    }

    /// Tells whether the visitor may do what needs a role.
    public func may(_ role: Role) -> Bool {
        roles.contains(role) || roles.contains(.administer) || (role == .read && !roles.isEmpty)
    }
}
