/// The environment of the run under way.
public enum Environment {
    /// A variable of the environment; `nil` if it is not set or empty.
    public static func variable(_ name: String) -> String? { Terminal.current.variable(name) }

    /// The variables that say where state belongs.
    public static var all: [String: String] {
        var found: [String: String] = [:]
        for name in ["MATTERCTL_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"] {
            found[name] = variable(name)
        }
        return found
    }
}
