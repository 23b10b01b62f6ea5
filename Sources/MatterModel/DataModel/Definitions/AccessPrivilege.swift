/// The privilege that a session needs to access an element (Matter core specification, section 6.6).
public enum AccessPrivilege: String, Sendable, CaseIterable, Comparable {
    /// Read and subscribe.
    case view
    /// Also control.
    case operate
    /// Also change settings.
    case manage
    /// Also decide who may do what.
    case administer

    /// True if the right one includes the left one.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .view: 0
        case .operate: 1
        case .manage: 2
        case .administer: 3
        }
    }
}
