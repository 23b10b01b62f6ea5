/// The environment of the run under way.
package enum Environment {
    package static func variable(_ name: String) -> String? { Terminal.current.variable(name) }

    /// The variables that say where state belongs.
    static var all: [String: String] {
        var found: [String: String] = [:]
        for name in ["MATTERCTL_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"] {
            found[name] = variable(name)
        }
        return found
    }
}
