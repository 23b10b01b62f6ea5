import Glibc
import MatterNetwork

extension TimeZoneRules {
    /// The time zone of this process, with the changes of the next years.
    @Sendable static func ofHost() -> TimeZoneRules {
        tzset()
        return TimeZoneRules(name: zoneName(), now: WallClock.unixTime()) { moment in
            var moment = time_t(moment)
            var local = tm()
            guard localtime_r(&moment, &local) != nil else { return 0 }
            return Int32(clamping: local.tm_gmtoff)
        }
    }

    /// The longest name that a device takes (11.17.6.3).
    private static let longestZoneName = 64

    /// The zone's name in the time zone database, if TZ or /etc/localtime gives one.
    private static func zoneName() -> String? {
        let name =
            if let variable = getenv("TZ") {
                zoneName(variable: String(cString: variable))
            } else {
                zoneName(path: resolved("/etc/localtime"))
            }
        guard let name, !name.isEmpty, name.utf8.count <= longestZoneName else { return nil }
        return name
    }

    /// `:Europe/Berlin`, `Europe/Berlin` or a path; a rule like `CET-1CEST` is no name.
    static func zoneName(variable: String) -> String? {
        let value = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if value.hasPrefix("/") { return zoneName(path: value) }
        let isRule = value.contains { $0.isNumber || $0 == "," || $0 == "<" }
        return value.contains("/") && !isRule || value == "UTC" ? value : nil
    }

    /// The text after `zoneinfo/` in the path of a zone's file.
    static func zoneName(path: String?) -> String? {
        guard let path, let folder = path.split(separator: "/").lastIndex(of: "zoneinfo") else { return nil }
        return path.split(separator: "/")[(folder + 1)...].joined(separator: "/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
