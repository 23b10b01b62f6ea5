import MatterModel

/// The words allowed behind the nodes of a verb, and their meaning.
struct ValueForm<Value: Sendable>: Sendable {
    /// `0%–100%`.
    let forms: String
    /// Words that it may be: all where they can be listed, else some that are usual.
    let offers: [String]
    /// One of them, for examples.
    let example: String
    /// Whether any word may be one.
    var isOpen = false
    /// The value at the end of some words, and how many of them it takes.
    let last: @Sendable ([String]) -> (value: Value, words: Int)?

    init(
        _ forms: String, offers: [String], example: String? = nil,
        last: @escaping @Sendable ([String]) -> (value: Value, words: Int)?
    ) {
        self.forms = forms
        self.offers = offers
        self.example = example ?? offers.last ?? ""
        self.last = last
    }

    /// A value of one word.
    init(_ forms: String, offers: [String], word: @escaping @Sendable (String) -> Value?) {
        self.init(forms, offers: offers) { words in words.last.flatMap(word).map { ($0, 1) } }
    }

    /// Any word that means one, of which a device knows more.
    init(_ forms: String, example: String, any word: @escaping @Sendable (String) -> Value?) {
        self.init(forms, offers: [], example: example) { words in words.last.flatMap(word).map { ($0, 1) } }
        isOpen = true
    }

    /// A number in steps of a unit, with or without it.
    init(
        _ forms: String, offers: [String], as unit: ValueUnit, bare: String, in range: ClosedRange<Value>
    ) where Value: FixedWidthInteger {
        self.init(forms, offers: offers) { word in
            // A sign would be a step, which these values do not have.
            guard !word.hasPrefix("+"), let steps = QuantityText.parse(word, as: unit, bare: bare),
                let number = Value(exactly: steps), range.contains(number)
            else { return nil }
            return number
        }
    }

    /// One of some words.
    init(_ choices: [Value]) where Value: ClusterEnumeration {
        let words = choices.map { NameStyle.kebab("\($0)") }
        self.init(words.joined(separator: ", "), offers: words) { word in
            words.firstIndex(of: word).map { choices[$0] }
        }
    }
}

extension ValueForm<Int16> {
    /// A temperature in steps of 0.01 °C.
    static let temperature = ValueForm(
        "21, 21.5C or 70F", offers: ["18C", "19C", "20C", "21C", "22C"], as: .celsiusHundredths, bare: "C",
        in: -27315...Int16.max)
}

extension ValueForm<UInt16> {
    /// A share in steps of 0.01 %.
    static let share = ValueForm(
        "0%–100%", offers: ["0%", "25%", "50%", "75%", "100%"], as: .percentHundredths, bare: "%", in: 0...10000)
}

extension ValueForm<UInt8> {
    /// A level, 0 to 254.
    static let level = ValueForm(
        "0–254 or 0%–100%", offers: ["0%", "25%", "50%", "75%", "100%"], word: LevelText.parse)
}

/// A level as people write it: `0` to `254`, or `0%` to `100%`.
public enum LevelText {
    /// The level that a word means, 0 to 254; `nil` if it means none. A share above zero is never 0.
    public static func parse(_ word: String) -> UInt8? {
        // A sign means a step, which is no level.
        guard word.first?.isNumber ?? false else { return nil }
        guard word.hasSuffix("%") else { return UInt8(word).flatMap { $0 <= 254 ? $0 : nil } }
        guard let percent = Double(word.dropLast()), (0...100).contains(percent) else { return nil }
        let level = UInt8((percent * 254 / 100).rounded())
        return percent > 0 ? max(1, level) : 0
    }
}
