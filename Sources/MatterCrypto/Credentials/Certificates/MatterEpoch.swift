/// Seconds since 2000-01-01T00:00:00 UTC, as certificates count time (Matter core specification, 6.5.6).
public enum MatterEpoch {
    /// The epoch in seconds since 1970-01-01T00:00:00 UTC.
    package static let unixSeconds: Int64 = 946_684_800

    /// A time in seconds since 1970 as Matter time; `nil` outside 2000…2136.
    package static func seconds(unix: Int64) -> UInt32? {
        let (difference, overflow) = unix.subtractingReportingOverflow(unixSeconds)
        return overflow ? nil : UInt32(exactly: difference)
    }

    /// A Matter time in seconds since 1970.
    package static func unix(_ seconds: UInt32) -> Int64 { unixSeconds + Int64(seconds) }

    /// A Matter time as `2026-08-01T12:00:00Z`; ``none`` as `never`.
    public static func text(_ seconds: UInt32) -> String {
        guard seconds != none else { return "never" }
        let date = CalendarTime(matterSeconds: seconds)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))Z"
    }

    /// The number that means no well-defined date, in X.509 99991231235959Z.
    public static let none: UInt32 = 0
}

/// A date and time of the Gregorian calendar, UTC.
struct CalendarTime: Hashable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int

    /// X.509's value for no well-defined date (RFC 5280, 4.1.2.5).
    static let noDate = CalendarTime(year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59)

    private static let secondsPerDay = 86_400

    /// True if every field is in the range the calendar gives it.
    var isValid: Bool {
        (1...12).contains(month) && (1...Self.days(inMonth: month, of: year)).contains(day)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
    }

    /// The time in Matter seconds; `nil` if it is invalid or outside 2000…2136.
    var matterSeconds: UInt32? {
        guard isValid, (2000...2200).contains(year) else { return nil }
        var days = day - 1
        for earlier in 2000..<year { days += Self.days(inYear: earlier) }
        for earlier in 1..<month { days += Self.days(inMonth: earlier, of: year) }
        return UInt32(exactly: days * Self.secondsPerDay + hour * 3600 + minute * 60 + second)
    }

    private static func days(inYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }
}

extension CalendarTime {
    init(matterSeconds: UInt32) {
        let seconds = Int(matterSeconds)
        (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
        var days = seconds / Self.secondsPerDay
        year = 2000
        while days >= Self.days(inYear: year) {
            days -= Self.days(inYear: year)
            year += 1
        }
        month = 1
        while days >= Self.days(inMonth: month, of: year) {
            days -= Self.days(inMonth: month, of: year)
            month += 1
        }
        day = days + 1
    }
}
