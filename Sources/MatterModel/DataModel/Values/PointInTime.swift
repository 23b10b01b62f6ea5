/// Times as people write them (ISO 8601) for the three clocks of the model.
public enum PointInTime {
    /// From 1970-01-01 to 2000-01-01, the start of Matter's own clocks, in seconds.
    private static let matterEpoch: Int64 = 946_684_800

    /// Reads `2026-11-21`, `2026-11-21T09:30`, `2026-11-21T09:30:00.5Z`, `2026-11-21 10:30+01:00`. Without a zone it
    /// is UTC.
    ///
    /// - Returns: steps of the unit; `nil` if it is no such time, or before the clock begins.
    public static func parse(_ text: String, as unit: ValueUnit) -> Int64? {
        guard let (seconds, microseconds) = parse(text) else { return nil }
        let value: Int64 =
            switch unit {
            case .epochSeconds: seconds - matterEpoch
            case .epochMicroseconds: (seconds - matterEpoch) * 1_000_000 + microseconds
            case .posixMilliseconds: seconds * 1000 + microseconds / 1000
            default: -1
            }
        return value >= 0 ? value : nil
    }

    /// The time of a number: `2026-11-21T09:30:00Z`.
    public static func text(_ value: UInt64, as unit: ValueUnit) -> String? {
        // Four digits of a year end here.
        let latest: Int64 = 253_402_300_799
        let perSecond: UInt64
        switch unit {
        case .epochSeconds: perSecond = 1
        case .epochMicroseconds: perSecond = 1_000_000
        case .posixMilliseconds: perSecond = 1000
        default: return nil
        }
        let (whole, rest) = value.quotientAndRemainder(dividingBy: perSecond)
        guard let whole = Int64(exactly: whole), whole <= latest else { return nil }
        let seconds = whole + (unit == .posixMilliseconds ? 0 : matterEpoch)
        guard seconds <= latest else { return nil }
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = date(days)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let fraction = rest == 0 ? "" : "." + String(String(perSecond + rest).dropFirst())
        return
            "\(year)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))\(fraction)Z"
    }

    private static func parse(_ text: String) -> (seconds: Int64, microseconds: Int64)? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), (1...12).contains(month), day >= 1, day <= length(of: month, in: year)
        else { return nil }
        var seconds = days(year, month, day) * 86_400
        var microseconds: Int64 = 0
        if scanner.take("T") || scanner.take("t") || scanner.take(" ") {
            guard let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), hour < 24,
                minute < 60
            else { return nil }
            seconds += hour * 3600 + minute * 60
            if scanner.take(":") {
                guard let second = scanner.number(2), second < 60 else { return nil }
                seconds += second
                if scanner.take(".") {
                    guard let fraction = scanner.fraction() else { return nil }
                    microseconds = fraction
                }
            }
            guard let offset = zone(&scanner) else { return nil }
            seconds -= offset
        }
        return scanner.isAtEnd ? (seconds, microseconds) : nil
    }

    /// Seconds east of Greenwich.
    private static func zone(_ scanner: inout DigitScanner) -> Int64? {
        if scanner.isAtEnd || scanner.take("Z") || scanner.take("z") { return 0 }
        let isWest = scanner.take("-")
        guard isWest || scanner.take("+"), let hours = scanner.number(2), hours < 24 else { return nil }
        _ = scanner.take(":")
        guard let minutes = scanner.isAtEnd ? 0 : scanner.number(2), minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the Gregorian calendar; years counted from March, so that the leap day comes last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * monthFromMarch + 2) / 5 + day - 719_469
    }

    /// The inverse of ``days(_:_:_:)``, for days from 1970 on.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var year = 1970 + days / 366
        while self.days(year + 1, 1, 1) <= days { year += 1 }
        var month: Int64 = 1
        while month < 12, self.days(year, month + 1, 1) <= days { month += 1 }
        return (year, month, days - self.days(year, month, 1) + 1)
    }
}

/// Takes fixed numbers of digits off a text.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(_ digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = rest.first, 0x30...0x39 ~= digit else { return nil }
            number = number * 10 + Int64(digit - 0x30)
            rest = rest.dropFirst()
        }
        return number
    }

    /// Up to nine digits behind a point, in microseconds.
    mutating func fraction() -> Int64? {
        var microseconds: Int64 = 0
        var count = 0
        while let digit = rest.first, 0x30...0x39 ~= digit {
            if count < 6 { microseconds = microseconds * 10 + Int64(digit - 0x30) }
            count += 1
            rest = rest.dropFirst()
        }
        guard (1...9).contains(count) else { return nil }
        for _ in count..<max(6, count) { microseconds *= 10 }
        return microseconds
    }
}
