package import MatterBase

extension TLVValue {
    /// A number in the form that its type has on the wire: signed types stay signed.
    package static func number<Number: FixedWidthInteger>(_ number: Number) -> TLVValue {
        Number.isSigned ? .int(Int64(number)) : .uint(UInt64(number))
    }

    /// A number, or null where there is none.
    static func nullable<Number: FixedWidthInteger>(_ number: Number?) -> TLVValue {
        number.map { .number($0) } ?? .null
    }
}

/// Numbers that a person types at a running device.
enum TypedNumber {
    /// `21.5`, `-3`, `21.5C`, `40%` in hundredths; two decimals at most count.
    static func hundredths(_ word: Substring) -> Int? {
        var digits = word
        if let last = digits.last, "CK%".contains(last) { digits.removeLast() }
        let isNegative = digits.hasPrefix("-")
        if isNegative { digits.removeFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let whole = Int(first), whole >= 0, whole < 1_000_000 else { return nil }
        var fraction = 0
        if parts.count == 2 {
            let decimals = parts[1].prefix(2)
            guard parts[1].allSatisfy(\.isNumber), let number = Int(decimals) else { return nil }
            fraction = decimals.count == 1 ? number * 10 : number
        }
        return (isNegative ? -1 : 1) * (whole * 100 + fraction)
    }
}
