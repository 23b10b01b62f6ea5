import ArgumentParser
import MatterController

/// Where devices are used (RegulatoryLocationTypeEnum, Matter core specification 11.10.5.3).
enum LocationArgument: String, ExpressibleByArgument, CaseIterable {
    case indoor, outdoor, both

    var number: UInt8 {
        switch self {
        case .indoor: 0
        case .outdoor: 1
        case .both: 2
        }
    }
}

/// The country that devices are told, ISO 3166-1 alpha-2.
enum CountryCode {
    /// For a country that is not known.
    private static let unknown = "XX"

    static func isCode(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// That of the locale: `DE` for `de_DE.UTF-8`.
    static var current: String {
        let locale = ["LC_ALL", "LANG"].lazy.compactMap(Environment.variable).first
        return locale.flatMap(country) ?? unknown
    }

    static func country(of locale: String) -> String? {
        guard let mark = locale.firstIndex(of: "_") else { return nil }
        let code = String(locale[locale.index(after: mark)...].prefix { $0.isLetter })
        return isCode(code) ? code : nil
    }
}
