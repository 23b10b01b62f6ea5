/// The rule that says whether an element must, may or must not be there (Matter core specification 7.3).
///
/// A rule is a list of items, of which the first that applies decides: `LT, [CT], O`.
package struct Conformance: Hashable, Sendable {
    /// The members of a group of which one has to be there, or at least one.
    package struct Choice: Hashable, Sendable {
        /// The letter of the group.
        package var letter: String
        /// True if more than one may be there.
        package var allowsMore: Bool
    }

    /// A condition: facts about the node, joined.
    indirect enum Condition: Hashable, Sendable {
        case name(String)
        case not(Condition)
        case and(Condition, Condition)
        case or(Condition, Condition)
        case either(Condition, Condition)
        case above(String, Int64)
        case revision(UInt16)
    }

    enum Item: Hashable, Sendable {
        case mandatory(Condition?)
        case optional(Condition?, Choice?)
        /// A mandatory member of a choice: one that may be left out for another one.
        case chosen(Condition, Choice)
        case provisional
        case deprecated
        case disallowed
        /// The rule is prose.
        case described
    }

    /// A judgement of an element.
    package enum Verdict: Hashable, Sendable {
        case mandatory
        case optional(Choice?)
        /// No item of the rule applies: the element must not be there.
        case notApplicable
        case disallowed
        case deprecated
        /// Not settled yet.
        case provisional
        /// It cannot be known, so that anything is right.
        case unknown
    }

    /// The facts that conditions ask for. `nil` stands for what cannot be known.
    package struct Facts {
        /// The revision that the node has of the cluster, or of the device type.
        package var revision: UInt16?
        /// Whether a feature, an element or a condition is there.
        package var holds: (String) -> Bool?
        /// The value of an attribute.
        package var number: (String) -> Int64?

        package init(
            revision: UInt16? = nil, holds: @escaping (String) -> Bool?,
            number: @escaping (String) -> Int64? = { _ in nil }
        ) {
            self.revision = revision
            self.holds = holds
            self.number = number
        }
    }

    /// The rule as it is written.
    package let text: String
    let items: [Item]

    /// - Returns: `nil` if the text is not a rule.
    package init?(_ text: String) {
        guard let items = ConformanceParser.items(text) else { return nil }
        self.text = text
        self.items = items
    }

    /// Whether the element must, may or must not be there.
    package func verdict(_ facts: Facts) -> Verdict {
        for item in items {
            switch item {
            case .mandatory(let condition):
                guard let applies = Self.holds(condition, facts) else { return .unknown }
                if applies { return .mandatory }
            case .optional(let condition, let choice):
                guard let applies = Self.holds(condition, facts) else { return .unknown }
                if applies { return .optional(choice) }
            case .chosen(let condition, let choice):
                guard let applies = Self.holds(condition, facts) else { return .unknown }
                if applies { return .optional(choice) }
            case .provisional: return .provisional
            case .deprecated: return .deprecated
            case .disallowed: return .disallowed
            case .described: return .unknown
            }
        }
        return .notApplicable
    }

    /// With three values: what is unknown decides only where it matters.
    private static func holds(_ condition: Condition?, _ facts: Facts) -> Bool? {
        guard let condition else { return true }
        switch condition {
        case .name(let name): return facts.holds(name)
        case .not(let inner): return holds(inner, facts).map { !$0 }
        case .and(let one, let other):
            let (one, other) = (holds(one, facts), holds(other, facts))
            if one == false || other == false { return false }
            return one == nil || other == nil ? nil : true
        case .or(let one, let other):
            let (one, other) = (holds(one, facts), holds(other, facts))
            if one == true || other == true { return true }
            return one == nil || other == nil ? nil : false
        case .either(let one, let other):
            guard let one = holds(one, facts), let other = holds(other, facts) else { return nil }
            return one != other
        case .above(let name, let bound): return facts.number(name).map { $0 > bound }
        case .revision(let least): return facts.revision.map { $0 >= least }
        }
    }
}

extension Conformance {
    /// The names that the conditions mention.
    package var names: Set<String> {
        Set(items.flatMap { Self.names($0) })
    }

    private static func names(_ item: Item) -> [String] {
        switch item {
        case .mandatory(let condition): condition.map(names) ?? []
        case .optional(let condition, _): condition.map(names) ?? []
        case .chosen(let condition, _): names(condition)
        case .provisional, .deprecated, .disallowed, .described: []
        }
    }

    private static func names(_ condition: Condition) -> [String] {
        switch condition {
        case .name(let name), .above(let name, _): [name]
        case .not(let inner): names(inner)
        case .and(let one, let other), .or(let one, let other), .either(let one, let other): names(one) + names(other)
        case .revision: []
        }
    }
}
