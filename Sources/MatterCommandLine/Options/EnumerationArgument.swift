import ArgumentParser
import MatterController

/// A value of a cluster's enumeration as a word: those that a command offers, by their names.
protocol EnumerationArgument: ExpressibleByArgument, TrailingValue {
    associatedtype Value: ClusterEnumeration

    /// In the order in which the help shows them.
    static var offered: [Value] { get }
    var value: Value { get }

    init(_ value: Value)
}

extension EnumerationArgument {
    init?(argument: String) {
        guard let value = Self.offered.first(where: { Self.word($0) == argument }) else { return nil }
        self.init(value)
    }

    static var forms: String { offers.joined(separator: ", ") }
    static var offers: [String] { offered.map(word) }

    private static func word(_ value: Value) -> String { NameStyle.kebab("\(value)") }
}
