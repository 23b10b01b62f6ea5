import JSON

/// The texts of a manufacturer's terms, as the file that the ledger points to has them.
public struct TermsDocument: Sendable {
    /// A text that a user is asked to accept.
    public struct Text: Hashable, Sendable {
        /// Its bit in the acknowledgement.
        public var ordinal: UInt16
        /// Whether commissioning needs it to be accepted.
        public var isRequired: Bool
        /// The title of the text.
        public var title: String
        /// With markup; see ``PlainMarkup``.
        public var text: String
    }

    private static let schemaVersion = 1
    /// An acknowledgement has this many bits.
    private static let mostTexts: UInt16 = 16

    private struct Country {
        /// The language of those who speak none of the others.
        var standard: String
        var languages: [String: [Text]]
    }

    private let countries: [String: Country]
    private let defaultCountry: String
    /// The version of the texts.
    public let revision: UInt16

    /// - Parameter revision: what the ledger says that it is.
    /// - Throws: ``LedgerError`` with `malformed`.
    package init(_ contents: [UInt8], revision: UInt32) throws(LedgerError) {
        let name = "the file of the terms"
        guard let value = try? JSONValue(parsing: contents) else {
            throw LedgerError(.malformed, "\(name) is not JSON")
        }
        let fields = try LedgerFields(value, name)
        guard try fields.integer("schemaVersion") == Self.schemaVersion else {
            throw fields.wrong("schemaVersion", "\(Self.schemaVersion)")
        }
        guard try fields.integer("esfRevision", as: UInt32.self) == revision, let number = UInt16(exactly: revision),
            number > 0
        else { throw fields.wrong("esfRevision", "\(revision), as the ledger says") }
        self.revision = number
        defaultCountry = try fields.string("defaultCountry")
        var countries: [String: Country] = [:]
        if let entries = try fields.optionalObject("countryEntries") {
            for key in entries.object.keys {
                guard let country = try entries.optionalObject(key) else { continue }
                var languages: [String: [Text]] = [:]
                if let texts = try country.optionalObject("languageEntries") {
                    for language in texts.object.keys { languages[language] = try Self.texts(texts, language) }
                }
                let standard = try country.string("defaultLanguage")
                guard languages[standard] != nil else {
                    throw country.wrong("defaultLanguage", "one of its languages")
                }
                countries[key] = Country(standard: standard, languages: languages)
            }
        }
        guard countries[defaultCountry] != nil else { throw fields.wrong("defaultCountry", "one of its countries") }
        self.countries = countries
    }

    private static func texts(_ fields: LedgerFields, _ language: String) throws(LedgerError) -> [Text] {
        var texts: [Text] = []
        for entry in try fields.objects(language) {
            let text = Text(
                ordinal: try entry.integer("ordinal"), isRequired: try entry.flag("required"),
                title: try entry.string("title"), text: try entry.string("text"))
            guard text.ordinal < mostTexts, !texts.contains(where: { $0.ordinal == text.ordinal }) else {
                throw entry.wrong("ordinal", "a number below \(mostTexts) of its own")
            }
            texts.append(text)
        }
        guard !texts.isEmpty else { throw fields.wrong(language, "a list of texts") }
        return texts.sorted { $0.ordinal < $1.ordinal }
    }

    /// The texts for a user; those of the default country or language where there are no others.
    ///
    /// - Parameters:
    ///   - country: two capital letters.
    ///   - language: such as `de`.
    public func texts(country: String, language: String?) -> [Text] {
        guard let entry = countries[country] ?? countries[defaultCountry] else { return [] }
        return language.flatMap { entry.languages[$0] } ?? entry.languages[entry.standard] ?? []
    }
}
