import Glibc

/// The process environment.
enum Environment {
    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variables that say where state belongs.
    static var all: [String: String] {
        var found: [String: String] = [:]
        for name in ["MATTERCTL_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] { found[name] = variable(name) }
        return found
    }
}
